//! Archives of one person's data: a ZIP file that this program writes and reads back.
//!
//! ```text
//! README.txt     what is what
//! data.json      the document: see `queries::export`
//! calendar.ics   and other files of services, for other programs
//! mail/          a Maildir
//! ```
//! Invariants:
//! - names are ours and times are none: the same data is the same archive, and no path of the machine is in it;
//! - what is read may come from anybody: number, names and sizes of the entries are judged before the first of them is
//!   unpacked, and each is unpacked no further than it said it would go.
//!
//! Deliberately not here: what a person's data is, and what becomes of what was read.

mod document;
mod forgetting;
mod reading;
mod writing;

pub use document::{ArchiveDocument, DocumentError};
pub use forgetting::without;
pub use reading::{Archive, ArchiveBounds, ArchiveError, count_entries, is_plain};
pub use writing::{ArchiveWriter, BoundedBuffer};

/// The document.
pub const DATA: &str = "data.json";
/// What says what is what.
pub const README: &str = "README.txt";
/// What it is, for whoever is handed one.
pub const MIME: &str = "application/zip";
