//! Files that hold secrets or say where secrets go: who may have written them, and how they are written.
//!
//! Invariants: what somebody else could have written is not read; a file that is written is whole or as it was before,
//! and nobody but its owner can open it at any time. Not here: what stands in them.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::process::{getegid, geteuid};
use secrecy::SecretString;

/// Who else can do something with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// It belongs to somebody else, who can write it.
    Foreign,
    /// Others may write it.
    Writable,
    /// Others may read it.
    Readable,
}

/// The worst of it for a file of this owner and mode. What root wrote, root could do without it.
pub fn exposure(owner: u32, me: u32, mode: u32) -> Option<Exposure> {
    if owner != me && owner != 0 {
        Some(Exposure::Foreign)
    } else if mode & 0o022 != 0 {
        Some(Exposure::Writable)
    } else if mode & 0o044 != 0 {
        Some(Exposure::Readable)
    } else {
        None
    }
}

/// Whether others may put another file in the place of this one: the folder that names it, or the one that it lies in
/// where links lead there, is somebody else's, or others may write it and nothing holds them to what is theirs (the
/// sticky bit, as /tmp has it).
pub fn is_replaceable(path: &Path) -> bool {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_open = |folder: &Path| fs::metadata(folder).is_ok_and(|about| is_open_to_others(&about));
    is_open(&folder_of(path)) || is_open(&folder_of(&real))
}

/// Whether somebody else may write a folder, or a file of those that hold no secret. One's own group is oneself: many
/// systems make a group for each user, and give it all that the user has.
pub fn is_open_to_others(about: &fs::Metadata) -> bool {
    let (owner, mode) = (about.uid(), about.mode());
    let is_sticky = about.is_dir() && mode & 0o1000 != 0;
    let is_foreign = owner != geteuid().as_raw() && owner != 0;
    let groups_too = about.gid() != getegid().as_raw() && mode & 0o020 != 0;
    !is_sticky && (is_foreign || mode & 0o002 != 0 || groups_too)
}

/// What a file holds.
#[derive(Debug, Clone)]
pub struct FileText {
    /// All of it.
    pub text: SecretString,
    /// Who else can do what, as far as it is read all the same: [`Exposure::Readable`].
    pub exposure: Option<Exposure>,
    /// It is root's, and not ours: handed to us by who runs the machine.
    pub is_handed_in: bool,
}

/// Why a file is not read. Says nothing of what stands in it.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// There is none.
    #[error("is not there")]
    Missing,
    /// Somebody else could have written it.
    #[error("belongs to somebody else. Make it yours (chown)")]
    Foreign,
    /// The same.
    #[error("may be written by others. Run: chmod 600 on it")]
    Writable,
    /// Somebody else could have put it there.
    #[error("lies in a folder that others may write. Run: chmod go-w on that folder")]
    Replaceable,
    /// A folder, a pipe, a device.
    #[error("is no ordinary file")]
    NotAFile,
    /// More than anything of its kind has.
    #[error("is too large")]
    TooLarge,
    /// Bytes that are no text.
    #[error("is no text in UTF-8")]
    NotText,
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads a file of at most `bytes_max`.
pub fn read(path: &Path, bytes_max: usize) -> Result<FileText, SecretFileError> {
    let missing = |cause: io::Error| match cause.kind() {
        ErrorKind::NotFound => SecretFileError::Missing,
        _ => SecretFileError::Io(cause),
    };
    // Before it is opened: a pipe without a writer would be waited for.
    if !fs::metadata(path).map_err(missing)?.is_file() {
        return Err(SecretFileError::NotAFile);
    }
    let file = File::open(path).map_err(missing)?;
    let about = file.metadata()?;
    let me = geteuid().as_raw();
    let exposure = exposure(about.uid(), me, about.mode());
    match exposure {
        Some(Exposure::Foreign) => return Err(SecretFileError::Foreign),
        Some(Exposure::Writable) => return Err(SecretFileError::Writable),
        Some(Exposure::Readable) | None => {}
    }
    let mut bytes = Vec::new();
    file.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        return Err(SecretFileError::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|_| SecretFileError::NotText)?;
    Ok(FileText { text: text.into(), exposure, is_handed_in: about.uid() != me })
}

/// Writes a file anew, or leaves it as it was. A link is followed: what it leads to is replaced.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = make_folder(&path)?;
    // It is made for its owner alone.
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    File::open(&folder)?.sync_all()
}

/// The folder that a file lies in, made for its owner alone where there is none.
pub fn make_folder(path: &Path) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(folder)
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn what_is_written_is_its_owners_alone_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/secret");
        for text in ["one", "two"] {
            write(&path, text).unwrap();
            let read = read(&path, 10).unwrap();
            assert_eq!((read.text.expose_secret(), read.exposure), (text, None));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, "three").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_followed_when_its_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_folder_that_others_may_write_holds_nothing_in_its_place_but_a_sticky_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        let path = inner.join("file");
        write(&path, "x").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for (mode, is_open) in [(0o700, false), (0o755, false), (0o777, true), (0o703, true), (0o1777, false)] {
            fs::set_permissions(&inner, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!((is_replaceable(&path), is_replaceable(&link)), (is_open, is_open), "{mode:o}");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(is_replaceable(&link) && !is_replaceable(&path));
    }

    #[test]
    fn what_others_may_write_or_is_too_large_or_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, "12345").unwrap();
        assert!(matches!(read(&path, 4), Err(SecretFileError::TooLarge)));
        assert!(matches!(read(folder.path(), 4), Err(SecretFileError::NotAFile)));
        assert!(matches!(read(&folder.path().join("none"), 4), Err(SecretFileError::Missing)));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(matches!(read(&path, 5), Err(SecretFileError::Writable)));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(read(&path, 5).unwrap().exposure, Some(Exposure::Readable));
    }
}
