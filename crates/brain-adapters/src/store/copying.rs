//! A copy of the store while it goes on, and a look at every record of one.
//!
//! Invariants: a copy is what the store was at one moment; no commit waits for it, and it keeps the file from nobody: it
//! reads a little at a time, and begins anew where the file has changed hands meanwhile. A copy that was not finished is
//! removed. Indexes are not in it: they are built of the records when it is opened.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use redb::backends::FileBackend;
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::fault::{damaged, disk, translate, translate_io};
use super::layout::{ABOUT, CHANGES, REVISION_KEY, decode, records};
use super::medium::Medium;
use super::opening::{FORMAT, Opened, StoreSource, begin, open_medium, prepare, read_about};
use super::place;
use super::reading::StoreMoment;
use super::writer::SharedDatabase;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::{StoreError, Table};

/// What every record of a store was read for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExaminedStore {
    /// The last revision that it gave.
    pub revision: u64,
    /// How many records there are, by table.
    pub records: BTreeMap<&'static str, u64>,
    /// How many of them are no records, by table.
    pub unreadable: BTreeMap<&'static str, u64>,
}

/// Copies the store of `shared` into a new file at `path`.
pub(super) fn copy_to(shared: &Arc<SharedDatabase>, path: &Path) -> Result<(), StoreError> {
    for _ in 0..limits::STORE_COPY_TRIES {
        let file = place::new_at(path).map_err(|cause| translate_io(path, &cause))?;
        let copied = catch_unwind(AssertUnwindSafe(|| copied(shared, file, path)))
            .unwrap_or_else(|_| Err(damaged(&shared.source.path, "copying it failed unexpectedly")));
        if matches!(copied, Ok(true)) {
            return Ok(());
        }
        // Half a copy is none.
        if let Err(cause) = std::fs::remove_file(path) {
            tracing::warn!(%cause, "an unfinished copy of the store could not be removed");
        }
        copied?;
    }
    Err(disk(&shared.source.path, "it was written anew each time that it was being copied; try again"))
}

/// False where the file has changed hands meanwhile.
fn copied(shared: &Arc<SharedDatabase>, file: File, path: &Path) -> Result<bool, StoreError> {
    let told = |cause: redb::Error| translate(path, &cause);
    let moment = shared.moment();
    moment.begin(shared)?;
    let backend = FileBackend::new(file).map_err(|cause| told(cause.into()))?;
    let mut copy = open_medium(Medium::direct(Box::new(backend))).map_err(told)?;
    prepare(&copy, FORMAT).map_err(told)?;
    let writing = begin(&copy).map_err(told)?;
    let from = CopiedFrom { shared, moment: &moment, path };
    let mut is_whole = from.table(ABOUT, &writing)? && from.table(CHANGES, &writing)?;
    for table in Table::ALL {
        is_whole = is_whole && from.table(records(table), &writing)?;
    }
    if !is_whole {
        return Ok(false);
    }
    writing.commit().map_err(|cause| told(cause.into()))?;
    // redb makes a file twice as long whenever it is full.
    copy.compact().map_err(|cause| told(cause.into()))?;
    drop(copy);
    place::settled(path).map_err(|cause| translate_io(path, &cause))?;
    fail_point("store-copied");
    Ok(true)
}

/// The store at the moment that is copied.
struct CopiedFrom<'a> {
    shared: &'a SharedDatabase,
    moment: &'a StoreMoment,
    /// That of the copy.
    path: &'a Path,
}

/// Keys and values as bytes, and whether there may be more.
type CopiedPart = (Vec<(Vec<u8>, Vec<u8>)>, bool);

impl CopiedFrom<'_> {
    /// Copies one table; false where the moment has ended.
    fn table<K: redb::Key + 'static, V: redb::Value + 'static>(
        &self,
        definition: TableDefinition<'static, K, V>,
        writing: &WriteTransaction,
    ) -> Result<bool, StoreError> {
        let told = |cause: redb::Error| translate(self.path, &cause);
        let mut new = writing.open_table(definition).map_err(|cause| told(cause.into()))?;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let read = |reading: &ReadTransaction| part(reading, definition, last.as_deref());
            let Some((entries, is_more)) = self.moment.read_on(self.shared, &read)? else { return Ok(false) };
            for (key, value) in &entries {
                new.insert(K::from_bytes(key), V::from_bytes(value)).map_err(|cause| told(cause.into()))?;
            }
            last = entries.into_iter().last().map(|(key, _)| key).or(last);
            if !is_more {
                return Ok(true);
            }
        }
    }
}

/// What comes behind a key, as much as is read at once.
fn part<K: redb::Key + 'static, V: redb::Value + 'static>(
    reading: &ReadTransaction,
    definition: TableDefinition<'static, K, V>,
    after: Option<&[u8]>,
) -> Result<CopiedPart, redb::Error> {
    let table = reading.open_table(definition)?;
    let from = after.map_or(Bound::Unbounded, |key| Bound::Excluded(K::from_bytes(key)));
    let (mut found, mut bytes) = (Vec::new(), 0);
    for entry in table.range::<K::SelfType<'_>>((from, Bound::Unbounded))? {
        let (key, value) = entry?;
        let entry = (K::as_bytes(&key.value()).as_ref().to_vec(), V::as_bytes(&value.value()).as_ref().to_vec());
        bytes += entry.0.len() + entry.1.len();
        found.push(entry);
        if found.len() >= limits::STORE_COPY_RECORDS || bytes >= limits::STORE_COPY_BYTES {
            return Ok((found, true));
        }
    }
    Ok((found, false))
}

/// Reads every record of the store at `path`, whose file keeps every byte.
pub(super) fn examined(path: &Path) -> Result<ExaminedStore, StoreError> {
    let Opened { mut database, revision } = StoreSource::glance_at(path).open()?;
    let examine = || {
        // Every page is held against its checksum.
        if !database.check_integrity().map_err(redb::Error::from)? {
            return Err(redb::Error::Corrupted("a page of it is not what was written".to_owned()));
        }
        let about = read_about(&database, REVISION_KEY)?.unwrap_or(revision);
        let mut examined = ExaminedStore { revision: about, ..ExaminedStore::default() };
        for table in Table::ALL {
            let (count, unreadable) = count_records(&database, table)?;
            examined.records.insert(table.name(), count);
            if unreadable > 0 {
                examined.unreadable.insert(table.name(), unreadable);
            }
        }
        Ok(examined)
    };
    catch_unwind(AssertUnwindSafe(examine))
        .map_err(|_| damaged(path, "reading it failed unexpectedly"))?
        .map_err(|cause| translate(path, &cause))
}

/// How many records a table has, and how many of them nobody could read.
fn count_records(database: &Database, table: Table) -> Result<(u64, u64), redb::Error> {
    let reading = database.begin_read()?;
    let (mut count, mut unreadable) = (0, 0);
    for entry in reading.open_table(records(table))?.iter()? {
        let (_, value) = entry?;
        let stored = decode(value.value().to_vec());
        let is_record = stored.version > 0 && serde_json::from_slice::<serde::de::IgnoredAny>(&stored.body).is_ok();
        count += 1;
        unreadable += u64::from(!is_record);
    }
    Ok((count, unreadable))
}
