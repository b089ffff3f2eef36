//! Writing a backup: under a hidden name beside its own, which it takes when it is whole.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Datelike as _, Timelike as _, Utc};
use rustix::fs::OFlags;
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::contents::{FolderContents, FolderLook, LeftOutWhy, ListedFile, named_secrets};
use super::{BackupError, BackupProgress, BackupStatement, FORMAT, ProgressSink, STATEMENT, STORE, StoredCopy};
use brain_core::core::digest::hex;
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::secret_files::folder_of;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct BackupOrder {
    /// The data folder.
    pub data_dir: PathBuf,
    /// A copy of its store.
    pub store: PathBuf,
    /// When that was begun.
    pub taken_at: DateTime<Utc>,
    /// Where accounts.toml is.
    pub accounts: PathBuf,
    /// The backup; one that is there is replaced.
    pub file: PathBuf,
    /// Whether what gives access to accounts goes into it.
    pub with_tokens: bool,
}

/// A backup that was taken.
#[derive(Debug)]
pub struct PackedBackup {
    /// What it says of itself.
    pub statement: BackupStatement,
    /// Files that are in it, the store aside.
    pub files: u64,
    /// Its length.
    pub packed: u64,
    /// What is not in it, and why.
    pub left_out: Vec<(String, LeftOutWhy)>,
}

/// Takes it.
pub fn pack(order: &BackupOrder, progress: ProgressSink<'_>) -> Result<PackedBackup, BackupError> {
    let (part, out) = part_of_target(&order.file)?;
    let packed = packed(order, out, progress).and_then(|packed| {
        fail_point("backup-written");
        let (told, folder) = (BackupError::disk(&order.file), folder_of(&order.file));
        fs::rename(&part, &order.file).map_err(&told)?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(told)?;
        Ok(packed)
    });
    if packed.is_err() {
        let _ = fs::remove_file(&part);
    }
    packed
}

/// The hidden file beside the backup, empty and ours alone. What was left of one that was cut short is replaced.
fn part_of_target(file: &Path) -> Result<(PathBuf, File), BackupError> {
    let told = BackupError::disk(file);
    let name = file.file_name().ok_or_else(|| told(ErrorKind::InvalidFilename.into()))?;
    if file.is_dir() {
        return Err(told(ErrorKind::IsADirectory.into()));
    }
    let part = folder_of(file).join(format!(".{}.part", name.to_string_lossy()));
    let told = BackupError::disk(&part);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(AS_IT_IS);
    let out = options.open(&part).map_err(&told)?;
    match out.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Err(BackupError::UnderWay),
        Err(fs::TryLockError::Error(cause)) => return Err(told(cause)),
    }
    // Another one may have given it its name between the two.
    let (ours, there) = (out.metadata().map_err(&told)?, fs::symlink_metadata(&part).map_err(&told)?);
    if ours.ino() != there.ino() || !ours.is_file() {
        return Err(BackupError::UnderWay);
    }
    out.set_len(0).map_err(&told)?;
    out.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(told)?;
    Ok((part, out))
}

/// Whatever somebody has put there: no link is followed, and no pipe waited for.
const AS_IT_IS: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed();

fn packed(order: &BackupOrder, out: File, progress: ProgressSink<'_>) -> Result<PackedBackup, BackupError> {
    let look = look_of(order);
    let mut contents = look.list()?;
    left_elsewhere(order, &mut contents);
    let listed: u64 = contents.files.iter().map(|file| file.bytes).sum();
    let store = digest_of(&order.store)?;
    let statement = BackupStatement {
        brain_agent_backup: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        taken_at: order.taken_at,
        with_tokens: order.with_tokens,
        store,
        files: contents.files.len() as u64,
        folders: contents.folders.len() as u64,
        bytes: listed + limits::BACKUP_GROWTH_BYTES_MAX,
    };
    let all = BackupProgress {
        files_all: statement.files + 1,
        bytes_all: listed + statement.store.bytes,
        ..BackupProgress::default()
    };
    let out = BufWriter::with_capacity(limits::BACKUP_CHUNK_BYTES, out);
    let mut writer = BackupWriter { zip: ZipWriter::new(out), order, all, progress };
    writer.bytes(STATEMENT, &serde_json::to_vec_pretty(&statement).unwrap_or_default())?;
    let copy = File::open(&order.store).map_err(BackupError::disk(&order.store))?;
    writer.stream(STORE, copy, &order.store, statement.store.bytes)?;
    fail_point("backup-store-in");
    for folder in &contents.folders {
        let told = BackupError::disk(&order.file);
        writer.zip.add_directory(folder, options(0).unix_permissions(0o700)).map_err(|cause| told(cause.into()))?;
    }
    let files = writer.files(&look, &mut contents, statement.bytes)?;
    let told = BackupError::disk(&order.file);
    let out = writer.zip.finish().map_err(|cause| told(cause.into()))?;
    let out = out.into_inner().map_err(|cause| told(cause.into_error()))?;
    out.sync_all().map_err(&told)?;
    let packed = out.metadata().map_err(told)?.len();
    Ok(PackedBackup { statement, files, packed, left_out: contents.left_out })
}

fn look_of(order: &BackupOrder) -> FolderLook<'_> {
    let accounts = fs::read_to_string(order.data_dir.join("accounts.toml")).unwrap_or_default();
    let folder = fs::canonicalize(folder_of(&order.file)).ok();
    let target = folder.zip(order.file.file_name()).and_then(|(folder, name)| {
        let inside = folder.strip_prefix(fs::canonicalize(&order.data_dir).ok()?).ok()?.to_owned();
        Some(order.data_dir.join(inside).join(name))
    });
    FolderLook { root: &order.data_dir, with_tokens: order.with_tokens, secrets: named_secrets(&accounts), target }
}

/// Accounts that lie outside of the data folder are said not to be in it.
fn left_elsewhere(order: &BackupOrder, contents: &mut FolderContents) {
    let real = |path: &Path| fs::canonicalize(path).ok();
    let (Some(accounts), Some(data)) = (real(&order.accounts), real(&order.data_dir)) else { return };
    if !accounts.starts_with(data) {
        contents.left_out.push((order.accounts.display().to_string(), LeftOutWhy::Elsewhere));
    }
}

fn digest_of(path: &Path) -> Result<StoredCopy, BackupError> {
    let told = BackupError::disk(path);
    let (mut file, mut sha256) = (File::open(path).map_err(&told)?, Sha256::new());
    let bytes = io::copy(&mut file, &mut sha256).map_err(told)?;
    Ok(StoredCopy { sha256: hex(&sha256.finalize()), bytes })
}

/// For its owner's eyes only.
fn options(bytes: u64) -> SimpleFileOptions {
    let is_large = bytes >= u64::from(u32::MAX) / 2;
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    options.large_file(is_large).unix_permissions(0o600)
}

/// As a ZIP says it, in UTC: mails without a date, and how long files are kept, go by it.
fn time_of(at: SystemTime) -> Option<zip::DateTime> {
    let at = DateTime::<Utc>::from(at).naive_utc();
    let [month, day, hour, minute, second] =
        [at.month(), at.day(), at.hour(), at.minute(), at.second()].map(|n| u8::try_from(n).unwrap_or_default());
    zip::DateTime::from_date_and_time(u16::try_from(at.year()).ok()?, month, day, hour, minute, second).ok()
}

struct BackupWriter<'a> {
    zip: ZipWriter<BufWriter<File>>,
    order: &'a BackupOrder,
    all: BackupProgress,
    progress: ProgressSink<'a>,
}

impl BackupWriter<'_> {
    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), BackupError> {
        let told = BackupError::disk(&self.order.file);
        self.zip.start_file(name, options(0)).map_err(|cause| told(cause.into()))?;
        self.zip.write_all(bytes).map_err(told)
    }

    /// Of a file that is open, so many bytes at most; how many there were.
    fn stream(&mut self, name: &str, file: File, path: &Path, most: u64) -> Result<u64, BackupError> {
        let told = BackupError::disk(&self.order.file);
        let modified = file.metadata().and_then(|about| about.modified()).ok().and_then(time_of);
        let options = modified.into_iter().fold(options(most), |options, at| options.last_modified_time(at));
        self.zip.start_file(name, options).map_err(|cause| told(cause.into()))?;
        let (mut file, mut chunk, mut written) = (file.take(most), vec![0; limits::BACKUP_CHUNK_BYTES], 0);
        loop {
            let read = file.read(&mut chunk).map_err(BackupError::disk(path))?;
            if read == 0 {
                self.all.files += 1;
                return Ok(written);
            }
            self.zip.write_all(&chunk[..read]).map_err(&told)?;
            written += read as u64;
            self.all.bytes += read as u64;
            (self.progress)(self.all);
        }
    }

    /// All that were listed. A mail that has moved meanwhile (its flags stand in its name) is looked for under its new name.
    fn files(
        &mut self,
        look: &FolderLook<'_>,
        contents: &mut FolderContents,
        bytes_max: u64,
    ) -> Result<u64, BackupError> {
        let (mut left, mut count) = (bytes_max, 0);
        let mut wanted = std::mem::take(&mut contents.files);
        let mut seen: BTreeSet<String> = wanted.iter().map(|file| file.name.clone()).collect();
        for _ in 0..limits::BACKUP_LOOKS_MAX {
            let mut gone = BTreeSet::new();
            for ListedFile { name, .. } in wanted {
                match self.file(&name, &mut left)? {
                    FileWritten::Whole => count += 1,
                    FileWritten::Gone => _ = gone.insert(stem(&name).to_owned()),
                    FileWritten::Other(why) => contents.left_out.push((name, why)),
                }
            }
            if gone.is_empty() {
                break;
            }
            let now = look.list()?.files.into_iter();
            wanted = now.filter(|file| !seen.contains(&file.name) && gone.contains(stem(&file.name))).collect();
            seen.extend(wanted.iter().map(|file| file.name.clone()));
        }
        Ok(count)
    }

    fn file(&mut self, name: &str, left: &mut u64) -> Result<FileWritten, BackupError> {
        let path = self.order.data_dir.join(name);
        let told = BackupError::disk(&path);
        let file = match OpenOptions::new().read(true).custom_flags(AS_IT_IS).open(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(FileWritten::Gone),
            Err(cause) if cause.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                return Ok(FileWritten::Other(LeftOutWhy::Link));
            }
            Err(cause) => return Err(told(cause)),
        };
        let about = file.metadata().map_err(told)?;
        if !about.is_file() {
            return Ok(FileWritten::Other(LeftOutWhy::NotAFile));
        }
        if about.len() > *left {
            return Ok(FileWritten::Other(LeftOutWhy::Grew));
        }
        *left -= self.stream(name, file, &path, about.len())?;
        fail_point("backup-file-in");
        Ok(FileWritten::Whole)
    }
}

/// What became of a file.
enum FileWritten {
    Whole,
    /// It is not there any more.
    Gone,
    Other(LeftOutWhy),
}

/// What of a mail's name stays when it is read, moved or starred.
fn stem(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split(':').next().unwrap_or(last)
}
