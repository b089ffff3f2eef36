//! Resolution of dates: which days a date means.

use chrono::{DateTime, Datelike, NaiveDate, Weekday};
use chrono_tz::Tz;

use super::super::grammar::{Date, MonthOf, SpanPhrase};
use super::{Grain, Problem, ResolveContext, YEARS, impossible, months_moved, too_far};
use super::{holiday, period};

/// Whole local days; `end` is exclusive.
#[derive(Debug, Clone, Copy)]
pub struct Days {
    pub first: NaiveDate,
    pub end: NaiveDate,
    pub grain: Grain,
    pub tense: Tense,
    /// Exact bounds, where the days do not give them: a length in hours.
    pub window: Option<(DateTime<Tz>, DateTime<Tz>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// Words of the past, adverbs and adjectives.
    Past,
    /// The form means a time to come; one that has passed is a problem.
    Future,
    /// Any time of the days will do.
    Open,
}

impl Days {
    pub fn one(date: NaiveDate, tense: Tense) -> Result<Days, Problem> {
        Days::span(date, after(date, 1)?, Grain::Day, tense)
    }

    pub fn span(first: NaiveDate, end: NaiveDate, grain: Grain, tense: Tense) -> Result<Days, Problem> {
        if !YEARS.contains(&first.year()) {
            return Err(too_far());
        }
        Ok(Days { first, end, grain, tense, window: None })
    }

    pub fn single(&self) -> bool {
        self.first.succ_opt() == Some(self.end)
    }
}

pub fn after(date: NaiveDate, days: i64) -> Result<NaiveDate, Problem> {
    chrono::Duration::try_days(days).and_then(|d| date.checked_add_signed(d)).ok_or_else(too_far)
}

/// A date, moved by the calendar parts of a span.
pub fn moved(date: NaiveDate, span: SpanPhrase) -> Result<NaiveDate, Problem> {
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
pub fn days(date: &Date, context: &ResolveContext, has_clock: bool) -> Result<Days, Problem> {
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
            Days::one(date, if *week < 0 { Tense::Past } else { Tense::Future })
        }
        Date::Numbered { day, month, weekday } => numbered(*day, *month, *weekday, context, has_clock),
        Date::InYear { day, month, weekday, year } => {
            let year = today.year() + *year as i32;
            let month = MonthOf::Named { month: *month, year: Some(year), which: None };
            numbered(*day, Some(month), *weekday, context, has_clock)
        }
        Date::Nth { n, days, of } => period::nth(*n, *days, *of, context),
        Date::Period(period) => period::period(*period, context),
        Date::Edge(edge, period) => period::edge(*edge, *period, context),
        Date::Holiday { holiday, year, which } => holiday::holiday(*holiday, *year, *which, context),
        Date::Window(span) => period::window(*span, context),
        Date::Exact(date) => Days::one(*date, Tense::Future),
        Date::Missing(why) => Err(impossible(why.clone())),
        Date::Local(local) => Days::one(local.date(), Tense::Future),
        Date::WeekOf(date) => {
            let first = week_start(days(date, context, false)?.first)?;
            Days::span(first, after(first, 7)?, Grain::Week, Tense::Open)
        }
        Date::Beside { day, before, anchor } => beside(*day, *before, anchor, context),
        Date::Both(a, b) => both(a, b, context, has_clock),
    }
}

fn weekday(day: Weekday, which: Option<i64>, weeks: i64, context: &ResolveContext) -> Result<Days, Problem> {
    let today = context.today;
    let ahead = i64::from((day.num_days_from_monday() + 7 - today.weekday().num_days_from_monday()) % 7);
    let past = which.is_some_and(|n| n < 0) || context.back && which.is_none();
    if past {
        let back = if ahead == 0 { 7 } else { 7 - ahead };
        return Days::one(after(today, -back + weeks * 7)?, Tense::Past);
    }
    let days = match which {
        // A weekday with a demonstrative may be today, a bare one is to come.
        Some(0) => ahead,
        Some(n) => {
            // With an adjective of the next one, a weekday is that of next week.
            let to_monday = 7 * n - i64::from(today.weekday().num_days_from_monday());
            to_monday + i64::from(day.num_days_from_monday())
        }
        None if ahead == 0 && weeks > 0 => {
            let candidates =
                [weeks * 7, weeks * 7 + 7].map(|days| after(today, days).map(|day| context.day_start(day)));
            let candidates = candidates.into_iter().collect::<Result<_, _>>()?;
            let why = format!("today is {}", today.format("%A"));
            return Err(Problem::Ambiguous { candidates, why });
        }
        None if ahead == 0 => 7,
        None => ahead,
    };
    Days::one(after(today, days + weeks * 7)?, Tense::Future)
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

pub fn no_such_day(day: u32, month: u32) -> Problem {
    let name = MONTH_NAMES.get(month as usize - 1).unwrap_or(&"that month");
    impossible(format!("{name} has no day {day}"))
}

fn numbered(
    day: u32,
    month: Option<MonthOf>,
    weekday: Option<Weekday>,
    context: &ResolveContext,
    has_clock: bool,
) -> Result<Days, Problem> {
    let Some(month) = month else {
        return day_of_some_month(day, weekday, context, has_clock);
    };
    let date = match month {
        MonthOf::Named { month, year: None, which: None } => yearly(day, month, context)?,
        MonthOf::Named { month, year: None, which: Some(n) } if n < 0 => {
            let told = ResolveContext { back: true, ..*context };
            return Days::one(yearly(day, month, &told)?, Tense::Past);
        }
        other => {
            let (first, _) = period::month_bounds(other, context)?;
            first.with_day(day).ok_or_else(|| no_such_day(day, first.month()))?
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
fn yearly(day: u32, month: u32, context: &ResolveContext) -> Result<NaiveDate, Problem> {
    let year = context.today.year();
    // 29 February may be eight years away.
    for n in 0..=8 {
        let year = if context.back { year - n } else { year + n };
        let date = NaiveDate::from_ymd_opt(year, month, day);
        let fits = |d: &NaiveDate| {
            if context.back { *d <= context.today } else { *d >= context.today }
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

/// A bare day of the month: the next one, that falls on the weekday if one was said.
fn day_of_some_month(
    day: u32,
    weekday: Option<Weekday>,
    context: &ResolveContext,
    has_clock: bool,
) -> Result<Days, Problem> {
    let today = context.today;
    let this = period::first_of(today.year(), today.month())?;
    for n in 0..=60 {
        let first = months_moved(this, if context.back { -n } else { n }).ok_or_else(too_far)?;
        let Some(date) = first.with_day(day) else {
            continue;
        };
        let fits = if context.back { date <= today } else { date >= today };
        if fits && weekday.is_none_or(|w| w == date.weekday()) {
            // On the day itself a clock time decides; hour::spot reports one that has passed.
            let rare = n > 2 && weekday.is_some() && (day, weekday) != (13, Some(Weekday::Fri));
            if rare {
                let next = day_of_some_month(day, None, context, has_clock)?.first;
                return Err(Problem::Ambiguous {
                    candidates: vec![context.day_start(next), context.day_start(date)],
                    why: format!("{} is a {}", next.format("%-d %B"), next.format("%A")),
                });
            }
            let tense = if has_clock && date == today { Tense::Open } else { Tense::Future };
            return Days::one(date, tense);
        }
    }
    Err(impossible(format!("no month has such a day {day}")))
}

/// A weekday before or after a named day.
fn beside(day: Weekday, before: bool, anchor: &Date, context: &ResolveContext) -> Result<Days, Problem> {
    let anchor = days(anchor, context, false)?.first;
    let from = ResolveContext { today: anchor, back: false, ..*context };
    let which = if before { Some(-1) } else { None };
    Days::one(weekday(day, which, 0, &from)?.first, Tense::Open)
}

/// Said twice: both must mean the same day.
fn both(a: &Date, b: &Date, context: &ResolveContext, has_clock: bool) -> Result<Days, Problem> {
    // A holiday and, in apposition, a day: the day that is named beside it says which.
    match (a, b) {
        (Date::Holiday { holiday, .. }, known) | (known, Date::Holiday { holiday, .. })
            if holiday::is_kept_elsewhen(*holiday, context) =>
        {
            return days(known, context, has_clock);
        }
        _ => {}
    }
    let first = days(a, context, has_clock)?;
    let agree = match b {
        // Two names in apposition: only the name is compared.
        Date::Weekday { day, .. } => first.first.weekday() == *day,
        other => days(other, context, has_clock)?.first == first.first,
    };
    let agree = agree || matches!(a, Date::Weekday { day, .. } if days(b, context, has_clock)?.first.weekday() == *day);
    if agree {
        return if matches!(a, Date::Weekday { .. }) { days(b, context, has_clock) } else { Ok(first) };
    }
    let second = days(b, context, has_clock)?;
    Err(Problem::Ambiguous {
        candidates: vec![context.day_start(first.first), context.day_start(second.first)],
        why: "it names two different days".to_owned(),
    })
}
