//! People as the rest of the program asks for them: by the names, groups and addresses that somebody said.
//!
//! Invariant: who may be meant is given, and nobody is given for being there: a look-up costs the same however many are
//! known.

use std::collections::{BTreeSet, HashMap, HashSet};

use async_trait::async_trait;

use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{Freshness, Party};
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::SAID_WORDS_MAX;
use brain_language::language::people;
use brain_language::language::people::{Familiarity, NamedBy, PeopleMatcher};
use brain_language::language::requests::reading::tidy;
use brain_language::language::words::words;

/// Somebody who can be meant by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// As saved or seen.
    pub name: String,
    /// Other names: nicknames, what they are to the person.
    pub nicknames: Vec<String>,
    /// Addresses, preferred first.
    pub emails: Vec<String>,
    /// Those of them that the person has written to, or gave in words of their own.
    pub confirmed: Vec<String>,
    /// Those that are better known than the first.
    pub rivals: Vec<String>,
    /// Phone numbers.
    pub phones: Vec<String>,
    /// Groups they belong to, lower case.
    pub groups: Vec<String>,
    /// What else the owner keeps about them.
    pub note: Option<String>,
    /// How well, at the first of their addresses.
    pub known: Familiarity,
    /// Who chose the name.
    pub named_by: NamedBy,
    /// Of all that: what somebody else said.
    pub untrusted: Vec<UntrustedText>,
}

impl From<&Person> for people::Candidate {
    fn from(person: &Person) -> Self {
        let is_claimed = |name: &&String| person.untrusted.iter().any(|said| said.text == **name);
        let (claimed, nicknames) = person.nicknames.iter().cloned().partition(|name| is_claimed(&name));
        let is_group = |group: &&String| !is_claimed(group) || people::may_be_called(group);
        Self {
            name: person.name.clone(),
            nicknames,
            claimed,
            emails: person.emails.clone(),
            rivals: person.rivals.clone(),
            groups: person.groups.iter().filter(is_group).cloned().collect(),
            familiarity: person.known,
            named_by: person.named_by,
        }
    }
}

impl Person {
    /// Them, as somebody who takes part in something.
    pub fn party(&self) -> Party {
        let address = self.emails.first().map(|email| email.to_lowercase()).unwrap_or_default();
        let is_called_so = self.known > Familiarity::Seen && self.named_by == NamedBy::Person;
        let name = if self.name.contains('@') { String::new() } else { self.name.clone() };
        Party { known_as: Some(name.clone()).filter(|name| is_called_so && !name.is_empty()), name, address }
    }

    /// Whether the person has written to this address, or gave it in words of their own.
    pub fn is_confirmed(&self, address: &str) -> bool {
        self.confirmed.iter().any(|known| known.eq_ignore_ascii_case(address))
    }

    /// Somebody of whom nothing is known.
    pub fn nobody() -> Self {
        Self {
            name: String::new(),
            nicknames: Vec::new(),
            emails: Vec::new(),
            confirmed: Vec::new(),
            rivals: Vec::new(),
            phones: Vec::new(),
            groups: Vec::new(),
            note: None,
            known: Familiarity::Seen,
            named_by: NamedBy::Person,
            untrusted: Vec::new(),
        }
    }
}

/// By what people are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleQuery {
    /// Names, groups and addresses.
    pub names: Vec<String>,
    /// Further addresses, in small letters: those who have them, and nobody whose own only looks like one.
    pub addresses: BTreeSet<String>,
    /// Folded words of a text that may hold names of people, each once.
    pub said: Vec<String>,
    /// Members that a group among the names may have for whoever asks: a larger one is refused, as part of it would be
    /// another group.
    pub members_max: Option<usize>,
}

impl PeopleQuery {
    /// For names, groups and addresses.
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { names: names.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }

    /// For those who have these addresses.
    pub fn addresses<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Self {
        let addresses = addresses.into_iter().filter(|address| !address.is_empty()).map(str::to_lowercase);
        Self { addresses: addresses.collect(), ..Self::default() }
    }

    /// The same, and for whom a text names.
    #[must_use]
    pub fn and_said(mut self, text: &str) -> Self {
        let mut seen = HashSet::new();
        self.said =
            words(text).into_iter().filter(|word| people::may_name(word) && seen.insert(word.clone())).collect();
        self.said.truncate(SAID_WORDS_MAX);
        self
    }

    /// The same, made comparable once for everybody who is held against it.
    pub fn filter(&self) -> PeopleFilter<'_> {
        PeopleFilter { query: self, asked: PeopleMatcher::of(self.names.iter().map(String::as_str)) }
    }
}

/// See [`PeopleQuery::filter`].
#[derive(Debug)]
pub struct PeopleFilter<'q> {
    query: &'q PeopleQuery,
    asked: PeopleMatcher,
}

impl PeopleFilter<'_> {
    /// Whether somebody may be meant.
    pub fn may_mean(&self, person: &people::Candidate) -> bool {
        let PeopleQuery { addresses, said, .. } = self.query;
        let has_one = |email: &String| addresses.contains(&email.to_lowercase());
        !addresses.is_empty() && person.emails.iter().any(has_one)
            || self.asked.may_mean(person)
            || !said.is_empty() && people::is_named(person, said)
    }
}

/// What the owner calls whom: names that they saved or wrote in front of an address, by address in small letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNames(HashMap<String, String>);

impl FromIterator<(String, String)> for KnownNames {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(names: I) -> Self {
        Self(names.into_iter().map(|(address, name)| (address.to_lowercase(), name)).collect())
    }
}

impl KnownNames {
    /// Whoever calls themself `name` before `address`, as the owner knows them.
    pub fn party(&self, name: &str, address: &str) -> Party {
        let address = address.to_lowercase();
        Party { name: name.to_owned(), known_as: self.0.get(&address).cloned(), address }
    }
}

/// Everybody a person's words could mean.
#[async_trait]
pub trait AddressBook: Send + Sync + std::fmt::Debug {
    /// Those who may be meant.
    async fn people(&self, owner: &UserId, asked: &PeopleQuery) -> Result<Vec<Person>, ServiceError>;

    /// What the owner calls those who have these addresses. Strangers are left out, whatever they call themselves.
    async fn names_of(&self, owner: &UserId, addresses: &BTreeSet<String>) -> Result<KnownNames, ServiceError>;

    /// The addresses of those whom the owner calls so: by a name of theirs, or as a group.
    async fn addresses_of(&self, owner: &UserId, who: &str) -> Result<Vec<String>, ServiceError> {
        let asked = words(who);
        if asked.is_empty() || who.contains('@') {
            return Ok(Vec::new());
        }
        let is_called = |person: &&Person| {
            let names: Vec<String> =
                std::iter::once(&person.name).chain(&person.nicknames).flat_map(|name| words(name)).collect();
            let is_member = person.groups.iter().any(|group| words(group) == asked);
            person.known > Familiarity::Seen && (is_member || asked.iter().all(|word| names.contains(word)))
        };
        let people = self.people(owner, &PeopleQuery::names([who])).await?;
        Ok(people.iter().filter(is_called).flat_map(|person| person.emails.clone()).collect())
    }

    /// How fresh that is; to be asked before it. `None`: that cannot be told.
    async fn freshness(&self, _owner: &UserId) -> Option<Freshness> {
        None
    }
}

/// The address and the number in a piece of text.
pub fn split_details(text: &str) -> (Option<String>, Option<String>) {
    let is_around = |c: char| matches!(c, '(' | ')' | '<' | '>' | '[' | ']');
    let email = text.split_whitespace().map(|w| tidy(w.trim_matches(is_around))).find(|w| w.contains('@'));
    let digits: Vec<&str> = text
        .split_whitespace()
        .filter(|w| !w.contains('@') && w.chars().any(|c| c.is_ascii_digit()))
        .map(|w| w.trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '(' | ')')))
        .collect();
    let phone = digits.join(" ");
    let is_phone = phone.chars().filter(char::is_ascii_digit).count() >= 3;
    (email, is_phone.then_some(phone))
}
