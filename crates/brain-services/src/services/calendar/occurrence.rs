//! One time at which an event takes place. Not here: which there are (`occurrences`).

use chrono::{DateTime, Utc};

use crate::services::show::Moment;

/// One time at which an event takes place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Occurrence {
    /// When it begins.
    pub start: Moment,
    /// When it ends, as told to people.
    pub end: Option<Moment>,
    /// Its first instant.
    pub from: DateTime<Utc>,
    /// The first instant after it.
    pub to: DateTime<Utc>,
    /// Where the rule of its series puts it, even if it was moved from there.
    pub of: Moment,
}

impl Occurrence {
    /// True when some of it lies in `from..to`; something without length lies where it begins.
    pub fn overlaps(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> bool {
        self.from < to && (self.to > from || self.from >= from)
    }

    /// True when it takes whole days.
    pub fn is_whole_day(&self) -> bool {
        matches!(self.start, Moment::Day(_))
    }
}
