//! What of a data folder is in a backup: everything but what is made again of the rest, what only this process needs, and,
//! unless it is asked for, what gives access to accounts.
//!
//! Invariants: no symbolic link is followed, and nothing but files and folders is read; what is left out of what somebody
//! may miss is said by name; the same rules say what may be put back.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use brain_core::archive::is_plain;
use brain_core::limits;

use super::{BackupError, STATEMENT, STORE};

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BackupPart {
    /// It is in a backup.
    Kept,
    /// It gives access to accounts.
    Secret,
    /// It is made again, or is of this process, or is a backup itself.
    Passing,
}

/// What is made of the rest, or is of use to this machine alone.
const PASSING: [&str; 6] = ["search", "exports", "brain-agent.log", "control.sock", STORE, STATEMENT];
/// What the operator's own access may be called.
const ADMIN_TOKEN: &str = "admin-token";

/// By its name below the data folder, with `/` between the parts.
pub(super) fn part_of(name: &str) -> BackupPart {
    let (first, rest) = name.split_once('/').unwrap_or((name, ""));
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_hidden = |part: &str| part.starts_with('.');
    match first {
        _ if PASSING.contains(&first) || is_hidden(first) => BackupPart::Passing,
        // Maildir++ folders begin with a dot. Which mail is being read is of the process that reads it.
        "mail" if !rest.contains('/') && rest.ends_with(".reading") => BackupPart::Passing,
        "mail" => BackupPart::Kept,
        "files" if last.ends_with(".part") || is_hidden(last) => BackupPart::Passing,
        "files" => BackupPart::Kept,
        "tokens" | ADMIN_TOKEN => BackupPart::Secret,
        _ if name.split('/').any(is_hidden) || last.ends_with(".lock") || is_backup(last) => BackupPart::Passing,
        _ if first.starts_with("terminal-history.") || first.starts_with("brain.redb.") => BackupPart::Passing,
        _ if last.ends_with(".tokens.json") || last.ends_with(".password") => BackupPart::Secret,
        _ => BackupPart::Kept,
    }
}

/// Whether a file is called as backups that are taken by themselves are, or as archives of a person's data.
pub(super) fn is_backup(name: &str) -> bool {
    name.starts_with("brain-agent-") && name.ends_with(".zip")
}

/// Why something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutWhy {
    /// It leads elsewhere.
    Link,
    /// A pipe, a socket, a device.
    NotAFile,
    /// A name that no archive holds.
    Name,
    /// It has grown too much while the backup was taken.
    Grew,
    /// It lies outside of the data folder.
    Elsewhere,
    /// It gives access to accounts.
    Secret,
}

/// What of a folder is in a backup.
#[derive(Debug, Default)]
pub(super) struct FolderContents {
    /// Files, by their names below it, in order.
    pub(super) files: Vec<ListedFile>,
    /// Folders, with a `/` at the end.
    pub(super) folders: Vec<String>,
    /// What is not in it, and why.
    pub(super) left_out: Vec<(String, LeftOutWhy)>,
}

/// A file as it was found.
#[derive(Debug, Clone)]
pub(super) struct ListedFile {
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// How a folder is looked through.
#[derive(Debug)]
pub(super) struct FolderLook<'a> {
    pub(super) root: &'a Path,
    pub(super) with_tokens: bool,
    /// Files that hold secrets, as accounts.toml names them.
    pub(super) secrets: BTreeSet<String>,
    /// The backup itself, where it is written into the folder.
    pub(super) target: Option<PathBuf>,
}

impl FolderLook<'_> {
    /// Looks through all of it.
    pub(super) fn list(&self) -> Result<FolderContents, BackupError> {
        let mut contents = FolderContents::default();
        self.walk(self.root, "", &mut contents)?;
        Ok(contents)
    }

    fn walk(&self, folder: &Path, below: &str, contents: &mut FolderContents) -> Result<(), BackupError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // It went away meanwhile.
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(BackupError::disk(folder)(cause)),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry.map_err(BackupError::disk(folder))?.file_name());
        }
        names.sort();
        for name in names {
            let path = folder.join(&name);
            let shown = format!("{below}{}", name.to_string_lossy());
            let part = part_of(&shown);
            let about = match fs::symlink_metadata(&path) {
                Ok(about) => about,
                Err(_) => continue,
            };
            if part == BackupPart::Passing || self.target.as_deref() == Some(&path) {
                continue;
            }
            if name.to_str().is_none() || !is_plain(&shown) {
                contents.left_out.push((shown, LeftOutWhy::Name));
            } else if about.is_symlink() {
                contents.left_out.push((shown, LeftOutWhy::Link));
            } else if about.is_dir() {
                let inside = format!("{shown}/");
                self.walk(&path, &inside, contents)?;
                contents.folders.push(inside);
            } else if !about.is_file() {
                contents.left_out.push((shown, LeftOutWhy::NotAFile));
            } else if !self.with_tokens && (part == BackupPart::Secret || self.secrets.contains(&shown)) {
                contents.left_out.push((shown, LeftOutWhy::Secret));
            } else {
                contents.files.push(ListedFile { name: shown, bytes: about.len() });
            }
            if contents.files.len() + contents.folders.len() > limits::BACKUP_ENTRIES_MAX {
                return Err(BackupError::TooMany);
            }
        }
        Ok(())
    }
}

/// The files beside accounts.toml that it names: whatever stands in quotes there may be one with a password.
pub(super) fn named_secrets(accounts: &str) -> BTreeSet<String> {
    accounts.split(['"', '\'']).map(|named| named.trim_start_matches("./").to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_what_is_secret_and_what_passes_is_told_by_names() {
        for (name, part) in [
            ("mail/me/new/1", BackupPart::Kept),
            ("mail/me/.Sent/cur/1:2,S", BackupPart::Kept),
            ("mail/me.aside", BackupPart::Kept),
            ("mail/me.reading", BackupPart::Passing),
            ("mail/me/cur/x.tokens.json", BackupPart::Kept),
            ("files/me/00ff", BackupPart::Kept),
            ("files/me/00ff.part", BackupPart::Passing),
            ("contacts.vcf", BackupPart::Kept),
            ("accounts.toml", BackupPart::Kept),
            ("model-profiles.json", BackupPart::Kept),
            ("prompts/plan.md", BackupPart::Kept),
            ("work-me.tokens.json", BackupPart::Secret),
            ("work-me.password", BackupPart::Secret),
            ("servers/home.tokens.json", BackupPart::Secret),
            ("servers/home.tokens.lock", BackupPart::Passing),
            ("tokens/any", BackupPart::Secret),
            ("admin-token", BackupPart::Secret),
            ("search/me/meta.json", BackupPart::Passing),
            ("exports/x.zip", BackupPart::Passing),
            ("terminal-history.me", BackupPart::Passing),
            ("brain.redb", BackupPart::Passing),
            ("brain.redb.rewritten", BackupPart::Passing),
            ("backups/brain-agent-2026-01-12.zip", BackupPart::Passing),
            (".backup.lock", BackupPart::Passing),
            (".env", BackupPart::Passing),
            ("control.sock", BackupPart::Passing),
        ] {
            assert_eq!(part_of(name), part, "{name}");
        }
    }

    #[test]
    fn files_that_hold_passwords_are_known_by_the_accounts_that_name_them() {
        let named = named_secrets("[work]\npassword_file = \"./key\"\nimap = 'imap.example.com'\n");
        assert!(named.contains("key") && !named.contains("contacts.vcf"));
    }
}
