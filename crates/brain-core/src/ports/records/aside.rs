//! Quarantine: records that could not be read, kept as they were so that nothing is lost with them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::ids::{ChatId, UserId};
use crate::ports::{Key, Record, Stored, Table};

/// A record that could not be read. What it was and why is told once; its bytes wait for whoever can mend them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aside {
    /// Its table; a name, as a program that knows fewer tables has to read this as well.
    pub table: String,
    /// The parts of its key.
    pub key: Vec<String>,
    /// Its version; 0 where there were too few bytes to say.
    pub version: u8,
    /// What it held; empty when it was left where it is.
    pub bytes: Bytes,
    /// What was wrong, in words that repeat nothing of it.
    pub why: String,
    /// Whether it still stands in its table, because something unsafe would follow from its absence.
    pub left: bool,
    /// When it was told to whoever runs this.
    #[serde(default)]
    pub told: Option<DateTime<Utc>>,
}

/// Bytes, as text where they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bytes {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Raw(Vec<u8>),
}

impl Aside {
    /// What becomes of a record, before it is told.
    pub fn of(table: Table, key: &Key, stored: &Stored, why: &str) -> Self {
        let left = table.holds_what_must_not_be_missed();
        let body = if left { Vec::new() } else { stored.body.clone() };
        let bytes = String::from_utf8(body).map_or_else(|raw| Bytes::Raw(raw.into_bytes()), Bytes::Text);
        Self {
            table: table.name().to_owned(),
            key: key.parts().into_iter().map(str::to_owned).collect(),
            version: stored.version,
            bytes,
            why: why.to_owned(),
            left,
            told: None,
        }
    }

    /// Whether the place names this person, or a chat of theirs alone: of what cannot be read nothing else is known.
    pub fn is_of(&self, owner: &UserId) -> bool {
        self.key.iter().any(|part| part == owner.as_str() || ChatId::new(part.as_str()).is_private_of(owner))
    }

    /// Where the record of this place is kept once it was set aside.
    pub fn key_of(table: Table, key: &Key) -> Key {
        Key::of(&[table.name(), key.as_str()])
    }
}

impl Record for Aside {
    const TABLE: Table = Table::Aside;

    fn key(&self) -> Key {
        let parts: Vec<&str> = std::iter::once(&self.table).chain(&self.key).map(String::as_str).collect();
        Key::of(&parts)
    }
}
