//! Which days a date means.

use chrono::{DateTime, Datelike, NaiveDate, Weekday};
use chrono_tz::Tz;

use super::super::defaults::{WEEK_END_DAY, WEEK_MIDDLE_DAY};
use super::super::grammar::{Date, MonthOf, Period, Span};
use super::super::words::{Edge, Holiday};
use super::{Context, Grain, Problem, YEARS, impossible, months_moved, too_far};

/// Whole local days; `end` is exclusive.
#[derive(Debug, Clone, Copy)]
pub struct Days {
    pub first: NaiveDate,
    pub end: NaiveDate,
    pub grain: Grain,
    pub tense: Tense,
    /// Exact bounds, where the days do not give them ("the last 3 hours").
    pub window: Option<(DateTime<Tz>, DateTime<Tz>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// Words of the past: "yesterday", "last", "ago".
    Past,
    /// The form means a time to come; one that has passed is a problem.
    Future,
    /// Any time of the days will do: "this week".
    Open,
}

impl Days {
    pub fn one(date: NaiveDate, tense: Tense) -> Result<Days, Problem> {
        Days::span(date, after(date, 1)?, Grain::Day, tense)
    }

    fn span(first: NaiveDate, end: NaiveDate, grain: Grain, tense: Tense) -> Result<Days, Problem> {
        if !YEARS.contains(&first.year()) {
            return Err(too_far());
        }
        Ok(Days {
            first,
            end,
            grain,
            tense,
            window: None,
        })
    }

    pub fn single(&self) -> bool {
        self.first.succ_opt() == Some(self.end)
    }
}

pub fn after(date: NaiveDate, days: i64) -> Result<NaiveDate, Problem> {
    chrono::Duration::try_days(days)
        .and_then(|d| date.checked_add_signed(d))
        .ok_or_else(too_far)
}

/// A date, moved by the calendar parts of a span.
pub fn moved(date: NaiveDate, span: Span) -> Result<NaiveDate, Problem> {
    let date = months_moved(date, span.months).ok_or_else(too_far)?;
    let date = after(date, span.days)?;
    workdays_moved(date, span.workdays)
}

fn workdays_moved(mut date: NaiveDate, workdays: i64) -> Result<NaiveDate, Problem> {
    let step = workdays.signum();
    let weeks = workdays.abs() / 5 * 7;
    date = after(date, weeks * step)?;
    let mut left = workdays.abs() % 5;
    // From a weekend whole weeks lead to a weekend: the last working day before or after counts.
    if workdays != 0 && left == 0 && is_weekend(date) {
        date = after(date, -step)?;
        while is_weekend(date) {
            date = after(date, -step)?;
        }
    }
    while left > 0 {
        date = after(date, step)?;
        if !is_weekend(date) {
            left -= 1;
        }
    }
    Ok(date)
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

pub fn week_start(date: NaiveDate) -> Result<NaiveDate, Problem> {
    after(date, -i64::from(date.weekday().num_days_from_monday()))
}

/// `has_clock`: a clock time follows, which may decide whether today still counts.
pub fn days(date: &Date, context: &Context, has_clock: bool) -> Result<Days, Problem> {
    let today = context.today;
    match date {
        Date::Day(n) => {
            let tense = if *n < 0 { Tense::Past } else { Tense::Future };
            Days::one(after(today, *n)?, tense)
        }
        Date::Weekday { day, which, weeks } => weekday(*day, *which, *weeks, context),
        Date::WeekdayOfWeek { day, week } => {
            let monday = after(week_start(today)?, week * 7)?;
            let date = after(monday, i64::from(day.num_days_from_monday()))?;
            Days::one(
                date,
                if *week < 0 {
                    Tense::Past
                } else {
                    Tense::Future
                },
            )
        }
        Date::Numbered {
            day,
            month,
            weekday,
        } => numbered(*day, *month, *weekday, context, has_clock),
        Date::InYear {
            day,
            month,
            weekday,
            year,
        } => {
            let year = today.year() + *year as i32;
            let month = MonthOf::Named {
                month: *month,
                year: Some(year),
                which: None,
            };
            numbered(*day, Some(month), *weekday, context, has_clock)
        }
        Date::Nth { n, day, of } => nth(*n, *day, *of, context),
        Date::Period(period) => self::period(*period, context),
        Date::Edge(edge, period) => self::edge(*edge, *period, context),
        Date::Holiday {
            holiday,
            year,
            which,
        } => self::holiday(*holiday, *year, *which, context),
        Date::Window(span) => window(*span, context),
        Date::Exact(date) => Days::one(*date, Tense::Future),
        Date::Missing(why) => Err(impossible(why.clone())),
        Date::Local(local) => Days::one(local.date(), Tense::Future),
        Date::Beside { day, before, anchor } => {
            let anchor = days(anchor, context, false)?.first;
            let from = Context { today: anchor, back: false, ..*context };
            let which = if *before { Some(-1) } else { None };
            Days::one(weekday(*day, which, 0, &from)?.first, Tense::Open)
        }
        Date::Both(a, b) => both(a, b, context, has_clock),
    }
}

fn weekday(
    day: Weekday,
    which: Option<i64>,
    weeks: i64,
    context: &Context,
) -> Result<Days, Problem> {
    let today = context.today;
    let ahead =
        i64::from((day.num_days_from_monday() + 7 - today.weekday().num_days_from_monday()) % 7);
    let past = which.is_some_and(|n| n < 0) || context.back && which.is_none();
    if past {
        let back = if ahead == 0 { 7 } else { 7 - ahead };
        return Days::one(after(today, -back)?, Tense::Past);
    }
    let days = match which {
        // "This Friday" may be today, plain "Friday" is one to come.
        Some(0) => ahead,
        Some(n) => {
            // "Next Friday" is that of next week.
            let to_monday = 7 * n - i64::from(today.weekday().num_days_from_monday());
            to_monday + i64::from(day.num_days_from_monday())
        }
        None if ahead == 0 => 7,
        None => ahead,
    };
    Days::one(after(today, days + weeks * 7)?, Tense::Future)
}

/// The first day of a month and of the one after it.
fn month_bounds(month: MonthOf, context: &Context) -> Result<(NaiveDate, NaiveDate), Problem> {
    let this = first_of(context.today.year(), context.today.month())?;
    let first = match month {
        MonthOf::From(n) => months_moved(this, n).ok_or_else(too_far)?,
        MonthOf::Named {
            month,
            year: Some(year),
            ..
        } => first_of(year, month)?,
        MonthOf::Named {
            month,
            year: None,
            which,
        } => {
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

fn first_of(year: i32, month: u32) -> Result<NaiveDate, Problem> {
    if !YEARS.contains(&year) {
        return Err(too_far());
    }
    NaiveDate::from_ymd_opt(year, month, 1)
        .ok_or_else(|| impossible(format!("there is no month {month}")))
}

const MONTH_NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn no_such_day(day: u32, month: u32) -> Problem {
    let name = MONTH_NAMES.get(month as usize - 1).unwrap_or(&"that month");
    impossible(format!("{name} has no day {day}"))
}

fn numbered(
    day: u32,
    month: Option<MonthOf>,
    weekday: Option<Weekday>,
    context: &Context,
    has_clock: bool,
) -> Result<Days, Problem> {
    let Some(month) = month else {
        return day_of_some_month(day, weekday, context, has_clock);
    };
    let date = match month {
        MonthOf::Named {
            month,
            year: None,
            which: None,
        } => yearly(day, month, context)?,
        other => {
            let (first, _) = month_bounds(other, context)?;
            first
                .with_day(day)
                .ok_or_else(|| no_such_day(day, first.month()))?
        }
    };
    if let Some(weekday) = weekday.filter(|w| *w != date.weekday()) {
        let next = self::weekday(weekday, None, 0, context)?.first;
        return Err(Problem::Ambiguous {
            candidates: vec![context.day_start(date), context.day_start(next)],
            why: format!("{} is a {}", date.format("%-d %B %Y"), date.format("%A")),
        });
    }
    Days::one(date, Tense::Future)
}

/// A day and month without a year: the next to come, today included.
fn yearly(day: u32, month: u32, context: &Context) -> Result<NaiveDate, Problem> {
    let year = context.today.year();
    // 29 February may be eight years away.
    for n in 0..=8 {
        let year = if context.back { year - n } else { year + n };
        let date = NaiveDate::from_ymd_opt(year, month, day);
        let fits = |d: &NaiveDate| {
            if context.back {
                *d <= context.today
            } else {
                *d >= context.today
            }
        };
        if let Some(date) = date.filter(fits) {
            return Ok(date);
        }
    }
    if !(1..=12).contains(&month) {
        return Err(impossible(format!("there is no month {month}")));
    }
    Err(no_such_day(day, month))
}

/// "The 15th": the next one, that falls on the weekday if one was said.
fn day_of_some_month(
    day: u32,
    weekday: Option<Weekday>,
    context: &Context,
    has_clock: bool,
) -> Result<Days, Problem> {
    let today = context.today;
    let this = first_of(today.year(), today.month())?;
    for n in 0..=60 {
        let first = months_moved(this, if context.back { -n } else { n }).ok_or_else(too_far)?;
        let Some(date) = first.with_day(day) else {
            continue;
        };
        let fits = if context.back {
            date <= today
        } else {
            date >= today
        };
        if fits && weekday.is_none_or(|w| w == date.weekday()) {
            // On the day itself a clock time decides; hour::spot reports one that has passed.
            let tense = if has_clock && date == today {
                Tense::Open
            } else {
                Tense::Future
            };
            return Days::one(date, tense);
        }
    }
    Err(impossible(format!("no month has such a day {day}")))
}

fn nth(n: i32, day: Option<Weekday>, of: Period, context: &Context) -> Result<Days, Problem> {
    let mut days = period(of, context)?;
    let mut date = nth_in(n, day, &days)?;
    // "First Monday of the month" in the middle of the month is that of the next one.
    let passed = date < context.today && !context.back && days.tense != Tense::Past;
    match of {
        Period::Month(MonthOf::From(0)) if passed => {
            days = period(Period::Month(MonthOf::From(1)), context)?;
            date = nth_in(n, day, &days)?;
        }
        Period::Month(MonthOf::Named {
            month,
            year: None,
            which: None,
        }) if passed => {
            let year = Some(days.first.year() + 1);
            days = period(
                Period::Month(MonthOf::Named {
                    month,
                    year,
                    which: None,
                }),
                context,
            )?;
            date = nth_in(n, day, &days)?;
        }
        _ => {}
    }
    Days::one(date, days.tense)
}

/// The nth weekday (or day) of the days; negative counts from the end.
pub fn nth_in(n: i32, day: Option<Weekday>, days: &Days) -> Result<NaiveDate, Problem> {
    let found = if n < 0 {
        let last = after(days.end, -1)?;
        let back = day.map_or(0, |d| {
            (last.weekday().num_days_from_monday() + 7 - d.num_days_from_monday()) % 7
        });
        after(last, -i64::from(back))?
    } else {
        let ahead = day.map_or(0, |d| {
            (d.num_days_from_monday() + 7 - days.first.weekday().num_days_from_monday()) % 7
        });
        let step = if day.is_some() { 7 } else { 1 };
        after(days.first, i64::from(ahead) + i64::from(n - 1) * step)?
    };
    if found < days.first || found >= days.end {
        return Err(impossible("there is no such day in that time"));
    }
    Ok(found)
}

pub fn period(period: Period, context: &Context) -> Result<Days, Problem> {
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
            Days::span(
                first,
                months_moved(first, 3).ok_or_else(too_far)?,
                Grain::Month,
                tense(n),
            )
        }
        Period::Year(n) => year(today.year().saturating_add(n as i32), tense(n)),
        Period::YearNumbered(n) => year(n, Tense::Open),
        Period::Today => Days::one(today, Tense::Open),
    }
}

fn year(year: i32, tense: Tense) -> Result<Days, Problem> {
    Days::span(
        first_of(year, 1)?,
        first_of(year + 1, 1)?,
        Grain::Year,
        tense,
    )
}

fn edge(edge: Edge, of: Period, context: &Context) -> Result<Days, Problem> {
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
    let date = if edge == Edge::Middle && year {
        first_of(days.first.year(), 7)?
    } else {
        date
    };
    Days::one(date, days.tense)
}

fn holiday(
    holiday: Holiday,
    year: Option<i32>,
    which: Option<i64>,
    context: &Context,
) -> Result<Days, Problem> {
    let today = context.today;
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

pub fn holiday_of(holiday: Holiday, year: i32) -> Result<NaiveDate, Problem> {
    match holiday {
        Holiday::Fixed { month, day } => {
            NaiveDate::from_ymd_opt(year, month, day).ok_or_else(|| no_such_day(day, month))
        }
        Holiday::Easter(days) => after(easter(year)?, days),
        Holiday::Nth { n, day, month } => {
            let first = first_of(year, month)?;
            let end = months_moved(first, 1).ok_or_else(too_far)?;
            nth_in(
                n,
                Some(day),
                &Days::span(first, end, Grain::Month, Tense::Open)?,
            )
        }
    }
}

/// Easter Sunday of the Gregorian calendar (Meeus, Jones, Butcher).
fn easter(year: i32) -> Result<NaiveDate, Problem> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let month = (h + l - 7 * m + 114) / 31;
    let day = (h + l - 7 * m + 114) % 31 + 1;
    NaiveDate::from_ymd_opt(year, month as u32, day as u32).ok_or_else(too_far)
}

/// "The next 3 days" begin tomorrow... they run from now; "the last 2 weeks" end now.
fn window(span: Span, context: &Context) -> Result<Days, Problem> {
    let other = context.after(context.now, span)?;
    let window = (context.now.min(other), context.now.max(other));
    let first = window.0.date_naive();
    let grain = if span.is_calendar() {
        Grain::Day
    } else {
        Grain::Minute
    };
    let tense = if other < context.now {
        Tense::Past
    } else {
        Tense::Open
    };
    let days = Days::span(first, after(window.1.date_naive(), 1)?, grain, tense)?;
    Ok(Days {
        window: Some(window),
        ..days
    })
}

/// Said twice: both must mean the same day.
fn both(a: &Date, b: &Date, context: &Context, has_clock: bool) -> Result<Days, Problem> {
    let first = days(a, context, has_clock)?;
    let agree = match b {
        // "Tomorrow, Monday": only the name is compared.
        Date::Weekday { day, .. } => first.first.weekday() == *day,
        other => days(other, context, has_clock)?.first == first.first,
    };
    let agree = agree
        || matches!(a, Date::Weekday { day, .. } if days(b, context, has_clock)?.first.weekday() == *day);
    if agree {
        return if matches!(a, Date::Weekday { .. }) {
            days(b, context, has_clock)
        } else {
            Ok(first)
        };
    }
    let second = days(b, context, has_clock)?;
    Err(Problem::Ambiguous {
        candidates: vec![
            context.day_start(first.first),
            context.day_start(second.first),
        ],
        why: "it names two different days".to_owned(),
    })
}
