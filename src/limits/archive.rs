//! Archives of a person's data, as they are read back.

/// The largest archive of a person's data that is read back, as it is packed.
pub const ARCHIVE_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
/// What all of it may unpack to: text packs to a fifth, and nothing of ours to a hundredth.
pub const ARCHIVE_UNPACKED_BYTES_MAX: u64 = 8 * 1024 * 1024 * 1024;
/// Entries of it: a full mailbox, its folders, and the rest.
pub const ARCHIVE_ENTRIES_MAX: usize = 60_000;
/// The document in it.
pub const ARCHIVED_DATA_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Any other file in it: a mail with its pictures. What is larger is left out.
pub const ARCHIVED_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Files of it that are unpacked before they are taken in, by number and by size.
pub const ARCHIVED_AT_ONCE_MAX: usize = 500;
/// The same, in bytes.
pub const ARCHIVED_AT_ONCE_BYTES: usize = 64 * 1024 * 1024;
/// Records of one kind that are taken in.
pub const IMPORTED_RECORDS_MAX: usize = 200_000;
/// One of them, as JSON: several times the longest note.
pub const IMPORTED_RECORD_BYTES_MAX: usize = 1024 * 1024;
/// Things that an import names one by one when it could not take them in.
pub const IMPORT_TOLD_MAX: usize = 20;
