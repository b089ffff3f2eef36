//! Files that people sent, until they go out with a mail: each person's in a folder of their own, under the digest of
//! their bytes.
//!
//! Invariants: what is read back is what was kept, byte for byte, or nothing; nobody but the program's user can read
//! it; a folder holds no more than [`limits::KEPT_FILES_BYTES_MAX`], and nothing longer than
//! [`limits::KEPT_FILES_DAYS`]. Not here: what a file is called, which goes with the message it came in.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use crate::core::digest::hex;
use crate::core::ids::UserId;
use crate::limits;

/// The files of everybody, below one data folder. Its work is on files: off the runtime.
#[derive(Debug, Clone)]
pub struct KeptFiles {
    root: PathBuf,
}

impl KeptFiles {
    /// Those in `DATA/files`; it need not exist.
    pub fn of(data: &Path) -> Self {
        Self { root: data.join("files") }
    }

    /// Keeps these bytes; their SHA-256 in hexadecimal. What is older or too much goes.
    pub fn keep(&self, owner: &UserId, bytes: &[u8]) -> io::Result<String> {
        let folder = self.folder(owner);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let sha256 = hex(&Sha256::digest(bytes));
        let path = folder.join(&sha256);
        let written = folder.join(format!("{sha256}.part"));
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&written)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&written, &path)?;
        File::open(&folder)?.sync_all()?;
        make_room(&folder, &path)?;
        Ok(sha256)
    }

    /// The bytes of this digest; `None` where they are not kept, or are others by now.
    pub fn read(&self, owner: &UserId, sha256: &str) -> io::Result<Option<Vec<u8>>> {
        let is_digest = sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_digest {
            return Ok(None);
        }
        match fs::read(self.folder(owner).join(sha256)) {
            Ok(bytes) => Ok(Some(bytes).filter(|bytes| hex(&Sha256::digest(bytes)) == sha256)),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(cause),
        }
    }

    fn folder(&self, owner: &UserId) -> PathBuf {
        self.root.join(owner.folder_name())
    }
}

/// Takes away what is too old, then the oldest of what is too much; never what was kept just now.
fn make_room(folder: &Path, newest: &Path) -> io::Result<()> {
    let oldest = SystemTime::now().checked_sub(Duration::from_secs(limits::KEPT_FILES_DAYS * 24 * 60 * 60));
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        files.push((about.modified()?, about.len(), entry.path()));
    }
    files.sort_by_key(|(at, _, _)| std::cmp::Reverse(*at));
    let mut bytes = 0;
    for (at, size, path) in files {
        bytes += size;
        let is_old = oldest.is_some_and(|oldest| at < oldest);
        if path != newest && (is_old || bytes > limits::KEPT_FILES_BYTES_MAX) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_read_back_is_what_was_kept_or_nothing() {
        let data = tempfile::tempdir().unwrap();
        let files = KeptFiles::of(data.path());
        let (anna, ben) = (UserId::new("tg:1"), UserId::new("tg:2"));
        let sha256 = files.keep(&anna, b"report").unwrap();
        assert_eq!(files.keep(&anna, b"report").unwrap(), sha256, "the same file twice is one");
        assert_eq!(files.read(&anna, &sha256).unwrap().as_deref(), Some(&b"report"[..]));
        assert_eq!(files.read(&ben, &sha256).unwrap(), None, "each person's own");
        for odd in ["", "../../etc/passwd", &"0".repeat(64), &format!("{sha256}.part")] {
            assert_eq!(files.read(&anna, odd).unwrap(), None, "{odd}");
        }
        let path = data.path().join("files").join(anna.folder_name()).join(&sha256);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, "other").unwrap();
        assert_eq!(files.read(&anna, &sha256).unwrap(), None, "what is other by now is not it");
    }

    #[test]
    fn what_is_old_goes_and_what_is_too_much_goes_oldest_first() {
        let data = tempfile::tempdir().unwrap();
        let files = KeptFiles::of(data.path());
        let anna = UserId::new("tg:1");
        let folder = data.path().join("files").join(anna.folder_name());
        let aged = |name: &str, days: u64, bytes: u64| {
            let file = File::create(folder.join(name)).unwrap();
            file.set_len(bytes).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60)).unwrap();
        };
        files.keep(&anna, b"first").unwrap();
        aged("ancient", limits::KEPT_FILES_DAYS + 1, 1);
        aged("large", 2, limits::KEPT_FILES_BYTES_MAX);
        aged("recent", 1, 10);
        files.keep(&anna, b"second").unwrap();
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.retain(|name| name.len() < 64);
        assert_eq!(left, ["recent"]);
    }
}
