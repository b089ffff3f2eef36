//! The same promises without a file: for tests and consoles that keep nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::layout::{bounds, holds};
use crate::ports::{Batch, Key, Order, Scan, Store, StoreError, Stored, Table};

/// A store that is gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    tables: BTreeMap<Table, BTreeMap<String, Stored>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn get(&self, table: Table, key: &Key) -> Option<&Stored> {
        self.tables.get(&table)?.get(key.as_str())
    }

    fn commit(&mut self, batch: Batch) -> Result<u64, StoreError> {
        for change in &batch.changes {
            let found = self.get(change.table, &change.key);
            if !holds(change.expect, found.map(|stored| stored.revision)) {
                return Err(StoreError::Conflict { table: change.table, key: change.key.clone() });
            }
        }
        self.revision += 1;
        for change in batch.changes {
            let table = self.tables.entry(change.table).or_default();
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
impl Store for MemoryStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Ok(self.state().get(table, key).cloned())
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        let Some((lower, upper)) = bounds(&scan) else {
            return Ok(Vec::new());
        };
        let state = self.state();
        let Some(table) = state.tables.get(&scan.table) else {
            return Ok(Vec::new());
        };
        let upper = upper.as_ref().map(String::as_str);
        let range = table.range::<str, _>((lower, upper));
        let owned = |(key, stored): (&String, &Stored)| (Key::from_stored(key), stored.clone());
        Ok(match scan.order {
            Order::Ascending => range.take(scan.limit).map(owned).collect(),
            Order::Descending => range.rev().take(scan.limit).map(owned).collect(),
        })
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        self.state().commit(batch)
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
