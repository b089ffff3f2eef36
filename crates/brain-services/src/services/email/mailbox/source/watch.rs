//! Change detection: whether the folders of a mailbox have changed since they were listed.
//!
//! A folder's own time changes with each name that comes, goes or changes, but only as finely as the file system
//! counts. So a folder that had changed just before it was listed may have changed once more in the same instant: it is
//! listed again until its time is old enough to be trusted.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::maildir::MailPlace;

/// File systems count in steps of up to two seconds.
const COARSEST: Duration = Duration::from_secs(2);

/// How one folder looked: which it was, and when a name in it changed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    changed: SystemTime,
}

impl Stamp {
    fn of(meta: &Metadata) -> Option<Self> {
        Some(Self { inode: meta.ino(), changed: meta.modified().ok()? })
    }
}

/// How the folders of a mailbox looked, just before they were listed.
#[derive(Debug, Clone)]
pub struct Look {
    root: PathBuf,
    at: SystemTime,
    /// By path below the mailbox; none where there is nothing.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
}

impl Look {
    /// Looks at the mailbox itself, at its folders, and at these places in them.
    pub fn at(root: &Path, places: &[MailPlace]) -> Self {
        let mut dirs: Vec<&Path> = vec![Path::new("")];
        for place in places {
            let folder = place.dir.parent().unwrap_or(Path::new(""));
            if !dirs.contains(&folder) {
                dirs.push(folder);
            }
            dirs.push(&place.dir);
        }
        let at = SystemTime::now();
        let stamps = dirs.into_iter().map(|dir| (dir.to_owned(), stamp(root, dir))).collect();
        Self { root: root.to_owned(), at, stamps }
    }

    /// True while nothing can have changed.
    pub fn is_current(&self) -> bool {
        self.stamps.iter().all(|(dir, seen)| self.is_settled(*seen) && stamp(&self.root, dir) == *seen)
    }

    /// True when a folder looked the same in an earlier look, which was old enough to tell.
    pub fn is_as_in(&self, earlier: &Self, dir: &Path) -> bool {
        let of = |look: &Self| look.stamps.iter().find(|(has, _)| has == dir).map(|(_, stamp)| *stamp);
        matches!((of(self), of(earlier)), (Some(now), Some(then)) if now == then && earlier.is_settled(then))
    }

    fn is_settled(&self, stamp: Option<Stamp>) -> bool {
        stamp.is_none_or(|stamp| self.at.duration_since(stamp.changed).is_ok_and(|age| age >= COARSEST))
    }
}

fn stamp(root: &Path, dir: &Path) -> Option<Stamp> {
    // Only the mailbox itself may be a link.
    let meta = if dir.as_os_str().is_empty() { fs::metadata(root) } else { fs::symlink_metadata(root.join(dir)) };
    Stamp::of(&meta.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::email::mailbox::source::maildir::{Folder, Maildir};
    use brain_core::core::ids::UserId;

    fn age(dir: &Path, secs: u64) {
        let then = SystemTime::now() - Duration::from_secs(secs);
        fs::File::open(dir).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn a_folder_is_trusted_when_its_last_change_is_old_and_any_change_is_seen() {
        let data = tempfile::tempdir().unwrap();
        let maildir = Maildir::of(data.path(), &UserId::new("me"));
        let look = || Look::at(maildir.root(), &maildir.places().unwrap());
        assert!(look().is_current(), "a mailbox that does not exist");
        maildir.put(Folder::Sent, "1", "S", b"x").unwrap();
        let fresh = look();
        assert!(!fresh.is_current(), "a change in the same instant could not be seen");
        for dir in ["", ".Sent", ".Sent/new", ".Sent/cur"] {
            age(&maildir.root().join(dir), 60);
        }
        let trusted = look();
        assert!(trusted.is_current());
        assert!(!trusted.is_as_in(&fresh, Path::new(".Sent/cur")) && look().is_as_in(&trusted, Path::new(".Sent/cur")));
        fs::rename(maildir.root().join(".Sent/cur/1:2,S"), maildir.root().join(".Sent/cur/1:2,FS")).unwrap();
        assert!(!trusted.is_current());
        assert!(
            !look().is_as_in(&trusted, Path::new(".Sent/cur")) && look().is_as_in(&trusted, Path::new(".Sent/new"))
        );
        fs::create_dir(maildir.root().join(".Work")).unwrap();
        assert!(!trusted.is_current());
    }
}
