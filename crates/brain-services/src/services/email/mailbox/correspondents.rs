//! Everybody seen in mail, and who chose what they are called; kept up to date mail by mail.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::source::maildir::Folder;
use crate::services::email::message::mail::Mail;
use crate::services::email::message::read::Mailbox;
use brain_language::language::people::NamedBy;

/// Somebody seen in mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correspondent {
    /// Their name, the person's own for them if there is one, and their address.
    pub mailbox: Mailbox,
    /// The owner has written to them.
    pub written: bool,
    /// Who chose the name.
    pub named_by: NamedBy,
}

/// Everybody seen in the mails that were added and not removed.
#[derive(Debug, Default)]
pub struct Correspondents {
    by_address: HashMap<String, Naming>,
    /// The owner's own addresses: how many mails were sent from each, and the last of them.
    own: HashMap<String, (usize, DateTime<Utc>)>,
}

/// What stood before one address.
#[derive(Debug)]
struct Naming {
    address: String,
    mails: usize,
    written: usize,
    /// In mails of the owner's that answer nothing: the newest.
    by_owner: Option<(DateTime<Utc>, String)>,
    /// In mails of others, and in answers: a mail program copies into those what it was told.
    by_others: Option<(DateTime<Utc>, String)>,
}

/// Whom a mail is evidence of.
fn seen_in(mail: &Mail) -> impl Iterator<Item = &Mailbox> {
    let (from, to) = match mail.file.folder {
        Folder::Drafts => (false, false),
        Folder::Sent => (false, true),
        Folder::Inbox | Folder::Kept => (true, false),
    };
    let from = from.then_some(&mail.head.parsed.from);
    let to = to.then(|| mail.recipients());
    from.into_iter().chain(to.into_iter().flatten()).filter(|person| person.address.contains('@'))
}

impl Correspondents {
    /// A mail has come.
    pub fn add(&mut self, mail: &Mail) {
        let date = mail.head.date;
        if let Some(sender) = own_sender(mail) {
            let (mails, last) = self.own.entry(sender).or_insert((0, date));
            *mails += 1;
            *last = date.max(*last);
        }
        let is_sent = mail.file.folder == Folder::Sent;
        let begins = is_sent && mail.head.parsed.references.is_empty();
        for person in seen_in(mail) {
            let naming = self.by_address.entry(person.address.to_lowercase()).or_insert_with(|| Naming::of(person));
            naming.mails += 1;
            naming.written += usize::from(is_sent);
            let name = if begins { &mut naming.by_owner } else { &mut naming.by_others };
            if !person.name.is_empty() && name.as_ref().is_none_or(|(than, _)| *than <= date) {
                *name = Some((date, person.name.clone()));
            }
        }
    }

    /// A mail has gone. Addresses whose name may have stood in it alone: they are to be [named](Self::rename)
    /// again by the mails that are left.
    #[must_use]
    pub fn remove(&mut self, mail: &Mail) -> Vec<String> {
        let date = mail.head.date;
        if let Some(sender) = own_sender(mail)
            && let Some((mails, _)) = self.own.get_mut(&sender)
        {
            *mails -= 1;
            if *mails == 0 {
                self.own.remove(&sender);
            }
        }
        let mut doubtful = Vec::new();
        for person in seen_in(mail) {
            let address = person.address.to_lowercase();
            let Some(naming) = self.by_address.get_mut(&address) else { continue };
            naming.mails = naming.mails.saturating_sub(1);
            naming.written = naming.written.saturating_sub(usize::from(mail.file.folder == Folder::Sent));
            if naming.mails == 0 {
                self.by_address.remove(&address);
            } else if [&naming.by_owner, &naming.by_others].into_iter().flatten().any(|(of, _)| *of == date) {
                doubtful.push(address);
            }
        }
        doubtful
    }

    /// Names an address by nothing but these mails. How often it was seen stays.
    pub fn rename(&mut self, address: &str, mails: &[Mail]) {
        let mut fresh = Self::default();
        mails.iter().for_each(|mail| fresh.add(mail));
        if let (Some(naming), Some(fresh)) = (self.by_address.get_mut(address), fresh.by_address.remove(address)) {
            (naming.by_owner, naming.by_others) = (fresh.by_owner, fresh.by_others);
        }
    }

    /// The addresses that the owner has sent from, the one of the last mail first.
    pub fn own(&self) -> Vec<String> {
        let mut own: Vec<(&String, DateTime<Utc>)> =
            self.own.iter().map(|(address, (_, last))| (address, *last)).collect();
        own.sort_by_key(|(address, last)| (Reverse(*last), *address));
        own.into_iter().map(|(address, _)| address.clone()).collect()
    }

    /// What the owner wrote in front of an address, in small letters; nothing that only others did.
    pub fn named(&self, address: &str) -> Option<String> {
        self.by_address.get(address)?.by_owner.as_ref().map(|(_, name)| name.clone())
    }

    /// Whether the owner has written to an address, in small letters.
    pub fn is_written_to(&self, address: &str) -> bool {
        self.by_address.get(address).is_some_and(|naming| naming.written > 0)
    }

    /// Everybody but the owner of these addresses, by name.
    pub fn all(&self, but: &[String]) -> Vec<Correspondent> {
        let others = self.by_address.iter().filter(|(address, _)| !but.contains(address));
        let mut people: Vec<Correspondent> = others.map(|(_, naming)| naming.settled()).collect();
        people.sort_by(|a, b| (&a.mailbox.name, &a.mailbox.address).cmp(&(&b.mailbox.name, &b.mailbox.address)));
        people
    }
}

/// Who the owner was in a mail that they sent.
fn own_sender(mail: &Mail) -> Option<String> {
    let sender = mail.head.parsed.from.address.to_lowercase();
    (mail.file.folder == Folder::Sent && !sender.is_empty()).then_some(sender)
}

impl Naming {
    fn of(person: &Mailbox) -> Self {
        Self { address: person.address.clone(), mails: 0, written: 0, by_owner: None, by_others: None }
    }

    fn settled(&self) -> Correspondent {
        let (name, named_by) = match (&self.by_owner, &self.by_others) {
            (Some((_, name)), _) => (name.clone(), NamedBy::Person),
            (None, Some((_, name))) => (name.clone(), NamedBy::Themself),
            (None, None) => (String::new(), NamedBy::Person),
        };
        let mailbox = Mailbox { name, address: self.address.clone() };
        Correspondent { mailbox, written: self.written > 0, named_by }
    }
}
