//! What an update means to the assistant: one module a kind of update, each of which reads it, queues it as an
//! endpoint of the dispatcher's tree, and does what it asks for when its turn has come.
//!
//! Updates are read from their JSON, field by field, and not by teloxide's types. Those cover Bot API 9.1 and read the
//! content of a message whole or not at all: an unknown kind of entity makes an ordinary text "empty", and a forward
//! of an unknown origin is no forward any more. The test `what_teloxide_cannot_read_is_read` holds the cases.
//!
//! Invariants: an update is read before it is stored, because only what leads to something is kept with its words;
//! reading never fails, what is not understood is nothing. Not here: who is served, order, storing.

pub(super) mod callback_query;
pub(super) mod edited_message;
pub(super) mod message;
pub(super) mod my_chat_member;

use serde_json::{Value, json};
use teloxide::types::{Update, UpdateKind};

use super::place::ChatPlace;
use crate::core::ids::{ChatId, MessageId};
use message::{Edited, IncomingMessage};

/// Who the bot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BotIdentity {
    pub id: i64,
    /// Without `@`.
    pub username: String,
}

/// An update that a person has caused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IncomingUpdate {
    /// Telegram's number of the person.
    pub who: i64,
    pub place: ChatPlace,
    /// Whether that is the person's private chat with the bot.
    pub private: bool,
    pub event: IncomingEvent,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum IncomingEvent {
    Message(IncomingMessage),
    /// A message whose words were changed.
    Edited(IncomingMessage),
    /// `query` has to be acknowledged; `message` is the one the button sits on; `data` is untrusted.
    Press {
        query: String,
        message: MessageId,
        data: String,
    },
    /// The bot was let into a group, or back into a private chat.
    Joined,
}

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

/// Whether one of these fields is there.
fn has(object: &Value, fields: &[&str]) -> bool {
    fields.iter().any(|field| !object[*field].is_null())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

impl ChatPlace {
    /// Where a message is.
    fn of(message: &Value) -> Option<Self> {
        let topic = message["message_thread_id"].as_i64().filter(|_| message["is_topic_message"] == true);
        Some(Self { chat: message["chat"]["id"].as_i64()?, topic: topic.and_then(|topic| i32::try_from(topic).ok()) })
    }
}

impl IncomingUpdate {
    /// What a person writes in their private chat; all that is looked at of strangers.
    pub fn private_text(&self) -> Option<&str> {
        match &self.event {
            IncomingEvent::Message(said) | IncomingEvent::Edited(said) => self.private.then_some(&said.text),
            IncomingEvent::Press { .. } | IncomingEvent::Joined => None,
        }
    }

    /// The message that has come with it. An edit brings none: it has the number of what it changes.
    pub fn new_message(&self) -> Option<(ChatId, MessageId)> {
        match &self.event {
            IncomingEvent::Message(message) => Some((self.place.id(), message.number)),
            IncomingEvent::Edited(_) | IncomingEvent::Press { .. } | IncomingEvent::Joined => None,
        }
    }

    /// The update for teloxide's dispatcher: its kind, its chat, and the words by which `/cancel` is told, in a form
    /// that teloxide can always read. A number beyond 32 bits is cut; it only names the update until its handler has
    /// taken it.
    pub fn envelope(&self, number: u64) -> Option<Update> {
        let chat = json!({"id": self.place.chat, "type": if self.private { "private" } else { "group" }, "title": ""});
        let from = json!({"id": self.who.unsigned_abs(), "is_bot": false, "first_name": ""});
        // The date 0 would mean that the message can't be read any more.
        let message = |text: &str| json!({"message_id": 0, "date": 1, "chat": chat, "message_thread_id": self.place.topic, "text": text});
        let member = |status: &str| json!({"user": from, "status": status});
        let (kind, body) = match &self.event {
            IncomingEvent::Message(said) => ("message", message(&said.text)),
            IncomingEvent::Edited(said) => ("edited_message", message(&said.text)),
            IncomingEvent::Press { query, data, .. } => (
                "callback_query",
                json!({"id": query, "from": from, "chat_instance": "", "message": message(""), "data": data}),
            ),
            IncomingEvent::Joined => (
                "my_chat_member",
                json!({"chat": chat, "from": from, "date": 0, "old_chat_member": member("left"), "new_chat_member": member("member")}),
            ),
        };
        let number = number & u64::from(u32::MAX);
        // From text, because teloxide finds the kind only under a key that can be borrowed.
        let update: Update = serde_json::from_str(&json!({"update_id": number, kind: body}).to_string()).ok()?;
        (!matches!(update.kind, UpdateKind::Error(_))).then_some(update)
    }
}

#[cfg(test)]
mod tests;
