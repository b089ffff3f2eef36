//! The embedded store: redb behind the port [`Store`].
//!
//! Invariants: a batch is in the file whole or not at all, and it is durable when its revision is given; a commit
//! whose future is dropped has either not begun or is done whole; a failed commit left nothing; revisions grow
//! and are never given twice; a file that is damaged, foreign or newer is never written to. All of redb stays in
//! this folder.
//!
//! Deliberately not here: what the records mean. In reading order: `layout` (bytes), `opening` and `place` (the
//! file), `writer` and `group` (commits), `rewriting` (so that nothing old is left in it), `memory` (the same without a file).

mod fault;
mod group;
mod layout;
mod medium;
mod memory;
mod opening;
mod place;
mod rewriting;
#[cfg(test)]
mod tests;
mod writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use redb::{ReadTransaction, ReadableDatabase};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

pub use memory::MemoryStore;

use self::fault::{damaged, disk, translate};
use self::layout::{bounds, decode, records};
use self::opening::{Opened, Source};
use self::writer::{Job, Shared, Writer};
use crate::limits;
use crate::ports::{Batch, Key, Order, Scan, Store, StoreError, Stored, Table};

/// A store in one file, owned by this process.
#[derive(Debug)]
pub struct RedbStore {
    shared: Arc<Shared>,
    queue: mpsc::Sender<Job>,
}

/// A record as read, before it is taken apart.
type Raw = (Key, Vec<u8>);

impl RedbStore {
    /// Opens the store at `path`; makes it, and the folders above it, when there is none. An existing file that
    /// cannot be used stays exactly as it is.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let source = Source::file(path);
        Self::start(source, Source::open_or_create).await
    }

    async fn start(source: Source, open: fn(&Source) -> Result<Opened, StoreError>) -> Result<Self, StoreError> {
        let path = source.path.clone();
        let begun = spawn_blocking(move || {
            let Opened { database, revision } = open(&source)?;
            let shared = Arc::new(Shared::new(source, database));
            let writer = Writer { shared: Arc::clone(&shared), revision, doubtful: None };
            let (queue, jobs) = mpsc::channel(limits::STORE_QUEUE_MAX);
            std::thread::Builder::new()
                .name("store-writer".to_owned())
                .spawn(move || writer.run(jobs))
                .map_err(|cause| disk(&shared.source.path, &cause.to_string()))?;
            Ok(Self { shared, queue })
        });
        begun.await.unwrap_or_else(|cause| Err(disk(&path, &cause.to_string())))
    }

    /// Finishes what waits and lets go of the file; later calls get [`StoreError::Closed`].
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Job::Close { done }).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// Asks the writer to open the file again after a failed read.
    async fn heal(&self) -> Result<(), StoreError> {
        let (done, healed) = oneshot::channel();
        let job = Job::Heal { done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        healed.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs a read of one snapshot off the async threads. redb gives a file up after its first failed read, so
    /// such a read is tried once more on a fresh one.
    async fn read<T: Send + 'static>(
        &self,
        read: impl Fn(&ReadTransaction) -> Result<T, redb::Error> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let read = Arc::new(read);
        if self.queue.is_closed() {
            return Err(StoreError::Closed);
        }
        match self.read_once(Arc::clone(&read)).await {
            Err(StoreError::Disk { .. } | StoreError::Full { .. }) => {
                self.heal().await?;
                self.read_once(read).await
            }
            answer => answer,
        }
    }

    async fn read_once<T: Send + 'static>(
        &self,
        read: Arc<impl Fn(&ReadTransaction) -> Result<T, redb::Error> + Send + Sync + 'static>,
    ) -> Result<T, StoreError> {
        let shared = Arc::clone(&self.shared);
        let reading = spawn_blocking(move || read_snapshot(&shared, read.as_ref()));
        reading.await.unwrap_or(Err(StoreError::Closed))
    }
}

fn read_snapshot<T>(
    shared: &Shared,
    read: &(impl Fn(&ReadTransaction) -> Result<T, redb::Error> + ?Sized),
) -> Result<T, StoreError> {
    let path = &shared.source.path;
    let guard = shared.database();
    let Some(database) = guard.as_ref() else {
        return Err(disk(path, "it is not open"));
    };
    let attempt = || read(&database.begin_read()?);
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(answer) => answer.map_err(|cause| translate(path, &cause)),
        Err(_) => Err(damaged(path, "reading it failed unexpectedly")),
    }
}

fn read_one(reading: &ReadTransaction, table: Table, key: &Key) -> Result<Option<Vec<u8>>, redb::Error> {
    let table = reading.open_table(records(table))?;
    let bytes = table.get(key.as_str())?;
    Ok(bytes.map(|bytes| bytes.value().to_vec()))
}

fn read_range(reading: &ReadTransaction, scan: &Scan) -> Result<Vec<Raw>, redb::Error> {
    let Some((lower, upper)) = bounds(scan) else {
        return Ok(Vec::new());
    };
    let table = reading.open_table(records(scan.table))?;
    let upper = upper.as_ref().map(String::as_str);
    let mut range = table.range::<&str>((lower, upper))?;
    let mut found = Vec::new();
    while found.len() < scan.limit {
        let next = match scan.order {
            Order::Ascending => range.next(),
            Order::Descending => range.next_back(),
        };
        let Some(entry) = next else { break };
        let (key, value) = entry?;
        found.push((Key::from_stored(key.value()), value.value().to_vec()));
    }
    Ok(found)
}

#[async_trait]
impl Store for RedbStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        let key = key.clone();
        let bytes = self.read(move |reading| read_one(reading, table, &key)).await?;
        bytes.map(|bytes| decode(table, bytes)).transpose()
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        let table = scan.table;
        let found = self.read(move |reading| read_range(reading, &scan)).await?;
        found.into_iter().map(|(key, bytes)| Ok((key, decode(table, bytes)?))).collect()
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let (done, committed) = oneshot::channel();
        let job = Job::Commit { batch, done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        committed.await.map_err(|_| StoreError::Closed)?
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        let (done, scrubbed) = oneshot::channel();
        let job = Job::Scrub { done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        scrubbed.await.map_err(|_| StoreError::Closed)?
    }
}
