//! One mail, read as far as it can be read.
//!
//! Invariant: no input makes this fail or panic. What is broken is left out; what is missing is empty.
//! Deliberately not here: attachments' contents. They are named, never opened.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, Utc};
use mail_parser::{Address, HeaderValue, Message, MessageParser};
use serde::{Deserialize, Serialize};

use super::links::MailLinks;
use super::{head, mime};
use crate::services::contract::searchable::Party;
use crate::services::email::mailbox::source::maildir::Raw;
use crate::services::helpers::address_book::KnownNames;
use brain_core::core::text::{head_and_tail, shorten};
use brain_core::limits::REFERENCES_MAX;

/// Said of a mail that does not say who wrote it.
const UNKNOWN_SENDER: &str = "(unknown sender)";

/// A name and an address, as a mail states them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// May be empty, and may be anything.
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// May be empty when the mail is broken.
    #[serde(rename = "a", default, skip_serializing_if = "String::is_empty")]
    pub address: String,
}

impl Mailbox {
    /// Them, as the owner knows them. A name that pretends to be an address is none.
    pub fn party(&self, names: &KnownNames) -> Party {
        let name = if self.name.contains('@') { "" } else { self.name.as_str() };
        names.party(name, &self.address)
    }

    /// How to call them.
    pub fn label(&self, names: &KnownNames) -> String {
        Some(self.party(names).label()).filter(|label| !label.is_empty()).unwrap_or_else(|| UNKNOWN_SENDER.to_owned())
    }

    /// As mails write it, whoever chose the name: for what goes out, not for what is told.
    pub fn spelled(&self) -> String {
        match (self.name.as_str(), self.address.as_str()) {
            ("", address) => address.to_owned(),
            (name, "") => name.to_owned(),
            (name, address) => format!("{name} <{address}>"),
        }
    }

    /// True when both mean the same address.
    pub fn is(&self, address: &str) -> bool {
        !address.is_empty() && self.address.eq_ignore_ascii_case(address)
    }
}

/// What a mail says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parsed {
    /// Without angle brackets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// In-Reply-To and References, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The first sender.
    pub from: Mailbox,
    /// Where answers shall go, if the mail says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<Mailbox>,
    /// To.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Mailbox>,
    /// Cc and Bcc.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Mailbox>,
    /// Decoded, on one line.
    pub subject: String,
    /// When it says it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<DateTime<Utc>>,
    /// The text, lines ended by `\n`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Names of attachments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// Sent to a list, or by a machine, as its own fields say.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_bulk: bool,
    /// Where its markup leads to; known while it is read, and never kept.
    #[serde(skip)]
    pub links: MailLinks,
}

impl Parsed {
    /// With a text of at most so many characters; a longer one says that it goes on.
    #[must_use]
    pub fn within(mut self, chars: usize) -> Self {
        if let Some((end, _)) = self.text.char_indices().nth(chars) {
            self.text.truncate(end);
            self.text.push_str(GOES_ON);
        }
        self
    }
}

/// Said where a text was cut.
const GOES_ON: &str = "…\n\n(The text goes on; a mail program shows all of it.)";
/// Characters of a name or a subject that are kept; longer ones are an attack.
const HEADER_CHARS: usize = 1_000;
/// Recipients of one mail that are kept.
const PEOPLE_MAX: usize = 200;
/// Names of attachments that are kept.
const ATTACHMENTS_MAX: usize = 50;

/// Said below the text of a mail of which not everything was read.
const IN_PART: &str = "(This mail has more parts than I read; the rest is left out. A mail program shows all of it.)";

/// Reads a mail.
pub fn parse(raw: &Raw) -> Parsed {
    let (Raw::Whole(bytes) | Raw::Beginning(bytes)) = raw;
    // What decodes is made for hostile input; should it still stumble, one mail is unreadable, no more.
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let mail = strip_mbox(bytes);
        let (fields, _) = head::fields(mail, 0, head::is_of_a_mail, |_| false);
        let mut parsed = MessageParser::default().parse_headers(&fields).as_ref().map(heads).unwrap_or_default();
        if let Raw::Whole(_) = raw {
            add_parts(&mut parsed, mime::read(mail));
        }
        parsed
    }));
    let mut parsed = parsed.unwrap_or_default();
    if let Raw::Beginning(_) = raw {
        parsed.text = "(This mail is too large to be read here.)".to_owned();
    }
    parsed
}

fn add_parts(parsed: &mut Parsed, mime: mime::Mime) {
    let texts: Vec<String> = mime.texts.iter().map(|text| text.replace("\r\n", "\n")).collect();
    parsed.text = texts.join("\n\n");
    parsed.links = mime.links;
    if mime.partial {
        let gap = if parsed.text.is_empty() { "" } else { "\n\n" };
        parsed.text.push_str(gap);
        parsed.text.push_str(IN_PART);
    }
    parsed.attachments = mime.attachments.iter().take(ATTACHMENTS_MAX).map(|name| file_name(name)).collect();
}

/// Mails exported from an mbox begin with a line that is no header.
pub(in crate::services::email) fn strip_mbox(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"From ") {
        return bytes;
    }
    let end = bytes.iter().position(|b| *b == b'\n');
    end.map_or(bytes, |end| &bytes[end + 1..])
}

fn heads(message: &Message<'_>) -> Parsed {
    let mut references = ids(message.references());
    references.extend(ids(message.in_reply_to()));
    let mut seen = HashSet::new();
    references.retain(|id| seen.insert(id.clone()));
    if references.len() > REFERENCES_MAX {
        // How it began stays: mail programs put a conversation together by it.
        references.drain(1..=references.len() - REFERENCES_MAX);
    }
    let mut cc = people(message.cc());
    cc.extend(people(message.bcc()));
    Parsed {
        message_id: message.message_id().map(clean_id).filter(|id| !id.is_empty()),
        references,
        from: people(message.from()).into_iter().next().unwrap_or_default(),
        reply_to: people(message.reply_to()),
        to: people(message.to()),
        cc,
        subject: one_line(message.subject().unwrap_or_default()),
        is_bulk: is_bulk(message),
        date: message
            .date()
            .filter(|date| date.is_valid())
            .and_then(|date| DateTime::from_timestamp(date.to_timestamp(), 0)),
        ..Parsed::default()
    }
}

/// Who got a mail, as far as that is not among what is kept of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::services::email) struct Addressed {
    /// Cc, without those of a blind copy.
    pub cc: Vec<Mailbox>,
    /// Of a draft: those of a blind copy.
    pub bcc: Vec<Mailbox>,
    /// The addresses that it was delivered to, as the servers on its way noted them.
    pub delivered_to: Vec<String>,
}

/// Notes of servers on where a mail was delivered that are read.
const DELIVERIES_MAX: usize = 10;
/// How servers note where a mail was delivered.
const DELIVERED_TO: [&str; 2] = ["delivered-to", "x-original-to"];

/// Who got a mail.
pub(in crate::services::email) fn addressed(raw: &Raw) -> Addressed {
    let (Raw::Whole(bytes) | Raw::Beginning(bytes)) = raw;
    let read = || {
        let mail = strip_mbox(bytes);
        let (copied, _) = head::fields(mail, 0, |name| matches!(name, "cc" | "bcc"), |_| false);
        let copied = MessageParser::default().parse_headers(&copied);
        let copied = copied.map(|message| (people(message.cc()), people(message.bcc())));
        let (cc, bcc) = copied.unwrap_or_default();
        let (delivered, _) = head::fields(mail, 0, |name| DELIVERED_TO.contains(&name), |_| false);
        let delivered = String::from_utf8_lossy(&delivered).into_owned();
        let lines = delivered.lines().filter_map(|line| line.split_once(':'));
        let addresses = lines.map(|(_, address)| one_line(address.trim().trim_matches(['<', '>'])));
        let delivered_to = addresses.filter(|address| address.contains('@')).take(DELIVERIES_MAX).collect();
        Addressed { cc, bcc, delivered_to }
    };
    // As in `parse`.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_default()
}

/// What lists and machines say of themselves (RFC 2369, 2919, 3834).
fn is_bulk(message: &Message<'_>) -> bool {
    let says = |name: &str| message.header_raw(name).map(|value| value.trim().to_ascii_lowercase());
    let is_of_list = ["List-Id", "List-Post", "List-Unsubscribe"].iter().any(|name| says(name).is_some());
    let precedence = says("Precedence").unwrap_or_default();
    let is_automatic = says("Auto-Submitted").is_some_and(|by| !by.is_empty() && by != "no");
    is_of_list || is_automatic || ["bulk", "list", "junk"].contains(&precedence.as_str())
}

impl Parsed {
    /// Names and addresses as the mail states them: whoever wrote it chose them.
    pub fn people(&self) -> String {
        let all = std::iter::once(&self.from).chain(&self.reply_to).chain(&self.to).chain(&self.cc);
        all.map(|person| format!("{}\n{}", person.name, person.address)).collect::<Vec<_>>().join("\n")
    }
}

fn people(header: Option<&Address<'_>>) -> Vec<Mailbox> {
    let Some(header) = header else {
        return Vec::new();
    };
    header
        .iter()
        .take(PEOPLE_MAX)
        .map(|person| Mailbox {
            name: one_line(person.name().unwrap_or_default()),
            address: one_line(person.address().unwrap_or_default()),
        })
        .filter(|person| !person.name.is_empty() || !person.address.is_empty())
        .collect()
}

fn ids(header: &HeaderValue<'_>) -> Vec<String> {
    let all: Vec<&str> = match header {
        HeaderValue::Text(id) => vec![id.as_ref()],
        HeaderValue::TextList(ids) => ids.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    all.into_iter().map(clean_id).filter(|id| !id.is_empty()).collect()
}

fn clean_id(id: &str) -> String {
    shorten(id.trim().trim_matches(['<', '>']), HEADER_CHARS)
}

/// A header's text on one line: no control characters, single spaces.
pub fn one_line(text: &str) -> String {
    shorten(&joined(text), HEADER_CHARS)
}

/// The name of a file in the same way. Where it is too long its middle is left out: its extension always stands.
pub fn file_name(name: &str) -> String {
    head_and_tail(&joined(name), HEADER_CHARS)
}

fn joined(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}
