//! Suggestions: which phrases are nearest to what was said, by the words they share, the rarer the better.

use std::collections::{BTreeMap, BTreeSet};

use super::grounding::is_light;
use super::terms;

/// Shorter words say nothing of what is meant.
const LETTERS_MIN: usize = 3;

/// The nearest of the examples, at most `max`; where none has a word of the text, the first of them.
pub fn nearest<'e>(text: &str, examples: &[&'e str], max: usize) -> Vec<&'e str> {
    let mut order = by_words(text, examples);
    if order.is_empty() {
        order = (0..examples.len()).collect();
    }
    order.into_iter().take(max).map(|at| examples[at]).collect()
}

/// Which of these have a word of the text, the nearest first.
pub fn by_words(text: &str, examples: &[&str]) -> Vec<usize> {
    NearestIndex::of(examples.iter().map(|example| stems_of(example))).by_words(text)
}

/// The words of a text that say something, by their stems.
pub type Stems = BTreeSet<String>;

/// Texts by the words in them that say something, for whoever asks more than once.
#[derive(Debug, Default)]
pub struct NearestIndex {
    texts: usize,
    /// By each word, the places of the texts that have it.
    having: BTreeMap<String, Vec<usize>>,
}

impl NearestIndex {
    /// Of texts with these words.
    pub fn of(texts: impl Iterator<Item = Stems>) -> Self {
        let mut index = Self::default();
        for stems in texts {
            for stem in stems {
                index.having.entry(stem).or_default().push(index.texts);
            }
            index.texts += 1;
        }
        index
    }

    /// The places of those that have a word of this text, the nearest first.
    pub fn by_words(&self, text: &str) -> Vec<usize> {
        let mut scores = vec![0.0_f32; self.texts];
        for stem in stems_of(text) {
            for (found, likeness) in terms::matching(&stem, self.having.keys().map(String::as_str)) {
                let having = &self.having[&found];
                let telling = terms::telling(having.len(), self.texts);
                having.iter().for_each(|&at| scores[at] += likeness * telling);
            }
        }
        let mut order: Vec<usize> = (0..self.texts).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    }
}

/// The words of a text that say something.
pub fn stems_of(text: &str) -> Stems {
    let folded = terms::fold(text);
    let says_something = |word: &&str| word.chars().count() >= LETTERS_MIN && !is_light(word);
    terms::words_of(&folded).filter(says_something).map(terms::stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLES: [&str; 4] = [
        "Remind me to call mom tomorrow",
        "Add butter to the shopping list",
        "Delete the dentist task",
        "Show my notes",
    ];

    #[test]
    fn what_shares_rare_words_is_near() {
        assert_eq!(nearest("the dentits thing", &EXAMPLES, 1), ["Delete the dentist task"]);
        assert_eq!(nearest("shop for butter", &EXAMPLES, 3), ["Add butter to the shopping list"]);
    }

    #[test]
    fn what_shares_nothing_gets_the_first() {
        assert_eq!(nearest("xyzzy", &EXAMPLES, 2), EXAMPLES[..2]);
        assert_eq!(nearest("", &EXAMPLES, 2), EXAMPLES[..2]);
        assert!(nearest("xyzzy", &[], 2).is_empty());
    }
}
