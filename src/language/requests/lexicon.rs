//! Words, classes of words, and known misspellings, read once from `data/language/requests`.
//!
//! Not here: what is done with them. A word that occurs in no class and no frame is unknown; unknown words
//! are what titles, names and bodies are made of.

use rustc_hash::FxHashMap;

/// A word of the frames or classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WordId(pub u32);

impl WordId {
    /// Any word the frames do not mention.
    pub const UNKNOWN: WordId = WordId(0);
}

/// A class by its place in the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClassId(usize);

/// Phrases of a class by their first word, longest first; each entry holds the words after the first.
type Phrases = FxHashMap<WordId, Vec<Vec<WordId>>>;

/// Everything the frames are written with.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    words: FxHashMap<String, WordId>,
    class_names: FxHashMap<String, ClassId>,
    classes: Vec<Phrases>,
    spellings: FxHashMap<String, Vec<WordId>>,
    /// A word, whole or with one letter left out → the words it may have been.
    shortened: FxHashMap<String, Vec<String>>,
}

/// Shorter words have too many neighbours to be corrected.
const TYPO_LETTERS_MIN: usize = 5;

impl Lexicon {
    /// Reads classes (`name: phrase, phrase`) and spellings (`typed = read as`). Lines that are neither are
    /// skipped; a test checks that there are none.
    pub fn new(classes: &str, spellings: &str) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for line in data_lines(classes) {
            let Some((name, phrases)) = line.split_once(':') else {
                continue;
            };
            let class = lexicon.class_to_write(name.trim());
            for phrase in phrases.split(',').map(str::trim).filter(|p| !p.is_empty()) {
                lexicon.add_phrase(class, phrase);
            }
        }
        for phrases in lexicon.classes.iter_mut().flat_map(FxHashMap::values_mut) {
            phrases.sort_by_key(|rest| std::cmp::Reverse(rest.len()));
        }
        for line in data_lines(spellings) {
            let Some((typed, read)) = line.split_once('=') else {
                continue;
            };
            let read = read.split_whitespace().map(|w| lexicon.intern(w)).collect();
            lexicon.spellings.insert(typed.trim().to_owned(), read);
        }
        lexicon
    }

    fn class_to_write(&mut self, name: &str) -> ClassId {
        if let Some(&id) = self.class_names.get(name) {
            return id;
        }
        let id = ClassId(self.classes.len());
        self.classes.push(Phrases::default());
        self.class_names.insert(name.to_owned(), id);
        id
    }

    fn add_phrase(&mut self, class: ClassId, phrase: &str) {
        let mut ids = phrase.split_whitespace().map(|w| self.intern(w)).collect::<Vec<_>>().into_iter();
        let Some(first) = ids.next() else { return };
        if let Some(phrases) = self.classes.get_mut(class.0) {
            phrases.entry(first).or_default().push(ids.collect());
        }
    }

    /// The id of a word, new if need be. Long words become targets of typo correction.
    pub fn intern(&mut self, word: &str) -> WordId {
        if let Some(&id) = self.words.get(word) {
            return id;
        }
        let id = WordId(self.words.len() as u32 + 1);
        self.words.insert(word.to_owned(), id);
        if word.chars().count() >= TYPO_LETTERS_MIN {
            for key in one_shorter(word).chain(std::iter::once(word.to_owned())) {
                self.shortened.entry(key).or_default().push(word.to_owned());
            }
        }
        id
    }

    /// A class that exists; `None` is a mistake in the data.
    pub fn class(&self, name: &str) -> Option<ClassId> {
        self.class_names.get(name).copied()
    }

    /// What a known misspelling or contraction is read as.
    pub fn spelling(&self, lower: &str) -> Option<&[WordId]> {
        self.spellings.get(lower).map(Vec::as_slice)
    }

    /// The word as it is written, or the only word one slip away from it.
    pub fn read_word(&self, lower: &str) -> WordId {
        if let Some(&id) = self.words.get(lower) {
            return id;
        }
        let letters = lower.chars().count();
        if !(TYPO_LETTERS_MIN..=20).contains(&letters) || !lower.chars().all(char::is_alphabetic) {
            return WordId::UNKNOWN;
        }
        self.one_slip_away(lower).unwrap_or(WordId::UNKNOWN)
    }

    fn one_slip_away(&self, typed: &str) -> Option<WordId> {
        let mut found: Option<&str> = None;
        let candidates = one_shorter(typed)
            .chain(std::iter::once(typed.to_owned()))
            .filter_map(|key| self.shortened.get(&key))
            .flatten();
        for word in candidates {
            if word.chars().next() != typed.chars().next() || !is_one_slip(typed, word) {
                continue;
            }
            match found {
                Some(other) if other != word => return None,
                Some(_) | None => found = Some(word),
            }
        }
        found.and_then(|word| self.words.get(word).copied())
    }

    /// Numbers of words that phrases of the class take at the start of `ids`, longest first.
    pub fn lengths<'a>(&'a self, class: ClassId, ids: &'a [WordId]) -> impl Iterator<Item = usize> + 'a {
        let phrases = ids.first().and_then(|first| self.classes.get(class.0)?.get(first));
        phrases.into_iter().flatten().filter(|rest| ids[1..].starts_with(rest)).map(|rest| rest.len() + 1)
    }

    /// Words that a phrase of this class may begin with.
    pub fn first_words(&self, class: ClassId) -> impl Iterator<Item = WordId> + '_ {
        self.classes.get(class.0).into_iter().flat_map(FxHashMap::keys).copied()
    }

    /// True when the whole of `ids` is one phrase of the class.
    pub fn is_phrase(&self, class: &str, ids: &[WordId]) -> bool {
        self.class(class).is_some_and(|class| self.lengths(class, ids).any(|len| len == ids.len()))
    }

    /// Where a phrase of the class stands inside `ids`: its place and length.
    pub fn find(&self, class: &str, ids: &[WordId]) -> Option<(usize, usize)> {
        let class = self.class(class)?;
        (0..ids.len()).find_map(|at| self.lengths(class, &ids[at..]).next().map(|len| (at, len)))
    }

    /// The length of a phrase of the class at the start of `ids`.
    pub fn starts(&self, class: &str, ids: &[WordId]) -> Option<usize> {
        self.class(class).and_then(|class| self.lengths(class, ids).next())
    }
}

/// Lines that carry data: no comments, no blank lines.
pub(crate) fn data_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

fn one_shorter(word: &str) -> impl Iterator<Item = String> + '_ {
    word.char_indices().map(|(at, c)| {
        let mut short = String::with_capacity(word.len());
        short.push_str(&word[..at]);
        short.push_str(&word[at + c.len_utf8()..]);
        short
    })
}

/// One letter too many, too few, wrong, or two neighbours swapped.
fn is_one_slip(typed: &str, word: &str) -> bool {
    let a: Vec<char> = typed.chars().collect();
    let b: Vec<char> = word.chars().collect();
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..], &b[head..]);
    match a.len().abs_diff(b.len()) {
        0 => a.get(1..) == b.get(1..) || (a.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..]),
        1 if a.len() > b.len() => a[1..] == *b,
        1 => b[1..] == *a,
        _ => false,
    }
}
