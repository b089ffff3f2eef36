//! Reports: statements that something to be done is done.
//!
//! Frames and verbs are data (`data/language/requests/reports.*.txt`): a message that a frame covers as a whole is a
//! report. It tells what was done to what; what was to be done may have been called by another verb, so a report has
//! the verbs that it may have been called by. Invariant: a question, something denied and something still to come is no
//! report. Not here: what there is to be done, and whether a report fits it.

mod bare;

use std::collections::BTreeMap;

use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::parse_input::ParseInput;
use super::phrases::{self, Phrases};
use super::reading::{tidy, without_determiner};
use super::understood::Understood;
use crate::language::tables::MadeTables;
use crate::language::time::{self, Reference, When};
use crate::language::tokens::lower;
use crate::language::work::Work;
use brain_core::core::plan::PlannedAction;

pub use bare::is_bare_report;

const TEXTS: [&str; 2] = [
    include_str!("../../../../../data/language/requests/reports.en.txt"),
    include_str!("../../../../../data/language/requests/reports.de.txt"),
];
/// Places where a report may end; who says more than that tells a story.
const ENDS_MAX: usize = 6;
/// Stands for every verb.
const ANY: &str = "any";
const VERBS: &str = "verbs";
/// The frames as commands: a report, one that orders as well, and one that takes something back.
const REPORTED: &str = "reported";
const ORDERED: &str = "ordered";
const REOPENED: &str = "reopened";

/// The frames with the verbs in them.
static FRAMES: MadeTables<Phrases> = MadeTables::new(|| Phrases::own(&written_out()));

/// Makes the frames, unless they are made.
pub(super) fn ready() {
    MadeTables::force(&FRAMES);
}

/// What is said to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateReport {
    /// In the person's words, without an article.
    pub what: String,
    /// What doing it may have been called; any verb, where there is none.
    pub verbs: Vec<String>,
    pub kind: ReportKind,
    /// What was said behind it and asks for nothing.
    pub beside: Option<String>,
}

/// How a report is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportKind {
    /// It is told that something was done to it: a past participle.
    Told,
    /// It is told how it is, which may mean something else: an adverb.
    State,
    /// It is ordered to tick it off.
    Order,
    /// It is ordered to take the tick away.
    Reopen,
}

impl StateReport {
    /// A report of each of the things that commas and conjunctions divide; none where there is only one.
    pub fn parts(&self) -> Vec<StateReport> {
        let things = super::reading::things(&self.what);
        let of = |what: &str| StateReport { what: without_determiner(what).to_owned(), ..self.clone() };
        let parts: Vec<StateReport> = things.iter().filter_map(|thing| thing.as_str().map(of)).collect();
        if parts.len() > 1 { parts } else { Vec::new() }
    }
}

/// The report that a message is, if it is nothing else than that and perhaps a remark behind it; none where the steps do
/// not suffice.
pub fn report(input: &ParseInput, work: &Work) -> Option<StateReport> {
    let text = input.text;
    const ENDS: [&str; 8] = [".", "!", ",", ";", "\n", " so ", " - ", " — "];
    if let Some(whole) = read(input, work) {
        return Some(whole);
    }
    let mut ends: Vec<(usize, &str)> = ENDS.iter().flat_map(|end| text.match_indices(end)).collect();
    ends.sort_unstable();
    let cut = |(at, end): &(usize, &str)| {
        let (head, rest) = (text.get(..*at)?, text.get(at + end.len()..)?.trim());
        let report = read(&input.alone(head), work)?;
        is_remark(&input.alone(rest), work).then(|| StateReport { beside: Some(rest.to_owned()), ..report })
    };
    ends.iter().rev().take(ENDS_MAX).find_map(cut)
}

/// Asks for nothing, and takes nothing back.
fn is_remark(input: &ParseInput, work: &Work) -> bool {
    const MATTERS: &str =
        "negation negated hypothetical dearcondition dearrestriction dearcorrection dearnegation dearrequest";
    let lexicon = GRAMMAR.lexicon;
    let text = input.text;
    let ids: Vec<WordId> = text.split_whitespace().map(|word| lexicon.read_word(&lower(word))).collect();
    !text.contains(['?', '？', '؟'])
        && text.contains(char::is_alphanumeric)
        && !MATTERS.split(' ').any(|class| lexicon.find(class, &ids).is_some())
        && !["errand", "deerrand"].iter().any(|class| lexicon.starts(class, &ids).is_some())
        && matches!(super::plan_within(input, &[], work), Understood::NotUnderstood { .. } | Understood::SmallTalk)
}

fn read(input: &ParseInput, work: &Work) -> Option<StateReport> {
    let text = input.text;
    if text.trim_end().ends_with(['?', '？', '؟']) {
        return None;
    }
    let framed = ParseInput { phrases: &[&FRAMES], ..input.alone(text) };
    let PlannedAction { command, params, .. } = phrases::planned(&framed, &[], work)?;
    let said = |name: &str| params.get(name).and_then(|value| value.as_str());
    if said("when").is_some_and(|when| is_to_come(when, input.reference)) {
        return None;
    }
    let named = tidy(said("what")?);
    if acts_itself(text, &named) {
        return None;
    }
    let what = without_determiner(&named).to_owned();
    let (verbs, kind) = if said(VERBS) == Some(ANY) { (Vec::new(), ReportKind::Told) } else { verbs_of(text, &what)? };
    let kind = match command.as_str() {
        ORDERED => ReportKind::Order,
        REOPENED => ReportKind::Reopen,
        _ => kind,
    };
    is_thing(&what).then_some(StateReport { what, verbs, kind, beside: None })
}

fn is_to_come(words: &str, reference: &Reference) -> bool {
    let is_later = |when: When| when.start().is_none_or(|start| start > reference.now);
    match time::resolve(words, reference) {
        Some(Ok(when)) => is_later(when),
        Some(Err(_)) | None => true,
    }
}

/// Whether what is named is who did something: an active verb tells news, a passive reports.
fn acts_itself(text: &str, named: &str) -> bool {
    let (said, named) = (bare_words(text), bare_words(named));
    let Some(behind) = said.strip_prefix(named.as_slice()).filter(|behind| !behind.is_empty()) else { return false };
    let are_in = |section: &str| {
        let listed = listed(section);
        behind.iter().any(|word| listed.contains(&word.as_str()))
    };
    let is_done_to = are_in("be");
    let has_article = without_determiner(&named.join(" ")).len() < named.join(" ").len();
    !is_done_to && (has_article || are_in("others"))
}

/// Lower-case words without the marks around them.
fn bare_words(text: &str) -> Vec<String> {
    let bare = |word: &str| lower(word.trim_matches(|c: char| !c.is_alphanumeric()));
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// Names something that can be done: nothing that asks, denies, or points elsewhere.
fn is_thing(what: &str) -> bool {
    const NOWHERE: [&str; 4] = ["negation", "dearcondition", "hypothetical", "unless"];
    const NOT_FIRST: [&str; 5] = ["pronoun", "it", "negated", "aside", "asking"];
    let lexicon = GRAMMAR.lexicon;
    // A contraction speaks of its pronoun.
    let bare = |word: &str| lower(word).split('\'').next().map_or(WordId::UNKNOWN, |word| lexicon.read_word(word));
    let ids: Vec<WordId> = what.replace('’', "'").split_whitespace().map(bare).collect();
    let denies = what.split_whitespace().any(|word| lower(word).ends_with("n't"));
    let is_to_do = lower(what).starts_with("to ");
    !ids.is_empty()
        && !denies
        && !is_to_do
        && !NOWHERE.iter().any(|class| lexicon.find(class, &ids).is_some())
        && !NOT_FIRST.iter().any(|class| lexicon.starts(class, &ids).is_some())
}

/// What may be said of a thing that was done, and what doing it may have been called.
struct VerbRow {
    kind: ReportKind,
    said: Vec<Vec<&'static str>>,
    verbs: Vec<&'static str>,
}

/// All rows, read where they stand.
fn verb_rows() -> Vec<VerbRow> {
    let rows = TEXTS.iter().map(|text| sections(text)).flat_map(|sections| {
        let of = |(name, kind)| {
            let lines = sections.get(name).cloned().unwrap_or_default();
            lines.into_iter().filter_map(move |line| row(line, kind)).collect::<Vec<_>>()
        };
        [("verbs", ReportKind::Told), ("states", ReportKind::State), ("pairs", ReportKind::Told)].map(of)
    });
    rows.flatten().collect()
}

fn row(line: &'static str, kind: ReportKind) -> Option<VerbRow> {
    let (said, verbs) = line.split_once('=')?;
    let said = said.split(',').map(|said| said.split_whitespace().collect()).collect();
    Some(VerbRow { kind, said, verbs: verbs.split(',').map(str::trim).collect() })
}

/// The verbs of what is said beside a thing; of words of which some mean more together, those.
fn verbs_of(text: &str, what: &str) -> Option<(Vec<String>, ReportKind)> {
    let (said, what) = (bare_words(text), bare_words(what));
    let at = said.windows(what.len()).position(|window| window == what).unwrap_or(said.len());
    let beside =
        |word: &str| said.iter().enumerate().any(|(i, said)| !(at..at + what.len()).contains(&i) && said == word);
    let length = |row: &VerbRow| {
        let said = row.said.iter().filter(|said| said.iter().all(|word| beside(word)));
        said.map(Vec::len).max()
    };
    let all = verb_rows();
    let longest = all.iter().filter_map(length).max()?;
    let rows: Vec<&VerbRow> = all.iter().filter(|row| length(row) == Some(longest)).collect();
    let is_state = rows.iter().all(|row| row.kind == ReportKind::State);
    let mut verbs: Vec<String> = rows.iter().flat_map(|row| &row.verbs).map(|verb| (*verb).to_owned()).collect();
    if verbs.iter().any(|verb| verb == ANY) {
        verbs.clear();
    }
    Some((verbs, if is_state { ReportKind::State } else { ReportKind::Told }))
}

/// What is listed below a heading, apart by commas.
fn listed(heading: &str) -> Vec<&'static str> {
    let lines = TEXTS.iter().filter_map(|text| sections(text).remove(heading)).flatten();
    lines.flat_map(|line| line.split(',').map(str::trim)).collect()
}

/// The indented lines below each heading.
fn sections(text: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut heading = "";
    for line in text.lines().filter(|line| super::lexicon::is_data(line)) {
        if line.starts_with(' ') {
            sections.entry(heading).or_default().push(line.trim());
        } else {
            heading = line.trim();
        }
    }
    sections
}

/// The frames with the verbs in them, as the phrases of a service.
fn written_out() -> String {
    let mut out = String::new();
    for text in TEXTS {
        let sections = sections(text);
        let of = |name: &str| sections.get(name).map(Vec::as_slice).unwrap_or_default();
        let either = |mut words: Vec<&str>| {
            words.sort_unstable();
            words.dedup();
            format!("({})", words.join("|"))
        };
        let said = |name: &str| -> Vec<&str> {
            let rows = of(name).iter().filter_map(|line| line.split_once('='));
            rows.flat_map(|(said, _)| said.split(',').map(str::trim)).collect()
        };
        let (firsts, seconds): (Vec<&str>, Vec<&str>) =
            said("pairs").iter().filter_map(|pair| pair.split_once(' ')).unzip();
        let filled = |name: &str, said: Vec<&str>, with: Vec<&str>| -> Vec<String> {
            let (said, with) = (either(said), either(with));
            of(name).iter().map(|frame| frame.replace("SAID", &said).replace("WITH", &with)).collect()
        };
        let reported = [
            filled("active", said("verbs"), Vec::new()),
            filled("passive", [said("verbs"), said("states")].concat(), Vec::new()),
            filled("split", firsts, seconds),
        ];
        let tick = of("tick").join("|");
        out.push_str(&format!("{REPORTED}\n"));
        reported.iter().flatten().for_each(|frame| out.push_str(&format!("  {frame}\n")));
        out.push_str(&format!("{ORDERED} {VERBS}={ANY}\n"));
        of("order").iter().for_each(|frame| out.push_str(&format!("  {frame}\n")));
        out.push_str(&format!("{REOPENED} {VERBS}={ANY}\n"));
        of("reopen").iter().for_each(|frame| out.push_str(&format!("  {frame}\n")));
        out.push_str(&format!("{ORDERED}\n"));
        for frame in reported.iter().flatten().filter(|_| !tick.is_empty()) {
            out.push_str(&format!(
                "  {frame} , [please|you can] ({tick})\n  {frame} (and|so) [please|you can] ({tick})\n"
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::testing::{alone, monday};

    fn reported(text: &str) -> Option<(String, Vec<String>, ReportKind)> {
        report(&alone(text, &monday()), &Work::default()).map(|report| (report.what, report.verbs, report.kind))
    }

    #[test]
    fn the_texts_of_the_frames_hold_no_mistake() {
        ready();
    }

    #[test]
    fn what_is_said_to_be_done_is_a_report() {
        for (text, what, verb, kind) in [
            ("bins are out", "bins", Some("put out"), ReportKind::State),
            ("the bins are out!", "bins", Some("take out"), ReportKind::State),
            ("got the eggs", "eggs", Some("buy"), ReportKind::Told),
            ("I've got milk and bread", "milk and bread", Some("get"), ReportKind::Told),
            ("rent is paid", "rent", Some("pay"), ReportKind::Told),
            ("rent paid", "rent", Some("pay"), ReportKind::Told),
            ("I just called mom", "mom", Some("call"), ReportKind::Told),
            ("i called mom this morning", "mom", Some("call"), ReportKind::Told),
            ("we have booked the dentist", "dentist", Some("book"), ReportKind::Told),
            ("the dentist has been booked", "dentist", Some("book"), ReportKind::Told),
            ("took the bins out", "bins", Some("take out"), ReportKind::Told),
            ("I picked up the parcel", "parcel", Some("collect"), ReportKind::Told),
            ("the report is done", "report", None, ReportKind::Told),
            ("I've got the eggs, cross them off", "eggs", Some("get"), ReportKind::Order),
            ("bins are out so you can tick that off", "bins", Some("put out"), ReportKind::Order),
            ("check off butter", "butter", None, ReportKind::Order),
            ("cross the eggs and milk off the list", "eggs and milk", None, ReportKind::Order),
            ("untick the soap", "soap", None, ReportKind::Reopen),
            ("die Miete ist bezahlt", "Miete", Some("zahlen"), ReportKind::Told),
            ("ich habe die Eier gekauft", "Eier", Some("kaufen"), ReportKind::Told),
            ("der Müll ist raus", "Müll", Some("rausbringen"), ReportKind::State),
        ] {
            let (found, verbs, order) = reported(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.as_str(), order), (what, kind), "{text}");
            let fits = verb.map_or(verbs.is_empty(), |verb| verbs.iter().any(|known| known == verb));
            assert!(fits, "{text}: {verbs:?}");
        }
    }

    #[test]
    fn requests_questions_talk_and_what_is_not_so_are_none() {
        for text in [
            "",
            "I'm done",
            "done",
            "got it",
            "I got it",
            "that's out of the question",
            "it is done",
            "is the rent paid?",
            "the dentist called",
            "mum rang",
            "the plumber left",
            "is the rent paid",
            "the bins are not out",
            "the bins aren't out",
            "I haven't paid the rent",
            "I called mom but she didn't answer",
            "the rent is paid tomorrow",
            "I've got to call mom",
            "remind me to pay the rent",
            "if the rent is paid",
            "she called mom",
            "add eggs to the list",
            "bins are out and remind me to call mom tomorrow",
            "I paid the rent. Remind me to call mom.",
        ] {
            assert_eq!(reported(text), None, "{text}");
        }
    }

    #[test]
    fn a_remark_behind_a_report_is_no_part_of_it_and_a_request_is_no_remark() {
        for (text, what, beside) in [
            ("got the milk and the bin bags, rest is on ahmed", "milk and the bin bags", "rest is on ahmed"),
            ("bins r out so mum can chill lol", "bins", "mum can chill lol"),
            ("rent is paid. that was expensive", "rent", "that was expensive"),
        ] {
            let report = report(&alone(text, &monday()), &Work::default()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((report.what.as_str(), report.beside.as_deref()), (what, Some(beside)), "{text}");
        }
        for text in [
            "rent is paid, remind me to call mom",
            "rent is paid, what's next?",
            "got the eggs, not the milk",
            "rent is paid, if I remember right",
            "the bins are out, move the dentist to friday",
        ] {
            assert_eq!(reported(text), None, "{text}");
        }
    }

    #[test]
    fn several_things_are_told_apart() {
        let parts = report(&alone("got milk, eggs and the bread", &monday()), &Work::default()).unwrap().parts();
        assert_eq!(parts.iter().map(|part| part.what.as_str()).collect::<Vec<_>>(), ["milk", "eggs", "bread"]);
        assert!(report(&alone("got the milk", &monday()), &Work::default()).unwrap().parts().is_empty());
    }
}
