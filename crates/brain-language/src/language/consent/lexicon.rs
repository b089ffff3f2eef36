//! The phrase books of `data/language/consent/` as one graph over words, in place (see `compile`).
//!
//! Every phrase starting at a word is found in one walk. Invariants: the graph has no cycle; each end of a phrase
//! carries its role and the languages that know it.
//!
//! Deliberately absent: polarity of single words outside phrases, weights, and any reading of files
//! at run time: what a yes is belongs to the program, not to its configuration.

use super::compile;
use super::spelling::{fits, runs};
use crate::language::lexicon::Words;
use crate::language::tables::{MadeTables, Rows, Sections};

/// A set of languages, one bit a phrase book.
pub(super) type Langs = u32;

/// The number that stands for all languages in place of a book's.
pub(super) const SHARED: usize = 31;

/// Stands for any token that begins with a digit; only patterns of changes use it.
pub(super) const NUMBER: &str = "#";

/// What a phrase does in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PhraseRole {
    Yes,
    No,
    /// A yes that names the action of the card, as an imperative.
    Do,
    /// Fits a plain yes, not one that names an action: never two imperatives.
    Act,
    /// Fits a yes and decides nothing alone: agreement, praise.
    BesideYes,
    /// Fits a no and decides nothing alone: what gives the reason.
    BesideNo,
    /// Has things stay as they are: fits a no and decides nothing alone, but behind what puts off it is one.
    Keeps,
    /// Courtesy and address, of either polarity.
    BesideEither,
    /// Puts off. It decides nothing, and stops what has not begun.
    Wait,
    /// Would read as a decision and is none, punctuation or not: irony, repetition.
    Other,
    /// As `Other`, but only when no punctuation parts it: a conditional particle that is also a yes.
    Joined,
    /// No decision when it is all there is: a word on which two languages oppose.
    Alone,
    /// After a yes or no: what follows is a change. Conjunctions and prepositions.
    But,
    /// Opens a change: an imperative that waits for a new value.
    Change,
    /// Marks a change wherever it stands: an adverb of replacement.
    Instead,
}

const ROLES: [PhraseRole; 15] = [
    PhraseRole::Yes,
    PhraseRole::No,
    PhraseRole::Do,
    PhraseRole::Act,
    PhraseRole::BesideYes,
    PhraseRole::BesideNo,
    PhraseRole::Keeps,
    PhraseRole::BesideEither,
    PhraseRole::Wait,
    PhraseRole::Other,
    PhraseRole::Joined,
    PhraseRole::Alone,
    PhraseRole::But,
    PhraseRole::Change,
    PhraseRole::Instead,
];

/// Bits of what a covering has used; see `PhraseRole::mark`.
pub(super) struct PhraseMark;

impl PhraseMark {
    pub(super) const YES: usize = 1;
    pub(super) const NO: usize = 2;
    pub(super) const NEEDS_YES: usize = 4;
    pub(super) const NEEDS_NO: usize = 8;
    pub(super) const ALONE: usize = 16;
    pub(super) const DO: usize = 32;
    pub(super) const ACT: usize = 64;
    pub(super) const WAIT: usize = 128;
    /// What fits a plain yes needs one, so this stands for nothing else.
    pub(super) const KEEPS: usize = Self::NEEDS_NO | Self::ACT;
    /// How many sets of marks there are.
    pub(super) const SETS: usize = 256;
}

/// Where every phrase begins.
pub(super) const ROOT: usize = 0;

/// All phrase books together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConsentLexicon<'t> {
    /// Letters of the spellings, each run of a letter taken once.
    letters: Words<'t>,
    /// For each of these its spellings one behind the other: word, whether it is fixed, and the length of each run.
    spellings: Rows<'t>,
    /// For each node, sorted, the words that lead on from it, and where to.
    onward: Rows<'t>,
    to: Rows<'t>,
    /// For each node the phrases that end there: role and book, in turn.
    ends: Rows<'t>,
}

/// The books in use, made when they are first needed.
pub(super) static LEXICON: MadeTables<ConsentLexicon<'static>> = MadeTables::new(compile::lexicon);

impl<'t> ConsentLexicon<'t> {
    pub(super) const fn read(bytes: &'t [u8]) -> Option<Self> {
        let mut from = Sections(bytes);
        let (Some(letters), Some(spellings)) = (Words::read(&mut from), Rows::read(&mut from)) else { return None };
        let (Some(onward), Some(to)) = (Rows::read(&mut from), Rows::read(&mut from)) else { return None };
        let Some(ends) = Rows::read(&mut from) else { return None };
        Some(ConsentLexicon { letters, spellings, onward, to, ends })
    }

    /// The words of the books that `text` may stand for: spelled the same, or with letters drawn out.
    pub(super) fn ids(self, text: &str) -> Vec<u32> {
        let (letters, drawn) = runs(text);
        let Some(at) = self.letters.find(&letters) else {
            return Vec::new();
        };
        let row: Vec<usize> = self.spellings.row(at).iter().collect();
        let spelled = |spelling: &[usize]| match spelling {
            [word, fixed, runs @ ..] if fits(&drawn, runs, *fixed != 0) => u32::try_from(*word).ok(),
            _ => None,
        };
        let mut ids: Vec<u32> = row.chunks(2 + drawn.len()).filter_map(spelled).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The nodes that a word leads to.
    fn step(self, node: usize, word: u32) -> impl Iterator<Item = usize> + use<'t> {
        let (words, to) = (self.onward.row(node), self.to.row(node));
        let first = words.lower_bound(0..words.len(), word as usize);
        let same = (first..words.len()).take_while(move |at| words.get(*at) == Some(word as usize));
        same.filter_map(move |at| to.get(at))
    }

    /// The phrases that end at a node: role, and the languages that know it.
    fn ends_at(self, node: usize) -> impl Iterator<Item = (PhraseRole, Langs)> {
        let ends = self.ends.row(node);
        let langs = |book: usize| if book == SHARED { Langs::MAX } else { 1 << book };
        let end = move |at| Some((*ROLES.get(ends.get(at)?)?, langs(ends.get(at + 1)?)));
        (0..ends.len()).step_by(2).filter_map(end)
    }

    /// Every phrase that begins at word `start`: where it ends, its role, the languages knowing it.
    /// Punctuation ends a phrase, except one that is no decision with punctuation either.
    pub(super) fn phrases_at(
        self,
        ids: &[Vec<u32>],
        start: usize,
        broken: &dyn Fn(usize) -> bool,
    ) -> Vec<(usize, PhraseRole, Langs)> {
        let mut found = Vec::new();
        let mut nodes = vec![ROOT];
        let mut crossed = false;
        for (at, words) in ids.iter().enumerate().skip(start) {
            let onward = |node: usize| words.iter().flat_map(move |word| self.step(node, *word));
            nodes = nodes.into_iter().flat_map(onward).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for (role, langs) in nodes.iter().flat_map(|node| self.ends_at(*node)) {
                if !crossed || role == PhraseRole::Other {
                    found.push((at + 1, role, langs));
                }
            }
            crossed |= broken(at);
            if nodes.is_empty() {
                break;
            }
        }
        found
    }
}
