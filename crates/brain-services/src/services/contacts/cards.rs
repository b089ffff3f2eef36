//! The cards of the installation's address book, and which of them words may mean.
//!
//! The file is read again whenever it changes. Cards are looked up by the words of their names, so that a long address
//! book costs no more than a short one.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::person::person_of;
use super::record::Contact;
use super::vcard::{self, Card};
use crate::services::helpers::address_book::PeopleQuery;
use brain_core::limits::VCF_BYTES_MAX;
use brain_language::language::people::{self, Candidate};
use brain_language::language::words::fold;

/// The file as it was read last.
#[derive(Debug, Default)]
pub(super) struct File {
    stamp: Option<(SystemTime, u64)>,
    cards: Arc<Cards>,
    readings: u64,
}

impl File {
    /// The cards as they are now; none when it cannot be read.
    pub fn read(&mut self, path: &Path) -> Arc<Cards> {
        let meta = std::fs::metadata(path).ok().filter(|meta| meta.is_file());
        let stamp = meta.and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if stamp != self.stamp {
            let cards = match stamp {
                Some((_, len)) if len <= VCF_BYTES_MAX => {
                    std::fs::read(path).map(|bytes| vcard::parse(&bytes)).unwrap_or_default()
                }
                Some(_) | None => Vec::new(),
            };
            self.cards = Arc::new(Cards::new(cards));
            self.stamp = stamp;
            self.readings += 1;
        }
        Arc::clone(&self.cards)
    }

    /// How often it was read, as it had changed.
    pub fn readings(&self) -> u64 {
        self.readings
    }
}

/// Cards, and where each word of a name, each address and each group stands.
#[derive(Debug, Default)]
pub(super) struct Cards {
    cards: Vec<Card>,
    words: HashMap<String, Vec<usize>>,
    /// By whole name, folded, and by address, in lower case.
    same: HashMap<String, Vec<usize>>,
}

impl Cards {
    fn new(cards: Vec<Card>) -> Self {
        let mut new = Self::default();
        for (at, card) in cards.iter().enumerate() {
            for word in people::handles(&Candidate::from(&person_of(card))) {
                new.words.entry(word).or_default().push(at);
            }
            for key in keys(&card.name, &card.emails) {
                new.same.entry(key).or_default().push(at);
            }
        }
        Self { cards, ..new }
    }

    /// Those that may be meant, by their place in the file.
    pub fn meant(&self, asked: &PeopleQuery) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = asked.addresses.iter().flat_map(|address| self.by_key(address)).collect();
        for handle in asked.names.iter().flat_map(|name| people::handles_of(name)).chain(asked.said.iter().cloned()) {
            found.extend(self.words.get(&handle).into_iter().flatten());
        }
        for word in asked.names.iter().flat_map(|name| people::name_words_of(name)) {
            let near = self.words.iter().filter(|(known, _)| people::is_slip(&word, known));
            found.extend(near.flat_map(|(_, at)| at));
        }
        let asked = asked.filter();
        found.retain(|at| self.cards.get(*at).is_some_and(|card| asked.may_mean(&Candidate::from(&person_of(card)))));
        found
    }

    /// Those of the same person as a contact: with an address of theirs, or one that they had beside it when the
    /// contact was saved. A contact without any belongs to the only card of its name.
    pub fn joined(&self, contact: &Contact) -> BTreeSet<usize> {
        let addresses = || contact.emails.iter().chain(&contact.beside);
        let joined: BTreeSet<usize> = addresses().flat_map(|email| self.by_key(&email.to_ascii_lowercase())).collect();
        let has_one = |at: &usize| {
            let theirs = self.cards.get(*at).map(|card| card.emails.as_slice()).unwrap_or_default();
            addresses().any(|email| theirs.iter().any(|one| one.eq_ignore_ascii_case(email)))
        };
        if addresses().next().is_some() || contact.is_others(&contact.name) {
            return joined.into_iter().filter(has_one).collect();
        }
        let called: BTreeSet<usize> = self.by_key(&fold(&contact.name)).collect();
        if called.len() == 1 { called } else { BTreeSet::new() }
    }

    fn by_key<'a>(&'a self, key: &str) -> impl Iterator<Item = usize> + use<'a> {
        self.same.get(key).into_iter().flatten().copied()
    }

    /// The first of those with this address.
    pub fn with_address(&self, address: &str) -> Option<&Card> {
        let at = self.same.get(&address.to_ascii_lowercase()).into_iter().flatten();
        let has_it = |card: &&Card| card.emails.iter().any(|email| email.eq_ignore_ascii_case(address));
        at.filter_map(|at| self.get(*at)).find(has_it)
    }

    /// One of them.
    pub fn get(&self, at: usize) -> Option<&Card> {
        self.cards.get(at)
    }
}

fn keys<'a>(name: &'a str, emails: &'a [String]) -> impl Iterator<Item = String> + 'a {
    std::iter::once(fold(name)).chain(emails.iter().map(|email| email.to_ascii_lowercase()))
}
