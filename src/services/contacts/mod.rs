//! People: those the person saved, those in `DATA/contacts.vcf`, and those seen in their mail.
//!
//! The vCard file is the installation's address book, read again whenever it changes and never written.
//! What a person saves is theirs alone and lives in the store; it completes the card of the same name.
//! Who was only seen in mail is listed last and marked ([`Familiarity`]).

mod cards;
mod find;
mod lookup;
mod person;
mod save;
mod searchable;
pub mod vcard;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use find::FindPerson;
use save::SavePerson;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::cards::{Cards, File};
use self::person::noticed;
use super::address_book::{AddressBook, KnownNames, PeopleQuery, Person};
use super::backend::{Backends, RecordOrigin, Replicated};
use super::capabilities::{Content, Offerable};
use super::command::planned;
use super::context::RequestContext;
use super::email::mailbox::Mailboxes;
use super::error::ServiceError;
use super::items;
use super::provenance::Others;
use super::registry::Registration;
use super::replica;
use super::replica::Replica;
use super::searchable::{Freshness, Searchable};
use super::service::{ContextRole, Noticed, Service, ServiceInfo, Wanted};
use crate::core::ids::UserId;
use crate::core::provenance::UntrustedText;
use crate::core::text::visible;
use crate::core::turn::Along;
use crate::language::people;
use crate::language::requests::built::Builder;
use crate::language::words::{fold, words};
use crate::ports::{Document, Index, Key, Participant, Record, Source, Store, Table, from_stored};

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

/// Saved people, to be found: by their names, by what stands before the @ of their addresses, and exactly by an address,
/// a name or a group.
pub(super) const SOURCE: Source = Source::new(Table::Contacts, NAME, 1, |_, stored| {
    let contact = from_stored::<Contact>(stored).ok()?;
    Some((contact.owner.clone(), document(&contact)))
});

fn document(contact: &Contact) -> Document {
    let local_parts = contact.emails.iter().map(|email| people::local_part(email));
    let body: Vec<String> = contact.nicknames.iter().cloned().chain(local_parts).collect();
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
fn by_address(address: &str) -> String {
    format!("address {}", address.trim().to_lowercase())
}

/// The flag of those who belong to this group.
fn by_group(key: &str) -> String {
    format!("group {key}")
}

/// The flag of those in whose names, or as whose group, this word stands.
fn by_word(word: &str) -> String {
    format!("word {word}")
}

/// The flag of those who have exactly this name.
fn by_name(name: &str) -> String {
    format!("name {}", fold(name))
}

impl Record for Contact {
    const TABLE: Table = Table::Contacts;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

/// Its name in plans.
pub const NAME: &str = "contacts";

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 2] = [("find", find::built), ("save", save::built)];

/// The service, and the address book.
#[derive(Debug)]
pub struct Contacts {
    store: Arc<dyn Store>,
    index: Arc<dyn Index>,
    mailboxes: Arc<Mailboxes>,
    vcf: PathBuf,
    file: Arc<Mutex<File>>,
    backends: Backends<Contact>,
}

impl Contacts {
    /// People from the store, from `contacts.vcf` beside the mailboxes, and from the mailboxes.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>, mailboxes: Arc<Mailboxes>) -> Self {
        Self {
            vcf: mailboxes.data().join("contacts.vcf"),
            store,
            index,
            mailboxes,
            file: Arc::default(),
            backends: Backends::default(),
        }
    }

    /// The same, where these write.
    #[must_use]
    pub fn written_by(self, backends: Backends<Contact>) -> Self {
        Self { backends, ..self }
    }

    /// The cards of the file; none when it cannot be read now. Not on the threads that read mail: who somebody is must
    /// not wait for a mailbox.
    async fn cards(&self) -> Result<Arc<Cards>, ServiceError> {
        let path = self.vcf.clone();
        let file = Arc::clone(&self.file);
        let read = move || file.lock().unwrap_or_else(PoisonError::into_inner).read(&path);
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|error| ServiceError::Broken(format!("contacts.vcf could not be read ({error}).")))
    }
}

impl Replica for Contacts {
    type Kept = Contact;

    fn service(&self) -> &'static str {
        NAME
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn backends(&self) -> &Backends<Contact> {
        &self.backends
    }
}

#[async_trait]
impl AddressBook for Contacts {
    async fn people(&self, owner: &UserId, asked: &PeopleQuery) -> Result<Vec<Person>, ServiceError> {
        Ok(self.look_up(owner, asked).await?.people)
    }

    async fn names_of(&self, owner: &UserId, addresses: &BTreeSet<String>) -> Result<KnownNames, ServiceError> {
        self.known_names(owner, addresses).await
    }

    async fn freshness(&self, owner: &UserId) -> Option<Freshness> {
        let saved = Freshness::of_records::<Contact>(self.store.as_ref(), owner)?;
        self.cards().await.ok()?;
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).readings();
        Some(saved.and(Freshness::of([file])).and(self.mailboxes.freshness(owner).await?))
    }
}

impl Contacts {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "People", "people, addresses and phone numbers", "your contacts");
        Registration::of(info, self).command::<FindPerson>().edit::<SavePerson>().end()
    }
}

#[async_trait]
impl Service for Contacts {
    async fn mirror_anew(&self, ctx: &RequestContext) -> Result<(), ServiceError> {
        replica::mirror_anew(self, ctx).await
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    fn offers(&self, content: &Content<'_>) -> Vec<Offerable> {
        let Some(Along::Contact { name, phone }) = content.along else {
            return Vec::new();
        };
        let question = format!("Shall I save {}, {}, to your contacts?", visible(name), visible(phone));
        let (name, phone) = (name.clone(), Some(phone.clone()));
        let action = planned(NAME, &SavePerson { name, email: None, phone, prefer: None });
        vec![Offerable { rank: 0, question: Some(question), label: "💾 Save", action }]
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("contacts", items::export::<Contact>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let people = self.people(&ctx.owner, &PeopleQuery::default().and_said(&wanted.message)).await?;
        Ok(people.iter().take(wanted.limit).map(noticed).collect())
    }
}

#[cfg(test)]
mod tests;
