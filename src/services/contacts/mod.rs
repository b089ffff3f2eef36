//! People: those the person saved, those in `DATA/contacts.vcf`, and those seen in their mail.
//!
//! The vCard file is the installation's address book, read again whenever it changes and never written.
//! What a person saves is theirs alone and lives in the store; it completes the card of the same name.
//! Who was only seen in mail is listed last and marked ([`Familiarity`]).

mod cards;
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
use find::FindPerson;
use save::SavePerson;
use serde_json::Value;

use self::person::noticed;
use self::record::document;
pub use self::record::{Contact, NAME};
pub use self::service::Contacts;
use super::address_book::{AddressBook, PeopleQuery};
use super::capabilities::{Content, Mirroring, Offerable};
use super::command::planned;
use super::context::RequestContext;
use super::dav::DavReplica as _;
use super::error::ServiceError;
use super::items;
use super::registry::Registration;
use super::replica;
use super::searchable::Searchable;
use super::service::{ContextRole, Noticed, Service, ServiceInfo, Wanted};
use crate::core::ids::UserId;
use crate::core::text::visible;
use crate::core::turn::Along;
use crate::language::requests::built::Builder;
use crate::ports::{Secondary, Source, Table, from_stored};

/// The order by which it asks the store for people.
pub(super) static INDEXES: [&Secondary; 1] = [&record::BY_ORIGIN];

/// Saved people, to be found: by their names, by what stands before the @ of their addresses, and exactly by an
/// address, a name or a group.
pub(super) const SOURCE: Source = Source::new(Table::Contacts, NAME, 1, |_, stored| {
    let contact = from_stored::<Contact>(stored).ok()?;
    Some((contact.owner.clone(), document(&contact)))
});

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 2] = [("find", find::built), ("save", save::built)];

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
