//! Recurrence rules as RFC 5545, with the first occurrence after now.

use chrono::{DateTime, Datelike, Duration, NaiveDate, Weekday};
use chrono_tz::Tz;

use super::super::grammar::{Date, MonthOf, Period, Phrase, RepeatRule};
use super::super::occurrence::next_occurrence;
use super::super::words::{DaySet, Edge, Unit};
use super::super::{Grain, Problem, Reference, When};
use super::day::{self, after, week_start};
use super::{ResolveContext, Spot, hour, impossible, moved, spot};

const DAY_CODES: [(Weekday, &str); 7] = [
    (Weekday::Mon, "MO"),
    (Weekday::Tue, "TU"),
    (Weekday::Wed, "WE"),
    (Weekday::Thu, "TH"),
    (Weekday::Fri, "FR"),
    (Weekday::Sat, "SA"),
    (Weekday::Sun, "SU"),
];

pub fn code(day: Weekday) -> &'static str {
    DAY_CODES[day.num_days_from_monday() as usize].1
}

pub fn recurrence(phrase: &Phrase, context: &ResolveContext, reference: &Reference) -> Result<When, Problem> {
    let Some(mut rule) = phrase.rule else {
        return Err(impossible("there is no rule"));
    };
    if let Some(framed) = within_a_period(rule, phrase, context)? {
        return recurrence(&framed, context, reference);
    }
    if let (Some(Date::Weekday { day, .. }), Unit::Week) = (&phrase.date, rule.unit) {
        rule.days = rule.days.with(*day);
    }
    if matches!(rule.unit, Unit::Minute | Unit::Hour) {
        return sub_daily(rule, phrase, context, reference);
    }
    let clock = hour::of_rule(phrase)?;
    let mut parts = vec![frequency(rule.unit).to_owned()];
    if rule.every > 1 {
        parts.push(format!("INTERVAL={}", rule.every));
    }
    parts.extend(on_which_days(rule, phrase)?);
    if let Some((minutes, _)) = clock {
        parts.push(format!("BYHOUR={}", minutes / 60));
        parts.push(format!("BYMINUTE={}", minutes % 60));
    }
    let anchor = anchor(rule, phrase, context)?;
    // The clock time is in the rule: on the anchor itself it may be skipped by a change of clocks.
    let start = context.day_start(anchor);
    let rrule = parts.join(";");
    let first = first_after(&rrule, start, phrase, context)?;
    let rrule = with_end(rrule, first, phrase, reference)?;
    let grain = clock.map_or(Grain::Day, |(_, grain)| grain);
    let length = each_lasts(clock.map(|(minutes, _)| minutes), first, phrase)?;
    Ok(When::Recurrence { first, rrule, grain, length })
}

/// How long each occurrence lasts, by an end or by a length.
fn each_lasts(begins: Option<i64>, first: DateTime<Tz>, phrase: &Phrase) -> Result<Option<Duration>, Problem> {
    const HALF_DAY: i64 = 12 * 60;
    let Some(begins) = begins else { return Ok(None) };
    if let Some(to) = phrase.to.as_deref().filter(|to| to.date.is_none() && to.clock.is_some()) {
        let end = Phrase { cue: to.cue.or(phrase.cue), ..to.clone() };
        let Some((ends, _)) = hour::of_rule(&end)? else { return Ok(None) };
        // The next time that the clock shows it, in either half of the day.
        let ends = [0, HALF_DAY, 2 * HALF_DAY].into_iter().map(|more| ends + more).find(|ends| *ends > begins);
        return Ok(ends.map(|ends| Duration::minutes(ends - begins)));
    }
    match phrase.length {
        Some(length) if !length.is_calendar() => Ok(Some(moved(first, length)? - first)),
        Some(_) | None => Ok(None),
    }
}

/// A rule within a period lasts from the period's first day until its last.
fn within_a_period(rule: RepeatRule, phrase: &Phrase, context: &ResolveContext) -> Result<Option<Phrase>, Problem> {
    let open = phrase.to.is_none() && phrase.start.is_none();
    let date = match &phrase.date {
        Some(date @ (Date::Period(_) | Date::WeekOf(_))) if open && matches!(rule.unit, Unit::Day | Unit::Week) => date,
        _ => return Ok(None),
    };
    let days = day::days(date, context, false)?;
    let on = |date| Some(Box::new(Phrase { date: Some(Date::Exact(date)), ..Phrase::default() }));
    let (start, to) = (on(days.first.max(context.today)), on(after(days.end, -1)?));
    Ok(Some(Phrase { date: None, start, to, ..phrase.clone() }))
}

fn frequency(unit: Unit) -> &'static str {
    match unit {
        Unit::Second | Unit::Minute => "FREQ=MINUTELY",
        Unit::Hour => "FREQ=HOURLY",
        Unit::Day | Unit::Workday => "FREQ=DAILY",
        Unit::Week | Unit::Fortnight => "FREQ=WEEKLY",
        Unit::Month | Unit::Quarter => "FREQ=MONTHLY",
        Unit::Year => "FREQ=YEARLY",
    }
}

/// BYDAY, BYMONTH and the like.
fn on_which_days(rule: RepeatRule, phrase: &Phrase) -> Result<Vec<String>, Problem> {
    if rule.days != DaySet::default() {
        return Ok(vec![format!("BYDAY={}", codes(rule.days).join(","))]);
    }
    let monthly = rule.unit == Unit::Month;
    let contradiction = || impossible("the rule and the date do not go together");
    Ok(match &phrase.date {
        None | Some(Date::Day(_) | Date::Window(_) | Date::Exact(_)) => vec![],
        Some(Date::Numbered { day, month: None, .. }) if monthly => vec![month_day(*day)?],
        Some(Date::Numbered { day, month: Some(MonthOf::From(_)), .. }) if monthly => vec![month_day(*day)?],
        Some(Date::Numbered { day, month: Some(MonthOf::Named { month, .. }), .. }) if rule.unit == Unit::Year => {
            NaiveDate::from_ymd_opt(2024, *month, *day)
                .ok_or_else(|| impossible("there is no such day in any year"))?;
            vec![format!("BYMONTH={month}"), month_day(*day)?]
        }
        Some(Date::Nth { n, days, of }) => nth_days(*n, *days, *of),
        Some(Date::Edge(edge, of)) => edge_days(*edge, *of),
        Some(Date::Holiday { holiday, .. }) if rule.unit == Unit::Year => holiday_days(*holiday)?,
        Some(_) => return Err(contradiction()),
    })
}

fn month_day(day: u32) -> Result<String, Problem> {
    if !(1..=31).contains(&day) {
        return Err(impossible(format!("no month has a day {day}")));
    }
    Ok(format!("BYMONTHDAY={day}"))
}

fn in_month(of: Period) -> Option<String> {
    match of {
        Period::Month(MonthOf::Named { month, .. }) => Some(format!("BYMONTH={month}")),
        _ => None,
    }
}

fn codes(days: DaySet) -> Vec<&'static str> {
    DAY_CODES.iter().filter(|(day, _)| days.has(*day)).map(|(_, code)| *code).collect()
}

fn nth_days(n: i32, days: DaySet, of: Period) -> Vec<String> {
    let days = match codes(days).as_slice() {
        [day] => format!("BYDAY={n}{day}"),
        _ if days == DaySet::ALL => format!("BYMONTHDAY={n}"),
        days => format!("BYDAY={};BYSETPOS={n}", days.join(",")),
    };
    in_month(of).into_iter().chain([days]).collect()
}

fn edge_days(edge: Edge, of: Period) -> Vec<String> {
    let day = match edge {
        Edge::Begin => 1,
        Edge::Middle => 15,
        Edge::End => -1,
    };
    in_month(of).into_iter().chain([format!("BYMONTHDAY={day}")]).collect()
}

fn holiday_days(holiday: super::super::words::Holiday) -> Result<Vec<String>, Problem> {
    use super::super::words::Holiday;
    match holiday {
        Holiday::Fixed { month, day } => Ok(vec![format!("BYMONTH={month}"), month_day(day)?]),
        Holiday::Nth { n, day, month, plus: 0 } => {
            Ok(vec![format!("BYMONTH={month}"), format!("BYDAY={n}{}", code(day))])
        }
        Holiday::Nth { .. } | Holiday::Before { .. } | Holiday::Easter(_) => {
            Err(impossible("a day that is counted from another one cannot be repeated by a rule"))
        }
    }
}

/// The day from which intervals are counted.
fn anchor(rule: RepeatRule, phrase: &Phrase, context: &ResolveContext) -> Result<NaiveDate, Problem> {
    let mut base = context.local_now.date();
    let starts = match (&phrase.date, rule.unit) {
        (Some(date @ (Date::Day(_) | Date::Exact(_))), _) => Some(date),
        (Some(date @ Date::Weekday { .. }), Unit::Day) => Some(date),
        _ => None,
    };
    if let Some(date) = starts.or(phrase.start.as_ref().and_then(|s| s.date.as_ref())) {
        base = day::days(date, context, true)?.first.max(base);
    }
    if rule.every > 1 && rule.days != DaySet::default() {
        // A rule of every second one begins with the coming one, in whatever week that is.
        let today = base;
        for n in 0..=7 {
            let date = after(today, n)?;
            // A day that was named as the first is one.
            let passed = n == 0
                && date == context.local_now.date()
                && hour::of_rule(phrase)?.is_none_or(|(m, _)| {
                    date.and_time(chrono::NaiveTime::MIN) + Duration::minutes(m) <= context.local_now
                });
            if rule.days.has(date.weekday()) && !passed {
                return Ok(date);
            }
        }
        return week_start(today);
    }
    if let (Unit::Day, Some((minutes, _)), None) = (rule.unit, hour::of_rule(phrase)?, starts) {
        // A rule of days with an hour begins with the next such hour.
        let passed = base.and_time(chrono::NaiveTime::MIN) + Duration::minutes(minutes) <= context.local_now;
        return if passed { after(base, 1) } else { Ok(base) };
    }
    Ok(base)
}

/// The first occurrence of a rule that is counted from `start`, after now and not before the day
/// from which it was said to count.
fn first_after(
    rrule: &str,
    start: DateTime<Tz>,
    phrase: &Phrase,
    context: &ResolveContext,
) -> Result<DateTime<Tz>, Problem> {
    let mut after = context.now;
    if phrase.start.is_some() {
        after = after.max(start - Duration::seconds(1));
    }
    next_occurrence(rrule, start, after.to_utc()).ok_or_else(|| impossible("that never happens"))
}

/// A rule of hours or minutes: counted from now, or from a clock time that was said.
fn sub_daily(
    rule: RepeatRule,
    phrase: &Phrase,
    context: &ResolveContext,
    reference: &Reference,
) -> Result<When, Problem> {
    let minutes = i64::from(rule.every) * if rule.unit == Unit::Hour { 60 } else { 1 };
    let rrule = match (rule.every, rule.unit) {
        (1, unit) => frequency(unit).to_owned(),
        (n, unit) => format!("{};INTERVAL={n}", frequency(unit)),
    };
    let begun = Phrase { rule: None, to: None, length: None, ..phrase.clone() };
    let first = match spot(&begun, context)? {
        Spot::At { at, .. } => at,
        Spot::Days { .. } | Spot::Nowhere => context.now + Duration::minutes(minutes),
    };
    let rrule = with_end(rrule, first, phrase, reference)?;
    Ok(When::Recurrence { first, rrule, grain: Grain::Minute, length: None })
}

/// With the end or the length of the rule, if one was said.
fn with_end(rrule: String, first: DateTime<Tz>, phrase: &Phrase, reference: &Reference) -> Result<String, Problem> {
    let last = match (phrase.ends.as_ref().or(phrase.to.as_ref()), phrase.length) {
        // The end of an hour is the end of each, not of the rule.
        (Some(to), _) if to.date.is_some() || phrase.clock.is_none() => {
            // A span of weekdays ends on the last one after that first one.
            let from = if phrase.start.is_some() { first.to_utc() } else { reference.now };
            let end_context =
                ResolveContext { back: false, ..ResolveContext::new(to, &Reference { now: from, ..*reference }) };
            match spot(to, &end_context)? {
                Spot::At { at, .. } => at,
                Spot::Days { end, .. } => end - Duration::seconds(1),
                Spot::Nowhere => return Ok(rrule),
            }
        }
        (_, Some(length)) if length.is_calendar() => moved(first, length)? - Duration::seconds(1),
        _ => return Ok(rrule),
    };
    if last < first {
        return Err(impossible("it ends before its first time"));
    }
    Ok(format!("{rrule};UNTIL={}", last.to_utc().format("%Y%m%dT%H%M%SZ")))
}
