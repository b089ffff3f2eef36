//! What a plan says, however it does: its parameters, and what the person reads about it.
//!
//! A plan that somebody else made names things its own way: by ids, by dates that are written out, by addresses and by
//! fuller names. A word of the message is in it when it says the same in another form, too. Not here: which words of a
//! message have to be in a plan (`held`).

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::core::plan::{Params, PlannedAction};
use crate::language::time::{Grain, Reference, TimeMention, When};
use crate::language::{terms, time, words};

/// Shorter words stand inside others.
const TELLING_LETTERS: usize = 4;
/// How an instant is written out.
const INSTANT: [&str; 3] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
/// A bare hour may be meant in either half of the day.
const HALF_A_DAY: TimeDelta = TimeDelta::hours(12);

/// Values and told words, ready to be looked in.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Folded.
    text: String,
    stems: FxHashSet<String>,
    numbers: FxHashSet<u32>,
    dates: Vec<NaiveDate>,
    instants: Vec<NaiveDateTime>,
    clocks: Vec<NaiveTime>,
    has_length: bool,
    repeats: bool,
    /// It is about more than one thing.
    pub is_about_several: bool,
}

impl Said {
    pub fn by(actions: &[PlannedAction], told: &[String], reference: &Reference) -> Said {
        let mut said = Said { is_about_several: actions.len() > 1, ..Said::default() };
        actions.iter().for_each(|action| said.add_all(&action.params, reference));
        told.iter().for_each(|text| said.add_text(text, reference));
        said
    }

    fn add_all(&mut self, params: &Params, reference: &Reference) {
        for (name, value) in params {
            let is_set = !value.is_null();
            self.repeats |= is_set && (name.contains("repeat") || name.contains("recur"));
            self.add(value, reference);
        }
    }

    fn add(&mut self, value: &Value, reference: &Reference) {
        match value {
            Value::String(text) => self.add_text(text, reference),
            Value::Array(several) => {
                self.is_about_several |= several.len() > 1;
                several.iter().for_each(|one| self.add(one, reference));
            }
            Value::Object(changes) => self.add_all(changes, reference),
            Value::Number(number) => {
                self.has_length = true;
                self.numbers.extend(number.as_u64().and_then(|number| u32::try_from(number).ok()));
            }
            Value::Bool(said) => self.is_about_several |= said,
            Value::Null => {}
        }
    }

    fn add_text(&mut self, text: &str, reference: &Reference) {
        self.text.push_str(&format!(" {} ", words::fold(text)));
        let found = words::words(text);
        self.numbers.extend(found.iter().filter_map(|word| time::number(word)));
        self.stems.extend(words::stems_of(&found));
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

    /// Whether a word is in it, in any form: "Anna" is in "anna@example.com", "three" in 3, "cards" in "card".
    pub fn has(&self, word: &str) -> bool {
        let word = words::fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
        let word = word.strip_suffix("'s").unwrap_or(&word);
        let is_inside = || word.chars().count() >= TELLING_LETTERS && self.text.contains(word);
        let as_number = || time::number(word).is_some_and(|number| self.numbers.contains(&number));
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
