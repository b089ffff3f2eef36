//! Recurrences: "every other Tuesday", "daily", "Mondays and Thursdays", "every 3 May".

use chrono::Weekday;

use super::super::DateOrder;
use super::super::defaults::PartOfDay;
use super::super::words::{DaySet, Link, Sense, TokenLine, Unit};
use super::date::{self, weekday_name};
use super::numbered::day_number;
use super::phrase::{Date, MonthOf, Period, RepeatRule};
use super::span::{number, unit};

/// A rule with the date and the part of day that were said inside it.
#[derive(Debug)]
pub struct RuleReading {
    pub rule: RepeatRule,
    pub date: Option<Date>,
    pub part: Option<&'static PartOfDay>,
    pub next: usize,
}

const EVERY_MAX: u32 = 1_000;

pub fn rule(line: &TokenLine, i: usize, order: DateOrder) -> Option<RuleReading> {
    often(line, i).or_else(|| plural_days(line, i)).or_else(|| every(line, i, order)).or_else(|| nth_of_each(line, i))
}

/// "First Monday of every month", "the last day of each month", "first of every month".
fn nth_of_each(line: &TokenLine, i: usize) -> Option<RuleReading> {
    let named =
        day_number(line, i).filter(|(day, marked, next)| *marked && *day <= 31 && line.link(*next, Link::Of).is_some());
    if let Some((day, _, next)) = named
        && let Some((rule, next)) = repeats(line, next).filter(|(rule, _)| rule.unit == Unit::Month)
    {
        let date = Some(Date::Numbered { day, month: None, weekday: None });
        return Some(RuleReading { rule, date, part: None, next });
    }
    let (n, days, next) = date::nth_day(line, i)?;
    let (rule, next) = repeats(line, next)?;
    let of = Period::Month(MonthOf::From(0));
    let date = Some(Date::Nth { n, days, of });
    (rule.unit == Unit::Month).then_some(RuleReading { rule, date, part: None, next })
}

impl RepeatRule {
    /// "Every day except Sunday", "weekdays but not on Fridays": the rule, and where the days end.
    pub fn without(self, line: &TokenLine, i: usize) -> Option<(RepeatRule, usize)> {
        let at = line.skip(i, &[Link::On, Link::The]);
        let named = |at| {
            plural_days(line, at).map(|h| (h.rule.days, h.next)).or_else(|| day_list(line, at)).or_else(|| {
                line.pick(at, |a| {
                    (a.sense == Sense::Weekend).then(|| DaySet::default().with(Weekday::Sat).with(Weekday::Sun))
                })
            })
        };
        let (except, next) = named(at)?;
        let whole = match (self.unit, self.every) {
            (Unit::Day, 1) => DaySet::ALL,
            (Unit::Week, _) if self.days != DaySet::default() => self.days,
            _ => return None,
        };
        let days = whole.less(except);
        (days != DaySet::default()).then_some((RepeatRule { unit: Unit::Week, days, ..self }, next))
    }
}

fn plain(every: u32, unit: Unit, next: usize) -> RuleReading {
    RuleReading {
        rule: RepeatRule { every, unit, days: DaySet::default(), adjective: false },
        date: None,
        part: None,
        next,
    }
}

fn weekly(every: u32, days: DaySet, next: usize) -> RuleReading {
    RuleReading { rule: RepeatRule { every, unit: Unit::Week, days, adjective: false }, date: None, part: None, next }
}

fn often(line: &TokenLine, i: usize) -> Option<RuleReading> {
    let ((unit, every), next) = line.pick(i, |a| match a.sense {
        Sense::Often(unit, every) => Some((unit, every)),
        _ => None,
    })?;
    let heard = plain(every, unit, next);
    Some(RuleReading { rule: RepeatRule { adjective: true, ..heard.rule }, ..heard })
}

/// "Mondays and Thursdays", "weekdays".
pub fn plural_days(line: &TokenLine, i: usize) -> Option<RuleReading> {
    let one = |i: usize| {
        // "Monday's" is one Monday.
        let own = line.tokens.get(i).is_some_and(|t| !t.possessive);
        line.pick(i, |a| match a.sense {
            Sense::Weekdays(days) if own && !a.weak => Some(days),
            _ => None,
        })
    };
    let (mut days, mut next) = one(i)?;
    // "Three Fridays from now" are not every Friday, "at 5 Fridays" are.
    let counted = i.checked_sub(1).is_some_and(|before| number(line, before).is_some());
    if counted && [Link::FromAnchor, Link::Hence, Link::Ago].iter().any(|link| line.link(next, *link).is_some()) {
        return None;
    }
    while let Some((more, after)) = one(joint(line, next)) {
        days = days.union(more);
        next = after;
    }
    Some(weekly(1, days, next))
}

/// Past ", and".
fn joint(line: &TokenLine, i: usize) -> usize {
    let i = if line.mark(i, ',') { i + 1 } else { i };
    line.link(i, Link::And).unwrap_or(i)
}

fn every(line: &TokenLine, i: usize, order: DateOrder) -> Option<RuleReading> {
    let at = line.link(i, Link::Each)?;
    let own_day = monthly_day(line, at, order);
    let counted =
        interval(line, at).and_then(|(every, at)| unit_or_days(line, at, every)).or_else(|| unit_or_days(line, at, 1));
    match (own_day, counted) {
        (Some(day), Some(other)) if other.next > day.next => Some(other),
        (Some(day), _) => Some(day),
        (None, counted) => counted.or_else(|| half_hour(line, at)),
    }
}

/// "other", "second", "2", "3rd": how many units from one to the next.
fn interval(line: &TokenLine, i: usize) -> Option<(u32, usize)> {
    if let Some(next) = line.link(i, Link::Other) {
        return Some((2, next));
    }
    let (n, next) = number(line, i)
        .map(|(n, next)| (n, line.link(next, Link::OrdinalMark).filter(|_| line.glued(next)).unwrap_or(next)))
        .or_else(|| {
            line.pick(i, |a| match a.sense {
                Sense::Ordinal(n) => u32::try_from(n).ok(),
                _ => None,
            })
        })?;
    let next = if line.glued_mark(next, '-') || line.glued_mark(next, '.') { next + 1 } else { next };
    (1..=EVERY_MAX).contains(&n).then_some((n, next))
}

fn half_hour(line: &TokenLine, i: usize) -> Option<RuleReading> {
    let at = line.link(i, Link::Half)?;
    let (found, next) = unit(line, at)?;
    (found == Unit::Hour).then(|| plain(30, Unit::Minute, next))
}

fn unit_or_days(line: &TokenLine, i: usize, every: u32) -> Option<RuleReading> {
    if let Some((days, next)) = day_list(line, i) {
        return Some(weekly(every, days, next));
    }
    let special = line.pick(i, |a| match a.sense {
        Sense::Workday if every == 1 => Some((DaySet::WORK, None)),
        Sense::Weekend => Some((DaySet::default().with(Weekday::Sat).with(Weekday::Sun), None)),
        Sense::Weekdays(days) => Some((days, None)),
        Sense::WeekdayPart(day, part) => Some((DaySet::default().with(day), Some(part))),
        _ => None,
    });
    if let Some(((days, part), next)) = special {
        return Some(RuleReading { part, ..weekly(every, days, next) });
    }
    let part = line.pick(i, |a| match a.sense {
        Sense::Part(part) => Some(part),
        // "Jeden Morgen": the word for tomorrow is also that for morning.
        Sense::Day(1) => super::super::defaults::part_named("morning"),
        _ => None,
    });
    // "Every 15th midday" is on the 15th.
    if let Some((part, next)) = part.filter(|_| every < 5) {
        return Some(RuleReading { part: Some(part), ..plain(every, Unit::Day, next) });
    }
    let (unit, next) = unit(line, i)?;
    match unit {
        Unit::Second => None,
        Unit::Fortnight => Some(plain(every * 2, Unit::Week, next)),
        Unit::Quarter => Some(plain(every * 3, Unit::Month, next)),
        Unit::Workday => (every == 1).then(|| weekly(1, DaySet::WORK, next)),
        Unit::Minute | Unit::Hour | Unit::Day | Unit::Week | Unit::Month | Unit::Year => Some(plain(every, unit, next)),
    }
}

/// "Monday", "Monday and Thursday", "Mon, Wed and Fri".
fn day_list(line: &TokenLine, i: usize) -> Option<(DaySet, usize)> {
    let (first, _, mut next) = weekday_name(line, i)?;
    let mut days = DaySet::default().with(first);
    loop {
        let at = joint(line, next);
        let at = if at > next { line.link(at, Link::Each).unwrap_or(at) } else { at };
        match weekday_name(line, at) {
            Some((day, weak, after)) if at > next || !weak || day != first => {
                days = days.with(day);
                next = after;
            }
            Some(_) | None => return Some((days, next)),
        }
    }
}

/// "Every 15th", "every 3 May", "every Christmas", "every last Friday of the month".
fn monthly_day(line: &TokenLine, i: usize, order: DateOrder) -> Option<RuleReading> {
    let heard = date::date(line, line.skip(i, &[Link::The]), order)?;
    let unit = match &heard.date {
        Date::Numbered { month: None | Some(MonthOf::From(0)), .. } => Unit::Month,
        Date::Numbered { month: Some(MonthOf::Named { year: None, which: None, .. }), .. } => Unit::Year,
        Date::Holiday { year: None, .. } => Unit::Year,
        Date::Nth { of, .. } | Date::Edge(_, of) => period_unit(*of)?,
        _ => return None,
    };
    Some(RuleReading { date: Some(heard.date), ..plain(1, unit, heard.next) })
}

fn period_unit(period: Period) -> Option<Unit> {
    match period {
        Period::Month(MonthOf::From(0)) => Some(Unit::Month),
        Period::Month(MonthOf::Named { year: None, which: None, .. }) => Some(Unit::Year),
        _ => None,
    }
}

/// After a date: "of each month", "every month", "of every year".
pub fn repeats(line: &TokenLine, i: usize) -> Option<(RepeatRule, usize)> {
    let at = line.link(i, Link::Of).unwrap_or(i);
    let at = line.link(at, Link::Each)?;
    let (unit, next) = unit(line, at)?;
    matches!(unit, Unit::Month | Unit::Year)
        .then_some((RepeatRule { every: 1, unit, days: DaySet::default(), adjective: false }, next))
}
