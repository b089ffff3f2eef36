//! Erasure job: what was forgotten, until it is gone from everything else that was written down; and what stays of it
//! afterwards.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::ids::{ChatId, UserId};
use crate::ports::{Key, Record, Table};

/// How far an erasure has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ErasureStage {
    /// Nothing was looked through yet.
    Asked,
    /// It still stands where nothing may be changed without the person: looked at again when these are settled.
    Waits {
        /// The records in which it stands, and that are still open.
        for_records: Vec<(Table, Key)>,
    },
    /// It is gone from every record; the store's own bytes may still have it.
    Bytes {
        /// Whether the person was told that this is left.
        told: bool,
    },
}

/// Something a person had forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// The person who asked for it.
    pub owner: UserId,
    /// Where it was asked for.
    pub chat: ChatId,
    /// The id of what was deleted: turns about it are found by it.
    pub item: String,
    /// What it said, now and before; empty once it stands in no record.
    pub texts: Vec<String>,
    /// When it was asked for.
    pub at: DateTime<Utc>,
    /// How far it has come.
    pub stage: ErasureStage,
}

impl Erasure {
    /// To be carried out once its turn has ended.
    pub fn asked(owner: &UserId, chat: &ChatId, item: &str, texts: Vec<String>, at: DateTime<Utc>) -> Self {
        let (owner, chat, item) = (owner.clone(), chat.clone(), item.to_owned());
        Self { owner, chat, item, texts, at, stage: ErasureStage::Asked }
    }

    /// Of what is gone from every record with the commit that has this: only the store's own bytes are left.
    pub fn of_bytes(owner: &UserId, chat: &ChatId, item: &str, at: DateTime<Utc>) -> Self {
        Self { stage: ErasureStage::Bytes { told: false }, ..Self::asked(owner, chat, item, Vec::new(), at) }
    }

    /// What stays of it for good.
    pub fn tombstone(&self) -> Tombstone {
        Tombstone { owner: self.owner.clone(), item: self.item.clone(), at: self.at }
    }
}

impl Record for Erasure {
    const TABLE: Table = Table::Erasures;

    fn key(&self) -> Key {
        Key::of(&[self.chat.as_str(), &self.item])
    }
}

/// That something was forgotten, for as long as the store lives: its id and not a word of it. Nothing that is read in
/// later brings it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// The person who asked for it.
    pub owner: UserId,
    /// The id of what was deleted, or of what stayed and had said something else before.
    pub item: String,
    /// When it was asked for.
    pub at: DateTime<Utc>,
}

impl Tombstone {
    /// Of what had this id.
    pub fn key_of(owner: &UserId, item: &str) -> Key {
        Key::of(&[owner.as_str(), item])
    }
}

impl Record for Tombstone {
    const TABLE: Table = Table::Forgotten;

    fn key(&self) -> Key {
        Self::key_of(&self.owner, &self.item)
    }
}
