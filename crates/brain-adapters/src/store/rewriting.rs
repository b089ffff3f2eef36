//! Compaction: writing the store anew, so that its file holds what is in its records and nothing else.
//!
//! redb leaves the bytes of what was deleted in pages that are free, and seldom makes a file smaller. So all records
//! are copied into a new file beside the old one; the copy, open and locked, takes the old one's name in one step and
//! is the store from then on; the old file has no name any more and is overwritten. A crash at any moment leaves one
//! whole file of that name, the old or the new; a copy that was not finished is removed by the next start.

use std::fs::File;
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use super::fault::{disk, translate, translate_io};
use super::layout::{ABOUT, CHANGES, records};
use super::medium::Medium;
use super::opening::{FORMAT, begin, open_medium, prepare};
use super::place;
use super::secondary;
use brain_core::failpoint::fail_point;
use brain_core::ports::{StoreError, Table};

/// What becomes of the old file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    /// Nothing of them is left.
    Overwritten,
    /// The file system may use their place.
    LetGo,
}

/// A copy of the store that is durable and has not taken its place.
pub(super) struct Copy {
    database: Database,
    name: PathBuf,
}

/// Copies every record of `database`, the store at `path`.
pub(super) fn copy(path: &Path, database: &Database) -> Result<Copy, StoreError> {
    let (file, name) = place::successor(path).map_err(|cause| translate_io(path, &cause))?;
    let made = || {
        let backend = FileBackend::new(file)?;
        let mut copy = open_medium(Medium::direct(Box::new(backend)))?;
        prepare(&copy, FORMAT)?;
        copy_records(database, &copy)?;
        // redb makes a file twice as long whenever it is full.
        copy.compact().map_err(redb::Error::from)?;
        Ok(copy)
    };
    match made() {
        Ok(database) => {
            fail_point("rewrite-copied");
            Ok(Copy { database, name })
        }
        Err(cause) => {
            let told = translate(path, &cause);
            discard(path);
            Err(told)
        }
    }
}

/// How many bytes of the file hold nothing. Reads every page, so that it takes as long as reading the file.
pub(super) fn free_bytes(database: &Database, length: u64) -> Result<u64, redb::Error> {
    let reading = database.begin_read()?;
    let mut used = 0;
    for table in reading.list_tables()? {
        let stats = reading.open_untyped_table(table)?.stats()?;
        used += stats.stored_bytes() + stats.metadata_bytes() + stats.fragmented_bytes();
    }
    Ok(length.saturating_sub(used))
}

fn copy_records(from: &Database, to: &Database) -> Result<(), redb::Error> {
    let reading = from.begin_read()?;
    let writing = begin(to)?;
    for table in Table::ALL {
        let (old, mut new) = (reading.open_table(records(table))?, writing.open_table(records(table))?);
        for entry in old.iter()? {
            let (key, value) = entry?;
            new.insert(key.value(), value.value())?;
        }
    }
    let (old, mut new) = (reading.open_table(CHANGES)?, writing.open_table(CHANGES)?);
    for entry in old.iter()? {
        let (revision, line) = entry?;
        new.insert(revision.value(), line.value())?;
    }
    drop(new);
    let (old, mut new) = (reading.open_table(ABOUT)?, writing.open_table(ABOUT)?);
    for entry in old.iter()? {
        let (key, value) = entry?;
        new.insert(key.value(), value.value())?;
    }
    drop(new);
    secondary::copy(&reading, &writing)?;
    writing.commit()?;
    Ok(())
}

impl Copy {
    /// Gives the copy the name of the store at `path` and hands it to `replace`, which closes the old one.
    pub(super) fn take_place(self, path: &Path, what: Old, replace: impl FnOnce(Database)) -> Result<(), StoreError> {
        let told = |cause: &std::io::Error| translate_io(path, cause);
        let old = place::existing(path).and_then(|file| file.ok_or_else(|| std::io::ErrorKind::NotFound.into()));
        let old = old.map_err(|cause| told(&cause))?;
        let placed = place::succeed(&self.name, path);
        if self.name.exists() {
            // It has not got the name: the old file is the store as before.
            discard(path);
            return Err(placed.err().map_or_else(|| disk(path, "it could not be replaced"), |cause| told(&cause)));
        }
        replace(self.database);
        // Not before its name is known to be gone: after a power cut it might be the store again.
        placed.map_err(|cause| told(&cause))?;
        if what == Old::Overwritten {
            overwrite(old);
        }
        Ok(())
    }

    /// Whether it takes less of the disk than the store at `path`.
    pub(super) fn is_smaller_than(&self, path: &Path) -> bool {
        let length = |path: &Path| std::fs::metadata(path).map(|file| file.len());
        matches!((length(&self.name), length(path)), (Ok(copy), Ok(store)) if copy < store)
    }

    /// The store stays as it is.
    pub(super) fn drop_unused(self, path: &Path) {
        drop(self.database);
        discard(path);
    }
}

/// Best effort: nothing finds these bytes any more by a name.
fn overwrite(mut old: File) {
    if let Err(cause) = place::overwrite(&mut old) {
        tracing::warn!(%cause, "the store's old file could not be overwritten; it has no name any more");
    }
}

fn discard(path: &Path) {
    if let Err(cause) = place::remove_successor(path) {
        tracing::warn!(%cause, "an unfinished copy of the store could not be removed");
    }
}
