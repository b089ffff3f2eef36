//! The record of what was done here: of which kind is what was tried, and which sentence claims it?
//!
//! Invariant: a sentence that asks, denies or depends on something claims nothing. Not here: questions about the record
//! (phrases of the assistant's own service), and the answer (the pipeline keeps the record).

use super::tokens::lower;

/// The words of the classes, one class a line; read where they stand.
const WORDS: &str = include_str!("../../../../data/language/record.txt");
/// The first class of those that hold forms of a verb, and the first behind them.
const VERBS: (&str, &str) = ("send", "doer");
/// Adverbs that may stand before a verb.
const ADVERBS_MAX: usize = 2;

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

/// The kind of what a verb does, in any of its forms.
pub fn kind_of(verb: &str) -> Option<&'static str> {
    let verb = lower(verb);
    verbs().find(|kind| phrases(kind).any(|form| form == verb))
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
    fn what_was_tried_is_of_the_kind_of_its_verb_and_of_what_that_implies() {
        assert!(is_of_kind("send “Lunch” to Anna", "send") && !is_of_kind("sending things", "send"));
        assert!(is_of_kind("remove milk from Groceries", "delete"));
        assert!(is_of_kind("forward “Lunch” to Anna", "send") && is_of_kind("reply to “Lunch”", "send"));
        assert!(!is_of_kind("send “Lunch” to Anna", "forward"));
    }
}
