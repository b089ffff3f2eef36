//! One person among others: whose name is meant, who is the same, how they are shown. Pure.

use serde::{Deserialize, Serialize};

use super::record::Contact;
use super::vcard::Card;
use crate::services::contract::service::{ItemChoice, Noticed};
use crate::services::email::mailbox::correspondents::Correspondent;
use crate::services::email::message::read::Mailbox;
use crate::services::helpers::address_book::Person;
use crate::services::helpers::texts::brief;
use brain_core::core::card::show_address;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::visible;
use brain_language::language::people;
use brain_language::language::people::{Familiarity, NamedBy};
use brain_language::language::words::{fold, words};

/// The saved people a name or an address means: an exact name or address first, then part of a name.
pub(super) fn meant<'a>(saved: &'a [Person], name: &str, email: &str) -> Vec<&'a Person> {
    let wanted = words(name);
    let named =
        |person: &Person| std::iter::once(&person.name).chain(&person.nicknames).any(|name| words(name) == wanted);
    let partly = |person: &Person| {
        let names = words(&person.name);
        wanted.iter().all(|word| names.contains(word))
    };
    let exact: Vec<&Person> = saved.iter().filter(|p| named(p)).collect();
    if exact.len() > 1 && !email.is_empty() {
        let by_address: Vec<&Person> =
            exact.iter().copied().filter(|p| p.emails.iter().any(|e| e.eq_ignore_ascii_case(email))).collect();
        if !by_address.is_empty() {
            return by_address;
        }
    }
    if !exact.is_empty() || wanted.is_empty() {
        return exact;
    }
    saved.iter().filter(|p| partly(p)).collect()
}

/// One of several to choose from: where to reach them tells them apart, whatever they are called.
pub(super) fn choice(person: &Person) -> ItemChoice {
    let detail = person.emails.first().or(person.phones.first());
    ItemChoice {
        id: person.emails.first().map_or_else(|| person.name.clone(), |email| format!("{} <{email}>", person.name)),
        label: match detail {
            Some(detail) => format!("{} ({detail})", person.name),
            None => person.name.clone(),
        },
        untrusted: person.untrusted.clone(),
    }
}

pub(super) fn is_contact(contact: &Contact, person: &Person) -> bool {
    fold(&contact.name) == fold(&person.name)
        && (contact.emails.is_empty() || contact.emails.iter().any(|e| person.emails.contains(e)))
}

/// Whether a name says an address that is not this one.
pub(super) fn says_another(name: &str, address: &str) -> bool {
    name.contains('@') && !name.trim().eq_ignore_ascii_case(address)
}

/// Somebody in the store, as nothing but the record tells.
pub(super) fn person_saved(contact: &Contact) -> Person {
    let by_others = contact.is_others(&contact.name);
    let person = Person {
        untrusted: contact.others.untrusted("a contact"),
        name: contact.name.clone(),
        nicknames: contact.nicknames.clone(),
        emails: contact.emails.clone(),
        phones: contact.phones.clone(),
        groups: contact.groups.clone(),
        note: contact.note.clone(),
        known: if contact.given().is_empty() { Familiarity::Listed } else { Familiarity::Saved },
        named_by: if by_others { NamedBy::Others } else { NamedBy::Person },
        ..Person::nobody()
    };
    with_names_that_are(person)
}

pub(super) fn person_of(card: &Card) -> Person {
    with_names_that_are(Person {
        name: card.name.clone(),
        nicknames: card.nicknames.clone(),
        emails: card.emails.clone(),
        phones: card.phones.clone(),
        groups: card.groups.clone(),
        known: Familiarity::Listed,
        ..Person::nobody()
    })
}

/// Without names that say an address which is not theirs: whoever is called so is called by what is.
fn with_names_that_are(mut person: Person) -> Person {
    let is_other = |name: &String| {
        name.contains('@') && !person.emails.iter().any(|email| email.eq_ignore_ascii_case(name.trim()))
    };
    if is_other(&person.name) {
        let first = person.emails.first().or(person.phones.first());
        person.name = first.cloned().unwrap_or_default();
    }
    let nicknames = std::mem::take(&mut person.nicknames);
    person.nicknames = nicknames.into_iter().filter(|name| !is_other(name)).collect();
    person
}

impl Person {
    /// Notes how well they are known: by what the person gave, and where they have written. `others` are addresses of
    /// theirs that the first may have taken the place of.
    pub(super) fn confirm<'a>(
        &mut self,
        given: &[String],
        others: impl Iterator<Item = &'a String>,
        is_written_to: impl Fn(&str) -> bool,
    ) {
        let is_given = |address: &str| given.iter().any(|one| one.eq_ignore_ascii_case(address));
        let known = self.emails.iter().filter(|address| is_given(address) || is_written_to(address));
        self.confirmed = known.cloned().collect();
        self.known = match self.emails.first() {
            Some(first) if !self.is_confirmed(first) => Familiarity::Listed,
            Some(first) if !is_given(first) => Familiarity::Written,
            // Of whom no address is known, who they are is the person's word or a card's.
            None if self.known == Familiarity::Listed => Familiarity::Listed,
            Some(_) | None => Familiarity::Saved,
        };
        if self.known == Familiarity::Listed {
            let written = self.emails.iter().skip(1).filter(|address| is_written_to(address));
            let others = others.filter(|address| is_given(address) || is_written_to(address));
            self.rivals = written.cloned().chain(others.cloned()).collect();
        }
    }
}

/// Somebody seen in mail. What they call themself, and the address of somebody who was never written to, is their word.
pub(super) fn seen(correspondent: Correspondent) -> Person {
    let Correspondent { mailbox: Mailbox { name, address }, written, named_by } = correspondent;
    let name = if name.is_empty() { address.clone() } else { name };
    let said = match (written, named_by) {
        (false, _) => Some(format!("{name} {address}")),
        (true, NamedBy::Themself | NamedBy::Others) => Some(name.clone()),
        (true, NamedBy::Person) => None,
    };
    let mut person = Person {
        name,
        confirmed: written.then(|| address.clone()).into_iter().collect(),
        emails: vec![address],
        known: if written { Familiarity::Written } else { Familiarity::Seen },
        named_by,
        ..Person::nobody()
    };
    let source = format!("a mail from {}", person.party().label());
    person.untrusted = said.map(|said| UntrustedText::new(source, said)).into_iter().collect();
    person
}

/// Puts the address to write to in front.
pub(super) fn put_first(emails: &mut Vec<String>, preferred: Option<&str>) {
    let at = preferred.and_then(|preferred| emails.iter().position(|has| has.eq_ignore_ascii_case(preferred)));
    if let Some(at) = at {
        let first = emails.remove(at);
        emails.insert(0, first);
    }
}

/// The store's own comes first; the card adds what is missing. Where to write is the card's word, as long as the person
/// prefers nothing else: what was saved later stands behind it.
pub(super) fn complete(person: &mut Person, card: &Card) {
    let later = std::mem::replace(&mut person.emails, card.emails.clone());
    for email in &later {
        add(&mut person.emails, email);
    }
    for phone in &card.phones {
        add(&mut person.phones, phone);
    }
    for name in &card.nicknames {
        add(&mut person.nicknames, name);
    }
    for group in &card.groups {
        add(&mut person.groups, group);
    }
}

/// Adds a value that is not there yet.
pub(super) fn add(list: &mut Vec<String>, value: &str) {
    let value = value.trim();
    if !value.is_empty() && !list.iter().any(|has| has.eq_ignore_ascii_case(value)) {
        list.push(value.to_owned());
    }
}

pub(super) fn is_candidate(person: &Person, candidate: &people::Candidate) -> bool {
    person.name == candidate.name && person.emails == candidate.emails
}

/// Somebody as receipts see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// The owner's name for them, else what they call themself, with its address.
    pub name: String,
    /// Preferred first.
    pub emails: Vec<String>,
    pub phones: Vec<String>,
    pub groups: Vec<String>,
    /// What else is kept about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl PersonView {
    /// Somebody who was found.
    pub(super) fn found(found: &Person) -> Self {
        Self {
            name: found.party().label(),
            emails: found.emails.clone(),
            phones: found.phones.clone(),
            groups: found.groups.clone(),
            note: found.note.clone(),
        }
    }

    /// A contact in the store.
    pub(super) fn of(contact: &Contact) -> Self {
        Self {
            name: contact.name.clone(),
            emails: contact.emails.clone(),
            phones: contact.phones.clone(),
            groups: contact.groups.clone(),
            note: contact.note.clone(),
        }
    }

    /// As one line of a list.
    pub(super) fn line(&self) -> String {
        let note = self.note.as_ref().map(|note| format!(" — {note}")).unwrap_or_default();
        visible(&(line(&self.name, self.emails.iter().chain(&self.phones)) + &note))
    }
}

/// Somebody, and where to reach them; what their label says already is not said twice.
fn line<'d>(label: &str, details: impl Iterator<Item = &'d String>) -> String {
    let details: Vec<String> =
        details.map(|detail| show_address(detail)).filter(|detail| !label.contains(detail.as_str())).collect();
    if details.is_empty() { label.to_owned() } else { format!("{label}: {}", details.join(", ")) }
}

pub(super) fn noticed(person: &Person) -> Noticed {
    let groups = if person.groups.is_empty() { String::new() } else { format!(" [{}]", person.groups.join(", ")) };
    let note = person.note.as_ref().map(|note| format!(" — {}", brief(note))).unwrap_or_default();
    let line = line(&person.party().label(), person.emails.iter().chain(&person.phones)) + &groups + &note;
    Noticed { id: Some(person.name.clone()), line, untrusted: person.untrusted.clone() }
}
