//! `delete`: delete a contact that the person keeps. Whoever stands in a file or in mails alone is nobody's to delete.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::owner_of;
use super::person::{PersonView, choice, is_contact, meant};
use super::record::{Contact, NAME};
use super::service::Contacts;
use crate::services::contract::command::{Command, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Party;
use crate::services::contract::service::Prepared;
use crate::services::helpers::address_book::{PeopleQuery, Person};
use crate::services::helpers::items::label;
use crate::services::helpers::texts::brief;
use crate::services::remote::backend::RecordEdit;
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::plan::{Action, Target};
use brain_core::core::stakes::Stakes;
use brain_core::limits::CANDIDATES_MAX;
use brain_core::ports::{Key, RecordExt};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};

/// Delete a contact.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeletePerson {
    /// The name or an address of theirs.
    find_by: String,
}

/// A contact that was deleted.
#[derive(Debug, Serialize, Deserialize)]
pub struct Deleted {
    person: PersonView,
}

impl Command for DeletePerson {
    type Output = Deleted;

    const NAME: &'static str = "delete";
    const SUMMARY: &'static str = "delete a contact";
    const EXAMPLE: &'static str = "Delete Tom from my contacts";
    const STATUS: &'static str = "Deleting the contact…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(_: &str) -> &'static str {
        "Whose contact is it?"
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Delete this contact?").words("Name", label(subject.action, &self.find_by));
        let Some(person) = subject.before::<PersonView>() else { return card };
        card.lines("Mail", person.emails.iter().map(|address| show_address(address)).collect())
            .words("Phone", person.phones.join(", "))
            .words("Note", person.note.unwrap_or_default())
    }

    fn approve(&self) -> &'static str {
        "🗑 Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, output: &Deleted, _: &Receipt<'_>) -> String {
        format!("🗑 Deleted: {}", output.person.line())
    }

    fn attempt(&self, action: &Action) -> String {
        format!("delete the contact “{}”", label(action, &self.find_by))
    }
}

#[async_trait]
impl Edits<DeletePerson> for Contacts {
    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: DeletePerson,
    ) -> Result<Prepared<DeletePerson>, ServiceError> {
        let said = Party::read(&command.find_by);
        let name = if said.name.is_empty() { command.find_by.trim() } else { said.name.as_str() };
        let asked = PeopleQuery::names([name, said.address.as_str()].into_iter().filter(|said| !said.is_empty()));
        let people = self.saved(&ctx.owner, &asked).await?.people;
        let is_said = |person: &Person| person.emails.iter().any(|email| email.eq_ignore_ascii_case(&said.address));
        let of_address: Vec<&Person> = people.iter().filter(|person| is_said(person)).collect();
        let found = if of_address.is_empty() { meant(&people, name, &said.address) } else { of_address };
        let stored = self.contacts(&ctx.owner, &asked).await?.contacts;
        let own = |person: &Person| stored.values().find(|(contact, _)| is_contact(contact, person));
        let kept: Vec<&Person> = found.iter().copied().filter(|person| own(person).is_some()).collect();
        match (kept.as_slice(), found.first()) {
            ([only], _) => {
                let Some((contact, revision)) = own(only) else { return Ok(nobody(name)) };
                let target = Target {
                    id: contact.id.clone(),
                    revision: revision.to_string(),
                    label: contact.name.clone(),
                    before: serde_json::to_value(PersonView::of(contact))?,
                    account: contact.origin.as_ref().map(|origin| origin.account.clone()),
                    ..Target::default()
                };
                let notes = self.told_of_place(ctx, Some(contact)).await?;
                let untrusted = contact.others.untrusted("a contact");
                Ok(Prepared::Ready { params: command, target: Some(target), notes, untrusted })
            }
            ([], Some(_)) => {
                let what = format!(
                    "{} stands in an address book that I only read, or in your mail: there is no contact of yours to \
                     delete.",
                    brief(name)
                );
                Ok(Prepared::NotFound { what })
            }
            ([], None) => Ok(nobody(name)),
            (several, _) => Ok(Prepared::Several {
                param: "find_by".to_owned(),
                question: format!("Which {} is it?", brief(name)),
                candidates: several.iter().take(CANDIDATES_MAX).map(|person| choice(person)).collect(),
            }),
        }
    }

    async fn edits(&self, call: Invocation<'_, DeletePerson>) -> Result<PlannedEdits<Contact, Deleted>, ServiceError> {
        let Invocation { ctx, action, .. } = call;
        let gone = |label: &str| ServiceError::NotFound { noun: "contact", label: label.to_owned() };
        let target = action.target.as_ref().ok_or_else(|| gone(NAME))?;
        let held = self.store.load::<Contact>(&Key::of(&[ctx.owner.as_str(), &target.id])).await?;
        let (contact, revision) = held.ok_or_else(|| gone(&target.label))?;
        if revision.to_string() != target.revision {
            return Err(ServiceError::Conflict { label: brief(&contact.name) });
        }
        let told = |contact: &Contact| Deleted { person: PersonView::of(contact) };
        Ok(PlannedEdits::new(vec![RecordEdit::delete(contact, revision)], told))
    }
}

fn nobody<C>(name: &str) -> Prepared<C> {
    Prepared::NotFound { what: format!("I keep no contact called “{}”.", brief(name)) }
}

/// A contact to delete, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let Some(name) = said.raw("name").map(|name| owner_of(said, without_determiner(&name)).to_owned()) else {
        return Built::No;
    };
    let mut action = said.action(NAME, "delete");
    set(&mut action, "find_by", Some(name));
    Built::Act(action)
}
