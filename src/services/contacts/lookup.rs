//! Who may be meant: saved contacts by the search index, the file's cards by their words, and who was seen in mail.
//!
//! Invariants: whoever is given, is given whole: a contact with the card of the same person, and nobody from mail whose
//! address is somebody's who is saved or given. What makes two the same is an address, never a name; and whom the
//! person has written to is hidden by no card that others write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use async_trait::async_trait;

use super::person::{complete, person_of, person_saved, put_first, says_another, seen};
use super::record::{Contact, NAME, by_address, by_group, by_name, by_word};
use super::service::Contacts;
use crate::core::ids::UserId;
use crate::language::people::{self, Candidate, Familiarity};
use crate::language::terms;
use crate::limits::{GROUP_MEMBERS_MAX, NAMESAKES_MAX};
use crate::ports::{Description, Key, Needs, Query, RecordExt};
use crate::services::address_book::{AddressBook, KnownNames, PeopleQuery, Person};
use crate::services::error::ServiceError;
use crate::services::searchable::Freshness;

/// Letters of a name that are taken to be right when nobody has it.
const SURE_LETTERS: usize = 3;

/// Contacts that may be meant, by id, each with its revision.
pub(super) type CandidateContacts = BTreeMap<String, (Contact, u64)>;

/// Who holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressHolder {
    /// Somebody whom the person saved, or keeps in a book of their own.
    Owner,
    /// A card that others write, or everybody's.
    Card,
}

/// Those who may be meant.
#[derive(Debug, Default)]
pub(super) struct People {
    /// The best known first.
    pub people: Vec<Person>,
    /// Saved ones whose names hold the same words, and who are not among them.
    pub more: usize,
}

impl Contacts {
    /// Everybody who may be meant.
    pub(super) async fn look_up(&self, owner: &UserId, asked: &PeopleQuery) -> Result<People, ServiceError> {
        let mut found = self.saved(owner, asked).await?;
        let mail = self.mailboxes.mail(owner).await?;
        for correspondent in mail.people().iter() {
            let person = seen(correspondent.clone());
            if !asked.may_mean(&Candidate::from(&person)) {
                continue;
            }
            let Some(address) = person.emails.first() else { continue };
            let has_it = |one: &&Person| one.emails.iter().any(|email| email.eq_ignore_ascii_case(address));
            if found.people.iter().filter(has_it).any(|one| asked.may_mean(&Candidate::from(one))) {
                continue;
            }
            let holder = self.holder(owner, address).await?;
            let is_hidden = match person.known {
                Familiarity::Seen => holder.is_some(),
                Familiarity::Listed | Familiarity::Written | Familiarity::Saved => holder == Some(AddressHolder::Owner),
            };
            if !is_hidden {
                found.people.push(person);
            }
        }
        Ok(found)
    }

    /// Whose this address is among those who are saved; `None`: nobody's.
    async fn holder(&self, owner: &UserId, address: &str) -> Result<Option<AddressHolder>, ServiceError> {
        let mut saved = CandidateContacts::new();
        self.flagged(owner, [by_address(address)], &mut saved).await?;
        if saved.values().any(|(contact, _)| !contact.is_others(&contact.name) && !contact.is_others(address)) {
            return Ok(Some(AddressHolder::Owner));
        }
        let is_on_a_card = self.cards().await?.with_address(address).is_some();
        Ok((is_on_a_card || !saved.is_empty()).then_some(AddressHolder::Card))
    }

    /// What the owner calls those who have these addresses: by whom they saved, else as they wrote in front of it.
    pub(super) async fn known_names(
        &self,
        owner: &UserId,
        addresses: &BTreeSet<String>,
    ) -> Result<KnownNames, ServiceError> {
        let (cards, mail) = (self.cards().await?, self.mailboxes.mail(owner).await?);
        let mut names = Vec::new();
        for address in addresses {
            let mut saved = CandidateContacts::new();
            self.flagged(owner, [by_address(address)], &mut saved).await?;
            let is_own = |contact: &Contact| !contact.is_others(&contact.name) && !says_another(&contact.name, address);
            let saved = saved.into_values().map(|(contact, _)| contact).find(is_own).map(|contact| contact.name);
            let carded = || cards.with_address(address).map(|card| card.name.clone());
            let carded = || carded().filter(|name| !says_another(name, address));
            let name = saved.or_else(carded).or_else(|| mail.named(address)).filter(|name| !name.trim().is_empty());
            names.extend(name.map(|name| (address.clone(), name)));
        }
        Ok(names.into_iter().collect())
    }

    /// Saved people: the store's contacts, and the file's cards they do not already complete.
    pub(super) async fn saved(&self, owner: &UserId, asked: &PeopleQuery) -> Result<People, ServiceError> {
        let cards = self.cards().await?;
        // Who is saved must not hang on a mailbox: where it cannot be read, nobody was written to.
        let mail = self.mailboxes.mail(owner).await.ok();
        let is_written_to = |address: &str| mail.as_ref().is_some_and(|mail| mail.is_written_to(address));
        let (contacts, more) = self.contacts(owner, asked).await?;
        let mut people: Vec<Person> = Vec::new();
        let mut told: BTreeSet<usize> = BTreeSet::new();
        for (contact, _) in contacts.into_values() {
            let (given, preferred) = (contact.given(), contact.preferred.clone());
            let mut person = person_saved(&contact);
            for at in cards.joined(&contact) {
                if let Some(card) = cards.get(at).filter(|_| told.insert(at)) {
                    complete(&mut person, card);
                }
            }
            put_first(&mut person.emails, preferred.as_deref());
            let is_given = |first: &String| given.iter().any(|one| one.eq_ignore_ascii_case(first));
            let is_moved = preferred.as_ref().or(contact.emails.first()).is_some_and(|first| !is_given(first));
            let other = given.iter().filter(|_| is_moved).chain(&contact.former);
            person.confirm(&given, other, is_written_to);
            people.push(person);
        }
        for card in cards.meant(asked).into_iter().filter(|at| !told.contains(at)).filter_map(|at| cards.get(at)) {
            let mut person = person_of(card);
            person.confirm(&[], std::iter::empty(), is_written_to);
            people.push(person);
        }
        Ok(People { people, more })
    }

    /// The store's contacts that may be meant, and those that complete the cards that may be; and how many more have
    /// the same words in their names.
    pub(super) async fn contacts(
        &self,
        owner: &UserId,
        asked: &PeopleQuery,
    ) -> Result<(CandidateContacts, usize), ServiceError> {
        let cards = self.cards().await?;
        let mut found = CandidateContacts::new();
        let mut more = 0;
        for name in &asked.names {
            more += self.named(owner, name, &mut found).await?;
        }
        if !asked.said.is_empty() {
            self.flagged(owner, asked.said.iter().map(|word| by_word(word)), &mut found).await?;
        }
        for card in cards.meant(asked).into_iter().filter_map(|at| cards.get(at)) {
            let addresses = card.emails.iter().map(|email| by_address(email));
            self.flagged(owner, addresses.chain([by_name(&card.name)]), &mut found).await?;
        }
        Ok((found, more))
    }

    /// Contacts that one name, address or group may mean, and how many more there are.
    async fn named(&self, owner: &UserId, name: &str, found: &mut CandidateContacts) -> Result<usize, ServiceError> {
        self.flagged(owner, [by_address(name)], found).await?;
        for group in people::group_keys(name).into_iter().filter(|group| !group.is_empty()) {
            self.members(owner, name, &group, found).await?;
        }
        let more = self.described(owner, people::words_meant(name), name, found).await?;
        let fits = |(contact, _): &(Contact, u64)| people::may_mean(name, &Candidate::from(&person_saved(contact)));
        if !found.values().any(fits) {
            self.begun(owner, name, found).await?;
        }
        Ok(more)
    }

    /// All members of a group: part of them would be another group.
    async fn members(
        &self,
        owner: &UserId,
        name: &str,
        key: &str,
        found: &mut CandidateContacts,
    ) -> Result<(), ServiceError> {
        let query = Query {
            kinds: vec![NAME.to_owned()],
            flags: vec![by_group(key)],
            limit: GROUP_MEMBERS_MAX,
            ..Query::default()
        };
        let members = self.index.search(owner, &query).await?;
        if members.total > members.hits.len() {
            return Err(ServiceError::Refused(format!(
                "“{name}” has {} people, and I can look after {GROUP_MEMBERS_MAX} at once; nothing was done.",
                members.total
            )));
        }
        self.load(owner, members.hits.into_iter().map(|hit| hit.id), found).await
    }

    /// Those who are known by some of these words, and how many more are by all of them.
    async fn described(
        &self,
        owner: &UserId,
        words: Vec<String>,
        name: &str,
        found: &mut CandidateContacts,
    ) -> Result<usize, ServiceError> {
        let text = words.join(" ");
        let description = Description {
            kind: NAME.to_owned(),
            exact: terms::fold(name),
            limit: NAMESAKES_MAX,
            words,
            ..Description::default()
        };
        let candidates = self.index.candidates(owner, &description).await?;
        let offered = candidates.ids.len();
        self.load(owner, candidates.ids, found).await?;
        if candidates.more == 0 {
            return Ok(0);
        }
        let all = Query { kinds: vec![NAME.to_owned()], text, ..Query::default() };
        Ok(self.index.search(owner, &all).await?.total.saturating_sub(offered))
    }

    /// Those whose names begin alike, of whom this may be a slip.
    async fn begun(&self, owner: &UserId, name: &str, found: &mut CandidateContacts) -> Result<(), ServiceError> {
        let begin = |word: &String| format!("{}*", word.chars().take(SURE_LETTERS).collect::<String>());
        let long = |word: &String| word.chars().count() > SURE_LETTERS;
        let text: Vec<String> = people::name_words_of(name).iter().filter(|word| long(word)).map(begin).collect();
        if text.is_empty() {
            return Ok(());
        }
        let query = Query {
            kinds: vec![NAME.to_owned()],
            text: text.join(" "),
            needs: Needs::All,
            limit: NAMESAKES_MAX,
            ..Query::default()
        };
        let begun = self.index.search(owner, &query).await?;
        self.load(owner, begun.hits.into_iter().map(|hit| hit.id), found).await
    }

    /// Those of whom one of these is true.
    async fn flagged(
        &self,
        owner: &UserId,
        flags: impl IntoIterator<Item = String>,
        found: &mut CandidateContacts,
    ) -> Result<(), ServiceError> {
        for flag in flags.into_iter().collect::<Vec<_>>() {
            let kinds = vec![NAME.to_owned()];
            let query = Query { kinds, flags: vec![flag], limit: NAMESAKES_MAX, ..Query::default() };
            let flagged = self.index.search(owner, &query).await?;
            self.load(owner, flagged.hits.into_iter().map(|hit| hit.id), found).await?;
        }
        Ok(())
    }

    async fn load(
        &self,
        owner: &UserId,
        ids: impl IntoIterator<Item = String>,
        found: &mut CandidateContacts,
    ) -> Result<(), ServiceError> {
        for id in ids.into_iter().collect::<Vec<_>>() {
            if found.contains_key(&id) {
                continue;
            }
            if let Some(held) = self.store.load::<Contact>(&Key::of(&[owner.as_str(), &id])).await? {
                found.insert(id, held);
            }
        }
        Ok(())
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
