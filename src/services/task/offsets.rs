//! When a task is due, repeats and reminds: its parameters, and what cards and receipts say of them.

use serde::Deserialize;

use crate::language::offset::ReminderOffset;
use crate::language::time;
use crate::language::time::Reference;
use crate::services::command::{Base, PastTimes, Slot};
use crate::services::show;

/// The slots of something that may be due once or again and again.
pub(crate) fn repeating<'a>(
    repeat: &'a mut Option<String>,
    deadline: &'a mut Option<String>,
    base: Base,
) -> Vec<Slot<'a>> {
    if repeat.is_some() {
        return vec![Slot::Repeat { repeat, first: deadline, end: None }];
    }
    let time = deadline.as_mut().map(|value| Slot::Time { param: "deadline", value, base, past: PastTimes::Ask });
    time.into_iter().collect()
}

/// When it is due, and how it repeats.
pub(crate) fn due(deadline: Option<&str>, repeat: Option<&str>, reference: &Reference) -> String {
    let repeats = repeat.map(time::describe_recurrence);
    match (deadline.map(|deadline| show::time(deadline, reference)), repeats) {
        (Some(time), Some(repeats)) => format!("{repeats}, first {time}"),
        (Some(time), None) => time,
        (None, Some(repeats)) => repeats,
        (None, None) => String::new(),
    }
}

/// Each a time of its own.
pub(crate) fn times(remind_at: &mut Option<Vec<String>>, base: Base) -> Vec<Slot<'_>> {
    let entries = remind_at.iter_mut().flatten().filter(|value| !value.eq_ignore_ascii_case("none"));
    entries.map(|value| Slot::Time { param: "remind_at", value, base, past: PastTimes::Ask }).collect()
}

/// Words become durations; what cannot be read stays, and is a problem.
pub(crate) fn durations(remind_before: &mut Option<Vec<String>>) {
    for entry in remind_before.iter_mut().flatten() {
        if let Ok(lead) = entry.parse::<ReminderOffset>() {
            *entry = lead.to_string();
        }
    }
}

pub(crate) fn unreadable(remind_before: Option<&[String]>) -> Option<String> {
    let entries = remind_before?.iter().filter(|entry| !entry.eq_ignore_ascii_case("none"));
    entries.filter_map(|entry| entry.parse::<ReminderOffset>().err()).next().map(|bad| bad.to_string())
}

/// `1 day before and 1 h before`.
pub(crate) fn also(before: Option<&[String]>, at: Option<&[String]>, reference: &Reference) -> String {
    let mut leads: Vec<ReminderOffset> =
        before.unwrap_or_default().iter().filter_map(|lead| lead.parse().ok()).collect();
    leads.sort_by(|a, b| b.cmp(a));
    let before = leads.into_iter().map(ReminderOffset::words);
    let at = at.unwrap_or_default().iter().map(|at| show::time(at, reference));
    before.chain(at).collect::<Vec<_>>().join(" and ")
}

/// Models and people give one where a list is meant.
pub(crate) fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        Many(Vec<String>),
    }
    Ok(Option::<Given>::deserialize(from)?.map(|given| match given {
        Given::One(entry) => vec![entry],
        Given::Many(entries) => entries,
    }))
}
