//! Findings: what a node gives, as summaries. No body of a letter ever stands in one.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::features::amounts::Amount;
use super::features::{ConversationFeatures, SenderSort};
use super::node::FindingSort;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;
use brain_services::services::contract::searchable::{FoundItem, Party};

/// A thing that was found, and why it is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found; see [`FoundItem`].
    pub item: FoundItem,
    /// What matters of it, in one line of at most 200 characters.
    pub summary: String,
    /// Whom it is with, where one of its people matters most.
    pub with: Option<Party>,
    /// Since when it waits.
    pub since: Option<DateTime<Utc>>,
    /// When it is due, if that is known.
    pub due: Option<DateTime<Utc>>,
    /// Of what sorts it is.
    pub sorts: Vec<FindingSort>,
    /// How well it fits, beside others of the same node.
    pub score: f32,
    /// What reading it told.
    pub features: Option<ConversationFeatures>,
    /// Amounts in it.
    pub amounts: Vec<Amount>,
    /// By what others call its matter: the references of bookings, orders, invoices that it names.
    #[serde(default)]
    pub references: Vec<String>,
    /// A model has read it closely.
    #[serde(default)]
    pub is_read: bool,
}

impl Finding {
    /// Of a thing that nobody has read.
    pub fn of(item: FoundItem) -> Self {
        Self {
            summary: shorten(&item.snippet, SNIPPET_CHARS_MAX),
            with: item.people.first().cloned(),
            since: None,
            due: None,
            sorts: Vec::new(),
            score: 0.0,
            features: None,
            amounts: Vec::new(),
            references: Vec::new(),
            is_read: false,
            item,
        }
    }

    /// Who takes part in it; where somebody waits, it is them that matter.
    pub fn takes_part(&self) -> impl Iterator<Item = &Party> {
        let waits = self.with.as_ref().filter(|_| self.since.is_some());
        let all = if waits.is_none() { self.item.people.as_slice() } else { &[] };
        waits.into_iter().chain(all)
    }

    /// Whether it is of this sort.
    pub fn is(&self, sort: FindingSort) -> bool {
        self.sorts.contains(&sort)
    }

    /// Whether it came later than another one of the same matter: what changed a booking.
    pub fn follows(&self, other: &Self) -> bool {
        self.item.at > other.item.at && self.references.iter().any(|one| other.references.contains(one))
    }

    /// Who sent it, as far as that was read.
    pub fn sender(&self) -> SenderSort {
        self.features.as_ref().map_or(SenderSort::Person, |features| features.sender)
    }
}

/// Somebody, and how often they were met with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedParty {
    /// The person who is counted.
    pub party: Party,
    /// In how many things.
    pub count: usize,
}

/// What a node gives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeOutput {
    /// In the order of the node's strategy.
    pub findings: Vec<Finding>,
    /// Those who take part in them, the most frequent first.
    pub people: Vec<CountedParty>,
    /// How many more there are behind the findings.
    pub more: usize,
    /// How many were not read, as the budget was spent.
    pub unread: usize,
    /// What could not be looked at, in words for the person.
    pub gaps: Vec<String>,
    /// It was found for an earlier question, and nothing has changed since.
    #[serde(skip)]
    pub is_kept: bool,
}

impl NodeOutput {
    /// With those who take part in the findings.
    pub fn of(findings: Vec<Finding>) -> Self {
        Self { people: counted(&findings), findings, ..Self::default() }
    }
}

/// Who takes part in how many of these, the most frequent first.
pub fn counted(findings: &[Finding]) -> Vec<CountedParty> {
    let mut tally = PartyTally::default();
    findings.iter().flat_map(Finding::takes_part).for_each(|party| tally.add(party, 1));
    tally.most_frequent()
}

/// Counts people who are the same as in [`is_same`], each as the first of those that are met.
#[derive(Debug, Default)]
pub struct PartyTally {
    people: Vec<CountedParty>,
    by_address: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
    /// Of those without an address.
    by_bare_name: HashMap<String, usize>,
}

impl PartyTally {
    /// Somebody was met with so often more.
    pub fn add(&mut self, party: &Party, count: usize) {
        let at = self.place(party);
        match at.and_then(|at| self.people.get_mut(at)) {
            Some(known) => known.count += count,
            None => {
                let (at, name) = (self.people.len(), party.name.to_ascii_lowercase());
                if party.address.is_empty() {
                    self.by_bare_name.entry(name.clone()).or_insert(at);
                } else {
                    self.by_address.entry(party.address.clone()).or_insert(at);
                }
                self.by_name.entry(name).or_insert(at);
                self.people.push(CountedParty { party: party.clone(), count });
            }
        }
    }

    /// Where somebody is who was met before.
    fn place(&self, party: &Party) -> Option<usize> {
        let name = party.name.to_ascii_lowercase();
        let of_name = |by: &HashMap<String, usize>| by.get(&name).copied().filter(|_| !name.is_empty());
        if party.address.is_empty() {
            return of_name(&self.by_name);
        }
        [self.by_address.get(&party.address).copied(), of_name(&self.by_bare_name)].into_iter().flatten().min()
    }

    /// How often somebody was met.
    pub fn count(&self, party: &Party) -> usize {
        self.place(party).and_then(|at| self.people.get(at)).map_or(0, |person| person.count)
    }

    /// Everybody, the most frequent first; of equally frequent ones whoever came up first.
    pub fn most_frequent(self) -> Vec<CountedParty> {
        let mut people = self.people;
        people.sort_by_key(|person| std::cmp::Reverse(person.count));
        people
    }
}

/// Whether both are the same person: by address, and by name where one has none.
pub fn is_same(a: &Party, b: &Party) -> bool {
    match (a.address.is_empty(), b.address.is_empty()) {
        (false, false) => a.address == b.address,
        (true, _) | (_, true) => !a.name.is_empty() && a.name.eq_ignore_ascii_case(&b.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_is_counted_once_by_address_and_where_one_has_none_by_name() {
        let party =
            |name: &str, address: &str| Party { name: name.to_owned(), address: address.to_owned(), known_as: None };
        let all = [
            party("Kim", "kim@a.example"),
            party("Kim", "kim@b.example"),
            party("kim", ""),
            party("", "kim@b.example"),
            party("Lee", ""),
            party("Lee", "lee@a.example"),
            party("", ""),
            party("", ""),
        ];
        let mut tally = PartyTally::default();
        let mut people: Vec<CountedParty> = Vec::new();
        for party in &all {
            tally.add(party, 1);
            match people.iter_mut().find(|known| is_same(&known.party, party)) {
                Some(known) => known.count += 1,
                None => people.push(CountedParty { party: party.clone(), count: 1 }),
            }
        }
        assert!(all.iter().all(|one| {
            tally.count(one) == people.iter().find(|known| is_same(&known.party, one)).map_or(0, |known| known.count)
        }));
        people.sort_by_key(|person| std::cmp::Reverse(person.count));
        assert_eq!(tally.most_frequent(), people);
    }
}
