//! Near-answers: does a message begin like an answer to the open card, without being one?
//!
//! Purpose: a yes with a remark behind it decides nothing, and is no small talk either: the card is shown again.
//! Invariant: of no consequence beyond that; what this says never decides a card.

use super::amend::{ids, words};
use super::lexicon::{LEXICON, PhraseRole};

/// A question of more words is asked for its answer.
const QUESTION_WORDS_MAX: usize = 3;

pub(super) fn leans(text: &str) -> bool {
    let (words, breaks) = words(text);
    let ids: Vec<Vec<u32>> = words.iter().map(|word| ids(*LEXICON, word)).collect();
    let broken = |at: usize| breaks.contains(&at);
    if text.contains(['?', '؟', '？']) && words.len() > QUESTION_WORDS_MAX {
        return false;
    }
    let decides = |role: PhraseRole| match role {
        PhraseRole::Yes
        | PhraseRole::No
        | PhraseRole::Do
        | PhraseRole::Act
        | PhraseRole::BesideYes
        | PhraseRole::BesideNo
        | PhraseRole::Keeps => true,
        PhraseRole::Wait | PhraseRole::Alone | PhraseRole::Other | PhraseRole::Joined => true,
        PhraseRole::BesideEither | PhraseRole::But | PhraseRole::Change | PhraseRole::Instead => false,
    };
    let first = LEXICON.phrases_at(&ids, 0, &broken);
    let behind_courtesy = first.iter().filter(|(_, role, _)| *role == PhraseRole::BesideEither).map(|(end, _, _)| *end);
    std::iter::once(0)
        .chain(behind_courtesy)
        .any(|at| LEXICON.phrases_at(&ids, at, &broken).iter().any(|(_, role, _)| decides(*role)))
}
