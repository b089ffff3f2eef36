//! What the bot has sent, for a test to look at, and the whole conversation, for a person to read.

use std::fmt::Write;
use std::time::Instant;

use serde_json::Value;

use super::state::{Message, State};

/// A button of an inline keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    pub text: String,
    /// Empty for a link.
    pub data: String,
    pub url: Option<String>,
}

/// A message of the bot, as it reads now.
#[derive(Clone, Debug)]
pub struct SentMessage {
    pub chat: i64,
    pub id: i64,
    pub text: String,
    pub entities: Vec<Value>,
    /// Row by row.
    pub buttons: Vec<Vec<Button>>,
    pub reply_to: Option<i64>,
    pub sent_at: Instant,
    pub edited_at: Vec<Instant>,
    /// The name and the content of the file it carries.
    pub document: Option<(String, Vec<u8>)>,
    /// The texts it had before, oldest first.
    pub earlier_texts: Vec<String>,
    pub deleted: bool,
}

impl SentMessage {
    pub fn all_buttons(&self) -> Vec<Button> {
        self.buttons.concat()
    }

    /// The first button whose text contains `part`; panics with the message when there is none.
    pub fn button(&self, part: &str) -> Button {
        let found = self.all_buttons().into_iter().find(|button| button.text.contains(part));
        found.unwrap_or_else(|| panic!("no button {part:?} in {self:#?}"))
    }
}

pub(super) fn sent(state: &State, chat: i64) -> Vec<SentMessage> {
    let messages = state.chats.get(&chat).map(|chat| chat.messages.as_slice()).unwrap_or_default();
    messages.iter().filter(|message| message.by_bot).map(|message| view(state, chat, message)).collect()
}

fn view(state: &State, chat: i64, message: &Message) -> SentMessage {
    let text = |json: &Value| json["text"].as_str().or(json["caption"].as_str()).unwrap_or_default().to_owned();
    let document = message.json.get("document").map(|document| {
        let content = state.files.get(document["file_id"].as_str().unwrap_or_default()).cloned().unwrap_or_default();
        (document["file_name"].as_str().unwrap_or_default().to_owned(), content)
    });
    SentMessage {
        chat,
        id: message.id,
        text: text(&message.json),
        entities: message.json["entities"].as_array().cloned().unwrap_or_default(),
        buttons: keyboard(&message.json),
        reply_to: message.json["reply_to_message"]["message_id"].as_i64(),
        sent_at: message.sent_at,
        edited_at: message.edited_at.clone(),
        document,
        earlier_texts: message.before_edits.iter().map(text).collect(),
        deleted: message.deleted,
    }
}

fn keyboard(json: &Value) -> Vec<Vec<Button>> {
    let rows = json["reply_markup"]["inline_keyboard"].as_array().cloned().unwrap_or_default();
    let text = |button: &Value, field: &str| button[field].as_str().map(str::to_owned);
    let button = |button: &Value| Button {
        text: text(button, "text").unwrap_or_default(),
        data: text(button, "callback_data").unwrap_or_default(),
        url: text(button, "url"),
    };
    rows.iter().map(|row| row.as_array().into_iter().flatten().map(button).collect()).collect()
}

pub(super) fn render(state: &State) -> String {
    let mut out = String::new();
    for (id, chat) in &state.chats {
        let _ = writeln!(out, "── chat {id}");
        for message in &chat.messages {
            let who = if message.by_bot { "bot " } else { "user" };
            let gone = if message.deleted { " (deleted)" } else { "" };
            let body = message.json["text"].as_str().or(message.json["caption"].as_str()).unwrap_or("(no text)");
            let _ = writeln!(out, "{:>4} {who}{gone} {}", message.id, body.replace('\n', "\n          "));
            for row in keyboard(&message.json) {
                let row: Vec<String> = row.iter().map(|b| format!("[{} = {}]", b.text, b.data)).collect();
                let _ = writeln!(out, "          {}", row.join(" "));
            }
        }
    }
    let _ = writeln!(out, "── calls");
    let start = state.calls.first().map(|call| call.at);
    for call in state.calls.iter().rev().take(60).rev() {
        let ms = start.map_or(0, |start| call.at.duration_since(start).as_millis());
        let status = call.status.map_or_else(|| "unanswered".to_owned(), |status| status.to_string());
        let params: String = Value::Object(call.params.clone()).to_string().chars().take(160).collect();
        let _ = writeln!(out, "{ms:>7} ms {} → {status} {params}", call.method);
    }
    let _ = writeln!(out, "── {} updates not acknowledged, faults: {:?}", state.queue.len(), state.faults);
    out
}
