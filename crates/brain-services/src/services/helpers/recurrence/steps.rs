//! Occurrences one after the other: by elapsed time, and instants of local times in order.

use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use chrono_tz::Tz;

use crate::services::contract::show::Moment;
use brain_core::limits::RECURRENCE_STEPS_MAX;

/// `first`, `first + step`, …, leaving out what lies far before `near`.
pub(super) fn elapsed(
    first: DateTime<Tz>,
    step: Duration,
    near: DateTime<Utc>,
    count: Option<u32>,
) -> impl Iterator<Item = Moment> {
    // The one at `near` itself may be the first that counts, and the one before it the last.
    let skip = ((near - first.to_utc()).num_seconds() / step.num_seconds().max(1) - 1).max(0);
    let end = count.map_or(i64::MAX, i64::from).min(skip.saturating_add(RECURRENCE_STEPS_MAX as i64));
    (skip..end).map_while(move |n| {
        let ahead = Duration::try_seconds(step.num_seconds().checked_mul(n)?)?;
        first.checked_add_signed(ahead).map(Moment::Instant)
    })
}

/// The instants of local times that come in order. Those in a gap lie behind it, among later ones: they wait until one
/// outside of it has come. An instant comes once.
pub(super) fn in_order(
    locals: impl Iterator<Item = NaiveDateTime>,
    zone: Tz,
    read: LocalReading,
) -> impl Iterator<Item = DateTime<Tz>> {
    InstantOrder { locals: locals.fuse(), zone, read, waiting: Vec::new(), reached: None, last: None }
}

/// How a local time is read: its instant, and whether later ones may come before it.
pub(super) type LocalReading = fn(Tz, NaiveDateTime) -> (DateTime<Tz>, bool);

struct InstantOrder<I> {
    locals: std::iter::Fuse<I>,
    zone: Tz,
    read: LocalReading,
    /// In order; at most what a gap holds.
    waiting: Vec<DateTime<Tz>>,
    /// Nothing before this one comes any more.
    reached: Option<DateTime<Tz>>,
    last: Option<DateTime<Tz>>,
}

impl<I: Iterator<Item = NaiveDateTime>> InstantOrder<I> {
    /// The next one, perhaps the last one again.
    fn step(&mut self) -> Option<DateTime<Tz>> {
        while self.waiting.first().is_none_or(|at| Some(*at) > self.reached) {
            let Some(local) = self.locals.next() else {
                return (!self.waiting.is_empty()).then(|| self.waiting.remove(0));
            };
            let (at, in_gap) = (self.read)(self.zone, local);
            if !in_gap && self.waiting.is_empty() {
                return Some(at);
            }
            self.reached = Some(at).filter(|_| !in_gap).or(self.reached);
            self.waiting.insert(self.waiting.partition_point(|waiting| *waiting <= at), at);
        }
        Some(self.waiting.remove(0))
    }
}

impl<I: Iterator<Item = NaiveDateTime>> Iterator for InstantOrder<I> {
    type Item = DateTime<Tz>;

    fn next(&mut self) -> Option<DateTime<Tz>> {
        loop {
            let at = self.step()?;
            if self.last.replace(at) != Some(at) {
                return Some(at);
            }
        }
    }
}
