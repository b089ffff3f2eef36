//! The store's port: versioned records in tables, changed by atomic batches.
//!
//! A [`Batch`] is all or nothing and durable when [`Store::commit`] returns. Every change may state what it
//! expects to find; if anything else is there, nothing is written and the batch fails with
//! [`StoreError::Conflict`]. That is how decisions happen once, and how an embedded service's effect commits
//! together with its outcome.
//!
//! Deliberately not here: queries by content (services read their own tables), the orders beside the records' own
//! ([`super::secondary`]), and any type of redb.

use std::path::Path;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::changes::ChangeLog;
use super::secondary::Secondary;
use super::snapshot::{Reader, Snapshot};
use super::table::Table;

/// A record's place in its table. Keys sort by their parts, left to right.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

/// Sorts before everything a part may hold.
const SEPARATOR: char = '\u{1}';

impl Key {
    /// A key of these parts, e.g. owner and id.
    pub fn of(parts: &[&str]) -> Self {
        Self(parts.join(&SEPARATOR.to_string()))
    }

    /// All keys that begin with exactly these parts and have more behind them.
    pub fn prefix(parts: &[&str]) -> Self {
        let mut key = Self::of(parts);
        key.0.push(SEPARATOR);
        key
    }

    /// A number as a part that sorts by value.
    pub fn number(n: u64) -> String {
        format!("{n:020}")
    }

    /// The bytes as stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key behind stored bytes.
    pub fn from_stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The parts again.
    pub fn parts(&self) -> Vec<&str> {
        self.0.split(SEPARATOR).collect()
    }
}

/// A record as the store holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Grows with every commit, over the whole store; never used twice.
    pub revision: u64,
    /// The record's own version, see [`Record::VERSION`]; 0 where there are too few bytes for a record.
    pub version: u8,
    /// JSON.
    pub body: Vec<u8>,
}

/// What a change expects to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expect {
    /// Whatever is there.
    Any,
    /// Nothing.
    Absent,
    /// Exactly this revision.
    Revision(u64),
}

/// One change of one record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The table of the record.
    pub table: Table,
    /// The key within the table.
    pub key: Key,
    /// What must be there, for the whole batch to happen.
    pub expect: Expect,
    /// The new record: its version and its JSON; `None` deletes it.
    pub put: Option<(u8, Vec<u8>)>,
}

impl Change {
    /// Writes a record.
    pub fn put<R: Record>(record: &R, expect: Expect) -> Result<Self, StoreError> {
        let body = serde_json::to_vec(record)
            .map_err(|cause| StoreError::Unreadable { table: R::TABLE, why: wrong_json(&cause) })?;
        Ok(Self { table: R::TABLE, key: record.key(), expect, put: Some((R::VERSION, body)) })
    }

    /// Deletes a record.
    pub fn delete(table: Table, key: Key, expect: Expect) -> Self {
        Self { table, key, expect, put: None }
    }
}

/// Changes that happen together or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Applied in this order, all or none.
    pub changes: Vec<Change>,
}

impl Batch {
    /// Adds a write.
    pub fn put<R: Record>(&mut self, record: &R, expect: Expect) -> Result<&mut Self, StoreError> {
        self.changes.push(Change::put(record, expect)?);
        Ok(self)
    }

    /// Adds a deletion.
    pub fn delete(&mut self, table: Table, key: Key, expect: Expect) -> &mut Self {
        self.changes.push(Change::delete(table, key, expect));
        self
    }

    /// Adds changes made elsewhere.
    pub fn extend(&mut self, changes: impl IntoIterator<Item = Change>) -> &mut Self {
        self.changes.extend(changes);
        self
    }
}

/// Direction of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Ascending,
    /// Greatest key first.
    Descending,
}

/// A range of keys of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The table that is scanned.
    pub table: Table,
    /// In the order of this index of that table (see [`Scan::by`]); `None`: by the records' own keys.
    pub by: Option<&'static Secondary>,
    /// Keys that begin with this; see [`Key::prefix`]. `None`: the whole table.
    pub prefix: Option<Key>,
    /// Only keys before this one.
    pub before: Option<Key>,
    /// Only keys after this one.
    pub after: Option<Key>,
    /// Direction.
    pub order: Order,
    /// At most so many.
    pub limit: usize,
}

impl Scan {
    /// The records of this type under these leading key parts (none: the whole table), oldest key first.
    pub fn of<R: Record>(parts: &[&str], limit: usize) -> Self {
        let prefix = if parts.is_empty() { None } else { Some(Key::prefix(parts)) };
        Self { table: R::TABLE, by: None, prefix, before: None, after: None, order: Order::Ascending, limit }
    }

    /// The same, greatest key first.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.order = Order::Descending;
        self
    }

    /// Only keys before `key`.
    #[must_use]
    pub fn before(mut self, key: Key) -> Self {
        self.before = Some(key);
        self
    }

    /// Only keys after `key`.
    #[must_use]
    pub fn after(mut self, key: Key) -> Self {
        self.after = Some(key);
        self
    }
}

/// A stored record: its table, its key, its version.
pub trait Record: Serialize + DeserializeOwned + Send + Sync {
    /// Where it lives.
    const TABLE: Table;
    /// Written with every record; raised when its shape changes.
    const VERSION: u8 = 1;

    /// Where in its table.
    fn key(&self) -> Key;

    /// Reads a record of an older version; `None` when that is not possible.
    fn migrate(version: u8, body: serde_json::Value) -> Option<Self> {
        let _ = (version, body);
        None
    }
}

/// Reads a stored record in this or an older version.
pub fn from_stored<R: Record>(stored: &Stored) -> Result<R, StoreError> {
    let (table, unreadable) = (R::TABLE, |why: String| StoreError::Unreadable { table: R::TABLE, why });
    if stored.version == R::VERSION {
        return serde_json::from_slice(&stored.body).map_err(|cause| unreadable(wrong_json(&cause)));
    }
    if stored.version > R::VERSION {
        return Err(StoreError::NewerRecord { table, found: stored.version, known: R::VERSION });
    }
    if stored.version == 0 {
        return Err(unreadable(format!("{} bytes are too few for a record", stored.body.len())));
    }
    let value = serde_json::from_slice(&stored.body).map_err(|cause| unreadable(wrong_json(&cause)))?;
    R::migrate(stored.version, value).ok_or_else(|| unreadable(format!("version {} is not known", stored.version)))
}

/// What is wrong with a record's JSON. serde's own words would repeat what somebody wrote.
fn wrong_json(cause: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match cause.classify() {
        Category::Syntax => "it is no JSON",
        Category::Data => "it has another shape than such a record",
        Category::Eof => "it ends too early",
        Category::Io => "it could not be written as JSON",
    };
    format!("{what}, at byte {} of line {}", cause.column(), cause.line())
}

/// The embedded or shared store.
#[async_trait]
pub trait Store: Reader {
    /// All of it as it is at this moment, for several reads that belong together; see [`Snapshot`].
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError>;

    /// All changes or none, durable on return; gives the revision the written records got.
    async fn commit(&self, batch: Batch) -> Result<u64, StoreError>;

    /// Rids the place where it keeps its bytes of everything that was deleted or replaced before this call; durable
    /// on return. Takes as long as a copy of all records, without a commit; what the disk keeps itself is out of reach.
    async fn purge(&self) -> Result<(), StoreError>;

    /// Gives disk space back that deleted records have left, where that is enough to be worth it: true when it did.
    /// Takes as long as a copy of all records, without a commit. A store without a file has nothing to give.
    async fn give_back(&self) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Copies all records, as they are at one moment, into a new file at `path`, for its owner only and durable on
    /// return; it is a store of the same kind. Commits go on meanwhile. What was not finished is removed.
    async fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        let path = path.display().to_string();
        Err(StoreError::Disk { path, why: "what is kept in memory alone is not copied".to_owned() })
    }

    /// Which records of followed tables have changed.
    fn change_log(&self) -> &dyn ChangeLog;
}
