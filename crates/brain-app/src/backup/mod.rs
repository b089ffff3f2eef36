//! Backups: the whole data folder in one file, taken while the program runs, looked through, and put back.
//!
//! ```text
//! backup.json    what it is: see `BackupStatement`
//! brain.redb     the store as it was at one moment
//! …              mail/, files/ and whatever else lies in the folder and is nobody else's copy (`contents`)
//! ```
//! Invariants:
//! - the store in it is a copy that the store itself has made (`Store::copy_to`), so what was acknowledged before it began
//!   is in it, and files are read after it;
//! - a backup takes its name when it is whole and durable: whoever is killed before that leaves the old one;
//! - what gives access to accounts is in it only where that is asked for; what is left out is said by name;
//! - what is put back may come from anybody: names and sizes are judged before anything is unpacked, and the store has been
//!   read before anything takes its place.
//!
//! Deliberately not here: who asks, and when (the command line, `upkeep`). All of it works on files: off the runtime.

mod checking;
mod contents;
mod lock;
mod reading;
mod restoring;
mod writing;

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use brain_core::archive::ArchiveError;
use brain_core::core::text::visible;
use brain_core::limits;
use brain_core::ports::StoreError;

pub use checking::{CheckedBackup, check};
pub use contents::LeftOutWhy;
pub use lock::BackupLock;
pub use reading::OpenedBackup;
pub use restoring::{RestoredBackup, restore};
pub use writing::{BackupOrder, PackedBackup, pack};

/// What a backup says of itself: the first entry.
const STATEMENT: &str = "backup.json";
/// The store's.
const STORE: &str = "brain.redb";
/// The format that this program writes.
const FORMAT: u32 = 1;

/// What a backup says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatement {
    /// The number of its format.
    pub brain_agent_backup: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// Since when what was acknowledged may be missing in it.
    pub taken_at: DateTime<Utc>,
    /// Whether what gives access to accounts is in it.
    pub with_tokens: bool,
    /// The store.
    pub store: StoredCopy,
    /// How many other files there are, at most: some may have gone while it was written.
    pub files: u64,
    /// How many folders.
    pub folders: u64,
    /// How many bytes those files have, at most.
    pub bytes: u64,
}

/// The store in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCopy {
    /// The digest of its bytes, in hexadecimal.
    pub sha256: String,
    /// How many there are.
    pub bytes: u64,
}

/// How far it is, for whoever waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct BackupProgress {
    /// Files that are done.
    pub files: u64,
    /// Of so many.
    pub files_all: u64,
    /// Bytes that are done.
    pub bytes: u64,
    /// Of so many.
    pub bytes_all: u64,
}

/// Hears it, often.
pub type ProgressSink<'a> = &'a mut dyn FnMut(BackupProgress);

/// Why a backup is not taken, read or put back. Each says what to do where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It is something else.
    #[error("it is no backup of Brain Agent: {0}")]
    Foreign(String),
    /// It was written by a newer program.
    #[error("it has format {found}, this program knows up to {FORMAT}: use the newer program")]
    Newer {
        /// The format of the backup.
        found: u32,
    },
    /// An entry wants to lie where none of ours does.
    #[error("an entry has a name that none of ours has: “{}”", visible(.0))]
    Name(String),
    /// It would unpack to more than it says, or than is read.
    #[error("it holds more than it says: {0}")]
    TooMuch(String),
    /// It is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A backup of the same folder, or into the same file, is being taken.
    #[error("another backup of it is under way; wait for its end")]
    UnderWay,
    /// There is no store.
    #[error("there is no store in {}: nothing is kept there yet", .0.display())]
    Nothing(PathBuf),
    /// Something is there already.
    #[error(
        "{} is there already; nothing was changed. Stop what runs on it, move the folder {} away, and restore again",
        .there.display(),
        .folder.display()
    )]
    Occupied {
        /// What is there.
        there: PathBuf,
        /// The data folder.
        folder: PathBuf,
    },
    /// A process works on the data folder.
    #[error("a brain-agent runs on {}; stop it first", .0.display())]
    Running(PathBuf),
    /// The disk is too small.
    #[error("{need} bytes would be unpacked into {}, and {free} are free there; free some space", .folder.display())]
    NoRoom {
        /// Where to.
        folder: PathBuf,
        /// What it takes.
        need: u64,
        /// What there is.
        free: u64,
    },
    /// More than a backup holds.
    #[error(
        "there are more than {} files in the data folder; back it up as a whole while nothing runs",
        limits::BACKUP_ENTRIES_MAX
    )]
    TooMany,
    /// The store cannot be copied or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder cannot be read or written.
    #[error("{}: {cause}", .path.display())]
    Disk {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl BackupError {
    fn disk(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| Self::Disk { path: path.clone(), cause }
    }
}

impl From<ArchiveError> for BackupError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Foreign(why) => Self::Foreign(why),
            ArchiveError::Name(name) => Self::Name(name),
            ArchiveError::TooLarge(why) => Self::TooMuch(why),
            ArchiveError::Damaged(why) => Self::Damaged(why),
            ArchiveError::Disk(cause) => Self::Damaged(cause.to_string()),
        }
    }
}

impl From<zip::result::ZipError> for BackupError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::from(ArchiveError::from(error))
    }
}
