//! The way back: what an update is to teloxide's dispatcher, which sees nothing else of it.

use serde_json::json;
use teloxide::types::{Update, UpdateKind};

use super::incoming::{IncomingEvent, IncomingUpdate};

impl IncomingUpdate {
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
