//! Consent: is this message a yes, a no, a request to wait, or something else?
//!
//! Purpose: read a bare answer to one open card without a model. A message is split into words and
//! marks (`text.rs`), each run of words is looked up in the phrase books of `data/language/consent/`
//! (`lexicon.rs`), and the *whole* message must be covered by phrases of one language (plus the words
//! all languages share). Its polarity is what every such covering agrees on.
//!
//! Invariants, each with a test:
//! - A word, mark or emoji that no phrase accounts for makes the message [`Consent::Other`].
//! - A yes needs a phrase that is a yes by itself; courtesy, thanks and 🙏 alone decide nothing.
//! - Words known to look like a decision without being one (a repeated yes, a negated imperative) undo it
//!   wherever they stand.
//! - What puts off, behind a yes or a no or alone, is [`Consent::Wait`], whatever else stands beside it, but for what
//!   says that things stay as they are.
//! - Yes beside no, in one language or between two ("yok": Turkish *no*, Indonesian *let's go*),
//!   is `Other`.
//! - Question marks, quotes, digits, links, line breaks, ellipses, letters of mixed scripts and
//!   hidden characters are never part of a decision.
//!
//! Deliberately absent: fuzzy matching, scores, models, and any knowledge of the card. A missed yes
//! costs one more tap; a false yes costs the user something that cannot be taken back.

mod amend;
mod compile;
mod leans;
mod lexicon;
mod naming;
mod spelling;
mod text;

#[cfg(test)]
mod tests;

use lexicon::{ConsentLexicon, LEXICON, Langs, PhraseMark, PhraseRole};

use crate::language::tables::MadeTables;

pub use naming::{CardName, CardNaming, names};

/// Makes the phrase books what they are looked up in, unless they are.
pub(super) fn ready() {
    MadeTables::force(&LEXICON);
}

/// What a whole message says to one open card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Consent {
    /// Do exactly what the card shows.
    Yes,
    /// Do not do it.
    No,
    /// Not now: decides nothing, and stops what has not begun.
    Wait,
    /// Anything else, including every doubt.
    Other,
}

/// Reads a whole message as an answer to the open card. Never panics; text longer than a short
/// answer is `Other` without being looked at.
pub fn read(text: &str) -> Consent {
    let read = whole(text);
    // Words that trail off decide nothing, but may put off.
    let unfinished = text.trim_end_matches(['.', '…', ' ']);
    let puts_off = read == Consent::Other && unfinished.len() < text.len() && whole(unfinished) == Consent::Wait;
    if puts_off { Consent::Wait } else { read }
}

fn whole(text: &str) -> Consent {
    let Some(words) = text::answer(text) else {
        return Consent::Other;
    };
    let lexicon = *LEXICON;
    let ids: Vec<Vec<u32>> = words.iter().map(|word| lexicon.ids(&word.text)).collect();
    if ids.iter().any(Vec::is_empty) {
        return Consent::Other;
    }
    let broken = |at: usize| words.get(at).is_some_and(|word| word.break_after);
    let vetoed = (0..ids.len())
        .flat_map(|start| lexicon.phrases_at(&ids, start, &broken))
        .filter(|(_, role, _)| matches!(role, PhraseRole::Other | PhraseRole::Joined))
        .fold(0, |all, (_, _, langs)| all | langs);
    cover(lexicon, &ids, &broken).last().map_or(Consent::Other, |coverings| agree(coverings, vetoed))
}

/// True when a message that is neither yes nor no asks to change the card in question: by a new value, an exception or
/// another field. False for yes, for no, and for messages about something else.
pub fn amends(text: &str) -> bool {
    amend::amends(text)
}

/// True when a message begins like a yes or a no, decision or not, whatever stands behind it.
pub fn leans(text: &str) -> bool {
    leans::leans(text)
}

/// What the phrases used so far amount to, as a set of `Mark`s (eight bits).
type MarkSet = usize;
/// For every set of marks, the languages in which some covering of the words so far has it.
type MarkReach = [Langs; PhraseMark::SETS];

/// All coverings of `words[..n]` for each `n`, as marks × languages. `ids` holds for each word the
/// lexicon words it may stand for; a phrase never crosses a place where `broken` is true.
fn cover(lexicon: ConsentLexicon, ids: &[Vec<u32>], broken: &dyn Fn(usize) -> bool) -> Vec<MarkReach> {
    let mut reach = vec![[0; PhraseMark::SETS]; ids.len() + 1];
    reach[0][0] = Langs::MAX;
    for start in 0..ids.len() {
        let here = reach[start];
        if here.iter().all(|langs| *langs == 0) {
            continue;
        }
        for (end, role, langs) in lexicon.phrases_at(ids, start, broken) {
            let Some(mark) = role.mark() else { continue };
            for (marks, known) in here.iter().enumerate() {
                reach[end][marks | mark] |= known & langs;
            }
        }
    }
    reach
}

/// The decision on which all languages that can read the whole message agree. A language that reads
/// yes and no in it, or holds some of its words for no decision at all (`vetoed`), disagrees.
fn agree(coverings: &MarkReach, vetoed: Langs) -> Consent {
    let (mut yes, mut no, mut wait, mut torn) = (0, 0, 0, 0);
    for (marks, langs) in coverings.iter().enumerate() {
        let stands_alone = marks & PhraseMark::ALONE != 0 && marks & (PhraseMark::YES | PhraseMark::NO) == 0;
        let two_actions = marks & PhraseMark::DO != 0 && marks & PhraseMark::ACT != 0;
        if stands_alone || two_actions || (langs & vetoed != 0 && marks != 0) {
            torn |= langs;
        } else if marks & PhraseMark::WAIT != 0 && keeps(marks) {
            no |= langs;
        } else if marks & PhraseMark::WAIT != 0 {
            wait |= langs;
        } else if says(marks, PhraseMark::YES, PhraseMark::NO | PhraseMark::NEEDS_NO | PhraseMark::ALONE) {
            yes |= langs;
        } else if says(marks, PhraseMark::NO, PhraseMark::YES | PhraseMark::NEEDS_YES | PhraseMark::ALONE) {
            no |= langs;
        }
    }
    let mixed = coverings.iter().enumerate().filter(|(marks, _)| marks & (PhraseMark::YES | PhraseMark::NO) != 0);
    torn |= mixed.fold(0, |all, (_, langs)| all | langs) & !(yes | no);
    match (yes != 0, no != 0) {
        (true, false) if torn | wait == 0 => Consent::Yes,
        (false, true) if torn & !wait == 0 => Consent::No,
        (true | false, true | false) if wait != 0 => Consent::Wait,
        (true | false, true | false) => Consent::Other,
    }
}

/// Whether things are to stay as they are, and nothing says yes.
fn keeps(marks: MarkSet) -> bool {
    let yes = PhraseMark::YES | PhraseMark::NEEDS_YES | PhraseMark::ALONE;
    marks & PhraseMark::KEEPS == PhraseMark::KEEPS && marks & yes == 0
}

fn says(marks: MarkSet, wanted: MarkSet, unwanted: MarkSet) -> bool {
    marks & wanted != 0 && marks & unwanted == 0
}

impl PhraseRole {
    /// What a phrase contributes to a covering; `None` for phrases that cover nothing.
    fn mark(self) -> Option<MarkSet> {
        match self {
            PhraseRole::Yes => Some(PhraseMark::YES),
            PhraseRole::No => Some(PhraseMark::NO),
            PhraseRole::Do => Some(PhraseMark::YES | PhraseMark::DO),
            PhraseRole::Act => Some(PhraseMark::NEEDS_YES | PhraseMark::ACT),
            PhraseRole::BesideYes => Some(PhraseMark::NEEDS_YES),
            PhraseRole::BesideNo => Some(PhraseMark::NEEDS_NO),
            PhraseRole::Keeps => Some(PhraseMark::KEEPS),
            PhraseRole::BesideEither => Some(0),
            PhraseRole::Wait => Some(PhraseMark::WAIT),
            PhraseRole::Alone => Some(PhraseMark::ALONE),
            PhraseRole::Other | PhraseRole::Joined => None,
            PhraseRole::But | PhraseRole::Change | PhraseRole::Instead => None,
        }
    }
}
