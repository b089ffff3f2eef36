//! Relevance: how well things fit a description in other words than their own.
//!
//! A description is read into words that tell things apart and words that say nothing. What they match in the whole
//! collection, and how much each of them says there, comes from the search index ([`Statistics`]); rare words count
//! more than common ones. What was found by it is measured here, so that the same thing is meant however it was found.
//!
//! Two measures: [`Fit::covered`], how much of a description a thing covers (to find *the one* that is meant), and
//! [`Fit::relevance`], how relevant things are to a question (to list several).
//!
//! Deliberately not here: where things come from, recency, times in words, and when two words are alike
//! ([`terms`]).

use std::collections::{HashMap, HashSet};

use brain_core::limits::SEARCH_CHARS_MAX;
use brain_core::ports::{Candidates, WordMatch};
use brain_language::language::terms;

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

/// What a match in the text of a thing is worth beside one in its title.
const BODY: f32 = 0.6;
/// What a word that nothing matches weighs beside one that a single thing matches: a shared verb alone must not find
/// another thing.
const UNKNOWN: f32 = 1.25;
/// From this on a thing may be taken for the one that is meant.
pub const SURE: f32 = 0.55;
/// From this on it may be offered.
pub const PERHAPS: f32 = 0.3;
/// The score of a thing that is called exactly what was asked for.
pub const EXACT: f32 = 2.0;

/// What is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct WordQuery {
    /// All of it.
    pub folded: String,
    /// Words that tell things apart, one of each stem.
    pub strong: Vec<String>,
    /// Words for *some thing*, one of each stem.
    pub vague: Vec<String>,
    /// Punctuation alone.
    is_wordless: bool,
}

impl WordQuery {
    /// Reads a description or a question.
    pub fn new(text: &str) -> Self {
        let text: String = text.chars().take(SEARCH_CHARS_MAX).collect();
        let folded = terms::fold(&text);
        let words: Vec<&str> = terms::words_of(&folded).collect();
        let telling: Vec<&str> = words.iter().copied().filter(|word| !STOP.contains(word)).collect();
        let is_wordless = words.is_empty();
        let is_vague = |word: &str| {
            let singular = word.strip_suffix('s').unwrap_or(word);
            VAGUE.contains(&terms::stem(word).as_str()) || VAGUE.contains(&word) || VAGUE.contains(&singular)
        };
        let (vague, strong): (Vec<&str>, Vec<&str>) = telling.into_iter().partition(|word| is_vague(word));
        let once = |words: Vec<&str>| -> Vec<String> {
            let mut seen = HashSet::new();
            words.into_iter().filter(|word| seen.insert(terms::stem(word))).map(str::to_owned).collect()
        };
        Self { strong: once(strong), vague: once(vague), folded, is_wordless }
    }

    /// True when nothing in it could tell one thing from another.
    pub fn is_vague(&self) -> bool {
        self.strong.is_empty()
    }

    /// True when it asks for all there is: by a quantifier, about the person, or by no word at all.
    pub fn is_for_everything(&self) -> bool {
        let says_nothing = |word: &str| [STOP, VAGUE, EVERYTHING].iter().any(|list| list.contains(&word));
        let mut words = terms::words_of(&self.folded).peekable();
        (words.peek().is_some() || self.folded.is_empty()) && words.all(says_nothing)
    }

    /// Its words that may tell things apart.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.strong.iter().chain(&self.vague)
    }
}

/// What words match in a whole collection.
#[derive(Debug, Default)]
pub struct Statistics {
    documents: usize,
    words: HashMap<String, WordMatch>,
}

impl Statistics {
    /// Adds what the index said of these words.
    pub fn add(&mut self, words: &[String], found: &Candidates) {
        self.documents = found.documents;
        for (word, matched) in words.iter().zip(&found.words) {
            self.words.insert(word.clone(), matched.clone());
        }
    }

    /// Of a word: the stem that it matches best; nothing when it matches none.
    pub fn best_stem(&self, word: &str) -> Option<&str> {
        let stems = &self.words.get(word)?.stems;
        stems.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(stem, _)| stem.as_str())
    }

    /// All stems that these words match.
    pub fn stems<'a>(&'a self, words: impl Iterator<Item = &'a String>) -> impl Iterator<Item = &'a str> {
        words.filter_map(|word| self.words.get(word)).flat_map(|word| word.stems.iter().map(|(stem, _)| stem.as_str()))
    }

    fn sought(&self, word: &String) -> QueryTerm {
        let (stems, found) = self.words.get(word).map_or((&[][..], 0), |word| (&word.stems, word.documents));
        let weight = match found {
            0 => terms::telling(1, self.documents) * UNKNOWN,
            found => terms::telling(found, self.documents),
        };
        QueryTerm { stems: stems.iter().cloned().collect(), weight }
    }
}

/// Something that was found, as words.
#[derive(Debug)]
pub struct WordedItem {
    folded_title: String,
    title: Vec<String>,
    body: Vec<String>,
}

impl WordedItem {
    /// Of its title and its text.
    pub fn new(title: &str, body: &str) -> Self {
        let folded_title = terms::fold(title);
        let title = terms::stems(&folded_title);
        Self { title, body: terms::stems(&terms::fold(body)), folded_title }
    }

    fn length(&self) -> f32 {
        (self.title.len() + self.body.len()) as f32
    }
}

/// A description beside the collection that it is about.
#[derive(Debug)]
pub struct Fit<'q> {
    query: &'q WordQuery,
    strong: Vec<QueryTerm>,
    vague: Vec<QueryTerm>,
}

impl<'q> Fit<'q> {
    /// Of a description whose words match this.
    pub fn new(query: &'q WordQuery, statistics: &Statistics) -> Self {
        let sought = |words: &[String]| words.iter().map(|word| statistics.sought(word)).collect();
        Self { strong: sought(&query.strong), vague: sought(&query.vague), query }
    }

    /// How much of the description a thing covers: 0 for nothing, up to 1, or [`EXACT`].
    pub fn covered(&self, item: &WordedItem) -> f32 {
        let Self { query, strong, vague } = self;
        if item.folded_title == query.folded {
            return EXACT;
        }
        let says_something = query.is_wordless || !query.strong.is_empty();
        let inside = says_something && !query.folded.is_empty() && item.folded_title.contains(&query.folded);
        let words = if strong.is_empty() {
            coverage(item, vague)
        } else {
            // Vague words only decide between things that the strong ones leave equal.
            coverage(item, strong) * 0.95 + coverage(item, vague) * 0.05
        };
        let score = if inside { words.max(0.8) } else { words };
        score * (0.85 + 0.15 * told(item, strong))
    }

    /// True when a thing holds everything that is asked for.
    pub fn is_whole(&self, item: &WordedItem) -> bool {
        let words = if self.strong.is_empty() { &self.vague } else { &self.strong };
        words.iter().all(|word| word.quality(item) > 0.0)
    }

    /// How relevant each of these is to the question: 0 for not at all. Okapi BM25 (k1 = 1.2, b = 0.5).
    pub fn relevance(&self, items: &[WordedItem]) -> Vec<f32> {
        let average = items.iter().map(WordedItem::length).sum::<f32>() / items.len().max(1) as f32;
        let score = |item: &WordedItem| -> f32 {
            let length = item.length() / average.max(1.0);
            let one = |word: &QueryTerm| {
                let sum = |words: &[String]| -> f32 { words.iter().filter_map(|w| word.stems.get(w)).sum() };
                let tf = sum(&item.title) / BODY + sum(&item.body);
                word.weight * tf * 2.2 / (tf + 1.2 * (0.5 + 0.5 * length))
            };
            self.strong.iter().chain(&self.vague).map(one).sum()
        };
        items.iter().map(score).collect()
    }
}

/// A word of a description: which stems it matches, how well, and how much it says.
#[derive(Debug)]
struct QueryTerm {
    stems: HashMap<String, f32>,
    weight: f32,
}

impl QueryTerm {
    fn quality(&self, item: &WordedItem) -> f32 {
        let best = |words: &[String]| words.iter().filter_map(|word| self.stems.get(word)).copied().fold(0.0, f32::max);
        best(&item.title).max(best(&item.body) * BODY)
    }
}

fn coverage(item: &WordedItem, words: &[QueryTerm]) -> f32 {
    let all: f32 = words.iter().map(|word| word.weight).sum();
    let found: f32 = words.iter().map(|word| word.weight * word.quality(item)).sum();
    if all > 0.0 { found / all } else { 0.0 }
}

/// How much of the title was told.
fn told(item: &WordedItem, words: &[QueryTerm]) -> f32 {
    let telling: Vec<&String> = item.title.iter().filter(|word| !STOP.contains(&word.as_str())).collect();
    let found = telling.iter().filter(|word| words.iter().any(|w| w.stems.contains_key(**word)));
    found.count() as f32 / telling.len().max(1) as f32
}
