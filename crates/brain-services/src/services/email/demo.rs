//! The demo's mailbox: the threads of `data/demo/mail` as real mails, dated relative to now.

use std::path::Path;

use chrono::{DateTime, Days, NaiveTime, Utc};
use chrono_tz::Tz;
use include_dir::{Dir, include_dir};
use lettre::message::header::{Cc, Headers, ReplyTo};
use lettre::message::{Mailbox, Mailboxes};
use sha2::{Digest as _, Sha256};

use crate::services::contract::error::ServiceError;
use crate::services::email::compose::composing::{Envelope, Letter, compose, wire_address};
use crate::services::email::delivery::send::smtp::Sender;
use crate::services::email::mailbox::source::maildir::{Folder, Maildir};
use crate::services::email::message::thread::thread_id;
use brain_core::core::digest::hex;
use brain_core::core::ids::UserId;
use brain_language::language::time::local_instant;

static THREADS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../data/demo/mail");
static CONTACTS: &str = include_str!("../../../../../data/demo/contacts.vcf");
/// Whose mailbox it is.
const OWNER_ADDRESS: &str = "alex.morgan@example.com";

/// Fills the owner's mailbox and puts the address book beside it; `data` is the data folder. Filling twice
/// changes nothing.
pub fn fill(data: &Path, owner: &UserId, now: DateTime<Utc>, zone: Tz) -> Result<usize, ServiceError> {
    let failed = |cause: std::io::Error| ServiceError::Refused(format!("The demo could not be written ({cause})."));
    let maildir = Maildir::of(data, owner);
    let mut count = 0;
    for file in THREADS.files() {
        let text = file.contents_utf8().unwrap_or_default();
        let slug = slug_of(file.path());
        let mut ids: Vec<String> = Vec::new();
        for part in text.split("\n=====\n") {
            let mail = DemoMail::parse(part);
            let id = format!("{slug}.{}@demo.brain-agent.invalid", ids.len() + 1);
            let at = mail
                .at(now, zone)
                .ok_or_else(|| ServiceError::Refused(format!("The demo mail {slug} has no readable time.")))?;
            let bytes = mail.bytes(&id, &ids, at)?;
            let base = format!("{}.{}", at.timestamp(), short(&id));
            let flags = if mail.unread { "" } else { "S" };
            maildir.put(mail.folder, &base, flags, &bytes).map_err(failed)?;
            ids.push(id);
            count += 1;
        }
    }
    std::fs::write(data.join("contacts.vcf"), CONTACTS).map_err(failed)?;
    Ok(count)
}

/// The id of the thread with this slug (`q3-report`), as searches give it.
pub fn thread_of(slug: &str) -> String {
    thread_id(&format!("{slug}.1@demo.brain-agent.invalid"))
}

/// The file's name without number and ending.
fn slug_of(path: &Path) -> String {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    stem.split_once('-').map_or(stem, |(_, slug)| slug).to_owned()
}

/// Of an id of any length, one as mails have.
pub fn short(id: &str) -> String {
    hex(&Sha256::digest(id.as_bytes())).chars().take(16).collect()
}

/// One message of a thread file: headers, an empty line, the text.
struct DemoMail<'a> {
    headers: Vec<(&'a str, &'a str)>,
    body: &'a str,
    folder: Folder,
    unread: bool,
}

impl<'a> DemoMail<'a> {
    fn parse(part: &'a str) -> Self {
        let (head, body) = part.split_once("\n\n").unwrap_or((part, ""));
        let headers: Vec<(&str, &str)> = head.lines().filter_map(|line| line.split_once(": ")).collect();
        let mut mail = Self { headers, body: body.trim_end(), folder: Folder::Inbox, unread: false };
        mail.unread = mail.header("Unread") == Some("yes");
        if mail.header("Folder") == Some("Archive") {
            mail.folder = Folder::Kept;
        }
        if mail.header("From").is_some_and(|from| from.contains(OWNER_ADDRESS)) {
            mail.folder = Folder::Sent;
        }
        mail
    }

    fn header(&self, name: &str) -> Option<&'a str> {
        let found = self.headers.iter().find(|(has, _)| *has == name);
        found.map(|(_, value)| value.trim())
    }

    /// `-4d 15:31`: days from today, local time.
    fn at(&self, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        let (days, clock) = self.header("When")?.split_once("d ")?;
        let days: i64 = days.parse().ok()?;
        let today = now.with_timezone(&zone).date_naive();
        let distance = Days::new(days.unsigned_abs());
        let day = if days < 0 { today.checked_sub_days(distance)? } else { today.checked_add_days(distance)? };
        let clock = NaiveTime::parse_from_str(clock.trim(), "%H:%M").ok()?;
        Some(local_instant(zone, day.and_time(clock)).earliest().with_timezone(&Utc))
    }

    fn bytes(&self, id: &str, earlier: &[String], at: DateTime<Utc>) -> Result<Vec<u8>, ServiceError> {
        let wrong = |what: &str| ServiceError::Refused(format!("A demo mail ({id}) has a wrong {what}."));
        let mut envelope = Envelope {
            message_id: id.to_owned(),
            in_reply_to: earlier.last().cloned(),
            references: earlier.to_vec(),
            at,
            ..Envelope::default()
        };
        let (name, address) = person(self.header("From").unwrap_or_default());
        envelope.from = Some(Sender {
            name: (!name.is_empty()).then_some(name),
            address: wire_address(&address).map_err(|_| wrong("sender"))?,
        });
        let mut letter = Letter {
            to: Vec::new(),
            subject: self.header("Subject").unwrap_or_default().to_owned(),
            body: self.body.to_owned(),
            ..Letter::default()
        };
        for (name, address) in people(self.header("To").unwrap_or_default()) {
            envelope.names.insert(address.clone(), name);
            letter.to.push(address);
        }
        let mut bytes = compose(&letter, &envelope).map_err(|_| wrong("recipient"))?;
        // Headers that our own mails never carry go in front.
        let mut extra = Headers::new();
        if let Some(list) = self.header("Cc") {
            extra.set(Cc::from(mailboxes(list).ok_or_else(|| wrong("Cc"))?));
        }
        if let Some(list) = self.header("Reply-To") {
            extra.set(ReplyTo::from(mailboxes(list).ok_or_else(|| wrong("Reply-To"))?));
        }
        bytes.splice(0..0, extra.to_string().into_bytes());
        Ok(bytes)
    }
}

/// A list of people; a comma also stands inside names, so it ends one only behind an address.
fn people(list: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = list;
    while let Some(at) = rest.find('@') {
        let end = rest[at..].find(',').map_or(rest.len(), |comma| at + comma);
        found.push(person(&rest[..end]));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    found
}

fn mailboxes(list: &str) -> Option<Mailboxes> {
    let mut all = Mailboxes::new();
    for (name, address) in people(list) {
        let name = (!name.is_empty()).then_some(name);
        all.push(Mailbox::new(name, wire_address(&address).ok()?));
    }
    Some(all)
}

/// The name and the address of `Name <address>`; the name is empty where there is none.
pub fn person(text: &str) -> (String, String) {
    match text.trim().strip_suffix('>').and_then(|t| t.split_once('<')) {
        Some((name, address)) => (name.trim().to_owned(), address.to_owned()),
        None => (String::new(), text.trim().to_owned()),
    }
}
