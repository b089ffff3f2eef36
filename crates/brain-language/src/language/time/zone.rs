//! Zone conversion: local wall-clock time to an instant. Everyone who turns local times into instants uses this.

use chrono::{DateTime, Duration, MappedLocalTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;

/// How often a local time exists: once, never (clocks put forward), or twice (put back).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalInstant {
    Single(DateTime<Tz>),
    /// `next` is the first instant after the gap.
    Gap {
        next: DateTime<Tz>,
    },
    Overlap {
        first: DateTime<Tz>,
        second: DateTime<Tz>,
    },
}

impl LocalInstant {
    /// The same instants, shown in another zone.
    pub fn with_timezone(self, zone: Tz) -> LocalInstant {
        match self {
            LocalInstant::Single(at) => LocalInstant::Single(at.with_timezone(&zone)),
            LocalInstant::Gap { next } => LocalInstant::Gap { next: next.with_timezone(&zone) },
            LocalInstant::Overlap { first, second } => {
                LocalInstant::Overlap { first: first.with_timezone(&zone), second: second.with_timezone(&zone) }
            }
        }
    }

    /// The instant to use when nobody can be asked: after a gap, the first of two.
    pub fn earliest(self) -> DateTime<Tz> {
        match self {
            LocalInstant::Single(at) => at,
            LocalInstant::Gap { next } => next,
            LocalInstant::Overlap { first, .. } => first,
        }
    }
}

pub fn local_instant(zone: Tz, local: NaiveDateTime) -> LocalInstant {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(at) => LocalInstant::Single(at),
        MappedLocalTime::Ambiguous(a, b) => LocalInstant::Overlap { first: a.min(b), second: a.max(b) },
        MappedLocalTime::None => LocalInstant::Gap { next: after_gap(zone, local) },
    }
}

/// The end of the gap around `local`, found by halving: local time minus UTC jumps exactly there.
fn after_gap(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    // No zone was ever further than a day from UTC, and no gap is longer than a day.
    let around = local.and_utc();
    let bounds = (around.checked_sub_signed(Duration::days(2)), around.checked_add_signed(Duration::days(2)));
    let (Some(mut before), Some(mut after)) = bounds else {
        return around.with_timezone(&zone);
    };
    let is_after = |at: DateTime<Utc>| at.with_timezone(&zone).naive_local() > local;
    while after - before > Duration::seconds(1) {
        let middle = before + (after - before) / 2;
        if is_after(middle) { after = middle } else { before = middle }
    }
    // The bound is within a second above the change, and changes fall on whole seconds.
    let whole = DateTime::from_timestamp(after.timestamp(), 0).unwrap_or(after);
    let exact = if is_after(whole) { whole } else { after };
    exact.with_timezone(&zone)
}
