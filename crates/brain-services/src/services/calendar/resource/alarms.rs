//! Alarms of an event: those that the record has as reminders, and how new ones are written.
//!
//! Not here: what plays elsewhere (mails, places) or counts from an instant that a series does not move along.

use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use chrono::Duration;

use crate::services::calendar::event_reminder::{DAY_MINUTES, EventReminder, hour_minutes};
use crate::services::calendar::record::Event;
use crate::services::contract::show::Moment;
use crate::services::helpers::components::{Component, ParsedResource};
use brain_core::core::notification::MORNING;
use brain_core::limits::REMINDERS_MAX;
use brain_wire::ical::{Block, IcalTime, Patch, duration_of, text_value};

/// An alarm that the record has, and where it stands.
pub(super) struct StandingReminder<'r> {
    reminder: EventReminder,
    block: &'r Block,
}

/// The alarms of an event that are reminders.
pub(super) fn standing<'r>(
    parsed: &'r ParsedResource,
    main: &Component<'r>,
    times: (Moment, Option<Moment>),
) -> Vec<StandingReminder<'r>> {
    let is_single = ["RRULE", "RDATE"].iter().all(|name| main.block.line(name).is_none());
    let alarms = parsed.inside(main, &ICalendarComponentType::VAlarm);
    let standing = alarms.into_iter().filter_map(|one| {
        let reminder = reminder(&one, times, is_single)?;
        Some(StandingReminder { reminder, block: one.block })
    });
    standing.collect()
}

/// The same as the record keeps them.
pub(super) fn reminders(
    parsed: &ParsedResource,
    main: &Component<'_>,
    times: (Moment, Option<Moment>),
) -> Vec<EventReminder> {
    let mut reminders: Vec<EventReminder> = standing(parsed, main, times).iter().map(|one| one.reminder).collect();
    reminders.sort();
    reminders.dedup();
    reminders.truncate(REMINDERS_MAX);
    reminders
}

fn reminder(alarm: &Component<'_>, (start, end): (Moment, Option<Moment>), is_single: bool) -> Option<EventReminder> {
    let action = alarm.block.line("ACTION").map(|line| line.value().trim().to_uppercase());
    let is_told = action.is_none_or(|action| matches!(action.as_str(), "DISPLAY" | "AUDIO"));
    let is_of_a_place = ["PROXIMITY", "X-APPLE-PROXIMITY"].iter().any(|name| alarm.block.line(name).is_some());
    if !is_told || is_of_a_place {
        return None;
    }
    let trigger = alarm.block.line("TRIGGER")?;
    let (days, minutes) = match alarm.time(&ICalendarProperty::Trigger) {
        Some(IcalTime::Instant(at)) => match start {
            Moment::Instant(start) if is_single => (0, (start.to_utc() - at.to_utc()).num_minutes()),
            Moment::Instant(_) | Moment::Day(_) => return None,
        },
        Some(IcalTime::Local { .. } | IcalTime::Day(_)) => return None,
        None => {
            let (days, rest) = alarm.read.property(&ICalendarProperty::Trigger).and_then(duration_of)?;
            let counts_from_end = trigger.param("RELATED").is_some_and(|of| of.eq_ignore_ascii_case("END"));
            let lasts = if counts_from_end { length(start, end) } else { Duration::zero() };
            (-days, -(rest + lasts).num_minutes())
        }
    };
    match start {
        Moment::Instant(_) => EventReminder::new(days, minutes),
        // Whole days before a day mean its morning: nobody wants to be told at midnight.
        Moment::Day(_) if minutes == 0 => EventReminder::new(0, days * DAY_MINUTES - hour_minutes(MORNING)),
        Moment::Day(_) => EventReminder::new(0, days * DAY_MINUTES + minutes),
    }
}

fn length(start: Moment, end: Option<Moment>) -> Duration {
    match (start, end) {
        (Moment::Instant(start), Some(Moment::Instant(end))) => end - start,
        (Moment::Day(start), Some(Moment::Day(end))) => end - start,
        (Moment::Day(_), _) => Duration::days(1),
        (Moment::Instant(_), _) => Duration::zero(),
    }
}

/// What goes and what comes of them with a change; what the record has no place for stays.
pub(super) fn changed(patch: &mut Patch<'_>, main: &Block, standing: &[StandingReminder<'_>], after: &Event) {
    for gone in standing.iter().filter(|one| !after.reminders.contains(&one.reminder)) {
        patch.remove(gone.block);
    }
    let is_new = |new: &&EventReminder| !standing.iter().any(|one| one.reminder == **new);
    let new: String =
        after.reminders.iter().filter(is_new).map(|new| made(*new, after, |line| patch.broken(line))).collect();
    if !new.is_empty() {
        patch.insert(main, &new);
    }
}

/// One as a component of its own.
pub(super) fn made(reminder: EventReminder, event: &Event, broken: impl Fn(&str) -> String) -> String {
    let words = format!("DESCRIPTION:{}", text_value(&event.summary));
    let trigger = format!("TRIGGER:{}", trigger(reminder));
    ["BEGIN:VALARM", "ACTION:DISPLAY", &words, &trigger, "END:VALARM"].iter().map(|line| broken(line)).collect()
}

fn trigger(EventReminder { days, minutes }: EventReminder) -> String {
    let (days, minutes) =
        if days.signum() * minutes.signum() < 0 { (0, days * DAY_MINUTES + minutes) } else { (days, minutes) };
    let sign = if days + minutes > 0 { "-" } else { "" };
    let (days, hours, minutes) = (days.abs(), minutes.abs() / 60, minutes.abs() % 60);
    let part = |n: i64, unit: &str| if n > 0 { format!("{n}{unit}") } else { String::new() };
    let time = format!("{}{}", part(hours, "H"), part(minutes, "M"));
    match (days, time.is_empty()) {
        (0, true) => "PT0S".to_owned(),
        (days, true) => format!("{sign}P{days}D"),
        (days, false) => format!("{sign}P{}T{time}", part(days, "D")),
    }
}
