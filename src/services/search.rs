//! Matching by description: how "the dentist thing" finds "Call the dentist".
//!
//! Texts are folded (compatibility forms, lower case, no diacritics), cut into words, stemmed. A word of the
//! query matches a word of an item when their stems are equal, when one begins the other, or, if nothing in
//! the whole collection does, when it looks like a typo of it (shared trigrams, or one edit). Rare words
//! count more than common ones; words that say nothing ("the", "thing") do not count at all.
//!
//! Two measures over one [`WordIndex`]: [`WordIndex::covered`], how much of a description an item covers (to find
//! *the one* that is meant), and [`WordIndex::bm25`], how relevant items are to a question (to list several).
//!
//! Deliberately not here: where items come from, recency, times in words.

use std::collections::{HashMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use crate::language::words;
use crate::limits::SEARCH_CHARS_MAX;

#[cfg(test)]
mod tests;

/// Words that only hold a sentence together.
const STOP: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for",
    "from", "had", "has", "have", "her", "his", "how", "i", "in", "into", "is", "it", "its", "know", "me", "mine",
    "my", "of", "off", "on", "or", "our", "please", "s", "that", "the", "their", "them", "there", "these", "this",
    "those", "to", "up", "was", "what", "when", "where", "which", "who", "with", "you", "your", "t", "ll", "re", "ve",
    "m", "d", "das", "der", "die", "ein", "eine", "mein", "meine", "el", "la", "le", "les", "los",
];

/// Words for *some item* or its place in time: they help when a title holds them and say nothing when it does not.
const VAGUE: &[&str] = &[
    "appointment",
    "coming",
    "entry",
    "event",
    "fact",
    "item",
    "last",
    "late",
    "list",
    "meeting",
    "next",
    "overdue",
    "memory",
    "note",
    "one",
    "reminder",
    "stuff",
    "task",
    "thing",
    "todo",
    "upcoming",
];

/// Words that ask for all there is.
const EVERYTHING: &[&str] =
    &["anything", "everything", "remember", "tell", "show", "else", "facts", "memories", "notes"];

/// What a match in the text of an item is worth beside one in its title.
const BODY: f32 = 0.6;
/// What the beginning of a word is worth beside the whole.
const PREFIX: f32 = 0.85;
/// Shortest beginning that counts.
const PREFIX_CHARS: usize = 3;
/// Shortest word that may be a typo.
const TYPO_CHARS: usize = 4;
/// Shared trigrams (Dice) from which a word may be a typo of another.
const TYPO_DICE: f32 = 0.45;
/// What a word that nothing matches weighs beside one that a single item matches: "call the plumber" must
/// not find "Call the dentist".
const UNKNOWN: f32 = 1.25;
/// From this on an item may be taken for the one that is meant.
pub const SURE: f32 = 0.55;
/// From this on it may be offered.
pub const PERHAPS: f32 = 0.3;
/// The score of an item that is called exactly what was asked for.
pub const EXACT: f32 = 2.0;

/// Compatibility forms, lower case, no diacritics, no control characters, apostrophes and underscores,
/// single spaces.
pub fn fold(text: &str) -> String {
    let separates = |c: char| c.is_control() || matches!(c, '_' | '\'');
    let plain: String = words::fold(text).chars().map(|c| if separates(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct WordQuery {
    folded: String,
    strong: Vec<String>,
    vague: Vec<String>,
    /// Emoji and punctuation alone.
    is_wordless: bool,
}

impl WordQuery {
    /// Reads a description or a question.
    pub fn new(text: &str) -> Self {
        let text: String = text.chars().take(SEARCH_CHARS_MAX).collect();
        let folded = fold(&text);
        let words: Vec<&str> = folded.unicode_words().collect();
        let telling: Vec<&str> = words.iter().copied().filter(|word| !STOP.contains(word)).collect();
        let stemmer = Stemmer::create(Algorithm::English);
        let is_wordless = words.is_empty();
        let (vague, strong): (Vec<&str>, Vec<&str>) =
            telling.into_iter().partition(|word| VAGUE.contains(&stemmer.stem(word).as_ref()) || VAGUE.contains(word));
        let stems = |words: Vec<&str>| -> Vec<String> {
            let mut seen = HashSet::new();
            let stemmed = words.into_iter().map(|word| stemmer.stem(word).into_owned());
            stemmed.filter(|stem| seen.insert(stem.clone())).collect()
        };
        Self { strong: stems(strong), vague: stems(vague), folded, is_wordless }
    }

    /// True when nothing in it could tell one item from another.
    pub fn is_vague(&self) -> bool {
        self.strong.is_empty()
    }

    /// True when it asks for all there is: "everything", "what do you know about me?", or nothing at all.
    pub fn is_for_everything(&self) -> bool {
        let says_nothing = |word: &str| [STOP, VAGUE, EVERYTHING].iter().any(|list| list.contains(&word));
        let mut words = self.folded.unicode_words().peekable();
        (words.peek().is_some() || self.folded.is_empty()) && words.all(says_nothing)
    }
}

#[derive(Debug)]
struct Doc {
    folded_title: String,
    title: Vec<String>,
    body: Vec<String>,
}

/// A collection that can be searched.
#[derive(Debug, Default)]
pub struct WordIndex {
    docs: Vec<Doc>,
    /// In how many items each stem occurs.
    frequency: HashMap<String, usize>,
}

impl WordIndex {
    /// Of titles and texts, in the caller's order.
    pub fn new<'a>(items: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        let stems = |folded: &str| -> Vec<String> {
            folded.unicode_words().map(|word| stemmer.stem(word).into_owned()).collect()
        };
        let mut index = Self::default();
        for (title, body) in items {
            let body: String = body.chars().take(SEARCH_CHARS_MAX).collect();
            let folded_title = fold(title);
            let doc = Doc { title: stems(&folded_title), body: stems(&fold(&body)), folded_title };
            for word in doc.title.iter().chain(&doc.body).collect::<HashSet<_>>() {
                *index.frequency.entry(word.clone()).or_default() += 1;
            }
            index.docs.push(doc);
        }
        index
    }

    /// How much of the description each item covers: 0 for nothing, up to 1, or [`EXACT`].
    pub fn covered(&self, query: &WordQuery) -> Vec<f32> {
        let strong: Vec<Sought> = query.strong.iter().map(|word| self.seek(word)).collect();
        let vague: Vec<Sought> = query.vague.iter().map(|word| self.seek(word)).collect();
        let score = |doc: &Doc| {
            if doc.folded_title == query.folded {
                return EXACT;
            }
            let says_something = query.is_wordless || !query.strong.is_empty();
            let inside = says_something && !query.folded.is_empty() && doc.folded_title.contains(&query.folded);
            let words = if strong.is_empty() {
                coverage(doc, &vague)
            } else {
                // Vague words only decide between items that the strong ones leave equal.
                coverage(doc, &strong) * 0.95 + coverage(doc, &vague) * 0.05
            };
            let score = if inside { words.max(0.8) } else { words };
            score * (0.85 + 0.15 * told(doc, &strong))
        };
        self.docs.iter().map(score).collect()
    }

    /// How relevant each item is to the question: 0 for not at all. Okapi BM25 (k1 = 1.2, b = 0.5).
    pub fn bm25(&self, query: &WordQuery) -> Vec<f32> {
        let words: Vec<Sought> = query.strong.iter().chain(query.vague.iter()).map(|word| self.seek(word)).collect();
        let total: usize = self.docs.iter().map(|doc| doc.title.len() + doc.body.len()).sum();
        let average = total as f32 / self.docs.len().max(1) as f32;
        let score = |doc: &Doc| -> f32 {
            let length = (doc.title.len() + doc.body.len()) as f32 / average.max(1.0);
            let one = |word: &Sought| {
                let sum = |words: &[String]| -> f32 { words.iter().filter_map(|w| word.matches.get(w)).sum() };
                let tf = sum(&doc.title) / BODY + sum(&doc.body);
                word.weight * tf * 2.2 / (tf + 1.2 * (0.5 + 0.5 * length))
            };
            words.iter().map(one).sum()
        };
        self.docs.iter().map(score).collect()
    }

    /// What a word of a query matches in this collection, and how much it says.
    fn seek(&self, word: &str) -> Sought {
        let mut matches: HashMap<String, f32> = HashMap::new();
        for known in self.frequency.keys() {
            if known == word {
                matches.insert(known.clone(), 1.0);
            } else if begins(word, known) || begins(known, word) {
                matches.insert(known.clone(), PREFIX);
            }
        }
        if matches.is_empty() && word.chars().count() >= TYPO_CHARS {
            for known in self.frequency.keys().filter(|known| known.chars().count() >= TYPO_CHARS) {
                if let Some(likeness) = typo(word, known) {
                    matches.insert(known.clone(), likeness);
                }
            }
        }
        let found: usize = matches.keys().filter_map(|known| self.frequency.get(known)).sum();
        let (all, found) = (self.docs.len() as f32, found as f32);
        let telling = |found: f32| (1.0 + (all - found.min(all) + 0.5) / (found + 0.5)).ln();
        let weight = if matches.is_empty() { telling(1.0) * UNKNOWN } else { telling(found) };
        Sought { matches, weight }
    }
}

/// A word of a query: what it matches, how well, and how much it says.
struct Sought {
    matches: HashMap<String, f32>,
    weight: f32,
}

impl Sought {
    fn quality(&self, doc: &Doc) -> f32 {
        let best =
            |words: &[String]| words.iter().filter_map(|word| self.matches.get(word)).copied().fold(0.0, f32::max);
        best(&doc.title).max(best(&doc.body) * BODY)
    }
}

fn coverage(doc: &Doc, words: &[Sought]) -> f32 {
    let all: f32 = words.iter().map(|word| word.weight).sum();
    let found: f32 = words.iter().map(|word| word.weight * word.quality(doc)).sum();
    if all > 0.0 { found / all } else { 0.0 }
}

/// How much of the title was told.
fn told(doc: &Doc, words: &[Sought]) -> f32 {
    let telling: Vec<&String> = doc.title.iter().filter(|word| !STOP.contains(&word.as_str())).collect();
    let found = telling.iter().filter(|word| words.iter().any(|w| w.matches.contains_key(**word)));
    found.count() as f32 / telling.len().max(1) as f32
}

fn begins(short: &str, long: &str) -> bool {
    short.chars().count() >= PREFIX_CHARS && long.starts_with(short)
}

/// How alike two words are, when one may be a misspelling of the other.
fn typo(a: &str, b: &str) -> Option<f32> {
    let dice = dice(a, b);
    // Hardly anybody mistypes the first letter, and "silk" is no milk.
    let slip = a.chars().next() == b.chars().next() && words::distance(a, b, 1).is_some();
    (slip || dice >= TYPO_DICE).then_some((dice * 0.9).max(0.7))
}

/// Shared trigrams of two words, with their ends marked: 0 for none, 1 for all.
fn dice(a: &str, b: &str) -> f32 {
    let trigrams = |word: &str| -> HashSet<[char; 3]> {
        let padded: Vec<char> = format!("  {word} ").chars().collect();
        padded.windows(3).map(|w| [w[0], w[1], w[2]]).collect()
    };
    let (a, b) = (trigrams(a), trigrams(b));
    2.0 * a.intersection(&b).count() as f32 / (a.len() + b.len()) as f32
}
