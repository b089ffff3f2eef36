//! Recurrence: when something that repeats happens (RFC 5545 RRULE).
//!
//! Rules that step by days and more are followed in *local wall time*, so that a standup at ten stays at ten
//! when the clocks change; the rule is run over local times as if they were UTC, and each is then made an
//! instant: in calendars as the RFC reads local times (3.3.5), see [`wall_instant`]; of what is made here, what lies in a
//! gap of the clocks comes as soon as that is over. Two that are one instant, because clocks went
//! forward, are one occurrence. Rules that step by hours and less without further conditions are followed in elapsed
//! time. UNTIL is compared with instants.
//!
//! Whether a start that does not match its own rule is an occurrence, the RFC leaves open. Of what is made here it is
//! none; in calendars it is the first one, see [`Series::with_start`].
//!
//! What is asked for lies near some moment, and the start may lie decades before it. A rule without COUNT is therefore
//! followed from a start nearer to it, moved by whole intervals, which changes no occurrence behind it.

use chrono::{DateTime, Datelike, Duration, Month, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};

use crate::services::contract::show::Moment;
use brain_core::limits::{RECURRENCE_STEPS_MAX, REPEAT_MINUTES_MIN, RULE_CHARS_MAX};
use brain_language::language::time::{LocalInstant, local_instant};

mod edits;
mod steps;
#[cfg(test)]
mod tests;
mod until;

pub(in crate::services) use edits::{at_clock, counted, ended, moved_along, moved_rule, pinned};
use steps::{elapsed, in_order};
use until::Until;

/// A local wall-clock time as an instant, for people: after a gap, its end.
pub(crate) fn instant(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    local_instant(zone, local).earliest()
}

/// A local time of a calendar as an instant (RFC 5545, 3.3.5): one in a gap has the offset from before it, so that
/// 02:30 is 03:30; of two it is the first.
pub(crate) fn wall_instant(zone: Tz, local: NaiveDateTime) -> DateTime<Tz> {
    wall(zone, local).0
}

/// The same for people: what lies in a gap comes as soon as that is over.
fn behind_gaps(zone: Tz, local: NaiveDateTime) -> (DateTime<Tz>, bool) {
    (instant(zone, local), false)
}

/// As [`wall_instant`], and whether it lies in a gap.
fn wall(zone: Tz, local: NaiveDateTime) -> (DateTime<Tz>, bool) {
    match local_instant(zone, local) {
        LocalInstant::Single(at) | LocalInstant::Overlap { first: at, .. } => (at, false),
        LocalInstant::Gap { next } => {
            let before = zone.offset_from_utc_datetime(&(next.naive_utc() - Duration::seconds(1))).fix();
            let utc = local.checked_sub_offset(before);
            (utc.map_or(next, |utc| zone.from_utc_datetime(&utc)), true)
        }
    }
}

/// A rule with the start it counts from.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::services) struct Series {
    /// Without its UNTIL.
    rule: RRule<Unvalidated>,
    until: Option<Until>,
    first: Moment,
    /// `first` is an occurrence whether or not it matches the rule.
    starts_at_first: bool,
    /// What lies in a gap of the clocks is read as calendars read it.
    by_wall: bool,
    zone: Tz,
}

/// Why a rule cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::services) enum BadRule {
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
        // Every day is compared with every number that a rule lists; and the engine cuts a weekday by bytes.
        let is_plain = |rule: &str| rule.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        let is_one = |rule: &&str| rule.len() <= RULE_CHARS_MAX && is_plain(rule);
        let value = Some(rule.trim()).filter(is_one).ok_or_else(unreadable)?;
        let value = value.strip_prefix("RRULE:").unwrap_or(value);
        let (value, until) = Until::split(value, first, zone).ok_or_else(unreadable)?;
        let parsed: RRule<Unvalidated> = value.parse().map_err(|_| unreadable())?;
        if parsed.get_interval() == 0 {
            return Err(BadRule::Never);
        }
        let series =
            Self { rule: on_day_of(parsed, first, zone), until, first, starts_at_first: false, by_wall: false, zone };
        let pause = series.shortest_pause();
        if pause < Duration::minutes(REPEAT_MINUTES_MIN) {
            return Err(BadRule::TooOften);
        }
        if series.is_miscounted() {
            return Err(unreadable());
        }
        series.dates_from(series.local_first()).map(|_| ()).ok_or_else(unreadable)?;
        Ok(series)
    }

    /// A series that somebody asks for, and its first occurrence after `after`: one that never comes round is refused.
    pub fn begun(rule: &str, first: Moment, zone: Tz, after: DateTime<Utc>) -> Result<(Self, Moment), BadRule> {
        let series = Self::new(rule, first, zone)?;
        let next = series.next_after(after).ok_or(BadRule::Never)?;
        Ok((series, next))
    }

    /// As calendars have it: the start is the first occurrence, and the first that COUNT counts, even if it does not
    /// match the rule.
    pub fn with_start(mut self) -> Self {
        self.starts_at_first = true;
        self.by_wall = true;
        let local = self.local_first();
        if let Some(count) = self.rule.get_count()
            && self.elapsed_step().is_none()
            && self.dates_from(local).and_then(|mut dates| dates.next()) != Some(local)
        {
            self.rule = self.rule.count(count.saturating_sub(1));
        }
        self
    }

    /// With times in gaps of the clocks as calendars have them, see [`wall_instant`].
    pub fn by_wall(self) -> Self {
        Self { by_wall: true, ..self }
    }

    /// The first occurrence after `after`, if there is one.
    pub fn next_after(&self, after: DateTime<Utc>) -> Option<Moment> {
        self.next_kept(after, |_| true)
    }

    /// The first one after `after` that `is_kept`.
    pub fn next_kept(&self, after: DateTime<Utc>, is_kept: impl Fn(Moment) -> bool) -> Option<Moment> {
        self.walk(after).find(|at| at.start(self.zone) > after && is_kept(*at))
    }

    /// The last occurrence before `before`.
    pub fn last_before(&self, before: DateTime<Utc>) -> Option<Moment> {
        self.last_kept(before, |_| true)
    }

    /// The last one before `before` that `is_kept`.
    pub fn last_kept(&self, before: DateTime<Utc>, is_kept: impl Fn(Moment) -> bool) -> Option<Moment> {
        let end = self.until.map_or(before, |until| until.instant(self.zone).min(before));
        let last = |back: i64| {
            let near = end.checked_sub_signed(Duration::days(back)).unwrap_or(DateTime::<Utc>::MIN_UTC);
            self.walk(near).take_while(|at| at.start(self.zone) < before).filter(|at| is_kept(*at)).last()
        };
        // A sparse rule has none for long: a date of a month, the 29th of February. At the end, all of it.
        [2, 400, 3_300, 400_000].into_iter().find_map(last)
    }

    /// Occurrences that start in `from..to`, at most `max`.
    pub fn between(&self, from: DateTime<Utc>, to: DateTime<Utc>, max: usize) -> Vec<Moment> {
        self.walk(from)
            .skip_while(|at| at.start(self.zone) < from)
            .take_while(|at| at.start(self.zone) < to)
            .take(max)
            .collect()
    }

    /// How many occurrences lie before `before`.
    pub fn count(&self, before: Moment) -> usize {
        let before = before.start(self.zone);
        self.walk(DateTime::<Utc>::MIN_UTC).take_while(|at| at.start(self.zone) < before).count()
    }

    /// The occurrences in order, from `near` on and perhaps some before it.
    fn walk(&self, near: DateTime<Utc>) -> Box<dyn Iterator<Item = Moment> + '_> {
        let (zone, until) = (self.zone, self.until);
        let start = self.starts_at_first.then(|| self.first.start(zone));
        let by_rule = self.by_rule(near).filter(move |at| start.is_none_or(|start| at.start(zone) > start));
        let start = start.filter(|start| *start >= near).map(|_| self.first);
        let all = start.into_iter().chain(by_rule).take(RECURRENCE_STEPS_MAX);
        Box::new(all.take_while(move |at| until.is_none_or(|until| until.includes(*at))))
    }

    /// What the rule gives, but for its end.
    fn by_rule(&self, near: DateTime<Utc>) -> Box<dyn Iterator<Item = Moment> + '_> {
        if let (Some(step), Moment::Instant(first)) = (self.elapsed_step(), self.first) {
            return Box::new(elapsed(first, step, near, self.rule.get_count()));
        }
        let first = self.local_first();
        let near = self.local_near(near).unwrap_or(first);
        let dates = match self.moved_towards(first, near) {
            Some((start, gone)) => Self { rule: self.fewer(gone), ..self.clone() }.dates_from(start),
            None => self.dates_from(first),
        };
        let dates = dates.into_iter().flatten();
        match self.first {
            Moment::Day(_) => Box::new(dates.map(|local| Moment::Day(local.date()))),
            Moment::Instant(_) => {
                let read = if self.by_wall { wall } else { behind_gaps };
                Box::new(in_order(dates, self.zone, read).map(Moment::Instant))
            }
        }
    }

    /// `near` on the local clock; a rule that has ended before it has its last occurrences there.
    fn local_near(&self, near: DateTime<Utc>) -> Option<NaiveDateTime> {
        let near = self.until.map_or(near, |until| until.instant(self.zone).min(near)).naive_utc();
        // The engine counts no years of five digits.
        let near = near.min(NaiveDate::from_ymd_opt(9_000, 1, 1)?.and_time(NaiveTime::MIN));
        near.checked_add_offset(self.zone.offset_from_utc_datetime(&near).fix())
    }

    /// What the rule gives on the local clock, counted from `start`.
    fn dates_from(&self, start: NaiveDateTime) -> Option<impl Iterator<Item = NaiveDateTime> + use<>> {
        let start = rrule::Tz::UTC.from_utc_datetime(&start);
        let rule = self.rule.clone().validate(start).ok()?;
        let dates = (&RRuleSet::new(start).rrule(rule).limit()).into_iter();
        Some(dates.map(|at| at.naive_utc()))
    }

    fn local_first(&self) -> NaiveDateTime {
        match self.first {
            Moment::Instant(at) => at.with_timezone(&self.zone).naive_local(),
            Moment::Day(day) => day.and_time(NaiveTime::MIN),
        }
    }

    /// `first` by as many whole intervals later as fit before `near`, less some for what one interval holds and for
    /// clocks that change, and how many occurrences COUNT has counted until there. Of months and years it is their first
    /// day: the rule has days of its own, see [`on_day_of`].
    fn moved_towards(&self, first: NaiveDateTime, near: NaiveDateTime) -> Option<(NaiveDateTime, u32)> {
        let interval = i64::from(self.rule.get_interval().max(1));
        let is_counted = self.rule.get_count().is_some();
        let unit = match self.rule.get_freq() {
            Frequency::Yearly | Frequency::Monthly | Frequency::Hourly | Frequency::Minutely if is_counted => {
                return None;
            }
            Frequency::Yearly => return Some((moved_by_months(first, near, interval * 12, Some(1))?, 0)),
            Frequency::Monthly => return Some((moved_by_months(first, near, interval, None)?, 0)),
            Frequency::Weekly => 7 * 86_400,
            Frequency::Daily => 86_400,
            Frequency::Hourly => 3_600,
            Frequency::Minutely => 60,
            Frequency::Secondly => 1,
        };
        let interval = unit * interval;
        let ahead = (near - first).num_seconds() - 2 * interval - 2 * 86_400;
        let mut whole = ahead.max(0) / interval;
        let mut gone = 0;
        if let Some(count) = self.rule.get_count() {
            let each = self.in_each_interval()?;
            whole = whole.min(i64::from(count.saturating_sub(1) / each));
            gone = u32::try_from(whole).ok()? * each;
        }
        Some((first.checked_add_signed(Duration::try_seconds(whole * interval)?)?, gone))
    }

    /// How many occurrences every interval has, wherever in it one begins to count; `None`: that differs.
    fn in_each_interval(&self) -> Option<u32> {
        let rule = &self.rule;
        let others = [rule.get_by_hour(), rule.get_by_minute(), rule.get_by_second(), rule.get_by_month()];
        let plain = others.iter().all(|values| values.is_empty())
            && rule.get_by_month_day().is_empty()
            && rule.get_by_set_pos().is_empty();
        let days = rule.get_by_weekday();
        let distinct = (1..days.len()).all(|n| !days[..n].contains(&days[n]));
        match rule.get_freq() {
            Frequency::Daily if days.is_empty() && plain => Some(1),
            Frequency::Weekly if distinct && plain => u32::try_from(days.len().max(1)).ok(),
            _ => None,
        }
    }

    /// The rule, where `gone` of its occurrences are counted no more.
    fn fewer(&self, gone: u32) -> RRule<Unvalidated> {
        match self.rule.get_count() {
            Some(count) => self.rule.clone().count(count.saturating_sub(gone)),
            None => self.rule.clone(),
        }
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
            && rule.get_by_year_day().is_empty()
            && rule.get_by_week_no().is_empty()
            && rule.get_by_set_pos().is_empty();
        self.fast_step().filter(|_| plain)
    }

    /// Minutes of more than an hour with conditions: the engine steps them by whole hours.
    fn is_miscounted(&self) -> bool {
        let rule = &self.rule;
        rule.get_freq() == Frequency::Minutely && rule.get_interval() > 60 && self.elapsed_step().is_none()
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

/// A rule of months or years that names no day is on that of its start. Written out, so that the start can be moved.
fn on_day_of(rule: RRule<Unvalidated>, first: Moment, zone: Tz) -> RRule<Unvalidated> {
    let days = [rule.get_by_week_no().len(), rule.get_by_year_day().len(), rule.get_by_month_day().len()];
    if days.into_iter().chain([rule.get_by_weekday().len()]).any(|named| named > 0) {
        return rule;
    }
    let date = match first {
        Moment::Instant(at) => at.with_timezone(&zone).date_naive(),
        Moment::Day(day) => day,
    };
    let day = vec![i8::try_from(date.day()).unwrap_or(1)];
    let month = u8::try_from(date.month()).ok().and_then(|month| Month::try_from(month).ok());
    match (rule.get_freq(), month) {
        (Frequency::Yearly, Some(month)) if rule.get_by_month().is_empty() => rule.by_month(&[month]).by_month_day(day),
        (Frequency::Yearly | Frequency::Monthly, _) => rule.by_month_day(day),
        _ => rule,
    }
}

/// The first day of a month, of `month` if one is given, that lies whole intervals of months after `first` and at least
/// one before `near`.
fn moved_by_months(
    first: NaiveDateTime,
    near: NaiveDateTime,
    interval: i64,
    month: Option<u32>,
) -> Option<NaiveDateTime> {
    let number = |at: NaiveDateTime| i64::from(at.year()) * 12 + i64::from(at.month0());
    let whole = (number(near) - number(first) - interval - 1) / interval * interval;
    let to = number(first) + whole;
    let month = month.or(u32::try_from(to.rem_euclid(12) + 1).ok())?;
    let day = NaiveDate::from_ymd_opt(i32::try_from(to.div_euclid(12)).ok()?, month, 1)?;
    (whole > 0).then(|| day.and_time(first.time()))
}
