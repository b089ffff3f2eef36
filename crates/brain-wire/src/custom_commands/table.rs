//! Reads the keys of one table of the file, and notes what is wrong with each.
//!
//! Invariants: every problem names its place and its key, and none repeats a value, which may be a secret; a key that is
//! none is a problem.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use brain_core::core::text::quoted;
use brain_core::limits;

/// What is wrong with the file, in sentences.
#[derive(Debug, Default)]
pub(super) struct FileProblems(pub(super) Vec<String>);

impl FileProblems {
    pub(super) fn note(&mut self, place: &str, why: impl AsRef<str>) {
        self.0.push(format!("{place}: {}", why.as_ref()));
    }
}

/// A table of the file; what was read is taken out of it.
pub(super) struct FileTable<'p> {
    values: Map<String, Value>,
    /// What its problems begin with.
    pub(super) place: String,
    problems: &'p mut FileProblems,
}

impl<'p> FileTable<'p> {
    pub(super) fn of(value: Value, place: String, problems: &'p mut FileProblems) -> Option<Self> {
        match value {
            Value::Object(values) => Some(Self { values, place, problems }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                problems.note(&place, "has to be a table");
                None
            }
        }
    }

    pub(super) fn problem(&mut self, why: impl AsRef<str>) {
        self.problems.note(&self.place, why);
    }

    pub(super) fn problems(&mut self) -> &mut FileProblems {
        self.problems
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.values.remove(key)
    }

    fn read<T>(&mut self, key: &str, wanted: &str, read: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        let read = read(self.take(key)?);
        if read.is_none() {
            self.problem(format!("{key} has to be {wanted}"));
        }
        read
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        self.read(key, "a text between quotation marks, and not empty", |value| {
            value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        })
    }

    /// The same, where there has to be one.
    pub(super) fn needed(&mut self, key: &str) -> Option<String> {
        if !self.values.contains_key(key) {
            self.problem(format!("{key} is missing"));
        }
        self.text(key)
    }

    /// A name: of it and of what it is the name.
    pub(super) fn name(&mut self) -> Option<String> {
        let name = self.needed("name")?;
        let most = limits::DECLARED_NAME_CHARS_MAX;
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let is_name = name.len() <= most && name.starts_with(|c: char| c.is_ascii_lowercase());
        if !is_name || !name.chars().all(is_part) {
            self.problem(format!("name has to be 1 to {most} small letters, digits, “-” and “_”, a letter first"));
            return None;
        }
        Some(name)
    }

    pub(super) fn truth(&mut self, key: &str) -> Option<bool> {
        self.read(key, "true or false", |value| value.as_bool())
    }

    pub(super) fn number(&mut self, key: &str) -> Option<serde_json::Number> {
        self.read(key, "a number", |value| match value {
            Value::Number(number) => Some(number),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        })
    }

    /// A whole number from one to `most`.
    pub(super) fn count(&mut self, key: &str, most: u64) -> Option<u64> {
        self.read(key, &format!("a whole number from 1 to {most}"), |value| {
            value.as_u64().filter(|count| (1..=most).contains(count))
        })
    }

    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        self.read(key, "a list of texts", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// A table of texts.
    pub(super) fn fields(&mut self, key: &str) -> BTreeMap<String, String> {
        let fields = self.read(key, "a table of texts", |value| {
            let fields = value.as_object()?.iter();
            fields.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
        });
        fields.unwrap_or_default()
    }

    /// A list, of at most so many.
    pub(super) fn list(&mut self, key: &str, most: usize) -> Vec<Value> {
        let list = self.read(key, &format!("a list of at most {most}"), |value| match value {
            Value::Array(items) => (items.len() <= most).then_some(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
        });
        list.unwrap_or_default()
    }

    /// One of these words.
    pub(super) fn one_of<T: Copy>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T> {
        let words = known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        self.read(key, &format!("one of {words}"), |value| {
            let word = value.as_str()?;
            known.iter().find(|(known, _)| *known == word).map(|(_, means)| *means)
        })
    }

    /// Notes every key that was not read.
    pub(super) fn end(mut self) {
        let left: Vec<String> = self.values.keys().map(|key| quoted(key, limits::DECLARED_NAME_CHARS_MAX)).collect();
        if !left.is_empty() {
            self.problem(format!("there is no key {} here", left.join(", ")));
        }
    }
}
