//! One mail as the index keeps it: its file and its headers, without its text.

use std::fmt;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::links::MailLinks;
use super::read::{self, Addressed, Mailbox, Parsed};
use crate::services::email::mailbox::source::maildir::{self, Folder, Listed, Maildir};
use crate::services::email::mailbox::source::moves;
use brain_core::core::text::shorten;
use brain_core::limits::MAIL_TEXT_CHARS_MAX;
use brain_core::ports::{Document, Participant};

/// Its name in plans.
pub const NAME: &str = "email";

/// Of a mail to the owner that was not looked at.
pub const UNREAD: &str = "unread";
/// Written by the owner, sent or not.
pub const OWN: &str = "own";
/// Gone out.
pub const SENT: &str = "sent";
/// Not sent.
pub const DRAFT: &str = "draft";
const STARRED: &str = "starred";
const ATTACHMENTS: &str = "attachments";

/// Who sent it.
pub const FROM: &str = "from";
/// Whom it goes to, openly or not.
pub const TO: &str = "to";

/// A mail among its owner's: the same for as long as its file keeps its folder and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailId(u128);

impl MailId {
    /// Of a file.
    pub fn of(file: &Listed) -> Self {
        // Not of `new` or `cur`: a mail moves between them.
        let folder = moves::folder_of(file);
        let mut digest = Sha256::new();
        digest.update(folder.as_os_str().as_encoded_bytes());
        digest.update(b"\0");
        digest.update(file.base.as_bytes());
        Self(digest.finalize().iter().take(16).fold(0, |id, byte| id << 8 | u128::from(*byte)))
    }

    /// From its text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if is_id { u128::from_str_radix(text, 16).ok().map(Self) } else { None }
    }
}

impl fmt::Display for MailId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What the index knows of one mail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// Where it lies in the mailbox.
    pub file: Listed,
    /// Its headers and the rest, without text.
    pub head: Head,
}

/// The part of a mail that never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Headers and attachments; `text` is empty.
    pub parsed: Parsed,
    /// The Date header, else what the file says.
    pub date: DateTime<Utc>,
    /// The beginning of what is new in it.
    pub snippet: String,
    /// Set aside: it is listed, and never read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_aside: bool,
}

/// The subject of a mail that is set aside.
const ASIDE: &str = "A mail that I set aside";
/// The text of a mail that is set aside.
const ASIDE_TEXT: &str =
    "I stopped each time I read this mail, so I no longer open it. It is still in your mailbox, for a mail program.";

/// Characters of a snippet.
const SNIPPET_CHARS: usize = 200;

impl Mail {
    /// A mail that was read, and its text. `mailbox` is where its file lies.
    pub fn of(file: Listed, mut parsed: Parsed, mailbox: &Path) -> (Self, String) {
        let text = std::mem::take(&mut parsed.text);
        parsed.links = MailLinks::default();
        let date = parsed.date.unwrap_or_else(|| file_date(&file, mailbox));
        (Self { head: Head { date, snippet: snippet(&text), is_aside: false, parsed }, file }, text)
    }

    /// One that is not to be read.
    pub fn aside(file: Listed, mailbox: &Path) -> (Self, String) {
        let parsed = Parsed { subject: ASIDE.to_owned(), text: ASIDE_TEXT.to_owned(), ..Parsed::default() };
        let (mut mail, text) = Self::of(file, parsed, mailbox);
        mail.head.is_aside = true;
        (mail, text)
    }

    /// A file of our own, read now; `None` when it has gone.
    pub fn read_at(maildir: &Maildir, file: Listed) -> Option<Self> {
        let raw = maildir::read(&maildir.path(&file)).ok()?;
        Some(Self::of(file, read::parse(&raw), maildir.root()).0)
    }

    /// The same for as long as the mail stays in its folder.
    pub fn id(&self) -> MailId {
        MailId::of(&self.file)
    }

    /// True when the owner wrote it.
    pub fn is_own(&self) -> bool {
        matches!(self.file.folder, Folder::Sent | Folder::Drafts)
    }

    /// Listed, and never read.
    pub fn is_aside(&self) -> bool {
        self.head.is_aside
    }

    /// Lies in the archive.
    pub fn is_archived(&self) -> bool {
        moves::folder_of(&self.file) == Path::new(moves::ARCHIVE)
    }

    /// New to the owner.
    pub fn is_unread(&self) -> bool {
        self.file.unread && !self.is_own()
    }

    /// Names its message and those it answers.
    pub fn ids(&self) -> impl Iterator<Item = &String> {
        self.head.parsed.message_id.iter().chain(&self.head.parsed.references)
    }

    /// Everybody it goes to.
    pub fn recipients(&self) -> impl Iterator<Item = &Mailbox> {
        self.head.parsed.to.iter().chain(&self.head.parsed.cc)
    }

    /// Everybody it goes to, and who wrote it.
    pub fn people(&self) -> impl Iterator<Item = &Mailbox> {
        std::iter::once(&self.head.parsed.from).chain(self.recipients())
    }

    /// The mail, read again: its text as far as anybody would read it.
    pub fn read(&self, mailbox: &Path) -> Parsed {
        if self.head.is_aside {
            return Parsed { text: ASIDE_TEXT.to_owned(), ..self.head.parsed.clone() };
        }
        maildir::read(&mailbox.join(&self.file.path)).map_or_else(
            |_| Parsed { text: "(This mail has just been moved or deleted.)".to_owned(), ..self.head.parsed.clone() },
            |raw| read::parse(&raw).within(MAIL_TEXT_CHARS_MAX),
        )
    }

    /// Who got the mail, read again; nobody when it is not to be read or has gone.
    pub(in crate::services::email) fn addressed(&self, mailbox: &Path) -> Addressed {
        if self.head.is_aside {
            return Addressed::default();
        }
        maildir::read(&mailbox.join(&self.file.path)).map(|raw| read::addressed(&raw)).unwrap_or_default()
    }

    /// As the search index has it, with its text.
    pub fn document(&self, text: &str) -> Document {
        let parsed = &self.head.parsed;
        let as_role = |role: &str, person: &Mailbox| Participant {
            role: role.to_owned(),
            name: person.name.clone(),
            address: person.address.clone(),
        };
        let flags = [
            (self.is_unread(), UNREAD),
            (self.is_own(), OWN),
            (self.file.folder == Folder::Sent, SENT),
            (self.file.folder == Folder::Drafts, DRAFT),
            (self.file.starred, STARRED),
            (!parsed.attachments.is_empty(), ATTACHMENTS),
        ];
        Document {
            kind: NAME.to_owned(),
            id: self.id().to_string(),
            title: parsed.subject.clone(),
            body: [text, &parsed.attachments.join("\n")].join("\n"),
            people: std::iter::once(as_role(FROM, &parsed.from))
                .chain(self.recipients().map(|person| as_role(TO, person)))
                .collect(),
            at: Some(self.head.date),
            flags: flags.iter().filter(|(is, _)| *is).map(|(_, flag)| (*flag).to_owned()).collect(),
            // Threads change with what comes later; see `thread`.
            group: None,
            // Strings and numbers: this cannot fail.
            kept: serde_json::to_vec(self).unwrap_or_default(),
        }
    }

    /// From [`Document::kept`]; `None` when it is of another shape.
    pub fn kept(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// When a file says that its mail came: Maildir names begin with the second of delivery.
fn named_date(file: &Listed) -> Option<DateTime<Utc>> {
    let named: Option<i64> = file.base.split('.').next().and_then(|s| s.parse().ok());
    named.filter(|secs| *secs > 100_000_000).and_then(|secs| DateTime::from_timestamp(secs, 0))
}

/// By its name; else the file's own time.
pub fn file_date(file: &Listed, mailbox: &Path) -> DateTime<Utc> {
    let written = || std::fs::metadata(mailbox.join(&file.path)).and_then(|meta| meta.modified());
    named_date(file).or_else(|| written().ok().map(DateTime::<Utc>::from)).unwrap_or(DateTime::UNIX_EPOCH)
}

/// The beginning of the text without what it quotes.
fn snippet(text: &str) -> String {
    let mut short = String::new();
    let fresh = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    for word in fresh.flat_map(str::split_whitespace) {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.len() > SNIPPET_CHARS * 4 {
            break;
        }
    }
    shorten(&short, SNIPPET_CHARS)
}
