//! The shape of an answer: made once, then shared by every call that asks for it.
//!
//! Servers that hold a model to a schema make it write the keys in the schema's order. So the text has them in the
//! order in which one thinks: what is required as the schema lists it, then what is optional.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON schema, as the text that goes out and as what is looked up in it. Cheap to clone.
#[derive(Clone)]
pub struct AnswerSchema(Arc<Made>);

struct Made {
    number: u64,
    value: Value,
    text: Box<RawValue>,
    notation: Option<String>,
    strict: OnceLock<bool>,
}

impl AnswerSchema {
    /// Made of this.
    pub fn of(value: Value) -> Self {
        Self::made(value, None)
    }

    /// The same, with how prompts write it: a prompt that holds it needs no schema beside it.
    pub fn written(value: Value, notation: String) -> Self {
        Self::made(value, Some(notation))
    }

    fn made(value: Value, notation: Option<String>) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // Every value is a JSON text; the fallback only spares this a way to fail.
        let mut text = String::new();
        write(&value, &mut text);
        let text = RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Made { number, value, text, notation, strict: OnceLock::new() }))
    }

    /// Its own while the program runs: what is made of a schema can be kept under it.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// As it goes out, byte by byte.
    pub fn as_str(&self) -> &str {
        self.0.text.get()
    }

    /// How prompts write it; nothing where they show the schema itself.
    pub fn notation(&self) -> &str {
        self.0.notation.as_deref().unwrap_or_default()
    }

    /// What it says.
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Whether an adapter may ask for it strictly; judged once.
    pub fn is_strict(&self, judge: impl FnOnce(&Value) -> bool) -> bool {
        *self.0.strict.get_or_init(|| judge(&self.0.value))
    }
}

/// The properties of an object's schema, the required ones first and in the order in which `required` names them.
pub fn in_order(schema: &Value) -> Vec<(&String, &Value)> {
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let first = required.iter().filter_map(|name| properties.get_key_value(*name));
    first.chain(properties.iter().filter(|(name, _)| !required.contains(&name.as_str()))).collect()
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => write_map(&map.iter().collect::<Vec<_>>(), Some(value), text),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

/// `schema`: whose keywords these are; `None`: they are names of properties, of which one may be “properties” itself.
fn write_map(entries: &[(&String, &Value)], schema: Option<&Value>, text: &mut String) {
    text.push('{');
    for (at, (name, value)) in entries.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        match schema.filter(|_| *name == "properties" && value.is_object()) {
            Some(schema) => write_map(&in_order(schema), None, text),
            None => write(value, text),
        }
    }
    text.push('}');
}

impl fmt::Debug for AnswerSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for AnswerSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.text.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_stand_in_the_order_in_which_one_thinks() {
        let inner = json!({"type": "object", "required": ["z"], "properties": {"a": {}, "properties": {}, "z": {}}});
        let schema = AnswerSchema::of(json!({"type": "object", "required": ["service", "command", "gone"],
            "properties": {"after": {"type": "array"}, "command": {"const": "x"}, "params": inner, "service": {}}}));
        let properties = |text: &str| text.split("\"properties\":").nth(1).unwrap().to_owned();
        let written = "{\"service\":{},\"command\":{\"const\":\"x\"},\"after\":{\"type\":\"array\"},\"params\":{";
        assert!(properties(schema.as_str()).starts_with(written), "{schema:?}");
        assert!(schema.as_str().contains("{\"z\":{},\"a\":{},\"properties\":{}}"), "{schema:?}");
        assert_eq!(serde_json::from_str::<Value>(schema.as_str()).unwrap(), *schema.value());
    }

    #[test]
    fn a_schema_goes_out_as_its_value_would() {
        let value = json!({"type": "object", "required": ["b", "a"], "properties": {"b": {"const": "é\"\n"}}});
        let schema = AnswerSchema::of(value.clone());
        assert_eq!(
            serde_json::to_string(&json!({"schema": value})).unwrap(),
            format!("{{\"schema\":{}}}", schema.as_str())
        );
        #[derive(Serialize)]
        struct Body<'a> {
            schema: &'a AnswerSchema,
        }
        let body = serde_json::to_string(&Body { schema: &schema }).unwrap();
        assert_eq!(body, json!({"schema": value}).to_string());
        assert_ne!(schema.number(), AnswerSchema::of(json!({})).number());
    }
}
