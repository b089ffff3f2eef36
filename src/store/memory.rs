//! The same promises without a file: for tests and consoles that keep nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::layout::{bounds, holds};
use crate::ports::{Batch, Key, Order, Reader, Scan, Snapshot, Store, StoreError, Stored, Table};

/// A store that is gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    tables: Tables,
}

/// Shared with the snapshots that are held: a commit copies what one of them still reads.
#[derive(Debug, Clone, Default)]
struct Tables(BTreeMap<Table, Arc<BTreeMap<String, Stored>>>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn get(&self, table: Table, key: &Key) -> Option<&Stored> {
        self.0.get(&table)?.get(key.as_str())
    }

    fn scan(&self, scan: &Scan) -> Vec<(Key, Stored)> {
        let (Some((lower, upper)), Some(table)) = (bounds(scan), self.0.get(&scan.table)) else {
            return Vec::new();
        };
        let upper = upper.as_ref().map(String::as_str);
        let range = table.range::<str, _>((lower, upper));
        let owned = |(key, stored): (&String, &Stored)| (Key::from_stored(key), stored.clone());
        match scan.order {
            Order::Ascending => range.take(scan.limit).map(owned).collect(),
            Order::Descending => range.rev().take(scan.limit).map(owned).collect(),
        }
    }
}

impl State {
    fn commit(&mut self, batch: Batch) -> Result<u64, StoreError> {
        for change in &batch.changes {
            let found = self.tables.get(change.table, &change.key);
            if !holds(change.expect, found.map(|stored| stored.revision)) {
                return Err(StoreError::Conflict { table: change.table, key: change.key.clone() });
            }
        }
        self.revision += 1;
        for change in batch.changes {
            let table = Arc::make_mut(self.tables.0.entry(change.table).or_default());
            let key = change.key.as_str().to_owned();
            match change.put {
                Some((version, body)) => {
                    let revision = self.revision;
                    table.insert(key, Stored { revision, version, body });
                }
                None => {
                    table.remove(&key);
                }
            }
        }
        Ok(self.revision)
    }
}

#[async_trait]
impl Reader for Tables {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.get(table, key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        Ok(self.scan(&scan))
    }
}

#[async_trait]
impl Reader for MemoryStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.state().tables.get(table, key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        Ok(self.state().tables.scan(&scan))
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(self.state().tables.clone()))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        self.state().commit(batch)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
