//! What the changes of a card's actions have in common, whatever they change: patterns, people, names, times.

use chrono::{DateTime, NaiveTime};
use chrono_tz::Tz;
use regex::Regex;
use serde_json::{Value, json};

use brain_core::core::plan::Params;
use brain_language::language::time;
use brain_language::language::time::{Reference, When, local_instant};

/// What words change of the parameters of a command; whether they do.
pub(in crate::services) type Amender = fn(&mut Params, &AmendingWords<'_>) -> bool;

/// Words that may change a command.
#[derive(Debug, Clone, Copy)]
pub(in crate::services) struct AmendingWords<'a> {
    pub text: &'a str,
    pub reference: &'a Reference,
    /// Whom they put in the place of whoever it was for.
    pub somebody: Option<&'a str>,
}

/// What words put in the place of what was there: "change it to …", "to … instead".
pub(in crate::services) fn replacement(words: &str) -> Option<&str> {
    captured(&[r"(?i)^(?:\w+ (?:it|this|that) (?:in)?to|to) ([^,]+?)(?: instead| please)*[.!]?$"], words)
}

/// The first capture of the first pattern that fits the whole text.
///
/// Patterns are compiled where they are needed, a few tenths of a millisecond each: cards are changed so rarely that
/// nothing is kept, and no other chat ever waits for it.
pub(in crate::services) fn captured<'t>(patterns: &[&str], text: &'t str) -> Option<&'t str> {
    let found = patterns.iter().find_map(|pattern| Regex::new(pattern).ok()?.captures(text))?;
    Some(found.get(1)?.as_str().trim())
}

pub(in crate::services) fn people(params: &mut Params, name: &str, said: &AmendingWords<'_>) -> bool {
    let words = said.text;
    let only = [r"(?i)^(?:send it |make it )?to ([^,]+?)(?: instead)?[.!]?$"];
    let too = [
        r"(?i)^(?:also )?(?:cc|include|add|invite) ([^,:]+?)(?: (?:on|to|in|into) (?:it|that|this))?(?: too| as well)?[.!]?$",
        r"(?i)^(?:and |also )(?:to|with) ([^,]+?)(?: too| as well)?[.!]?$",
    ];
    let without = [r"(?i)^(?:without|leave out|remove|drop|not) ([^,]+?)[.!]?$"];
    let listed = params.get(name).and_then(|listed| serde_json::from_value(listed.clone()).ok());
    let mut listed: Vec<String> = listed.unwrap_or_default();
    // Of several nobody knows whose place it is.
    if let Some(person) = said.somebody.filter(|_| name == "to" || listed.len() == 1) {
        listed = vec![person.to_owned()];
    } else if let Some(person) = captured(&only, words).filter(|_| name == "to") {
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

pub(in crate::services) fn named(params: &mut Params, name: &str, words: &str) -> bool {
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

/// A shift from a time that only its service knows, as it was said.
pub(in crate::services) fn shift(params: &mut Params, name: &str, words: &str) -> bool {
    let Some(shift) = time::shift_in(words) else {
        return false;
    };
    params.insert(name.to_owned(), shift.in_words(words).into());
    true
}

pub(in crate::services) fn in_changes(params: &mut Params, change: impl FnOnce(&mut Params) -> bool) -> bool {
    match params.get_mut("changes") {
        Some(Value::Object(changes)) => change(changes),
        Some(_) | None => false,
    }
}

/// The time the words give, on the day it was when they name none.
pub(in crate::services) fn new_time(
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

pub(in crate::services) fn instant(params: &Params, name: &str, reference: &Reference) -> Option<DateTime<Tz>> {
    let text = params.get(name)?.as_str()?;
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&reference.zone))
}

pub(in crate::services) fn stored(at: DateTime<Tz>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, false)
}

pub(in crate::services) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '“', '”', '«', '»'])
}
