//! When is a plan the expected one? Same commands, as many of each, in any order; every expected parameter there.
//!
//! Values are compared by what they mean: times as the instants the pipeline would make of them (in words, ISO local
//! and RFC 3339 are one), a date alone as a date; texts without regard to case and spaces; lists as sets, and a single
//! value as a list of one. A parameter that nobody expected may be anything.

use std::collections::BTreeSet;

use serde_json::Value;

use super::plan::ExpectedAction;
use super::wrong::{self, Wrong};
use brain_core::core::plan::{Params, PlannedAction};
use brain_engine::pipeline::stages::times;
use brain_language::language::time;
use brain_language::language::time::{Grain, Reference, When};
use brain_services::services::catalog::registry::Services;
use brain_services::services::contract::entry::Entry;
use brain_services::services::contract::show::Moment;

/// Whether the planned actions are the expected ones.
pub(super) fn alike(
    catalog: &Services,
    wanted: &[ExpectedAction],
    got: &[PlannedAction],
    reference: &Reference,
) -> bool {
    if wanted.len() != got.len() {
        return false;
    }
    let fits: Vec<Vec<bool>> =
        wanted.iter().map(|w| got.iter().map(|g| is_as_expected(catalog, w, g, reference)).collect()).collect();
    let mut taken_by = vec![None; got.len()];
    (0..wanted.len()).all(|index| find_place(index, &fits, &mut taken_by, &mut BTreeSet::new()))
}

/// In which way planned actions are not the expected ones.
pub(super) fn wrong(
    catalog: &Services,
    wanted: &[ExpectedAction],
    got: &[PlannedAction],
    reference: &Reference,
) -> Wrong {
    if wanted.is_empty() {
        return Wrong::Mood;
    }
    let mut more: Vec<&PlannedAction> = got.iter().collect();
    let mut missing = Vec::new();
    for wanted in wanted {
        match more.iter().position(|got| is_as_expected(catalog, wanted, got, reference)) {
            Some(at) => drop(more.remove(at)),
            None => missing.push(wanted),
        }
    }
    wrong::kind(&missing, &more, |wanted, got| differ(catalog, wanted, got, reference))
}

/// How two of the same command differ; `None` where they are of two.
fn differ(catalog: &Services, wanted: &ExpectedAction, got: &PlannedAction, reference: &Reference) -> Option<Wrong> {
    if wanted.service != got.service || wanted.command != got.command {
        return None;
    }
    let only = |name: &str, value: &Value| ExpectedAction {
        service: wanted.service.clone(),
        command: wanted.command.clone(),
        params: Params::from_iter([(name.to_owned(), value.clone())]),
    };
    let is_absent = |name: &str| got.params.get(name).is_none_or(Value::is_null);
    let kind_of = |(name, value): (&String, &Value)| {
        let fits = is_as_expected(catalog, &only(name, value), got, reference);
        (!fits).then(|| match name.as_str() {
            _ if is_absent(name) => Wrong::Dropped,
            "find_by" => Wrong::OtherItem,
            _ => Wrong::Invented,
        })
    };
    // Times that depend on each other may only differ together.
    Some(wanted.params.iter().filter_map(kind_of).min().unwrap_or(Wrong::Invented))
}

/// Gives expectation `index` an action of its own; others move to another that fits them, too, if they must.
pub(super) fn find_place(
    index: usize,
    fits: &[Vec<bool>],
    taken_by: &mut [Option<usize>],
    tried: &mut BTreeSet<usize>,
) -> bool {
    for place in 0..taken_by.len() {
        if !fits[index][place] || !tried.insert(place) {
            continue;
        }
        let is_free = taken_by[place].is_none_or(|other| find_place(other, fits, taken_by, tried));
        if is_free {
            taken_by[place] = Some(index);
            return true;
        }
    }
    false
}

fn is_as_expected(catalog: &Services, wanted: &ExpectedAction, got: &PlannedAction, reference: &Reference) -> bool {
    if wanted.service != got.service || wanted.command != got.command {
        return false;
    }
    // The expectation is a part of the parameters: what it leaves open is taken from the plan, so that times which
    // depend on each other (a start and its end) are read alike.
    let whole = overlaid(&got.params, &wanted.params);
    let entry = catalog.command(&got.service, &got.command);
    let settled = entry.and_then(|e| Some((settled(&*e, &whole, reference)?, settled(&*e, &got.params, reference)?)));
    let (expected, given) = settled.unwrap_or_else(|| (whole, got.params.clone()));
    let comparing = Comparing { reference };
    wanted.params.iter().all(|(name, raw)| comparing.is_in(raw, expected.get(name).unwrap_or(raw), given.get(name)))
}

/// Times as values; `None` when the parameters do not make this command.
fn settled(entry: &dyn Entry, params: &Params, reference: &Reference) -> Option<Params> {
    times::settled(entry, with_required(entry, params), reference).ok()
}

/// A required parameter that is missing must not keep the others from being read.
fn with_required(entry: &dyn Entry, params: &Params) -> Params {
    let schema = entry.schema();
    let mut params = params.clone();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let is_list = schema["properties"][name]["type"] == "array";
        let anything = || {
            if is_list { Value::from(vec!["?"]) } else { Value::from("?") }
        };
        params.entry(name).or_insert_with(anything);
    }
    params
}

pub(super) fn overlaid(under: &Params, over: &Params) -> Params {
    let mut both = under.clone();
    for (name, value) in over {
        let merged = match (both.get(name), value) {
            (Some(Value::Object(below)), Value::Object(above)) => Value::Object(overlaid(below, above)),
            (Some(_) | None, above) => above.clone(),
        };
        both.insert(name.clone(), merged);
    }
    both
}

struct Comparing<'a> {
    reference: &'a Reference,
}

impl Comparing<'_> {
    /// Whether the given value holds what was expected. `raw` is the expectation in the words of the file.
    fn is_in(&self, raw: &Value, expected: &Value, given: Option<&Value>) -> bool {
        match (raw, given) {
            (Value::Null, given) => given.is_none_or(Value::is_null),
            (Value::Object(raw), Some(Value::Object(given))) => raw.iter().all(|(name, raw)| {
                let expected = expected.get(name).unwrap_or(raw);
                self.is_in(raw, expected, given.get(name))
            }),
            (Value::Array(_), Some(given)) => is_same_set(expected, given),
            (_, Some(given @ Value::Array(_))) => is_same_set(expected, given),
            (Value::String(raw), Some(given)) => self.is_same_text(raw, expected, given),
            (_, Some(given)) => folded(expected) == folded(given),
            (_, None) => false,
        }
    }

    fn is_same_text(&self, raw: &str, expected: &Value, given: &Value) -> bool {
        let zone = self.reference.zone;
        let moment = |value: &Value| value.as_str().and_then(|text| Moment::read(text, zone));
        match (moment(expected), moment(given)) {
            (Some(expected), Some(given)) if self.is_date_alone(raw) => {
                expected.start(zone).date_naive() == given.start(zone).date_naive()
            }
            (Some(expected), Some(given)) => expected.start(zone) == given.start(zone),
            (Some(_) | None, Some(_) | None) => folded(expected) == without_hours(folded(given), &folded(expected)),
        }
    }

    fn is_date_alone(&self, raw: &str) -> bool {
        match Moment::read(raw, self.reference.zone) {
            Some(Moment::Day(_)) => true,
            Some(Moment::Instant(_)) => false,
            None => {
                matches!(time::resolve(raw, self.reference), Some(Ok(When::Point { grain: Grain::Day, .. })))
            }
        }
    }
}

/// A recurrence, as [`folded`], without its hour, where the expected one leaves that open.
fn without_hours(given: String, expected: &str) -> String {
    let hours = |part: &&str| ["byhour", "byminute", "bysecond"].iter().any(|name| part.starts_with(name));
    if !expected.starts_with("freq") || expected.split(';').any(|part| hours(&part)) {
        return given;
    }
    given.split(';').filter(|part| !hours(part)).collect::<Vec<_>>().join(";")
}

fn is_same_set(one: &Value, other: &Value) -> bool {
    let set = |value: &Value| -> BTreeSet<String> {
        match value {
            Value::Array(items) => items.iter().map(folded).collect(),
            // A list may be said as one text, with commas and a conjunction.
            Value::String(words) => words.replace(" and ", ", ").split(", ").map(|one| folded(&one.into())).collect(),
            single => BTreeSet::from([folded(single)]),
        }
    };
    set(one) == set(other)
}

/// A value as text, without case, marks, spaces and a leading article that mean nothing; 60 and "60" are the same.
fn folded(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.to_lowercase(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string().to_lowercase(),
    };
    let tells = |c: &char| c.is_alphanumeric() || c.is_whitespace() || ".,:;-+/&%@#€£$()_?".contains(*c);
    let plain: String = text.chars().filter(tells).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let article = words.len() > 1 && matches!(words[0], "the" | "a" | "an" | "my" | "our");
    words[usize::from(article)..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_of_a_recurrence_may_be_left_open_and_nothing_else() {
        let given = "freqweekly;bydaymo;byhour19;byminute0";
        assert_eq!(without_hours(given.to_owned(), "freqweekly;bydaymo"), "freqweekly;bydaymo");
        assert_eq!(without_hours(given.to_owned(), "freqweekly;bydaymo;byhour20"), given);
        assert_eq!(without_hours("freqdaily;interval2".to_owned(), "freqdaily"), "freqdaily;interval2");
        assert_eq!(without_hours("buy; byhour".to_owned(), "buy"), "buy; byhour");
    }
}
