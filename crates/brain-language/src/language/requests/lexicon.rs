//! Words, classes of words, and known misspellings.
//!
//! Not here: what is done with them. A word that occurs in no class and no frame is unknown; unknown words
//! are what titles, names and bodies are made of.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::language::words::distance;

/// A word of the frames or classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WordId(pub u32);

impl WordId {
    /// Any word the frames do not mention.
    pub const UNKNOWN: WordId = WordId(0);
}

/// A class by its place in the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassId(usize);

/// Words by how they are written, numbered as they come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Vocabulary {
    ids: BTreeMap<String, WordId>,
    /// How many of another vocabulary were numbered before.
    before: usize,
}

impl Vocabulary {
    /// The number of a word, which is one of them from now on.
    pub fn id(&mut self, word: &str) -> WordId {
        let next = WordId(u32::try_from(self.before + self.ids.len() + 1).unwrap_or_default());
        *self.ids.entry(word.to_owned()).or_insert(next)
    }

    fn beginning_with(&self, first: char) -> impl Iterator<Item = (&str, WordId)> {
        let from = self.ids.range(first.to_string()..);
        from.map(|(word, id)| (word.as_str(), *id)).take_while(move |(word, _)| word.starts_with(first))
    }
}

/// The words after the first of each phrase, the longer first, by that first one.
type PhraseTails = FxHashMap<WordId, Vec<Vec<WordId>>>;

/// Everything the frames are written with.
#[derive(Debug, Default)]
pub(super) struct KnownTerms {
    pub words: Vocabulary,
    names: FxHashMap<String, ClassId>,
    classes: Vec<PhraseTails>,
    /// What each misspelt word is read as.
    read_as: FxHashMap<String, Vec<WordId>>,
}

impl KnownTerms {
    /// Reads classes, a line `name: phrase, phrase` each, and spellings, `typed = read as`.
    pub fn read(classes: &str, spellings: &str, mistakes: &mut Vec<String>) -> KnownTerms {
        let mut known = KnownTerms::default();
        for (name, phrases) in rows(classes, ':', mistakes) {
            let next = ClassId(known.classes.len());
            let class = *known.names.entry(name.to_owned()).or_insert(next);
            known.classes.resize_with(known.names.len(), PhraseTails::default);
            for phrase in phrases.split(',') {
                let mut ids = phrase.split_whitespace().map(|word| known.words.id(word));
                let Some(first) = ids.next() else { continue };
                let rest = ids.collect();
                known.classes[class.0].entry(first).or_default().push(rest);
            }
        }
        for rests in known.classes.iter_mut().flat_map(FxHashMap::values_mut) {
            rests.sort_by_key(|rest| std::cmp::Reverse(rest.len()));
        }
        for (typed, meant) in rows(spellings, '=', mistakes) {
            let ids = meant.split_whitespace().map(|word| known.words.id(word)).collect();
            known.read_as.insert(typed.to_owned(), ids);
        }
        known
    }
}

fn rows<'t>(text: &'t str, mark: char, mistakes: &mut Vec<String>) -> Vec<(&'t str, &'t str)> {
    let row = |line: &'t str| line.split_once(mark).map(|(name, rest)| (name.trim(), rest)).ok_or(line);
    let (rows, wrong): (Vec<_>, Vec<_>) = text.lines().filter(|line| is_data(line)).map(row).partition(Result::is_ok);
    mistakes.extend(wrong.into_iter().filter_map(Result::err).map(|line| format!("no `{mark}`: {line}")));
    rows.into_iter().flatten().collect()
}

/// What is known, with the words that came at run time.
#[derive(Debug, Clone, Copy)]
pub struct RequestLexicon<'t> {
    known: &'t KnownTerms,
    added: &'t Vocabulary,
}

/// Shorter words have too many neighbours to be corrected.
const TYPO_LETTERS_MIN: usize = 5;
/// Longer ones are no words.
const TYPO_LETTERS_MAX: usize = 20;

impl<'t> RequestLexicon<'t> {
    pub(super) fn of(known: &'t KnownTerms) -> Self {
        const NONE: &Vocabulary = &Vocabulary { ids: BTreeMap::new(), before: 0 };
        RequestLexicon { known, added: NONE }
    }

    /// The same, with more words.
    pub(super) fn with(self, added: &'t Vocabulary) -> Self {
        RequestLexicon { added, ..self }
    }

    /// Words that come at run time are numbered behind its own.
    pub(super) fn more_words(self) -> Vocabulary {
        Vocabulary { before: self.known.words.ids.len(), ..Vocabulary::default() }
    }

    /// A class that exists; `None` is a mistake in the data.
    pub fn class(self, name: &str) -> Option<ClassId> {
        self.known.names.get(name).copied()
    }

    /// What a known misspelling or contraction is read as.
    pub fn spelling(self, lower: &str) -> Option<&'t [WordId]> {
        self.known.read_as.get(lower).map(Vec::as_slice)
    }

    /// The word as it is written.
    pub(super) fn exact(self, lower: &str) -> Option<WordId> {
        self.known.words.ids.get(lower).or_else(|| self.added.ids.get(lower)).copied()
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
        let words = self.known.words.beginning_with(first).chain(self.added.beginning_with(first));
        let mut near = words.filter(|(word, _)| is_near(word));
        let (_, only) = near.next()?;
        near.next().is_none().then_some(only)
    }

    /// Numbers of words that phrases of the class take at the start of `ids`, longest first.
    pub fn lengths(self, class: ClassId, ids: &[WordId]) -> impl Iterator<Item = usize> {
        let phrases = ids.split_first().and_then(|(first, rest)| Some((self.known.classes[class.0].get(first)?, rest)));
        let fits = |(phrases, said): (&'t Vec<Vec<WordId>>, _)| {
            phrases.iter().filter(move |rest| <[WordId]>::starts_with(said, rest)).map(|rest| rest.len() + 1)
        };
        phrases.into_iter().flat_map(fits)
    }

    /// The words that a phrase of the class may begin with.
    pub(super) fn first_words(self, class: ClassId) -> impl Iterator<Item = WordId> {
        self.known.classes[class.0].keys().copied()
    }

    /// Whether a phrase of the class begins with a word.
    pub fn begins(self, class: &str, first: WordId) -> bool {
        self.class(class).is_some_and(|class| self.known.classes[class.0].contains_key(&first))
    }

    /// Whether a word belongs to a class, spelled exactly so.
    pub fn has_word(self, class: &str, lower: &str) -> bool {
        self.exact(lower).is_some_and(|id| self.is_phrase(class, &[id]))
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
pub fn is_data(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('#')
}
