//! People: those the person saved, those in `DATA/contacts.vcf`, and those seen in their mail.
//!
//! The vCard file is the installation's address book, read again whenever it changes and never written.
//! What a person saves is theirs alone and lives in the store; it completes the card of the same name.
//! Who was only seen in mail is listed last and marked ([`Familiarity`]).

mod cards;
mod delete;
mod find;
mod lookup;
mod person;
mod record;
mod resource;
mod save;
mod searchable;
mod service;
pub mod vcard;

use std::sync::Arc;

use async_trait::async_trait;
use delete::DeletePerson;
use find::FindPerson;
use save::SavePerson;
use serde_json::Value;

use self::person::noticed;
use self::record::document;
pub use self::record::{Contact, NAME};
pub use self::service::Contacts;
use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::{ArchivedFile, ArchivedFiles, FileContent, Imported};
use crate::services::contract::capabilities::{Content, Mirroring, Offerable};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Searchable;
use crate::services::contract::service::{ContextRequest, ContextRole, Noticed, Service, ServiceInfo};
use crate::services::helpers::address_book::{AddressBook, PeopleQuery};
use crate::services::helpers::items;
use crate::services::remote::dav::{DavReader, DavRecord as _, DavReplica as _};
use crate::services::remote::replica;
use brain_core::core::ids::UserId;
use brain_core::core::text::visible;
use brain_core::core::turn::Along;
use brain_core::limits::VCARD_VALUES_MAX;
use brain_core::ports::{RecordExt as _, Secondary, Source, Table, from_stored};
use brain_language::language::requests::built::Builder;

/// The order by which it asks the store for people.
pub(super) static INDEXES: [&Secondary; 1] = [&record::BY_ORIGIN];

/// Saved people, to be found: by their names, by what stands before the @ of their addresses, and exactly by an
/// address, a name or a group.
pub(super) const SOURCE: Source = Source::new(Table::Contacts, NAME, 1, |_, stored| {
    let contact = from_stored::<Contact>(stored).ok()?;
    Some((contact.owner.clone(), document(&contact)))
});

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 3] =
    [("find", find::built), ("save", save::built), ("delete", delete::built)];

/// What people are called in an export.
const RECORDS: &str = "contacts";
/// What they are called in an archive.
const IN_ARCHIVE: &str = "contacts.vcf";

impl Contacts {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "People", "people, addresses and phone numbers", "your contacts");
        Registration::of(info, self).command::<FindPerson>().edit::<SavePerson>().edit::<DeletePerson>().end()
    }
}

#[async_trait]
impl Service for Contacts {
    async fn mirror_anew(&self, ctx: &RequestContext) -> Result<(), ServiceError> {
        replica::mirror_anew(self, ctx).await
    }

    fn mirrors(&self, owner: &UserId) -> Vec<String> {
        self.keeper().map(|keeper| keeper.ids(owner)).unwrap_or_default()
    }

    fn mirroring(&self) -> Option<&dyn Mirroring> {
        Some(self)
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    fn offers(&self, content: &Content<'_>, _: &RequestContext) -> Vec<Offerable> {
        let Some(Along::Contact { name, phone }) = content.along else {
            return Vec::new();
        };
        let question = format!("Shall I save {}, {}, to your contacts?", visible(name), visible(phone));
        let (name, phone) = (name.clone(), Some(phone.clone()));
        let action =
            planned(NAME, &SavePerson { name, email: None, phone, prefer: None, note: None, remove: Vec::new() });
        vec![Offerable { rank: 0, question: Some(question), label: "💾 Save", action }]
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<Contact>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        let mend = |contact: &mut Contact| {
            let given = contact.given.clone().unwrap_or_default();
            let lists = [
                &contact.nicknames,
                &contact.emails,
                &contact.phones,
                &contact.groups,
                &given,
                &contact.beside,
                &contact.former,
            ];
            match contact.name.trim() {
                "" => Err("it has no name".to_owned()),
                _ if lists.iter().any(|list| list.len() > VCARD_VALUES_MAX) => Err("it holds too much".to_owned()),
                _ => Ok(()),
            }
        };
        Ok(Some(items::import::<Contact>(self.store.as_ref(), ctx, records, mend).await?.0))
    }

    /// Those of the person's own; the installation's address book is everybody's.
    async fn archived(&self, ctx: &RequestContext) -> Result<ArchivedFiles, ServiceError> {
        let people = self.store.list_all::<Contact>(&[ctx.owner.as_str()]).await?;
        let reader =
            DavReader { owner: &ctx.owner, chat: &ctx.chat, zone: ctx.zone, own: &[], is_shared: false, now: ctx.now };
        let cards: String = people.iter().map(|person| person.made(&person.id, &reader)).collect();
        let told = vec![format!("{IN_ARCHIVE}  the people you keep, for other address books: {}", people.len())];
        let files = vec![ArchivedFile { name: IN_ARCHIVE.to_owned(), content: FileContent::Bytes(cards.into_bytes()) }];
        Ok(ArchivedFiles { files, told, ..ArchivedFiles::default() })
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        let people = self.people(&ctx.owner, &PeopleQuery::default().and_said(&wanted.message)).await?;
        Ok(people.iter().take(wanted.limit).map(noticed).collect())
    }
}

#[cfg(test)]
mod tests;
