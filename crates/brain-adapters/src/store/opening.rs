//! Opening the database: look first, then touch.
//!
//! Invariant: a file that is not ours, broken, or newer keeps every byte. Hence the glance: the first open goes
//! to memory, repair included, and only a file that passed it is opened to be written.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::backends::FileBackend;
use redb::{Database, Durability, ReadableDatabase, StorageBackend, TableHandle, WriteTransaction};

use super::fault::{damaged, disk, translate, translate_io};
use super::layout::{ABOUT, CHANGES, FORMAT_KEY, REVISION_KEY, records};
use super::medium::Medium;
use super::place;
use brain_core::limits;
use brain_core::ports::{StoreError, Table};

/// One step from a format to the next.
type Upgrade = fn(&WriteTransaction) -> Result<(), redb::Error>;

/// The steps from format 1 on; they run at start, in one transaction.
const UPGRADES: [Upgrade; 0] = [];

/// The format this program writes.
pub(super) const FORMAT: u32 = 1 + UPGRADES.len() as u32;

/// Gives the bytes of a store, again after each failure.
pub(super) type StoreBytes = Arc<dyn Fn() -> Result<Box<dyn StorageBackend>, redb::Error> + Send + Sync>;

/// Where a store is and how to reach it.
#[derive(Clone)]
pub(super) struct StoreSource {
    pub(super) path: PathBuf,
    pub(super) bytes: StoreBytes,
}

impl std::fmt::Debug for StoreSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("path", &self.path).finish()
    }
}

/// An open database and the last revision it gave.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) database: Database,
    pub(super) revision: u64,
}

/// What a look at a file found.
enum FileState {
    /// redb's, and nothing in it yet.
    Blank,
    /// A store of this format.
    Format(u32),
}

impl StoreSource {
    /// The file at `path`.
    pub(super) fn file(path: &Path) -> Self {
        let path = path.to_owned();
        let place = path.clone();
        let bytes = move || {
            let file =
                place::existing(&place)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the file is gone"))?;
            Ok(Box::new(FileBackend::new(file)?) as Box<dyn StorageBackend>)
        };
        Self { path, bytes: Arc::new(bytes) }
    }

    /// The file at `path`, of which nothing is changed.
    pub(super) fn glance_at(path: &Path) -> Self {
        let Self { path, bytes } = Self::file(path);
        let glance = move || Ok(Box::new(Medium::glance(bytes()?)?) as Box<dyn StorageBackend>);
        Self { path, bytes: Arc::new(glance) }
    }

    /// Opens the store, making it when there is none.
    pub(super) fn open_or_create(&self) -> Result<Opened, StoreError> {
        let there = place::existing(&self.path).map_err(|cause| translate_io(&self.path, &cause))?;
        if there.is_none() {
            match self.create() {
                // Another start was faster; its store is as good.
                Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(translate_io(&self.path, &cause));
                }
                Ok(()) | Err(_) => {}
            }
        }
        let opened = self.open()?;
        // The store is ours now, and so is what a rewriting that was cut short has left beside it.
        if let Err(cause) = place::remove_successor(&self.path) {
            tracing::warn!(%cause, "an unfinished copy of the store could not be removed");
        }
        Ok(opened)
    }

    /// Writes an empty store and puts it in its place.
    fn create(&self) -> io::Result<()> {
        let (file, draft) = place::beside(&self.path)?;
        let made = builder()
            .create_file(file)
            .map_err(redb::Error::from)
            .and_then(|database| prepare(&database, FORMAT))
            .map_err(|cause| match cause {
                redb::Error::Io(cause) => cause,
                other => io::Error::other(other.to_string()),
            })
            .and_then(|()| place::settle(&draft, &self.path));
        if made.is_err() {
            // Our own draft, under a name nobody else has.
            let _ = std::fs::remove_file(&draft);
        }
        made
    }

    /// Opens the store that is there.
    pub(super) fn open(&self) -> Result<Opened, StoreError> {
        let attempt = || {
            let format = self.glance()?;
            self.open_checked(format)
        };
        catch_unwind(AssertUnwindSafe(attempt))
            .unwrap_or_else(|_| Err(damaged(&self.path, "reading it failed unexpectedly")))
    }

    /// Looks at the file without changing it.
    fn glance(&self) -> Result<u32, StoreError> {
        let told = |cause: &redb::Error| translate(&self.path, cause);
        let bytes = (self.bytes)().map_err(|cause| told(&cause))?;
        let length = bytes.len().map_err(|cause| translate_io(&self.path, &cause))?;
        if length == 0 {
            // Nothing in it to lose: a file made by hand, or for a container to find.
            tracing::warn!(path = %self.path.display(), "the store's file is empty; starting afresh in it");
            return Ok(FORMAT);
        }
        let medium = Medium::glance(bytes).map_err(|cause| translate_io(&self.path, &cause))?;
        let database = open_medium(medium).map_err(|cause| told(&cause))?;
        match inspect(&database).map_err(|cause| told(&cause))? {
            FileState::Blank => Ok(FORMAT),
            FileState::Format(0) => Err(damaged(&self.path, "it has no format")),
            FileState::Format(found) if found > FORMAT => {
                Err(StoreError::Newer { path: self.path.display().to_string(), found, known: FORMAT })
            }
            FileState::Format(found) => Ok(found),
        }
    }

    fn open_checked(&self, format: u32) -> Result<Opened, StoreError> {
        let open = || {
            let database = open_medium(Medium::direct((self.bytes)()?))?;
            prepare(&database, format)?;
            let revision = read_about(&database, REVISION_KEY)?.unwrap_or(0);
            Ok(Opened { database, revision })
        };
        open().map_err(|cause| match cause {
            redb::Error::PreviousIo => disk(&self.path, "it failed while being opened"),
            other => translate(&self.path, &other),
        })
    }
}

fn builder() -> redb::Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(limits::STORE_CACHE_BYTES);
    builder
}

pub(super) fn open_medium(medium: Medium) -> Result<Database, redb::Error> {
    Ok(builder().create_with_backend(medium)?)
}

/// A transaction that survives a power cut once committed, and needs no repair after it.
pub(super) fn begin(database: &Database) -> Result<WriteTransaction, redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate).map_err(redb::Error::from)?;
    transaction.set_two_phase_commit(true);
    transaction.set_quick_repair(true);
    Ok(transaction)
}

/// Says what kind of database this is.
fn inspect(database: &Database) -> Result<FileState, redb::Error> {
    let reading = database.begin_read()?;
    let mut names = Vec::new();
    for table in reading.list_tables()? {
        names.push(table.name().to_owned());
    }
    if names.is_empty() && reading.list_multimap_tables()?.next().is_none() {
        return Ok(FileState::Blank);
    }
    if !names.iter().any(|name| name == ABOUT.name()) {
        return Err(redb::Error::Corrupted("it belongs to another program".to_owned()));
    }
    // Each table's root is read, so that the worst damage is found before anything is written.
    for table in Table::ALL {
        if names.iter().any(|name| name == table.name()) {
            let table = reading.open_table(records(table))?;
            redb::ReadableTable::first(&table)?;
        }
    }
    let format = read_about(database, FORMAT_KEY)?.unwrap_or(0);
    Ok(FileState::Format(u32::try_from(format).unwrap_or(u32::MAX)))
}

/// Brings a database of `format` to ours and makes the tables it lacks. Writes only when there is something to do.
pub(super) fn prepare(database: &Database, format: u32) -> Result<(), redb::Error> {
    if format == FORMAT && is_complete(database)? {
        return Ok(());
    }
    let transaction = begin(database)?;
    for upgrade in UPGRADES.iter().skip(format as usize - 1) {
        upgrade(&transaction)?;
    }
    for table in Table::ALL {
        transaction.open_table(records(table))?;
    }
    transaction.open_table(CHANGES)?;
    transaction.open_table(ABOUT)?.insert(FORMAT_KEY, u64::from(FORMAT))?;
    transaction.commit()?;
    Ok(())
}

fn is_complete(database: &Database) -> Result<bool, redb::Error> {
    let reading = database.begin_read()?;
    let names: Vec<String> = reading.list_tables()?.map(|table| table.name().to_owned()).collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    Ok(has(ABOUT.name()) && has(CHANGES.name()) && Table::ALL.iter().all(|table| has(table.name())))
}

/// A number the store keeps about itself.
pub(super) fn read_about(database: &Database, key: &str) -> Result<Option<u64>, redb::Error> {
    let reading = database.begin_read()?;
    let about = reading.open_table(ABOUT)?;
    let value = redb::ReadableTable::get(&about, key)?;
    Ok(value.map(|value| value.value()))
}
