//! Schema validation: a command's parameters as JSON, and what is wrong with them before they are typed.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use brain_core::core::plan::Params;
use brain_core::limits::PARAM_CHARS_MAX;
use brain_core::ports::in_order;

pub(in crate::services) fn clone_pair((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

pub(in crate::services) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(in crate::services) fn too_long(params: &Params) -> Option<String> {
    fn longest(value: &Value) -> usize {
        match value {
            Value::String(text) => text.chars().count(),
            Value::Array(items) => items.iter().map(longest).sum(),
            Value::Object(map) => map.values().map(longest).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }
    params.iter().find(|(_, value)| longest(value) > PARAM_CHARS_MAX).map(|(key, _)| key.clone())
}

/// A schema as people would write it: `title: what to do; priority?: low|high; items?: []`. A third of its length, and
/// models read it as well. What it cannot say (patterns, bounds) is left to the schema itself.
pub fn notation(schema: &Value) -> String {
    notation_after(schema, &mut HashSet::new())
}

/// The same where others are read above it: what a parameter is stands where it comes first, by its name and words.
pub(in crate::services) fn notation_after(schema: &Value, described: &mut HashSet<String>) -> String {
    let required = required(schema);
    let properties = in_order(schema).into_iter().map(|(name, schema)| {
        let optional = if required.contains(name) { "" } else { "?" };
        let words = schema["description"].as_str().unwrap_or_default().trim().trim_end_matches('.');
        let words = if described.insert(format!("{name}: {words}")) { words } else { "" };
        let said = [kind(schema), words.to_owned()];
        let said: Vec<String> = said.into_iter().filter(|part| !part.is_empty()).collect();
        let colon = if said.is_empty() { "" } else { ": " };
        format!("{name}{optional}{colon}{}", said.join(", "))
    });
    properties.collect::<Vec<_>>().join("; ")
}

/// What a value is; nothing for words.
fn kind(schema: &Value) -> String {
    let is =
        |name: &str| schema["type"] == name || schema["type"].as_array().is_some_and(|all| all.contains(&name.into()));
    let among = ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    let listed = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    let mut kinds: Vec<String> = listed.filter_map(Value::as_str).map(str::to_owned).chain(among.map(kind)).collect();
    if is("array") {
        let inside = kind(&schema["items"]);
        kinds.push(format!("[{inside}]"));
    } else if schema["properties"].is_object() {
        kinds.push(format!("{{{}}}", notation(schema)));
    } else if is("integer") || is("number") {
        kinds.push("number".to_owned());
    } else if is("boolean") {
        kinds.push("true|false".to_owned());
    }
    kinds.retain(|kind| !kind.is_empty());
    kinds.join("|")
}

/// The object that a schema is, or has among its alternatives.
pub(in crate::services) fn object_in(schema: &Value) -> Option<&Value> {
    std::iter::once(schema).chain(alternatives(schema)).find(|one| one["properties"].is_object())
}

/// The words that a schema allows, where only some are allowed.
pub(in crate::services) fn choices(schema: &Value) -> Vec<&str> {
    let own = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    own.filter_map(Value::as_str).chain(alternatives(schema).flat_map(choices)).collect()
}

pub(in crate::services) fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].iter().filter_map(|key| schema[key].as_array()).flatten()
}

/// The schema of `T`, without what no planner needs.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    schema
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            // `title` as a keyword is text; as a property it is an object and stays.
            map.retain(|key, value| !matches!(key.as_str(), "title" | "format" | "default") || value.is_object());
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(in crate::services) fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A list, or one alone: planners write both.
pub fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::<OneOrMany>::deserialize(deserializer)? {
        Some(OneOrMany::One(one)) => {
            one.split([',', ';']).map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect()
        }
        Some(OneOrMany::Many(many)) => many,
        None => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_written_as_people_would() {
        let schema = json!({"type": "object", "required": ["title"], "properties": {
            "changes": {"anyOf": [{"type": "object", "properties": {"on": {"type": "boolean"}}}, {"type": "null"}]},
            "minutes": {"type": ["integer", "null"], "minimum": 0},
            "priority": {"anyOf": [{"oneOf": [{"const": "low", "type": "string"}, {"const": "high"}]}, {"type": "null"}]},
            "status": {"enum": ["open", "done", null], "description": "Which."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Words."},
            "title": {"type": "string", "description": "What to do, without the time."},
            "where": {"type": ["string", "null"]},
        }});
        let written = "title: What to do, without the time; changes?: {on?: true|false}; minutes?: number; \
                       priority?: low|high; status?: open|done, Which; tags?: [], Words; where?";
        assert_eq!(notation(&schema), written);
        assert_eq!(notation(&json!({})), "");
        let mut described = HashSet::new();
        let first = json!({"properties": {"tags": {"type": "array", "description": "Words."}, "where": {}}});
        let second = json!({"properties": {"tags": {"type": "array", "description": "Words."}, "who": {"description": "Words."}}});
        assert_eq!(notation_after(&first, &mut described), "tags?: [], Words; where?");
        assert_eq!(notation_after(&second, &mut described), "tags?: []; who?: Words");
    }
}
