//! Recurrence: when something that repeats happens (RFC 5545 RRULE).
//!
//! Rules that step by days and more are followed in *local wall time*, so that a standup at ten stays at ten
//! when the clocks change; the rule is run over local times as if they were UTC, and each is then made an
//! instant (after a gap: the first instant behind it; of two: the first). Rules that step by hours and less
//! without further conditions are followed in elapsed time.
//!
//! A start that does not match its own rule is not an occurrence.
//!
//! What is asked for lies near some moment, and the start may lie decades before it. A rule without COUNT is therefore
//! followed from a start nearer to it, moved by whole intervals, which changes no occurrence behind it.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use crate::language::time::local_instant;
use crate::limits::{RECURRENCE_STEPS_MAX, REPEAT_MINUTES_MIN};
use crate::services::show::Moment;

#[cfg(test)]
mod tests;

/// A local wall-clock time as an instant.
pub(crate) fn instant(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    local_instant(zone, local).earliest()
}

/// A rule with the start it counts from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    rule: RRule<Unvalidated>,
    first: Moment,
    zone: Tz,
}

/// Why a rule cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadRule {
    #[error("I can't read the repetition “{0}”.")]
    Unreadable(String),
    #[error("It repeats on fixed days, and I can only change its time of day.")]
    FixedDays,
    #[error("I can repeat something every {REPEAT_MINUTES_MIN} minutes at most.")]
    TooOften,
    #[error("That repetition never comes round.")]
    Never,
}

impl Series {
    /// Reads the value of an RRULE.
    pub fn new(rule: &str, first: Moment, zone: Tz) -> Result<Self, BadRule> {
        let unreadable = || BadRule::Unreadable(rule.chars().take(80).collect());
        let value = Some(rule.trim()).filter(|rule| !rule.contains(char::is_control)).ok_or_else(unreadable)?;
        let value = value.strip_prefix("RRULE:").unwrap_or(value);
        let parsed: RRule<Unvalidated> =
            local_until(value, zone).ok_or_else(unreadable)?.parse().map_err(|_| unreadable())?;
        if parsed.get_interval() == 0 {
            return Err(BadRule::Never);
        }
        let series = Self { rule: parsed, first, zone };
        let pause = series.shortest_pause();
        if pause < Duration::minutes(REPEAT_MINUTES_MIN) {
            return Err(BadRule::TooOften);
        }
        series.dates().map(|_| ()).ok_or_else(unreadable)?;
        Ok(series)
    }

    /// A series that somebody asks for, and its first occurrence after `after`: one that never comes round is refused.
    pub fn begun(rule: &str, first: Moment, zone: Tz, after: DateTime<Utc>) -> Result<(Self, Moment), BadRule> {
        let series = Self::new(rule, first, zone)?;
        let next = series.next_after(after).ok_or(BadRule::Never)?;
        Ok((series, next))
    }

    /// The first occurrence after `after`, if there is one.
    pub fn next_after(&self, after: DateTime<Utc>) -> Option<Moment> {
        self.walk(after, Duration::zero()).find(|at| at.start(self.zone) > after)
    }

    /// The last occurrence before `before`.
    pub fn last_before(&self, before: DateTime<Utc>) -> Option<Moment> {
        let last = |back: i64| {
            let walk = self.walk(before, Duration::days(back));
            walk.take_while(|at| at.start(self.zone) < before).last()
        };
        // A sparse rule has none for long: a date of a month, the 29th of February. At the end, all of it.
        [2, 400, 3_300, 400_000].into_iter().find_map(last)
    }

    /// Occurrences that start in `from..to`, at most `max`.
    pub fn between(&self, from: DateTime<Utc>, to: DateTime<Utc>, max: usize) -> Vec<Moment> {
        self.walk(from, Duration::zero())
            .skip_while(|at| at.start(self.zone) < from)
            .take_while(|at| at.start(self.zone) < to)
            .take(max)
            .collect()
    }

    /// How many occurrences lie before `before`.
    pub fn count(&self, before: Moment) -> usize {
        let before = before.start(self.zone);
        self.walk(DateTime::<Utc>::MIN_UTC, Duration::zero()).take_while(|at| at.start(self.zone) < before).count()
    }

    /// The occurrences in order, from `near` on and perhaps earlier: those of the last `back` before it are among them.
    fn walk(&self, near: DateTime<Utc>, back: Duration) -> Box<dyn Iterator<Item = Moment> + '_> {
        let near = near.checked_sub_signed(back).unwrap_or(DateTime::<Utc>::MIN_UTC);
        if let (Some(step), Moment::Instant(first)) = (self.elapsed_step(), self.first) {
            return Box::new(elapsed(first, step, near, self.rule.get_count()));
        }
        let zone = self.zone;
        let whole_days = matches!(self.first, Moment::Day(_));
        let dates = self.dates_near(near).into_iter().flatten().take(RECURRENCE_STEPS_MAX);
        Box::new(dates.map(move |at| {
            let local = at.naive_utc();
            if whole_days { Moment::Day(local.date()) } else { Moment::Instant(instant(zone, local)) }
        }))
    }

    /// Local times, dressed as UTC.
    fn dates(&self) -> Option<rrule::RRuleSetIter> {
        self.dates_from(self.local_first())
    }

    /// The same, leaving out what lies far before `near` where the rule allows it.
    fn dates_near(&self, near: DateTime<Utc>) -> Option<rrule::RRuleSetIter> {
        let first = self.local_first();
        let near = near.with_timezone(&self.zone).naive_local();
        // A rule that has ended before it has its last occurrences there.
        let until = self.rule.get_until().map(|until| until.naive_utc());
        let near = until.map_or(near, |until| until.min(near));
        self.dates_from(self.moved_towards(first, near).unwrap_or(first))
    }

    fn dates_from(&self, start: NaiveDateTime) -> Option<rrule::RRuleSetIter> {
        let start = rrule::Tz::UTC.from_utc_datetime(&start);
        let rule = self.rule.clone().validate(start).ok()?;
        Some((&RRuleSet::new(start).rrule(rule).limit()).into_iter())
    }

    fn local_first(&self) -> NaiveDateTime {
        match self.first {
            Moment::Instant(at) => at.with_timezone(&self.zone).naive_local(),
            Moment::Day(day) => day.and_time(NaiveTime::MIN),
        }
    }

    /// `first` by as many whole intervals later as fit before `near`, less some for what one interval holds and for
    /// clocks that change. Months and years are not counted so: they are few, and of different lengths.
    fn moved_towards(&self, first: NaiveDateTime, near: NaiveDateTime) -> Option<NaiveDateTime> {
        if self.rule.get_count().is_some() {
            return None;
        }
        let unit = match self.rule.get_freq() {
            Frequency::Yearly | Frequency::Monthly => return None,
            Frequency::Weekly => 7 * 86_400,
            Frequency::Daily => 86_400,
            Frequency::Hourly => 3_600,
            Frequency::Minutely => 60,
            Frequency::Secondly => 1,
        };
        let interval = unit * i64::from(self.rule.get_interval().max(1));
        let ahead = (near - first).num_seconds() - 2 * interval - 2 * 86_400;
        let whole = Duration::try_seconds(ahead.max(0) / interval * interval)?;
        first.checked_add_signed(whole)
    }

    /// True when it is followed in elapsed time, wherever the person is.
    pub fn is_elapsed(&self) -> bool {
        self.elapsed_step().is_some() && matches!(self.first, Moment::Instant(_))
    }

    /// The step of a rule that counts hours or less and has no further conditions.
    fn elapsed_step(&self) -> Option<Duration> {
        let rule = &self.rule;
        let plain = rule.get_by_hour().is_empty()
            && rule.get_by_minute().is_empty()
            && rule.get_by_second().is_empty()
            && rule.get_by_weekday().is_empty()
            && rule.get_by_month().is_empty()
            && rule.get_by_month_day().is_empty()
            && rule.get_by_set_pos().is_empty()
            && rule.get_until().is_none();
        self.fast_step().filter(|_| plain)
    }

    fn fast_step(&self) -> Option<Duration> {
        let unit = match self.rule.get_freq() {
            Frequency::Hourly => 3600,
            Frequency::Minutely => 60,
            Frequency::Secondly => 1,
            Frequency::Yearly | Frequency::Monthly | Frequency::Weekly | Frequency::Daily => {
                return None;
            }
        };
        Some(Duration::seconds(unit * i64::from(self.rule.get_interval().max(1))))
    }

    /// A lower bound of the time between two occurrences.
    fn shortest_pause(&self) -> Duration {
        let minutes = self.rule.get_by_minute().len().max(1) as i64;
        let seconds = self.rule.get_by_second().len().max(1) as i64;
        let hour = Duration::hours(1) / i32::try_from(minutes * seconds).unwrap_or(i32::MAX);
        self.fast_step().map_or(hour, |step| step.min(hour))
    }
}

/// `first`, `first + step`, …, leaving out what lies far before `near`.
fn elapsed(
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

/// The rule with its UNTIL in local time dressed as UTC; a date means the whole of that day.
fn local_until(rule: &str, zone: Tz) -> Option<String> {
    let part = |part: &str| -> Option<String> {
        let Some(until) = part.strip_prefix("UNTIL=") else {
            return Some(part.to_owned());
        };
        let local = match until.strip_suffix('Z') {
            Some(utc) => {
                let utc = NaiveDateTime::parse_from_str(utc, "%Y%m%dT%H%M%S").ok()?;
                zone.from_utc_datetime(&utc).naive_local()
            }
            None if until.contains('T') => NaiveDateTime::parse_from_str(until, "%Y%m%dT%H%M%S").ok()?,
            None => NaiveDate::parse_from_str(until, "%Y%m%d").ok()?.and_hms_opt(23, 59, 59)?,
        };
        Some(format!("UNTIL={}Z", local.format("%Y%m%dT%H%M%S")))
    };
    let parts: Option<Vec<String>> = rule.to_uppercase().split(';').map(part).collect();
    parts.map(|parts| parts.join(";"))
}

/// The rule with the time of day it names, if it names one, replaced.
pub(super) fn at_clock(rule: &str, clock: NaiveTime) -> String {
    let part = |part: &str| match part.split('=').next() {
        Some("BYHOUR") => format!("BYHOUR={}", clock.hour()),
        Some("BYMINUTE") => format!("BYMINUTE={}", clock.minute()),
        Some(_) | None => part.to_owned(),
    };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// The rule with a time of day of its own, where it would take that of its start.
pub(super) fn pinned(rule: &str, clock: NaiveTime) -> String {
    if rule.contains("BYHOUR=") || rule.contains("BYMINUTE=") {
        return rule.to_owned();
    }
    format!("{rule};BYHOUR={};BYMINUTE={};BYSECOND={}", clock.hour(), clock.minute(), clock.second())
}

/// The rule, ended before the occurrence that begins here.
pub(super) fn ended(rule: &str, before: Moment) -> String {
    let until = match before {
        Moment::Instant(at) => (at.to_utc() - Duration::seconds(1)).format("%Y%m%dT%H%M%SZ").to_string(),
        Moment::Day(day) => day.pred_opt().unwrap_or(day).format("%Y%m%d").to_string(),
    };
    let ends = |part: &&str| part.starts_with("UNTIL=") || part.starts_with("COUNT=");
    let kept: Vec<&str> = rule.split(';').filter(|part| !ends(part)).collect();
    format!("{};UNTIL={until}", kept.join(";"))
}

/// The rule, where `gone` of its occurrences are counted no more.
pub(super) fn counted(rule: &str, gone: usize) -> String {
    let part = |part: &str| match part.strip_prefix("COUNT=").and_then(|count| count.parse::<usize>().ok()) {
        Some(count) => format!("COUNT={}", count.saturating_sub(gone).max(1)),
        None => part.to_owned(),
    };
    rule.split(';').map(part).collect::<Vec<_>>().join(";")
}

/// An occurrence of a series that was moved as this one was.
pub(super) fn moved_along(of: Moment, was: Moment, becomes: Moment, zone: Tz) -> Moment {
    let local = |moment: Moment| moment.start(zone).naive_local();
    let days = (local(becomes).date() - local(was).date()).num_days();
    let day = local(of).date().checked_add_signed(Duration::days(days)).unwrap_or(local(of).date());
    match becomes {
        Moment::Instant(at) => Moment::Instant(instant(zone, day.and_time(at.with_timezone(&zone).time()))),
        Moment::Day(_) => Moment::Day(day),
    }
}

/// A series moved by as much as one of its occurrences: its new start and rule.
///
/// A rule on one weekday moves along; one on several fixed days can change its time of day only.
pub(super) fn moved_rule(
    rule: &str,
    first: Moment,
    was: Moment,
    becomes: Moment,
    zone: Tz,
) -> Result<(Moment, String), BadRule> {
    let local = |moment: Moment| moment.start(zone).naive_local();
    let days = (local(becomes).date() - local(was).date()).num_days();
    let new_date = local(first).date().checked_add_signed(Duration::days(days)).ok_or(BadRule::FixedDays)?;
    let (first, rule) = match becomes {
        Moment::Instant(at) => {
            let clock = at.with_timezone(&zone).time();
            (Moment::Instant(instant(zone, new_date.and_time(clock))), at_clock(rule, clock))
        }
        Moment::Day(_) => (Moment::Day(new_date), rule.to_owned()),
    };
    if days == 0 {
        return Ok((first, rule));
    }
    let mut parts: Vec<String> = rule.split(';').map(str::to_owned).collect();
    for part in &mut parts {
        match part.split_once('=') {
            Some(("BYDAY", day)) if day.len() == 2 => {
                let weekday = local(becomes).date().weekday();
                *part = format!("BYDAY={}", weekday.to_string().to_uppercase().get(..2).unwrap_or(day));
            }
            Some(("BYDAY" | "BYMONTHDAY" | "BYMONTH" | "BYYEARDAY" | "BYSETPOS" | "BYWEEKNO", _)) => {
                return Err(BadRule::FixedDays);
            }
            Some(_) | None => {}
        }
    }
    Ok((first, parts.join(";")))
}
