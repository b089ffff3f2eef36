//! Reads the keys of one table, and notes what is wrong with each.
//!
//! Invariant: no problem repeats a value.

use toml_edit::{Item, TableLike, Value};

use brain_core::core::text::quoted;
use brain_core::limits::NAME_CHARS_MAX;

/// An account in messages.
pub(super) fn account_title(name: &str) -> String {
    format!("account {}", quoted(name, NAME_CHARS_MAX))
}

/// A table of the file.
pub(super) struct KeyReader<'t> {
    table: &'t dyn TableLike,
    /// What the messages begin with, and what stands before each key.
    of: String,
    prefix: &'static str,
    pub(super) problems: Vec<String>,
}

impl<'t> KeyReader<'t> {
    pub(super) fn new(table: &'t dyn TableLike, of: String, prefix: &'static str) -> Self {
        Self { table, of, prefix, problems: Vec::new() }
    }

    /// What the messages begin with.
    pub(super) fn title(&self) -> String {
        self.of.clone()
    }

    pub(super) fn problem(&mut self, key: &str, what: impl AsRef<str>) {
        self.problems.push(format!("accounts.toml, {}: {}{key} {}", self.of, self.prefix, what.as_ref()));
    }

    /// Notes every key that is none of these.
    pub(super) fn only(&mut self, known: &[&str]) {
        let unknown: Vec<String> =
            self.table.iter().map(|(key, _)| key.to_owned()).filter(|key| !known.contains(&key.as_str())).collect();
        for key in unknown {
            // A value in the wrong place may look like a key.
            let is_word = key.len() <= 30 && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            match is_word {
                true => self.problem(&key, format!("is no key of an account; there are {}", known.join(", "))),
                false => self.problem("a key", "is none of an account"),
            }
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    pub(super) fn item(&self, key: &str) -> Option<&'t Item> {
        self.table.get(key)
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.item(key)?.as_str().map(str::trim) {
            Some(text) if !text.is_empty() => Some(text.to_owned()),
            Some(_) | None => {
                self.problem(key, "must be a text between quotation marks");
                None
            }
        }
    }

    /// A list of texts; one text alone is a list as well.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(item) = self.item(key) else { return Vec::new() };
        let found: Option<Vec<String>> = match item.as_value() {
            Some(Value::String(text)) => Some(vec![text.value().clone()]),
            Some(Value::Array(list)) => list.iter().map(|value| value.as_str().map(str::to_owned)).collect(),
            Some(_) | None => None,
        };
        found.filter(|list| !list.is_empty() && list.iter().all(|text| !text.is_empty())).unwrap_or_else(|| {
            self.problem(key, "must be a list of texts: [\"…\", \"…\"]");
            Vec::new()
        })
    }

    pub(super) fn truth(&mut self, key: &str) -> Option<bool> {
        let found = self.item(key)?.as_bool();
        if found.is_none() {
            self.problem(key, "must be true or false");
        }
        found
    }

    /// A number from one to `max`.
    pub(super) fn number(&mut self, key: &str, max: u32) -> Option<u32> {
        let number = self.item(key)?.as_integer().and_then(|number| u32::try_from(number).ok());
        let found = number.filter(|number| (1..=max).contains(number));
        if found.is_none() {
            self.problem(key, format!("must be a number from 1 to {max}"));
        }
        found
    }
}
