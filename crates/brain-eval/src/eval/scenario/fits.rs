//! Matching: is something that happened what was expected?
//!
//! Texts are compared without case, marks at the end, a leading article and superfluous spaces; lists as sets, where
//! one value fits a list that holds it; people by their addresses; local times as exactly as they are expected.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use super::super::wrong::Wrong;
use super::happened::{FieldChange, Happened, changed_fields};
use super::row::{ChangeKind, ExpectedChange};
use crate::eval::example::{Fields, fields_of};

/// Whether this is what was meant.
pub(super) fn fits(wanted: &ExpectedChange, got: &Happened) -> bool {
    if wanted.service != got.service {
        return false;
    }
    match (wanted.kind, &got.kind) {
        (ChangeKind::Added, FieldChange::Added(item))
        | (ChangeKind::Removed, FieldChange::Removed(item))
        | (ChangeKind::Sent, FieldChange::Sent(item)) => {
            wanted.item.iter().all(|(field, value)| has(field, value, item))
        }
        (ChangeKind::Changed, FieldChange::Changed { before, after }) => {
            is_change(&wanted.service, &wanted.item, before, after)
        }
        (ChangeKind::Added | ChangeKind::Changed | ChangeKind::Removed | ChangeKind::Sent, _) => false,
    }
}

/// How something that happened differs from what was meant; `None` where it is another thing to do.
pub(super) fn differ(wanted: &ExpectedChange, got: &Happened) -> Option<Wrong> {
    if wanted.service != got.service {
        return None;
    }
    let named_by = fields_of(&wanted.service).and_then(|fields| fields.first().copied()).unwrap_or_default();
    let is_named = |item: &Fields| wanted.item.get(named_by).is_none_or(|name| has(named_by, name, item));
    match (wanted.kind, &got.kind) {
        (ChangeKind::Added, FieldChange::Added(item)) | (ChangeKind::Sent, FieldChange::Sent(item)) => {
            Some(values_differ(&wanted.item, item).unwrap_or(Wrong::Invented))
        }
        (ChangeKind::Removed, FieldChange::Removed(_)) => Some(Wrong::OtherItem),
        (ChangeKind::Changed, FieldChange::Changed { before, after }) if is_named(before) || is_named(after) => {
            let meant: Fields = wanted
                .item
                .iter()
                .filter(|(field, _)| *field != named_by)
                .map(|(f, v)| (f.clone(), v.clone()))
                .collect();
            // Nothing of what was meant is missing: something else changed along with it.
            Some(values_differ(&meant, after).unwrap_or(Wrong::Invented))
        }
        (ChangeKind::Changed, FieldChange::Changed { .. }) => Some(Wrong::OtherItem),
        (ChangeKind::Added | ChangeKind::Changed | ChangeKind::Removed | ChangeKind::Sent, _) => None,
    }
}

fn values_differ(wanted: &Fields, got: &Fields) -> Option<Wrong> {
    let is_absent = |field: &str| match got.get(field) {
        None | Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Bool(true) | Value::Number(_) | Value::Object(_)) => false,
    };
    let unlike = wanted.iter().filter(|(field, value)| !has(field, value, got));
    unlike.map(|(field, _)| if is_absent(field) { Wrong::Dropped } else { Wrong::Invented }).min()
}

fn is_change(service: &str, wanted: &Fields, before: &Fields, after: &Fields) -> bool {
    let named_by = fields_of(service).and_then(|fields| fields.first().copied()).unwrap_or_default();
    let names = |(field, value): (&String, &Value)| {
        if field == named_by { has(field, value, before) || has(field, value, after) } else { has(field, value, after) }
    };
    wanted.iter().all(names)
        && changed_fields(before, after).all(|field| {
            let given = wanted.get(field).is_some_and(|value| has(field, value, after));
            given || follows(field, wanted, before)
        })
}

/// What changes along with something else that was expected to.
fn follows(field: &str, wanted: &Fields, before: &Fields) -> bool {
    let expects = |name: &str| wanted.contains_key(name);
    match field {
        // An event keeps its length.
        "end" => expects("start"),
        // A repetition begins somewhere, and is on the day it was moved to.
        "deadline" => expects("repeat") || expects("done") && before.contains_key("repeat"),
        "repeat" => expects("deadline") || expects("start"),
        "start" => expects("repeat"),
        _ => false,
    }
}

/// Whether this field of the item is as expected.
fn has(field: &str, wanted: &Value, item: &Fields) -> bool {
    same(field, wanted, item.get(field), item)
}

fn same(field: &str, wanted: &Value, got: Option<&Value>, item: &Fields) -> bool {
    match (wanted, got) {
        (Value::Object(choice), _) => match (choice.get("any"), choice.get("has")) {
            (Some(Value::Array(any)), _) => any.iter().any(|wanted| same(field, wanted, got, item)),
            (_, Some(Value::Array(all))) => {
                let text = folded(&text_of(got.unwrap_or(&Value::Null)));
                all.iter().all(|part| text.contains(&folded(&text_of(part))))
            }
            (_, _) => false,
        },
        (Value::Null, got) => got.is_none_or(Value::is_null),
        (Value::Bool(wanted), got) => got.and_then(Value::as_bool).unwrap_or(false) == *wanted,
        (Value::Array(wanted), got) => {
            let got: Vec<&Value> = match got {
                Some(Value::Array(got)) => got.iter().collect(),
                Some(single) => vec![single],
                None => Vec::new(),
            };
            let is = |wanted: &Value, got: &Value| same(field, wanted, Some(got), item);
            wanted.iter().all(|wanted| got.iter().any(|got| is(wanted, got)))
                && got.iter().all(|got| wanted.iter().any(|wanted| is(wanted, got)))
        }
        (wanted, Some(Value::Array(got))) => got.iter().any(|got| same(field, wanted, Some(got), item)),
        (Value::String(wanted), None) => wanted.is_empty(),
        (_, None) => false,
        (wanted, Some(got)) => same_value(field, &text_of(wanted), &text_of(got), item),
    }
}

fn same_value(field: &str, wanted: &str, got: &str, item: &Fields) -> bool {
    match field {
        "deadline" | "start" | "end" | "date" => match wanted.len() {
            10 => got.starts_with(wanted),
            _ => got == wanted,
        },
        "repeat" => {
            let first = ["deadline", "start"].iter().find_map(|name| item.get(*name)?.as_str());
            same_rule(wanted, got, first.and_then(|first| first.get(..10)?.parse().ok()))
        }
        "attendees" | "to" | "from" => match address(wanted) {
            Some(wanted) => address(got).is_some_and(|got| got == wanted),
            None => folded(got).contains(&folded(wanted)),
        },
        "phone" => digits(wanted) == digits(got),
        _ => folded(wanted) == folded(got),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text without what does not matter.
pub(super) fn folded(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| match c {
            '’' | '‘' => '\'',
            '“' | '”' => '"',
            '–' | '—' => '-',
            c => c,
        })
        .collect();
    let plain = plain.trim_end_matches(|c: char| c.is_whitespace() || ".,!?;:…".contains(c));
    let words: Vec<&str> = plain.split_whitespace().collect();
    let article = words.len() > 1 && matches!(words[0], "the" | "a" | "an" | "my");
    words[usize::from(article)..].join(" ")
}

fn address(person: &str) -> Option<String> {
    let inner = person.rsplit_once('<').map_or(person, |(_, rest)| rest);
    let address = inner.trim_end_matches('>').trim();
    address.contains('@').then(|| address.to_lowercase())
}

fn digits(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect()
}

/// The same repetition of something that begins on that day, whatever hour it is at.
fn same_rule(wanted: &str, got: &str, first: Option<NaiveDate>) -> bool {
    rule(wanted, first) == rule(got, first)
}

fn rule(text: &str, first: Option<NaiveDate>) -> BTreeSet<String> {
    let text = text.trim().to_uppercase();
    let text = text.strip_prefix("RRULE:").unwrap_or(&text);
    let ignored = |name: &str| ["BYHOUR", "BYMINUTE", "BYSECOND", "WKST"].contains(&name);
    let mut parts: Vec<(String, String)> = Vec::new();
    for (name, value) in text.split(';').filter_map(|part| part.split_once('=')) {
        let mut values: Vec<&str> = value.split(',').collect();
        values.sort_unstable();
        let value = match name {
            // Until the end of that day, wherever it is.
            "UNTIL" => value.chars().take(8).collect(),
            _ => values.join(","),
        };
        if !ignored(name) && (name, value.as_str()) != ("INTERVAL", "1") {
            parts.push((name.to_owned(), value));
        }
    }
    let is = |name: &str, value: &str| parts.iter().any(|(n, v)| n == name && v == value);
    let names = |name: &str| parts.iter().any(|(n, _)| n == name);
    let days = names("BYDAY") || names("BYMONTHDAY");
    let every_day_of = is("FREQ", "DAILY") && names("BYDAY") && !names("INTERVAL");
    let implied: Vec<(&str, String)> = match first {
        Some(day) if is("FREQ", "WEEKLY") && !days => {
            vec![("BYDAY", day.weekday().to_string().to_uppercase().chars().take(2).collect())]
        }
        Some(day) if is("FREQ", "MONTHLY") && !days => vec![("BYMONTHDAY", day.day().to_string())],
        Some(day) if is("FREQ", "YEARLY") && !days && !names("BYMONTH") => {
            vec![("BYMONTH", day.month().to_string()), ("BYMONTHDAY", day.day().to_string())]
        }
        _ => Vec::new(),
    };
    parts.extend(implied.into_iter().map(|(name, value)| (name.to_owned(), value)));
    let mut rule: BTreeSet<String> = parts.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    if every_day_of {
        rule.remove("FREQ=DAILY");
        rule.insert("FREQ=WEEKLY".to_owned());
    }
    if rule.remove("BYDAY=FR,MO,SA,SU,TH,TU,WE") {
        rule.remove("FREQ=WEEKLY");
        rule.insert("FREQ=DAILY".to_owned());
    }
    rule
}
