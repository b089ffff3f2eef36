//! Reading a backup that may come from anybody: all of it is judged before the first entry is unpacked, and each is unpacked
//! no further than it says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek as _, Write};
use std::path::Path;
use std::time::SystemTime;

use chrono::NaiveDate;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use super::contents::{BackupPart, part_of};
use super::{BackupError, BackupProgress, BackupStatement, FORMAT, ProgressSink, STATEMENT, STORE};
use brain_core::archive::{count_entries, is_plain};
use brain_core::core::digest::hex;
use brain_core::limits;

/// A backup whose entries were judged, and not unpacked yet.
#[derive(Debug)]
pub struct OpenedBackup {
    zip: ZipArchive<BufReader<File>>,
    statement: BackupStatement,
    /// What is in it beside the statement: by name, where it stands and how long it is. Folders end with `/`.
    entries: BTreeMap<String, BackupEntry>,
    packed: u64,
}

/// An entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct BackupEntry {
    at: usize,
    pub(super) bytes: u64,
    /// When the file was written.
    pub(super) modified: Option<SystemTime>,
}

/// What a ZIP says of a time; in ours it is in UTC.
fn time_of(at: zip::DateTime) -> Option<SystemTime> {
    let day = NaiveDate::from_ymd_opt(at.year().into(), at.month().into(), at.day().into())?;
    Some(day.and_hms_opt(at.hour().into(), at.minute().into(), at.second().into())?.and_utc().into())
}

/// What tells the format before anything else is read of it.
#[derive(Deserialize)]
struct BackupFormat {
    brain_agent_backup: u32,
}

impl OpenedBackup {
    /// Opens a file and judges what is in it.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        let told = BackupError::disk(path);
        let file = File::open(path).map_err(&told)?;
        let about = file.metadata().map_err(&told)?;
        if !about.is_file() {
            return Err(BackupError::Foreign("it is no file".to_owned()));
        }
        let mut file = BufReader::with_capacity(limits::BACKUP_CHUNK_BYTES, file);
        let mut first = [0; 2];
        if file.read_exact(&mut first).is_err() || first != *b"PK" {
            return Err(BackupError::Foreign("it is no ZIP".to_owned()));
        }
        count_entries(&mut file, limits::BACKUP_ENTRIES_MAX)?;
        file.rewind().map_err(told)?;
        let mut zip = ZipArchive::new(file)?;
        let statement = statement_of(&mut zip)?;
        let mut opened = Self { zip, statement, entries: BTreeMap::new(), packed: about.len() };
        opened.judge()?;
        Ok(opened)
    }

    /// Looks at every entry, and unpacks none.
    fn judge(&mut self) -> Result<(), BackupError> {
        let BackupStatement { store, files, folders, bytes, with_tokens, .. } = &self.statement;
        let (mut counted, mut unpacked) = ([0_u64; 2], 0_u64);
        for at in 0..self.zip.len() {
            let entry = self.zip.by_index_raw(at)?;
            let name = entry.name().to_owned();
            let is_secret = match part_of(name.trim_end_matches('/')) {
                BackupPart::Kept => false,
                BackupPart::Secret => true,
                BackupPart::Passing if name == STATEMENT || name == STORE => false,
                BackupPart::Passing => return Err(BackupError::Name(name)),
            };
            if !is_plain(&name) || entry.is_symlink() || is_secret && !with_tokens {
                return Err(BackupError::Name(name));
            }
            if entry.encrypted() {
                return Err(BackupError::Foreign("it is locked by a password".to_owned()));
            }
            let modified = entry.last_modified().and_then(time_of);
            match name.as_str() {
                STATEMENT => continue,
                STORE if entry.size() == store.bytes => {}
                STORE => return Err(BackupError::Damaged("the store in it is not as long as it says".to_owned())),
                _ => {
                    counted[usize::from(entry.is_dir())] += 1;
                    unpacked = unpacked.saturating_add(entry.size());
                }
            }
            self.entries.insert(name, BackupEntry { at, bytes: entry.size(), modified });
        }
        if counted[0] > *files || counted[1] > *folders {
            return Err(BackupError::TooMuch(format!("{} files and {} folders", counted[0], counted[1])));
        }
        if unpacked > *bytes {
            return Err(BackupError::TooMuch(format!("its files would unpack to {unpacked} bytes")));
        }
        if !self.entries.contains_key(STORE) {
            return Err(BackupError::Foreign(format!("there is no {STORE} in it")));
        }
        Ok(())
    }

    /// What it says of itself.
    pub fn statement(&self) -> &BackupStatement {
        &self.statement
    }

    /// Its length.
    pub fn packed(&self) -> u64 {
        self.packed
    }

    /// How many files are in it, the store aside.
    pub fn files(&self) -> u64 {
        self.entries.keys().filter(|name| !name.ends_with('/') && *name != STORE).count() as u64
    }

    /// What all of it unpacks to.
    pub fn unpacked(&self) -> u64 {
        self.entries.values().fold(0, |sum, entry| sum.saturating_add(entry.bytes))
    }

    /// What is in it, by name.
    pub(super) fn entries(&self) -> Vec<(String, BackupEntry)> {
        self.entries.iter().map(|(name, entry)| (name.clone(), *entry)).collect()
    }

    /// How far one is who has done nothing yet.
    pub(super) fn progress(&self) -> BackupProgress {
        BackupProgress { files_all: self.files() + 1, bytes_all: self.unpacked(), ..BackupProgress::default() }
    }

    /// Unpacks a file, held against its checksum, its length and, for the store, its digest.
    pub(super) fn unpack(
        &mut self,
        name: &str,
        entry: BackupEntry,
        out: &mut dyn Write,
        all: &mut BackupProgress,
        progress: ProgressSink<'_>,
    ) -> Result<(), BackupError> {
        let damaged = |why: &str| BackupError::Damaged(format!("{name}: {why}"));
        let mut from = self.zip.by_index(entry.at)?.take(entry.bytes.saturating_add(1));
        let (mut chunk, mut sha256, mut left) = (vec![0; limits::BACKUP_CHUNK_BYTES], Sha256::new(), entry.bytes);
        loop {
            let read = from.read(&mut chunk).map_err(|cause| damaged(&cause.to_string()))?;
            if read == 0 {
                break;
            }
            left = left.checked_sub(read as u64).ok_or_else(|| damaged("it goes on behind its end"))?;
            if name == STORE {
                sha256.update(&chunk[..read]);
            }
            out.write_all(&chunk[..read]).map_err(BackupError::disk(Path::new(name)))?;
            all.bytes += read as u64;
            progress(*all);
        }
        if left > 0 {
            return Err(damaged("it ends too early"));
        }
        if name == STORE && hex(&sha256.finalize()) != self.statement.store.sha256 {
            return Err(damaged("it is not the store that the backup was made of"));
        }
        all.files += 1;
        Ok(())
    }
}

/// The first entry, of a format that is known.
fn statement_of(zip: &mut ZipArchive<BufReader<File>>) -> Result<BackupStatement, BackupError> {
    let foreign = || BackupError::Foreign(format!("it does not begin with {STATEMENT}"));
    if zip.is_empty() || zip.by_index_raw(0)?.name() != STATEMENT {
        return Err(foreign());
    }
    let mut text = Vec::new();
    let most = limits::BACKUP_STATEMENT_BYTES_MAX;
    let read = zip.by_index(0)?.take(most + 1).read_to_end(&mut text);
    read.map_err(|cause| BackupError::Damaged(format!("{STATEMENT}: {cause}")))?;
    if text.len() as u64 > most {
        return Err(BackupError::TooMuch(format!("{STATEMENT} is too long")));
    }
    let unread = |cause: serde_json::Error| BackupError::Foreign(format!("{STATEMENT}: {cause}"));
    let BackupFormat { brain_agent_backup: found } = serde_json::from_slice(&text).map_err(unread)?;
    match found {
        0 => Err(foreign()),
        1..=FORMAT => serde_json::from_slice(&text).map_err(unread),
        _ => Err(BackupError::Newer { found }),
    }
}
