//! Archives of a person's data, as they are read back.

/// The largest archive of a person's data that is read back, as it is packed.
pub const ARCHIVE_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
/// What all of it may unpack to: text packs to a fifth, and nothing of ours to a hundredth.
pub const ARCHIVE_UNPACKED_BYTES_MAX: u64 = 8 * 1024 * 1024 * 1024;
/// Entries of it: a full mailbox, its folders, and the rest.
pub const ARCHIVE_ENTRIES_MAX: usize = 60_000;
/// The document in it, as text: the words of many years.
pub const ARCHIVED_DATA_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The same of one that this program has written and looks through once more, to forget.
pub const WRITTEN_DATA_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Kinds of records in it: a few for each service that keeps some, servers of tools among them.
pub const ARCHIVED_KINDS_MAX: usize = 64;
/// Values in it, small and large: one for each 16 bytes of the largest document, which is twice what ours have.
pub const ARCHIVED_VALUES_MAX: usize = 2_000_000;
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
/// Values in one of them: a note with thousands of items.
pub const IMPORTED_RECORD_VALUES_MAX: usize = 20_000;
/// Rules of an archive that are offered, each with a message of its own.
pub const IMPORTED_RULES_MAX: usize = 20;
/// Characters of such a rule: it is shown whole.
pub const IMPORTED_RULE_CHARS_MAX: usize = 300;
/// Things that an import names one by one when it could not take them in.
pub const IMPORT_TOLD_MAX: usize = 20;
