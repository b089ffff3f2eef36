//! Mails of a made-up world, as plain fields: put into a mailbox, and read back from it.

use std::collections::HashMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{EXAMPLE_ADDRESS, Whereabouts, local, object};
use brain_core::core::ids::UserId;
use brain_services::services::contract::show::Moment;
use brain_services::services::email::compose::composing::{Envelope, Letter, compose, wire_address};
use brain_services::services::email::delivery::send::smtp::{Sender, Smtp};
use brain_services::services::email::demo::{person, short};
use brain_services::services::email::mailbox::source::maildir::{self, Folder, Listed, Maildir};
use brain_services::services::email::message::read;
use brain_services::services::email::message::written_name::MARK;

/// A mail as it is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenMail {
    from: String,
    #[serde(default)]
    to: Vec<String>,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    body: String,
    date: Option<String>,
    folder: Option<GivenFolder>,
    #[serde(default)]
    unread: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GivenFolder {
    Inbox,
    Sent,
    Drafts,
    Archive,
}

impl From<GivenFolder> for Folder {
    fn from(given: GivenFolder) -> Self {
        match given {
            GivenFolder::Inbox => Self::Inbox,
            GivenFolder::Sent => Self::Sent,
            GivenFolder::Drafts => Self::Drafts,
            GivenFolder::Archive => Self::Kept,
        }
    }
}

fn name_of(folder: Folder) -> &'static str {
    match folder {
        Folder::Inbox => "inbox",
        Folder::Sent => "sent",
        Folder::Drafts => "drafts",
        Folder::Kept => "archive",
    }
}

/// A mail as its file will hold it.
#[derive(Debug, Clone)]
pub(super) struct MailFile {
    folder: Folder,
    base: String,
    flags: &'static str,
    bytes: Vec<u8>,
}

impl MailFile {
    pub(super) fn put(&self, data: &Path, owner: &UserId) -> std::io::Result<()> {
        Maildir::of(data, owner).put(self.folder, &self.base, self.flags, &self.bytes)
    }
}

/// Where mail of such a person goes: it is kept in their Sent folder and reaches nobody. Whoever writes from there is
/// the person themself.
pub fn outgoing() -> Result<Smtp, String> {
    let address = wire_address(EXAMPLE_ADDRESS).map_err(|cause| cause.to_string())?;
    Ok(Smtp::nowhere(Sender { name: None, address }))
}

/// The given mails as files. One whose subject is marked as a reply belongs to the conversation of that subject.
pub(super) fn files(place: &Whereabouts, given: &[GivenMail]) -> Result<Vec<MailFile>, String> {
    let mut threads: HashMap<String, Vec<String>> = HashMap::new();
    let mut files = Vec::new();
    for (number, mail) in given.iter().enumerate() {
        let id = format!("given.{number}@example.invalid");
        let at = match &mail.date {
            Some(date) => place.moment(date)?.start(place.zone).to_utc(),
            None => place.before(given.len() - number),
        };
        let subject = mail.subject.to_lowercase();
        let is_reply = subject.starts_with("re:");
        let topic = subject.trim_start_matches("re:").trim().to_owned();
        let earlier = threads.entry(topic).or_default();
        let references = if is_reply { earlier.clone() } else { Vec::new() };
        earlier.push(id.clone());
        files.push(mail.file(&id, references, at)?);
    }
    Ok(files)
}

impl GivenMail {
    fn file(&self, id: &str, references: Vec<String>, at: DateTime<Utc>) -> Result<MailFile, String> {
        let (name, address) = person(&self.from);
        let folder = match self.folder {
            Some(folder) => folder.into(),
            None if address.eq_ignore_ascii_case(EXAMPLE_ADDRESS) => Folder::Sent,
            None => Folder::Inbox,
        };
        let sender = Sender {
            name: (!name.is_empty()).then_some(name),
            address: wire_address(&address).map_err(|cause| cause.to_string())?,
        };
        let mut envelope = Envelope {
            from: Some(sender),
            message_id: id.to_owned(),
            in_reply_to: references.last().cloned(),
            references,
            at,
            ..Envelope::default()
        };
        let mut letter = Letter::default();
        letter.subject.clone_from(&self.subject);
        letter.body.clone_from(&self.body);
        let to_me = [EXAMPLE_ADDRESS.to_owned()];
        let to = if self.to.is_empty() && folder == Folder::Inbox { to_me.as_slice() } else { self.to.as_slice() };
        for recipient in to {
            let (name, address) = person(recipient);
            envelope.names.insert(address.clone(), name);
            letter.to.push(address);
        }
        let bytes = compose(&letter, &envelope).map_err(|cause| cause.to_string())?;
        let (base, flags) = match folder {
            // As if written here, so that it can be sent and taken back.
            Folder::Drafts => (format!("{}{}", short(id), MARK), "DS"),
            Folder::Inbox | Folder::Sent | Folder::Kept => {
                (format!("{}.{}", at.timestamp(), short(id)), if self.unread { "" } else { "S" })
            }
        };
        Ok(MailFile { folder, base, flags, bytes })
    }
}

/// Every mail of a mailbox, by where it lies.
pub(super) fn read_all(data: &Path, owner: &UserId, zone: Tz) -> std::io::Result<Vec<(String, Map<String, Value>)>> {
    let maildir = Maildir::of(data, owner);
    let mut mails = Vec::new();
    for place in maildir.places()? {
        for file in maildir.list(&place)? {
            let fields = fields(&maildir, &file, zone)?;
            mails.push((format!("{} {}", name_of(file.folder), file.base), fields));
        }
    }
    Ok(mails)
}

fn fields(maildir: &Maildir, file: &Listed, zone: Tz) -> std::io::Result<Map<String, Value>> {
    let mail = read::parse(&maildir::read(&maildir.path(file))?);
    let shown = |person: &read::Mailbox| match person.name.as_str() {
        "" => person.address.clone(),
        name => format!("{name} <{}>", person.address),
    };
    let date = mail.date.map(|at| local(Moment::Instant(at.with_timezone(&zone))));
    let fields = json!({
        "from": shown(&mail.from),
        "to": mail.to.iter().chain(&mail.cc).map(shown).collect::<Vec<_>>(),
        "subject": mail.subject,
        "body": mail.text,
        "date": date,
        "folder": name_of(file.folder),
        "unread": file.unread && file.folder == Folder::Inbox,
    });
    Ok(object(fields))
}
