//! What a forwarded mail carries along: its files, found when the action is made, and found again when it is sent.
//!
//! The action holds a digest of each; what goes out is what has them. Invariants: a file that is not what the card
//! named is not sent, and nothing is sent without it; nothing of a file's name or kind becomes a header of its own.

use std::borrow::Cow;

use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, SinglePart};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::mime::{self, Carried};
use super::read::{file_name, strip_mbox};
use crate::services::email::mailbox::source::maildir::Raw;
use brain_core::core::digest::hex;
use brain_core::core::text::quoted;

/// A file that goes along, as the person is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::services::email) struct Enclosure {
    /// On one line.
    name: String,
    bytes: usize,
    sha256: String,
}

impl Enclosure {
    pub fn named(name: &str, bytes: usize, sha256: &str) -> Self {
        Self { name: file_name(name), bytes, sha256: sha256.to_owned() }
    }

    pub fn of(file: &MimeAttachments) -> Self {
        let sha256 = hex(&Sha256::digest(&file.bytes));
        Self { name: file.name.clone(), bytes: file.bytes.len(), sha256 }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn digest(&self) -> &str {
        &self.sha256
    }

    /// A line of a card, with all of the name.
    pub fn line(&self) -> String {
        format!("{} ({})", quoted(&self.name, usize::MAX), size(self.bytes))
    }

    /// The same, with as much of the digest as people compare.
    pub fn line_with_digest(&self) -> String {
        let shown = self.sha256.get(..SHOWN_DIGITS).unwrap_or_default();
        format!("{} ({}, SHA-256 {shown}…)", quoted(&self.name, usize::MAX), size(self.bytes))
    }
}

/// A file on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MimeAttachments {
    name: String,
    kind: String,
    bytes: Vec<u8>,
}

/// The files of a mail; `None` when not all of it is read.
pub(in crate::services::email) fn files_of(raw: &Raw) -> Option<Vec<MimeAttachments>> {
    let Raw::Whole(bytes) = raw else { return None };
    let carried = mime::carried(strip_mbox(bytes))?;
    Some(carried.into_iter().enumerate().map(|(at, file)| enclosed(at + 1, file)).collect())
}

fn enclosed(number: usize, file: Carried) -> MimeAttachments {
    let Carried { name, kind, bytes } = file;
    let name = name.map(|name| file_name(&name)).filter(|name| !name.trim().is_empty());
    MimeAttachments { name: name.unwrap_or_else(|| format!("attachment {number}")), kind, bytes }
}

/// As the action keeps them.
pub(in crate::services::email) fn enclosures(files: &[MimeAttachments]) -> Vec<Enclosure> {
    files.iter().map(Enclosure::of).collect()
}

/// Of a digest, on a card.
const SHOWN_DIGITS: usize = 16;

impl MimeAttachments {
    pub(in crate::services::email) fn new(name: &str, kind: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), kind: kind.to_owned(), bytes }
    }

    pub(in crate::services::email) fn name(&self) -> &str {
        &self.name
    }

    pub(in crate::services::email) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(in crate::services::email) fn kind(&self) -> &str {
        &self.kind
    }

    /// As a part of a mail, in base64.
    pub(in crate::services::email) fn part(&self) -> Option<Vec<u8>> {
        let body = Body::new_with_encoding(self.bytes.clone(), ContentTransferEncoding::Base64).ok()?;
        let part: SinglePart = Attachment::new(self.name.clone()).body(body, self.content_type());
        Some(part.formatted())
    }

    /// What may not stand in base64, or is no type at all, goes as bytes.
    fn content_type(&self) -> ContentType {
        let token = |part: &str| {
            !part.is_empty()
                && part.len() <= 100
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b))
        };
        let is_plain =
            |(kind, sub): &(&str, &str)| token(kind) && token(sub) && !matches!(*kind, "multipart" | "message");
        let is_ours = self.kind == CALENDAR_REPLY;
        let is_fine = is_ours || self.kind.split_once('/').as_ref().is_some_and(is_plain);
        let kind = if is_fine { self.kind.as_str() } else { BYTES };
        ContentType::parse(kind).or_else(|_| ContentType::parse(BYTES)).unwrap_or(ContentType::TEXT_PLAIN)
    }
}

/// The media type by which programs of calendars know the answer to an invitation (RFC 6047, 2.4).
pub(in crate::services::email) const CALENDAR_REPLY: &str = "text/calendar; method=REPLY; charset=utf-8";

const BYTES: &str = "application/octet-stream";

/// `12 KB`.
fn size(bytes: usize) -> Cow<'static, str> {
    match bytes {
        0..1_000 => format!("{bytes} bytes").into(),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)).into(),
        _ => format!("{:.1} MB", bytes as f64 / 1e6).into(),
    }
}
