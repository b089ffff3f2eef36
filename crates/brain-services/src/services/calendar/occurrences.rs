//! When an event takes place: once, or again and again.

use std::collections::HashSet;

use chrono::{DateTime, Days, Duration, Utc};
use chrono_tz::Tz;

use super::occurrence::{Occurrence, last_of};
use super::record::Event;
use crate::services::contract::show::Moment;
use crate::services::helpers::recurrence::Series;

/// Occurrences that may have to be looked at before the first that reaches into a span.
const EARLY_MAX: usize = 64;

impl Event {
    pub(super) fn first(&self) -> Option<Moment> {
        Moment::read(&self.start_time, self.zone)
    }

    /// From start to end; whole days take at least one.
    pub(super) fn length(&self, first: Moment) -> Duration {
        self.length_until(first, self.end_time.as_deref())
    }

    pub(super) fn length_until(&self, first: Moment, end: Option<&str>) -> Duration {
        let end = end.and_then(|end| Moment::read(end, self.zone));
        match (first, end) {
            (Moment::Instant(start), Some(end)) => (end.start(self.zone) - start).max(Duration::zero()),
            (Moment::Day(start), Some(Moment::Day(end))) => (end - start).max(Duration::days(1)),
            (Moment::Instant(_), None) => Duration::zero(),
            (Moment::Day(_), Some(Moment::Instant(_)) | None) => Duration::days(1),
        }
    }

    /// Its end, if it has one behind its start.
    pub(super) fn ends(&self) -> Option<Moment> {
        let (first, end) = (self.first()?, Moment::read(self.end_time.as_deref()?, self.zone)?);
        Some(end).filter(|end| end.start(self.zone) > first.start(self.zone))
    }

    /// When it begins, in its own zone, and how long it lasts.
    pub(super) fn begins(&self) -> Option<(DateTime<Utc>, Duration)> {
        let first = self.first()?;
        Some((first.start(self.zone).to_utc(), self.length(first)))
    }

    /// The occurrence that begins at `start`. Whole days are days of the person's zone, wherever they are.
    pub(super) fn occurrence(&self, start: Moment, length: Duration, zone: Tz) -> Occurrence {
        let day_end = |start: chrono::NaiveDate| {
            start.checked_add_days(Days::new(length.num_days().unsigned_abs())).map(Moment::Day)
        };
        let end = match start {
            Moment::Instant(at) => {
                (length > Duration::zero()).then(|| at.checked_add_signed(length).map(Moment::Instant)).flatten()
            }
            Moment::Day(day) => day_end(day),
        };
        let from = start.start(zone).to_utc();
        let to = end.map_or(from, |end| end.start(zone).to_utc());
        // A whole day has no end of its own.
        let end = end.filter(|_| !matches!(start, Moment::Day(_)) || length > Duration::days(1));
        Occurrence { start, end, from, to, of: start }
    }

    /// When it takes place in `from..to`, in order, at most `max` times.
    pub(super) fn occurrences(&self, from: DateTime<Utc>, to: DateTime<Utc>, zone: Tz, max: usize) -> Vec<Occurrence> {
        let Some(first) = self.first() else {
            return Vec::new();
        };
        let length = self.length(first);
        let mut starts = match self.series(first) {
            Some(series) => {
                // One that began before the span may reach into it.
                let early = from.checked_sub_signed(length).unwrap_or(from) - Duration::days(1);
                series.between(early, to, max.saturating_add(EARLY_MAX))
            }
            None => vec![first],
        };
        // A date may stand there twice.
        let key = |at: &Moment| (at.start(self.zone).to_utc(), matches!(at, Moment::Day(_)));
        let mut seen: HashSet<_> = if self.also.is_empty() { HashSet::new() } else { starts.iter().map(key).collect() };
        starts.extend(self.besides().filter(|at| seen.insert(key(at))));
        let excepted = self.excepted();
        let regular = starts.into_iter().filter(|start| excepted.of(*start).is_none());
        let regular = regular.map(|start| self.occurrence(start, length, zone));
        let mut occurrences: Vec<Occurrence> =
            regular.chain(self.moved(zone)).filter(|o| o.overlaps(from, to)).collect();
        occurrences.sort_by_key(|o| o.from);
        occurrences.truncate(max);
        occurrences
    }

    /// The one that is going on or comes next, else the last one there was.
    pub(super) fn current(&self, now: DateTime<Utc>, zone: Tz) -> Option<Occurrence> {
        let first = self.first()?;
        let length = self.length(first);
        let regular = |start: Moment| self.occurrence(start, length, zone);
        if !self.is_series() {
            return Some(regular(first));
        }
        let series = self.series(first);
        let after = now.checked_sub_signed(length)?;
        let ahead = self.coming(series.as_ref(), after, zone, |o| o.to > now);
        ahead
            .or_else(|| {
                let excepted = self.excepted();
                let is_kept = |at: Moment| excepted.of(at).is_none();
                let last = series.as_ref().and_then(|series| series.last_kept(now, is_kept)).map(regular);
                last.into_iter().chain(self.singles(series.as_ref(), zone)).max_by_key(|o| o.from)
            })
            .or_else(|| self.exceptions.is_empty().then(|| regular(first)))
    }

    /// The first time at which it begins behind an instant.
    pub(super) fn next_after(&self, after: DateTime<Utc>, zone: Tz) -> Option<Occurrence> {
        let series = self.series(self.first()?);
        self.coming(series.as_ref(), after, zone, |o| o.from > after)
    }

    /// The first of what the rule gives behind `after` and of the rest that `is_ahead`.
    fn coming(
        &self,
        series: Option<&Series>,
        after: DateTime<Utc>,
        zone: Tz,
        is_ahead: impl Fn(&Occurrence) -> bool,
    ) -> Option<Occurrence> {
        let length = self.length(self.first()?);
        let excepted = self.excepted();
        let next = series.and_then(|series| series.next_kept(after, |at| excepted.of(at).is_none()));
        let next = next.map(|start| self.occurrence(start, length, zone));
        next.into_iter().chain(self.singles(series, zone).filter(is_ahead)).min_by_key(|o| o.from)
    }

    /// Its times that no rule gives.
    fn singles<'e>(&'e self, series: Option<&Series>, zone: Tz) -> impl Iterator<Item = Occurrence> + 'e {
        let first = self.first();
        let length = first.map_or_else(Duration::zero, |first| self.length(first));
        let alone = first.filter(|_| series.is_none());
        let excepted = self.excepted();
        let single = self.besides().chain(alone).filter(move |at| excepted.of(*at).is_none());
        single.map(move |start| self.occurrence(start, length, zone)).chain(self.moved(zone))
    }

    /// When it takes place besides what its rule says.
    fn besides(&self) -> impl Iterator<Item = Moment> + '_ {
        self.also.iter().filter_map(|at| Moment::read(at, self.zone))
    }

    /// Whether it takes some of a day at this time: a whole day keeps nobody busy.
    pub(super) fn takes_time(&self, o: &Occurrence) -> bool {
        !self.keeps_free && !o.is_whole_day() && o.from < o.to
    }

    /// Whether it takes place more than once.
    pub(super) fn is_series(&self) -> bool {
        self.recurrence.is_some() || !self.also.is_empty() || !self.exceptions.is_empty()
    }

    pub(super) fn series(&self, first: Moment) -> Option<Series> {
        let series = Series::new(self.recurrence.as_deref()?, first, self.zone).ok()?;
        // What was made from words here begins where its rule does; a calendar elsewhere shows its start as it is.
        Some(if self.origin.is_some() { series.with_start() } else { series })
    }

    /// When it begins and ends, in stored form, at one occurrence of it.
    pub(super) fn times_of(&self, occurrence: Option<&Occurrence>) -> (String, Option<String>) {
        match occurrence {
            Some(o) => (o.start.store(), o.told_end().map(Moment::store)),
            None => (self.start_time.clone(), self.ends().map(last_of).map(Moment::store)),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::UTC;

    use super::*;
    use brain_core::core::ids::UserId;

    #[test]
    fn a_date_that_stands_there_twice_is_one_occurrence() {
        let day = |text: &str| Moment::read(text, UTC).unwrap();
        let mut event = Event::new("e", UserId::new("u"), "Choir", day("2026-03-02T18:00:00+00:00"), UTC);
        event.recurrence = Some("FREQ=WEEKLY;COUNT=2".to_owned());
        event.also = ["2026-03-05T18:00:00+00:00", "2026-03-05T18:00:00+00:00", "2026-03-09T18:00:00+00:00"]
            .map(str::to_owned)
            .to_vec();
        let (from, to) = ("2026-03-01T00:00:00Z".parse().unwrap(), "2026-04-01T00:00:00Z".parse().unwrap());
        assert_eq!(event.occurrences(from, to, UTC, 20).len(), 3);
    }
}
