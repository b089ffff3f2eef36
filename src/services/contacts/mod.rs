//! People: those the person saved, those in `DATA/contacts.vcf`, and those seen in their mail.
//!
//! The vCard file is the installation's address book, read again whenever it changes and never written.
//! What a person saves is theirs alone and lives in the store; it completes the card of the same name.
//! Who was only seen in mail is listed last and marked ([`Known`]).

pub mod commands;
mod person;
pub mod vcard;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::person::{
    add, choice, complete, is_candidate, is_contact, is_named, is_same, meant, merge, noticed, person_of, row,
};
use self::vcard::Card;
use super::email::mailbox::{Mailboxes, blocking};
use super::items;
use super::provenance;
use super::provenance::Others;
use crate::core::ids::UserId;
use crate::core::plan::{Action, Params, Target};
use crate::core::stakes::Authorized;
use crate::language::people;
use crate::language::words::words;
use crate::limits::{CANDIDATES_MAX, ITEMS_MAX, LIST_ROWS_MAX, VCF_BYTES_MAX};
use crate::ports::{Change, Expect, Key, Record, RecordExt, Scan, Store, Table};
use crate::services::service::{
    AddressBook, Attempt, Known, Noticed, Performed, Person, Prepared, RequestContext, Service, ServiceError, Wanted,
};

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
    /// Addresses, preferred first.
    pub emails: Vec<String>,
    /// Phone numbers.
    pub phones: Vec<String>,
    /// Groups, lower case.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
}

impl Record for Contact {
    const TABLE: Table = Table::Contacts;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

#[derive(Debug, Default)]
struct File {
    stamp: Option<(SystemTime, u64)>,
    cards: Arc<Vec<Card>>,
}

/// The service, and the address book.
#[derive(Debug)]
pub struct Contacts {
    store: Arc<dyn Store>,
    mailboxes: Arc<Mailboxes>,
    vcf: PathBuf,
    file: Arc<Mutex<File>>,
}

impl Contacts {
    /// People from the store, from `contacts.vcf` beside the mailboxes, and from the mailboxes.
    pub fn new(store: Arc<dyn Store>, mailboxes: Arc<Mailboxes>) -> Self {
        Self { vcf: mailboxes.data().join("contacts.vcf"), store, mailboxes, file: Arc::default() }
    }

    async fn stored(&self, owner: &UserId) -> Result<Vec<(Contact, u64)>, ServiceError> {
        let scan = Scan::of::<Contact>(&[owner.as_str()], ITEMS_MAX);
        Ok(self.store.list::<Contact>(scan).await?)
    }

    /// The cards of the file; the last readable ones when it cannot be read now.
    async fn cards(&self) -> Result<Arc<Vec<Card>>, ServiceError> {
        let path = self.vcf.clone();
        let file = Arc::clone(&self.file);
        blocking(move || {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let meta = std::fs::metadata(&path).ok().filter(|m| m.is_file());
            let stamp = meta.and_then(|m| Some((m.modified().ok()?, m.len())));
            if stamp != file.stamp {
                file.cards = Arc::new(match stamp {
                    Some((_, len)) if len <= VCF_BYTES_MAX => {
                        std::fs::read(&path).map(|bytes| vcard::parse(&bytes)).unwrap_or_default()
                    }
                    Some(_) | None => Vec::new(),
                });
                file.stamp = stamp;
            }
            Ok(Arc::clone(&file.cards))
        })
        .await
    }

    /// Saved people: the store's contacts, and the file's cards they do not already complete.
    async fn saved(&self, owner: &UserId) -> Result<Vec<Person>, ServiceError> {
        let mut people: Vec<Person> = Vec::new();
        for (contact, _) in self.stored(owner).await? {
            people.push(Person {
                name: contact.name,
                nicknames: contact.nicknames,
                emails: contact.emails,
                phones: contact.phones,
                groups: contact.groups,
                known: Known::Saved,
                untrusted: contact.others.untrusted("a contact"),
            });
        }
        let from_store = people.len();
        for card in self.cards().await?.iter() {
            let same = people[..from_store].iter_mut().find(|person| is_same(person, card));
            match same {
                Some(person) => complete(person, card),
                None => people.push(person_of(card)),
            }
        }
        Ok(people)
    }

    async fn find(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let people = self.people(&ctx.owner).await?;
        let candidates: Vec<people::Candidate> = people.iter().map(Into::into).collect();
        let found = people::look_up(action.text("query"), &candidates);
        let mut untrusted = Vec::new();
        let rows: Vec<Value> = found
            .iter()
            .take(LIST_ROWS_MAX)
            .map(|found| {
                let person = people.iter().find(|p| is_candidate(p, found));
                untrusted.extend(person.iter().flat_map(|p| p.untrusted.iter().cloned()));
                row(found, person.map(|p| p.phones.as_slice()).unwrap_or_default())
            })
            .collect();
        let more = found.len() - rows.len();
        Ok(Performed::result(json!({"people": rows, "more": more})).holding(untrusted))
    }

    /// Which contact a saving is about: the one of that name or address, a new one, or a question.
    async fn prepare_save(&self, ctx: &RequestContext, mut params: Params) -> Result<Prepared, ServiceError> {
        let text = |name: &str| {
            let text = params.get(name).and_then(Value::as_str).unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let (name, email) = (text("name"), text("email"));
        let saved = self.saved(&ctx.owner).await?;
        let fitting = meant(&saved, &name, &email);
        let person = match fitting.as_slice() {
            [] => None,
            [only] => Some(*only),
            several => {
                return Ok(Prepared::Several {
                    param: "name".to_owned(),
                    question: format!("Which {name} is it? For somebody new, give me the full name."),
                    candidates: several.iter().take(CANDIDATES_MAX).map(|p| choice(p)).collect(),
                });
            }
        };
        let Some(person) = person else {
            params.insert("name".to_owned(), name.into());
            return Ok(Prepared::as_is(params));
        };
        params.insert("name".to_owned(), person.name.clone().into());
        let stored = self.stored(&ctx.owner).await?;
        let own = stored.iter().find(|(contact, _)| is_contact(contact, person));
        let target = Target {
            id: own.map(|(contact, _)| contact.id.clone()).unwrap_or_default(),
            revision: own.map(|(_, revision)| revision.to_string()).unwrap_or_default(),
            label: person.name.clone(),
            before: json!({"emails": person.emails, "phones": person.phones}),
        };
        Ok(Prepared::Ready { params, target: Some(target), notes: Vec::new(), untrusted: Vec::new() })
    }

    async fn save(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Result<Performed, ServiceError> {
        let name = action.text("name");
        let stored = self.stored(&ctx.owner).await?;
        let own = action.target.as_ref().and_then(|target| stored.iter().find(|(contact, _)| contact.id == target.id));
        let (mut contact, expect) = match own {
            Some((contact, revision)) => (contact.clone(), Expect::Revision(*revision)),
            None => {
                let fresh = Contact {
                    owner: ctx.owner.clone(),
                    id: attempt.key.clone(),
                    name: name.to_owned(),
                    nicknames: Vec::new(),
                    emails: Vec::new(),
                    phones: Vec::new(),
                    groups: Vec::new(),
                    others: Others::default(),
                };
                (fresh, Expect::Absent)
            }
        };
        add(&mut contact.emails, action.text("email"));
        add(&mut contact.phones, action.text("phone"));
        for field in ["name", "email", "phone"] {
            contact.others.add(field, action.text(field).trim(), provenance::source(action, field));
        }
        let change = Change::put(&contact, expect)?;
        let mut person = json!({
            "name": contact.name,
            "emails": contact.emails,
            "phones": contact.phones,
            "groups": contact.groups,
        });
        // What the file knows about them is told as well, so that the receipt shows the whole contact.
        if let Some(before) = action.target.as_ref().map(|target| &target.before) {
            for list in ["emails", "phones"] {
                merge(&mut person[list], &before[list]);
            }
        }
        let untrusted = contact.others.untrusted("a contact");
        Ok(Performed::changed(json!({"person": person}), vec![change]).holding(untrusted))
    }
}

#[async_trait]
impl AddressBook for Contacts {
    async fn people(&self, owner: &UserId) -> Result<Vec<Person>, ServiceError> {
        let mut people = self.saved(owner).await?;
        let index = self.mailboxes.index(owner).await?;
        let saved: std::collections::HashSet<String> =
            people.iter().flat_map(|person| person.emails.iter().map(|email| email.to_lowercase())).collect();
        for (mailbox, written) in index.people() {
            if saved.contains(&mailbox.address.to_lowercase()) {
                continue;
            }
            let name = if mailbox.name.is_empty() { mailbox.address.clone() } else { mailbox.name };
            people.push(Person {
                name,
                nicknames: Vec::new(),
                emails: vec![mailbox.address],
                phones: Vec::new(),
                groups: Vec::new(),
                known: if written { Known::WrittenTo } else { Known::SeenOnly },
                untrusted: Vec::new(),
            });
        }
        Ok(people)
    }
}

#[async_trait]
impl Service for Contacts {
    fn name(&self) -> &'static str {
        "contacts"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "find" => Ok(Prepared::as_is(params)),
            "save" => self.prepare_save(ctx, params).await,
            other => Err(unknown_command(other)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "find" => self.find(ctx, action).await,
            "save" => self.save(ctx, action, attempt).await,
            other => Err(unknown_command(other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("contacts", items::export::<Contact>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let people = self.people(&ctx.owner).await?;
        let said = words(&wanted.message);
        Ok(people.iter().filter(|person| is_named(person, &said)).take(wanted.limit).map(noticed).collect())
    }
}

fn unknown_command(command: &str) -> ServiceError {
    ServiceError(format!("Contacts have no command “{command}”."))
}

#[cfg(test)]
mod tests;
