//! Changes of mails that are there already: another flag, another folder.
//!
//! ```text
//! flags    new/BASE, cur/BASE:2,F   ─► cur/BASE:2,FS
//! folders  cur/BASE:2,FS            ─► .Archive/cur/BASE:2,FS
//! ```
//! Each is one rename inside the mailbox: after a crash a mail is where it was or where it was to be, whole, and never
//! in both. Invariants: the name without flags stays, and flags that are not meant stay with it; a name that is taken
//! is never written over; nothing goes through a link.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::maildir::{Folder, Listed, MailPlace, Maildir, create_private};

/// The folder that archived mails are moved to.
pub const ARCHIVE: &str = ".Archive";
/// The folder that deleted mails are moved to. Nothing in it is found.
pub const TRASH: &str = ".Trash";
/// The mailbox itself.
pub const INBOX: &str = "";

/// Seen by its owner.
pub const SEEN: char = 'S';
/// Marked with a star.
pub const FLAGGED: char = 'F';

/// What parts a name from its flags.
const FLAGS: &str = ":2,";

/// The folder that a mail lies in, below the mailbox: not its `new` or `cur`.
pub fn folder_of(file: &Listed) -> &Path {
    file.path.parent().and_then(Path::parent).unwrap_or(Path::new(INBOX))
}

impl Maildir {
    /// The same mail as it is named now, in the same folder; `None` when it has gone. Where a name is there twice, the
    /// one that was listed.
    pub fn now(&self, file: &Listed) -> io::Result<Option<Listed>> {
        let mut same = self.of_base(folder_of(file), file.folder, &file.base)?;
        let listed = same.iter().position(|other| other.path == file.path);
        Ok(match (listed, same.len()) {
            (Some(at), _) => Some(same.swap_remove(at)),
            (None, 1) => same.pop(),
            (None, _) => None,
        })
    }

    /// The mails of a folder, whichever it is: also of one that nothing is found in.
    pub fn in_dir(&self, dir: &Path, folder: Folder) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for sub in ["new", "cur"] {
            let place = MailPlace { dir: dir.join(sub), folder };
            if is_folder(&self.root().join(dir))? {
                found.extend(self.list(&place)?);
            }
        }
        Ok(found)
    }

    fn of_base(&self, dir: &Path, folder: Folder, base: &str) -> io::Result<Vec<Listed>> {
        let mut found = self.in_dir(dir, folder)?;
        found.retain(|file| file.base == base);
        Ok(found)
    }

    /// Gives a mail a flag, or takes it; the file under its new name.
    pub fn flag(&self, file: &Listed, flag: char, wanted: bool) -> io::Result<Listed> {
        let name = format!("{}{FLAGS}{}", file.base, with_flag(flags_of(file), flag, wanted));
        self.rename(file, &folder_of(file).join("cur").join(name), file.folder)
    }

    /// Moves a mail to a folder of the mailbox, which is made if need be; the file where it lies then.
    pub fn shift(&self, file: &Listed, to: &Path, folder: Folder) -> io::Result<Listed> {
        if to == folder_of(file) {
            return Ok(file.clone());
        }
        if !self.of_base(to, folder, &file.base)?.is_empty() {
            return Err(taken());
        }
        let name = format!("{}{FLAGS}{}", file.base, flags_of(file));
        self.rename(file, &to.join("cur").join(name), folder)
    }

    fn rename(&self, file: &Listed, to: &Path, folder: Folder) -> io::Result<Listed> {
        let dir = folder_of_path(to);
        if !is_inside(dir) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "that is no folder of the mailbox"));
        }
        for sub in ["cur", "new", "tmp"] {
            self.make(&dir.join(sub))?;
        }
        let listed = listed_at(to, folder, &file.base);
        if file.path == to {
            return Ok(listed);
        }
        let whole = self.root().join(to);
        match fs::symlink_metadata(&whole) {
            Ok(_) => return Err(taken()),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cause),
        }
        fs::rename(self.path(file), &whole)?;
        for dir in [file.path.parent(), to.parent()].into_iter().flatten() {
            File::open(self.root().join(dir))?.sync_all()?;
        }
        Ok(listed)
    }

    /// Makes a folder where there is none. What is there and is none is left alone.
    fn make(&self, dir: &Path) -> io::Result<()> {
        create_private(&self.root().join(dir))?;
        let mut at = PathBuf::new();
        for part in dir.components() {
            at.push(part);
            if !is_folder(&self.root().join(&at))? {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is no folder", at.display())));
            }
        }
        Ok(())
    }
}

fn taken() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of that name already")
}

fn folder_of_path(file: &Path) -> &Path {
    file.parent().and_then(Path::parent).unwrap_or(Path::new(INBOX))
}

/// The mailbox itself, or one of its folders.
pub(super) fn is_inside(dir: &Path) -> bool {
    let mut parts = dir.components();
    match (parts.next(), parts.next()) {
        (None, _) => true,
        (Some(Component::Normal(name)), None) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    }
}

/// A real folder: no link to one.
fn is_folder(dir: &Path) -> io::Result<bool> {
    if dir.as_os_str().is_empty() {
        return Ok(true);
    }
    match fs::symlink_metadata(dir) {
        Ok(meta) => Ok(meta.is_dir()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

fn flags_of(file: &Listed) -> &str {
    let name = file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix(&file.base).and_then(|rest| rest.strip_prefix(FLAGS)).unwrap_or_default()
}

/// The name of a mail with these flags in the place of those that every mailbox knows.
pub(super) fn with_flags(file: &Listed, flags: &str) -> String {
    let known = |c: &char| "DFRST".contains(*c);
    let kept: String = flags_of(file).chars().filter(|c| !known(c)).collect();
    let flags = flags.chars().filter(known).fold(kept, |all, flag| with_flag(&all, flag, true));
    format!("{}{FLAGS}{flags}", file.base)
}

/// Flags stand in the order of their letters; what are no letters stays as another program wrote it.
fn with_flag(flags: &str, flag: char, wanted: bool) -> String {
    let mut kept: Vec<char> = flags.chars().filter(|c| *c != flag).collect();
    if wanted {
        let before = |c: &char| !c.is_ascii_alphabetic() || *c > flag;
        let at = kept.iter().position(before).unwrap_or(kept.len());
        kept.insert(at, flag);
    }
    kept.into_iter().collect()
}

fn listed_at(path: &Path, folder: Folder, base: &str) -> Listed {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let flags = name.strip_prefix(base).and_then(|rest| rest.strip_prefix(FLAGS)).unwrap_or_default();
    Listed {
        path: path.to_owned(),
        folder,
        base: base.to_owned(),
        unread: !flags.contains(SEEN),
        starred: flags.contains(FLAGGED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_core::core::ids::UserId;

    struct Box {
        _dir: tempfile::TempDir,
        maildir: Maildir,
    }

    fn mailbox() -> Box {
        let dir = tempfile::tempdir().unwrap();
        let maildir = Maildir::of(dir.path(), &UserId::new("me"));
        Box { _dir: dir, maildir }
    }

    impl Box {
        fn lay(&self, path: &str) -> Listed {
            let whole = self.maildir.root().join(path);
            fs::create_dir_all(whole.parent().unwrap()).unwrap();
            fs::write(&whole, path).unwrap();
            let dir = Path::new(path).parent().unwrap().to_owned();
            let all = self.maildir.list(&MailPlace { dir, folder: Folder::Inbox }).unwrap();
            all.into_iter().find(|file| file.path == Path::new(path)).unwrap()
        }

        fn has(&self, path: &str) -> bool {
            self.maildir.root().join(path).exists()
        }
    }

    #[test]
    fn a_flag_comes_and_goes_and_leaves_the_others() {
        let mailbox = mailbox();
        for (before, flag, wanted, after) in [
            ("new/1", 'S', true, "cur/1:2,S"),
            ("new/1", 'F', true, "cur/1:2,F"),
            ("cur/1", 'S', true, "cur/1:2,S"),
            ("cur/1:2,", 'S', true, "cur/1:2,S"),
            ("cur/1:2,FRS", 'S', false, "cur/1:2,FR"),
            ("cur/1:2,DRTa", 'S', true, "cur/1:2,DRSTa"),
            ("cur/1:2,S", 'S', true, "cur/1:2,S"),
            ("cur/1:2,S:2,F", 'F', false, "cur/1:2,S:2,"),
            ("cur/1:2,R,x", 'S', true, "cur/1:2,RS,x"),
            ("cur/a b\u{202E}[31m~;$(x)'\":1,:2,S", 'F', true, "cur/a b\u{202E}[31m~;$(x)'\":1,:2,FS"),
            (".Work.2026/new/1", 'S', true, ".Work.2026/cur/1:2,S"),
        ] {
            let file = mailbox.lay(before);
            let now = mailbox.maildir.flag(&file, flag, wanted).unwrap();
            assert_eq!(now.path, Path::new(after), "{before}");
            assert_eq!(now.base, file.base);
            assert!(mailbox.has(after) && (before == after || !mailbox.has(before)), "{before} {after}");
            fs::remove_file(mailbox.maildir.root().join(after)).unwrap();
        }
    }

    #[test]
    fn a_mail_moves_with_its_name_and_its_flags_and_back() {
        let mailbox = mailbox();
        for (before, there, back) in [
            ("new/1", ".Archive/cur/1:2,", "cur/1:2,"),
            ("cur/2:2,FS", ".Archive/cur/2:2,FS", "cur/2:2,FS"),
            ("cur/3,U=7:2,a", ".Archive/cur/3,U=7:2,a", "cur/3,U=7:2,a"),
        ] {
            let file = mailbox.lay(before);
            let moved = mailbox.maildir.shift(&file, Path::new(ARCHIVE), Folder::Kept).unwrap();
            assert_eq!(moved.path, Path::new(there));
            assert_eq!(mailbox.maildir.now(&file).unwrap(), None);
            assert_eq!(mailbox.maildir.now(&moved).unwrap().as_ref(), Some(&moved));
            let returned = mailbox.maildir.shift(&moved, Path::new(INBOX), Folder::Inbox).unwrap();
            assert_eq!(returned.path, Path::new(back));
            assert_eq!(fs::read_to_string(mailbox.maildir.path(&returned)).unwrap(), before);
        }
    }

    #[test]
    fn nothing_is_written_over_and_nothing_leaves_the_mailbox() {
        let mailbox = mailbox();
        let file = mailbox.lay("cur/1:2,S");
        mailbox.lay(".Trash/cur/1:2,F");
        let error = mailbox.maildir.shift(&file, Path::new(TRASH), Folder::Kept).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        mailbox.lay("cur/1:2,FS");
        assert_eq!(mailbox.maildir.flag(&file, 'F', true).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        for outside in ["..", "../x", "/tmp", ".A/../../x", "cur", ".A/B"] {
            assert!(mailbox.maildir.shift(&file, Path::new(outside), Folder::Kept).is_err(), "{outside}");
        }
        assert!(mailbox.has("cur/1:2,S"));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_gets_nothing() {
        let mailbox = mailbox();
        let elsewhere = tempfile::tempdir().unwrap();
        let file = mailbox.lay("new/1");
        std::os::unix::fs::symlink(elsewhere.path(), mailbox.maildir.root().join(ARCHIVE)).unwrap();
        assert!(mailbox.maildir.shift(&file, Path::new(ARCHIVE), Folder::Kept).is_err());
        assert!(mailbox.has("new/1"));
    }

    #[test]
    fn a_mail_is_found_again_under_its_other_flags_and_not_when_two_fit() {
        let mailbox = mailbox();
        let file = mailbox.lay("new/1");
        fs::create_dir_all(mailbox.maildir.root().join("cur")).unwrap();
        fs::rename(mailbox.maildir.path(&file), mailbox.maildir.root().join("cur/1:2,RS")).unwrap();
        assert_eq!(mailbox.maildir.now(&file).unwrap().unwrap().path, Path::new("cur/1:2,RS"));
        mailbox.lay("cur/1:2,S");
        assert_eq!(mailbox.maildir.now(&file).unwrap(), None);
    }
}
