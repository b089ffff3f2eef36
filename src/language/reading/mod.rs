//! A message, read once: its words, its clauses with their moods, and the times that it names.
//!
//! ```text
//! text ─► words and marks ─► clauses (cut at stops, and where another mood begins) ─► Reading
//! ```
//!
//! Invariants: only the person's own words are read, without the lines that they quote; what stands in quotation marks
//! belongs to its clause and gives it no mood; every word belongs to exactly one clause; work is linear in the words.
//! Not here: which command is meant (`requests`), and whether a plan follows from what was said (`grounding`).

mod clauses;
mod mood;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use mood::Mood;

use super::requests;
use super::time::{self, Reference, TimeMention};

/// A message as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The person's own words, which all spans are bytes of.
    pub text: String,
    /// In the order in which they were said.
    pub clauses: Vec<Clause>,
    /// The times that are named outside quotation marks, in order.
    pub mentions: Vec<TimeMention>,
}

/// A stretch of a sentence with one mood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Bytes of the reading's text.
    pub span: Range<usize>,
    pub mood: Mood,
}

impl Reading {
    /// Reads a message; times are relative to `reference`.
    pub fn of(text: &str, reference: &Reference) -> Reading {
        let text = requests::own_words(text);
        let cut = clauses::cut(&text);
        let in_quotes = |span: &Range<usize>| cut.quoted.iter().any(|quoted| quoted.contains(&span.start));
        let mentions = time::find(&text, reference).into_iter().filter(|found| !in_quotes(&found.span)).collect();
        Reading { clauses: cut.clauses, mentions, text }
    }

    /// The words of a clause.
    pub fn words(&self, clause: &Clause) -> &str {
        self.text.get(clause.span.clone()).unwrap_or_default().trim()
    }

    /// Whether any clause is of one of these moods.
    pub fn has(&self, moods: &[Mood]) -> bool {
        self.clauses.iter().any(|clause| moods.contains(&clause.mood))
    }
}
