//! Alarms of a task: those that the record has as reminders, and how new ones are written.
//!
//! A reminder of a day is counted from the hour at which that day reminds, a trigger from its midnight. Whole days
//! before a day mean the hour, whoever wrote them: nobody wants to be reminded at midnight.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono::{DateTime, Duration, NaiveTime, Timelike as _, Utc};
use chrono_tz::Tz;

use super::when::{DeadlineLine, TodoTimes};
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{Component, ParsedResource, stamp};
use crate::services::helpers::recurrence::instant;
use crate::services::task::record::Task;
use brain_core::core::notification::MORNING;
use brain_core::limits::REMINDERS_MAX;
use brain_language::language::offset::ReminderOffset;
use brain_wire::ical::{Block, ContentLine, IcalTime, Patch, duration_of, text_value};

const DAY_MINUTES: i64 = 24 * 60;

/// What an alarm is to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TodoAlarm {
    /// A reminder this long before the deadline.
    Before(ReminderOffset),
    /// That of the deadline itself, which every task has; told by an instant or not.
    Deadline { is_instant: bool },
    /// A reminder at an instant.
    At(DateTime<Utc>),
    /// Behind the deadline, at a place, by mail: the record has nothing of that kind.
    Other,
}

/// An alarm and where it stands.
#[derive(Debug)]
pub(super) struct StandingAlarm<'r> {
    pub alarm: TodoAlarm,
    block: &'r Block,
    trigger: &'r ContentLine,
}

/// Of which deadline alarms are told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AlarmBase {
    pub at: Moment,
    pub zone: Tz,
    /// The hour at which a day reminds.
    pub hour: NaiveTime,
}

impl AlarmBase {
    pub fn new(at: Moment, zone: Tz, hour: Option<NaiveTime>) -> Self {
        Self { at, zone, hour: hour.unwrap_or(MORNING) }
    }

    fn reminds_at(&self) -> DateTime<Utc> {
        match self.at {
            Moment::Instant(at) => at.to_utc(),
            Moment::Day(day) => instant(self.zone, day.and_time(self.hour)).to_utc(),
        }
    }

    fn is_day(&self) -> bool {
        matches!(self.at, Moment::Day(_))
    }

    /// Whether triggers of this one say the same of the other.
    fn is_like(&self, other: &Self) -> bool {
        self.is_day() == other.is_day() && (!self.is_day() || self.hour == other.hour)
    }

    fn hour_minutes(&self) -> i64 {
        i64::from(self.hour.num_seconds_from_midnight()) / 60
    }
}

/// The alarms of a task in order.
pub(super) fn alarms<'r>(
    parsed: &'r ParsedResource,
    main: &Component<'r>,
    times: &TodoTimes,
    base: Option<AlarmBase>,
) -> Vec<StandingAlarm<'r>> {
    let inside = parsed.inside(main, &ICalendarComponentType::VAlarm);
    let standing = inside.into_iter().filter_map(|one| {
        let trigger = one.block.line("TRIGGER")?;
        Some(StandingAlarm { alarm: alarm(&one, trigger, times, base), block: one.block, trigger })
    });
    standing.collect()
}

fn alarm(one: &Component<'_>, trigger: &ContentLine, times: &TodoTimes, base: Option<AlarmBase>) -> TodoAlarm {
    let action = one.block.line("ACTION").map(|line| line.value().trim().to_uppercase());
    let is_told = action.is_none_or(|action| matches!(action.as_str(), "DISPLAY" | "AUDIO"));
    let is_of_a_place = ["PROXIMITY", "X-APPLE-PROXIMITY"].iter().any(|name| one.block.line(name).is_some());
    if !is_told || is_of_a_place {
        return TodoAlarm::Other;
    }
    if let Some(time) = one.time(&ICalendarProperty::Trigger) {
        let at = match time {
            IcalTime::Instant(at) => at.to_utc(),
            IcalTime::Local { at, .. } => instant(times.zone, at).to_utc(),
            IcalTime::Day(_) => return TodoAlarm::Other,
        };
        let is_deadline = base.is_some_and(|base| base.reminds_at() == at);
        return if is_deadline { TodoAlarm::Deadline { is_instant: true } } else { TodoAlarm::At(at) };
    }
    let length = one.read.property(&ICalendarProperty::Trigger).and_then(duration_of);
    let (Some(length), Some(base)) = (length, base) else { return TodoAlarm::Other };
    let is_of_end = trigger.param("RELATED").is_some_and(|related| related.eq_ignore_ascii_case("END"));
    let from = if is_of_end { times.due } else { times.start };
    relative(length, from.unwrap_or(base.at), base)
}

/// An alarm this long behind `from`.
fn relative((days, rest): (i64, Duration), from: Moment, base: AlarmBase) -> TodoAlarm {
    let of = |days: i64, minutes: i64| match (u32::try_from(days), u32::try_from(minutes)) {
        (Ok(0), Ok(0)) => TodoAlarm::Deadline { is_instant: false },
        (Ok(days), Ok(minutes)) => ReminderOffset::of(days, minutes).map_or(TodoAlarm::Other, TodoAlarm::Before),
        _ => TodoAlarm::Other,
    };
    if rest.num_seconds() % 60 != 0 || days.abs() > 10_000 {
        return TodoAlarm::Other;
    }
    let is_whole_days = rest.is_zero() && base.is_day();
    if from == base.at && (!base.is_day() || is_whole_days) {
        return of(-days, -rest.num_minutes());
    }
    let deadline = match base.at {
        Moment::Instant(at) => at.with_timezone(&base.zone).naive_local(),
        Moment::Day(day) if is_whole_days && matches!(from, Moment::Day(_)) => day.and_time(NaiveTime::MIN),
        Moment::Day(day) => day.and_time(base.hour),
    };
    let ahead = (deadline - from.start(base.zone).naive_local() - Duration::days(days) - rest).num_minutes();
    if ahead < 0 { TodoAlarm::Other } else { of(ahead / DAY_MINUTES, ahead % DAY_MINUTES) }
}

/// Whether two reminders before this deadline are one.
fn is_same(one: ReminderOffset, other: ReminderOffset, base: AlarmBase) -> bool {
    one == other || (base.is_day() && minutes(one) == minutes(other))
}

fn minutes(lead: ReminderOffset) -> i64 {
    let (days, minutes) = lead.parts();
    i64::from(days) * DAY_MINUTES + i64::from(minutes)
}

/// What the record has of them: reminders before the deadline, and at instants. One that has passed and was never known
/// here is told no more.
pub(super) fn reminders(
    alarms: &[StandingAlarm<'_>],
    base: Option<AlarmBase>,
    held: Option<&Task>,
    now: DateTime<Utc>,
) -> (Vec<ReminderOffset>, Vec<DateTime<Utc>>) {
    let (mut before, mut also) = (Vec::new(), Vec::new());
    for StandingAlarm { alarm, .. } in alarms {
        match (*alarm, base) {
            (TodoAlarm::Before(lead), Some(base)) => {
                let known = held.into_iter().flat_map(|held| &held.before).find(|known| is_same(**known, lead, base));
                before.push(known.copied().unwrap_or(lead));
            }
            (TodoAlarm::At(at), _) if at > now || held.is_some_and(|held| held.also.contains(&at)) => also.push(at),
            (TodoAlarm::Before(_) | TodoAlarm::At(_) | TodoAlarm::Deadline { .. } | TodoAlarm::Other, _) => {}
        }
    }
    before.sort();
    before.dedup();
    before.truncate(REMINDERS_MAX);
    also.sort();
    also.dedup();
    also.truncate(REMINDERS_MAX - before.len());
    (before, also)
}

/// The changes of alarms with a record: what goes and what is told of another deadline. What comes is given back, as
/// whole components.
pub(super) fn changed(
    patch: &mut Patch<'_>,
    standing: &[StandingAlarm<'_>],
    (before, after): (&Task, &Task),
    (was, becomes): (Option<AlarmBase>, Option<AlarmBase>),
    line: DeadlineLine,
) -> Vec<String> {
    let is_like = was.zip(becomes).is_some_and(|(was, becomes)| was.is_like(&becomes));
    let has = |task: &Task, lead: ReminderOffset| {
        was.and_then(|was| task.before.iter().find(|one| is_same(**one, lead, was)).copied())
    };
    let (mut leads, mut instants) = (after.before.clone(), after.also.clone());
    for StandingAlarm { alarm, block, trigger } in standing {
        match *alarm {
            TodoAlarm::Before(lead) => match (has(before, lead), has(after, lead), becomes) {
                (_, Some(stays), Some(becomes)) => {
                    leads.retain(|one| *one != stays);
                    if !is_like {
                        patch.replace(trigger, Some(&trigger_of(stays, line, becomes)));
                    }
                }
                (Some(_), None, _) => patch.remove(block),
                (_, Some(_), None) | (None, None, _) => {}
            },
            TodoAlarm::Deadline { is_instant } => match becomes {
                Some(becomes) if is_instant && was.is_some_and(|was| was.reminds_at() != becomes.reminds_at()) => {
                    patch.replace(trigger, Some(&instant_trigger(becomes.reminds_at())));
                }
                Some(becomes) if !is_instant && !is_like => patch.replace(trigger, Some(&own_trigger(line, becomes))),
                Some(_) | None => {}
            },
            TodoAlarm::At(at) if after.also.contains(&at) => instants.retain(|one| *one != at),
            TodoAlarm::At(at) if before.also.contains(&at) => patch.remove(block),
            TodoAlarm::At(_) | TodoAlarm::Other => {}
        }
    }
    let leads = leads.into_iter().filter_map(|lead| Some(trigger_of(lead, line, becomes?)));
    let triggers = leads.chain(instants.into_iter().map(instant_trigger));
    triggers.map(|trigger| component(&trigger, &after.title, |line| patch.broken(line))).collect()
}

/// All reminders of a new task, as whole components.
pub(super) fn made(task: &Task, base: Option<AlarmBase>, broken: impl Fn(&str) -> String) -> String {
    let leads = task.before.iter().filter_map(|lead| Some(trigger_of(*lead, DeadlineLine::Due, base?)));
    let triggers = leads.chain(task.also.iter().map(|at| instant_trigger(*at)));
    triggers.map(|trigger| component(&trigger, &task.title, &broken)).collect()
}

fn component(trigger: &str, title: &str, broken: impl Fn(&str) -> String) -> String {
    let words = format!("DESCRIPTION:{}", text_value(title));
    ["BEGIN:VALARM", "ACTION:DISPLAY", &words, trigger, "END:VALARM"].iter().map(|line| broken(line)).collect()
}

fn instant_trigger(at: DateTime<Utc>) -> String {
    format!("TRIGGER;VALUE=DATE-TIME:{}", stamp(at))
}

fn trigger_of(lead: ReminderOffset, line: DeadlineLine, base: AlarmBase) -> String {
    let length = if base.is_day() { by_clock(minutes(lead) - base.hour_minutes()) } else { format!("-{lead}") };
    format!("{}:{length}", related(line))
}

/// That of the deadline itself.
fn own_trigger(line: DeadlineLine, base: AlarmBase) -> String {
    format!("{}:{}", related(line), by_clock(if base.is_day() { -base.hour_minutes() } else { 0 }))
}

fn related(line: DeadlineLine) -> &'static str {
    match line {
        DeadlineLine::Due | DeadlineLine::Length | DeadlineLine::Nothing => "TRIGGER;RELATED=END",
        DeadlineLine::Start => "TRIGGER",
    }
}

/// In hours and minutes: days would mean the hour at which a day reminds.
fn by_clock(minutes_before: i64) -> String {
    let sign = if minutes_before > 0 { "-" } else { "" };
    let (hours, minutes) = (minutes_before.abs() / 60, minutes_before.abs() % 60);
    match (hours, minutes) {
        (0, 0) => "PT0S".to_owned(),
        (hours, 0) => format!("{sign}PT{hours}H"),
        (0, minutes) => format!("{sign}PT{minutes}M"),
        (hours, minutes) => format!("{sign}PT{hours}H{minutes}M"),
    }
}
