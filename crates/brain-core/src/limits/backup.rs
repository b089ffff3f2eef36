//! Backups of the data folder.

/// Records of the store that are read for a copy before others may have the file.
pub const STORE_COPY_RECORDS: usize = 512;
/// The same by their bytes.
pub const STORE_COPY_BYTES: usize = 1024 * 1024;
/// How often a copy of the store begins anew because the file was written anew meanwhile (by forgetting, or to give room
/// back), which happens a few times a day.
pub const STORE_COPY_TRIES: usize = 5;
/// Files and folders in a backup: the mailboxes of a score of people.
pub const BACKUP_ENTRIES_MAX: usize = 1_000_000;
/// What a backup says of itself.
pub const BACKUP_STATEMENT_BYTES_MAX: u64 = 64 * 1024;
/// How much files may grow between being listed and being written, all together.
pub const BACKUP_GROWTH_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How often the folder is looked through again for files that were moved while it was read.
pub const BACKUP_LOOKS_MAX: usize = 3;
/// What is read of a file at once.
pub const BACKUP_CHUNK_BYTES: usize = 128 * 1024;
/// What is not in a backup is named one by one up to so many; the rest is a number.
pub const BACKUP_LEFT_NAMED_MAX: usize = 20;
/// A line about how far it is, for whoever waits.
pub const BACKUP_TOLD_EVERY_SECS: u64 = 2;
/// Backups that are kept, where nothing else is set, and at most.
pub const BACKUPS_KEPT: usize = 7;
/// One for each day of a year.
pub const BACKUPS_KEPT_MAX: usize = 365;
/// Pause between two looks at whether a backup is due.
pub const BACKUP_LOOKED_AT_SECS: u64 = 60;
/// Pause after one that failed.
pub const BACKUP_AGAIN_SECS: u64 = 60 * 60;
