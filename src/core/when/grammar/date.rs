//! Dates: "tomorrow", "next Friday", "3rd of April", "last Friday of the month", "end of May".

use chrono::Weekday;

use super::super::DateOrder;
use super::super::words::{Edge, Line, Link, Sense, Unit};
use super::numeric;
use super::phrase::{Date, MonthOf, Period, Span};
use super::span::{number, span, unit};
use crate::core::when::defaults::Part;

/// A date as heard.
#[derive(Debug, Clone)]
pub struct Heard {
    pub date: Date,
    /// "Tonight" is a day and a part of it.
    pub part: Option<&'static Part>,
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
}

fn heard(date: Date, next: usize) -> Heard {
    Heard { date, part: None, next, company: Company::Nothing }
}

/// The longest date that begins at `i`.
pub fn date(line: &Line, i: usize, order: DateOrder) -> Option<Heard> {
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
        weekend(line, i),
    ];
    // The first of equally long readings wins.
    readings.into_iter().flatten().reduce(|best, other| if other.next > best.next { other } else { best })
}

fn relative_day(line: &Line, i: usize) -> Option<Heard> {
    line.pick(i, |a| match a.sense {
        Sense::Day(days) => Some((Date::Day(days), None, a.weak)),
        Sense::DayPart(days, part) => Some((Date::Day(days), Some(part), a.weak)),
        Sense::WeekdayPart(day, part) => {
            Some((Date::Weekday { day, which: None, weeks: 0 }, Some(part), a.weak))
        }
        _ => None,
    })
    .map(|((date, part, weak), next)| Heard { date, part, next, company: company(weak) })
}

fn company(weak: bool) -> Company {
    if weak { Company::Some } else { Company::Nothing }
}

pub fn month_name(line: &Line, i: usize) -> Option<(u32, bool, usize)> {
    line.pick(i, |a| match a.sense {
        Sense::Month(month) => Some((month, a.weak)),
        _ => None,
    })
    .map(|((month, weak), next)| (month, weak, next))
    // "Jan." and "sept."
    .map(|(m, w, next)| (m, w, if abbreviated(line, next) { next + 1 } else { next }))
}

fn abbreviated(line: &Line, i: usize) -> bool {
    let short = i.checked_sub(1).and_then(|b| line.tokens.get(b)).is_some_and(|t| t.key.len() <= 4);
    short && line.glued_mark(i, '.') && i + 1 < line.tokens.len()
}

/// A day's number, with what marks it as one: "3rd", "3.", "third". The flag: was it marked?
pub fn day_number(line: &Line, i: usize) -> Option<(u32, bool, usize)> {
    if let Some((day, digits)) = line.digits(i) {
        if digits > 2 || day == 0 || day > 39 || !line.begins_figure(i) {
            return None;
        }
        let next = i + 1;
        if line.glued(next) {
            if let Some(after) = line.link(next, Link::OrdinalMark) {
                return Some((day, true, after));
            }
            let dot = line.link(next, Link::OrdinalDot);
            if let Some(after) = dot.filter(|n| !(line.glued(*n) && line.digits(*n).is_some())) {
                return Some((day, true, after));
            }
        }
        return Some((day, false, next));
    }
    line.pick(i, |a| match a.sense {
        Sense::Ordinal(n) => u32::try_from(n).ok(),
        _ => None,
    })
    .map(|(day, next)| (day, true, next))
}

fn year_after(line: &Line, i: usize) -> Option<(i32, usize)> {
    let i = if line.mark(i, ',') { i + 1 } else { i };
    let i = line.link(i, Link::Of).filter(|n| year(line, *n).is_some()).unwrap_or(i);
    year(line, i).filter(|(_, next)| line.ends_figure(*next))
}

pub fn year(line: &Line, i: usize) -> Option<(i32, usize)> {
    let (value, digits) = line.digits(i)?;
    (digits == 4 && (1900..2200).contains(&value)).then_some((value as i32, i + 1))
}

/// "3 April", "3rd of April 2027", "the third of april", "3. April".
fn day_and_month(line: &Line, i: usize) -> Option<Heard> {
    let (day, _, next) = day_number(line, i)?;
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let next = line.link(next, Link::Of).unwrap_or(next);
    let (month, _, next) = month_name(line, next)?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    Some(numbered(day, Some(MonthOf::Named { month, year, which: None }), next))
}

fn numbered(day: u32, month: Option<MonthOf>, next: usize) -> Heard {
    heard(Date::Numbered { day, month, weekday: None }, next)
}

/// "April 3", "April the 3rd", "Jan 5 2027".
fn month_and_day(line: &Line, i: usize) -> Option<Heard> {
    let (month, _, next) = month_name(line, i)?;
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let next = line.link(next, Link::The).unwrap_or(next);
    let (day, marked, next) = day_number(line, next)?;
    if !marked && (!(line.ends_figure(next) || line.glued_mark(next, '-')) || line.link(next, Link::Counted).is_some() || day > 31) {
        return None;
    }
    // "May 5 pm": the number is an hour.
    if !marked && (line.link(next, Link::Pm).is_some() || line.link(next, Link::Am).is_some() || line.glued_mark(next, ':')) {
        return None;
    }
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let month = Some(MonthOf::Named { month, year, which: None });
    Some(numbered(day, month, next))
}

fn month_alone(line: &Line, i: usize) -> Option<Heard> {
    let (month, weak, next) = month_name(line, i)?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let period = Period::Month(MonthOf::Named { month, year, which: None });
    let company = company(weak && year.is_none());
    Some(Heard { company, ..heard(Date::Period(period), next) })
}

/// "(At the) weekend".
fn weekend(line: &Line, i: usize) -> Option<Heard> {
    let next = line.pick(i, |a| (a.sense == Sense::Weekend && !a.weak).then_some(()))?.1;
    Some(Heard { company: Company::Lead, ..heard(Date::Period(Period::Weekend(0)), next) })
}

/// "The week after next".
fn after_next(line: &Line, i: usize) -> Option<Heard> {
    let (period, next) = period_unit(line, i, 0)?;
    matches!(period, Period::Week(2) | Period::Month(MonthOf::From(2)) | Period::Year(2))
        .then(|| heard(Date::Period(period), next))
}

/// "This", "next", "last" and the like, with what they belong to.
fn which(line: &Line, i: usize) -> Option<Heard> {
    let heard = which_of_all(line, i)?;
    // "The last weekend of January" counts within January.
    let counted = line.link(heard.next, Link::Of).and_then(|at| period(line, at));
    let own_period = matches!(heard.date, Date::Period(Period::Weekend(_)));
    if counted.is_some() && own_period { None } else { Some(heard) }
}

fn which_of_all(line: &Line, i: usize) -> Option<Heard> {
    let (which, at) = which_word(line, i)?;
    if let Some((day, weak, next)) = weekday_name(line, at) {
        let company = company(weak && which == Some(0));
        let date = Date::Weekday { day, which, weeks: 0 };
        return Some(Heard { company, ..heard(date, next) });
    }
    if let Some((month, weak, next)) = month_name(line, at) {
        let month = MonthOf::Named { month, year: None, which };
        let company = company(weak && which != Some(1));
        return Some(Heard { company, ..heard(Date::Period(Period::Month(month)), next) });
    }
    let n = which.unwrap_or(0);
    if let Some((period, next)) = period_unit(line, at, n) {
        return Some(heard(Date::Period(period), next));
    }
    let holiday = line.pick(at, |a| match a.sense {
        Sense::Holiday(holiday) => Some(holiday),
        _ => None,
    });
    if let Some((holiday, next)) = holiday {
        return Some(heard(Date::Holiday { holiday, year: None, which }, next));
    }
    let part = line.pick(at, |a| match a.sense {
        Sense::Part(part) if !a.weak => Some(part),
        _ => None,
    });
    if let Some((part, next)) = part.filter(|_| matches!(n, 0 | -1)) {
        return Some(Heard { part: Some(part), ..heard(Date::Day(n), next) });
    }
    window(line, at, n)
}

/// The number of a which-word; `None` for "coming", which differs from "this" on the day itself.
fn which_word(line: &Line, i: usize) -> Option<(Option<i64>, usize)> {
    if let Some(next) = line.link(i, Link::Coming) {
        return Some((None, next));
    }
    line.pick(i, |a| match a.sense {
        Sense::Which(n) => Some(Some(n)),
        _ => None,
    })
}

/// "The next 3 days", "the last two weeks", "the next hour".
fn window(line: &Line, i: usize, which: i64) -> Option<Heard> {
    if which != 1 && which != -1 {
        return None;
    }
    let (length, next) = span(line, i).or_else(|| {
        let (unit, next) = unit(line, i)?;
        // "The last minute" and "the next day" are figures of speech.
        (unit == Unit::Hour).then_some((Span::of(unit, 100), next))
    })?;
    let length = if which < 0 { length.back() } else { length };
    Some(heard(Date::Window(length), next))
}

pub fn period_unit(line: &Line, i: usize, n: i64) -> Option<(Period, usize)> {
    if let Some(next) = line.pick(i, |a| (a.sense == Sense::Weekend).then_some(())).map(|p| p.1) {
        return Some((Period::Weekend(n), next));
    }
    let (unit, next) = unit(line, i)?;
    let period = match unit {
        Unit::Week => Period::Week(n),
        Unit::Month => Period::Month(MonthOf::From(n)),
        Unit::Quarter => Period::Quarter(n),
        Unit::Year => Period::Year(n),
        Unit::Second | Unit::Minute | Unit::Hour | Unit::Day | Unit::Workday | Unit::Fortnight => {
            return None;
        }
    };
    let after_next = line.link(next, Link::AfterNext).filter(|_| n == 0);
    match (after_next, period) {
        (Some(next), Period::Week(_)) => Some((Period::Week(2), next)),
        (Some(next), Period::Month(_)) => Some((Period::Month(MonthOf::From(2)), next)),
        (Some(next), Period::Year(_)) => Some((Period::Year(2), next)),
        _ => Some((period, next)),
    }
}

pub fn weekday_name(line: &Line, i: usize) -> Option<(Weekday, bool, usize)> {
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
fn weekday(line: &Line, i: usize) -> Option<Heard> {
    let (day, weak, next) = weekday_name(line, i)?;
    let later = |weeks, next| Some(heard(Date::Weekday { day, which: None, weeks }, next));
    if let Some(next) = line.link(next, Link::AfterNext) {
        return later(1, next);
    }
    match unit(line, next) {
        Some((Unit::Week, after)) => return later(1, after),
        Some((Unit::Fortnight, after)) => return later(2, after),
        Some(_) | None => {}
    }
    Some(Heard { company: company(weak), ..heard(Date::Weekday { day, which: None, weeks: 0 }, next) })
}

/// A period with its article or which-word: "the month", "next week", "January", "2027".
pub fn period(line: &Line, i: usize) -> Option<(Period, usize)> {
    let i = line.skip(i, &[Link::The]);
    if let Some((month, _, next)) = month_name(line, i) {
        let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
        return Some((Period::Month(MonthOf::Named { month, year, which: None }), next));
    }
    if let Some((year, next)) = year(line, i) {
        return Some((Period::YearNumbered(year), next));
    }
    let (n, at) = match which_word(line, i) {
        Some((which, at)) => (which, at),
        None => return period_unit(line, i, 0),
    };
    if let Some((month, _, next)) = month_name(line, at) {
        return Some((Period::Month(MonthOf::Named { month, year: None, which: n }), next));
    }
    period_unit(line, at, n.unwrap_or(0))
}

/// "First Monday of January", "last Friday of the month", "last day of next month".
fn nth(line: &Line, i: usize) -> Option<Heard> {
    let (n, day, next) = nth_day(line, i)?;
    let (of, next) = period(line, line.link(next, Link::Of)?)?;
    Some(heard(Date::Nth { n, day, of }, next))
}

/// "First Monday", "last day": without the weekday it is a day of the period.
pub fn nth_day(line: &Line, i: usize) -> Option<(i32, Option<Weekday>, usize)> {
    let ordinal = line.pick(i, |a| match a.sense {
        Sense::Ordinal(n) => Some(n),
        _ => None,
    });
    let (n, at) = ordinal.or_else(|| {
        let (n, marked, next) = day_number(line, i)?;
        (marked && n <= 5).then_some((n as i32, next))
    })?;
    if let Some((day, _, next)) = weekday_name(line, at) {
        return Some((n, Some(day), next));
    }
    if let Some((_, next)) = line.pick(at, |a| (a.sense == Sense::Weekend).then_some(())) {
        return Some((n, Some(Weekday::Sat), next));
    }
    let (unit, next) = unit(line, at)?;
    (unit == Unit::Day).then_some((n, None, next))
}

/// "The 15th", "15th of next month", "am 3.".
fn day_of_month(line: &Line, i: usize) -> Option<Heard> {
    let (day, marked, next) = day_number(line, i)?;
    let of = line.link(next, Link::Of).and_then(|at| period(line, at));
    if let Some((Period::Month(month), next)) = of {
        if marked {
            return Some(numbered(day, Some(month), next));
        }
    }
    if !marked || day > 31 {
        return None;
    }
    Some(Heard { company: Company::DayWord, ..numbered(day, None, next) })
}

/// "End of the month", "beginning of next week", "early January", "mid-March".
fn edge(line: &Line, i: usize) -> Option<Heard> {
    let whole = line.pick(i, |a| match a.sense {
        Sense::EdgeOf(unit) => Some(unit),
        _ => None,
    });
    if let Some((unit, next)) = whole {
        let period = match unit {
            Unit::Week => Period::Week(0),
            Unit::Month => Period::Month(MonthOf::From(0)),
            _ => Period::Year(0),
        };
        return Some(heard(Date::Edge(Edge::End, period), next));
    }
    let (edge, next) = line.pick(i, |a| match a.sense {
        Sense::Edge(edge) => Some(edge),
        _ => None,
    })?;
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let (period, next) = period(line, next).or_else(|| {
        let today = line.pick(line.skip(next, &[Link::The]), |a| match a.sense {
            Sense::Day(0) => Some(Period::Today),
            _ => None,
        });
        today
    })?;
    Some(heard(Date::Edge(edge, period), next))
}

fn holiday(line: &Line, i: usize) -> Option<Heard> {
    let ((holiday, weak), next) = line.pick(i, |a| match a.sense {
        Sense::Holiday(holiday) => Some((holiday, a.weak)),
        _ => None,
    })?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let date = Date::Holiday { holiday, year, which: None };
    Some(Heard { company: company(weak), ..heard(date, next) })
}

/// "3-5 May", "3rd to 5th of May", "May 3 to 5": both days.
pub fn day_range(line: &Line, i: usize) -> Option<(Date, Date, usize)> {
    let of = |day, month, next| (Date::Numbered { day, month, weekday: None }, next);
    if let Some((first, _, next)) = day_number(line, i) {
        let second_at = line.skip(line.link(next, Link::To)?, &[Link::The]);
        let second = day_and_month(line, second_at)?;
        let Date::Numbered { month, .. } = second.date else { return None };
        return Some((of(first, month, 0).0, second.date, second.next));
    }
    let first = month_and_day(line, i)?;
    let Date::Numbered { month, .. } = first.date else { return None };
    let second_at = line.link(first.next, Link::To)?;
    let (day, _, next) = day_number(line, second_at)?;
    if !line.ends_figure(next) || line.glued_mark(next, ':') || month_name(line, next).is_some() {
        return None;
    }
    Some((first.date, of(day, month, 0).0, next))
}

/// A bare number of a day beside its weekday: "Friday 13".
pub fn bare_day(line: &Line, i: usize) -> Option<(u32, usize)> {
    let (day, next) = number(line, i)?;
    (line.digits(i).is_some() && (13..=31).contains(&day) && line.ends_figure(next)).then_some((day, next))
}
