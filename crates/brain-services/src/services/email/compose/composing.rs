//! From a letter to the bytes of a mail (RFC 5322, MIME), and the rules for addresses.
//!
//! Invariants:
//! - What was shown is what goes out: decoding the body gives the letter's body, to the last space.
//! - No value can become a header or an SMTP command of its own: addresses are checked character by
//!   character, everything else is encoded.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::message::header::{
    Bcc, Cc, ContentTransferEncoding, ContentType, Date, From, Headers, InReplyTo, MessageId, MimeVersion, References,
    Subject, To,
};
use lettre::message::{Mailbox, Mailboxes};
use quoted_printable::{Options, encode_with_options};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outgoing_files::OutgoingFiles;
use crate::services::contract::command::one_or_many;
use crate::services::email::message::mime_attachments::MimeAttachments;
use crate::services::email::message::read::one_line;
use brain_core::core::text::quoted;
use brain_core::limits::NAME_CHARS_MAX;

/// A mail as it will be drafted or sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Letter {
    /// Names, groups ("the whole team") or addresses.
    #[serde(deserialize_with = "one_or_many")]
    pub to: Vec<String>,
    /// One line.
    pub subject: String,
    /// The whole text, as it goes out.
    pub body: String,
    /// The person's own account or address that it leaves from, only where they name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub cc: Vec<String>,
    /// Blind copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub bcc: Vec<String>,
    // Of a draft: those it is for of whom nobody knows an address yet. Settled by code, as is what follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(in crate::services::email) unaddressed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(in crate::services::email) attached: Vec<OutgoingFiles>,
    // Of the account that it leaves from, filled in by code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) signature: Option<String>,
    // Of a letter that code has worded: how the person called whom it goes to. Taken out where its greeting is made of
    // their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) greets: Option<String>,
}

impl Letter {
    /// What its reader gets: the body, and the signature below it.
    pub fn text(&self) -> String {
        signed(&self.body, self.signature.as_deref())
    }

    /// Those whose address nobody knows yet, as a person is told of them.
    pub(in crate::services::email) fn without_address(&self) -> impl Iterator<Item = String> {
        self.unaddressed.iter().map(|name| format!("{} (no address yet)", quoted(name, NAME_CHARS_MAX)))
    }

    /// Everybody it goes to.
    pub(in crate::services::email) fn people(&self) -> impl Iterator<Item = &String> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// As everybody gets it: without those of a blind copy.
    pub(in crate::services::email) fn without_blind(&self) -> Self {
        Self { bcc: Vec::new(), ..self.clone() }
    }
}

/// Between a text and the signature below it, as mail programs know it (RFC 3676, 4.3).
const SIGNATURE_MARK: &str = "-- \n";

/// A text with a signature below it.
pub(in crate::services::email) fn signed(body: &str, signature: Option<&str>) -> String {
    match signature {
        None => body.to_owned(),
        Some(signature) if body.is_empty() => format!("{SIGNATURE_MARK}{signature}"),
        Some(signature) => format!("{body}\n\n{SIGNATURE_MARK}{signature}"),
    }
}

/// A text without this signature below it.
pub(in crate::services::email) fn unsigned<'b>(body: &'b str, signature: &str) -> &'b str {
    let below = body.strip_suffix(signature).and_then(|body| body.strip_suffix(SIGNATURE_MARK));
    below.filter(|body| body.is_empty() || body.ends_with("\n\n")).map_or(body, |body| body.trim_end_matches('\n'))
}

/// What a mail carries besides the letter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The sender; a draft may not know it yet.
    pub from: Option<crate::services::email::delivery::send::smtp::Sender>,
    /// The name behind each address.
    pub names: BTreeMap<String, String>,
    /// Without angle brackets.
    pub message_id: String,
    /// The mail it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The conversation so far, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// The Date header.
    pub at: DateTime<Utc>,
    /// Files that go along.
    pub enclosed: Vec<MimeAttachments>,
}

/// Why a letter cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// Not an address mail can be sent to.
    #[error("“{0}” is no mail address")]
    BadAddress(String),
    /// Nobody to write to.
    #[error("the mail has no recipient")]
    NoRecipient,
    /// A file that cannot be written into a mail.
    #[error("an attachment cannot be sent")]
    BadFile,
}

/// An address as it goes over the wire: the domain in its ASCII form.
pub fn wire_address(address: &str) -> Result<Address, ComposeError> {
    let bad = || ComposeError::BadAddress(address.to_owned());
    let (user, domain) = address.trim().rsplit_once('@').ok_or_else(bad)?;
    let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let user_fine = user.len() <= 64 && user.split('.').all(|part| !part.is_empty() && part.chars().all(atom));
    let ascii = idna::domain_to_ascii_strict(domain).map_err(|_| bad())?;
    let domain_fine = ascii.contains('.')
        && ascii.len() <= 253
        && ascii
            .split('.')
            .all(|label| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    if !user_fine || !domain_fine {
        return Err(bad());
    }
    Address::new(user, ascii).map_err(|_| bad())
}

/// Two spellings of one address: case and punycode do not matter.
pub(in crate::services::email) fn same_address(a: &str, b: &str) -> bool {
    match (wire_address(a), wire_address(b)) {
        (Ok(a), Ok(b)) => {
            let (a, b): (&str, &str) = (a.as_ref(), b.as_ref());
            a.eq_ignore_ascii_case(b)
        }
        _ => a.eq_ignore_ascii_case(b),
    }
}

/// The recipients as they go over the wire, none twice.
pub fn recipients(letter: &Letter) -> Result<Vec<Address>, ComposeError> {
    let mut all: Vec<Address> = Vec::new();
    for address in letter.people() {
        let address = wire_address(address)?;
        if !all.contains(&address) {
            all.push(address);
        }
    }
    if all.is_empty() {
        return Err(ComposeError::NoRecipient);
    }
    Ok(all)
}

/// The bytes of the mail, without the line end that the transport puts behind them. A letter with a blind copy says so:
/// a draft keeps it, what goes out is written without ([`Letter::without_blind`]).
pub fn compose(letter: &Letter, envelope: &Envelope) -> Result<Vec<u8>, ComposeError> {
    if letter.to.is_empty() && letter.unaddressed.is_empty() {
        return Err(ComposeError::NoRecipient);
    }
    let mut headers = Headers::new();
    if let Some(sender) = &envelope.from {
        let from = Mailbox::new(sender.name.clone(), sender.address.clone());
        headers.set(From::from(Mailboxes::from(from)));
    }
    if !letter.to.is_empty() {
        headers.set(To::from(named(&letter.to, envelope)?));
    }
    if !letter.cc.is_empty() {
        headers.set(Cc::from(named(&letter.cc, envelope)?));
    }
    if !letter.bcc.is_empty() {
        headers.set(Bcc::from(named(&letter.bcc, envelope)?));
    }
    headers.set(Subject::from(one_line(&letter.subject)));
    headers.set(Date::new(system_time(envelope.at)));
    headers.set(MessageId::from(bracketed(&envelope.message_id)));
    if let Some(id) = envelope.in_reply_to.as_deref().filter(|id| is_safe_id(id)) {
        headers.set(InReplyTo::from(bracketed(id)));
    }
    let references: Vec<String> =
        envelope.references.iter().filter(|id| is_safe_id(id)).map(|id| bracketed(id)).collect();
    if !references.is_empty() {
        headers.set(References::from(references.join(" ")));
    }
    headers.set(MimeVersion::new(1, 0));
    if envelope.enclosed.is_empty() {
        return Ok(format!("{headers}{}", text_part(&letter.text())).into_bytes());
    }
    let mut mail = format!("{headers}Content-Type: multipart/mixed; boundary=\"{BOUNDARY}\"\r\n\r\n").into_bytes();
    let mut text = text_part(&letter.text());
    // The line end before a border is none of the text's: nothing has to be marked.
    text.pop();
    let files = envelope.enclosed.iter().map(|file| file.part().ok_or(ComposeError::BadFile));
    for part in std::iter::once(Ok(text.into_bytes())).chain(files) {
        mail.extend_from_slice(format!("--{BOUNDARY}\r\n").as_bytes());
        mail.extend_from_slice(&part?);
        mail.extend_from_slice(b"\r\n");
    }
    mail.extend_from_slice(format!("--{BOUNDARY}--").as_bytes());
    Ok(mail)
}

/// Addresses with the names in front of them.
fn named(addresses: &[String], envelope: &Envelope) -> Result<Mailboxes, ComposeError> {
    let mut named = Mailboxes::new();
    for address in addresses {
        let name = envelope.names.get(address).filter(|name| *name != address);
        let name = name.map(|name| one_line(name)).filter(|n| !n.is_empty());
        named.push(Mailbox::new(name, wire_address(address)?));
    }
    Ok(named)
}

/// Neither quoted-printable nor base64 has it in any line.
const BOUNDARY: &str = "=_brain-agent";

/// The letter's text with what says how it is written.
fn text_part(body: &str) -> String {
    let mut headers = Headers::new();
    headers.set(ContentType::TEXT_PLAIN);
    headers.set(ContentTransferEncoding::QuotedPrintable);
    format!("{headers}\r\n{}", quoted_printable(body))
}

fn bracketed(id: &str) -> String {
    format!("<{id}>")
}

/// An id of somebody else's mail is repeated only when it is a plain one.
fn is_safe_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 250 && id.chars().all(|c| c.is_ascii_graphic() && !"<>()\\\",;".contains(c))
}

fn system_time(at: DateTime<Utc>) -> SystemTime {
    let secs = u64::try_from(at.timestamp()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_secs(secs)
}

/// Longest encoded line: 76 (RFC 2045, 6.7) without what [`guarded`] and the end may add.
const LINE_MAX: usize = 73;

/// Quoted-printable of the exact text. Line feeds become line ends; the text's own end is marked by a soft
/// break, so that the line end the transport adds does not become part of it.
fn quoted_printable(body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\n', "\r\n");
    let encoded = encode_with_options(body, Options::default().line_length_limit(LINE_MAX));
    let lines: Vec<Cow<'_, str>> = encoded.split("\r\n").map(guarded).collect();
    lines.join("\r\n") + "="
}

/// A "From " at a line's beginning is changed by some servers; a dot there needs no help of the transport's.
fn guarded(line: &str) -> Cow<'_, str> {
    match line.strip_prefix('.') {
        Some(rest) => Cow::Owned(format!("=2E{rest}")),
        None if line.starts_with("From ") => Cow::Owned(format!("=46{}", &line[1..])),
        None => Cow::Borrowed(line),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::services::email::mailbox::source::maildir::Raw;
    use crate::services::email::message::read::{Parsed, parse};

    fn there_and_back(letter: &Letter, names: &[(&str, &str)]) -> (String, Parsed) {
        let envelope = Envelope {
            from: Some(crate::services::email::delivery::send::smtp::Sender {
                name: Some("Me".into()),
                address: wire_address("me@example.com").unwrap(),
            }),
            names: names.iter().map(|(a, n)| ((*a).to_owned(), (*n).to_owned())).collect(),
            message_id: "key@example.com".into(),
            at: DateTime::UNIX_EPOCH,
            ..Envelope::default()
        };
        let mut bytes = compose(letter, &envelope).unwrap();
        // As the transport ends it.
        bytes.extend_from_slice(b"\r\n");
        let text = String::from_utf8(bytes.clone()).unwrap();
        (text, parse(&Raw::Whole(bytes)))
    }

    fn letter(subject: &str, body: &str) -> Letter {
        Letter { to: vec!["bob@example.com".into()], subject: subject.into(), body: body.into(), ..Letter::default() }
    }

    #[test]
    fn the_body_arrives_as_it_was_shown() {
        for body in [
            "",
            "a",
            "a\n",
            "\n\n",
            "trailing  \nspaces\t\n  leading",
            ".\n..\n.hidden\nFrom here\nFrom: there",
            "=3D=\n=",
            "Grüße 👩\u{200D}🚀 日本語",
            "lone\rreturn and nul\0",
            &"x".repeat(5_000),
            &"ü ".repeat(500),
            &format!("{}. dot after the break", "y".repeat(75)),
        ] {
            let (wire, parsed) = there_and_back(&letter("s", body), &[]);
            assert_eq!(parsed.text, body);
            assert!(wire.is_ascii());
            assert!(wire.split("\r\n").all(|line| line.len() <= 78), "{wire}");
        }
    }

    #[test]
    fn headers_say_who_and_what() {
        let (wire, parsed) =
            there_and_back(&letter("Grüße — an alle", "b"), &[("bob@example.com", "Bob “the, Builder” Müller")]);
        assert_eq!(parsed.subject, "Grüße — an alle");
        assert_eq!(parsed.to[0].name, "Bob “the, Builder” Müller");
        assert_eq!(parsed.message_id.as_deref(), Some("key@example.com"));
        assert!(wire.contains("Content-Transfer-Encoding: quoted-printable\r\n"));
        assert!(wire.contains("text/plain; charset=utf-8"));
    }

    #[test]
    fn an_international_domain_goes_out_in_ascii() {
        let address = wire_address("bob@müller.example").unwrap();
        assert_eq!(address.to_string(), "bob@xn--mller-kva.example");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_body_arrives_exactly(body in "(\\PC|[\n\t =.]|From |\u{0}|é|👍){0,300}") {
            let (wire, parsed) = there_and_back(&letter("s", &body), &[]);
            prop_assert_eq!(parsed.text, body);
            prop_assert!(wire.split("\r\n").all(|line| line.len() <= 78 && !line.starts_with('.')));
        }

        #[test]
        fn no_text_becomes_a_header(subject in any::<String>(), name in any::<String>(), evil in "(\r|\n|\r\n|\u{0}|\u{2028}|\u{85})?(Bcc|X-Evil): x@evil.example") {
            let subject = format!("{subject}{evil}");
            let name = format!("{name}{evil}");
            let (wire, _) = there_and_back(&letter(&subject, "body"), &[("bob@example.com", &name)]);
            let head = wire.split("\r\n\r\n").next().unwrap();
            prop_assert!(!head.replace("\r\n", "").contains(['\r', '\n', '\0']));
            let fields: Vec<&str> = head
                .split("\r\n")
                .filter(|line| !line.starts_with([' ', '\t']))
                .map(|line| line.split(':').next().unwrap())
                .collect();
            prop_assert_eq!(fields, [
                "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding",
            ]);
        }

        #[test]
        fn no_address_becomes_a_command(address in "[ -~\r\n\u{0}äа]{0,40}@?[ -~\r\nä]{0,20}") {
            if let Ok(address) = wire_address(&address) {
                let text = address.to_string();
                prop_assert!(text.chars().all(|c| c.is_ascii_graphic() && !"<>,;:\"\\()".contains(c)), "{text}");
            }
        }
    }
}
