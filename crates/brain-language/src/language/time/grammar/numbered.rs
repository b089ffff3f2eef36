//! Days of months: "3rd of April", "April 3", "the 15th", "3-5 May", and months themselves.

use super::super::words::{Link, Sense, TokenLine};
use super::date::{Company, DateReading, heard};
use super::period::period;
use super::phrase::{Date, MonthOf, Period};
use super::span::{number, unit, word_number};

pub fn month_name(line: &TokenLine, i: usize) -> Option<(u32, bool, usize)> {
    line.pick(i, |a| match a.sense {
        Sense::Month(month) => Some((month, a.weak)),
        _ => None,
    })
    .map(|((month, weak), next)| (month, weak, next))
    // "Jan." and "sept."
    .map(|(m, w, next)| (m, w, if abbreviated(line, next) { next + 1 } else { next }))
}

pub fn abbreviated(line: &TokenLine, i: usize) -> bool {
    let short = i.checked_sub(1).and_then(|b| line.tokens.get(b)).is_some_and(|t| t.key.len() <= 4);
    short && line.glued_mark(i, '.') && i + 1 < line.tokens.len()
}

/// A day's number, with what marks it as one: "3rd", "3.", "third". The flag: was it marked?
pub fn day_number(line: &TokenLine, i: usize) -> Option<(u32, bool, usize)> {
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
    let ordinal = |i| {
        line.pick(i, |a| match a.sense {
            Sense::Ordinal(n) => u32::try_from(n).ok(),
            _ => None,
        })
    };
    // "Twenty-ninth".
    if let Some((tens, next)) = word_number(line, i).filter(|(n, next)| n % 10 == 0 && line.glued_mark(*next, '-')) {
        let (ones, next) = ordinal(next + 1).filter(|(n, _)| *n < 10)?;
        return Some((tens + ones, true, next));
    }
    ordinal(i).map(|(day, next)| (day, true, next))
}

pub fn year_after(line: &TokenLine, i: usize) -> Option<(i32, usize)> {
    let i = if line.mark(i, ',') { i + 1 } else { i };
    let i = line.link(i, Link::Of).filter(|n| year(line, *n).is_some()).unwrap_or(i);
    year(line, i).filter(|(_, next)| line.ends_figure(*next))
}

pub fn year(line: &TokenLine, i: usize) -> Option<(i32, usize)> {
    let Some((value, digits)) = line.digits(i) else {
        return spoken_year(line, i);
    };
    (digits == 4 && (1900..2200).contains(&value)).then_some((value as i32, i + 1))
}

/// "Twenty twenty-seven", "nineteen ninety-eight".
fn spoken_year(line: &TokenLine, i: usize) -> Option<(i32, usize)> {
    let (century, next) = word_number(line, i).filter(|(n, _)| matches!(n, 19 | 20))?;
    let (rest, next) = word_number(line, next).filter(|(n, _)| (10..100).contains(n))?;
    unit(line, next).is_none().then_some(((century * 100 + rest) as i32, next))
}

/// "(At 5) October 12", "(2-4) Oct 12th": the month has a day of its own behind it. Unmarked it may as well be an hour.
pub fn has_own_day(line: &TokenLine, month_at: usize, unmarked: bool) -> bool {
    let Some((_, _, next)) = month_name(line, month_at) else {
        return false;
    };
    let marked = day_number(line, next).is_some_and(|(_, marked, _)| marked);
    (marked || unmarked) && month_and_day(line, month_at).is_some()
}

/// "3 April", "3rd of April 2027", "the third of april", "3. April".
pub fn day_and_month(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (day, marked, next) = day_number(line, i)?;
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let next = line.link(next, Link::Of).unwrap_or(next);
    let hour_like =
        [Link::At, Link::For].iter().any(|link| i.checked_sub(1).is_some_and(|b| line.link(b, *link).is_some()));
    if !marked && has_own_day(line, next, hour_like) {
        return None;
    }
    if is_place(line, i, next) {
        return None;
    }
    let (month, _, next) = month_name(line, next)?;
    // "24 March Road".
    if line.link(next, Link::Street).is_some() {
        return None;
    }
    // A licence plate: "8MAY225".
    if line.glued(next) && line.digits(next).is_some_and(|(_, digits)| digits != 4) {
        return None;
    }
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    Some(numbered(day, Some(MonthOf::Named { month, year, which: None }), next))
}

/// "Second in the March pool".
fn is_place(line: &TokenLine, i: usize, month_at: usize) -> bool {
    line.digits(i).is_none() && month_at.checked_sub(2).is_some_and(|b| line.tokens[b].key == "in")
}

pub fn numbered(day: u32, month: Option<MonthOf>, next: usize) -> DateReading {
    heard(Date::Numbered { day, month, weekday: None }, next)
}

/// "April 3", "April the 3rd", "Jan 5 2027".
pub fn month_and_day(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (month, _, next) = month_name(line, i)?;
    let next = if line.glued_mark(next, '-') { next + 1 } else { next };
    let next = line.link(next, Link::The).unwrap_or(next);
    let (day, marked, next) = day_number(line, next)?;
    if !marked
        && (!(line.ends_figure(next) || line.glued_mark(next, '-'))
            || line.link(next, Link::Counted).is_some()
            || day > 31)
    {
        return None;
    }
    // "May 5 pm": the number is an hour.
    if !marked
        && (line.link(next, Link::Pm).is_some() || line.link(next, Link::Am).is_some() || line.glued_mark(next, ':'))
    {
        return None;
    }
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let month = Some(MonthOf::Named { month, year, which: None });
    Some(numbered(day, month, next))
}

pub fn month_alone(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (month, weak, next) = month_name(line, i)?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    let period = Period::Month(MonthOf::Named { month, year, which: None });
    let company = if weak && year.is_none() {
        Company::Some
    } else if year.is_none() {
        Company::Lead
    } else {
        Company::Nothing
    };
    Some(DateReading { company, ..heard(Date::Period(period), next) })
}

/// "The 15th", "15th of next month", "am 3.".
pub fn day_of_month(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (day, marked, next) = day_number(line, i)?;
    let of = line.link(next, Link::Of).filter(|at| !is_place(line, i, *at)).and_then(|at| period(line, at));
    if let Some((Period::Month(month), next)) = of
        && marked
    {
        // "The 5th of the month" is the next one.
        let month = Some(month).filter(|m| *m != MonthOf::From(0));
        return Some(numbered(day, month, next));
    }
    if !marked || day > 31 {
        return None;
    }
    Some(DateReading { company: Company::DayWord, ..numbered(day, None, next) })
}

/// "3-5 May", "3rd to 5th of May", "May 3 to 5": both days.
pub fn day_range(line: &TokenLine, i: usize) -> Option<(Date, Date, usize)> {
    let of = |day, month, next| (Date::Numbered { day, month, weekday: None }, next);
    if let Some((first, _, next)) = day_number(line, i) {
        let second_at = line.skip(line.link(next, Link::To)?, &[Link::The]);
        let second = day_and_month(line, second_at)?;
        let Date::Numbered { month, .. } = second.date else {
            return None;
        };
        return Some((of(first, month, 0).0, second.date, second.next));
    }
    let first = month_and_day(line, i)?;
    let Date::Numbered { month, .. } = first.date else {
        return None;
    };
    let second_at = line.link(first.next, Link::To)?;
    let (day, _, next) = day_number(line, second_at)?;
    if !line.ends_figure(next) || line.glued_mark(next, ':') || month_name(line, next).is_some() {
        return None;
    }
    Some((first.date, of(day, month, 0).0, next))
}

/// A bare number of a day beside its weekday: "Friday 13".
pub fn bare_day(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    let (day, next) = number(line, i)?;
    (line.digits(i).is_some() && (13..=31).contains(&day) && line.ends_figure(next)).then_some((day, next))
}
