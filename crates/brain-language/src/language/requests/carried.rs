//! Carried words: which words of the person the parameters of some actions hold.

use chrono::{NaiveDateTime, NaiveTime};
use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::language::time::{TimeMention, When};
use crate::language::tokens::lower;
use brain_core::core::plan::PlannedAction;

/// What the parameters of a plan hold, folded.
#[derive(Debug, Default)]
pub(super) struct CarriedValues {
    words: FxHashSet<String>,
    /// All values, one after the other.
    text: String,
    /// The clock times of points in time that are written out.
    instants: Vec<NaiveTime>,
    /// Whether a parameter is a length of time, however it was said.
    pub has_length: bool,
    pub has_priority: bool,
    /// Whether an action is about all that fit.
    pub is_about_all: bool,
}

/// How an instant is written out.
const INSTANT: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

impl CarriedValues {
    pub fn by<'p>(actions: impl IntoIterator<Item = &'p PlannedAction>) -> CarriedValues {
        let mut carried = CarriedValues::default();
        for action in actions {
            action.params.iter().for_each(|(name, value)| carried.add(name, value));
        }
        carried
    }

    fn add(&mut self, name: &str, value: &Value) {
        self.has_priority |= name == "priority";
        self.has_length |= matches!(name, "minutes" | "remind_before");
        match value {
            Value::String(text) => {
                self.is_about_all |= name == "find_by" && text.starts_with("all ");
                let instant = INSTANT.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
                self.instants.extend(instant.map(|at| at.time()));
                let folded = folded(text);
                self.words.extend(folded.split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
                self.text.push_str(&format!(" {folded} |"));
            }
            Value::Array(several) => several.iter().for_each(|one| self.add(name, one)),
            Value::Object(changes) => changes.iter().for_each(|(name, value)| self.add(name, value)),
            Value::Number(number) => _ = self.words.insert(number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Whether a word is part of a parameter.
    pub fn holds(&self, word: &str) -> bool {
        let folded = folded(word);
        folded.split(' ').all(|word| word.is_empty() || self.words.contains(word) || self.words.contains(owner(word)))
    }

    /// Whether these words stand in one parameter as they were said.
    pub fn holds_all(&self, words: &str) -> bool {
        self.text.contains(&format!(" {} ", folded(words)))
    }

    /// Whether a time is a parameter, or a part of one.
    pub fn holds_time(&self, words: &str, found: &TimeMention) -> bool {
        let when = found.result.as_ref().ok();
        let written = when.and_then(When::start).is_some_and(|at| self.instants.contains(&at.time()));
        let is_length = matches!(when, Some(When::Duration(_)));
        written || is_length && self.has_length || self.holds_in_parts(words)
    }

    /// Whether a day and a length of time, said as one phrase, are carried as two parameters.
    fn holds_in_parts(&self, words: &str) -> bool {
        const LINKS: [&str; 12] = ["on", "at", "for", "to", "the", "of", "a", "an", "um", "am", "by", "and"];
        const LENGTHS: [&str; 10] = ["hour", "hours", "minute", "minutes", "min", "mins", "h", "half", "free", "one"];
        let folded = folded(words);
        let told = |word: &str| LINKS.contains(&word) || self.has_length && LENGTHS.contains(&word);
        self.holds_all(words) || folded.split(' ').all(|word| told(word) || self.words.contains(word))
    }
}

/// The owner in a possessive form.
fn owner(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// Lower case, without marks, one space between words; apostrophes are left out.
fn folded(text: &str) -> String {
    let spaced = |c: char| match c {
        '\'' | '’' => None,
        c if c.is_alphanumeric() || matches!(c, '@' | '+' | '#' | '$' | '€' | '%' | '&') => Some(c),
        _ => Some(' '),
    };
    let text: String = lower(text).chars().filter_map(spaced).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
