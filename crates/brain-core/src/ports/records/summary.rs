//! What was said in a chat, in short, and how that came about.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::millis;
use crate::core::history::HistorySummary;
use crate::core::ids::{ChatId, UserId};
use crate::ports::{Key, Record, Table, Usage};

/// A conversation up to some message, in short, as one person is shown it: whose words are whose depends on who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// The chat.
    pub chat: ChatId,
    /// For whom.
    pub owner: UserId,
    /// The number of the last message that it covers.
    pub until: u64,
    /// The words.
    pub summary: HistorySummary,
    /// How many messages it covers.
    pub messages: u64,
    /// Tokens of these, as they were said.
    pub tokens: u64,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// How often a model has answered with something else than a summary of what comes next.
    #[serde(default)]
    pub unfit: u32,
}

impl ConversationSummary {
    /// Of this person's view of a chat.
    pub fn key_of(chat: &ChatId, owner: &UserId) -> Key {
        Key::of(&[chat.as_str(), owner.as_str()])
    }

    /// Of nothing yet.
    pub fn empty(chat: &ChatId, owner: &UserId, at: DateTime<Utc>) -> Self {
        let (chat, owner) = (chat.clone(), owner.clone());
        Self { chat, owner, until: 0, summary: HistorySummary::default(), messages: 0, tokens: 0, at, unfit: 0 }
    }
}

impl Record for ConversationSummary {
    const TABLE: Table = Table::Summaries;

    fn key(&self) -> Key {
        Self::key_of(&self.chat, &self.owner)
    }
}

/// One time that a conversation was shortened, or was to be. Never holds words of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompressionTrace {
    /// When.
    pub at: DateTime<Utc>,
    /// Tells those of the same instant apart.
    pub id: String,
    /// The chat.
    pub chat: ChatId,
    /// For whom.
    pub owner: UserId,
    /// The numbers of the first and the last message that came into the summary.
    pub covers: (u64, u64),
    /// Tokens of these messages and of the summary before.
    pub tokens_before: u64,
    /// Tokens of the summary now.
    pub tokens_after: u64,
    /// Whether a model has worded it.
    pub by_model: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What calls of a model cost.
    pub usage: Usage,
    /// Why the conversation stays as it was, or why code made the summary; `None`: nothing was in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl Record for CompressionTrace {
    const TABLE: Table = Table::Compressions;

    fn key(&self) -> Key {
        Key::of(&[&millis(self.at), &self.id])
    }
}
