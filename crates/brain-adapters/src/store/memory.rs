//! The same promises without a file: for tests and consoles that keep nothing. An index is built when it is first
//! asked for, and kept from then on.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::watch;

use super::layout::{bounds, holds};
use super::secondary::entries_of;
use super::touched::Touched;
use brain_core::limits;
use brain_core::ports::{
    Batch, ChangeLog, ChangedRecords, Changes, Key, Order, Reader, Scan, Secondary, Snapshot, Store, StoreError,
    Stored, Table,
};

/// A store that is gone when it is dropped. Its change log follows all tables.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    changed: watch::Sender<u64>,
    touched: Touched,
}

#[derive(Debug, Default)]
struct MemoryState {
    revision: u64,
    tables: MemoryTables,
    changes: BTreeMap<u64, ChangedRecords>,
    trimmed: u64,
}

/// Shared with the snapshots that are held: a commit copies what one of them still reads.
#[derive(Debug, Clone, Default)]
struct MemoryTables {
    records: BTreeMap<Table, Arc<BTreeMap<String, Stored>>>,
    indexes: Vec<MemoryIndex>,
}

/// An index, and the record's own key by entry.
#[derive(Debug, Clone)]
struct MemoryIndex {
    index: &'static Secondary,
    entries: Arc<BTreeMap<String, String>>,
}

impl MemoryIndex {
    fn change(&mut self, key: &str, before: Option<&Stored>, now: Option<&Stored>) {
        let of = |stored: &Stored| entries_of(self.index, &Key::from_stored(key), stored).into_keys();
        let (old, new): (Vec<_>, Vec<_>) =
            (before.map(of).into_iter().flatten().collect(), now.map(of).into_iter().flatten().collect());
        let entries = Arc::make_mut(&mut self.entries);
        for gone in &old {
            entries.remove(gone);
        }
        entries.extend(new.into_iter().map(|entry| (entry, key.to_owned())));
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryTables {
    fn get(&self, table: Table, key: &Key) -> Option<&Stored> {
        self.records.get(&table)?.get(key.as_str())
    }

    /// The index over the records as they are; kept already, or built now.
    fn built(&self, index: &'static Secondary) -> MemoryIndex {
        if let Some(kept) = self.indexes.iter().find(|kept| kept.index == index) {
            return kept.clone();
        }
        let mut kept = MemoryIndex { index, entries: Arc::default() };
        for (key, stored) in self.records.get(&index.table).into_iter().flat_map(|table| table.iter()) {
            kept.change(key, None, Some(stored));
        }
        kept
    }

    fn scan(&self, scan: &Scan) -> Vec<(Key, Stored)> {
        let Some(table) = self.records.get(&scan.table) else {
            return Vec::new();
        };
        let Some(index) = scan.by else {
            return range(table, scan).map(|(key, stored)| (Key::from_stored(key), stored.clone())).collect();
        };
        let entries = self.built(index).entries;
        let entry = |(entry, key): (&String, &String)| Some((Key::from_stored(entry), table.get(key)?.clone()));
        range(&entries, scan).filter_map(entry).collect()
    }

    fn count(&self, scan: &Scan) -> usize {
        match (scan.by, self.records.get(&scan.table)) {
            (_, None) => 0,
            (Some(index), Some(_)) => range(&self.built(index).entries, scan).count(),
            (None, Some(table)) => range(table, scan).count(),
        }
    }
}

/// What of `all` lies in the range of a scan.
fn range<'a, V>(all: &'a BTreeMap<String, V>, scan: &Scan) -> Box<dyn Iterator<Item = (&'a String, &'a V)> + 'a> {
    let Some((lower, upper)) = bounds(scan) else {
        return Box::new(std::iter::empty());
    };
    let range = all.range::<str, _>((lower, upper.as_ref().map(String::as_str)));
    match scan.order {
        Order::Ascending => Box::new(range.take(scan.limit)),
        Order::Descending => Box::new(range.rev().take(scan.limit)),
    }
}

impl MemoryState {
    fn commit(&mut self, batch: Batch) -> Result<u64, StoreError> {
        for change in &batch.changes {
            let found = self.tables.get(change.table, &change.key);
            if !holds(change.expect, found.map(|stored| stored.revision)) {
                return Err(StoreError::Conflict { table: change.table, key: change.key.clone() });
            }
        }
        self.revision += 1;
        for change in batch.changes {
            let table = Arc::make_mut(self.tables.records.entry(change.table).or_default());
            let key = change.key.as_str();
            let revision = self.revision;
            let now = change.put.map(|(version, body)| Stored { revision, version, body });
            let before = match &now {
                Some(stored) => table.insert(key.to_owned(), stored.clone()),
                None => table.remove(key),
            };
            for kept in self.tables.indexes.iter_mut().filter(|kept| kept.index.table == change.table) {
                kept.change(key, before.as_ref(), now.as_ref());
            }
        }
        Ok(self.revision)
    }

    /// The tables, with this index kept from now on.
    fn with(&mut self, index: Option<&'static Secondary>) -> &MemoryTables {
        if let Some(index) = index
            && !self.tables.indexes.iter().any(|kept| kept.index == index)
        {
            let kept = self.tables.built(index);
            self.tables.indexes.push(kept);
        }
        &self.tables
    }

    fn log(&mut self, line: ChangedRecords) {
        self.changes.insert(line.revision, line);
        while self.changes.len() > limits::CHANGES_MAX {
            if let Some((revision, _)) = self.changes.pop_first() {
                self.trimmed = revision;
            }
        }
    }
}

/// The tables at one moment.
#[derive(Debug)]
struct MemoryMoment<'a> {
    store: &'a MemoryStore,
    tables: MemoryTables,
}

#[async_trait]
impl Reader for MemoryMoment<'_> {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.tables.get(table, key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        Ok(self.tables.scan(&scan))
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.store.set_aside(noted).await
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        Ok(self.tables.count(&scan))
    }
}

#[async_trait]
impl Reader for MemoryStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.state().tables.get(table, key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        Ok(self.state().with(scan.by).scan(&scan))
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        Ok(self.state().with(scan.by).count(&scan))
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let tables = self.state().tables.clone();
        Ok(Snapshot::of(MemoryMoment { store: self, tables }))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let mut state = self.state();
        let records: Vec<_> = batch.changes.iter().map(|change| (change.table, change.key.clone())).collect();
        let revision = state.commit(batch)?;
        self.touched.note(revision, records.iter().map(|(table, key)| (*table, key)));
        state.log(ChangedRecords { revision, records });
        self.changed.send_replace(revision);
        Ok(revision)
    }

    async fn purge(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self
    }
}

#[async_trait]
impl ChangeLog for MemoryStore {
    async fn changes(&self, after: u64, limit: usize) -> Result<Changes, StoreError> {
        let state = self.state();
        if after < state.trimmed {
            return Ok(Changes::Lost);
        }
        let behind = state.changes.range((Bound::Excluded(after), Bound::Unbounded));
        Ok(Changes::Lines(behind.take(limit).map(|(_, line)| line.clone()).collect()))
    }

    fn trim_changes(&self, up_to: u64) {
        let mut state = self.state();
        state.changes = state.changes.split_off(&up_to.saturating_add(1));
        state.trimmed = state.trimmed.max(up_to);
    }

    async fn trimmed(&self) -> Result<u64, StoreError> {
        Ok(self.state().trimmed)
    }

    fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn touched(&self, table: Table, first: &str) -> Option<u64> {
        Some(self.touched.last(table, first))
    }
}
