//! Putting a backup back: unpacked into a hidden folder, read there, and then moved into place.
//!
//! Invariants: nothing that is there is written over; a backup that is refused leaves nothing; where there was no data
//! folder it appears whole or not at all. Into one that is there already (a volume, say) the store comes last, so that
//! nothing starts on half of it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use super::{BackupError, BackupStatement, OpenedBackup, ProgressSink, STORE};
use brain_adapters::store::{ExaminedStore, RedbStore};
use brain_core::failpoint::fail_point;
use brain_core::secret_files::folder_of;

/// A backup that was put back.
#[derive(Debug)]
pub struct RestoredBackup {
    /// What it says of itself.
    pub statement: BackupStatement,
    /// Files that were in it, the store aside.
    pub files: u64,
    /// What is in the store.
    pub store: ExaminedStore,
}

/// Puts a backup back as the data folder.
pub async fn restore(
    file: &Path,
    data_dir: &Path,
    mut progress: impl FnMut(super::BackupProgress) + Send + 'static,
) -> Result<RestoredBackup, BackupError> {
    let (path, data) = (file.to_owned(), data_dir.to_owned());
    let broke = |cause: tokio::task::JoinError| BackupError::Damaged(cause.to_string());
    let unpacked = tokio::task::spawn_blocking(move || StagedBackup::of(&path, &data, &mut progress)).await;
    let unpacked = unpacked.map_err(broke)??;
    // Before anything takes its place.
    let store = RedbStore::examine(&unpacked.staged.join(STORE)).await?;
    let taken = tokio::task::spawn_blocking(move || unpacked.take_place()).await;
    let (statement, files) = taken.map_err(broke)??;
    Ok(RestoredBackup { statement, files, store })
}

/// A backup in a hidden folder, which goes away with it.
#[derive(Debug)]
struct StagedBackup {
    staged: PathBuf,
    data: PathBuf,
    statement: BackupStatement,
    files: u64,
}

impl StagedBackup {
    fn of(file: &Path, data: &Path, progress: ProgressSink<'_>) -> Result<Self, BackupError> {
        let mut opened = OpenedBackup::open(file)?;
        let data = std::path::absolute(data).map_err(BackupError::disk(data))?;
        look_for_others(&data)?;
        for (name, _) in opened.entries() {
            let first = name.split('/').next().unwrap_or(&name);
            refuse_over(&data, first)?;
        }
        let (folder, staged) = staging(&data);
        let room = statvfs(there(&folder)).map_err(io::Error::from).map_err(BackupError::disk(&folder))?;
        let (need, free) = (opened.unpacked(), room.f_bavail.saturating_mul(room.f_frsize));
        if need > free {
            return Err(BackupError::NoRoom { folder, need, free });
        }
        match fs::remove_dir_all(&staged) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(BackupError::disk(&staged)(cause)),
            Ok(()) | Err(_) => {}
        }
        // From here on it is removed when something fails.
        let unpacked = Self { staged, data, statement: opened.statement().clone(), files: opened.files() };
        unpacked.fill(&mut opened, progress)?;
        Ok(unpacked)
    }

    fn fill(&self, opened: &mut OpenedBackup, progress: ProgressSink<'_>) -> Result<(), BackupError> {
        make_folder(&self.staged)?;
        let mut all = opened.progress();
        for (name, entry) in opened.entries() {
            let path = self.staged.join(&name);
            if name.ends_with('/') {
                make_folder(&path)?;
                continue;
            }
            make_folder(&folder_of(&path))?;
            let told = BackupError::disk(&path);
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(&told)?;
            let mut out = BufWriter::new(file);
            opened.unpack(&name, entry, &mut out, &mut all, progress)?;
            out.flush().map_err(&told)?;
            if let Some(at) = entry.modified {
                out.get_ref().set_modified(at).map_err(&told)?;
            }
            if name == STORE {
                out.get_ref().sync_all().map_err(told)?;
            }
        }
        // One call for all the rest.
        rustix::fs::sync();
        fail_point("restore-unpacked");
        Ok(())
    }

    /// Moves it into place.
    fn take_place(self) -> Result<(BackupStatement, u64), BackupError> {
        look_for_others(&self.data)?;
        if self.staged.parent() == Some(&self.data) {
            let (told, mut names) = (BackupError::disk(&self.staged), Vec::new());
            for entry in fs::read_dir(&self.staged).map_err(&told)? {
                names.push(entry.map_err(&told)?.file_name());
            }
            names.sort_by_key(|name| name == STORE);
            for name in names {
                let to = self.data.join(&name);
                refuse_over(&self.data, &name.to_string_lossy())?;
                fs::rename(self.staged.join(&name), &to).map_err(BackupError::disk(&to))?;
                fail_point("restore-moved");
            }
            File::open(&self.data).and_then(|folder| folder.sync_all()).map_err(BackupError::disk(&self.data))?;
        } else {
            // It fails where something has come there meanwhile.
            fs::rename(&self.staged, &self.data).map_err(BackupError::disk(&self.data))?;
            let above = folder_of(&self.data);
            File::open(&above).and_then(|folder| folder.sync_all()).map_err(BackupError::disk(&above))?;
        }
        Ok((self.statement.clone(), self.files))
    }
}

impl Drop for StagedBackup {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.staged);
    }
}

/// The folder that it is unpacked in, and the hidden one there: inside of the data folder where there is one.
fn staging(data: &Path) -> (PathBuf, PathBuf) {
    if data.exists() {
        return (data.to_owned(), data.join(".restored"));
    }
    let (above, name) = (folder_of(data), data.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let staged = above.join(format!(".{name}.restored"));
    (above, staged)
}

/// The folder itself, or the nearest one above it that there is.
fn there(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder)
}

/// A store that is there stays, and nobody works where something is put.
fn look_for_others(data: &Path) -> Result<(), BackupError> {
    if UnixStream::connect(data.join("control.sock")).is_ok() {
        return Err(BackupError::Running(data.to_owned()));
    }
    refuse_over(data, STORE)
}

fn refuse_over(data: &Path, name: &str) -> Result<(), BackupError> {
    let there = data.join(name);
    match fs::symlink_metadata(&there) {
        // A folder that is moved there replaces it.
        Ok(about) if about.is_dir() && fs::read_dir(&there).is_ok_and(|mut inside| inside.next().is_none()) => Ok(()),
        Ok(_) => Err(BackupError::Occupied { there, folder: data.to_owned() }),
        Err(_) => Ok(()),
    }
}

fn make_folder(path: &Path) -> Result<(), BackupError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(BackupError::disk(path))
}
