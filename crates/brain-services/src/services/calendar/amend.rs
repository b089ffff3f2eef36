//! Changing an event that waits for a yes: its name, its place, who comes, and when it is.

use chrono::DateTime;
use chrono_tz::Tz;

use crate::services::planning::amending::{
    Amender, AmendingWords, captured, in_changes, instant, named, new_time, people, shift, stored, unquoted,
};
use brain_core::core::plan::Params;
use brain_language::language::time::{self, DateOrder, Reference};

pub(in crate::services) const AMENDERS: [(&str, Amender); 2] = [
    ("create_event", |params, said| {
        named(params, "summary", said.text)
            || place(params, said.text)
            || guests(params, said)
            || move_event(params, said.text, said.reference)
    }),
    ("update_event", |params, said| {
        in_changes(params, |changes| {
            named(changes, "summary", said.text)
                || place(changes, said.text)
                || move_event(changes, said.text, said.reference)
        })
    }),
];

/// Who comes; what is called by the guest whose place somebody takes is called by theirs.
fn guests(params: &mut Params, said: &AmendingWords<'_>) -> bool {
    let before = params.get("attendees").and_then(|all| all.get(0)?.as_str()).unwrap_or_default().to_lowercase();
    let are_changed = people(params, "attendees", said);
    let summary = params.get("summary").and_then(|summary| summary.as_str()).unwrap_or_default();
    if let (Some(guest), Some((what, who))) = (said.somebody, summary.split_once(" with "))
        && are_changed
        && who.split_whitespace().all(|word| before.contains(&word.to_lowercase()))
    {
        params.insert("summary".to_owned(), format!("{what} with {guest}").into());
    }
    are_changed
}

fn place(params: &mut Params, words: &str) -> bool {
    let patterns = [
        r"(?i)^(?:change the (?:location|place) to|location[: ]|(?:make it |move it )?(?:in|at) (?:the )?(?:location )?)\s*([\p{L}][^\d]*)$",
    ];
    let Some(value) = captured(&patterns, words) else {
        return false;
    };
    // A name of an hour or of a part of a day is a time.
    let reference = Reference { now: DateTime::UNIX_EPOCH, zone: Tz::UTC, order: DateOrder::DayFirst };
    if !time::find(words, &reference).is_empty() {
        return false;
    }
    params.insert("location".to_owned(), unquoted(value).into());
    true
}

/// Moves an event, keeping its length and, when only a clock time is given, its day.
fn move_event(params: &mut Params, words: &str, reference: &Reference) -> bool {
    let was = instant(params, "start_time", reference);
    if was.is_none() && shift(params, "start_time", words) {
        params.remove("end_time");
        return true;
    }
    let Some((start, end)) = new_time(words, was, reference) else {
        return false;
    };
    let length = match (was, instant(params, "end_time", reference)) {
        (Some(from), Some(to)) => Some(to - from),
        _ => None,
    };
    params.insert("start_time".to_owned(), stored(start).into());
    match end.or_else(|| Some(start + length?)) {
        Some(end) => params.insert("end_time".to_owned(), stored(end).into()),
        None => params.remove("end_time"),
    };
    true
}
