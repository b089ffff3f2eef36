//! What the fake Telegram remembers: chats with their messages, the queue of updates, calls, faults.
//!
//! Invariants: message ids grow within a chat, the bot's and people's alike; an update stays in the queue
//! until a `getUpdates` with a higher offset forgets it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::faults::{Planned, Weather};
use super::request::Params;

pub const BOT_ID: i64 = 4_242;
pub const BOT_NAME: &str = "brain_test_bot";

/// One call of the bot, as it arrived.
#[derive(Clone, Debug)]
pub struct Call {
    /// In Telegram's own spelling, whatever the case of the request.
    pub method: String,
    pub params: Params,
    pub at: Instant,
    /// The HTTP status of the answer; `None` while it waits, and when no answer was given.
    pub status: Option<u16>,
}

/// A call that is not carried out.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: u16,
    pub description: String,
    pub retry_after_s: Option<u64>,
    pub migrate_to: Option<i64>,
}

pub type Answer = Result<Value, Refusal>;

impl Refusal {
    pub fn new(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), retry_after_s: None, migrate_to: None }
    }

    /// 400, with the prefix that Telegram gives it.
    pub fn bad(why: impl std::fmt::Display) -> Self {
        Self::new(400, format!("Bad Request: {why}"))
    }

    pub fn other_poller() -> Self {
        let what = "terminated by other getUpdates request; make sure that only one bot instance is running";
        Self::new(409, format!("Conflict: {what}"))
    }

    pub fn to_json(&self) -> Value {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(seconds) = self.retry_after_s {
            body["parameters"] = json!({"retry_after": seconds});
        }
        if let Some(chat) = self.migrate_to {
            body["parameters"] = json!({"migrate_to_chat_id": chat});
        }
        body
    }
}

#[derive(Clone, Debug)]
pub struct Message {
    pub id: i64,
    pub by_bot: bool,
    /// The message as Telegram sends it, edits included.
    pub json: Value,
    pub deleted: bool,
    pub sent_at: Instant,
    /// Text and keyboard before each edit, oldest first.
    pub before_edits: Vec<Value>,
    pub edited_at: Vec<Instant>,
}

#[derive(Clone, Debug)]
pub struct Chat {
    pub json: Value,
    pub messages: Vec<Message>,
}

#[derive(Debug)]
pub struct Queued {
    pub id: i64,
    pub update: Value,
    /// Delivered once more whatever the offset says.
    pub again: bool,
}

#[derive(Debug, Default)]
pub struct State {
    pub calls: Vec<Call>,
    pub chats: BTreeMap<i64, Chat>,
    pub queue: VecDeque<Queued>,
    /// Every update there ever was, by id, for duplicates.
    pub updates: BTreeMap<i64, Value>,
    pub last_update_id: i64,
    pub allowed_updates: Option<Vec<String>>,
    /// Grows with every `getUpdates`: an older one still waiting is terminated.
    pub poll: u64,
    /// By callback query id: how the bot answered, once it did.
    pub callbacks: BTreeMap<String, Option<Params>>,
    pub commands: BTreeMap<String, Value>,
    pub webhook: Option<Params>,
    pub files: BTreeMap<String, Vec<u8>>,
    pub(super) faults: Vec<Planned>,
    pub(super) weather: Option<Weather>,
}

pub fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

pub fn bot_json() -> Value {
    json!({"id": BOT_ID, "is_bot": true, "first_name": "Brain", "username": BOT_NAME})
}

pub fn user_json(user: i64) -> Value {
    json!({"id": user, "is_bot": false, "first_name": format!("User{user}"), "language_code": "en"})
}

impl State {
    pub fn new() -> Self {
        Self { last_update_id: 700_000_000, ..Self::default() }
    }

    /// The chat, opened if need be: negative ids are supergroups, others private chats.
    pub fn open_chat(&mut self, id: i64) -> &mut Chat {
        self.chats.entry(id).or_insert_with(|| {
            let json = if id < 0 {
                json!({"id": id, "type": "supergroup", "title": format!("Group {}", -id)})
            } else {
                json!({"id": id, "type": "private", "first_name": format!("User{id}")})
            };
            Chat { json, messages: Vec::new() }
        })
    }

    pub fn message(&self, chat: i64, id: i64) -> Option<&Message> {
        self.chats.get(&chat)?.messages.iter().find(|m| m.id == id && !m.deleted)
    }

    pub fn message_mut(&mut self, chat: i64, id: i64) -> Option<&mut Message> {
        self.chats.get_mut(&chat)?.messages.iter_mut().find(|m| m.id == id && !m.deleted)
    }

    /// Files a message under the chat's next id and returns it as Telegram would.
    pub fn add_message(&mut self, chat: i64, by_bot: bool, mut json: Value) -> Value {
        let chat = self.open_chat(chat);
        let id = chat.messages.last().map_or(1, |last| last.id + 1);
        json["message_id"] = json!(id);
        json["chat"] = chat.json.clone();
        let message = Message {
            id,
            by_bot,
            json: json.clone(),
            deleted: false,
            sent_at: Instant::now(),
            before_edits: Vec::new(),
            edited_at: Vec::new(),
        };
        chat.messages.push(message);
        json
    }

    /// The message as it appears in `reply_to_message`: without what it replied to itself.
    pub fn quoted(&self, chat: i64, id: i64) -> Option<Value> {
        let mut json = self.message(chat, id)?.json.clone();
        json.as_object_mut()?.remove("reply_to_message");
        Some(json)
    }

    /// Queues an update of this kind under the next id, unless the bot asked not to get that kind.
    pub fn push_update(&mut self, kind: &str, content: Value) -> i64 {
        let mut update = json!({});
        update[kind] = content;
        self.push_raw(update)
    }

    pub fn push_raw(&mut self, mut update: Value) -> i64 {
        let id = update["update_id"].as_i64().unwrap_or(self.last_update_id + 1);
        self.last_update_id = id;
        update["update_id"] = json!(id);
        self.updates.insert(id, update.clone());
        let kind = update.as_object().and_then(|o| o.keys().find(|key| *key != "update_id"));
        let wanted = match (&self.allowed_updates, kind) {
            (Some(allowed), Some(kind)) => allowed.is_empty() || allowed.contains(kind),
            (None, _) | (_, None) => true,
        };
        if wanted {
            self.queue.push_back(Queued { id, update, again: false });
        }
        id
    }

    /// Forgets what the `offset` of a `getUpdates` acknowledges.
    pub fn acknowledge(&mut self, offset: i64) {
        if offset < 0 {
            let forget = self.queue.len().saturating_sub(usize::try_from(-offset).unwrap_or(usize::MAX));
            self.queue.drain(..forget);
        } else if offset > 0 && offset <= self.last_update_id + 1 {
            // An offset beyond the next id is a leftover of an older numbering and acknowledges nothing.
            self.queue.retain(|queued| queued.again || queued.id >= offset);
        }
    }

    /// What a `getUpdates` gets, without the waiting.
    pub fn take_updates(&mut self, limit: usize) -> Vec<Value> {
        let batch = self.queue.iter().take(limit).map(|queued| queued.update.clone()).collect();
        let mut position = 0;
        self.queue.retain(|queued| {
            position += 1;
            position > limit || !queued.again
        });
        batch
    }
}
