//! Pressed buttons.

use serde_json::Value;

use super::super::place::ChatPlace;
use super::incoming::{IncomingEvent, IncomingUpdate};
use super::json::text;
use brain_core::core::ids::MessageId;

/// Buttons of messages that are sent through other chats' inline mode have no message; we never make them.
pub(super) fn read(query: &Value) -> Option<IncomingUpdate> {
    let message = &query["message"];
    let event = IncomingEvent::Press {
        query: text(&query["id"])?,
        message: MessageId(message["message_id"].as_i64()?),
        data: text(&query["data"]).unwrap_or_default(),
    };
    let private = message["chat"]["type"] == "private";
    Some(IncomingUpdate { who: query["from"]["id"].as_i64()?, place: ChatPlace::of(message)?, private, event })
}
