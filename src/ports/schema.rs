//! The shape of an answer: made once, then shared by every call that asks for it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

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
        let text = to_raw_value(&value).unwrap_or_else(|_| RawValue::NULL.to_owned());
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
