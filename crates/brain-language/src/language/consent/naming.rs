//! Reference to a card: which of several open cards does a message name?
//!
//! Purpose: a decision with a reference behind it. The words of a decision, when there are any, come first and are read
//! as those of a whole message are; what follows is an ordinal or words that stand on a card.
//!
//! Invariants: every word is accounted for: as part of the decision, as a frame around the name (`naming.txt`), or as
//! part of the name, which has to stand on the card ([`CardNaming::fits`]). A word that could turn the name around or
//! name more than one card makes the message no name. Deliberately absent: what the cards are, and slips of the finger:
//! a missed name costs one more question.

use super::{Consent, amends, read};
use crate::language::terms;
use brain_core::core::text::visible;

/// The words of the classes, one class a line; read where they stand.
const WORDS: &str = include_str!("../../../../../data/language/naming.txt");
/// A name is short.
const BYTES_MAX: usize = 160;
/// Words of the name itself; more are a sentence.
const NAME_WORDS_MAX: usize = 5;

/// A card that is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardNaming {
    /// What is said about it; `Other` when it is only named.
    pub said: Consent,
    /// The ordinal or the words that name it.
    pub which: CardName,
    /// Whether it can be nothing but the name of one of several things: a noun framed by an article and a pro-form.
    pub is_definite: bool,
}

/// How it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardName {
    /// By its place in a list, from 1.
    Place(usize),
    /// The last of a list.
    Last,
    /// By these words, as stems.
    Words(Vec<String>),
}

impl CardNaming {
    /// Whether all words of the name stand in a text about the card. A place fits no text.
    pub fn fits(&self, text: &str) -> bool {
        let CardName::Words(words) = &self.which else { return false };
        let known = terms::stems(&terms::fold(text));
        words.iter().all(|word| known.contains(word))
    }
}

/// A word of the message.
struct NamingWord {
    text: String,
    /// Punctuation parts it from the next one.
    parted: bool,
}

/// The card that a message names; `None` for a plain yes or no, and for everything else.
pub fn names(text: &str) -> Option<CardNaming> {
    let text = text.trim();
    let is_plain = text.len() <= BYTES_MAX
        && visible(text) == text
        && !text.contains(['?', '؟', '？', '\n', '"', '“', '”', '„', '«']);
    if !is_plain || read(text) != Consent::Other {
        return None;
    }
    let may_change = amends(text);
    let words: Vec<NamingWord> = text.split_whitespace().filter_map(word).collect();
    let (said, decision) = decision(&words);
    let parted = decision > 0 && words[decision - 1].parted;
    let mut name: Vec<&str> = words[decision..].iter().map(|word| word.text.as_str()).collect();

    let before = name.len();
    let mut is_framed = parted;
    while let [first, _, ..] = name.as_slice()
        && (is("article", first) || is("beside", first) || is("number", first))
    {
        is_framed |= !is("article", first);
        name.remove(0);
    }
    let has_article = name.len() < before;
    while let [_, .., last] = name.as_slice()
        && is("tail", last)
    {
        is_framed = true;
        name.pop();
    }
    if let [only] = name.as_slice()
        && let Some(which) = place(only)
    {
        // Without a comma a negation may be the abbreviation of a number; with one it may mean the other one.
        let is_doubtful = said == Consent::No && (parted || !is_framed);
        // A number behind a decision may be an hour, but not right below a list.
        return (!is_doubtful).then_some(CardNaming { said, which, is_definite: !may_change });
    }
    if may_change {
        return None;
    }
    let is_name = !name.is_empty() && name.len() <= NAME_WORDS_MAX && !name.iter().any(|word| is("turns", word));
    let stems: Vec<String> = name.iter().flat_map(|word| terms::stems(&terms::fold(word))).collect();
    if !is_name || stems.is_empty() {
        return None;
    }
    // An imperative with a bare noun asks for something new; with a framed noun it is about a card.
    let is_definite = is_framed && (said != Consent::Other || has_article || before > name.len());
    Some(CardNaming { said, which: CardName::Words(stems), is_definite })
}

fn word(typed: &str) -> Option<NamingWord> {
    let text = typed.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
    let text = text.strip_suffix("'s").unwrap_or(&text).to_owned();
    let is_emoji = text.is_empty() && !typed.is_ascii();
    let parted = typed.ends_with([',', '!', ':', ';', '-', '–', '—']) || is_emoji;
    let text = if is_emoji { typed.to_owned() } else { text };
    (!text.is_empty()).then_some(NamingWord { text, parted })
}

/// What the longest beginning decides, and how many words it has.
fn decision(words: &[NamingWord]) -> (Consent, usize) {
    let beginnings = (1..words.len()).rev().map(|end| {
        let beginning = words[..end].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        (read(&beginning), end)
    });
    let decides = |said: Consent| matches!(said, Consent::Yes | Consent::No);
    beginnings.into_iter().find(|(said, _)| decides(*said)).unwrap_or((Consent::Other, 0))
}

fn place(word: &str) -> Option<CardName> {
    if is("last", word) {
        return Some(CardName::Last);
    }
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse::<usize>().ok().filter(|number| is_number && *number > 0);
    number.or_else(|| (1..=5).find(|place| is(&place.to_string(), word))).map(CardName::Place)
}

fn is(class: &str, word: &str) -> bool {
    let lines = WORDS.lines().filter_map(|line| line.split_once(':'));
    lines.filter(|(name, _)| *name == class).any(|(_, words)| words.split(',').any(|known| known.trim() == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> CardName {
        CardName::Words(terms::stems(&terms::fold(name)))
    }

    #[track_caller]
    fn check(text: &str, said: Consent, which: CardName, is_definite: bool) {
        assert_eq!(names(text), Some(CardNaming { said, which, is_definite }), "{text}");
    }

    #[test]
    fn a_card_is_named_by_its_place() {
        for text in ["2", "2.", "#2", "number 2", "the second one", "second", "die zweite"] {
            check(text, Consent::Other, CardName::Place(2), true);
        }
        // Without a list some of these may change a card: a number may be an hour.
        for text in ["yes 2", "yes, 2", "yes, the second one", "ok, number 2", "ja, die zweite", "👍 2"] {
            let naming = names(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((naming.said, naming.which), (Consent::Yes, CardName::Place(2)), "{text}");
        }
        for (text, said, which) in
            [("no to the first", Consent::No, CardName::Place(1)), ("yes, the last one", Consent::Yes, CardName::Last)]
        {
            assert!(names(text).is_some_and(|naming| (naming.said, naming.which) == (said, which)), "{text}");
        }
    }

    #[test]
    fn a_card_is_named_by_words_that_stand_on_it() {
        for text in [
            "yes, the dentist one",
            "yes the dentist one",
            "yes, dentist",
            "yes to the dentist",
            "ja, die mit dem Dentist",
        ] {
            check(text, Consent::Yes, words("dentist"), true);
        }
        check("no, the dentist one", Consent::No, words("dentist"), true);
        check("cancel the dentist one", Consent::No, words("dentist"), true);
        check("the one to bob", Consent::Other, words("one to bob"), false);
        check("the dentist one", Consent::Other, words("dentist"), true);
        check("cancel the dentist", Consent::No, words("dentist"), false);
        let dentist = names("yes, the dentist's one").unwrap();
        assert!(dentist.fits("delete “Dentist” on Friday") && !dentist.fits("send “Late” to zoe@example.com"));
        assert!(!names("yes, the dentist plumber one").unwrap().fits("delete “Dentist”"));
    }

    #[test]
    fn what_decides_amends_asks_or_may_mean_several_names_no_card() {
        for text in [
            "yes",
            "no",
            "no 2",
            "no. 2",
            "no, 2",
            "yes, but not the dentist one",
            "yes, both",
            "all of them",
            "1 and 2",
            "yes, the dentist one?",
            "yes, but at 4pm",
            "yes, only the dentist one",
            "the first and the second",
            "“the dentist one”",
            "yes\nthe dentist one",
            "",
            "yes, send it to everyone in the company as well please",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
