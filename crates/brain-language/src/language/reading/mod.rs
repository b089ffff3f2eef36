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
mod payload;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use mood::Mood;
pub use payload::Payload;

use super::requests;
use super::time::{self, Reference, TimeMention};

/// Between what is denied and what is meant instead.
const CORRECTING: [char; 5] = [',', '-', '–', '—', ';'];

/// A message as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The person's own words, which all spans are bytes of.
    pub text: String,
    /// In the order in which they were said.
    pub clauses: Vec<Clause>,
    /// What its orders hand over, in order.
    pub payloads: Vec<Payload>,
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
        let mut read = Reading { clauses: cut.clauses, payloads: cut.payloads, mentions, text };
        read.heed_corrections(reference);
        read
    }

    /// What denies, and names another time behind a mark and nothing else, corrects a time: the denial is of what was
    /// said before, and the new time is asked for.
    fn heed_corrections(&mut self, reference: &Reference) {
        let corrects = |clause: &Clause| {
            let inside =
                |mention: &&TimeMention| clause.span.start <= mention.span.start && mention.span.end <= clause.span.end;
            let times: Vec<&TimeMention> = self.mentions.iter().filter(inside).collect();
            let Some(last) = times.last() else { return false };
            let is_set_apart = self.text[clause.span.start..last.span.start].trim_end().ends_with(CORRECTING)
                || self.text[last.span.clone()].contains(CORRECTING);
            let mut rest = self.text[clause.span.clone()].to_owned();
            for mention in times.iter().rev() {
                let at = mention.span.start - clause.span.start..mention.span.end - clause.span.start;
                rest.replace_range(at, " ");
            }
            // A time that is denied is no mention.
            let denied = mood::without_denials(&rest);
            is_set_apart && (denied.is_empty() || time::resolve(&denied, reference).is_some())
        };
        let corrected = |clause: &Clause| match clause.mood {
            Mood::Negation if corrects(clause) => Some(Mood::Fragment),
            Mood::Negation => self.meant_instead(clause),
            _ => None,
        };
        let corrected: Vec<Option<Mood>> = self.clauses.iter().map(corrected).collect();
        for (clause, mood) in self.clauses.iter_mut().zip(corrected) {
            clause.mood = mood.unwrap_or(clause.mood);
        }
    }

    /// The mood of what stands behind a no that is an answer, set apart by a mark.
    fn meant_instead(&self, clause: &Clause) -> Option<Mood> {
        let (answer, rest) = self.words(clause).split_once(CORRECTING)?;
        let only_denies = !answer.trim().is_empty() && mood::without_denials(answer).is_empty();
        let says_more = only_denies && !mood::without_denials(rest).is_empty();
        let mood = clauses::cut(rest).clauses.first().filter(|_| says_more)?.mood;
        (mood != Mood::Negation).then_some(mood)
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
