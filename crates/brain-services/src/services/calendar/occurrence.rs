//! One time at which an event takes place. Not here: which there are (`occurrences`).

use chrono::{DateTime, Utc};

use crate::services::contract::show::{self, Moment};
use brain_language::language::time::Reference;

/// One time at which an event takes place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Occurrence {
    /// When it begins.
    pub start: Moment,
    /// Where it ends, exclusive; `None`: at once, or with the day.
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

    /// When it ends, as told to people: of several whole days the last one.
    pub fn told_end(&self) -> Option<Moment> {
        self.end.map(last_of)
    }

    /// Its time, for the person.
    pub fn when(&self, reference: &Reference) -> String {
        let end = self.told_end().map(Moment::store);
        show::span(&self.start.store(), end.as_deref(), reference)
    }

    /// True when it takes whole days.
    pub fn is_whole_day(&self) -> bool {
        matches!(self.start, Moment::Day(_))
    }
}

/// An exclusive end as people say it: of whole days the last one.
pub(super) fn last_of(end: Moment) -> Moment {
    match end {
        Moment::Day(day) => Moment::Day(day.pred_opt().unwrap_or(day)),
        Moment::Instant(_) => end,
    }
}

/// The other way round, for what begins then: the last of its whole days is part of it.
pub(super) fn exclusive(start: Moment, end: Moment) -> Moment {
    match (start, end) {
        (Moment::Day(_), Moment::Day(day)) => Moment::Day(day.succ_opt().unwrap_or(day)),
        (_, end) => end,
    }
}
