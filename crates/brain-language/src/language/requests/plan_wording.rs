//! Plan contents: its parameters, and what the person reads about it.
//!
//! A plan that somebody else made names things its own way: by ids, by dates that are written out, by addresses and by
//! fuller names. A word of the message is in it when it says the same in another form, too. Not here: which words of a
//! message have to be in a plan (`held`).

use std::cell::OnceCell;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::language::time::{Grain, Reference, TimeMention, When};
use crate::language::{terms, time, words};
use brain_core::core::plan::{Params, PlannedAction};

/// Shorter words stand inside others.
const TELLING_LETTERS: usize = 4;
/// How an instant is written out.
const INSTANT: [&str; 3] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
/// A bare hour may be meant in either half of the day.
const HALF_A_DAY: TimeDelta = TimeDelta::hours(12);

/// Values and told words, ready to be looked in.
#[derive(Debug)]
pub(super) struct SearchableValues<'a> {
    actions: &'a [PlannedAction],
    told: &'a [String],
    reference: &'a Reference,
    /// Folded.
    text: String,
    /// Folded.
    words: Vec<String>,
    stems: FxHashSet<String>,
    /// What is no text.
    values: Vec<u32>,
    /// The values and what the words count; read when a message names a number.
    numbers: OnceCell<FxHashSet<u32>>,
    /// Read when a message names a time.
    times: OnceCell<Times>,
    /// It is about more than one thing.
    pub is_about_several: bool,
}

/// The times in it.
#[derive(Debug, Default)]
struct Times {
    dates: Vec<NaiveDate>,
    instants: Vec<NaiveDateTime>,
    clocks: Vec<NaiveTime>,
    has_length: bool,
    repeats: bool,
}

/// Calls with every value of parameters, and of what they hold, and with the name it stands under.
fn each<'p>(params: &'p Params, call: &mut dyn FnMut(&'p str, &'p Value)) {
    params.iter().for_each(|(name, value)| each_in(name, value, call));
}

fn each_in<'p>(name: &'p str, value: &'p Value, call: &mut dyn FnMut(&'p str, &'p Value)) {
    call(name, value);
    match value {
        Value::Array(several) => several.iter().for_each(|one| each_in(name, one, call)),
        Value::Object(changes) => each(changes, call),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

impl Times {
    fn in_all(actions: &[PlannedAction], told: &[String], reference: &Reference) -> Times {
        let mut times = Times::default();
        for action in actions {
            each(&action.params, &mut |name, value| {
                times.repeats |= !value.is_null() && (name.contains("repeat") || name.contains("recur"));
                match value {
                    Value::String(text) => times.add(text, reference),
                    Value::Number(_) => times.has_length = true,
                    Value::Array(_) | Value::Object(_) | Value::Bool(_) | Value::Null => {}
                }
            });
        }
        told.iter().for_each(|text| times.add(text, reference));
        times
    }

    fn add(&mut self, text: &str, reference: &Reference) {
        let written = DateTime::parse_from_rfc3339(text).ok().map(|at| at.naive_local());
        let written =
            written.or_else(|| INSTANT.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok()));
        if let Some(at) = written {
            return self.add_instant(at);
        }
        if let Ok(day) = text.parse::<NaiveDate>() {
            return self.dates.push(day);
        }
        for found in time::find(text, reference) {
            match found.result {
                Ok(When::Duration(_)) => self.has_length = true,
                Ok(When::Recurrence { first, .. }) => {
                    self.repeats = true;
                    self.add_instant(first.naive_local());
                }
                Ok(When::Range { start, end, .. }) => {
                    self.add_instant(start.naive_local());
                    self.add_instant(end.naive_local());
                }
                Ok(When::Point { at, grain: Grain::Minute | Grain::Hour }) => self.add_instant(at.naive_local()),
                Ok(When::Point { at, .. }) => self.dates.push(at.date_naive()),
                Err(_) => {}
            }
        }
    }

    fn add_instant(&mut self, at: NaiveDateTime) {
        self.dates.push(at.date());
        self.clocks.push(at.time());
        self.instants.push(at);
    }

    fn has(&self, words: &str, found: &TimeMention) -> bool {
        match &found.result {
            Ok(When::Duration(_)) => self.has_length || self.clocks.len() > 1,
            Ok(When::Recurrence { .. }) => self.repeats,
            Ok(When::Range { start, end, .. }) => {
                let days = start.date_naive()..=end.date_naive();
                self.dates.iter().any(|day| days.contains(day))
            }
            Ok(When::Point { at, grain: Grain::Minute | Grain::Hour }) => {
                let near = |known: &NaiveDateTime| {
                    let apart = (*known - at.naive_local()).abs();
                    apart.is_zero() || apart == HALF_A_DAY
                };
                let is_clock = || time::is_clock_only(words) && self.clocks.contains(&at.time());
                self.instants.iter().any(near) || is_clock()
            }
            Ok(When::Point { at, grain: Grain::Day }) => self.dates.contains(&at.date_naive()),
            Ok(When::Point { .. }) => !self.dates.is_empty(),
            // Something that is no usable time is a question of the plan's, or settled by it.
            Err(_) => !self.dates.is_empty() || !self.clocks.is_empty(),
        }
    }
}

impl<'a> SearchableValues<'a> {
    pub fn by(actions: &'a [PlannedAction], told: &'a [String], reference: &'a Reference) -> SearchableValues<'a> {
        let mut said = SearchableValues {
            actions,
            told,
            reference,
            text: String::new(),
            words: Vec::new(),
            stems: FxHashSet::default(),
            values: Vec::new(),
            numbers: OnceCell::new(),
            times: OnceCell::new(),
            is_about_several: actions.len() > 1,
        };
        for action in actions {
            each(&action.params, &mut |_, value| match value {
                Value::String(text) => said.add(text),
                Value::Array(several) => said.is_about_several |= several.len() > 1,
                Value::Number(number) => {
                    said.values.extend(number.as_u64().and_then(|number| u32::try_from(number).ok()));
                }
                Value::Bool(is_set) => said.is_about_several |= is_set,
                Value::Object(_) | Value::Null => {}
            });
        }
        told.iter().for_each(|text| said.add(text));
        said
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(&format!(" {} ", words::fold(text)));
        let mut found = words::words(text);
        self.stems.extend(words::stems_of(&found));
        self.words.append(&mut found);
    }

    fn numbers(&self) -> &FxHashSet<u32> {
        let counted = || self.words.iter().filter_map(|word| time::number(word));
        self.numbers.get_or_init(|| counted().chain(self.values.iter().copied()).collect())
    }

    /// Whether a word is in it, in any form: inside an address, as a figure, in the singular.
    pub fn has(&self, word: &str) -> bool {
        let word = words::fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
        let word = word.strip_suffix("'s").unwrap_or(&word);
        let is_inside = || word.chars().count() >= TELLING_LETTERS && self.text.contains(word);
        let as_number = || time::number(word).is_some_and(|number| self.numbers().contains(&number));
        let digits = || word.contains(|c: char| c.is_ascii_digit()) && self.text.contains(word);
        let is_written = || {
            let stem = terms::stem(word);
            self.stems.contains(&stem) || !terms::matching(&stem, self.stems.iter().map(String::as_str)).is_empty()
        };
        word.is_empty() || is_inside() || as_number() || digits() || is_written()
    }

    pub fn has_all(&self, words: &str) -> bool {
        words.split_whitespace().all(|word| self.has(word))
    }

    /// Whether a time is in it, as the instant it is, or a part of what is there.
    pub fn has_time(&self, words: &str, found: &TimeMention) -> bool {
        self.times.get_or_init(|| Times::in_all(self.actions, self.told, self.reference)).has(words, found)
    }
}
