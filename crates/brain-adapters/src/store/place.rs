//! The file a store lives in: found, or made so that it appears whole or not at all.
//!
//! A new store is written under a name of its own and then linked to its place, which fails if something has
//! come there meanwhile. So a crash while creating leaves no half file where the next start looks for one, and
//! two first starts cannot overwrite each other. A store that is written anew takes the old one's name in one step.
//! Deliberately not here: what is in the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use brain_core::failpoint::fail_point;

/// Opens the file that is there; `None` when there is none.
pub(super) fn existing(path: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// A new, empty file beside `path`, for its owner only, and its name.
pub(super) fn beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let folder = folder_of(path);
    make_folder(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", uuid::Uuid::new_v4().simple()));
    let draft = folder.join(name);
    Ok((new_at(&draft)?, draft))
}

/// A new, empty file for its owner only, where there is none; its folder is there.
pub(super) fn new_at(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// What was written at `path`, and its name, last through a power cut when this returns.
pub(super) fn settled(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    sync_folder(folder_of(path))
}

/// A new, empty file that is to take the place of the one at `path`, with its rights, and its name. One a store: what
/// an earlier try has left is replaced.
pub(super) fn successor(path: &Path) -> io::Result<(File, PathBuf)> {
    remove_successor(path)?;
    let name = successor_of(path)?;
    let file = new_at(&name)?;
    file.set_permissions(fs::metadata(path)?.permissions())?;
    Ok((file, name))
}

/// Gives the finished successor the name of the file at `path`. From then on the old file has no name.
pub(super) fn succeed(successor: &Path, path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    fs::rename(successor, &path)?;
    fail_point("rewrite-renamed");
    sync_folder(folder_of(&path))
}

/// Removes what a try that was cut short has left.
pub(super) fn remove_successor(path: &Path) -> io::Result<()> {
    match fs::remove_file(successor_of(path)?) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Beside the file itself, not beside a link to it.
fn successor_of(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".rewritten");
    Ok(path.with_file_name(name))
}

/// Writes zeros over a file that has lost its name, so that its bytes do not outlive it.
pub(super) fn overwrite(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(0))?;
    io::copy(&mut io::repeat(0).take(length), file)?;
    file.sync_data()
}

/// Gives the finished draft its name, unless something has that name already.
pub(super) fn settle(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Ok(()) => fs::remove_file(draft)?,
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Err(cause),
        // Some file systems have no links.
        Err(_) if !path.exists() => fs::rename(draft, path)?,
        Err(cause) => return Err(cause),
    }
    sync_folder(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A name lasts through a power cut only when its folder has been synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
