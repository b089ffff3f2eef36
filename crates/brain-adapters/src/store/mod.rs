//! The embedded store: redb behind the port [`Store`].
//!
//! Invariants: a batch is in the file whole or not at all, and it is durable when its revision is given; a commit
//! whose future is dropped has either not begun or is done whole; a failed commit left nothing; revisions grow
//! and are never given twice; a file that is damaged, foreign or newer is never written to. All of redb stays in
//! this folder.
//!
//! Deliberately not here: what the records mean. In reading order: `layout` (bytes), `opening` and `place` (the file),
//! `reading`, `writer` and `group` (commits), `secondary` (the indexes), `changes` and `touched` (which records
//! changed), `rewriting` (so that nothing old is left in it), `copying` (while it goes on), `memory` (the same without a file).

mod changes;
mod copying;
mod fault;
mod group;
mod layout;
mod medium;
mod memory;
mod opening;
mod place;
mod reading;
mod rewriting;
mod secondary;
#[cfg(test)]
mod tests;
mod touched;
mod writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

pub use copying::ExaminedStore;
pub use memory::MemoryStore;

use self::fault::{damaged, disk, translate};
use self::opening::{Opened, StoreSource};
use self::reading::StoreMoment;
use self::writer::{SharedDatabase, Writer, WriterJob};
use brain_core::limits;
use brain_core::ports::{Batch, ChangeLog, Key, Reader, Scan, Secondary, Snapshot, Store, StoreError, Stored, Table};

/// A store in one file, owned by this process.
#[derive(Debug)]
pub struct RedbStore {
    shared: Arc<SharedDatabase>,
    queue: mpsc::Sender<WriterJob>,
}

/// What a store keeps beside the records.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// Tables whose changes are told in the change log.
    pub followed: Vec<Table>,
    /// Indexes of its records.
    pub indexes: Vec<&'static Secondary>,
}

impl RedbStore {
    /// Opens the store at `path`; makes it, and the folders above it, when there is none. An existing file that
    /// cannot be used stays exactly as it is.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Schema::default()).await
    }

    /// The same, and it keeps what `schema` says beside the records: indexes that the file lacks are built first, and
    /// others go.
    pub async fn open_with(path: &Path, schema: Schema) -> Result<Self, StoreError> {
        Self::start(StoreSource::file(path), StoreSource::open_or_create, schema).await
    }

    /// The store at `path` as it is, for looking: whatever is done to it stays in memory, and the file keeps every byte.
    /// While it is open, nobody else can open it.
    pub async fn glance(path: &Path, schema: Schema) -> Result<Self, StoreError> {
        Self::start(StoreSource::glance_at(path), StoreSource::open, schema).await
    }

    async fn start(
        source: StoreSource,
        open: fn(&StoreSource) -> Result<Opened, StoreError>,
        schema: Schema,
    ) -> Result<Self, StoreError> {
        let path = source.path.clone();
        let begun = spawn_blocking(move || {
            let opened = open(&source)?;
            secondary::settle(&opened.database, &schema.indexes).map_err(|cause| translate(&source.path, &cause))?;
            changes::adopt(&opened, &schema).map_err(|cause| translate(&source.path, &cause))?;
            let revision = opened.revision;
            let shared = Arc::new(SharedDatabase::new(source, schema, opened));
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

    /// Reads every record of the store at `path`, and changes nothing of it.
    pub async fn examine(path: &Path) -> Result<ExaminedStore, StoreError> {
        let place = path.to_owned();
        let examined = spawn_blocking(move || copying::examined(&place)).await;
        examined.unwrap_or_else(|cause| Err(disk(path, &cause.to_string())))
    }

    /// Finishes what waits and lets go of the file; later calls get [`StoreError::Closed`].
    pub async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(WriterJob::Close { done }).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// Asks the writer to open the file again after a failed read.
    async fn heal(&self) -> Result<(), StoreError> {
        let (done, healed) = oneshot::channel();
        let job = WriterJob::Heal { done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        healed.await.map_err(|_| StoreError::Closed)?
    }

    /// After a failed read: redb gives a file up with its first one, so a disk that fails gets one more try on a fresh
    /// one.
    async fn again_after(&self, cause: StoreError) -> Result<(), StoreError> {
        match cause {
            StoreError::Disk { .. } | StoreError::Full { .. } => self.heal().await,
            other => Err(other),
        }
    }

    fn check_open(&self) -> Result<(), StoreError> {
        if self.queue.is_closed() { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// Reads at this moment, in place.
    async fn read<T>(
        &self,
        read: impl Fn(&redb::ReadTransaction) -> Result<T, redb::Error> + Send + Sync,
    ) -> Result<T, StoreError> {
        self.check_open()?;
        let moment = self.shared.moment();
        match moment.read(&self.shared, &read) {
            Ok(found) => Ok(found),
            Err(cause) => {
                self.again_after(cause).await?;
                moment.read(&self.shared, &read)
            }
        }
    }

    async fn get_at(&self, moment: &StoreMoment, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        self.check_open()?;
        match reading::get(&self.shared, moment, table, key) {
            Ok(found) => Ok(found),
            Err(cause) => {
                self.again_after(cause).await?;
                reading::get(&self.shared, moment, table, key)
            }
        }
    }

    /// An index can be read when the store was opened with it.
    fn check_index(&self, by: Option<&'static Secondary>) -> Result<(), StoreError> {
        match by.filter(|index| !self.shared.schema.indexes.contains(index)) {
            None => Ok(()),
            Some(index) => Err(StoreError::NoIndex { name: index.name }),
        }
    }

    async fn scan_at(&self, moment: &Arc<StoreMoment>, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.check_open()?;
        self.check_index(scan.by)?;
        match reading::scan(&self.shared, moment, scan.clone()).await {
            Ok(found) => Ok(found),
            Err(cause) => {
                self.again_after(cause).await?;
                reading::scan(&self.shared, moment, scan).await
            }
        }
    }

    async fn count_at(&self, moment: &Arc<StoreMoment>, scan: Scan) -> Result<usize, StoreError> {
        self.check_open()?;
        self.check_index(scan.by)?;
        match reading::count(&self.shared, moment, scan.clone()).await {
            Ok(found) => Ok(found),
            Err(cause) => {
                self.again_after(cause).await?;
                reading::count(&self.shared, moment, scan).await
            }
        }
    }
}

/// The store at one moment.
#[derive(Debug)]
struct RedbSnapshot<'a> {
    store: &'a RedbStore,
    moment: Arc<StoreMoment>,
}

#[async_trait]
impl Reader for RedbSnapshot<'_> {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        self.store.get_at(&self.moment, table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.store.scan_at(&self.moment, scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.store.commit(noted).await.map(|_| ())
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        self.store.count_at(&self.moment, scan).await
    }
}

#[async_trait]
impl Reader for RedbStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        self.get_at(&self.shared.moment(), table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.scan_at(&self.shared.moment(), scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        self.count_at(&self.shared.moment(), scan).await
    }
}

#[async_trait]
impl Store for RedbStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.check_open()?;
        let moment = self.shared.moment();
        if let Err(cause) = moment.begin(&self.shared) {
            self.again_after(cause).await?;
            moment.begin(&self.shared)?;
        }
        Ok(Snapshot::of(RedbSnapshot { store: self, moment }))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let (done, committed) = oneshot::channel();
        let job = WriterJob::Commit { batch, done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        committed.await.map_err(|_| StoreError::Closed)?
    }

    async fn purge(&self) -> Result<(), StoreError> {
        let (done, purged) = oneshot::channel();
        let job = WriterJob::Scrub { done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        purged.await.map_err(|_| StoreError::Closed)?
    }

    async fn give_back(&self) -> Result<bool, StoreError> {
        let shared = Arc::clone(&self.shared);
        let measured = spawn_blocking(move || is_sparse(&shared)).await;
        if !measured.unwrap_or(Err(StoreError::Closed))? {
            return Ok(false);
        }
        let (done, shrunk) = oneshot::channel();
        let job = WriterJob::Shrink { done };
        self.queue.send(job).await.map_err(|_| StoreError::Closed)?;
        shrunk.await.map_err(|_| StoreError::Closed)?
    }

    async fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        self.check_open()?;
        let (shared, place) = (Arc::clone(&self.shared), path.to_owned());
        let copied = spawn_blocking(move || copying::copy_to(&shared, &place)).await;
        copied.unwrap_or_else(|cause| Err(disk(path, &cause.to_string())))
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self
    }
}

/// Whether so much of the file is free that it is worth a copy of the rest.
fn is_sparse(shared: &SharedDatabase) -> Result<bool, StoreError> {
    let path = &shared.source.path;
    // A store that lives elsewhere than in a file has no length to save.
    let Ok(length) = std::fs::metadata(path).map(|file| file.len()) else { return Ok(false) };
    if length < limits::STORE_FREE_BYTES_MIN {
        return Ok(false);
    }
    let guard = shared.database();
    let Some(database) = guard.as_ref() else { return Ok(false) };
    let measure = || rewriting::free_bytes(database, length).map_err(|cause| translate(path, &cause));
    let free = catch_unwind(AssertUnwindSafe(measure))
        .unwrap_or_else(|_| Err(damaged(path, "measuring it failed unexpectedly")))?;
    Ok(free >= limits::STORE_FREE_BYTES_MIN && free >= length / 2)
}
