//! What an update means to the assistant: a value, read by one module a kind of update.
//!
//! Updates are read from their JSON, field by field, and not by teloxide's types. Those cover Bot API 9.1 and read the
//! content of a message whole or not at all: an unknown kind of entity makes an ordinary text "empty", and a forward
//! of an unknown origin is no forward any more. The test `what_teloxide_cannot_read_is_read` holds the cases.
//!
//! Invariants: an update is read before it is stored, because only what leads to something is kept with its words;
//! reading never fails, what is not understood is nothing. Not here: who is served, order, storing, and what is done
//! about an update.

mod callback_query;
mod envelope;
pub(super) mod incoming;
mod json;
mod message;
mod my_chat_member;

use serde_json::Value;

use incoming::{BotIdentity, IncomingUpdate};
use message::Edited;

/// Reads an update; `None` when there is nothing to do about it.
pub(super) fn read(update: &Value, me: &BotIdentity) -> Option<IncomingUpdate> {
    let body = |kind: &str| update.get(kind).filter(|body| body.is_object());
    if let Some(query) = body("callback_query") {
        return callback_query::read(query);
    }
    if let Some(membership) = body("my_chat_member") {
        return my_chat_member::read(membership);
    }
    match (body("message"), body("edited_message")) {
        (Some(message), _) => message::read(message, Edited::No, me),
        (None, Some(message)) => message::read(message, Edited::Yes, me),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
