//! The reading of files in slices, and the bringing of what was read in batches.

use std::sync::{Mutex, PoisonError};

use super::source::maildir::{self, Listed, Maildir};
use super::suspects::{MailboxScan, SuspectLock, marked};
use crate::services::email::message::mail::Mail;
use crate::services::email::message::read;
use brain_core::failpoint::fail_point;
use brain_core::limits::{MAIL_BATCH_BYTES, MAIL_BATCH_MAX, MAIL_SLICE_BYTES};
use brain_core::ports::Document;

/// A piece of the work.
#[derive(Debug, Default)]
pub(in crate::services::email) struct Slice {
    /// Mails and their texts.
    pub read: Vec<(Mail, String)>,
    /// Not read: the slice was full before.
    pub left: Vec<Listed>,
    /// Moved since they were listed, or not ours to read: the others still count.
    pub gone: usize,
}

/// Reads files, the first ones first, until it is full.
pub(in crate::services::email) fn read_slice(
    maildir: &Maildir,
    files: Vec<Listed>,
    reading: &Mutex<MailboxScan>,
    quiet: &SuspectLock,
) -> Slice {
    let mut slice = Slice::default();
    let mut bytes = 0;
    for file in files {
        if bytes >= MAIL_SLICE_BYTES {
            slice.left.push(file);
            continue;
        }
        let name = format!("{:?}/{}", file.folder, file.base);
        if reading.lock().unwrap_or_else(PoisonError::into_inner).is_aside(&name) {
            slice.read.push(Mail::aside(file, maildir.root()));
            continue;
        }
        let Ok(raw) = maildir::read(&maildir.path(&file)) else {
            slice.gone += 1;
            continue;
        };
        let parsed = marked(reading, quiet, &name, || {
            fail_point("mail-read");
            read::parse(&raw)
        });
        bytes += parsed.text.len();
        slice.read.push(Mail::of(file, parsed, maildir.root()));
    }
    slice
}

/// What is brought in at once.
#[derive(Debug, Default)]
pub(in crate::services::email) struct MailBatch {
    /// Their heads, without texts.
    pub mails: Vec<Mail>,
    /// The same as documents.
    pub documents: Vec<Document>,
    bytes: usize,
}

impl MailBatch {
    /// More of them.
    pub fn add(&mut self, read: Vec<(Mail, String)>) {
        for (mail, text) in read {
            self.bytes += text.len();
            self.documents.push(mail.document(&text));
            self.mails.push(mail);
        }
    }

    /// True when it is worth a commit.
    pub fn is_full(&self) -> bool {
        self.mails.len() >= MAIL_BATCH_MAX || self.bytes >= MAIL_BATCH_BYTES
    }
}
