//! Questions about the record: is a message about what was done here, or does it ask to take the last of it back?
//!
//! Invariant: the whole message is such a question; one that asks for anything besides is none. Not here: the answer
//! (the pipeline keeps the record).

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
/// The classes that hold no forms of a verb.
const NO_VERBS: [&str; 5] = ["latest", "done", "kind", "undo", "last"];

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

/// The words, without marks and what is polite at the ends.
fn bare(text: &str) -> String {
    let spaced: String = lower(text).chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let mut words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
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
    lines().map(|(name, _)| name).filter(|name| !NO_VERBS.contains(name))
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
