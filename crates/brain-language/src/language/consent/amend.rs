//! Amendment: does a message that is neither yes nor no ask to change the open card?
//!
//! Purpose: a yes with a change behind it must not wait beside the card it changes; it goes to the planner with the
//! card as context. The phrases are those marked `but`, `change` and `instead` in the books.
//!
//! Invariant: never true for a yes or a no. Deliberately absent: understanding of *what* changes —
//! that is the planner's work. A miss costs a sentence more; so unrelated messages win in doubt.

use super::lexicon::{ConsentLexicon, LEXICON, NUMBER, PhraseRole};
use super::{Consent, cover};
use crate::language::tokens::{Cut, WordRules, cut, is_accent, lower};

/// Longest message that can be a change to a card, in bytes.
const BYTES_MAX: usize = 2_000;
/// Words looked at; a change names itself at the beginning.
const WORDS_MAX: usize = 24;
/// With the marks between them.
const TOKENS_MAX: usize = 400;

pub(super) fn amends(text: &str) -> bool {
    if text.len() > BYTES_MAX || super::read(text) != Consent::Other {
        return false;
    }
    let lexicon = *LEXICON;
    let (words, breaks) = words(text);
    let ids: Vec<Vec<u32>> = words.iter().map(|word| ids(lexicon, word)).collect();
    let broken = |at: usize| breaks.contains(&at);
    let reach = cover(lexicon, &ids, &broken);
    (0..ids.len()).any(|at| {
        let opened = reach[at].iter().any(|langs| *langs != 0);
        let answered = reach[at].iter().skip(1).any(|langs| *langs != 0);
        lexicon.phrases_at(&ids, at, &broken).iter().any(|(_, role, _)| match role {
            PhraseRole::But => answered,
            PhraseRole::Change => opened,
            PhraseRole::Instead => true,
            PhraseRole::Yes
            | PhraseRole::No
            | PhraseRole::Do
            | PhraseRole::Act
            | PhraseRole::Other
            | PhraseRole::Joined
            | PhraseRole::Alone => false,
            PhraseRole::BesideYes
            | PhraseRole::BesideNo
            | PhraseRole::Keeps
            | PhraseRole::BesideEither
            | PhraseRole::Wait => false,
        })
    })
}

/// A word is what lies between spaces and dashes; one mark in the middle of it, seen or not, is left out.
const RULES: WordRules =
    WordRules { is_word, joins: |_, c, after| !is_space(c) && is_word(after), whole: |_| 0, is_space };

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’') || is_accent(c)
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '–' | '—')
}

/// Words of any writing, lowercase, and the indexes after which punctuation stands.
pub(super) fn words(text: &str) -> (Vec<String>, Vec<usize>) {
    let (mut words, mut breaks) = (Vec::new(), Vec::new());
    let cuts = cut(text, TOKENS_MAX, &RULES);
    for (at, Cut { span, is_word: word, .. }) in cuts.iter().enumerate() {
        let typed = &text[span.clone()];
        if *word {
            words.push(lower(&typed.chars().filter(|c| is_word(*c)).collect::<String>()));
            if words.len() == WORDS_MAX {
                break;
            }
            continue;
        }
        let ends = cuts.get(at + 1).is_none_or(|next| next.spaced);
        if ends && !words.is_empty() && matches!(typed, "," | "." | "!" | ";" | ":" | "،" | "।") {
            breaks.push(words.len() - 1);
        }
    }
    (words, breaks)
}

pub(super) fn ids(lexicon: ConsentLexicon<'static>, word: &str) -> Vec<u32> {
    if word.starts_with(|c: char| c.is_numeric()) {
        return lexicon.ids(NUMBER);
    }
    lexicon.ids(word)
}
