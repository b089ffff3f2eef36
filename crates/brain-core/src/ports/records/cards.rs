//! What waits for a yes or no, the message that shows it, and what can be taken back.
//!
//! The pending action and the run that carries it out are `core`'s own types; here they only get their keys.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::millis;
use crate::core::ids::{ChatId, MessageId, PendingId, UserId};
use crate::core::pending::Pending;
use crate::core::plan::PlannedAction;
use crate::core::run::Run;
use crate::ports::secondary::{Secondary, readable};
use crate::ports::{Change, Key, Record, Table};

impl Record for Pending {
    const TABLE: Table = Table::Pending;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

/// Cards of an owner by state, oldest first: owner, state, when it was made.
pub static CARDS_BY_OWNER: Secondary = Secondary {
    name: "cards_by_owner",
    table: Table::Pending,
    version: 1,
    keys: |_, stored| {
        let key = |card: Pending| {
            let state = card.state.to_string();
            Key::of(&[card.owner.as_str(), &state, &millis(card.created_at)])
        };
        readable::<Pending>(stored).map(key).into_iter().collect()
    },
};

impl Record for Run {
    const TABLE: Table = Table::Runs;

    fn key(&self) -> Key {
        Key::of(&[self.id.as_str()])
    }
}

/// Index entry: an open pending action of a chat, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingOpen {
    /// Where it waits.
    pub chat: ChatId,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The pending action.
    pub id: PendingId,
}

impl PendingOpen {
    /// The entry of a pending action.
    pub fn of(pending: &Pending) -> Self {
        Self { chat: pending.chat.clone(), created_at: pending.created_at, id: pending.id.clone() }
    }
}

impl Record for PendingOpen {
    const TABLE: Table = Table::PendingOpen;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &millis(self.created_at), self.id.as_str()])
    }
}

/// Index entry: the card that a message shows, so that a reply to it is understood for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardMessage {
    /// The chat of the message.
    pub chat: ChatId,
    /// Its number in that chat, given by the channel.
    pub message: MessageId,
    /// The pending action that it shows.
    pub pending: PendingId,
}

impl CardMessage {
    /// The key of a message.
    pub fn key_of(chat: &ChatId, message: MessageId) -> Key {
        Key::of(&[chat.as_str(), &Key::number(message.0.unsigned_abs())])
    }
}

impl Record for CardMessage {
    const TABLE: Table = Table::Cards;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, self.message)
    }
}

/// How to take a done action back: the changes that restore the prior state, each expecting that nothing
/// has changed since. It stays for a while after its use, so that a second press is told the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// Its id, on the button. Sorts by time; see [`Undo::id_at`].
    pub id: String,
    /// Who may press it.
    pub owner: UserId,
    /// Where it was done.
    #[serde(default)]
    pub chat: Option<ChatId>,
    /// The end of its validity.
    pub until: DateTime<Utc>,
    /// The revision at which it was done: of the same instant, the later one is taken back first.
    #[serde(default)]
    pub order: u64,
    /// What was done, in words.
    pub label: String,
    /// What restores the prior state; empty once used.
    pub changes: Vec<Change>,
    /// For each change, the revision of the record in that state: what was done before it, and can be taken back next,
    /// left the record at that one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<Option<u64>>,
    /// What is done instead where the effect was outside the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversal: Option<PlannedAction>,
    /// The card whose yes it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<PendingId>,
    /// When it was used.
    #[serde(default)]
    pub used: Option<DateTime<Utc>>,
}

impl Undo {
    /// An id that sorts by time: `unique` behind the instant.
    pub fn id_at(at: DateTime<Utc>, unique: &str) -> String {
        format!("{}{unique}", Self::first_id_at(at))
    }

    /// What every id of that instant begins with.
    pub fn first_id_at(at: DateTime<Utc>) -> String {
        format!("{:011x}", at.timestamp_millis().max(0))
    }
}

/// What can be taken back, by owner and chat, oldest first: owner, chat, id.
pub static UNDOS_BY_CHAT: Secondary = Secondary {
    name: "undos_by_chat",
    table: Table::Undo,
    version: 1,
    keys: |_, stored| {
        let key = |undo: Undo| Some(Key::of(&[undo.owner.as_str(), undo.chat?.as_str(), &undo.id]));
        readable::<Undo>(stored).and_then(key).into_iter().collect()
    },
};

impl Record for Undo {
    const TABLE: Table = Table::Undo;

    fn key(&self) -> Key {
        Key::of(&[&self.id])
    }
}
