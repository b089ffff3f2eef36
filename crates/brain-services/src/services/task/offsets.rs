//! When a task is due, repeats and reminds: its parameters, and what cards and receipts say of them.

use crate::services::contract::command::{Base, PastTimes, Slot};
use crate::services::contract::show;
use brain_language::language::time;
use brain_language::language::time::Reference;

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
