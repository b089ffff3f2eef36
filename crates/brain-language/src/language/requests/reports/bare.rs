//! Bare reports: that something is done, and not what; it is said of what stands beside the message.

use super::{bare_words, listed};
use crate::language::requests::grammar::GRAMMAR;
use crate::language::requests::lexicon::WordId;
use crate::language::requests::matching;

/// Longer messages say more.
const WORDS_MAX: usize = 10;
/// What may stand behind it.
const TAILS: [&str; 2] = ["tail", "detail"];

/// Whether a message says that something is done and nothing else, politeness aside.
pub fn is_bare_report(text: &str) -> bool {
    if text.contains(['?', '？', '؟']) {
        return false;
    }
    let known = listed("bare");
    let words = bare_words(&text.replace('’', "'"));
    if words.is_empty() {
        // A picker adds how a sign is to be drawn.
        let signs = || text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '.' | '!'));
        return signs().next().is_some() && signs().all(|sign| known.contains(&sign.to_string().as_str()));
    }
    if words.len() > WORDS_MAX {
        return false;
    }
    let lexicon = GRAMMAR.lexicon;
    let ids: Vec<WordId> = words.iter().map(|word| lexicon.read_word(word)).collect();
    let is_polite = |from: usize| from == ids.len() || TAILS.iter().any(|class| lexicon.is_phrase(class, &ids[from..]));
    let ends = |from: usize| (from + 1..=words.len()).filter(|end| is_polite(*end));
    let says = |from: usize, end: usize| known.contains(&words[from..end].join(" ").as_str());
    matching::starts(lexicon, &ids).into_iter().any(|from| ends(from).any(|end| says(from, end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_something_is_done_is_said_in_a_word_or_a_sign() {
        for text in [
            "done",
            "Done!",
            "finished.",
            "✅",
            "✔️",
            "✅✅",
            "done ✅",
            "yes, done",
            "ok done thanks",
            "I’ve done it",
            "all done",
            "erledigt",
            "ja, erledigt!",
            "fertig",
        ] {
            assert!(is_bare_report(text), "{text}");
        }
        for text in [
            "",
            "!",
            "👍",
            "not done",
            "done?",
            "is it done",
            "done with the report",
            "rent is paid",
            "done, remind me at 5",
        ] {
            assert!(!is_bare_report(text), "{text}");
        }
    }
}
