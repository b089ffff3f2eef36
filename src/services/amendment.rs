//! Changing what waits for a yes: "yes, but at 4pm", "to Anna instead", "change the subject to Lunch".
//!
//! The change is applied to the one action it fits, newest first; nothing fitting means nothing is guessed.

use chrono::{DateTime, NaiveTime};
use chrono_tz::Tz;
use regex::Regex;
use serde_json::{Value, json};

use super::{calendar, email, task};
use crate::core::plan::{Params, PlannedAction};
use crate::language::time;
use crate::language::time::{Reference, When, local_instant};

/// What words change of the parameters of a command; whether they do.
pub(super) type Amender = fn(&mut Params, &str, &Reference) -> bool;

/// Each service's, by its commands.
const AMENDERS: [(&str, &[(&str, Amender)]); 3] =
    [(email::NAME, &email::AMENDERS), (calendar::NAME, &calendar::AMENDERS), (task::NAME, &task::AMENDERS)];

/// The actions of a card with the change applied; `None` when the words change nothing we know of.
pub fn amend(actions: &[PlannedAction], text: &str, reference: &Reference) -> Option<Vec<PlannedAction>> {
    let words = without_lead(text);
    (0..actions.len()).rev().find_map(|index| {
        let changed = amend_one(&actions[index], words, reference)?;
        let mut all = actions.to_vec();
        all[index] = changed;
        Some(all)
    })
}

fn amend_one(action: &PlannedAction, words: &str, reference: &Reference) -> Option<PlannedAction> {
    let (_, amenders) = AMENDERS.iter().find(|(service, _)| *service == action.service)?;
    let (_, amender) = amenders.iter().find(|(command, _)| *command == action.command)?;
    let mut changed = action.clone();
    amender(&mut changed.params, words, reference).then_some(changed)
}

/// The words behind "yes, but", "no, actually" and their like.
fn without_lead(text: &str) -> &str {
    let behind = r"(?is)^(?:\s*(?:yes|yeah|yep|ok(?:ay)?|sure|no|nope|fine|good|but|actually|hmm|please|wait|and|ja|aber|nein|doch)\b[\s,.!:;-]*)*(.*)$";
    captured(&[behind], text).unwrap_or_default()
}

/// The first capture of the first pattern that fits the whole text.
///
/// Patterns are compiled where they are needed, a few tenths of a millisecond each: cards are changed so rarely that
/// nothing is kept, and no other chat ever waits for it.
pub(super) fn captured<'t>(patterns: &[&str], text: &'t str) -> Option<&'t str> {
    let found = patterns.iter().find_map(|pattern| Regex::new(pattern).ok()?.captures(text))?;
    Some(found.get(1)?.as_str().trim())
}

pub(super) fn people(params: &mut Params, name: &str, words: &str) -> bool {
    let only = [r"(?i)^(?:send it |make it )?to ([^,]+?)(?: instead)?[.!]?$"];
    let too = [
        r"(?i)^(?:also )?(?:cc|include|add|invite) ([^,:]+?)(?: (?:on|to|in|into) (?:it|that|this))?(?: too| as well)?[.!]?$",
        r"(?i)^(?:and |also )(?:to|with) ([^,]+?)(?: too| as well)?[.!]?$",
    ];
    let without = [r"(?i)^(?:without|leave out|remove|drop|not) ([^,]+?)[.!]?$"];
    let listed = params.get(name).and_then(|listed| serde_json::from_value(listed.clone()).ok());
    let mut listed: Vec<String> = listed.unwrap_or_default();
    if let Some(person) = captured(&only, words).filter(|_| name == "to") {
        listed = vec![person.to_owned()];
    } else if let Some(person) = captured(&too, words) {
        listed.push(person.to_owned());
    } else if let Some(person) = captured(&without, words) {
        let before = listed.len();
        let gone = person.to_lowercase();
        listed.retain(|address| !address.to_lowercase().contains(&gone));
        if listed.len() == before {
            return false;
        }
    } else {
        return false;
    }
    params.insert(name.to_owned(), json!(listed));
    true
}

pub(super) fn named(params: &mut Params, name: &str, words: &str) -> bool {
    let patterns = [
        r"(?i)^(?:call|name) it (.+)$",
        r"(?i)^(?:rename it|change the (?:title|name|summary)) to (.+)$",
        r"(?i)^(?:title|name)[: ]+(.+)$",
    ];
    let Some(value) = captured(&patterns, words) else {
        return false;
    };
    params.insert(name.to_owned(), unquoted(value).into());
    true
}

/// "An hour later" than a time that only its service knows, as it was said.
pub(super) fn shift(params: &mut Params, name: &str, words: &str) -> bool {
    let Some(shift) = time::shift_in(words) else {
        return false;
    };
    params.insert(name.to_owned(), shift.in_words(words).into());
    true
}

pub(super) fn in_changes(params: &mut Params, change: impl FnOnce(&mut Params) -> bool) -> bool {
    match params.get_mut("changes") {
        Some(Value::Object(changes)) => change(changes),
        Some(_) | None => false,
    }
}

/// The time the words give, on the day it was when they name none.
pub(super) fn new_time(
    words: &str,
    was: Option<DateTime<Tz>>,
    reference: &Reference,
) -> Option<(DateTime<Tz>, Option<DateTime<Tz>>)> {
    let on_that_day = |day: DateTime<Tz>| {
        let midnight = local_instant(reference.zone, day.date_naive().and_time(NaiveTime::MIN)).earliest();
        Reference { now: midnight.to_utc(), ..*reference }
    };
    if let Some((was, shift)) = was.zip(time::shift_in(words)) {
        return Some((shift.from(was)?, None));
    }
    let found = time::find(words, reference)
        .into_iter()
        .find(|found| found.result.as_ref().is_ok_and(|w| w.start().is_some()))?;
    let only_clock = words.get(found.span.clone()).is_some_and(time::is_clock_only);
    let result = match was {
        Some(day) if only_clock => time::resolve(words.get(found.span)?, &on_that_day(day))?.ok()?,
        Some(_) | None => found.result.ok()?,
    };
    match result {
        When::Point { at, .. } => Some((at, None)),
        When::Range { start, end, .. } => Some((start, Some(end))),
        When::Duration(length) => was.map(|was| (was + length, None)),
        When::Recurrence { first, .. } => Some((first, None)),
    }
}

pub(super) fn instant(params: &Params, name: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    let text = params.get(name)?.as_str()?;
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&reference.zone))
}

pub(super) fn stored(at: DateTime<Tz>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
}

pub(super) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '“', '”', '«', '»'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(service: &str, command: &str, params: Value, text: &str) -> Option<Params> {
        let reference =
            Reference { now: "2026-01-11T09:00:00Z".parse().unwrap(), zone: Tz::UTC, order: time::DateOrder::DayFirst };
        let action = PlannedAction {
            service: service.into(),
            command: command.into(),
            params: params.as_object().unwrap().clone(),
            ..PlannedAction::default()
        };
        amend(&[action], text, &reference).map(|mut actions| actions.remove(0).params)
    }

    fn event() -> Value {
        json!({"summary": "Lunch", "start_time": "2026-01-13T12:00:00+00:00", "end_time": "2026-01-13T13:30:00+00:00", "attendees": ["tom@example.com"]})
    }

    #[test]
    fn a_clock_time_moves_the_event_on_its_own_day_and_keeps_its_length() {
        let params = change("calendar", "create_event", event(), "yes, but at 4pm").unwrap();
        assert_eq!(params["start_time"], "2026-01-13T16:00:00+00:00");
        assert_eq!(params["end_time"], "2026-01-13T17:30:00+00:00");
    }

    #[test]
    fn a_day_moves_it_to_that_day() {
        let params = change("calendar", "create_event", event(), "make it Thursday at 1pm").unwrap();
        assert_eq!(params["start_time"], "2026-01-15T13:00:00+00:00");
    }

    #[test]
    fn a_mail_takes_another_subject_body_or_recipient() {
        let mail = json!({"to": ["bob@example.com"], "subject": "Late", "body": "I'm late."});
        let changed = |text: &str| change("email", "send_email", mail.clone(), text).unwrap();
        assert_eq!(changed("change the subject to Running late")["subject"], "Running late");
        assert_eq!(changed("yes but say I'll be there at noon")["body"], "I'll be there at noon.");
        assert_eq!(changed("also say sorry")["body"], "I'm late.\nSorry.");
        assert_eq!(changed("to Anna instead")["to"], json!(["Anna"]));
        assert_eq!(changed("add Tom too")["to"], json!(["bob@example.com", "Tom"]));
    }

    #[test]
    fn people_can_be_left_out_and_things_renamed() {
        assert_eq!(change("calendar", "create_event", event(), "without tom").unwrap()["attendees"], json!([]));
        assert_eq!(change("calendar", "create_event", event(), "call it Team lunch").unwrap()["summary"], "Team lunch");
    }

    #[test]
    fn words_that_change_nothing_change_nothing() {
        for text in ["what's the weather", "hmm", "", "yes but", "I said yes to Anna", "🙂"] {
            assert_eq!(
                change("email", "send_email", json!({"to": ["b@example.com"], "subject": "s", "body": "b"}), text),
                None,
                "{text}"
            );
        }
    }
}
