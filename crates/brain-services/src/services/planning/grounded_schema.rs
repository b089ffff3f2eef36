//! What a call of a command is offered: its parameters, without the optional ones that the message cannot ground.
//!
//! A server that holds a model to a schema makes it write what the schema has, and a small model fills in whatever
//! there is to fill. So what nothing in the message speaks of is not offered to it: no repetition without a word that
//! repeats, no priority without a word for one. Parameters are told apart by the kind of their type, and never by their
//! command; some names need a word of their own (`given_` in `data/language/reading/ground.txt`). What is required is
//! always offered; what came of it is judged all the same ([`super::plan_grounding`]).

use serde_json::{Map, Value, json};

use super::values::{TypedValue, typed_values};
use crate::services::contract::entry::Entry;
use crate::services::contract::schema::{choices, object_in, required};
use brain_language::language::grounding::{Ground, Introduced, ValueKind};

/// The schema of a command's parameters for this message.
pub fn offered(entry: &dyn Entry, ground: &Ground<'_>) -> Value {
    let schema = entry.schema();
    let Value::Object(probe) = probe(&schema) else { return schema };
    let typed = typed_values(entry, &probe);
    let filter = Filter { typed: &typed, ground, writes: entry.writes() };
    filter.object(&schema, &mut Vec::new()).unwrap_or(schema)
}

struct Filter<'a> {
    typed: &'a [TypedValue],
    ground: &'a Ground<'a>,
    writes: bool,
}

impl Filter<'_> {
    /// An object without the properties that have no ground; `None` when nothing would be left of one that had some.
    fn object(&self, schema: &Value, path: &mut Vec<String>) -> Option<Value> {
        let properties = schema["properties"].as_object()?;
        let mut required = required(schema);
        let mut kept = Map::new();
        for (name, value) in properties {
            path.push(name.clone());
            let offered = self.property(value, path, required.contains(name));
            path.pop();
            kept.extend(offered.map(|value| (name.clone(), value)));
        }
        if kept.is_empty() && !properties.is_empty() && !path.is_empty() {
            return None;
        }
        // The one time that was named belongs to the one parameter that can hold it.
        for repeating in [false, true] {
            let mut holds = kept.keys().filter(|name| self.holds_times(path, name, repeating));
            if let (Some(only), None, Some(_)) = (holds.next(), holds.next(), self.ground.only_time(repeating))
                && !required.contains(only)
            {
                required.push(only.clone());
            }
        }
        let mut schema = schema.clone();
        schema["properties"] = Value::Object(kept);
        schema["required"] = required.into();
        Some(schema)
    }

    fn holds_times(&self, path: &[String], name: &str, repeating: bool) -> bool {
        let kind = if repeating { ValueKind::Repetition } else { ValueKind::Time };
        let is_it =
            |value: &&TypedValue| value.path.split_last().is_some_and(|(last, rest)| last == name && rest == path);
        self.typed.iter().find(is_it).is_some_and(|value| value.kind == kind)
    }

    fn property(&self, schema: &Value, path: &mut Vec<String>, is_required: bool) -> Option<Value> {
        if let Some(inner) = object_in(schema) {
            return self.object(inner, path).or_else(|| is_required.then(|| schema.clone()));
        }
        // What the probe could not fill is offered as it is.
        let Some(value) = self.typed.iter().find(|value| value.path == *path) else { return Some(schema.clone()) };
        let name = path.last().map(String::as_str).unwrap_or_default();
        if !is_required && self.writes && !self.ground.introduces(Introduced::Value(name)) {
            return None;
        }
        if let Some(words) = self.said(schema, value, is_required) {
            return match (words.is_empty(), value.place) {
                // What is required and was not said is asked for: nothing is the only word for it.
                (true, _) => is_required.then(|| json!({"enum": [""]})),
                (false, None) => Some(json!({"enum": words})),
                (false, Some(_)) => Some(json!({"type": "array", "items": {"enum": words}})),
            };
        }
        (is_required || self.has_ground(value)).then(|| without_null(schema))
    }

    /// The words that a value can be, where only words of the message or of the schema can be meant.
    fn said<'s>(&'s self, schema: &'s Value, value: &TypedValue, is_required: bool) -> Option<Vec<&'s str>> {
        match value.kind {
            ValueKind::Time => {
                let mut words = self.ground.time_words(false);
                if !self.typed.iter().any(|value| value.kind == ValueKind::Repetition) {
                    words.extend(self.ground.time_words(true));
                }
                // One time is no end, and no further one.
                let is_further = value.ends || value.place.is_some();
                Some(if is_further && words.len() < 2 { Vec::new() } else { words })
            }
            ValueKind::Repetition => Some(self.ground.time_words(true)),
            ValueKind::Choice => {
                let choices: Vec<&str> = choices(schema);
                let said: Vec<&str> = choices.iter().copied().filter(|choice| self.ground.has_choice(choice)).collect();
                Some(if said.is_empty() && is_required { choices } else { said })
            }
            ValueKind::Person
            | ValueKind::Length
            | ValueKind::Reference
            | ValueKind::Name
            | ValueKind::Entries
            | ValueKind::Text
            | ValueKind::Composed
            | ValueKind::Plain => None,
        }
    }

    fn has_ground(&self, value: &TypedValue) -> bool {
        let ground = self.ground;
        match value.kind {
            ValueKind::Length => ground.has_length_ahead(),
            ValueKind::Name => ground.introduces(Introduced::Name),
            ValueKind::Plain => !self.writes || ground.introduces(Introduced::Number),
            ValueKind::Time
            | ValueKind::Repetition
            | ValueKind::Person
            | ValueKind::Choice
            | ValueKind::Reference
            | ValueKind::Entries
            | ValueKind::Text
            | ValueKind::Composed => true,
        }
    }
}

/// A value of this shape, to see what kind each of its parts is.
fn probe(schema: &Value) -> Value {
    if let Some(inner) = object_in(schema) {
        let fields = inner["properties"].as_object().into_iter().flatten();
        return Value::Object(fields.map(|(name, schema)| (name.clone(), probe(schema))).collect());
    }
    if let Some(choice) = choices(schema).first() {
        return (*choice).into();
    }
    let is = |name: &str| {
        let kind = &schema["type"];
        kind == name || kind.as_array().is_some_and(|all| all.contains(&name.into()))
    };
    if is("array") {
        json!([probe(&schema["items"])])
    } else if is("integer") || is("number") {
        json!(schema["minimum"].as_u64().unwrap_or(1).max(1))
    } else if is("boolean") {
        json!(true)
    } else {
        json!("x")
    }
}

/// A schema without null: leaving it out is how nothing is said.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(kinds) = schema["type"].as_array() {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        if let [only] = kinds.as_slice() {
            schema["type"] = only.clone();
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use brain_language::language::reading::Reading;
    use brain_language::language::time::{DateOrder, Reference};

    fn properties(service: &str, command: &str, message: &str) -> Vec<String> {
        let reference = Reference {
            now: "2026-01-12T09:00:00Z".parse().unwrap(),
            zone: chrono_tz::UTC,
            order: DateOrder::DayFirst,
        };
        let reading = Reading::of(message, &reference);
        let ground = Ground::of(&reading, &[], &[], &[], &reference);
        let entry = testing::registry().command(service, command).unwrap();
        let schema = offered(entry.as_ref(), &ground);
        let names = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().into_iter().flat_map(serde_json::Map::keys).cloned().collect()
        };
        let inner = |name: &String| {
            let inner = object_in(&schema["properties"][name]).map(&names).unwrap_or_default();
            inner.into_iter().map(|inner| format!("{name}.{inner}")).collect::<Vec<_>>()
        };
        names(&schema).iter().flat_map(|name| std::iter::once(name.clone()).chain(inner(name))).collect()
    }

    #[test]
    fn only_what_the_message_speaks_of_is_offered() {
        assert_eq!(properties("task", "create", "remind me to buy stamps"), ["title"]);
        assert_eq!(properties("task", "create", "remind me to buy stamps tomorrow"), ["deadline", "title"]);
        let all = properties("task", "create", "urgent: every Monday at 9 water the plants, details: they dry out");
        assert!(["title", "priority", "repeat", "description"].iter().all(|name| all.contains(&(*name).into())));
        let schema = properties("task", "update", "move the report to Friday");
        assert_eq!(schema, ["changes", "changes.deadline", "find_by"]);
        assert!(
            properties("calendar", "create_event", "lunch with Sarah on Friday").contains(&"start_time".to_owned())
        );
    }

    #[test]
    fn what_is_required_is_always_offered() {
        for entry in testing::registry().now().commands(&testing::registry().now().names()) {
            let offered = properties(entry.service(), entry.command(), "hello");
            for name in required(&entry.schema()) {
                assert!(offered.contains(&name), "{entry:?}: {name}");
            }
        }
    }
}
