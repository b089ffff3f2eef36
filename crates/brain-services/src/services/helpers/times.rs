//! Times that a description of a thing names.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use chrono_tz::Tz;

use super::items::Item;
use super::recurrence::instant;
use crate::services::contract::context::RequestContext;
use brain_core::limits::SEARCH_CHARS_MAX;
use brain_language::language::time;
use brain_language::language::time::{Grain, Problem, Reference, TimeMention, When};

/// A time in a description, and the words around it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::services) struct Hint {
    /// The words without the time.
    pub rest: String,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    /// Set when only a time of day was said: it may be on any day.
    clock: Option<NaiveTime>,
}

/// The time that is named in these words; its hour and its day may stand in two places.
pub(in crate::services) fn hint(words: &str, ctx: &RequestContext) -> Option<Hint> {
    let words: String = words.chars().take(SEARCH_CHARS_MAX).collect();
    let reference = ctx.reference();
    let found = time::find(&words, &reference);
    let all: Vec<&TimeMention> = found.iter().collect();
    let together = time_of(&words, &all, &reference, ctx).filter(|_| all.len() > 1);
    let one = || all.iter().find_map(|one| time_of(&words, &[*one], &reference, ctx));
    together.or_else(one).or_else(|| time_of(&words, &[&time::season(&words, &reference)?], &reference, ctx))
}

/// These expressions, read as one.
fn time_of(words: &str, found: &[&TimeMention], reference: &Reference, ctx: &RequestContext) -> Option<Hint> {
    let said: Vec<&str> = found.iter().map(|found| words.get(found.span.clone())).collect::<Option<_>>()?;
    let said = said.join(" ");
    let result = match found {
        [one] => one.result.clone(),
        _ => time::resolve(&said, reference)?,
    };
    let (from, to) = span(&result, ctx.zone)?;
    let mut rest = words.to_owned();
    for found in found.iter().rev() {
        rest.replace_range(found.span.clone(), " ");
    }
    Some(Hint { rest, from, to, clock: clock_alone(&said, to - from, ctx) })
}

/// The end of the days that a time is, where they are over.
pub(in crate::services) fn days_over(result: &Result<When, Problem>, reference: &Reference) -> Option<DateTime<Utc>> {
    let (from, to) = span(result, reference.zone)?;
    (to <= reference.now && to - from >= Duration::days(1)).then_some(to)
}

/// First instant and end of a time.
fn span(result: &Result<When, Problem>, zone: Tz) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let (at, grain) = match result {
        Ok(When::Point { at, grain }) => (*at, *grain),
        Ok(When::Range { start, end, .. }) => return Some((start.to_utc(), end.to_utc())),
        // An hour that has passed may be of one that was.
        Err(Problem::Past { at }) => (*at, Grain::Minute),
        Ok(When::Duration(_) | When::Recurrence { .. })
        | Err(
            Problem::Impossible { .. }
            | Problem::Ambiguous { .. }
            | Problem::Unclear { .. }
            | Problem::SkippedByClockChange { .. }
            | Problem::RepeatedByClockChange { .. },
        ) => {
            return None;
        }
    };
    let day = at.date_naive();
    let days = |days| {
        let next = day.checked_add_days(Days::new(days))?;
        Some((at.to_utc(), instant(zone, next.and_time(NaiveTime::MIN)).to_utc()))
    };
    match grain {
        Grain::Minute => Some((at.to_utc(), at.to_utc() + Duration::minutes(1))),
        Grain::Hour => Some((at.to_utc(), at.to_utc() + Duration::hours(1))),
        Grain::Day => days(1),
        Grain::Week => days(7),
        Grain::Month => days(31),
        Grain::Year => days(366),
    }
}

/// The time of day, when no day was said with it: heard at midnight it is then a time of the same day.
fn clock_alone(words: &str, length: Duration, ctx: &RequestContext) -> Option<NaiveTime> {
    let today = ctx.now.with_timezone(&ctx.zone).date_naive();
    let midnight = instant(ctx.zone, today.and_time(NaiveTime::MIN)).to_utc();
    let reference = Reference { now: midnight, ..ctx.reference() };
    match time::resolve(words, &reference)? {
        Ok(When::Point { at, grain: Grain::Minute | Grain::Hour }) => {
            (length <= Duration::hours(1) && at.date_naive() == today).then(|| at.time())
        }
        Ok(_) | Err(_) => None,
    }
}

impl Hint {
    /// The days or hours that were named; `None` for a time of day alone, which may be on any day.
    pub fn days(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        self.clock.is_none().then_some((self.from, self.to))
    }

    /// From when to when anything has to lie that [`Hint::select`] can choose.
    pub fn reach(&self, ctx: &RequestContext) -> (DateTime<Utc>, DateTime<Utc>) {
        match self.clock {
            Some(_) => (self.from.min(ctx.now), self.to.max(ctx.now + Duration::days(CLOCK_DAYS))),
            None => (self.from, self.to),
        }
    }

    /// Which of the items happen then. A time of day alone means the nearest day on which something does.
    pub fn select<'a, T: Item + 'a>(&self, items: impl Iterator<Item = &'a T>, ctx: &RequestContext) -> Vec<bool> {
        let items: Vec<&T> = items.collect();
        let at = |from, to| -> Vec<bool> { items.iter().map(|item| item.falls_into(from, to, ctx)).collect() };
        let then = at(self.from, self.to);
        let Some(clock) = self.clock.filter(|_| !then.contains(&true)) else {
            return then;
        };
        let today = ctx.now.with_timezone(&ctx.zone).date_naive();
        for days in 0..CLOCK_DAYS {
            let local = (today + Duration::days(days)).and_time(clock);
            let from = instant(ctx.zone, local).with_timezone(&Utc);
            let then = at(from, from + (self.to - self.from));
            if then.contains(&true) {
                return then;
            }
        }
        then
    }
}

/// How far ahead a time of day alone is looked for.
const CLOCK_DAYS: i64 = 14;
