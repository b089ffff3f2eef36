//! An order that no command carries out, "descale the kettle": it can be kept as something to do.
//!
//! Not here: whether a command carries it out, and what keeping it means.

use std::ops::RangeInclusive;

use super::annotated::AnnotatedText;
use super::borders::sentences;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::matching;
use super::reading::{tidy, title};
use super::text::{Mark, own_words};
use crate::language::time::Reference;

/// What an order does not begin with: it tells, asks, supposes, forbids, or names a thing.
const NO_ORDER: [&str; 16] = [
    "asking",
    "howto",
    "hypothetical",
    "teller",
    "told",
    "state",
    "det",
    "a",
    "pronoun",
    "iwe",
    "others",
    "thankword",
    "timeword",
    "notobject",
    "negation",
    "reported",
];
/// A word alone is a name, and whoever writes more than a title holds tells something.
const WORDS: RangeInclusive<usize> = 2..=20;

/// Classes of verbs that begin an order.
const ORDERING: [&str; 16] = [
    "errand",
    "deerrand",
    "assistantverb",
    "create",
    "add",
    "move",
    "cancel",
    "remind",
    "show",
    "send",
    "tellsomeone",
    "keeper",
    "reply",
    "forward",
    "archive",
    "tickoff",
];

/// Whether folded words begin with a verb in the form of an order. Steps: the words of the longest phrase.
pub(crate) fn begins_as_order(words: &[&str]) -> bool {
    const PHRASE_WORDS_MAX: usize = 4;
    let ids: Vec<_> = words.iter().take(PHRASE_WORDS_MAX).map(|word| GRAMMAR.lexicon.read_word(word)).collect();
    ORDERING.iter().any(|class| GRAMMAR.lexicon.starts(class, &ids).is_some())
}

/// Whether a full stop behind a folded word only shortens it.
pub(crate) fn is_shortened(word: &str) -> bool {
    GRAMMAR.lexicon.is_phrase("shortened", &[GRAMMAR.lexicon.read_word(word)])
}

/// Whether a folded word is one that requests are worded with.
pub(crate) fn is_worded_with(word: &str) -> bool {
    GRAMMAR.lexicon.read_word(word) != WordId::UNKNOWN
}

/// What is to be done, when the whole message is one order: without its politeness, as a title.
pub fn order(text: &str, reference: &Reference) -> Option<String> {
    let text = own_words(text);
    let heard = AnnotatedText::new(&text, reference, GRAMMAR.lexicon);
    if sentences(&heard, &(0..heard.tokens.len())).len() != 1 {
        return None;
    }
    let live = heard.live(0..heard.tokens.len());
    let ids = heard.ids(0..heard.tokens.len());
    let lexicon = GRAMMAR.lexicon;
    let begins = matching::starts(lexicon, &ids).last().copied()?;
    // "Can you book me a flight?" is none.
    // "You're", "let's", "don't".
    let &first = live.get(begins)?;
    let tells = heard.typed(first).contains(['\'', '’']);
    let is_question = text.trim_end().ends_with('?') && begins == 0;
    let rest = &ids[begins..];
    if tells
        || is_question
        || !WORDS.contains(&rest.len())
        || NO_ORDER.iter().any(|class| lexicon.starts(class, rest).is_some())
    {
        return None;
    }
    let polite =
        (1..rest.len()).find(|at| ["tail", "detail"].iter().any(|class| lexicon.is_phrase(class, &rest[*at..])));
    let last = match polite {
        Some(at) => live[begins + at - 1],
        None => heard.tokens.iter().rposition(|token| token.mark == Mark::Word)?,
    };
    Some(title(&tidy(heard.raw(first, last))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::requests::tests::monday;

    #[test]
    fn an_order_is_kept_without_its_politeness() {
        for (text, kept) in [
            ("descale the kettle", "Descale the kettle"),
            ("please descale the kettle, thanks!", "Descale the kettle"),
            ("can you book me a flight?", "Book me a flight"),
            ("hey, translate the menu for us", "Translate the menu for us"),
        ] {
            assert_eq!(order(text, &monday()).as_deref(), Some(kept), "{text}");
        }
    }

    #[test]
    fn what_tells_or_asks_is_no_order() {
        for text in [
            "",
            "kettle",
            "the kettle is broken",
            "what is the capital of France?",
            "she descaled the kettle",
            "don't descale the kettle",
            "you're late again",
            "I like the kettle. It is red.",
            "my kettle",
            "descaled kettles?",
            "if i asked you to descale the kettle",
        ] {
            assert_eq!(order(text, &monday()), None, "{text}");
        }
    }
}
