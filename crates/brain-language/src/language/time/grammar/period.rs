//! Weeks, months and years: "next week", "the weekend", "end of May", "the next 3 days".

use std::ops::Range;

use super::super::DateOrder;
use super::super::words::{Edge, LEXICONS, Link, Sense, TokenLine, Unit};
use super::bytes;
use super::clock::{Surety, clock};
use super::date::{Company, DateReading, company, date, heard, weekday_name};
use super::numbered::{month_and_day, month_name, year, year_after};
use super::phrase::{Date, MonthOf, Period, SpanPhrase};
use super::span::{span, unit};

/// "Q3", "Q3 2027".
pub fn numbered_quarter(line: &TokenLine, i: usize) -> Option<(Period, usize)> {
    let (quarter, next) = line.pick(i, |a| match a.sense {
        Sense::NumberedQuarter(quarter) => Some(quarter),
        _ => None,
    })?;
    let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
    Some((Period::QuarterNumbered { quarter, year }, next))
}

/// "Calendar week 46".
pub fn numbered_week(line: &TokenLine, i: usize) -> Option<(Period, usize)> {
    let at = line.link(i, Link::WeekNo)?;
    let (week, _) = line.digits(at).filter(|(n, _)| (1..=53).contains(n))?;
    Some((Period::WeekNumbered(week), at + 1))
}

/// "(At the) weekend".
pub fn weekend(line: &TokenLine, i: usize) -> Option<DateReading> {
    let next = line.pick(i, |a| (a.sense == Sense::Weekend && !a.weak).then_some(()))?.1;
    Some(DateReading { company: Company::Lead, ..heard(Date::Period(Period::Weekend(0)), next) })
}

/// "The week after next", "the week before last".
pub fn after_next(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (period, next) = period_unit(line, i, 0)?;
    let named = match period {
        Period::Week(n) | Period::Weekend(n) | Period::Month(MonthOf::From(n)) | Period::Year(n) => n.abs() == 2,
        _ => false,
    };
    named.then(|| heard(Date::Period(period), next))
}

/// "This", "next", "last" and the like, with what they belong to.
pub fn which(line: &TokenLine, i: usize) -> Option<DateReading> {
    let heard = which_of_all(line, i)?;
    // "The last weekend of January" counts within January.
    let counted = line.link(heard.next, Link::Of).and_then(|at| period(line, at));
    let own_period = matches!(heard.date, Date::Period(Period::Weekend(_)));
    if counted.is_some() && own_period { None } else { Some(heard) }
}

pub fn which_of_all(line: &TokenLine, i: usize) -> Option<DateReading> {
    let (which, at) = which_word(line, i)?;
    // "The plumber is coming October 12".
    let comes = which.is_none() && which_word(line, at).is_none();
    let longer =
        |heard: &DateReading| comes && date(line, at, DateOrder::DayFirst).is_some_and(|d| d.next > heard.next);
    which_thing(line, which, at).filter(|heard| !longer(heard))
}

fn which_thing(line: &TokenLine, which: Option<i64>, at: usize) -> Option<DateReading> {
    // "Coming quarter to 8": somebody is.
    if clock(line, at).is_some_and(|c| c.surety == Surety::Sure) {
        return None;
    }
    if let Some((day, weak, next)) = weekday_name(line, at) {
        let company = company(weak && which == Some(0));
        let date = Date::Weekday { day, which, weeks: 0 };
        return Some(DateReading { company, ..heard(date, next) });
    }
    if let Some((month, weak, next)) = month_name(line, at) {
        let month = MonthOf::Named { month, year: None, which };
        let company = company(weak && which != Some(1));
        return Some(DateReading { company, ..heard(Date::Period(Period::Month(month)), next) });
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
    // "The plumber is coming late morning".
    if let Some((part, next)) = part.filter(|_| matches!(which, Some(0 | -1))) {
        return Some(DateReading { part: Some(part), ..heard(Date::Day(n), next) });
    }
    window(line, at, n)
}

/// The number of a which-word; `None` for "coming", which differs from "this" on the day itself.
pub fn which_word(line: &TokenLine, i: usize) -> Option<(Option<i64>, usize)> {
    if let Some(next) = line.link(i, Link::Coming) {
        return Some((None, next));
    }
    line.pick(i, |a| match a.sense {
        Sense::Which(n) => Some(Some(n)),
        _ => None,
    })
}

/// "The next 3 days", "the last two weeks", "the next hour".
pub fn window(line: &TokenLine, i: usize, which: i64) -> Option<DateReading> {
    if which != 1 && which != -1 {
        return None;
    }
    let (length, next) = span(line, i).or_else(|| {
        let (unit, next) = unit(line, i)?;
        // "The last minute" and "the next day" are figures of speech.
        (unit == Unit::Hour).then_some((SpanPhrase::of(unit, 100), next))
    })?;
    let length = if which < 0 { length.back() } else { length };
    Some(heard(Date::Window(length), next))
}

pub fn period_unit(line: &TokenLine, i: usize, n: i64) -> Option<(Period, usize)> {
    if let Some(next) = line.pick(i, |a| (a.sense == Sense::Weekend).then_some(())).map(|p| p.1) {
        return Some(match line.link(next, Link::AfterNext).filter(|_| n == 0) {
            Some(next) => (Period::Weekend(2), next),
            None => (Period::Weekend(n), next),
        });
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
    let before_last = line.link(next, Link::BeforeLast).filter(|_| n == 0);
    match (before_last, period) {
        (Some(next), Period::Week(_)) => return Some((Period::Week(-2), next)),
        (Some(next), Period::Month(_)) => return Some((Period::Month(MonthOf::From(-2)), next)),
        (Some(next), Period::Year(_)) => return Some((Period::Year(-2), next)),
        _ => {}
    }
    let after_next = line.link(next, Link::AfterNext).filter(|_| n == 0);
    match (after_next, period) {
        (Some(next), Period::Week(_)) => Some((Period::Week(2), next)),
        (Some(next), Period::Month(_)) => Some((Period::Month(MonthOf::From(2)), next)),
        (Some(next), Period::Year(_)) => Some((Period::Year(2), next)),
        _ => Some((period, next)),
    }
}

/// A period with its article or which-word: "the month", "next week", "January", "2027".
pub fn period(line: &TokenLine, i: usize) -> Option<(Period, usize)> {
    let i = line.skip(i, &[Link::The]);
    if let Some((month, _, next)) = month_name(line, i) {
        let (year, next) = year_after(line, next).map_or((None, next), |(y, n)| (Some(y), n));
        return Some((Period::Month(MonthOf::Named { month, year, which: None }), next));
    }
    if let Some((year, next)) = year(line, i) {
        return Some((Period::YearNumbered(year), next));
    }
    if let Some(found) = numbered_quarter(line, i).or_else(|| numbered_week(line, i)) {
        return Some(found);
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

/// "End of the month", "beginning of next week", "early January", "mid-March".
pub fn edge(line: &TokenLine, i: usize) -> Option<DateReading> {
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
    // "Classes start Aug 31".
    if month_and_day(line, next).is_some() {
        return None;
    }
    let (period, next) = period(line, next).or_else(|| {
        line.pick(line.skip(next, &[Link::The]), |a| match a.sense {
            Sense::Day(0) => Some(Period::Today),
            _ => None,
        })
    })?;
    Some(heard(Date::Edge(edge, period), next))
}

/// A season as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeasonMention {
    pub span: Range<usize>,
    /// In which it begins in the north.
    pub month: u32,
    pub year: Option<i32>,
    pub which: Option<i64>,
}

/// The first season that is named: "in spring", "last summer", "in the winter of 2024". Only where something is looked
/// for: whoever does something at a time says it more exactly.
pub fn season_in(text: &str) -> Option<SeasonMention> {
    LEXICONS.iter().find_map(|lexicon| {
        let line = TokenLine::new(text, lexicon);
        (0..line.tokens.len()).find_map(|i| season(&line, i))
    })
}

fn season(line: &TokenLine, i: usize) -> Option<SeasonMention> {
    let at = [Link::In, Link::Since].iter().find_map(|lead| line.link(i, *lead)).unwrap_or(i);
    let (which, named) = which_word(line, at).unwrap_or((None, at));
    let named = line.skip(named, &[Link::The]);
    if named == i {
        return None;
    }
    let (month, next) = line.pick(named, |a| match a.sense {
        Sense::Season(month) => Some(month),
        _ => None,
    })?;
    let (year, next) = year_after(line, next).map_or((None, next), |(year, next)| (Some(year), next));
    Some(SeasonMention { span: bytes(line, i, next), month, year, which })
}
