//! Changing what waits for a yes: "yes, but at 4pm", "to Anna instead", "change the subject to Lunch".
//!
//! The change is applied to the one action it fits, newest first; nothing fitting means nothing is guessed.

use chrono::{DateTime, NaiveTime};
use chrono_tz::Tz;
use regex::Regex;
use serde_json::{Value, json};

use super::letter::{UNNAMED, ungreeted};
use crate::core::plan::{Params, PlannedAction};
use crate::language::time;
use crate::language::time::{Reference, When, local_instant};

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
    let mut changed = action.clone();
    let done = match (action.service.as_str(), action.command.as_str()) {
        ("email", "create_draft" | "send_email") => {
            letter(&mut changed.params, words) || people(&mut changed.params, "to", words)
        }
        ("email", "forward_email") => people(&mut changed.params, "to", words),
        ("email", "reply_to_email") => letter(&mut changed.params, words),
        ("calendar", "create_event") => {
            named(&mut changed.params, "summary", words)
                || place(&mut changed.params, words)
                || people(&mut changed.params, "attendees", words)
                || move_event(&mut changed.params, words, reference)
        }
        ("calendar", "update_event") => in_changes(&mut changed.params, |changes| {
            named(changes, "summary", words) || place(changes, words) || move_event(changes, words, reference)
        }),
        ("task", "create") => named(&mut changed.params, "title", words) || due(&mut changed.params, words, reference),
        ("task", "update") => {
            in_changes(&mut changed.params, |changes| named(changes, "title", words) || due(changes, words, reference))
        }
        _ => false,
    };
    done.then_some(changed)
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
fn captured<'t>(patterns: &[&str], text: &'t str) -> Option<&'t str> {
    let found = patterns.iter().find_map(|pattern| Regex::new(pattern).ok()?.captures(text))?;
    Some(found.get(1)?.as_str().trim())
}

fn letter(params: &mut Params, words: &str) -> bool {
    let subject = [
        r"(?is)^(?:change|make|set|with)?\s*(?:the\s+)?subject(?:\s+(?:line))?(?:\s+(?:to|should be|as|is))?[:\s]+(.+)$",
    ];
    let more = [
        r"(?is)^(?:also|and)\s+(?:say|add|mention|write)(?:\s+that)?[:\s]+(.+)$",
        r"(?is)^add(?:\s+that)?:\s*(.+)$",
        r"(?is)^(?:say|mention)\s+also[:\s]+(.+)$",
    ];
    let body = [
        r"(?is)^say(?:\s+(?:that|instead))?[:\s]+(.+?)(?:\s+instead)?$",
        r"(?is)^(?:write|tell (?:him|her|them))(?:\s+that\b|\s+instead\b|:)[:\s]*(.+?)(?:\s+instead)?$",
        r"(?is)^(?:change|make|set)\s+(?:the\s+)?(?:body|text|message)\s+(?:to|say)[:\s]+(.+)$",
    ];
    if let Some(subject) = captured(&subject, words).filter(|_| params.contains_key("subject")) {
        params.insert("subject".to_owned(), unquoted(subject).into());
    } else if let Some(more) = captured(&more, words) {
        let before = params.get("body").and_then(Value::as_str).unwrap_or_default().trim_end();
        let joined = format!("{before}\n{}", sentence(unquoted(more)));
        params.insert("body".to_owned(), joined.into());
    } else if let Some(body) = captured(&body, words) {
        params.insert("body".to_owned(), sentence(unquoted(body)).into());
    } else {
        return false;
    }
    true
}

fn people(params: &mut Params, name: &str, words: &str) -> bool {
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
    // A letter that greets somebody greets whom it goes to.
    if name == "to" && params.get("body").and_then(Value::as_str).is_some_and(|body| ungreeted(body) != body) {
        params.insert("greets".to_owned(), UNNAMED.into());
    }
    true
}

fn named(params: &mut Params, name: &str, words: &str) -> bool {
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

fn place(params: &mut Params, words: &str) -> bool {
    let patterns = [
        r"(?i)^(?:change the (?:location|place) to|location[: ]|(?:make it |move it )?(?:in|at) (?:the )?(?:location )?)\s*([\p{L}][^\d]*)$",
    ];
    let Some(value) = captured(&patterns, words) else {
        return false;
    };
    // "at noon" and "in the evening" are times.
    let reference = Reference { now: DateTime::UNIX_EPOCH, zone: Tz::UTC, order: time::DateOrder::DayFirst };
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

fn due(params: &mut Params, words: &str, reference: &Reference) -> bool {
    let was = instant(params, "deadline", reference);
    if was.is_none() && shift(params, "deadline", words) {
        return true;
    }
    let Some((start, _)) = new_time(words, was, reference) else {
        return false;
    };
    params.insert("deadline".to_owned(), stored(start).into());
    true
}

/// "An hour later" than a time that only its service knows, as it was said.
fn shift(params: &mut Params, name: &str, words: &str) -> bool {
    let Some(shift) = time::shift_in(words) else {
        return false;
    };
    params.insert(name.to_owned(), shift.in_words(words).into());
    true
}

fn in_changes(params: &mut Params, change: impl FnOnce(&mut Params) -> bool) -> bool {
    match params.get_mut("changes") {
        Some(Value::Object(changes)) => change(changes),
        Some(_) | None => false,
    }
}

/// The time the words give, on the day it was when they name none.
fn new_time(
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

fn instant(params: &Params, name: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    let text = params.get(name)?.as_str()?;
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&reference.zone))
}

fn stored(at: DateTime<Tz>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '“', '”', '«', '»'])
}

/// First letter capital, full stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.trim().chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let mut text = format!("{first}{}", chars.as_str());
    if !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    text
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
