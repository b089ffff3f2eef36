//! Findings: what a node gives, as summaries. No body of a letter ever stands in one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::features::amounts::Amount;
use super::features::{ConversationFeatures, SenderSort};
use super::node::FindingSort;
use crate::core::text::shorten;
use crate::limits::SNIPPET_CHARS_MAX;
use crate::services::searchable::{FoundItem, Party};

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
            item,
        }
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
    let mut people: Vec<CountedParty> = Vec::new();
    // Where somebody waits, it is them that matter.
    let of = |finding: &'_ Finding| match (&finding.with, finding.since) {
        (Some(with), Some(_)) => vec![with.clone()],
        (Some(_) | None, _) => finding.item.people.clone(),
    };
    for party in &findings.iter().flat_map(of).collect::<Vec<_>>() {
        match people.iter_mut().find(|known| is_same(&known.party, party)) {
            Some(known) => known.count += 1,
            None => people.push(CountedParty { party: party.clone(), count: 1 }),
        }
    }
    // Stable: of equally frequent ones whoever came up first.
    people.sort_by_key(|person| std::cmp::Reverse(person.count));
    people
}

/// Whether both are the same person: by address, and by name where one has none.
pub fn is_same(a: &Party, b: &Party) -> bool {
    match (a.address.is_empty(), b.address.is_empty()) {
        (false, false) => a.address == b.address,
        (true, _) | (_, true) => !a.name.is_empty() && a.name.eq_ignore_ascii_case(&b.name),
    }
}
