//! Free time: the gaps between events inside the hours that are looked at.
//!
//! Whole-day events (birthdays, holidays, moves) do not make a day busy.

use chrono::{DateTime, Datelike, Days, Duration, NaiveTime, Timelike, Utc, Weekday};
use chrono_tz::Tz;

use crate::services::helpers::recurrence::instant;

/// A span of time, end exclusive.
pub(super) type Interval = (DateTime<Utc>, DateTime<Utc>);

/// Hours of a working day.
const WORK: (u32, u32) = (9, 18);
/// A slot that begins now begins on a full five minutes.
const ROUND_SECS: i64 = 300;
/// Days that are looked through at most.
const DAYS_MAX: u64 = 92;

/// The hours to look at in `from..to`: exactly these when they were said as clock times of a day, else the working
/// hours of its weekdays, or of its days when it holds no weekday at all.
pub(super) fn windows(from: DateTime<Utc>, to: DateTime<Utc>, clock_times_said: ClockTimes, zone: Tz) -> Vec<Interval> {
    if clock_times_said == ClockTimes::Said {
        return vec![(from, to)];
    }
    let first = from.with_timezone(&zone).date_naive();
    let days = (0..DAYS_MAX).map_while(|n| first.checked_add_days(Days::new(n)));
    let at = |day: chrono::NaiveDate, hour| {
        instant(zone, day.and_time(NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default())).to_utc()
    };
    let working: Vec<(Weekday, Interval)> = days
        .map(|day| (day.weekday(), (at(day, WORK.0).max(from), at(day, WORK.1).min(to))))
        .take_while(|(_, (start, _))| *start < to)
        .filter(|(_, (start, end))| start < end)
        .collect();
    let weekdays: Vec<Interval> =
        working.iter().filter(|(day, _)| day.number_from_monday() <= 5).map(|(_, span)| *span).collect();
    if weekdays.is_empty() {
        return working.into_iter().map(|(_, span)| span).collect();
    }
    weekdays
}

/// Whether the person named clock times, and so hours of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockTimes {
    /// Exactly these hours.
    Said,
    /// Days only.
    Unsaid,
}

/// The next full five minutes.
pub(super) fn round_up(at: DateTime<Utc>) -> DateTime<Utc> {
    let whole = at.with_nanosecond(0).unwrap_or(at);
    let whole = if whole < at { whole + Duration::seconds(1) } else { whole };
    whole + Duration::seconds((-whole.timestamp()).rem_euclid(ROUND_SECS))
}

/// What is left of the windows without the busy spans, in order, no shorter than `least`.
pub(super) fn gaps(windows: &[Interval], mut busy: Vec<Interval>, least: Duration) -> Vec<Interval> {
    busy.sort();
    let mut gaps = Vec::new();
    for &(start, end) in windows {
        let mut free_from = start;
        for &(from, to) in busy.iter().filter(|(from, to)| *to > start && *from < end) {
            gaps.push((free_from, from));
            free_from = free_from.max(to);
        }
        gaps.push((free_from, end));
    }
    gaps.retain(|(from, to)| *to - *from >= least);
    gaps
}
