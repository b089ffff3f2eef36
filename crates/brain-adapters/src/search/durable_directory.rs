//! Directory of index files in which a commit becomes durable when that is asked for, and not before.
//!
//! tantivy writes every file of a segment once and then names the segments in its meta file. Here segment files go to
//! the disk as they are written, unsynced, while the meta file stays in memory until [`DurableDirectory::seal`]: it syncs what the
//! meta file names, puts it in place in one step, and then removes what only the one before it had needed. Until then
//! the folder is what it was, whatever happens; leftovers of a life that ended are known by not being named.
//!
//! The seal holds the length of every file and a digest of itself: what is cut off, gone, or half written is found
//! before anything is read. What is inside the files has tantivy's own check sums.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

use brain_core::core::digest::hex;
use brain_core::failpoint::fail_point;

const META: &str = "meta.json";
const MANAGED: &str = ".managed.json";
const SEAL: &str = "seal";
const NEW_SEAL: &str = "seal.new";

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct DurableDirectory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    mapped: MmapDirectory,
    state: Mutex<DirectoryState>,
}

#[derive(Debug, Default)]
struct DirectoryState {
    /// Files that are replaced in one step: the meta file, and tantivy's list of its files, which is made up at start.
    held: HashMap<PathBuf, Vec<u8>>,
    /// Written and not synced.
    unsynced: BTreeSet<PathBuf>,
    /// Named by the seal.
    sealed: BTreeSet<PathBuf>,
    /// Not needed any more, but named by the seal.
    doomed: BTreeSet<PathBuf>,
}

/// The one file that is replaced.
#[derive(Debug, Serialize, Deserialize)]
struct Seal {
    meta: String,
    lengths: BTreeMap<String, u64>,
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A folder, and those above it, for its owner only.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// How a file is opened that is written, for its owner only.
pub(super) fn own_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl DurableDirectory {
    /// Opens the folder, making it when there is none. An error means that what is in it is no whole index.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        let mut state = DirectoryState::default();
        if let Some(seal) = read_seal(folder)? {
            check_lengths(folder, &seal)?;
            state.sealed.extend(seal.lengths.keys().map(PathBuf::from));
            state.held.insert(PathBuf::from(META), seal.meta.into_bytes());
        }
        for entry in fs::read_dir(folder)? {
            let name = PathBuf::from(entry?.file_name());
            if !state.sealed.contains(&name) && name != Path::new(SEAL) {
                fs::remove_file(folder.join(name))?;
            }
        }
        let managed = serde_json::to_vec(&state.sealed)?;
        state.held.insert(PathBuf::from(MANAGED), managed);
        let mapped = MmapDirectory::open(folder).map_err(|cause| io::Error::other(cause.to_string()))?;
        Ok(Self(Arc::new(Inner { folder: folder.to_owned(), mapped, state: Mutex::new(state) })))
    }

    fn state(&self) -> MutexGuard<'_, DirectoryState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of all files that the seal names.
    pub(super) fn bytes(&self) -> u64 {
        let sealed = self.state().sealed.clone();
        sealed.iter().filter_map(|name| fs::metadata(self.0.folder.join(name)).ok()).map(|found| found.len()).sum()
    }

    /// Makes the last commit durable; `segments` are those that it names.
    pub(super) fn seal(&self, segments: &BTreeSet<String>) -> io::Result<()> {
        let mut state = self.state();
        let folder = &self.0.folder;
        let (mut living, mut left) = (BTreeSet::new(), BTreeSet::new());
        for entry in fs::read_dir(folder)? {
            let name = PathBuf::from(entry?.file_name());
            let segment = name.to_str().and_then(|name| name.split('.').next());
            if segment.is_some_and(|segment| segments.contains(segment)) && !state.doomed.contains(&name) {
                living.insert(name);
            } else if name != Path::new(SEAL) {
                left.insert(name);
            }
        }
        let Some(meta) = state.held.get(Path::new(META)) else { return Ok(()) };
        let meta = String::from_utf8(meta.clone()).map_err(|_| invalid("the meta file is no text"))?;
        let mut lengths = BTreeMap::new();
        for name in &living {
            let path = folder.join(name);
            if state.unsynced.contains(name) {
                File::open(&path)?.sync_data()?;
            }
            lengths.insert(name.display().to_string(), fs::metadata(&path)?.len());
        }
        fail_point("index-synced");
        let body = serde_json::to_string(&Seal { meta, lengths })?;
        let mut file = own_file().create(true).truncate(true).open(folder.join(NEW_SEAL))?;
        write!(file, "{}\n{body}", digest(&body))?;
        file.sync_data()?;
        fail_point("index-seal-written");
        fs::rename(folder.join(NEW_SEAL), folder.join(SEAL))?;
        File::open(folder)?.sync_all()?;
        fail_point("index-sealed");
        state.unsynced.clear();
        state.sealed = living;
        state.doomed.clear();
        // Readers of what was before keep what they have mapped.
        for name in left {
            match fs::remove_file(folder.join(&name)) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}

/// What is wrong with the index in a folder, if anything is: a look that changes nothing.
pub(super) fn look(folder: &Path) -> io::Result<()> {
    read_seal(folder)?.map_or(Ok(()), |seal| check_lengths(folder, &seal))
}

fn check_lengths(folder: &Path, seal: &Seal) -> io::Result<()> {
    for (name, length) in &seal.lengths {
        if fs::metadata(folder.join(name))?.len() != *length {
            return Err(invalid("a file has another length"));
        }
    }
    Ok(())
}

fn read_seal(folder: &Path) -> io::Result<Option<Seal>> {
    let text = match fs::read(folder.join(SEAL)) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| invalid("the seal is no text"))?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
    };
    match text.split_once('\n') {
        Some((sum, body)) if sum == digest(body) => Ok(Some(serde_json::from_str(body)?)),
        Some(_) | None => Err(invalid("the seal is broken")),
    }
}

fn digest(body: &str) -> String {
    hex(&Sha256::digest(body.as_bytes()))
}

struct Unsynced(File);

impl Write for Unsynced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Unsynced {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        Ok(())
    }
}

fn is_replaced(path: &Path) -> bool {
    path == Path::new(META) || path == Path::new(MANAGED)
}

impl Directory for DurableDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut state = self.state();
        if state.sealed.contains(path) {
            state.doomed.insert(path.to_owned());
            return Ok(());
        }
        state.unsynced.remove(path);
        self.0.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        if is_replaced(path) {
            return Ok(self.state().held.contains_key(path));
        }
        self.0.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = own_file().create_new(true).open(self.0.folder.join(path)).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(cause, path.to_owned()),
        })?;
        self.state().unsynced.insert(path.to_owned());
        Ok(BufWriter::new(Box::new(Unsynced(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.state().held.get(path).cloned().ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.state().held.insert(path.to_owned(), data.to_vec());
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        // One process owns the data folder, and in it one writer at a time the index.
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
