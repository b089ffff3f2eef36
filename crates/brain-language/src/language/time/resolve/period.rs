//! Resolution of periods: which days a week, month or year has, and which is the nth, the first or the last.

use chrono::{Datelike, NaiveDate, Weekday};

use super::super::defaults::{WEEK_END_DAY, WEEK_MIDDLE_DAY};
use super::super::grammar::{MonthOf, Period, SpanPhrase};
use super::super::words::{DaySet, Edge};
use super::day::{Days, Tense, after, week_start};
use super::{Grain, Problem, ResolveContext, YEARS, impossible, months_moved, moved, too_far};

/// The first day of a month and of the one after it.
pub fn month_bounds(month: MonthOf, context: &ResolveContext) -> Result<(NaiveDate, NaiveDate), Problem> {
    let this = first_of(context.today.year(), context.today.month())?;
    let first = match month {
        MonthOf::From(n) => months_moved(this, n).ok_or_else(too_far)?,
        MonthOf::Named { month, year: Some(year), .. } => first_of(year, month)?,
        MonthOf::Named { month, year: None, which } => {
            let mut first = first_of(this.year(), month)?;
            let last = which.is_some_and(|n| n < 0);
            if last || context.back && which.is_none() {
                let too_late = if last { first >= this } else { first > this };
                if too_late {
                    first = first_of(this.year() - 1, month)?;
                }
            } else if first < this || which == Some(1) && first == this {
                first = first_of(this.year() + 1, month)?;
            }
            first
        }
    };
    Ok((first, months_moved(first, 1).ok_or_else(too_far)?))
}

pub fn first_of(year: i32, month: u32) -> Result<NaiveDate, Problem> {
    if !YEARS.contains(&year) {
        return Err(too_far());
    }
    NaiveDate::from_ymd_opt(year, month, 1).ok_or_else(|| impossible(format!("there is no month {month}")))
}

pub fn nth(n: i32, counted: DaySet, of: Period, context: &ResolveContext) -> Result<Days, Problem> {
    let mut days = period(of, context)?;
    let mut date = nth_in(n, counted, &days)?;
    // The first weekday of the month, in the middle of the month, is that of the next one.
    let passed = date < context.today && !context.back && days.tense != Tense::Past;
    match of {
        Period::Month(MonthOf::From(0)) if passed => {
            days = period(Period::Month(MonthOf::From(1)), context)?;
            date = nth_in(n, counted, &days)?;
        }
        Period::Month(MonthOf::Named { month, year: None, which: None }) if passed => {
            let year = Some(days.first.year() + 1);
            days = period(Period::Month(MonthOf::Named { month, year, which: None }), context)?;
            date = nth_in(n, counted, &days)?;
        }
        _ => {}
    }
    Days::one(date, days.tense)
}

/// The nth of the `counted` days; negative counts from the end.
pub fn nth_in(n: i32, counted: DaySet, days: &Days) -> Result<NaiveDate, Problem> {
    let within = days.first.iter_days().take_while(|date| *date < days.end);
    let mut all: Vec<NaiveDate> = within.filter(|date| counted.has(date.weekday())).collect();
    if n < 0 {
        all.reverse();
    }
    let found = all.get(n.unsigned_abs().saturating_sub(1) as usize).copied();
    found.ok_or_else(|| impossible("there is no such day in that time"))
}

pub fn period(period: Period, context: &ResolveContext) -> Result<Days, Problem> {
    let today = context.today;
    let tense = |n: i64| if n < 0 { Tense::Past } else { Tense::Open };
    match period {
        Period::Week(n) => {
            let first = after(week_start(today)?, n.saturating_mul(7))?;
            Days::span(first, after(first, 7)?, Grain::Week, tense(n))
        }
        Period::Weekend(n) => {
            let first = after(week_start(today)?, n.saturating_mul(7) + 5)?;
            Days::span(first, after(first, 2)?, Grain::Day, tense(n))
        }
        Period::Month(month) => {
            let (first, end) = month_bounds(month, context)?;
            let past = first < today && end <= today;
            let tense = match month {
                MonthOf::Named { year: Some(_), .. } | MonthOf::From(_) if past => Tense::Past,
                MonthOf::Named { .. } | MonthOf::From(_) => Tense::Open,
            };
            Days::span(first, end, Grain::Month, tense)
        }
        Period::Quarter(n) => {
            let month = today.month0() / 3 * 3 + 1;
            let this = first_of(today.year(), month)?;
            let first = months_moved(this, n * 3).ok_or_else(too_far)?;
            Days::span(first, months_moved(first, 3).ok_or_else(too_far)?, Grain::Month, tense(n))
        }
        Period::WeekNumbered(week) => {
            let in_year = |year| NaiveDate::from_isoywd_opt(year, week, Weekday::Mon);
            let coming = |monday: &NaiveDate| context.back || after(*monday, 7).is_ok_and(|end| end > today);
            let this = today.iso_week().year();
            let monday = in_year(this).filter(coming).or_else(|| in_year(this + 1));
            let monday = monday.ok_or_else(|| impossible(format!("the year has no week {week}")))?;
            Days::span(monday, after(monday, 7)?, Grain::Week, Tense::Open)
        }
        Period::QuarterNumbered { quarter, year } => {
            let of_year = |year| first_of(year, quarter * 3 - 2);
            let mut first = of_year(year.unwrap_or(today.year()))?;
            let passed = months_moved(first, 3).is_some_and(|end| end <= today);
            if year.is_none() && passed && !context.back {
                first = of_year(today.year() + 1)?;
            }
            Days::span(first, months_moved(first, 3).ok_or_else(too_far)?, Grain::Month, Tense::Open)
        }
        Period::MonthOfYear { month, year } => {
            let year = today.year().saturating_add(year as i32);
            let named = MonthOf::Named { month, year: Some(year), which: None };
            self::period(Period::Month(named), context)
        }
        Period::Year(n) => year(today.year().saturating_add(n as i32), tense(n)),
        Period::YearNumbered(n) => year(n, Tense::Open),
        Period::Today => Days::one(today, Tense::Open),
    }
}

pub fn year(year: i32, tense: Tense) -> Result<Days, Problem> {
    Days::span(first_of(year, 1)?, first_of(year + 1, 1)?, Grain::Year, tense)
}

pub fn edge(edge: Edge, of: Period, context: &ResolveContext) -> Result<Days, Problem> {
    let days = period(of, context)?;
    let last = after(days.end, -1)?;
    let week = matches!(of, Period::Week(_));
    let date = match edge {
        Edge::Begin => days.first,
        Edge::Middle if week => after(days.first, WEEK_MIDDLE_DAY)?,
        Edge::End if week => after(days.first, WEEK_END_DAY)?,
        // The 15th of a month, 1 July of a year.
        Edge::Middle => after(days.first, (days.end - days.first).num_days().min(29) / 2)?,
        Edge::End => last,
    };
    let year = matches!(of, Period::Year(_) | Period::YearNumbered(_));
    let date = if edge == Edge::Middle && year { first_of(days.first.year(), 7)? } else { date };
    Days::one(date, days.tense)
}

/// Lengths that run from now, or that end now.
pub fn window(span: SpanPhrase, context: &ResolveContext) -> Result<Days, Problem> {
    let other = moved(context.now, span)?;
    let window = (context.now.min(other), context.now.max(other));
    let first = window.0.date_naive();
    let grain = if span.is_calendar() { Grain::Day } else { Grain::Minute };
    let tense = if other < context.now { Tense::Past } else { Tense::Open };
    let days = Days::span(first, after(window.1.date_naive(), 1)?, grain, tense)?;
    Ok(Days { window: Some(window), ..days })
}
