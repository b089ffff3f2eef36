//! Files that go along with a letter: those that the person sent in the chat, and those of a draft.
//!
//! A letter holds the digest of each, and so does the card; what goes out is what has them. Invariant: which files go
//! along is settled by code, from what came in and what a draft has; a file that is not had any more is a letter that is
//! not sent.

use serde::{Deserialize, Serialize};

use crate::services::contract::context::RequestContext;
use crate::services::email::message::mime_attachments::{Enclosure, MimeAttachments};
use brain_core::core::text::{quoted, visible};
use brain_core::core::turn::KeptFile;
use brain_core::limits::{ATTACHED_BYTES_MAX, ATTACHED_FILES_MAX, NAME_CHARS_MAX};

/// A file of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFiles {
    #[serde(flatten)]
    pub(in crate::services::email) file: Enclosure,
    /// Its media type.
    pub(in crate::services::email) kind: String,
}

impl OutgoingFiles {
    fn sent(file: &KeptFile) -> Self {
        let KeptFile { name, kind, bytes, sha256 } = file;
        Self { file: Enclosure::named(name, *bytes, sha256), kind: kind.clone() }
    }

    /// A file of a draft.
    pub(in crate::services::email) fn enclosed(file: &MimeAttachments) -> Self {
        Self { file: Enclosure::of(file), kind: file.kind().to_owned() }
    }

    /// Stands for the files of a draft that cannot be read: no letter with it goes out.
    pub(in crate::services::email) fn unreadable() -> Self {
        Self { file: Enclosure::named("files that I can't read", 0, ""), kind: String::new() }
    }

    /// A line of a card.
    pub fn line(&self) -> String {
        self.file.line_with_digest()
    }
}

/// `(with “report.pdf”)`, behind what is told of a letter; nothing where no file goes along.
pub(in crate::services::email) fn along(attached: &[OutgoingFiles]) -> String {
    match attached {
        [] => String::new(),
        [one] => format!(" (with {})", visible(&quoted(one.file.name(), NAME_CHARS_MAX))),
        several => format!(" (with {} files)", several.len()),
    }
}

/// Two letters take the same files along.
pub(in crate::services::email) fn are_same(a: &[OutgoingFiles], b: &[OutgoingFiles]) -> bool {
    a.iter().map(|one| one.file.digest()).eq(b.iter().map(|one| one.file.digest()))
}

/// What is wrong with so many files, or such large ones.
pub(in crate::services::email) fn too_much(attached: &[OutgoingFiles]) -> Option<String> {
    let bytes: usize = attached.iter().map(|one| one.file.bytes()).sum();
    let megabytes = ATTACHED_BYTES_MAX / 1_000_000;
    match attached.len() {
        files if files > ATTACHED_FILES_MAX => Some(format!("a mail may carry {ATTACHED_FILES_MAX} files at most")),
        _ if bytes > ATTACHED_BYTES_MAX => Some(format!("a mail may carry {megabytes} MB of files at most")),
        _ => None,
    }
}

/// What a letter takes along that is written now: the files that were sent for it, and those that it has.
pub(in crate::services::email) fn with_sent(
    ctx: &RequestContext,
    mut attached: Vec<OutgoingFiles>,
) -> Vec<OutgoingFiles> {
    for file in ctx.files.iter().map(OutgoingFiles::sent) {
        if attached.iter().all(|known| known.file.digest() != file.file.digest()) {
            attached.push(file);
        }
    }
    attached
}
