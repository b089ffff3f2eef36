//! A command's parameters as JSON: their schema for planners, and what is wrong with them before they are typed.

use schemars::JsonSchema;
use serde_json::Value;

use crate::core::plan::Params;
use crate::limits::PARAM_CHARS_MAX;

pub(super) fn clone_pair((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(super) fn too_long(params: &Params) -> Option<String> {
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

/// The schema of `T`, without what no planner needs.
pub(super) fn schema<T: JsonSchema>() -> Value {
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

pub(super) fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
