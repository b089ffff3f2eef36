//! Looking a backup through: every entry is read, and every record of the store in it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::TempDir;

use super::{BackupError, BackupStatement, OpenedBackup, ProgressSink, STORE};
use brain_adapters::store::{ExaminedStore, RedbStore};

/// A backup that was read through.
#[derive(Debug)]
pub struct CheckedBackup {
    /// What it says of itself.
    pub statement: BackupStatement,
    /// Files that are in it, the store aside.
    pub files: u64,
    /// Its length.
    pub packed: u64,
    /// What it unpacks to.
    pub unpacked: u64,
    /// What is in the store.
    pub store: ExaminedStore,
}

impl CheckedBackup {
    /// Whether nothing is wrong with it.
    pub fn is_fine(&self) -> bool {
        self.store.unreadable.is_empty()
    }
}

/// Reads all of it. The store is unpacked into a temporary folder of the system.
pub async fn check(
    file: &Path,
    mut progress: impl FnMut(super::BackupProgress) + Send + 'static,
) -> Result<CheckedBackup, BackupError> {
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || read_through(&path, &mut progress)).await;
    let (opened, folder) = read.unwrap_or_else(|cause| Err(BackupError::Damaged(cause.to_string())))?;
    let store = RedbStore::examine(&folder.path().join(STORE)).await?;
    Ok(CheckedBackup {
        files: opened.files(),
        packed: opened.packed(),
        unpacked: opened.unpacked(),
        statement: opened.statement().clone(),
        store,
    })
}

fn read_through(path: &Path, progress: ProgressSink<'_>) -> Result<(OpenedBackup, TempDir), BackupError> {
    let mut opened = OpenedBackup::open(path)?;
    let temporary = std::env::temp_dir();
    let folder = tempfile::tempdir().map_err(BackupError::disk(&temporary))?;
    let copy = folder.path().join(STORE);
    let mut all = opened.progress();
    for (name, entry) in opened.entries().into_iter().filter(|(name, _)| !name.ends_with('/')) {
        if name != STORE {
            opened.unpack(&name, entry, &mut io::sink(), &mut all, progress)?;
            continue;
        }
        let mut out = BufWriter::new(File::create_new(&copy).map_err(BackupError::disk(&copy))?);
        opened.unpack(&name, entry, &mut out, &mut all, progress)?;
        out.flush().map_err(BackupError::disk(&copy))?;
    }
    Ok((opened, folder))
}
