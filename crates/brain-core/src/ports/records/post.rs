//! What comes in and what goes out, each until it is done, and the messages that were shown.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{CardMessage, millis};
use crate::core::button::Button;
use crate::core::history::ItemRef;
use crate::core::ids::{ChatId, MessageId};
use crate::core::provenance::UntrustedText;
use crate::core::turn::{Edit, Reply};
use crate::ports::secondary::{Secondary, readable};
use crate::ports::{Key, Record, Table};

/// An update that was received; kept after it is done so that a second delivery is recognised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxEntry {
    /// The channel it came through, e.g. `tg`.
    #[serde(alias = "face")]
    pub channel: String,
    /// The channel's own number of it.
    pub update: u64,
    /// When it was received.
    pub received_at: DateTime<Utc>,
    /// As received; empty once done.
    pub raw: String,
    /// Whether its turn has ended.
    pub done: bool,
    /// The update whose turn this one belongs to, when both were coalesced into one.
    #[serde(default)]
    pub joins: Option<u64>,
    /// What a recording says, once the person has been told; empty when something else was told.
    #[serde(default, alias = "heard")]
    pub transcript: Option<String>,
    /// How often it was taken up again after a restart; kept when it was set aside for it.
    #[serde(default)]
    pub resumptions: u32,
    /// The new message that it brought, if it did: the same one under another number is nothing new. An edit, or a
    /// press on a message, brings none.
    #[serde(default)]
    pub message: Option<(ChatId, MessageId)>,
}

impl InboxEntry {
    /// The key as text, for [`crate::core::turn::Incoming::inbox`].
    pub fn name(&self) -> String {
        self.key().as_str().to_owned()
    }

    /// Its place among [`UPDATES_BY_MESSAGE`].
    pub fn message_key(&self) -> Option<[String; 3]> {
        let (chat, message) = self.message.as_ref()?;
        Some([self.channel.clone(), chat.as_str().to_owned(), message.0.to_string()])
    }
}

impl Record for InboxEntry {
    const TABLE: Table = Table::Inbox;

    fn key(&self) -> Key {
        Key::of(&[&self.channel, &Key::number(self.update)])
    }
}

/// Updates that are not finished, in the order in which they were received: channel, when.
pub static OPEN_UPDATES: Secondary = Secondary {
    name: "open_updates",
    table: Table::Inbox,
    version: 1,
    keys: |_, stored| {
        let key = |entry: InboxEntry| Key::of(&[&entry.channel, &millis(entry.received_at)]);
        readable::<InboxEntry>(stored).filter(|entry| !entry.done).map(key).into_iter().collect()
    },
};

/// Updates by the message that they brought: channel, chat, message.
pub static UPDATES_BY_MESSAGE: Secondary = Secondary {
    name: "updates_by_message",
    table: Table::Inbox,
    version: 1,
    keys: |_, stored| {
        let key = |entry: InboxEntry| entry.message_key().map(|parts| Key::of(&parts.each_ref().map(String::as_str)));
        readable::<InboxEntry>(stored).and_then(key).into_iter().collect()
    },
};

/// Something to show that is not shown yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Show {
    /// A new message.
    Send(Reply),
    /// A change of an old one.
    Edit(Edit),
}

/// A message on its way to a person. In order within its chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxEntry {
    /// Where to.
    pub chat: ChatId,
    /// Grows within the chat.
    pub number: u64,
    /// A new message or a change of one.
    pub show: Show,
    /// When it was put here.
    pub at: DateTime<Utc>,
}

impl Record for OutboxEntry {
    const TABLE: Table = Table::Outbox;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &Key::number(self.number)])
    }
}

/// A delivered message that is no card: what a press changes, and what a reply to it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The chat of the message.
    pub chat: ChatId,
    /// Its number in that chat, given by the channel.
    pub message: MessageId,
    /// What it says now.
    pub text: String,
    /// Its buttons now.
    pub buttons: Vec<Vec<Button>>,
    /// When it was delivered.
    pub at: DateTime<Utc>,
    /// The items it reminds of: a reply to it is about them.
    #[serde(default)]
    pub about: Vec<ItemRef>,
    /// What they hold of others' words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<UntrustedText>,
    /// The number, in the conversation, of the answer that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<u64>,
    /// What it said before a press changed it, and the undo that takes the press back.
    #[serde(default)]
    pub before: Option<Before>,
}

/// A message as it was before a press.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// What it said.
    pub text: String,
    /// Rows of buttons, top to bottom.
    pub buttons: Vec<Vec<Button>>,
    /// The undos of what the press did.
    pub undos: Vec<String>,
}

impl Shown {
    /// The key of a message.
    pub fn key_of(chat: &ChatId, message: MessageId) -> Key {
        CardMessage::key_of(chat, message)
    }
}

impl Record for Shown {
    const TABLE: Table = Table::Shown;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, self.message)
    }
}
