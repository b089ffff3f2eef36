//! Snapshots: what a [`Store`](super::Store) can be asked for, now or as it was at one moment.

use std::fmt;

use async_trait::async_trait;

use super::StoreError;
use super::store::{Batch, Key, Scan, Stored};
use super::table::Table;

/// Reads of records.
#[async_trait]
pub trait Reader: Send + Sync + fmt::Debug {
    /// One record.
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError>;

    /// Records of a range of keys.
    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError>;

    /// Commits, now, that a record cannot be read; see [`super::leave_out`]. The one thing that a reader writes.
    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError>;

    /// How many records that range holds, up to the scan's limit.
    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        Ok(self.scan(scan).await?.len())
    }
}

#[async_trait]
impl<R: Reader + ?Sized> Reader for &R {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        (**self).get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        (**self).scan(scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        (**self).set_aside(noted).await
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        (**self).count(scan).await
    }
}

/// The store as it was at one moment: what belongs together is read together, and cheaper than record by record.
///
/// Short-lived: as long as one is held, no page it may still read is used again, so that the file grows with every
/// commit. It is dropped before a model, a channel or a person is waited for. What was read in it may be old by the
/// time of a commit; as everywhere, the expected revisions say so. Where the file has to be opened again meanwhile (its
/// disk has failed, it is written anew), a snapshot goes on with what is there then.
#[derive(Debug)]
pub struct Snapshot<'a>(Box<dyn Reader + 'a>);

impl<'a> Snapshot<'a> {
    /// A snapshot that is read like this. A store that cannot hold a moment gives itself.
    pub fn of(reader: impl Reader + 'a) -> Self {
        Self(Box::new(reader))
    }
}

#[async_trait]
impl Reader for Snapshot<'_> {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        self.0.get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.0.scan(scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.0.set_aside(noted).await
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        self.0.count(scan).await
    }
}
