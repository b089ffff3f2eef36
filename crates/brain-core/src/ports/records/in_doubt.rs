//! Effects elsewhere of which nobody can tell yet whether they came about.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::ids::{ChatId, PendingId, UserId};
use crate::core::plan::Action;
use crate::ports::{Key, Record, Table};

/// What the keys of doubts begin with.
const IN_DOUBT: &str = "in_doubt";

/// One of them: written with the answer that says so, looked into until it is known or too old.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InDoubt {
    /// The key of the attempt.
    pub attempt: String,
    /// When that began.
    pub begun: DateTime<Utc>,
    /// The person for whom it was made.
    pub owner: UserId,
    /// Where it was told, and where its end is.
    pub chat: ChatId,
    /// What was attempted.
    pub action: Action,
    /// The card that was approved, if it took one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<PendingId>,
    /// When it is looked into next.
    pub at: DateTime<Utc>,
    /// How often it was.
    #[serde(default)]
    pub looks: usize,
}

impl Record for InDoubt {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Key::of(&[IN_DOUBT, self.owner.as_str(), &self.attempt])
    }
}

impl InDoubt {
    /// Where those of everybody are.
    pub const ALL: [&'static str; 1] = [IN_DOUBT];
}
