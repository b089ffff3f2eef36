//! Why the store did not do something, in words that say what is kept and what to do.

use super::{Key, Table};

/// Why the store did not do it. Each message says what is kept and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Something else was there than expected; nothing was written.
    #[error("{table:?} {key:?} has changed meanwhile; nothing was written")]
    Conflict {
        /// The table of the record.
        table: Table,
        /// The key of the record.
        key: Key,
    },
    /// Another process owns the file.
    #[error("{path} is in use by another brain-agent; stop that one, or let it do the work")]
    Locked {
        /// Where the store lies.
        path: String,
    },
    /// The file is no store, or its content is broken.
    #[error("{path} is damaged ({why}); it was left as it is: restore a copy, or move it away to start afresh")]
    Damaged {
        /// Where the store lies.
        path: String,
        /// What was found.
        why: String,
    },
    /// The file was written by a newer program.
    #[error("{path} has format {found}, this program knows up to {known}; it was left as it is: use the newer program")]
    Newer {
        /// Where the store lies.
        path: String,
        /// The format that was found in it.
        found: u32,
        /// The newest format that this program knows.
        known: u32,
    },
    /// A record cannot be read.
    #[error("a record of {table:?} cannot be read: {why}")]
    Unreadable {
        /// The table of the record.
        table: Table,
        /// What was found.
        why: String,
    },
    /// A record was written by a newer program.
    #[error(
        "a record of {table:?} has version {found}, this program knows up to {known}; it was left as it is: use the newer program"
    )]
    NewerRecord {
        /// The table of the record.
        table: Table,
        /// The version that was found in the record.
        found: u8,
        /// The newest version that this program knows.
        known: u8,
    },
    /// No room is left for it.
    #[error("the disk is full, so nothing of this was kept: free some space for {path}, then say it again")]
    Full {
        /// Where the store lies.
        path: String,
    },
    /// Read-only disk, broken device.
    #[error("{path} cannot be written or read: {why}; nothing of this change was kept")]
    Disk {
        /// Where the store lies.
        path: String,
        /// What the system said.
        why: String,
    },
    /// The store was opened without this index.
    #[error("the store keeps no index {name}")]
    NoIndex {
        /// As in [`super::Secondary::name`].
        name: &'static str,
    },
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether it is about what is in one record, so that everything else can go on.
    pub fn is_of_one_record(&self) -> bool {
        matches!(self, Self::Unreadable { .. } | Self::NewerRecord { .. })
    }
}
