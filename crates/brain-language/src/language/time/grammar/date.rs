//! Dates: "tomorrow", "next Friday", "3rd of April", "last Friday of the month", "end of May".

use chrono::Weekday;

use super::super::DateOrder;
use super::super::defaults::PartOfDay;
use super::super::words::{DaySet, Link, Sense, TokenLine, Unit};
use super::numbered::{day_and_month, day_number, day_of_month, month_alone, month_and_day, year_after};
use super::numeric;
use super::period::{after_next, edge, numbered_quarter, numbered_week, period, weekend, which};
use super::phrase::{Date, Period};
use super::span::unit;

/// A date as heard.
#[derive(Debug, Clone)]
pub struct DateReading {
    pub date: Date,
    /// "Tonight" is a day and a part of it.
    pub part: Option<&'static PartOfDay>,
    pub next: usize,
    pub company: Company,
}

/// What must stand beside an expression for it to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Company {
    Nothing,
    /// A preposition, or another part of a time: "sat", "may", "3/4".
    Some,
    /// Any small word: "at the weekend".
    Lead,
    /// A preposition of days ("on", "by"): "the 15th".
    DayWord,
    /// "On" itself: at or by "15.10" is a clock time or a date.
    On,
}

pub fn heard(date: Date, next: usize) -> DateReading {
    DateReading { date, part: None, next, company: Company::Nothing }
}

/// The longest date that begins at `i`.
pub fn date(line: &TokenLine, i: usize, order: DateOrder) -> Option<DateReading> {
    let readings = [
        numeric::date(line, i, order),
        relative_day(line, i),
        day_and_month(line, i),
        month_and_day(line, i),
        which(line, i),
        weekday(line, i),
        nth(line, i),
        day_of_month(line, i),
        edge(line, i),
        holiday(line, i),
        month_alone(line, i),
        after_next(line, i),
        week_of(line, i, order),
        weekend(line, i),
        numbered_week(line, i).map(|(period, next)| heard(Date::Period(period), next)),
        numbered_quarter(line, i)
            .map(|(period, next)| DateReading { company: Company::Some, ..heard(Date::Period(period), next) }),
    ];
    // The first of equally long readings wins.
    readings.into_iter().flatten().reduce(|best, other| if other.next > best.next { other } else { best })
}

fn relative_day(line: &TokenLine, i: usize) -> Option<DateReading> {
    line.pick(i, |a| match a.sense {
        Sense::Day(days) => Some((Date::Day(days), None, a.weak)),
        Sense::DayPart(days, part) => Some((Date::Day(days), Some(part), a.weak)),
        Sense::WeekdayPart(day, part) => Some((Date::Weekday { day, which: None, weeks: 0 }, Some(part), a.weak)),
        _ => None,
    })
    .map(|((date, part, weak), next)| match (&date, part, unit(line, next)) {
        // "Tomorrow week", as "Friday week".
        (Date::Day(days), None, Some((Unit::Week, next))) => heard(Date::Day(days + 7), next),
        _ => DateReading { date, part, next, company: company(weak) },
    })
}

pub fn company(weak: bool) -> Company {
    if weak { Company::Some } else { Company::Nothing }
}

/// "Week of 12 January".
fn week_of(line: &TokenLine, i: usize, order: DateOrder) -> Option<DateReading> {
    let (Unit::Week, next) = unit(line, i)? else {
        return None;
    };
    let at = line.skip(line.link(next, Link::Of)?, &[Link::The]);
    // "The week of Mon 12 January": the date says more than the name.
    let named = weekday_name(line, at).and_then(|(_, _, next)| day_and_month(line, next));
    let day = named.or_else(|| date(line, at, order))?;
    if !day.date.is_one_day() || day.part.is_some() {
        return None;
    }
    Some(heard(Date::WeekOf(Box::new(day.date)), day.next))
}

pub fn weekday_name(line: &TokenLine, i: usize) -> Option<(Weekday, bool, usize)> {
    let ((day, weak), next) = line.pick(i, |a| match a.sense {
        Sense::Weekday(day) => Some((day, a.weak)),
        _ => None,
    })?;
    // "Mon." and "Fr."
    let short = line.tokens.get(i).is_some_and(|t| t.key.len() <= 4);
    let dotted = short && line.glued_mark(next, '.') && next + 1 < line.tokens.len();
    Some((day, weak, if dotted { next + 1 } else { next }))
}

/// "Friday", "Friday week", "Friday after next", "Friday next week".
fn weekday(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (day, weak, next) = weekday_name(line, i)?;
    let later = |weeks, next| Some(heard(Date::Weekday { day, which: None, weeks }, next));
    if let Some(next) = line.link(next, Link::AfterNext) {
        return later(1, next);
    }
    let earlier = [(Link::Gone, 0), (Link::BeforeLast, -1)];
    if let Some((next, weeks)) = earlier.iter().find_map(|(link, weeks)| Some((line.link(next, *link)?, *weeks))) {
        return Some(heard(Date::Weekday { day, which: Some(-1), weeks }, next));
    }
    let of = line.link(next, Link::Of).and_then(|at| period(line, at));
    if let Some((Period::Week(week), next)) = of {
        return Some(heard(Date::WeekdayOfWeek { day, week }, next));
    }
    match unit(line, next) {
        Some((Unit::Week, after)) => return later(1, after),
        Some((Unit::Fortnight, after)) => return later(2, after),
        Some(_) | None => {}
    }
    Some(DateReading { company: company(weak), ..heard(Date::Weekday { day, which: None, weeks: 0 }, next) })
}

/// "First Monday of January", "last Friday of the month", "last day of next month".
fn nth(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (n, days, next) = nth_day(line, i)?;
    let (of, next) = period(line, line.link(next, Link::Of)?)?;
    Some(heard(Date::Nth { n, days, of }, next))
}

/// "First Monday", "last day", "last working day": which of the days that are counted.
pub fn nth_day(line: &TokenLine, i: usize) -> Option<(i32, DaySet, usize)> {
    let ordinal = line.pick(i, |a| match a.sense {
        Sense::Ordinal(n) => Some(n),
        _ => None,
    });
    let (n, at) = ordinal.or_else(|| {
        let (n, marked, next) = day_number(line, i)?;
        (marked && n <= 5).then_some((n as i32, next))
    })?;
    if let Some((day, _, next)) = weekday_name(line, at) {
        return Some((n, DaySet::default().with(day), next));
    }
    if let Some((days, next)) = line.pick(at, |a| match a.sense {
        Sense::Weekend => Some(DaySet::default().with(Weekday::Sat)),
        Sense::Workday => Some(DaySet::WORK),
        _ => None,
    }) {
        return Some((n, days, next));
    }
    let (unit, next) = unit(line, at)?;
    (unit == Unit::Day).then_some((n, DaySet::ALL, next))
}

fn holiday(line: &TokenLine, i: usize) -> Option<DateReading> {
    let ((holiday, weak), next) = line.pick(i, |a| match a.sense {
        Sense::Holiday(holiday) => Some((holiday, a.weak)),
        _ => None,
    })?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let date = Date::Holiday { holiday, year, which: None };
    Some(DateReading { company: company(weak), ..heard(date, next) })
}
