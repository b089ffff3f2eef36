//! Who may be meant: saved contacts by the search index, the file's cards by their words, and who was seen in mail.
//!
//! Invariants: whoever is given, is given whole: a contact with the card of the same person, and nobody from mail whose
//! address is somebody's who is saved or given. What makes two the same is an address, never a name; and whom the
//! person has written to is hidden by no card that others write.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use async_trait::async_trait;

use super::person::{complete, person_of, person_saved, put_first, says_another, seen};
use super::record::{Contact, NAME, by_address, by_group, by_name, by_word};
use super::service::Contacts;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Freshness;
use crate::services::helpers::address_book::{AddressBook, KnownNames, PeopleQuery, Person};
use brain_core::core::ids::UserId;
use brain_core::core::text::grouped;
use brain_core::limits::{GROUP_MEMBERS_MAX, NAMESAKES_MAX, PEOPLE_FLAGS_MAX};
use brain_core::ports::{Description, Key, Needs, Query, RecordExt};
use brain_language::language::people::{self, Candidate, Familiarity, PeopleMatcher};
use brain_language::language::terms;

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
    /// See [`SavedContacts::crowds`].
    crowds: BTreeMap<String, usize>,
}

/// The store's contacts that may be meant.
#[derive(Debug, Default)]
pub(super) struct SavedContacts {
    pub contacts: CandidateContacts,
    /// As in [`People`].
    pub more: usize,
    /// Names of groups that are too large to be looked after, and how many members each has: none of them is given.
    crowds: BTreeMap<String, usize>,
}

/// The store's contacts by their addresses, in small letters.
#[derive(Debug, Default)]
struct ContactsByAddress(HashMap<String, Vec<Arc<Contact>>>);

impl ContactsByAddress {
    fn with(&self, address: &str) -> &[Arc<Contact>] {
        self.0.get(&address.to_lowercase()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whose this address is among them; `None`: nobody's.
    fn holder(&self, address: &str) -> Option<AddressHolder> {
        let is_owners = |contact: &Arc<Contact>| !contact.is_others(&contact.name) && !contact.is_others(address);
        match self.with(address) {
            [] => None,
            saved if saved.iter().any(is_owners) => Some(AddressHolder::Owner),
            _ => Some(AddressHolder::Card),
        }
    }
}

fn lower(address: impl AsRef<str>) -> String {
    address.as_ref().to_lowercase()
}

/// A group that is larger than whoever asks can use is nobody: part of it would be another group.
fn refuse_crowds(asked: &PeopleQuery, found: &People) -> Result<(), ServiceError> {
    if asked.members_max.is_none() && found.crowds.is_empty() {
        return Ok(());
    }
    let candidates: Vec<Candidate> = found.people.iter().map(Into::into).collect();
    for name in &asked.names {
        let members = people::members_of(name, &candidates);
        let crowd = found.crowds.get(name).filter(|_| !people::is_called(name, &candidates)).copied();
        let all = grouped(crowd.unwrap_or(0).max(members));
        let why = match asked.members_max {
            Some(most) if crowd.is_some() || members > most => format!(
                "“{name}” has {all} members, and one mail, invitation or watch takes {most} people at most, so nothing \
                 was done. Name those it is for, or use an address that reaches all of them."
            ),
            None if crowd.is_some() => format!(
                "“{name}” has {all} people, and I can look after {} at once; nothing was done.",
                grouped(GROUP_MEMBERS_MAX)
            ),
            Some(_) | None => continue,
        };
        return Err(ServiceError::Refused(why));
    }
    Ok(())
}

impl Contacts {
    /// Everybody who may be meant.
    pub(super) async fn look_up(&self, owner: &UserId, asked: &PeopleQuery) -> Result<People, ServiceError> {
        let mut found = self.saved(owner, asked).await?;
        let filter = asked.filter();
        let may_be_meant = |person: &Person| filter.may_mean(&Candidate::from(person));
        let mail = self.mailboxes.mail(owner).await?;
        let mut met: Vec<Person> = mail.people().iter().cloned().map(seen).collect();
        met.retain(may_be_meant);
        let addresses: BTreeSet<String> = met.iter().filter_map(|person| person.emails.first()).map(lower).collect();
        let (saved, cards) = (self.by_address(owner, &addresses).await?, self.cards().await?);
        let has_one = |one: &&Person| one.emails.iter().any(|email| addresses.contains(&lower(email)));
        let given = found.people.iter().filter(has_one).filter(|one| may_be_meant(one));
        let given: HashSet<String> = given.flat_map(|one| &one.emails).map(lower).collect();
        for person in met {
            let Some(address) = person.emails.first().filter(|address| !given.contains(&lower(address))) else {
                continue;
            };
            let holder = saved.holder(address).or(cards.with_address(address).map(|_| AddressHolder::Card));
            let is_hidden = match person.known {
                Familiarity::Seen => holder.is_some(),
                Familiarity::Listed | Familiarity::Written | Familiarity::Saved => holder == Some(AddressHolder::Owner),
            };
            if !is_hidden {
                found.people.push(person);
            }
        }
        refuse_crowds(asked, &found)?;
        Ok(found)
    }

    /// The store's contacts with these addresses.
    async fn by_address<'a>(
        &self,
        owner: &UserId,
        addresses: impl IntoIterator<Item = &'a String>,
    ) -> Result<ContactsByAddress, ServiceError> {
        let mut found = CandidateContacts::new();
        self.flagged(owner, addresses.into_iter().map(|address| by_address(address)), &mut found).await?;
        let mut by_address = ContactsByAddress::default();
        for (contact, _) in found.into_values() {
            let contact = Arc::new(contact);
            for address in contact.emails.iter().map(lower).collect::<BTreeSet<_>>() {
                by_address.0.entry(address).or_default().push(Arc::clone(&contact));
            }
        }
        Ok(by_address)
    }

    /// What the owner calls those who have these addresses: by whom they saved, else as they wrote in front of it.
    pub(super) async fn known_names(
        &self,
        owner: &UserId,
        addresses: &BTreeSet<String>,
    ) -> Result<KnownNames, ServiceError> {
        let (cards, mail) = (self.cards().await?, self.mailboxes.mail(owner).await?);
        let saved = self.by_address(owner, addresses).await?;
        let name = |address: &String| {
            let is_own =
                |contact: &&Arc<Contact>| !contact.is_others(&contact.name) && !says_another(&contact.name, address);
            let saved = saved.with(address).iter().find(is_own).map(|contact| contact.name.clone());
            let carded = || cards.with_address(address).map(|card| card.name.clone());
            let carded = || carded().filter(|name| !says_another(name, address));
            let name = saved.or_else(carded).or_else(|| mail.named(address)).filter(|name| !name.trim().is_empty());
            name.map(|name| (address.clone(), name))
        };
        Ok(addresses.iter().filter_map(name).collect())
    }

    /// Saved people: the store's contacts, and the file's cards they do not already complete.
    pub(super) async fn saved(&self, owner: &UserId, asked: &PeopleQuery) -> Result<People, ServiceError> {
        let cards = self.cards().await?;
        // Who is saved must not hang on a mailbox: where it cannot be read, nobody was written to.
        let mail = self.mailboxes.mail(owner).await.ok();
        let is_written_to = |address: &str| mail.as_ref().is_some_and(|mail| mail.is_written_to(address));
        let SavedContacts { contacts, more, crowds } = self.contacts(owner, asked).await?;
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
        Ok(People { people, more, crowds })
    }

    /// The store's contacts that may be meant, and those that complete the cards that may be.
    pub(super) async fn contacts(&self, owner: &UserId, asked: &PeopleQuery) -> Result<SavedContacts, ServiceError> {
        let cards = self.cards().await?;
        let mut found = SavedContacts::default();
        for name in &asked.names {
            self.named(owner, name, asked.members_max, &mut found).await?;
        }
        let words = asked.said.iter().map(|word| by_word(word));
        let mut flags: Vec<String> = words.chain(asked.addresses.iter().map(|address| by_address(address))).collect();
        for card in cards.meant(asked).into_iter().filter_map(|at| cards.get(at)) {
            flags.extend(card.emails.iter().map(|email| by_address(email)).chain([by_name(&card.name)]));
        }
        self.flagged(owner, flags, &mut found.contacts).await?;
        Ok(found)
    }

    /// Contacts that one name, address or group may mean.
    async fn named(
        &self,
        owner: &UserId,
        name: &str,
        members_max: Option<usize>,
        found: &mut SavedContacts,
    ) -> Result<(), ServiceError> {
        let mut ids = self.flagged(owner, [by_address(name)], &mut found.contacts).await?;
        // An address names no group.
        let groups = people::group_keys(name).into_iter().filter(|group| !name.contains('@') && !group.is_empty());
        for group in groups {
            ids.extend(self.members(owner, name, &group, members_max, found).await?);
        }
        ids.extend(self.described(owner, people::words_meant(name), name, found).await?);
        let asked = PeopleMatcher::of([name]);
        let fits = |id: &String| {
            let contact = found.contacts.get(id);
            contact.is_some_and(|(contact, _)| asked.may_mean(&Candidate::from(&person_saved(contact))))
        };
        if !ids.iter().any(fits) {
            self.begun(owner, name, &mut found.contacts).await?;
        }
        Ok(())
    }

    /// All members of a group: part of them would be another group. Of one that is too large, how many there are.
    async fn members(
        &self,
        owner: &UserId,
        name: &str,
        key: &str,
        members_max: Option<usize>,
        found: &mut SavedContacts,
    ) -> Result<Vec<String>, ServiceError> {
        let query = Query {
            kinds: vec![NAME.to_owned()],
            flags: vec![by_group(key)],
            limit: members_max.unwrap_or(GROUP_MEMBERS_MAX).min(GROUP_MEMBERS_MAX),
            ..Query::default()
        };
        let members = self.index.search(owner, &query).await?;
        if members.total > members.hits.len() {
            found.crowds.insert(name.to_owned(), members.total);
            return Ok(Vec::new());
        }
        self.load(owner, members.hits.into_iter().map(|hit| hit.id).collect(), &mut found.contacts).await
    }

    /// Those who are known by some of these words; of who else is by all of them, how many.
    async fn described(
        &self,
        owner: &UserId,
        words: Vec<String>,
        name: &str,
        found: &mut SavedContacts,
    ) -> Result<Vec<String>, ServiceError> {
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
        let ids = self.load(owner, candidates.ids, &mut found.contacts).await?;
        if candidates.more > 0 {
            let all = Query { kinds: vec![NAME.to_owned()], text, ..Query::default() };
            found.more += self.index.search(owner, &all).await?.total.saturating_sub(offered);
        }
        Ok(ids)
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
        self.load(owner, begun.hits.into_iter().map(|hit| hit.id).collect(), found).await?;
        Ok(())
    }

    /// Those of whom one of these is true; gives their ids.
    async fn flagged(
        &self,
        owner: &UserId,
        flags: impl IntoIterator<Item = String>,
        found: &mut CandidateContacts,
    ) -> Result<Vec<String>, ServiceError> {
        let flags: BTreeSet<String> = flags.into_iter().collect();
        let flags: Vec<String> = flags.into_iter().collect();
        let mut ids = Vec::new();
        for some in flags.chunks(PEOPLE_FLAGS_MAX) {
            let (of_any, all) = self.with_any(owner, some).await?;
            if all <= of_any.len() {
                ids.extend(of_any);
                continue;
            }
            // Those of whom a frequent one is true take no place of the others.
            for flag in some {
                ids.extend(self.with_any(owner, std::slice::from_ref(flag)).await?.0);
            }
        }
        self.load(owner, ids, found).await
    }

    /// The ids of those of whom any of these is true, and how many they are in all.
    async fn with_any(&self, owner: &UserId, flags: &[String]) -> Result<(Vec<String>, usize), ServiceError> {
        let (kinds, limit) = (vec![NAME.to_owned()], NAMESAKES_MAX * flags.len());
        let query = Query { kinds, any_flags: flags.to_vec(), limit, ..Query::default() };
        let found = self.index.search(owner, &query).await?;
        Ok((found.hits.into_iter().map(|hit| hit.id).collect(), found.total))
    }

    /// Those of these ids, which it gives back.
    async fn load(
        &self,
        owner: &UserId,
        ids: Vec<String>,
        found: &mut CandidateContacts,
    ) -> Result<Vec<String>, ServiceError> {
        for id in &ids {
            if found.contains_key(id) {
                continue;
            }
            if let Some(held) = self.store.load::<Contact>(&Key::of(&[owner.as_str(), id])).await? {
                found.insert(id.clone(), held);
            }
        }
        Ok(ids)
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
