//! Mails that arrive many at a time from elsewhere: whole files, and flags as they are there.
//!
//! A delivery is written below `tmp`, brought to the disk at once, and then renamed: after a crash each of its mails is
//! there whole or not at all. Not here: which mail gets which name.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::maildir::{Listed, Maildir, create_file, create_private};
use super::moves::{folder_of, is_inside, with_flags};

/// Mails on their way into one folder of a mailbox.
#[derive(Debug)]
pub struct MailDelivery {
    /// Where the folder lies.
    folder: PathBuf,
    written: Vec<(PathBuf, PathBuf)>,
}

impl MailDelivery {
    /// Into this folder, as [`folder_of`] names it; it is made where there is none.
    pub fn into(maildir: &Maildir, folder: &Path) -> io::Result<Self> {
        if !is_inside(folder) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "that is no folder of the mailbox"));
        }
        for sub in ["cur", "new", "tmp"] {
            let dir = maildir.root().join(folder).join(sub);
            create_private(&dir)?;
            let above = if folder.as_os_str().is_empty() { None } else { dir.parent() };
            for part in above.into_iter().chain([dir.as_path()]) {
                if !fs::symlink_metadata(part)?.is_dir() {
                    return Err(io::Error::new(io::ErrorKind::NotADirectory, "that is no folder"));
                }
            }
        }
        Ok(Self { folder: maildir.root().join(folder), written: Vec::new() })
    }

    /// One more mail; it is not there before the end.
    pub fn add(&mut self, base: &str, flags: &str, bytes: &[u8]) -> io::Result<()> {
        let tmp = self.folder.join("tmp").join(base);
        let mut file = create_file(&tmp)?;
        file.write_all(bytes)?;
        if cfg!(not(target_os = "linux")) {
            file.sync_all()?;
        }
        self.written.push((tmp, self.folder.join("cur").join(format!("{base}:2,{flags}"))));
        Ok(())
    }

    /// All of them are there.
    pub fn end(self) -> io::Result<()> {
        if self.written.is_empty() {
            return Ok(());
        }
        let cur = File::open(self.folder.join("cur"))?;
        // One call for all of them, where there is such a call.
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&cur)?;
        for (tmp, there) in &self.written {
            fs::rename(tmp, there)?;
        }
        cur.sync_all()
    }
}

impl Maildir {
    /// Gives a mail the flags that it has elsewhere; those that nobody else knows stay.
    pub fn set_flags(&self, file: &Listed, flags: &str) -> io::Result<()> {
        let to = folder_of(file).join("cur").join(with_flags(file, flags));
        if file.path == to || self.root().join(&to).exists() {
            return Ok(());
        }
        create_private(&self.root().join(folder_of(file)).join("cur"))?;
        fs::rename(self.path(file), self.root().join(to))
    }

    /// Takes a mail away that is gone elsewhere.
    pub fn drop_file(&self, file: &Listed) -> io::Result<()> {
        match fs::remove_file(self.path(file)) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }
}
