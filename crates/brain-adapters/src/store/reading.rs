//! Reads: small ones where they are asked for, long ones on threads of their own.
//!
//! A record, or the first [`STORE_READ_INLINE`](limits::STORE_READ_INLINE) of a range, comes from redb's cache or the
//! system's in microseconds: less than handing it to another thread takes. What is longer goes on from there on one of
//! a few threads that do nothing else, so that it holds up neither the async threads nor what else blocks.
//!
//! Invariants: a read sees one moment, also when it goes on elsewhere; nothing is read while the file changes hands
//! (see [`SharedDatabase`]): what a snapshot holds of the old one is let go first.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};

use redb::{ReadTransaction, ReadableDatabase};
use tokio::sync::oneshot;

use super::fault::{damaged, disk, translate};
use super::layout::{bounds, decode, records};
use super::secondary;
use super::writer::SharedDatabase;
use brain_core::limits;
use brain_core::ports::{Key, Order, Scan, StoreError, Stored, Table};

/// A record as read, before it is taken apart.
pub(super) type RawRecord = (Key, Vec<u8>);

/// The moment that a reader sees: a transaction of redb, begun with its first read and kept for the next ones.
#[derive(Debug, Default)]
pub(super) struct StoreMoment(Mutex<Option<ReadTransaction>>);

impl StoreMoment {
    fn transaction(&self) -> MutexGuard<'_, Option<ReadTransaction>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the file; a later read sees what is there then.
    pub(super) fn end(&self) {
        *self.transaction() = None;
    }

    /// Begins it, if it has not begun.
    pub(super) fn begin(&self, shared: &SharedDatabase) -> Result<(), StoreError> {
        self.read(shared, &|_| Ok(()))
    }

    /// Reads at it.
    pub(super) fn read<T>(
        &self,
        shared: &SharedDatabase,
        read: &dyn Fn(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let path = &shared.source.path;
        let guard = shared.database();
        let Some(database) = guard.as_ref() else {
            return Err(disk(path, "it is not open"));
        };
        let attempt = || {
            let mut transaction = self.transaction();
            match &mut *transaction {
                Some(begun) => read(begun),
                None => read(transaction.insert(database.begin_read()?)),
            }
        };
        match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(answer) => answer.map_err(|cause| translate(path, &cause)),
            Err(_) => Err(damaged(path, "reading it failed unexpectedly")),
        }
    }

    /// The same where it has begun; `None` where it has ended since, because the file has changed hands.
    pub(super) fn read_on<T>(
        &self,
        shared: &SharedDatabase,
        read: &dyn Fn(&ReadTransaction) -> Result<T, redb::Error>,
    ) -> Result<Option<T>, StoreError> {
        let path = &shared.source.path;
        // Nobody ends it meanwhile.
        let guard = shared.database();
        let attempt = || guard.as_ref().and(self.transaction().as_ref()).map(read).transpose();
        match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(answer) => answer.map_err(|cause| translate(path, &cause)),
            Err(_) => Err(damaged(path, "reading it failed unexpectedly")),
        }
    }
}

/// One record.
pub(super) fn get(
    shared: &SharedDatabase,
    moment: &StoreMoment,
    table: Table,
    key: &Key,
) -> Result<Option<Stored>, StoreError> {
    let bytes = moment.read(shared, &|reading| {
        let table = reading.open_table(records(table))?;
        let bytes = table.get(key.as_str())?;
        Ok(bytes.map(|bytes| bytes.value().to_vec()))
    })?;
    Ok(bytes.map(decode))
}

/// Records of a range.
pub(super) async fn scan(
    shared: &Arc<SharedDatabase>,
    moment: &Arc<StoreMoment>,
    scan: Scan,
) -> Result<Vec<(Key, Stored)>, StoreError> {
    let found = match range(shared, moment, &scan, limits::STORE_READ_INLINE)? {
        (found, ControlFlow::Break(())) => found,
        (found, ControlFlow::Continue(())) => elsewhere(shared, moment, behind(scan, &found), found).await?,
    };
    Ok(found.into_iter().map(|(key, bytes)| (key, decode(bytes))).collect())
}

/// How many records a range holds.
pub(super) async fn count(
    shared: &Arc<SharedDatabase>,
    moment: &Arc<StoreMoment>,
    scan: Scan,
) -> Result<usize, StoreError> {
    let few = Scan { limit: scan.limit.min(limits::STORE_COUNT_INLINE), ..scan.clone() };
    let counted = moment.read(shared, &|reading| secondary::count(reading, &few))?;
    if counted < few.limit || few.limit == scan.limit {
        return Ok(counted);
    }
    let (shared, moment) = (Arc::clone(shared), Arc::clone(moment));
    let (done, read) = oneshot::channel();
    submit(Box::new(move || {
        let _ = done.send(moment.read(&shared, &|reading| secondary::count(reading, &scan)));
    }))?;
    read.await.unwrap_or(Err(StoreError::Closed))
}

/// What is left of a scan that has found so much.
fn behind(mut scan: Scan, found: &[RawRecord]) -> Scan {
    let last = found.last().map(|(key, _)| key.clone());
    match scan.order {
        Order::Ascending => scan.after = last.or(scan.after),
        Order::Descending => scan.before = last.or(scan.before),
    }
    scan.limit -= found.len();
    scan
}

/// At most `most` records of a range, and whether there may be more of it.
fn range(
    shared: &SharedDatabase,
    moment: &StoreMoment,
    scan: &Scan,
    most: usize,
) -> Result<(Vec<RawRecord>, ControlFlow<()>), StoreError> {
    if let Some(index) = scan.by {
        return moment.read(shared, &|reading| secondary::read_range(reading, index, scan, most));
    }
    let Some((lower, upper)) = bounds(scan) else {
        return Ok((Vec::new(), ControlFlow::Break(())));
    };
    let upper = upper.as_ref().map(String::as_str);
    moment.read(shared, &|reading| {
        let table = reading.open_table(records(scan.table))?;
        let mut range = table.range::<&str>((lower, upper))?;
        let mut found = Vec::new();
        while found.len() < scan.limit {
            if found.len() == most {
                return Ok((found, ControlFlow::Continue(())));
            }
            let next = match scan.order {
                Order::Ascending => range.next(),
                Order::Descending => range.next_back(),
            };
            let Some(entry) = next else { break };
            let (key, value) = entry?;
            found.push((Key::from_stored(key.value()), value.value().to_vec()));
        }
        Ok((found, ControlFlow::Break(())))
    })
}

/// The rest of a long range.
async fn elsewhere(
    shared: &Arc<SharedDatabase>,
    moment: &Arc<StoreMoment>,
    scan: Scan,
    mut found: Vec<RawRecord>,
) -> Result<Vec<RawRecord>, StoreError> {
    let (shared, moment) = (Arc::clone(shared), Arc::clone(moment));
    let (done, read) = oneshot::channel();
    submit(Box::new(move || {
        let rest = range(&shared, &moment, &scan, usize::MAX);
        // Whoever has stopped waiting gets no answer.
        let _ = done.send(rest.map(|(rest, _)| {
            found.extend(rest);
            found
        }));
    }))?;
    read.await.unwrap_or(Err(StoreError::Closed))
}

type ReadingJob = Box<dyn FnOnce() + Send>;

/// Gives a job to the threads, which live as long as the process and take them in order.
fn submit(job: ReadingJob) -> Result<(), StoreError> {
    static QUEUE: OnceLock<mpsc::Sender<ReadingJob>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (queue, jobs) = mpsc::channel::<ReadingJob>();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..limits::STORE_READERS {
            let jobs = Arc::clone(&jobs);
            let work = move || {
                loop {
                    let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = next else { return };
                    job();
                }
            };
            if let Err(error) = std::thread::Builder::new().name("store-reader".to_owned()).spawn(work) {
                tracing::error!(%error, "a thread that reads the store could not be started");
            }
        }
        queue
    });
    queue.send(job).map_err(|_| StoreError::Closed)
}
