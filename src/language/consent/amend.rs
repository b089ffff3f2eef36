//! Does a message that is neither yes nor no ask to change the open card?
//!
//! Purpose: "yes, but at 4pm" must not wait beside the card it changes; it goes to the planner with
//! the card as context. The phrases are those marked `but`, `change` and `instead` in the books.
//!
//! Invariant: never true for a yes or a no. Deliberately absent: understanding of *what* changes —
//! that is the planner's work. A miss costs a sentence more; so unrelated messages win in doubt.

use super::lexicon::{LEXICON, Lexicon, NUMBER, Role};
use super::{Consent, cover};

/// Longest message that can be a change to a card, in bytes.
const BYTES_MAX: usize = 2_000;
/// Words looked at; a change names itself at the beginning.
const WORDS_MAX: usize = 24;

pub(super) fn amends(text: &str) -> bool {
    if text.len() > BYTES_MAX || super::read(text) != Consent::Other {
        return false;
    }
    let lexicon = LEXICON;
    let (words, breaks) = words(text);
    let ids: Vec<Vec<u32>> = words.iter().map(|word| ids(lexicon, word)).collect();
    let broken = |at: usize| breaks.contains(&at);
    let reach = cover(lexicon, &ids, &broken);
    (0..ids.len()).any(|at| {
        let opened = reach[at].iter().any(|langs| *langs != 0);
        let answered = reach[at].iter().skip(1).any(|langs| *langs != 0);
        lexicon.phrases_at(&ids, at, &broken).iter().any(|(_, role, _)| match role {
            Role::But => answered,
            Role::Change => opened,
            Role::Instead => true,
            Role::Yes | Role::No | Role::Do | Role::Act | Role::Other | Role::Joined | Role::Alone => false,
            Role::BesideYes | Role::BesideNo | Role::BesideEither => false,
        })
    })
}

/// Words of any writing, lowercase, and the indexes after which punctuation stands.
fn words(text: &str) -> (Vec<String>, Vec<usize>) {
    let (mut words, mut breaks) = (Vec::new(), Vec::new());
    for piece in text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—')) {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’') || is_sign(c);
        let word: String = piece.chars().filter(|c| inner(*c)).collect();
        if !word.is_empty() {
            words.push(word.to_lowercase().replace('’', "'"));
        }
        if words.len() == WORDS_MAX {
            break;
        }
        if piece.ends_with([',', '.', '!', ';', ':', '،', '।']) && !words.is_empty() {
            breaks.push(words.len() - 1);
        }
    }
    (words, breaks)
}

/// Vowel signs and accents that are part of a word though not letters themselves.
fn is_sign(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}')
}

fn ids(lexicon: Lexicon, word: &str) -> Vec<u32> {
    if word.starts_with(|c: char| c.is_numeric()) {
        return lexicon.ids(NUMBER);
    }
    lexicon.ids(word)
}
