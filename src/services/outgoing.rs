//! Outgoing looks: whether what a call tells somebody elsewhere was meant to be told there.
//!
//! A look elsewhere that needs no yes is a message to whoever answers it. Each value of it, down to the last leaf of its
//! parameters, is one of these:
//! - *said*: in the person's own words of this request, in what it completes, or in what they point at; a time that
//!   follows from these, or from now; a link that stands there as it is;
//! - *known there*: whoever is told has given it, or was told it before, in this conversation;
//! - *formal*: what the definition offers (a choice, a truth value), a round number, an ordinary word of searches. That is
//!   weighed in bits, by how much else could stand there, and a turn has so many of them
//!   ([`limits::LOOK_ADDED_BITS_MAX`]);
//! - *unsaid*: everything else. It needs a yes, on a card that says so.
//!
//! Invariants: a link is never put together, and a link to another place was said or shown; what whoever is told has given
//! and the person's own data hold alike counts as that data; looks are counted over all rounds of a turn. Pure. Not here:
//! whose words a value is made of ([`crate::core::provenance`]), and asking (the gate).

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Timelike as _};
use chrono_tz::Tz;
use rustc_hash::FxHashSet;
use serde_json::Value;

use super::addressee::Addressee;
use super::entry::Entry;
use super::schema::{alternatives, object_in};
use crate::core::plan::Params;
use crate::language::grounding::{Ground, NUMBER_BITS, SaidWords, TimeGround, is_round, links};
use crate::language::time::{self, Reference};
use crate::language::words::{fold, words};
use crate::limits;

/// Days around today that a planner may choose where no time was named, and what such a choice weighs.
const NEAR_DAYS: i64 = 15;
const NEAR_DAY_BITS: u32 = 5;
/// How a local time is written out.
const LOCAL: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
/// What a truth value weighs.
const TRUTH_BITS: u32 = 1;
/// What a value weighs that whoever is told has given.
const GIVEN_BITS: u32 = 2;
/// A word of the person's own data is telling from so many letters on; one with figures always is.
const TELLING_LETTERS: usize = 4;

/// What a person meant to be told elsewhere.
#[derive(Debug)]
pub struct MeantToTell<'a> {
    /// Their own words about this request, and what these complete and point at.
    pub said: &'a SaidWords,
    /// The times in these.
    pub ground: &'a Ground<'a>,
    /// When they were said, and where.
    pub reference: &'a Reference,
    /// What whoever is told has answered in this conversation.
    pub given: Vec<&'a str>,
    /// The values that it was told before.
    pub told: Vec<String>,
    /// The person's own data in sight, a line each.
    pub records: &'a [String],
}

/// What a turn has told elsewhere so far, without a yes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldSoFar {
    looks: usize,
    bits: u32,
    /// Service and value.
    values: BTreeSet<(String, String)>,
}

/// A value that nobody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsaidLeaf {
    /// As it would go out.
    pub value: String,
    /// The line of the person's own data that it stands in, where it does.
    pub record: Option<String>,
}

/// What a call tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Telling {
    /// Nothing that was not meant; the turn's account with it.
    Meant(ToldSoFar),
    /// Values that nobody said.
    Unsaid(Vec<UnsaidLeaf>),
    /// More than a planner may choose by itself in one turn.
    TooMuch,
}

/// One value on its way out.
enum ToldValue {
    /// Of a choice of its own so many bits.
    Weighs(u32),
    Unsaid,
}

impl MeantToTell<'_> {
    /// What a call with these parameters tells, after what the turn has told already.
    pub fn telling(
        &self,
        entry: &dyn Entry,
        addressee: &Addressee<'_>,
        params: &Params,
        so_far: &ToldSoFar,
    ) -> Telling {
        let mut leaves = Vec::new();
        let schema = entry.schema();
        for (name, value) in params {
            let property = &schema["properties"][name];
            if property.is_null() && !Addressee::is_answer(name) {
                leaves.push((name.clone(), Value::Null));
            }
            if !Addressee::names_a_call(name) {
                collect(value, property, &mut leaves);
            }
        }
        let of_addressee: FxHashSet<String> = [addressee.title, entry.command(), entry.summary()]
            .into_iter()
            .flat_map(|text| words(&text.replace(['_', '-', '/', '.'], " ")))
            .collect();
        let (mut after, mut unsaid) = (so_far.clone(), Vec::new());
        after.looks += 1;
        let is_crowded = leaves.len() > limits::LOOK_VALUES_MAX;
        for (text, schema) in leaves {
            let told = (entry.service().to_owned(), fold(text.trim()));
            match self.leaf(&text, &schema, addressee, &of_addressee) {
                // What was told there before tells nothing new.
                _ if after.values.contains(&told) => {}
                ToldValue::Weighs(bits) => {
                    after.bits += bits;
                    after.values.insert(told);
                }
                ToldValue::Unsaid => unsaid.push(UnsaidLeaf { record: self.record_of(&text), value: text }),
            }
        }
        match unsaid.is_empty() {
            false => Telling::Unsaid(unsaid),
            true if is_crowded
                || after.bits > limits::LOOK_ADDED_BITS_MAX
                || after.looks > limits::LOOKS_ELSEWHERE_MAX =>
            {
                Telling::TooMuch
            }
            true => Telling::Meant(after),
        }
    }

    fn leaf(
        &self,
        text: &str,
        schema: &Value,
        addressee: &Addressee<'_>,
        of_addressee: &FxHashSet<String>,
    ) -> ToldValue {
        let text = text.trim();
        let year = self.reference.now.with_timezone(&self.reference.zone).year();
        if self.was_told(text) || is_default(schema, text) {
            return ToldValue::Weighs(0);
        }
        if links(text).next().is_some() {
            let is_fine = |link: &str| self.said.has_link(link) || self.is_of(addressee, link);
            let rest: Vec<&str> = text.split_whitespace().filter(|word| links(word).next().is_none()).collect();
            let weighs = links(text).all(is_fine).then(|| self.words(&rest.join(" "), of_addressee, year)).flatten();
            return weighs.map_or(ToldValue::Unsaid, ToldValue::Weighs);
        }
        let choices = choices(schema);
        if choices.iter().any(|choice| choice == text) {
            let is_said = self.ground.has_choice(text) || self.said.added(text, &FxHashSet::default(), year) == Some(0);
            return ToldValue::Weighs(if is_said { 0 } else { bits_of(choices.len()) });
        }
        let plain = || self.number(text).or_else(|| self.time(text)).or_else(|| self.words(text, of_addressee, year));
        let given = || (self.is_given(text) && self.record_of(text).is_none()).then_some(GIVEN_BITS);
        plain().or_else(given).map_or(ToldValue::Unsaid, ToldValue::Weighs)
    }

    fn words(&self, text: &str, of_addressee: &FxHashSet<String>, year: i32) -> Option<u32> {
        if text.is_empty() || text == self.reference.zone.name() {
            return Some(0);
        }
        self.said.added(text, of_addressee, year)
    }

    /// What a number or a truth value weighs that nobody said.
    fn number(&self, text: &str) -> Option<u32> {
        if matches!(text, "true" | "false") {
            return Some(TRUTH_BITS);
        }
        let number: f64 = text.parse().ok()?;
        if self.said.has_exactly(text) {
            return Some(0);
        }
        // One way of writing it is enough: others would tell something, too.
        let is_plain = number.to_string() == text || format!("{number:.1}") == text;
        (is_plain && number.fract() == 0.0 && is_round(number as i64)).then_some(NUMBER_BITS)
    }

    /// What a time weighs: nothing where it follows from what was said, or from now.
    fn time(&self, text: &str) -> Option<u32> {
        let now = self.reference.now.with_timezone(&self.reference.zone);
        let day = text.parse::<NaiveDate>().ok();
        let instant = instant(text, self.reference.zone);
        let is_plain = instant.is_none_or(|at| at.nanosecond() == 0 && matches!(at.second(), 0 | 59));
        let in_words = || !text.contains(char::is_numeric) && self.is_only_a_time(text);
        if !is_plain || day.is_none() && instant.is_none() && !in_words() {
            return None;
        }
        if self.ground.time(text, self.reference) == TimeGround::Said {
            return Some(0);
        }
        if let Some(at) = instant.filter(|at| (*at - now).abs() < chrono::Duration::minutes(2)) {
            return (at.second() == 0 || at == now).then_some(0);
        }
        let is_edge = |at: &DateTime<_>| matches!((at.hour(), at.minute()), (0, 0) | (23, 59));
        let day = day.or_else(|| instant.filter(is_edge).map(|at| at.date_naive()))?;
        match (day - now.date_naive()).num_days() {
            0 => Some(0),
            apart if apart.abs() <= NEAR_DAYS => Some(NEAR_DAY_BITS),
            _ => None,
        }
    }

    /// Whether words are a time and nothing beside it, which could be anything.
    fn is_only_a_time(&self, text: &str) -> bool {
        let mut rest = text.to_owned();
        let found = time::find(text, self.reference);
        found.iter().rev().for_each(|one| rest.replace_range(one.span.clone(), ""));
        found.iter().all(|one| one.result.is_ok()) && !found.is_empty() && !rest.contains(char::is_alphanumeric)
    }

    fn was_told(&self, text: &str) -> bool {
        let folded = fold(text);
        self.told.iter().any(|told| fold(told.trim()) == folded)
    }

    /// Whether whoever is told has written this, as it is.
    fn is_given(&self, text: &str) -> bool {
        let piece = fold(text);
        let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let holds = |given: &&str| {
            let given = fold(given);
            let mut found = given.match_indices(&piece);
            found.any(|(at, _)| {
                is_border(given[..at].chars().next_back()) && is_border(given[at + piece.len()..].chars().next())
            })
        };
        !piece.is_empty() && self.given.iter().any(holds)
    }

    /// A link to whoever is told that it has given itself.
    fn is_of(&self, addressee: &Addressee<'_>, link: &str) -> bool {
        let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
        let host = rest[..rest.find(['/', '?', '#', ':']).unwrap_or(rest.len())].to_lowercase();
        addressee.host.as_ref().is_some_and(|own| *own == host) && self.is_given(link) && self.record_of(link).is_none()
    }

    /// The line of the person's own data in sight that holds a telling word of this which they did not say.
    fn record_of(&self, text: &str) -> Option<String> {
        self.found_in(text, self.records)
    }

    /// The one of these lines that holds most of them.
    pub fn found_in(&self, text: &str, records: &[String]) -> Option<String> {
        let is_telling = |word: &String| {
            (word.chars().count() >= TELLING_LETTERS || word.contains(char::is_numeric)) && !self.said.has_exactly(word)
        };
        let telling: Vec<String> = words(text).into_iter().filter(is_telling).collect();
        let shared = |record: &&String| {
            let held = words(record);
            telling.iter().filter(|word| held.contains(word)).count()
        };
        records.iter().filter(|record| shared(record) > 0).max_by_key(shared).cloned()
    }
}

/// An instant that is written out, with its offset or as a local time.
fn instant(text: &str, zone: Tz) -> Option<DateTime<Tz>> {
    let local = || LOCAL.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let offset = DateTime::parse_from_rfc3339(text).ok().map(|at| at.with_timezone(&zone));
    offset.or_else(|| local()?.and_local_timezone(zone).earliest())
}

/// Every leaf with its schema; a name that no schema gives is a value, too.
fn collect(value: &Value, schema: &Value, into: &mut Vec<(String, Value)>) {
    match value {
        Value::Null => {}
        Value::String(text) => into.push((text.clone(), schema.clone())),
        Value::Bool(_) | Value::Number(_) => into.push((value.to_string(), schema.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, &schema["items"], into)),
        Value::Object(map) => {
            let inner = object_in(schema).unwrap_or(schema);
            for (name, value) in map {
                let property = &inner["properties"][name];
                if property.is_null() {
                    into.push((name.clone(), Value::Null));
                }
                collect(value, property, into);
            }
        }
    }
}

/// The values that a schema allows, where only some are allowed.
fn choices(schema: &Value) -> Vec<String> {
    let own = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    let own = own.filter(|choice| !choice.is_null()).map(in_words);
    own.chain(alternatives(schema).flat_map(choices)).collect()
}

/// What stands there where nobody chooses, and the borders of what may.
fn is_default(schema: &Value, text: &str) -> bool {
    let of = |schema: &Value| {
        ["default", "minimum", "maximum"].iter().any(|key| schema.get(key).is_some_and(|value| in_words(value) == text))
    };
    of(schema) || alternatives(schema).any(of)
}

fn in_words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// So many bits tell one of so many.
fn bits_of(choices: usize) -> u32 {
    choices.max(1).next_power_of_two().trailing_zeros()
}

/// The values of parameters, as words.
pub fn leaves_of(params: &Params) -> Vec<String> {
    let mut leaves = Vec::new();
    params.values().for_each(|value| collect(value, &Value::Null, &mut leaves));
    leaves.into_iter().map(|(text, _)| text).collect()
}
