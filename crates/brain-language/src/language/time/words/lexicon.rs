//! The words of the languages, in place (see `compile` for how they get there).
//!
//! Another language is another file in `data/language/time` and a line in `compile`.

use super::compile;
use super::sense::Sense;
use super::token::TimeToken;
use crate::language::lexicon::{PhraseTable, Words};
use crate::language::tables::{MadeTables, Numbers, Rows, Sections};
use crate::language::words::distance;

/// Words shorter than this are never guessed from a typing error.
const TYPO_LETTERS_MIN: usize = 5;
/// ... and shorter words of time are never what was meant.
const MEANT_LETTERS_MIN: usize = 6;
/// From this length on, two errors are forgiven.
const TYPO_TWO_LETTERS_MIN: usize = 9;
/// Longer words are no typing errors.
const TYPO_LETTERS_MAX: usize = 20;

/// The words of one language.
#[derive(Debug, Clone, Copy)]
pub struct Lexicon<'t> {
    keys: Words<'t>,
    /// Longest first. Meaning: the place of the sense, doubled; odd when the phrase is weak.
    phrases: PhraseTable<'t>,
    senses: Rows<'t>,
    /// Of zones.
    names: Words<'t>,
    /// Words that are recognised with a typing error, the likelier first.
    forgiving: Numbers<'t>,
    /// Real words within one error of a word of time.
    not_typos: Words<'t>,
    /// Mixtures of digits and letters that are words: "2moro".
    mixed: Words<'t>,
    /// How the names of days end, in compounds.
    day_endings: Words<'t>,
    /// Is 5:30, without am or pm, always half past five in the morning?
    pub full_dial: bool,
}

/// One thing that the tokens from some place on may mean.
#[derive(Debug, Clone, Copy)]
pub struct Atom {
    pub sense: Sense,
    /// How many tokens it takes.
    pub len: usize,
    /// Also an ordinary word: needs company.
    pub weak: bool,
}

/// The first language wins a tie. Made when they are first needed.
pub static LEXICONS: MadeTables<[Lexicon<'static>; 2]> = MadeTables::new(compile::lexicons);

impl<'t> Lexicon<'t> {
    pub const fn read(from: &mut Sections<'t>) -> Option<Self> {
        let (Some(keys), Some(phrases)) = (Words::read(from), PhraseTable::read(from)) else { return None };
        let (Some(senses), Some(names)) = (Rows::read(from), Words::read(from)) else { return None };
        let (Some(forgiving), Some(not_typos)) = (Numbers::read(from), Words::read(from)) else { return None };
        let (Some(mixed), Some(day_endings)) = (Words::read(from), Words::read(from)) else { return None };
        let Some(full_dial) = from.next() else { return None };
        let full_dial = !full_dial.is_empty();
        Some(Lexicon { keys, phrases, senses, names, forgiving, not_typos, mixed, day_endings, full_dial })
    }

    #[cfg(test)]
    pub fn senses(&self) -> impl Iterator<Item = Option<Sense>> {
        (0..self.senses.len()).map(|at| Sense::read(self.senses.row(at), self.names))
    }

    pub fn is_mixed_word(&self, key: &str) -> bool {
        self.mixed.find(key).is_some()
    }

    /// May this word, which the table does not have, be the name of a day?
    pub fn ends_as_day(&self, key: &str) -> bool {
        let ends = |ending: &str| key.len() > ending.len() + 1 && key.ends_with(ending);
        (0..self.day_endings.len()).any(|at| ends(self.day_endings.word(at)))
    }

    /// Whether anything begins with this key; a misspelt word counts as the word that was meant.
    pub fn knows(&self, key: &str) -> bool {
        self.starting_with(key).next().is_some()
    }

    /// What may begin at a token, longest first.
    pub fn atoms_at(&self, tokens: &[TimeToken]) -> Vec<Atom> {
        let Some((first, following)) = tokens.split_first() else {
            return Vec::new();
        };
        let fits = |rest: &Numbers| {
            let mut both = rest.iter().zip(following);
            rest.len() <= following.len() && both.all(|(key, token)| self.keys.word(key) == token.key)
        };
        let fitting = self.starting_with(&first.key).filter(|(_, rest)| fits(rest));
        let atom = |(meaning, rest): (usize, Numbers)| {
            let sense = Sense::read(self.senses.row(meaning / 2), self.names)?;
            Some(Atom { sense, len: rest.len() + 1, weak: meaning % 2 == 1 })
        };
        fitting.filter_map(atom).collect()
    }

    fn starting_with(&self, key: &str) -> impl Iterator<Item = (usize, Numbers<'t>)> + use<'t> {
        let phrases = self.phrases;
        let exact = self.keys.find(key).filter(|at| phrases.of(*at).next().is_some());
        exact.or_else(|| self.meant_by(key)).into_iter().flat_map(move |at| phrases.of(at))
    }

    fn meant_by(&self, key: &str) -> Option<usize> {
        if !(TYPO_LETTERS_MIN..=TYPO_LETTERS_MAX).contains(&key.len()) || self.not_typos.find(key).is_some() {
            return None;
        }
        self.forgiving.iter().find(|at| {
            let word = self.keys.word(*at);
            let errors = if word.len() >= TYPO_TWO_LETTERS_MIN { 2 } else { 1 };
            word.len() >= MEANT_LETTERS_MIN
                && key.as_bytes().first() == word.as_bytes().first()
                && distance(key, word, errors).is_some()
        })
    }
}
