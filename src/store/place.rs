//! The file a store lives in: found, or made so that it appears whole or not at all.
//!
//! A new store is written under a name of its own and then linked to its place, which fails if something has
//! come there meanwhile. So a crash while creating leaves no half file where the next start looks for one, and
//! two first starts cannot overwrite each other. Deliberately not here: what is in the file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

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
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok((options.open(&draft)?, draft))
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
