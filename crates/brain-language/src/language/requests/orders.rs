//! Orders that no command carries out: they can be kept as something to do.
//!
//! Not here: whether a command carries it out, and what keeping it means.

use std::ops::RangeInclusive;

use super::annotated::AnnotatedText;
use super::borders::sentences;
use super::grammar::GRAMMAR;
use super::lexicon::WordId;
use super::matching;
use super::reading::{tidy, title};
use super::text::{TokenMark, own_words};
use crate::language::time::Reference;

/// Verbs of what somebody does in the world.
const ERRANDS: [&str; 3] = ["errand", "deerrand", "ability"];
/// Verbs that our own commands are worded with.
const OURS: [&str; 12] =
    ["create", "add", "move", "cancel", "remind", "show", "send", "keeper", "reply", "forward", "archive", "tickoff"];
/// With what stands before it: an article and a modifier.
const THING_WORDS: usize = 3;
/// Stands before the name of a thing.
const BEFORE_THINGS: [&str; 3] = ["det", "dedet", "a"];
/// Points at what was said, names a kind of thing that is kept here, or ends the talk.
const HERE: [&str; 7] = ["pronoun", "person", "vague", "vaguebody", "ours", "partofours", "giveup"];
/// A word alone is a name, and whoever writes more than a title holds tells something.
const WORDS: RangeInclusive<usize> = 2..=20;

/// Whether folded words begin with a verb in the form of an order. Steps: the words of the longest phrase.
pub fn begins_as_order(words: &[&str]) -> bool {
    const PHRASE_WORDS_MAX: usize = 4;
    let ids: Vec<_> = words.iter().take(PHRASE_WORDS_MAX).map(|word| GRAMMAR.lexicon.read_word(word)).collect();
    let mut classes = ERRANDS[..2].iter().chain(&OURS).chain(&["assistantverb", "tellsomeone"]);
    classes.any(|class| GRAMMAR.lexicon.starts(class, &ids).is_some())
}

/// Whether a full stop behind a folded word only shortens it.
pub fn is_shortened(word: &str) -> bool {
    GRAMMAR.lexicon.is_phrase("shortened", &[GRAMMAR.lexicon.read_word(word)])
}

/// Whether a folded word is one that requests are worded with.
pub fn is_worded_with(word: &str) -> bool {
    GRAMMAR.lexicon.read_word(word) != WordId::UNKNOWN
}

/// What is to be done, when the whole message is one order: without its politeness, as a title.
pub fn order(text: &str, reference: &Reference) -> Option<String> {
    let text = own_words(text);
    let heard = AnnotatedText::new(&text, reference, GRAMMAR.lexicon);
    if sentences(&heard, &(0..heard.tokens.len())).len() != 1 {
        return None;
    }
    let (live, ids) = (heard.live(0..heard.tokens.len()), heard.ids(0..heard.tokens.len()));
    let lexicon = GRAMMAR.lexicon;
    let begins = matching::starts(lexicon, ids).last().copied()?;
    // A request in the form of a question is none.
    // Nor is what begins with a contraction.
    let &first = live.get(begins)?;
    let tells = heard.typed(first).contains(['\'', '’']);
    let is_question = text.trim_end().ends_with('?') && begins == 0;
    let rest = &ids[begins..];
    let polite =
        (1..rest.len()).find(|at| ["tail", "detail"].iter().any(|class| lexicon.is_phrase(class, &rest[*at..])));
    let said = &rest[..polite.unwrap_or(rest.len())];
    if tells || is_question || !WORDS.contains(&said.len()) || !is_of_the_world(said) {
        return None;
    }
    let last = match polite {
        Some(at) => live[begins + at - 1],
        None => heard.tokens.iter().rposition(|token| token.mark == TokenMark::Word)?,
    };
    Some(title(&tidy(heard.raw(first, last))))
}

/// Whether somebody is to do something in the world: by a verb of errands, or by one that nobody knows before the name
/// of a thing. A verb that our own commands are worded with as well needs a thing that nobody here knows.
fn is_of_the_world(ids: &[WordId]) -> bool {
    let longest = |classes: &[&str], ids| classes.iter().filter_map(|class| GRAMMAR.lexicon.starts(class, ids)).max();
    let verb = longest(&ERRANDS, ids);
    let thing = &ids[verb.unwrap_or(1).min(ids.len())..];
    let before = longest(&BEFORE_THINGS, thing);
    let is_unknown = || before.is_some() && thing.iter().take(THING_WORDS).any(|id| *id == WordId::UNKNOWN);
    let is_errand = match verb {
        Some(_) if longest(&OURS, ids).is_some() => is_unknown(),
        Some(_) => true,
        None => ids.first() == Some(&WordId::UNKNOWN) && before.is_some(),
    };
    is_errand && HERE.iter().all(|class| GRAMMAR.lexicon.find(class, ids).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::testing::monday;

    #[test]
    fn an_order_is_kept_without_its_politeness() {
        for (text, kept) in [
            ("descale the kettle", "Descale the kettle"),
            ("please descale the kettle, thanks!", "Descale the kettle"),
            ("can you book me a flight?", "Book me a flight"),
            ("hey, translate the menu for us", "Translate the menu for us"),
            ("change the light bulb", "Change the light bulb"),
            ("unclog the sink", "Unclog the sink"),
            ("ring the dentist", "Ring the dentist"),
            ("entkalke den Wasserkocher bitte", "Entkalke den Wasserkocher"),
        ] {
            assert_eq!(order(text, &monday()).as_deref(), Some(kept), "{text}");
        }
    }

    #[test]
    fn what_points_at_the_conversation_or_at_what_is_kept_here_is_no_order() {
        for text in [
            "Shorter please",
            "Send it",
            "To Anna instead",
            "Cc Anna on it",
            "say: hello there",
            "make it a bit friendlier",
            "change the subject to Boiler",
            "polish the draft",
            "stop reminding me",
            "do that again",
            "undo the last thing",
            "delete everything",
            "no no no",
            "forget it",
            "asdf qwer",
            "groceries blah blah",
            "read my mail",
            "Welcher Tag ist heute",
        ] {
            assert_eq!(order(text, &monday()), None, "{text}");
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
