//! One backup of a data folder at a time, and the hidden copy of its store.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::{BackupError, STORE};

const LOCK: &str = ".backup.lock";
const PREFIX: &str = ".backup-";

/// Whoever holds it takes a backup of the folder; nobody else does.
#[derive(Debug)]
pub struct BackupLock {
    folder: PathBuf,
    _lock: File,
}

impl BackupLock {
    /// Takes it, and removes what a backup that was cut short has left. There has to be a store.
    pub fn take(data_dir: &Path) -> Result<Self, BackupError> {
        if !data_dir.join(STORE).exists() {
            return Err(BackupError::Nothing(data_dir.to_owned()));
        }
        let path = data_dir.join(LOCK);
        let told = BackupError::disk(&path);
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(&told)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(BackupError::UnderWay),
            Err(fs::TryLockError::Error(cause)) => return Err(told(cause)),
        }
        let taken = Self { folder: data_dir.to_owned(), _lock: lock };
        taken.tidy();
        Ok(taken)
    }

    /// A new place for a copy of the store, hidden in the data folder.
    pub fn place(data_dir: &Path) -> PathBuf {
        data_dir.join(format!("{PREFIX}{}.redb", uuid::Uuid::new_v4().simple()))
    }

    fn tidy(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_copy = |name: &str| name.starts_with(PREFIX) && name.ends_with(".redb");
        for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_copy)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The copy is of no use to anybody after that.
impl Drop for BackupLock {
    fn drop(&mut self) {
        self.tidy();
    }
}
