//! The values of a command's parameters, each with what it is by its type: what grounding judges.
//!
//! Nothing is told by a parameter's name: slots say which words become times, repetitions and people, the schema says
//! what a choice may be, and the command says what refers, what names a thing, and what a planner words.

use serde_json::Value;

use crate::services::contract::command::Slot;
use crate::services::contract::entry::Entry;
use crate::services::contract::schema::{choices, object_in};
use brain_core::core::plan::Params;
use brain_language::language::grounding::ValueKind;

/// A value, where it stands, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedValue {
    /// Names of the parameter and of what it holds: `changes`, `deadline`.
    pub path: Vec<String>,
    /// Its place, where the parameter is a list.
    pub place: Option<usize>,
    /// What it is by its type.
    pub kind: ValueKind,
    /// As a planner wrote it.
    pub text: String,
    /// Nothing can be done without its parameter.
    pub is_required: bool,
    /// It is the end of a span.
    pub ends: bool,
}

/// What stands for a value whose kind a slot tells.
const TIME: &str = "\u{1}time";
const END: &str = "\u{1}end";
const REPETITION: &str = "\u{1}repetition";
const PERSON: &str = "\u{1}person";

/// The values of parameters that fit the command; none of parameters that do not, which the gate refuses.
pub fn typed_values(entry: &dyn Entry, params: &Params) -> Vec<TypedValue> {
    let Ok(marked) = entry.settle(params.clone(), &mut |slot| {
        mark(slot);
        Ok(())
    }) else {
        return Vec::new();
    };
    let schema = entry.schema();
    let required: Vec<String> = crate::services::contract::schema::required(&schema);
    let mut found = Vec::new();
    for (name, value) in params {
        let at = ParamWalk { entry, name, is_required: required.contains(name) };
        at.walk(&mut vec![name.clone()], value, marked.get(name), &schema["properties"][name], &mut found);
    }
    found
}

fn mark(slot: Slot<'_>) {
    let set = |value: &mut Option<String>, mark: &str| {
        if let Some(value) = value {
            mark.clone_into(value);
        }
    };
    match slot {
        Slot::Time { value, .. } => TIME.clone_into(value),
        Slot::Span { start, end, repeat, .. } => {
            set(start, TIME);
            set(end, END);
            if let Some(repeat) = repeat {
                set(repeat, REPETITION);
            }
        }
        Slot::Repeat { repeat, first, end } => {
            set(repeat, REPETITION);
            set(first, TIME);
            if let Some(end) = end {
                set(end, END);
            }
        }
        Slot::People { value, .. } => value.iter_mut().for_each(|one| PERSON.clone_into(one)),
    }
}

/// The parameter that is walked through.
struct ParamWalk<'a> {
    entry: &'a dyn Entry,
    name: &'a str,
    is_required: bool,
}

impl ParamWalk<'_> {
    fn walk(
        &self,
        path: &mut Vec<String>,
        value: &Value,
        marked: Option<&Value>,
        schema: &Value,
        found: &mut Vec<TypedValue>,
    ) {
        match value {
            Value::Object(fields) => {
                let inner = object_in(schema).unwrap_or(schema);
                for (name, value) in fields {
                    path.push(name.clone());
                    let marked = marked.and_then(|marked| marked.get(name));
                    self.walk(path, value, marked, &inner["properties"][name], found);
                    path.pop();
                }
            }
            Value::Array(several) => {
                for (place, one) in several.iter().enumerate() {
                    let marked = marked.and_then(|marked| marked.get(place));
                    self.leaf(path, Some(place), one, marked, &schema["items"], found);
                }
            }
            Value::Null => {}
            Value::String(_) | Value::Number(_) | Value::Bool(_) => self.leaf(path, None, value, marked, schema, found),
        }
    }

    fn leaf(
        &self,
        path: &[String],
        place: Option<usize>,
        value: &Value,
        marked: Option<&Value>,
        schema: &Value,
        found: &mut Vec<TypedValue>,
    ) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let last = path.last().map(String::as_str).unwrap_or_default();
        let is_in = |names: &[&str]| names.contains(&last) || names.contains(&self.name);
        let kinds = self.entry.kinds();
        let mark = marked.and_then(Value::as_str);
        let kind = match mark {
            Some(TIME | END) => ValueKind::Time,
            Some(REPETITION) => ValueKind::Repetition,
            Some(PERSON) => ValueKind::Person,
            _ if !value.is_string() => ValueKind::Plain,
            _ if !choices(schema).is_empty() => ValueKind::Choice,
            _ if is_in(self.entry.references()) => ValueKind::Reference,
            _ if is_in(kinds.composed) => ValueKind::Composed,
            _ if is_in(kinds.names) => ValueKind::Name,
            _ if is_in(kinds.entries) => ValueKind::Entries,
            _ if is_in(kinds.lengths) => ValueKind::Length,
            _ => ValueKind::Text,
        };
        let ends = mark == Some(END);
        found.push(TypedValue { path: path.to_vec(), place, kind, text, is_required: self.is_required, ends });
    }
}

/// Takes a value out of parameters; what holds nothing then goes with it.
pub fn take_out(params: &mut Params, path: &[String]) {
    match path {
        [] => {}
        [last] => {
            params.remove(last);
        }
        [first, rest @ ..] => {
            let is_empty = params.get_mut(first).and_then(Value::as_object_mut).is_some_and(|inner| {
                take_out(inner, rest);
                inner.is_empty()
            });
            if is_empty {
                params.remove(first);
            }
        }
    }
}

/// Sets a value in parameters that has its place already.
pub fn put_in(params: &mut Params, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            params.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            if let Some(inner) = params.get_mut(first).and_then(Value::as_object_mut) {
                put_in(inner, rest, value);
            }
        }
    }
}
