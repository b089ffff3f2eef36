//! Due-index: what falls due, in order of time.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::millis;
use crate::core::ids::{ChatId, PendingId, UserId};
use crate::ports::secondary::{Secondary, readable};
use crate::ports::{Key, Record, Table};

/// What falls due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DueKind {
    /// An item of a service; see `Reminders::fall_due` of the services.
    Item {
        /// The service's name.
        service: String,
        /// The item's id.
        item: String,
    },
    /// A pending action expires.
    Expiry {
        /// The pending action.
        pending: PendingId,
    },
    /// The owner's morning briefing.
    Briefing,
    /// What waits in the chat's outbox for the end of quiet hours.
    Outbox,
}

/// An entry of the durable due-index, in order of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// When the scheduler acts on it.
    pub at: DateTime<Utc>,
    /// The person whom it concerns.
    pub owner: UserId,
    /// Where to tell it.
    pub chat: ChatId,
    /// What falls due then.
    pub kind: DueKind,
    /// When it was meant, if quiet hours hold it until `at`.
    #[serde(default)]
    pub meant: Option<DateTime<Utc>>,
}

impl Due {
    /// The instant it stands for.
    pub fn meant(&self) -> DateTime<Utc> {
        self.meant.unwrap_or(self.at)
    }
}

impl Record for Due {
    const TABLE: Table = Table::Due;

    fn key(&self) -> Key {
        let (kind, id) = match &self.kind {
            DueKind::Item { service, item } => (service.as_str(), item.as_str()),
            DueKind::Expiry { pending } => ("expiry", pending.as_str()),
            DueKind::Briefing => ("briefing", "daily"),
            DueKind::Outbox => ("outbox", self.chat.as_str()),
        };
        // What is held until the very instant of another reminder of the same item stays a thing of its own.
        match self.meant {
            Some(meant) => Key::of(&[&millis(self.at), kind, self.owner.as_str(), id, &millis(meant)]),
            None => Key::of(&[&millis(self.at), kind, self.owner.as_str(), id]),
        }
    }
}

/// What falls due of an owner, in order of time: owner, instant.
pub static DUE_BY_OWNER: Secondary = Secondary {
    name: "due_by_owner",
    table: Table::Due,
    version: 1,
    keys: |_, stored| {
        let due = readable::<Due>(stored);
        due.map(|due| Key::of(&[due.owner.as_str(), &millis(due.at)])).into_iter().collect()
    },
};
