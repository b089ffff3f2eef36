//! Leaves of parameters: each value of a call with the schema that it stands under, and what that schema offers.

use serde_json::Value;

use crate::services::contract::schema::{alternatives, object_in};
use brain_core::core::plan::Params;

/// Every leaf with its schema; a name that no schema gives is a value, too.
pub(super) fn collect(value: &Value, schema: &Value, into: &mut Vec<(String, Value)>) {
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
pub(super) fn choices(schema: &Value) -> Vec<String> {
    let own = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    let own = own.filter(|choice| !choice.is_null()).map(in_words);
    own.chain(alternatives(schema).flat_map(choices)).collect()
}

/// Whether a schema itself states this value: what stands there where nobody chooses, or a border of what may.
pub(super) fn is_stated(schema: &Value, keys: &[&str], text: &str) -> bool {
    let of = |schema: &Value| keys.iter().any(|key| schema.get(key).is_some_and(|value| in_words(value) == text));
    of(schema) || alternatives(schema).any(of)
}

fn in_words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The values of parameters, as words.
pub fn leaves_of(params: &Params) -> Vec<String> {
    let mut leaves = Vec::new();
    params.values().for_each(|value| collect(value, &Value::Null, &mut leaves));
    leaves.into_iter().map(|(text, _)| text).collect()
}
