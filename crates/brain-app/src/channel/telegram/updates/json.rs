//! Fields of an update's JSON that more than one kind of update has.

use serde_json::Value;

use super::super::place::ChatPlace;

/// Whether one of these fields is there.
pub fn has(object: &Value, fields: &[&str]) -> bool {
    fields.iter().any(|field| !object[*field].is_null())
}

pub fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

impl ChatPlace {
    /// Where a message is.
    pub fn of(message: &Value) -> Option<Self> {
        let topic = message["message_thread_id"].as_i64().filter(|_| message["is_topic_message"] == true);
        let place =
            Self { chat: message["chat"]["id"].as_i64()?, topic: topic.and_then(|topic| i32::try_from(topic).ok()) };
        // In a forum, what is in no other topic is in the general one.
        Some(Self { topic: place.thread(), ..place })
    }
}
