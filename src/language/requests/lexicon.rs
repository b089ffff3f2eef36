//! Words, classes of words, and known misspellings, in place (see `compile` for how they get there).
//!
//! Not here: what is done with them. A word that occurs in no class and no frame is unknown; unknown words
//! are what titles, names and bodies are made of.

use std::collections::BTreeMap;

use crate::language::lexicon::{PhraseTable, Words};
use crate::language::tables::{Numbers, Rows, Sections};
use crate::language::words::distance;

/// A word of the frames or classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WordId(pub u32);

impl WordId {
    /// Any word the frames do not mention.
    pub const UNKNOWN: WordId = WordId(0);

    pub(super) fn of(number: usize) -> WordId {
        WordId(u32::try_from(number).unwrap_or_default())
    }

    fn place(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// A class by its place in the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClassId(pub(super) usize);

/// Everything the frames are written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexicon<'t> {
    words: Words<'t>,
    /// Words that came at run time; numbered behind the others.
    added: Words<'t>,
    class_names: Words<'t>,
    /// Meaning: the class. Words: numbers as in [`WordId`].
    classes: PhraseTable<'t>,
    misspelt: Words<'t>,
    /// What each misspelt word is read as.
    read_as: Rows<'t>,
}

/// Shorter words have too many neighbours to be corrected.
const TYPO_LETTERS_MIN: usize = 5;
/// Longer ones are no words.
const TYPO_LETTERS_MAX: usize = 20;

impl<'t> Lexicon<'t> {
    pub const fn read(sections: &mut Sections<'t>) -> Option<Self> {
        let (Some(words), Some(class_names)) = (Words::read(sections), Words::read(sections)) else { return None };
        let (Some(classes), Some(misspelt)) = (PhraseTable::read(sections), Words::read(sections)) else { return None };
        let Some(read_as) = Rows::read(sections) else { return None };
        Some(Lexicon { words, added: Words::NONE, class_names, classes, misspelt, read_as })
    }

    /// The same, with more words.
    pub(super) fn with(self, added: Words<'t>) -> Self {
        Lexicon { added, ..self }
    }

    /// A class that exists; `None` is a mistake in the data.
    pub fn class(self, name: &str) -> Option<ClassId> {
        self.class_names.find(name).map(ClassId)
    }

    /// What a known misspelling or contraction is read as.
    pub fn spelling(self, lower: &str) -> Option<impl Iterator<Item = WordId> + use<'t>> {
        let words: Numbers<'t> = self.read_as.row(self.misspelt.find(lower)?);
        Some(words.iter().map(WordId::of))
    }

    /// The word as it is written.
    pub(super) fn exact(self, lower: &str) -> Option<WordId> {
        let added = || self.added.find(lower).map(|place| self.words.len() + place);
        self.words.find(lower).or_else(added).map(|place| WordId::of(place + 1))
    }

    /// The word as it is written, or the only word one slip away from it.
    pub fn read_word(self, lower: &str) -> WordId {
        self.exact(lower).or_else(|| self.one_slip_away(lower)).unwrap_or(WordId::UNKNOWN)
    }

    fn one_slip_away(self, typed: &str) -> Option<WordId> {
        let may_be_corrected = (TYPO_LETTERS_MIN..=TYPO_LETTERS_MAX).contains(&typed.chars().count())
            && typed.chars().all(char::is_alphabetic);
        let first = typed.chars().next().filter(|_| may_be_corrected)?;
        let is_near = |word: &str| distance(typed, word, 1).is_some() && word.chars().count() >= TYPO_LETTERS_MIN;
        let added = self.added.beginning_with(first).map(|place| self.words.len() + place);
        let places = self.words.beginning_with(first).chain(added);
        let mut near = places.map(|place| WordId::of(place + 1)).filter(|id| is_near(self.word(*id)));
        let only = near.next()?;
        near.next().is_none().then_some(only)
    }

    /// How a word is written; nothing for those that are unknown.
    pub(super) fn word(self, id: WordId) -> &'t str {
        let Some(place) = id.place() else { return "" };
        match place.checked_sub(self.words.len()) {
            Some(added) => self.added.word(added),
            None => self.words.word(place),
        }
    }

    /// Numbers of words that phrases of the class take at the start of `ids`, longest first.
    pub fn lengths(self, class: ClassId, ids: &[WordId]) -> impl Iterator<Item = usize> {
        let first = ids.first().and_then(|first| first.place());
        let fits = move |rest: &Numbers| {
            ids.len() > rest.len() && rest.iter().zip(&ids[1..]).all(|(word, id)| word == id.0 as usize)
        };
        let phrases = first.into_iter().flat_map(move |first| self.classes.meaning(first, class.0));
        phrases.filter(fits).map(|rest| rest.len() + 1)
    }

    /// For each class the words, by their numbers, that a phrase of it may begin with.
    pub(super) fn first_words(self) -> BTreeMap<usize, Vec<usize>> {
        let mut of_classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for word in 0..self.words.len() {
            for (class, _) in self.classes.of(word) {
                of_classes.entry(class).or_default().push(word + 1);
            }
        }
        of_classes
    }

    /// True when the whole of `ids` is one phrase of the class.
    pub fn is_phrase(self, class: &str, ids: &[WordId]) -> bool {
        self.class(class).is_some_and(|class| self.lengths(class, ids).any(|len| len == ids.len()))
    }

    /// Where a phrase of the class stands inside `ids`: its place and length.
    pub fn find(self, class: &str, ids: &[WordId]) -> Option<(usize, usize)> {
        let class = self.class(class)?;
        (0..ids.len()).find_map(|at| self.lengths(class, &ids[at..]).next().map(|len| (at, len)))
    }

    /// The length of a phrase of the class at the start of `ids`.
    pub fn starts(self, class: &str, ids: &[WordId]) -> Option<usize> {
        self.class(class).and_then(|class| self.lengths(class, ids).next())
    }
}

/// A line that carries data: no comment, not blank.
pub(crate) fn is_data(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}
