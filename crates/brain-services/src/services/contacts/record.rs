//! A contact as it is kept, and what of it can be found.

use serde::{Deserialize, Serialize};

use crate::services::contract::provenance::Others;
use crate::services::remote::backend::{RecordOrigin, Replicated, origin_key};
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::ports::{Document, Key, Participant, Record, Secondary, Table};
use brain_language::language::people;
use brain_language::language::words::{fold, words};

/// Its name in plans.
pub const NAME: &str = "contacts";

/// A contact as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// Whose address book.
    pub owner: UserId,
    /// The attempt that made it.
    pub id: String,
    /// Their name.
    pub name: String,
    /// Other names.
    #[serde(default)]
    pub nicknames: Vec<String>,
    /// Addresses, in the order they were saved.
    pub emails: Vec<String>,
    /// Where to write, when the person has said so; else the first there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred: Option<String>,
    /// Phone numbers.
    pub phones: Vec<String>,
    /// Groups, lower case.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What else the person keeps about them; known here alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Addresses that the person has given here, in words of their own; nothing is known of what was saved before this
    /// was written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<String>>,
    /// Addresses of the same person in another book, as they were when this was saved: what joins the two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Addresses that it had, and that were taken away elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former: Vec<String>,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// The account that it comes from; `None`: it is kept here alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<RecordOrigin>,
}

impl Replicated for Contact {
    fn name(&self) -> &str {
        &self.name
    }

    fn others_words(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a contact")
    }

    fn origin(&self) -> Option<&RecordOrigin> {
        self.origin.as_ref()
    }

    fn set_origin(&mut self, origin: Option<RecordOrigin>) {
        self.origin = origin;
    }
}

impl Record for Contact {
    const TABLE: Table = Table::Contacts;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Contact {
    /// A new one of the owner's that is called so.
    pub fn called(owner: &UserId, id: &str, name: &str) -> Self {
        Self {
            owner: owner.clone(),
            id: id.to_owned(),
            name: name.to_owned(),
            nicknames: Vec::new(),
            emails: Vec::new(),
            preferred: None,
            phones: Vec::new(),
            groups: Vec::new(),
            note: None,
            given: None,
            beside: Vec::new(),
            former: Vec::new(),
            others: Others::default(),
            origin: None,
        }
    }

    /// Whether this text in it is somebody else's.
    pub(super) fn is_others(&self, text: &str) -> bool {
        self.others_words().iter().any(|said| said.text == text)
    }

    /// The addresses that the person has given here. All of what is kept here alone was said here, but what is somebody
    /// else's word.
    pub(super) fn given(&self) -> Vec<String> {
        let own = self.origin.is_none().then_some(&self.emails);
        let given = self.given.as_ref().or(own).into_iter().flatten();
        given.filter(|address| !self.is_others(address)).cloned().collect()
    }
}

/// Contacts by where they come from.
pub(super) static BY_ORIGIN: Secondary =
    Secondary { name: "contacts_by_origin", table: Table::Contacts, version: 1, keys: origin_key::<Contact> };

pub(super) fn document(contact: &Contact) -> Document {
    let local_parts = contact.emails.iter().map(|email| people::local_part(email));
    let body: Vec<String> = contact.nicknames.iter().cloned().chain(local_parts).chain(contact.note.clone()).collect();
    let people = contact.emails.iter().map(|email| Participant { address: email.clone(), ..Participant::default() });
    let flags = contact.emails.iter().map(|email| by_address(email));
    let groups = contact.groups.iter().map(|group| by_group(&people::group_key(group)));
    let names = std::iter::once(&contact.name).chain(&contact.nicknames).flat_map(|name| words(name));
    let said = names.chain(contact.groups.iter().cloned()).map(|word| by_word(&word));
    Document {
        kind: NAME.to_owned(),
        id: contact.id.clone(),
        title: contact.name.clone(),
        body: body.join("\n"),
        people: people.collect(),
        flags: flags.chain(groups).chain(said).chain([by_name(&contact.name)]).collect(),
        ..Document::default()
    }
}

/// The flag of those who have this address.
pub(super) fn by_address(address: &str) -> String {
    format!("address {}", address.trim().to_lowercase())
}

/// The flag of those who belong to this group.
pub(super) fn by_group(key: &str) -> String {
    format!("group {key}")
}

/// The flag of those in whose names, or as whose group, this word stands.
pub(super) fn by_word(word: &str) -> String {
    format!("word {word}")
}

/// The flag of those who have exactly this name.
pub(super) fn by_name(name: &str) -> String {
    format!("name {}", fold(name))
}
