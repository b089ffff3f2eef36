//! `save`: save or complete a contact. What a person saves is theirs alone and lives in the store.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::owner_of;
use super::person::{PersonView, add, choice, is_contact, meant, put_first};
use super::record::{Contact, NAME};
use super::service::Contacts;
use crate::services::contract::command::{Command, Invocation, Receipt, Subject, before, one_or_many};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::searchable::Party;
use crate::services::contract::service::Prepared;
use crate::services::helpers::address_book::{PeopleQuery, Person, split_details};
use crate::services::helpers::texts::{self, brief};
use crate::services::remote::backend::{KeptPlace, RecordEdit};
use crate::services::remote::replica::{Edits, PlannedEdits};
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::plan::{Action, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::capital;
use brain_core::limits::CANDIDATES_MAX;
use brain_core::ports::{Key, RecordExt};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::tokens::lower;

/// On a card of what others see as well.
const OTHERS_SEE_IT: &str = "Others see this address book, too.";

/// Save or complete a contact.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavePerson {
    pub name: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    /// true only when the person says to write to this address from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer: Option<bool>,
    /// What else to keep about them: who they are, what they do; it takes the place of what was kept so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Addresses and numbers of theirs that are to be taken off.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub remove: Vec<String>,
}

/// Whether a value of a contact is this one, however its number is written.
fn is_same_value(value: &str, said: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_number = !said.contains('@') && !digits(said).is_empty();
    value.eq_ignore_ascii_case(said.trim()) || is_number && !value.contains('@') && digits(value) == digits(said)
}

impl SavePerson {
    /// What is to be taken off and does not stand there.
    fn not_there<'s>(&'s self, own: Option<&Contact>) -> Option<&'s String> {
        let has = |said: &str| {
            let values = own.into_iter().flat_map(|contact| contact.emails.iter().chain(&contact.phones));
            values.into_iter().any(|value| is_same_value(value, said))
        };
        self.remove.iter().find(|said| !has(said))
    }

    /// The address, when it changes where mail to somebody who is saved already may go.
    fn redirects(&self, action: &Action) -> Option<&str> {
        let email = self.email.as_deref()?;
        let known = before::<KnownBefore>(action)?;
        let at = known.emails.iter().position(|has| has.eq_ignore_ascii_case(email.trim()));
        let stays = at == Some(0) || at.is_some() && self.prefer != Some(true);
        (!stays).then_some(email)
    }
}

/// What was known of somebody before.
#[derive(Debug, Serialize, Deserialize)]
struct KnownBefore {
    emails: Vec<String>,
    phones: Vec<String>,
}

impl KnownBefore {
    /// What is left of it.
    fn without(mut self, removed: &[String]) -> Self {
        let is_left = |value: &String| !removed.iter().any(|said| is_same_value(value, said));
        self.emails.retain(is_left);
        self.phones.retain(is_left);
        self
    }
}

/// Takes addresses and numbers off a contact.
fn take_off(contact: &mut Contact, removed: &[String]) {
    let is_left = |value: &String| !removed.iter().any(|said| is_same_value(value, said));
    contact.emails.retain(is_left);
    contact.phones.retain(is_left);
    contact.beside.retain(is_left);
    contact.given.iter_mut().for_each(|given| given.retain(is_left));
    contact.preferred.take_if(|preferred| !is_left(preferred));
}

/// A contact after it was saved.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    person: PersonView,
}

impl Command for SavePerson {
    type Output = Saved;

    const NAME: &'static str = "save";
    const SUMMARY: &'static str = "save or complete a contact";
    const EXAMPLE: &'static str = "Save Tom's number: 555 0100";
    const STATUS: &'static str = "Saving the contact…";
    const STAKES: Stakes = Stakes::Low;

    fn stakes(&self, action: &Action) -> Stakes {
        let others_see_it = action.notes.iter().any(|note| note == OTHERS_SEE_IT);
        if others_see_it || !self.remove.is_empty() || self.redirects(action).is_some() {
            Stakes::High
        } else {
            Self::STAKES
        }
    }

    fn problem(&self) -> Option<String> {
        let email = self.email.as_deref()?;
        let parts = email.split_once('@');
        let fine = parts.is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
            && !email.contains(char::is_whitespace);
        (!fine).then(|| format!("“{email}” is no mail address"))
    }

    fn question(_: &str) -> &'static str {
        "Whose contact is it?"
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let known = subject.before::<KnownBefore>().map(|known| known.emails).unwrap_or_default();
        let first = if self.prefer == Some(true) { self.email.as_ref() } else { known.first() };
        let goes_to = first.filter(|_| self.redirects(subject.action).is_some());
        CardBody::titled("Save this contact?")
            .words("Name", &self.name)
            .row("Mail", self.email.as_deref().map(show_address).unwrap_or_default())
            .words("Phone", self.phone.clone().unwrap_or_default())
            .words("Note", self.note.clone().unwrap_or_default())
            .lines("Taken off", self.remove.iter().map(|value| show_address(value)).collect())
            .lines("Saved before", known.iter().map(|address| show_address(address)).collect())
            .row("Mail goes to", goes_to.map(|address| show_address(address)).unwrap_or_default())
    }

    fn readdresses(&self, action: &Action) -> Vec<String> {
        let known = self.redirects(action).and_then(|_| before::<KnownBefore>(action));
        known.map(|known| known.emails).unwrap_or_default()
    }

    fn receipt(&self, output: &Saved, _: &Receipt<'_>) -> String {
        format!("👤 Saved: {}", output.person.line())
    }

    fn attempt(&self, _: &Action) -> String {
        format!("save {}", self.name)
    }
}

#[async_trait]
impl Edits<SavePerson> for Contacts {
    /// Which contact a saving is about: the one of that name or address, a new one, or a question.
    async fn prepare(&self, ctx: &RequestContext, command: SavePerson) -> Result<Prepared<SavePerson>, ServiceError> {
        let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        // One of several of a name, as it was chosen.
        let chosen = Party::read(&command.name);
        let name = spaced(if chosen.name.is_empty() { &command.name } else { &chosen.name });
        let email = spaced(command.email.as_deref().unwrap_or_default());
        let asked = PeopleQuery::names([name.as_str()]);
        let mut saved = self.saved(&ctx.owner, &asked).await?;
        let is_chosen = |person: &Person| person.emails.iter().any(|email| email.eq_ignore_ascii_case(&chosen.address));
        saved.people.retain(|person| chosen.address.is_empty() || chosen.name.is_empty() || is_chosen(person));
        let person = match meant(&saved.people, &name, &email).as_slice() {
            [] if !command.remove.is_empty() => {
                let what = format!("I keep no contact called “{}”.", brief(&name));
                return Ok(Prepared::NotFound { what });
            }
            [] => {
                let notes = self.told_of_place(ctx, None).await?;
                let params = SavePerson { name, ..command };
                return Ok(Prepared::Ready { params, target: None, notes, untrusted: Vec::new() });
            }
            [only] => *only,
            several => {
                return Ok(Prepared::Several {
                    param: "name".to_owned(),
                    question: format!("Which {name} is it? For somebody new, give me the full name."),
                    candidates: several.iter().take(CANDIDATES_MAX).map(|person| choice(person)).collect(),
                });
            }
        };
        let stored = self.contacts(&ctx.owner, &asked).await?.contacts;
        let own = stored.values().find(|(contact, _)| is_contact(contact, person));
        if let Some(missing) = command.not_there(own.map(|(contact, _)| contact)) {
            let (missing, name) = (brief(missing), brief(&person.name));
            let what = format!("“{missing}” is nothing that I keep of {name}, so there is nothing to take off.");
            return Ok(Prepared::NotFound { what });
        }
        let known = KnownBefore { emails: person.emails.clone(), phones: person.phones.clone() };
        let target = Target {
            id: own.map(|(contact, _)| contact.id.clone()).unwrap_or_default(),
            revision: own.map(|(_, revision)| revision.to_string()).unwrap_or_default(),
            label: person.name.clone(),
            before: serde_json::to_value(known)?,
            account: match own {
                Some((contact, _)) => contact.origin.as_ref().map(|origin| origin.account.clone()),
                None => self.backends.of(&ctx.owner).next().map(|account| account.id.clone()),
            },
            ..Target::default()
        };
        let params = SavePerson { name: person.name.clone(), ..command };
        let notes = self.told_of_place(ctx, own.map(|(contact, _)| contact)).await?;
        Ok(Prepared::Ready { params, target: Some(target), notes, untrusted: Vec::new() })
    }

    async fn edits(&self, call: Invocation<'_, SavePerson>) -> Result<PlannedEdits<Contact, Saved>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let id = action.target.as_ref().map(|target| target.id.as_str()).filter(|id| !id.is_empty());
        let own = match id {
            Some(id) => self.store.load::<Contact>(&Key::of(&[ctx.owner.as_str(), id])).await?,
            None => None,
        };
        let mut contact = match &own {
            Some((contact, _)) => contact.clone(),
            None => Contact::called(&ctx.owner, &attempt.key, &command.name),
        };
        let SavePerson { name, email, phone, prefer, note, remove } = command;
        take_off(&mut contact, &remove);
        let (email, phone) = (email.unwrap_or_default(), phone.unwrap_or_default());
        add(&mut contact.emails, &email);
        add(&mut contact.phones, &phone);
        if prefer == Some(true) && !email.trim().is_empty() {
            contact.preferred = Some(email.trim().to_owned());
        }
        if let Some(note) = texts::filled(note.as_deref()) {
            contact.others.write("note", &note, provenance::source(action, "note"));
            contact.note = Some(note);
        }
        let known = before::<KnownBefore>(action).map(|known| known.without(&remove));
        contact.given = Some(contact.given());
        if let Some(given) = contact.given.as_mut().filter(|_| provenance::source(action, "email").is_none()) {
            add(given, &email);
        }
        // Whoever is completed has these addresses in another book, and is the same person because of them.
        for address in known.iter().flat_map(|known| &known.emails).filter(|one| !contact.emails.contains(one)) {
            add(&mut contact.beside, address);
        }
        for (field, text) in [("name", &name), ("email", &email), ("phone", &phone)] {
            contact.others.add(field, text.trim(), provenance::source(action, field));
        }
        let told = move |contact: &Contact| {
            let mut person = PersonView::of(contact);
            // What the file knows about them is told as well, so that the receipt shows the whole contact.
            if let Some(known) = known {
                let saved = std::mem::replace(&mut person.emails, known.emails);
                saved.iter().for_each(|email| add(&mut person.emails, email));
                known.phones.iter().for_each(|phone| add(&mut person.phones, phone));
            }
            put_first(&mut person.emails, contact.preferred.as_deref());
            Saved { person }
        };
        Ok(PlannedEdits::new(vec![RecordEdit { before: own, after: Some(contact) }], told))
    }
}

impl Contacts {
    /// What a card has to say of an address book that others see: which one of several it is.
    pub(super) async fn told_of_place(
        &self,
        ctx: &RequestContext,
        known: Option<&Contact>,
    ) -> Result<Vec<String>, ServiceError> {
        let KeptPlace { name, is_shared } = self.backends.kept_place(&ctx.owner, known).await?;
        let name = name.map(|name| format!("In the address book “{}”.", brief(&name)));
        Ok(name.into_iter().chain([OTHERS_SEE_IT.to_owned()]).filter(|_| is_shared).collect())
    }
}

/// A contact to keep, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    // What opens a bracket around the details is not of the name.
    let bare = |name: &str| name.trim_end_matches(['(', '<', '[', ' ', ',']).to_owned();
    let Some(name) = said.raw("name").map(|n| capital(owner_of(said, without_determiner(&bare(&n))))) else {
        return Built::No;
    };
    // A number of the person's own is no contact.
    let own = said.clause_starts("remember") && said.raw("name").is_some_and(|name| !lower(&name).contains("'s"));
    if !name.chars().any(char::is_alphabetic) || lower(&name) == "it" || own {
        return Built::No;
    }
    let mut action = said.action(NAME, "save");
    set(&mut action, "name", Some(name));
    let Some(details) = details(said) else {
        return Built::Ask { question: "What is the number or address?", partial: action, param: "phone" };
    };
    let (email, phone) = split_details(&details);
    if email.is_none() && phone.is_none() {
        return Built::No;
    }
    set(&mut action, "email", email);
    set(&mut action, "phone", phone);
    Built::Act(action)
}

/// The details as typed, a leading "+" or bracket included.
fn details(said: &ClauseReading) -> Option<String> {
    said.raw("details")
}
