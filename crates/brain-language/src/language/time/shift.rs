//! Shifts: how far something is moved, where it is known from when.

use std::ops::Range;

use chrono::DateTime;
use chrono_tz::Tz;

use super::grammar::{self, Direction, MovedBy};
use super::resolve;

/// A way from an old time to the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift(MovedBy);

/// The first length in a text by which something is moved, behind a verb or an adverb of moving.
pub fn shift_in(text: &str) -> Option<Shift> {
    grammar::moved_by(text).map(Shift)
}

/// The whole text as such a length with its direction.
pub fn shift(text: &str) -> Option<Shift> {
    let found = shift_in(text)?;
    let said = text.trim();
    let said = said.strip_prefix("by ").unwrap_or(said);
    found.in_words(text).eq_ignore_ascii_case(said).then_some(found)
}

impl Shift {
    /// Bytes of the length in its text.
    pub fn length(&self) -> Range<usize> {
        self.0.words.clone()
    }

    /// As [`shift`] reads it again.
    pub fn in_words(&self, text: &str) -> String {
        let length = text.get(self.length()).unwrap_or_default();
        match self.0.direction {
            Direction::Later => format!("{length} later"),
            Direction::Earlier => format!("{length} earlier"),
            Direction::Unclear => format!("{length} forward"),
        }
    }

    /// Whole days and more leave the hour as it is.
    pub fn is_of_days(&self) -> bool {
        self.0.span.is_calendar()
    }

    /// The new time; `None` if it is too far, or in one of two directions.
    pub fn from(&self, old: DateTime<Tz>) -> Option<DateTime<Tz>> {
        let known = self.0.direction != Direction::Unclear;
        known.then(|| resolve::moved(old, self.0.span).ok()).flatten()
    }
}
