//! One person among others: whose name is meant, who is the same, how they are shown. Pure.

use serde::{Deserialize, Serialize};

use super::Contact;
use super::vcard::Card;
use crate::core::card::show_address;
use crate::core::provenance::UntrustedText;
use crate::core::text::visible;
use crate::language::people;
use crate::language::people::Familiarity;
use crate::language::words::{fold, words};
use crate::services::service::{ItemChoice, Noticed, Person};

/// Words of a name that everybody uses all the time.
const COMMON: [&str; 8] = ["the", "and", "from", "for", "of", "at", "to", "in"];

/// True when a message holds one of their names or groups. Strangers choose their own names, so theirs must
/// be longer to count.
pub(super) fn is_named(person: &Person, said: &[String]) -> bool {
    let shortest = if person.known == Familiarity::Seen { 4 } else { 2 };
    std::iter::once(&person.name)
        .chain(&person.nicknames)
        .flat_map(|name| words(name))
        .chain(person.groups.iter().cloned())
        .filter(|word| word.chars().count() >= shortest && !COMMON.contains(&word.as_str()))
        .any(|word| said.contains(&word))
}

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

pub(super) fn choice(person: &Person) -> ItemChoice {
    let detail = person.emails.first().or(person.phones.first());
    ItemChoice {
        id: person.name.clone(),
        label: match detail {
            Some(detail) => format!("{} ({detail})", person.name),
            None => person.name.clone(),
        },
    }
}

pub(super) fn is_contact(contact: &Contact, person: &Person) -> bool {
    fold(&contact.name) == fold(&person.name)
        && (contact.emails.is_empty() || contact.emails.iter().any(|e| person.emails.contains(e)))
}

pub(super) fn is_same(person: &Person, card: &Card) -> bool {
    fold(&person.name) == fold(&card.name) || share(&person.emails, &card.emails)
}

fn share(a: &[String], b: &[String]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.eq_ignore_ascii_case(b)))
}

pub(super) fn person_of(card: &Card) -> Person {
    Person {
        name: card.name.clone(),
        nicknames: card.nicknames.clone(),
        emails: card.emails.clone(),
        phones: card.phones.clone(),
        groups: card.groups.clone(),
        known: Familiarity::Saved,
        untrusted: Vec::new(),
    }
}

/// What the store holds comes first; the card adds what is missing.
pub(super) fn complete(person: &mut Person, card: &Card) {
    for email in &card.emails {
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
    pub name: String,
    /// Preferred first.
    pub emails: Vec<String>,
    pub phones: Vec<String>,
    pub groups: Vec<String>,
    /// Only seen as the sender of a mail.
    #[serde(default)]
    pub seen_only: bool,
}

impl PersonView {
    /// Somebody who was found.
    pub(super) fn found(found: &people::Candidate, phones: &[String]) -> Self {
        Self {
            name: found.name.clone(),
            emails: found.emails.clone(),
            phones: phones.to_vec(),
            groups: found.groups.clone(),
            seen_only: found.familiarity == Familiarity::Seen,
        }
    }

    /// A contact in the store.
    pub(super) fn of(contact: &Contact) -> Self {
        Self {
            name: contact.name.clone(),
            emails: contact.emails.clone(),
            phones: contact.phones.clone(),
            groups: contact.groups.clone(),
            seen_only: false,
        }
    }

    /// As one line of a list.
    pub(super) fn line(&self) -> String {
        let details = self.emails.iter().chain(&self.phones).map(|detail| show_address(detail));
        visible(&format!("{}: {}", self.name, details.collect::<Vec<_>>().join(", ")))
    }
}

pub(super) fn noticed(person: &Person) -> Noticed {
    let details: Vec<&str> = person.emails.iter().chain(&person.phones).map(String::as_str).collect();
    let groups = if person.groups.is_empty() { String::new() } else { format!(" [{}]", person.groups.join(", ")) };
    let line = format!("{}: {}{groups}", person.name, details.join(", "));
    let seen = (person.known == Familiarity::Seen).then(|| format!("a mail from {}", person.name));
    let seen = seen.map(|source| UntrustedText::new(source, line.clone()));
    let untrusted = person.untrusted.iter().cloned().chain(seen).collect();
    Noticed { id: person.name.clone(), line, untrusted }
}
