//! Resolution of hours: a clock time or part of day put on a day, or on the next day that has it to come.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;

use super::super::TimeRole;
use super::super::defaults::{AFTERNOON_UNTIL_HOUR, PartOfDay, STILL_COMING_AFTER};
use super::super::grammar::{ClockPhrase, Date, Dial, MonthOf, Phrase};
use super::super::words::Half;
use super::day::{self, Days, Tense};
use super::{Grain, Problem, ResolveContext, Spot, impossible, not_past};

const DAY: i64 = 24 * 60;
const HALF_DAY: i64 = 12 * 60;

/// `days` is what the date of the phrase means, if it has one.
pub fn spot(phrase: &Phrase, days: Option<Days>, context: &ResolveContext) -> Result<Spot, Problem> {
    if let Some(clock) = phrase.clock {
        check(clock)?;
        // Who names a zone says 9:00 for nine in the morning.
        if phrase.zone.is_some() && clock.dial == Dial::Half && clock.hour > AFTERNOON_UNTIL_HOUR {
            let clock = Some(ClockPhrase { dial: Dial::Full, ..clock });
            return spot(&Phrase { clock, ..phrase.clone() }, days, context);
        }
    }
    match days {
        Some(days) => on_day(phrase, &days, context),
        None => next_to_come(phrase, context),
    }
}

fn check(clock: ClockPhrase) -> Result<(), Problem> {
    let ClockPhrase { hour, minute, .. } = clock;
    if minute > 59 || hour > 24 || (hour == 24 && minute > 0) {
        return Err(impossible(format!("there is no clock time {hour}:{minute:02}")));
    }
    Ok(())
}

/// Minutes since midnight that a clock may mean; with a part of day only those inside it.
fn candidates(clock: ClockPhrase, part: Option<&PartOfDay>) -> Vec<i64> {
    let minute = i64::from(clock.minute);
    let hour = i64::from(clock.hour) * 60;
    let on_dial = hour % HALF_DAY + minute;
    match (clock.dial, part) {
        (Dial::Half, Some(part)) => {
            let all = [on_dial, on_dial + HALF_DAY, on_dial + DAY];
            let inside: Vec<i64> = all.into_iter().filter(|m| (part.from..part.to).contains(m)).collect();
            if inside.is_empty() { vec![usual(clock)] } else { inside[..1].to_vec() }
        }
        (Dial::Half, None) => vec![on_dial, on_dial + HALF_DAY],
        // Small hours of a night belong to the next day.
        (Dial::Full, Some(part)) if part.to > DAY && hour + minute + DAY < part.to => {
            vec![hour + minute + DAY]
        }
        (Dial::Full, _) => vec![hour + minute],
        (Dial::Midnight, _) => vec![DAY],
    }
}

/// The usual half of the day for a bare hour on a named day.
fn usual(clock: ClockPhrase) -> i64 {
    let on_dial = i64::from(clock.hour) * 60 % HALF_DAY + i64::from(clock.minute);
    let afternoon = clock.hour <= AFTERNOON_UNTIL_HOUR || clock.hour == 12;
    if afternoon { on_dial + HALF_DAY } else { on_dial }
}

/// The half of the day that the sentence suggests, else `None`.
fn by_cue(clock: ClockPhrase, cue: Option<Half>) -> Option<i64> {
    let on_dial = i64::from(clock.hour) * 60 % HALF_DAY + i64::from(clock.minute);
    match cue? {
        Half::Am if (4..12).contains(&clock.hour) => Some(on_dial),
        Half::Pm | Half::Evening if (4..12).contains(&clock.hour) => Some(on_dial + HALF_DAY),
        Half::Am | Half::Pm | Half::Evening | Half::Either => None,
    }
}

/// Is there no telling which half is meant? Matches are played in the morning and at night, and whom an alarm
/// wakes at three may have taken a nap.
fn is_open(clock: ClockPhrase, part: Option<&PartOfDay>, cue: Option<Half>) -> bool {
    let hours = match cue {
        // Hardly anything begins at ten in the evening.
        Some(Half::Either) => 7..10,
        Some(Half::Evening) => 10..12,
        Some(Half::Am) => 3..4,
        Some(Half::Pm) | None => return false,
    };
    clock.dial == Dial::Half && part.is_none() && hours.contains(&clock.hour)
}

fn either_half(candidates: Vec<DateTime<Tz>>) -> Problem {
    Problem::Ambiguous { candidates, why: "it may be before or after noon".to_owned() }
}

fn on_day(phrase: &Phrase, days: &Days, context: &ResolveContext) -> Result<Spot, Problem> {
    if !days.single() {
        return Err(Problem::Ambiguous {
            candidates: vec![],
            why: "it names a clock time, but no single day".to_owned(),
        });
    }
    let Some(clock) = phrase.clock else {
        let Some(part) = phrase.part else {
            return Ok(Spot::Nowhere);
        };
        return part_of(part, days, context);
    };
    if clock.dial == Dial::Midnight {
        return midnight(phrase, days, context);
    }
    let choices = candidates(clock, phrase.part);
    let is_today = days.first == context.local_now.date();
    if is_open(clock, phrase.part, phrase.cue) && !is_today {
        let exact = |minutes: &i64| context.exact(at_minutes(days.first, *minutes)?);
        return Err(either_half(choices.iter().map(exact).collect::<Result<_, _>>()?));
    }
    let minutes = match choices.as_slice() {
        [only] => *only,
        _ => match by_cue(clock, phrase.cue) {
            Some(minutes) => minutes,
            None if is_today && days.tense != Tense::Past && !is_written_out(phrase) => today(clock, &choices, context),
            None => usual(clock),
        },
    };
    let at = context.exact(at_minutes(days.first, minutes)?)?;
    if let Some(sooner) = later_today(phrase, days, minutes, context)? {
        let why = format!("today is {}", context.today.format("%A"));
        return Err(Problem::Ambiguous { candidates: vec![sooner, at], why });
    }
    let at = later_month(phrase, at, days, minutes, context)?;
    let tense = if days.tense == Tense::Open { Tense::Future } else { days.tense };
    // A clock time in a named part of today may be told when it has passed.
    let tense = if phrase.day_part && days.first == context.today { Tense::Past } else { tense };
    not_past(at, context, tense).map(|at| Spot::At { at, grain: Grain::Minute })
}

/// A weekday said on that weekday, with an hour still to come: today's, which a bare weekday leaves out.
fn later_today(
    phrase: &Phrase,
    days: &Days,
    minutes: i64,
    context: &ResolveContext,
) -> Result<Option<DateTime<Tz>>, Problem> {
    let plain = matches!(phrase.date, Some(Date::Weekday { which: None, weeks: 0, .. }));
    let in_a_week = (days.first - context.today).num_days() == 7;
    if !plain || !in_a_week || phrase.rule.is_some() {
        return Ok(None);
    }
    let at = context.exact(at_minutes(context.today, minutes)?)?;
    Ok((at > context.now).then_some(at))
}

/// A day of the month said on that day, with an hour that has passed, is next month.
fn later_month(
    phrase: &Phrase,
    at: DateTime<Tz>,
    days: &Days,
    minutes: i64,
    context: &ResolveContext,
) -> Result<DateTime<Tz>, Problem> {
    use super::super::grammar::Date;
    let monthly = matches!(phrase.date, Some(Date::Numbered { month: None, .. }));
    if !monthly || at >= context.now || context.back || days.first != context.today {
        return Ok(at);
    }
    let tomorrow = ResolveContext { today: day::after(context.today, 1)?, ..*context };
    match &phrase.date {
        Some(date) => context.exact(at_minutes(day::days(date, &tomorrow, true)?.first, minutes)?),
        None => Ok(at),
    }
}

/// A date with its year, or a day with its date beside it: who writes it out like this leaves no half open.
fn is_written_out(phrase: &Phrase) -> bool {
    match &phrase.date {
        Some(Date::Exact(_) | Date::Both(..)) => true,
        Some(Date::Numbered { month: Some(MonthOf::Named { year, .. }), .. }) => year.is_some(),
        Some(_) | None => false,
    }
}

/// On today a bare hour is the one still to come; the small hours are not meant by it.
fn today(clock: ClockPhrase, choices: &[i64], context: &ResolveContext) -> i64 {
    let now = minutes_of(context.local_now.time());
    let usual = usual(clock);
    if usual >= now || clock.hour <= AFTERNOON_UNTIL_HOUR || clock.hour == 12 {
        return usual;
    }
    choices.iter().copied().find(|m| *m >= now).unwrap_or(usual)
}

fn minutes_of(time: NaiveTime) -> i64 {
    use chrono::Timelike;
    i64::from(time.hour()) * 60 + i64::from(time.minute())
}

fn at_minutes(date: NaiveDate, minutes: i64) -> Result<NaiveDateTime, Problem> {
    let date = day::after(date, minutes.div_euclid(DAY))?;
    Ok(date.and_time(NaiveTime::MIN) + Duration::minutes(minutes.rem_euclid(DAY)))
}

/// Midnight belongs to two days; clear are today's and that of a deadline.
fn midnight(phrase: &Phrase, days: &Days, context: &ResolveContext) -> Result<Spot, Problem> {
    let end = context.instant(at_minutes(days.first, DAY)?).earliest();
    // On New Year's Eve it is the one that is waited for.
    let last_of_year = days.first.month() == 12 && days.first.day() == 31;
    if days.first == context.today || phrase.part.is_some() || phrase.role == TimeRole::By || last_of_year {
        return Ok(Spot::At { at: end, grain: Grain::Minute });
    }
    let start = context.day_start(days.first);
    Err(Problem::Ambiguous {
        candidates: vec![start, end],
        why: "midnight may be the beginning or the end of that day".to_owned(),
    })
}

fn part_of(part: &PartOfDay, days: &Days, context: &ResolveContext) -> Result<Spot, Problem> {
    let mut minutes = part.at;
    let now = minutes_of(context.local_now.time());
    let is_today = days.first == context.local_now.date();
    if is_today && minutes < now && part.to > STILL_COMING_AFTER && days.tense != Tense::Past {
        let next_hour = (now / 60 + 1) * 60;
        minutes = if next_hour < part.to { next_hour } else { minutes };
    }
    let at = context.instant(at_minutes(days.first, minutes)?).earliest();
    Ok(Spot::At { at, grain: Grain::Hour })
}

/// Without a date: the next time the clock or part of day comes.
fn next_to_come(phrase: &Phrase, context: &ResolveContext) -> Result<Spot, Problem> {
    let today = context.local_now.date();
    let (choices, grain) = match (phrase.clock, phrase.part) {
        (Some(clock), part) if phrase.cue == Some(Half::Am) && is_open(clock, part, phrase.cue) => {
            let next = |minutes: i64| {
                let passed = at_minutes(today, minutes)? <= context.local_now;
                context.exact(at_minutes(day::after(today, i64::from(passed))?, minutes)?)
            };
            let mut nexts = candidates(clock, part).into_iter().map(next).collect::<Result<Vec<_>, _>>()?;
            nexts.sort();
            return Err(either_half(nexts));
        }
        (Some(clock), part) => (next_choices(clock, part, phrase.cue), Grain::Minute),
        (None, Some(part)) => (vec![part.at], Grain::Hour),
        (None, None) => return Ok(Spot::Nowhere),
    };
    let range = if context.back { [0, -1] } else { [0, 1] };
    for n in range {
        let ordered: Vec<i64> = if context.back { choices.iter().rev().copied().collect() } else { choices.clone() };
        for minutes in ordered {
            let local = at_minutes(day::after(today, n)?, minutes)?;
            let fits = if context.back { local <= context.local_now } else { local > context.local_now };
            if fits {
                let at = match grain {
                    Grain::Minute => context.exact(local)?,
                    _ => context.instant(local).earliest(),
                };
                return Ok(Spot::At { at, grain });
            }
        }
    }
    Err(impossible("there is no such time today or tomorrow"))
}

/// The minutes of a day at which a clock time without a date may come next.
fn next_choices(clock: ClockPhrase, part: Option<&PartOfDay>, cue: Option<Half>) -> Vec<i64> {
    if part.is_some() || clock.dial != Dial::Half {
        return candidates(clock, part).into_iter().map(|m| if m == DAY { 0 } else { m }).collect();
    }
    if let Some(minutes) = by_cue(clock, cue) {
        return vec![minutes];
    }
    if clock.hour <= AFTERNOON_UNTIL_HOUR || clock.hour == 12 {
        return vec![usual(clock)];
    }
    candidates(clock, None)
}

/// The second end of a range of hours: the first reading after `start`.
pub fn next_after(clock: ClockPhrase, start: DateTime<Tz>, context: &ResolveContext) -> Result<DateTime<Tz>, Problem> {
    check(clock)?;
    let local = context.local_now;
    let readings = match clock.dial {
        Dial::Half => candidates(clock, None),
        Dial::Full | Dial::Midnight => candidates(clock, None),
    };
    for n in 0..=1 {
        for minutes in &readings {
            let candidate = at_minutes(day::after(local.date(), n)?, *minutes)?;
            if candidate > local {
                return Ok(context.instant(candidate).earliest().max(start));
            }
        }
    }
    Err(impossible("the range has no end"))
}

/// The clock of a rule: the minute of the day, by the usual half of the day.
pub fn of_rule(phrase: &Phrase) -> Result<Option<(i64, Grain)>, Problem> {
    let Some(clock) = phrase.clock else {
        return Ok(phrase.part.map(|part| (part.at, Grain::Hour)));
    };
    check(clock)?;
    if is_open(clock, phrase.part, phrase.cue) {
        return Err(either_half(Vec::new()));
    }
    let choices = candidates(clock, phrase.part);
    let minutes = match choices.as_slice() {
        [only] => *only,
        _ => by_cue(clock, phrase.cue).unwrap_or_else(|| usual(clock)),
    };
    Ok(Some((minutes % DAY, Grain::Minute)))
}
