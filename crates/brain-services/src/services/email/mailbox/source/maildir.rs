//! The mailbox on disk: one Maildir per owner, with Maildir++ subfolders.
//!
//! ```text
//! DATA/mail/OWNER/{cur,new,tmp}            inbox
//! DATA/mail/OWNER/.Sent/{cur,new,tmp}      likewise .Drafts, .Archive, and whatever people make
//! ```
//! Files are immutable apart from their flags, which are part of the name (`BASE:2,FLAGS`). A file appears
//! whole: written in `tmp`, synced, renamed. Only regular files in real folders are looked at.
//!
//! Deliberately not here: what a mail says, and changes of mails that are there already (see [`moves`](super::moves)).

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use brain_core::core::ids::UserId;
use brain_core::limits::MAIL_BYTES_MAX;

/// What a folder means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Folder {
    /// New mail, and what was left there.
    Inbox,
    /// Written by the owner.
    Sent,
    /// Not sent.
    Drafts,
    /// The archive, and every folder people made themselves.
    Kept,
}

impl Folder {
    /// Its folder below the mailbox.
    pub fn dir(self) -> &'static str {
        match self {
            Self::Inbox => "",
            Self::Sent => ".Sent",
            Self::Drafts => ".Drafts",
            Self::Kept => ".Archive",
        }
    }

    /// What a subfolder of this name is; `None` for those nobody wants to find things in.
    fn of(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            ".sent" | ".sent items" | ".sent messages" => Some(Self::Sent),
            ".drafts" => Some(Self::Drafts),
            ".trash" | ".junk" | ".spam" | ".deleted items" => None,
            _ => Some(Self::Kept),
        }
    }
}

/// One mail's file, as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Where it lies, below the mailbox.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What that means.
    pub folder: Folder,
    /// Its name without flags: the same for as long as the mail exists.
    pub base: String,
    /// In `new`, or without the flag S.
    pub unread: bool,
    /// With the flag F.
    pub starred: bool,
}

/// Where mails lie: the `new` or the `cur` of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailPlace {
    /// Below the mailbox.
    pub dir: PathBuf,
    /// What that means.
    pub folder: Folder,
}

/// The mailbox of one owner.
#[derive(Debug, Clone)]
pub struct Maildir {
    root: PathBuf,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw {
    /// All of it.
    Whole(Vec<u8>),
    /// Only its beginning: it is larger than [`MAIL_BYTES_MAX`].
    Beginning(Vec<u8>),
}

/// Read of a mail that is too large: enough for its headers.
const BEGINNING_BYTES: u64 = 64 * 1024;

impl Maildir {
    /// The mailbox of `owner` below the data folder. Nothing is created.
    pub fn of(data: &Path, owner: &UserId) -> Self {
        Self { root: data.join("mail").join(owner.folder_name()) }
    }

    /// Where it lies; it need not exist.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a listed mail lies now.
    pub fn path(&self, listed: &Listed) -> PathBuf {
        self.root.join(&listed.path)
    }

    /// Where mails can lie: `new` and `cur` of the mailbox and of each of its folders, there or not.
    pub fn places(&self) -> io::Result<Vec<MailPlace>> {
        let mut places = Vec::new();
        let mut add = |below: &Path, folder: Folder| {
            // A mail that is read meanwhile moves from the first to the second, and is seen in either.
            places.extend(["new", "cur"].map(|sub| MailPlace { dir: below.join(sub), folder }));
        };
        add(Path::new(""), Folder::Inbox);
        // The mailbox itself may be a link that its owner made; nothing inside it may.
        let root = match fs::canonicalize(&self.root) {
            Ok(root) => root,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(places),
            Err(cause) => return Err(cause),
        };
        for entry in entries(&root)? {
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            // `file_type` does not follow links: a link is no folder of this mailbox.
            if !shown.starts_with('.') || !entry.file_type().is_ok_and(|t| t.is_dir()) {
                continue;
            }
            if let Some(folder) = Folder::of(&shown) {
                add(Path::new(&name), folder);
            }
        }
        Ok(places)
    }

    /// The mails of a place, in no order.
    pub fn list(&self, place: &MailPlace) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        let is_new = place.dir.ends_with("new");
        for entry in entries(&self.root.join(&place.dir))? {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if name.starts_with('.') || !entry.file_type().is_ok_and(|t| t.is_file()) {
                continue;
            }
            let (base, flags) = name.split_once(":2,").unwrap_or((&name, ""));
            found.push(Listed {
                path: place.dir.join(&name),
                folder: place.folder,
                base: base.to_owned(),
                unread: is_new || !flags.contains('S'),
                starred: flags.contains('F'),
            });
        }
        Ok(found)
    }

    /// Puts a mail into a folder under a name of our choosing. A name that is there already stays as it is:
    /// doing the same twice leaves one mail.
    pub fn put(&self, folder: Folder, base: &str, flags: &str, bytes: &[u8]) -> io::Result<()> {
        let dir = self.folder(folder);
        for sub in ["cur", "new", "tmp"] {
            create_private(&dir.join(sub))?;
        }
        if self.find(folder, base)?.is_some() {
            return Ok(());
        }
        let tmp = dir.join("tmp").join(base);
        let mut file = create_file(&tmp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&tmp, dir.join("cur").join(format!("{base}:2,{flags}")))?;
        File::open(dir.join("cur"))?.sync_all()
    }

    /// The mails in the folder of our own choosing, in no order.
    pub fn in_folder(&self, folder: Folder) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for sub in ["new", "cur"] {
            found.extend(self.list(&MailPlace { dir: Path::new(folder.dir()).join(sub), folder })?);
        }
        Ok(found)
    }

    /// The file of this base name in a folder.
    pub fn find(&self, folder: Folder, base: &str) -> io::Result<Option<Listed>> {
        Ok(self.in_folder(folder)?.into_iter().find(|listed| listed.base == base))
    }

    /// Takes a mail of ours away again; true when it was there.
    pub fn remove(&self, folder: Folder, base: &str) -> io::Result<bool> {
        match self.find(folder, base)? {
            Some(listed) => fs::remove_file(self.path(&listed)).map(|()| true),
            None => Ok(false),
        }
    }

    fn folder(&self, folder: Folder) -> PathBuf {
        match folder {
            Folder::Inbox => self.root.clone(),
            Folder::Sent | Folder::Drafts | Folder::Kept => self.root.join(folder.dir()),
        }
    }
}

/// Reads a mail, or the beginning of a huge one.
pub fn read(path: &Path) -> io::Result<Raw> {
    let file = File::open(path)?;
    let huge = file.metadata()?.len() > MAIL_BYTES_MAX;
    let limit = if huge { BEGINNING_BYTES } else { MAIL_BYTES_MAX };
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(if huge { Raw::Beginning(bytes) } else { Raw::Whole(bytes) })
}

/// The entries of a real folder; none when it does not exist or is something else.
fn entries(dir: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::symlink_metadata(dir) {
        Ok(meta) if meta.is_dir() => Ok(fs::read_dir(dir)?.flatten().collect()),
        Ok(_) => Ok(Vec::new()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(cause),
    }
}

pub(super) fn create_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// A file for its owner only; one that is there is emptied.
pub(in crate::services::email) fn create_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

/// A path as text, also where a folder's name is none.
mod path_text {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::path::{Path, PathBuf};

    use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
    use serde::{Deserialize as _, Deserializer, Serializer};

    const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&percent_encode(path.as_os_str().as_bytes(), ESCAPED))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(from)?;
        Ok(OsString::from_vec(percent_decode_str(&text).collect()).into())
    }
}
