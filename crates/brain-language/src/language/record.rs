//! The record of what was done here: is a message a question about it, does it ask to take the last of it back, and
//! which sentence claims an entry?
//!
//! Invariants: the whole message is such a question, one that asks for anything besides is none; a sentence that asks,
//! denies or depends on something claims nothing. Not here: the answer (the pipeline keeps the record).

use super::tokens::lower;

/// The words of the classes, one class a line; read where they stand.
const WORDS: &str = include_str!("../../../../data/language/record.txt");
/// A question of this sort is short.
const BYTES_MAX: usize = 120;
/// What may stand at either end.
const POLITE: [&str; 16] = [
    "hey", "so", "ok", "okay", "wait", "and", "please", "pls", "bitte", "can you", "then", "now", "already",
    "just now", "for me", "oops",
];
/// Stands in a phrase for a verb.
const VERB: &str = "{verb}";
/// Stands in a phrase for what was done last.
const LAST: &str = "{last}";
/// The first class of those that hold forms of a verb, and the first behind them.
const VERBS: (&str, &str) = ("send", "doer");
/// Adverbs that may stand before a verb.
const ADVERBS_MAX: usize = 2;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordQuestion {
    /// What was done last.
    Latest,
    /// Whether the last thing was done.
    Done,
    /// Whether something of a kind was: the verb in its plain form.
    Kind(&'static str),
}

/// What a sentence claims was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The verb in its plain form; `None` where it only says that it is done.
    pub kind: Option<&'static str>,
    /// By whoever speaks; otherwise it says what something has become.
    pub is_own: bool,
}

impl Claim {
    /// What a sentence in English claims, but in quotation marks; `None` where it asks, denies, or claims nothing.
    pub fn of(sentence: &str) -> Option<Claim> {
        let lower = lower(sentence).replace('’', "'");
        let is_quoted = |at: usize| at % 2 == 1;
        let said: String = lower
            .split(['"', '“', '”', '„'])
            .enumerate()
            .filter(|(at, _)| !is_quoted(*at))
            .map(|(_, part)| part)
            .collect();
        if said.contains('?') {
            return None;
        }
        said.split([',', ';', ':', '–', '—', '.', '!']).find_map(|piece| Claim::in_piece(&bare_words(piece)))
    }

    fn in_piece(words: &str) -> Option<Claim> {
        if words.split(' ').any(|word| word.ends_with("n't") || phrases("denied").any(|denies| denies == word)) {
            return None;
        }
        if phrases("finished").any(|all| all == words) || after("promised", words).is_some() {
            return Some(Claim { kind: None, is_own: true });
        }
        let words = std::iter::successors(Some(words), |words| after("leads", words)).last().unwrap_or_default();
        let verb = |words: &str, is_past: bool| {
            let words =
                std::iter::successors(Some(words), |words| after("adverbs", words)).take(ADVERBS_MAX + 1).last()?;
            let form = words.split(' ').next()?;
            let is_past = is_past
                && !form.ends_with("ed")
                && !phrases("past").chain(phrases("unchanged")).any(|past| past == form);
            kind_of(form).filter(|_| !is_past && !phrases("vague").any(|vague| vague == form))
        };
        let own = after("perfect", words).and_then(|rest| verb(rest, false));
        let own = own.or_else(|| after("doer", words).and_then(|rest| verb(rest, true)));
        let alone = || {
            let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
            let has_object = rest.is_empty() || after("object", rest).is_some();
            let has_object = has_object && !phrases("unchanged").any(|plain| plain == first);
            verb(words, true).filter(|_| has_object)
        };
        // What has become of other things is told of the world; of what is pointed at, too, where it is no perfect.
        let became = || {
            let is_theirs = words.starts_with("your ");
            let points = || after("theirs", words).is_some() && (words.contains(" been ") || words.contains(" your "));
            let copula = words.match_indices(' ').map(|(at, _)| at + 1).find_map(|at| after("became", &words[at..]));
            let contracted =
                || after("theirs", words).filter(|_| words.split(' ').next().is_some_and(|it| it.contains('\'')));
            let behind = copula.or_else(contracted);
            verb(behind?, true).filter(|_| is_theirs || points())
        };
        let claim = |kind, is_own| Claim { kind: Some(kind), is_own };
        own.or_else(alone).map(|kind| claim(kind, true)).or_else(|| became().map(|kind| claim(kind, false)))
    }

    /// Whether it is true where this was done, in words that begin with what each does: of the same kind, or, where
    /// nothing left or went for good, in any other words.
    pub fn is_held_by<'d>(&self, done: impl IntoIterator<Item = &'d str>) -> bool {
        let is_of_it = |what: &str| match self.kind {
            Some(kind) if phrases("final").any(|last| last == kind) => {
                is_of_kind(what, kind) || !verbs().any(|verb| is_of_kind(what, verb))
            }
            Some(_) | None => true,
        };
        done.into_iter().any(is_of_it)
    }
}

/// What follows the longest phrase of a class that words begin with.
fn after<'w>(class: &str, words: &'w str) -> Option<&'w str> {
    let rest = |phrase: &str| words.strip_prefix(phrase)?.strip_prefix(' ');
    phrases(class).filter_map(rest).min_by_key(|rest| rest.len())
}

/// What a message asks of the record; `None` for everything else.
pub fn asks(text: &str) -> Option<RecordQuestion> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let said = bare(text);
    if phrases("latest").any(|phrase| phrase == said) {
        return Some(RecordQuestion::Latest);
    }
    if phrases("done").any(|phrase| phrase == said) {
        return Some(RecordQuestion::Done);
    }
    // What stands where the phrase has the verb; most messages fit no phrase, and no verb is looked at for them.
    let verb_in = |phrase: &str| {
        let (before, after) = phrase.split_once(VERB)?;
        said.strip_prefix(before)?.strip_suffix(after)
    };
    let forms: Vec<&str> = phrases("kind").filter_map(verb_in).collect();
    let asked = |verb: &&'static str| !forms.is_empty() && phrases(verb).any(|form| forms.contains(&form));
    verbs().find(asked).map(RecordQuestion::Kind)
}

/// The kind of what a verb does, in any of its forms.
pub fn kind_of(verb: &str) -> Option<&'static str> {
    let verb = lower(verb);
    verbs().find(|kind| phrases(kind).any(|form| form == verb))
}

/// Whether a message asks for the last thing to be taken back, and for nothing else.
pub fn takes_back(text: &str) -> bool {
    if text.len() > BYTES_MAX {
        return false;
    }
    let said = bare(text);
    let is_said = |phrase: &str| match phrase.split_once(LAST) {
        None => phrase == said,
        Some((before, after)) => said
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|what| phrases("last").any(|last| last == what)),
    };
    phrases("undo").any(is_said)
}

/// Whether what was tried is of this kind: the same verb, or one that implies it.
pub fn is_of_kind(attempt: &str, verb: &str) -> bool {
    let attempt = lower(attempt);
    let begins = |form: &str| attempt.strip_prefix(form).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let wider = WORDS.lines().filter_map(|line| line.split_once('<')).filter(|(name, _)| name.trim() == verb);
    let narrower = wider.flat_map(|(_, kinds)| kinds.split(',').map(str::trim));
    narrower.chain([verb]).any(|kind| phrases(kind).any(begins))
}

/// The words, without marks.
fn bare_words(text: &str) -> String {
    let spaced: String = lower(text).chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same without what is polite at the ends.
fn bare(text: &str) -> String {
    let mut words = bare_words(text);
    loop {
        let shorter = POLITE.iter().find_map(|polite| {
            let front = words.strip_prefix(polite).and_then(|rest| rest.strip_prefix(' '));
            front.or_else(|| words.strip_suffix(polite).and_then(|rest| rest.strip_suffix(' '))).map(str::to_owned)
        });
        match shorter {
            Some(shorter) => words = shorter,
            None => return words,
        }
    }
}

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = WORDS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':')).map(|(name, phrases)| (name.trim(), phrases))
}

fn phrases(class: &str) -> impl Iterator<Item = &'static str> {
    let of_class = lines().filter(move |(name, _)| *name == class);
    of_class.flat_map(|(_, phrases)| phrases.split(',').map(str::trim)).collect::<Vec<_>>().into_iter()
}

fn verbs() -> impl Iterator<Item = &'static str> {
    lines().map(|(name, _)| name).skip_while(|name| *name != VERBS.0).take_while(|name| *name != VERBS.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thing_is_taken_back_where_nothing_else_is_said() {
        for text in [
            "undo",
            "Undo that, please!",
            "undo the last thing",
            "rückgängig",
            "take that back.",
            "Mach das rückgängig",
        ] {
            assert!(takes_back(text), "{text}");
        }
        for text in ["undo the meeting", "don't undo", "I want to take that back to the shop", "take the book back", ""]
        {
            assert!(!takes_back(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_claims_what_it_says_was_done_and_no_more() {
        let own = |kind| Some(Claim { kind: Some(kind), is_own: true });
        let became = |kind| Some(Claim { kind: Some(kind), is_own: false });
        for (sentence, claims) in [
            ("I've sent the email to Bob.", own("send")),
            ("Okay, I just moved it to Friday.", own("change")),
            ("I’ve now also added milk", own("add")),
            ("Forwarded the contract to Bob.", own("forward")),
            ("Sent!", own("send")),
            ("Your event has been scheduled.", became("add")),
            ("Your reminder is set for tomorrow.", became("add")),
            ("All done ✅", Some(Claim { kind: None, is_own: true })),
            ("I'll remind you tomorrow.", Some(Claim { kind: None, is_own: true })),
            ("I don't have anyone saved called Ben.", None),
            ("I've sent nothing.", None),
            ("It has not been deleted.", None),
            ("Have I sent it?", None),
            ("I've added it, haven't I?", None),
            ("Once I've sent it, I'll say so.", None),
            ("I send it as soon as you say yes.", None),
            ("Set a reminder whenever you like.", None),
            ("Saved notes stay where they are.", None),
            ("It has been added.", became("add")),
            ("It's added to your list.", became("add")),
            ("It's set in Rome.", None),
            ("The law has been changed twice.", None),
            ("I made a mistake, sorry.", None),
            ("The meeting was moved to Friday, writes Bob.", None),
            ("Anna wrote: “I've sent the contract.”", None),
            ("You have a lot on your plate today.", None),
            ("", None),
        ] {
            assert_eq!(Claim::of(sentence), claims, "{sentence}");
        }
        let is_held = |sentence, done: &[&'static str]| Claim::of(sentence).unwrap().is_held_by(done.iter().copied());
        assert!(is_held("I've sent it.", &["reply to “Lunch”"]) && is_held("I've saved it.", &["add a task"]));
        assert!(!is_held("I've sent it.", &["write a mail without sending it"]) && !is_held("All done!", &[]));
        assert!(is_held("I've deleted it.", &["shred a file"]), "what a tool does is known by its own words alone");
    }

    #[test]
    fn the_record_is_asked_for_and_nothing_beside_it() {
        for (text, asked) in [
            ("What did you just do?", Some(RecordQuestion::Latest)),
            ("wait, what have you done??", Some(RecordQuestion::Latest)),
            ("did that work?", Some(RecordQuestion::Done)),
            ("Did you send it?", Some(RecordQuestion::Kind("send"))),
            ("has it been deleted", Some(RecordQuestion::Kind("delete"))),
            ("was it sent already?", Some(RecordQuestion::Kind("send"))),
            ("Was hast du gerade gemacht?", Some(RecordQuestion::Latest)),
            ("did you send it to Anna and Bob?", None),
            ("what did you just do with my calendar tomorrow?", None),
            ("did Anna send it?", None),
            ("send it", None),
            ("", None),
        ] {
            assert_eq!(asks(text), asked, "{text}");
        }
        assert!(is_of_kind("send “Lunch” to Anna", "send") && !is_of_kind("sending things", "send"));
        assert!(is_of_kind("remove milk from Groceries", "delete"));
        assert!(is_of_kind("forward “Lunch” to Anna", "send") && is_of_kind("reply to “Lunch”", "send"));
        assert!(!is_of_kind("send “Lunch” to Anna", "forward"));
    }
}
