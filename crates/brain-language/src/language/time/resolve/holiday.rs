//! Holidays: on a fixed date, counted from Easter, the nth weekday of a month or before a date.

use chrono::{Datelike, NaiveDate};

use super::super::defaults::KEPT_ELSEWHEN;
use super::super::words::{DaySet, Holiday};
use super::day::{Days, Tense, after, no_such_day};
use super::period::{first_of, nth_in};
use super::{Grain, Problem, ResolveContext, months_moved, too_far};

pub fn holiday(
    holiday: Holiday,
    year: Option<i32>,
    which: Option<i64>,
    context: &ResolveContext,
) -> Result<Days, Problem> {
    let today = context.today;
    if is_kept_elsewhen(holiday, context) {
        let why = "its date differs from country to country".to_owned();
        return Err(Problem::Ambiguous { candidates: Vec::new(), why });
    }
    if let Some(year) = year {
        return Days::one(holiday_of(holiday, year)?, Tense::Future);
    }
    let back = context.back || which.is_some_and(|n| n < 0);
    let years = if back { [0, -1, -2] } else { [0, 1, 2] };
    for n in years {
        let date = holiday_of(holiday, today.year() + n)?;
        if if back { date < today } else { date >= today } {
            return Days::one(date, if back { Tense::Past } else { Tense::Future });
        }
    }
    Err(too_far())
}

/// Does the person's own country keep this day on another date?
pub fn is_kept_elsewhen(holiday: Holiday, context: &ResolveContext) -> bool {
    let Holiday::Nth { n, day, month, .. } = holiday else {
        return false;
    };
    let zones = KEPT_ELSEWHEN.iter().find(|(rule, _)| *rule == (n, day, month)).map_or("", |(_, zones)| zones);
    zones.split(' ').any(|zone| zone == context.home.name())
}

pub fn holiday_of(holiday: Holiday, year: i32) -> Result<NaiveDate, Problem> {
    match holiday {
        Holiday::Fixed { month, day } => {
            NaiveDate::from_ymd_opt(year, month, day).ok_or_else(|| no_such_day(day, month))
        }
        Holiday::Easter(days) => after(easter(year)?, days),
        Holiday::Nth { n, day, month, plus } => {
            let first = first_of(year, month)?;
            let end = months_moved(first, 1).ok_or_else(too_far)?;
            let days = Days::span(first, end, Grain::Month, Tense::Open)?;
            after(nth_in(n, DaySet::default().with(day), &days)?, plus)
        }
        Holiday::Before { n, day, month, of_month } => {
            let date = NaiveDate::from_ymd_opt(year, month, of_month).ok_or_else(|| no_such_day(of_month, month))?;
            let back = (date.weekday().num_days_from_monday() + 6 - day.num_days_from_monday()) % 7 + 1;
            after(date, -i64::from(back) - (n - 1) * 7)
        }
    }
}

/// Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher).
pub fn easter(year: i32) -> Result<NaiveDate, Problem> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let month = (h + l - 7 * m + 114) / 31;
    let day = (h + l - 7 * m + 114) % 31 + 1;
    NaiveDate::from_ymd_opt(year, month as u32, day as u32).ok_or_else(too_far)
}
