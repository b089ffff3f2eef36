//! Debts of a conversation: who owes whom what, letter by letter.
//!
//! The letters are walked in their order, with the debts of each side, each with those who have a say in it: who asked,
//! and who was asked (To; of what the person asks, Cc as well). Whoever has none adds a debt of their own at most, and
//! settles nothing:
//!
//! | letter | says | what the person owes its writer | what its writer owes |
//! |---|---|---|---|
//! | of others, to the person | asks | an answer, since it was first asked | – |
//! | | promises to deliver | stays | what was promised |
//! | | wants nothing more, and asks nothing behind that | nothing | nothing |
//! | | thanks | what was promised stays | nothing |
//! | | of somebody else who was asked as well | nothing: it was answered | nothing |
//! | | anything else | stays | nothing: they have answered |
//! | of others who have no say | anything | stays | stays |
//! | of the person | asks | nothing | an answer |
//! | | promises to deliver | what was promised | stays |
//! | | wants nothing more | nothing | nothing |
//! | | anything else | nothing: it was answered | stays |
//! | of a machine, a list or a swindler, in whoever's name | anything | stays | stays |
//!
//! What is owed for a day is settled when the side that waits for it writes after that day and asks for nothing: who
//! still waited would say so. A promise also counts as kept when it is thanked for days after it was made. A promise
//! that names no day is for the day of what it answers. What is settled by another conversation: see `elsewhere`.
//!
//! Deliberately not here: what a letter says ([`conversation`](super::features::conversation)).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use super::features::sender::is_desk;
use brain_services::services::contract::searchable::{Party, WrittenText};

/// Thanks that come later are not for the promise, but for what was promised.
const THANKS_FOR_A_PROMISE: Duration = Duration::days(2);

/// How a debt came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebtKind {
    /// It was asked for.
    Asked,
    /// It was promised.
    Promised,
}

/// What one side owes the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Debt {
    /// How it came about.
    pub kind: DebtKind,
    /// The sentence that says so.
    pub sentence: String,
    /// Whom the other side is, or who of them said it.
    pub with: Party,
    /// Since when it is open.
    pub since: DateTime<Utc>,
    /// When it was said last.
    pub last: DateTime<Utc>,
    /// By when, as far as the sentence says.
    pub due: Option<DateTime<Utc>>,
    /// The day it was promised for, where it was asked for again after that.
    #[serde(default)]
    pub missed: Option<DateTime<Utc>>,
}

/// A debt that stands at some letter, and who has a say in it: who asked and who was asked.
#[derive(Debug)]
struct OpenDebt {
    debt: Debt,
    /// The person's own side is not among them; nobody where that is not known.
    parties: Vec<Party>,
}

/// What a letter does to debts.
pub(super) struct LedgerEntry<'a> {
    pub written: &'a WrittenText,
    /// The other side.
    pub with: &'a Party,
    pub at: DateTime<Utc>,
    pub asked: Option<Debt>,
    pub promised: Option<Debt>,
    /// Nothing but a word of courtesy makes what it asks a request.
    pub is_only_polite: bool,
    pub is_settled: bool,
    pub is_agreed: bool,
    pub is_thanks: bool,
}

/// What stands open, each side's the oldest first.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    i_owe: Vec<OpenDebt>,
    they_owe: Vec<OpenDebt>,
}

impl Ledger {
    /// What is owed longest by the person, and by the others.
    pub fn oldest(self) -> (Option<Debt>, Option<Debt>) {
        let first = |debts: Vec<OpenDebt>| debts.into_iter().next().map(|open| open.debt);
        (first(self.i_owe), first(self.they_owe))
    }

    /// By when something is owed by one side.
    pub fn due(&self, is_own: bool) -> Option<DateTime<Utc>> {
        let debts = if is_own { &self.i_owe } else { &self.they_owe };
        debts.iter().find_map(|open| open.debt.due)
    }

    /// A letter of a person.
    pub fn enter(&mut self, mut entry: LedgerEntry<'_>) {
        let (asked, promised) = (entry.asked.take(), entry.promised.take());
        if entry.written.is_own { self.own(&entry, asked, promised) } else { self.of_other(&entry, asked, promised) }
    }

    fn own(&mut self, entry: &LedgerEntry<'_>, asked: Option<Debt>, promised: Option<Debt>) {
        let LedgerEntry { written, with, .. } = entry;
        let beside = if written.to.is_empty() { std::slice::from_ref(*with) } else { &[] };
        self.i_owe = promised.map(|debt| open(debt, beside, written)).into_iter().collect();
        match asked.map(|debt| open(debt, beside, written)) {
            Some(mut asked) => {
                // Whoever of those answers whom the person has written to, they are answered.
                asked.parties.extend(written.copied.iter().cloned());
                let asks = |open: &OpenDebt| {
                    open.parties.is_empty()
                        || asked.parties.iter().any(|by| open.parties.iter().any(|party| answers_for(by, party)))
                };
                let again = self.they_owe.iter().position(asks);
                add(&mut self.they_owe, again, asked);
            }
            None if entry.is_settled => self.they_owe.clear(),
            None => self.they_owe.retain(|open| {
                let suits = entry.is_agreed && open.debt.kind == DebtKind::Asked;
                !suits && !is_kept(&open.debt, entry)
            }),
        }
    }

    /// It settles what its writer asked for, or was asked for, and nothing besides.
    fn of_other(&mut self, entry: &LedgerEntry<'_>, asked: Option<Debt>, promised: Option<Debt>) {
        let written = entry.written;
        let is_of = |open: &OpenDebt| open.parties.is_empty() || open.parties.iter().any(|p| speaks_for(written, p));
        let is_asker = |open: &OpenDebt| speaks_for(written, &open.debt.with);
        // A fragment with a word of courtesy delivers what was asked for, and asks nothing by itself.
        let has_asked = self.they_owe.iter().any(|open| open.debt.kind == DebtKind::Asked && is_of(open));
        let asked = asked.filter(|_| !(has_asked && entry.is_only_polite));
        self.they_owe.retain(|open| !is_of(open));
        let promised = promised.filter(|_| asked.is_some() || !entry.is_settled);
        self.they_owe.extend(promised.map(|debt| OpenDebt { debt, parties: vec![written.by.clone()] }));
        if let Some(asked) = asked {
            let again = self.i_owe.iter().position(is_asker);
            return add(&mut self.i_owe, again, open(asked, std::slice::from_ref(&written.by), written));
        }
        self.i_owe.retain(|open| {
            let is_request = open.debt.kind == DebtKind::Asked;
            let is_over = entry.is_settled
                || is_asker(open) && is_kept(&open.debt, entry)
                || is_request && (!is_asker(open) || entry.is_thanks || entry.is_agreed);
            !(is_of(open) && is_over)
        });
    }
}

/// A debt with those whom a letter goes to, and whoever else has a say in it.
fn open(debt: Debt, beside: &[Party], written: &WrittenText) -> OpenDebt {
    let parties = beside.iter().chain(&written.to).filter(|party| !party.address.is_empty());
    OpenDebt { debt, parties: parties.cloned().collect() }
}

/// A debt more, or again in place of an earlier one.
fn add(debts: &mut Vec<OpenDebt>, again: Option<usize>, now: OpenDebt) {
    match again.and_then(|at| debts.get_mut(at)) {
        Some(open) => *open = OpenDebt { debt: longest(&open.debt, now.debt), ..now },
        None => debts.push(now),
    }
}

/// Whether a letter counts as one of whoever was written to: its writer answers for them, or it came by their address
/// alone, which then is that of a group.
fn speaks_for(written: &WrittenText, party: &Party) -> bool {
    let is_through = !written.is_to_me && written.to.iter().any(|to| to.address == party.address);
    is_through && !party.address.is_empty() || answers_for(&written.by, party)
}

/// Whether somebody answers for whoever was asked: by the address, by the owner's name for both, or as one of those
/// behind an address of several.
pub(super) fn answers_for(by: &Party, asked: &Party) -> bool {
    let domain = |party: &Party| party.address.rsplit_once('@').map(|(_, domain)| domain.to_owned());
    let is_known = by.known_as.is_some() && by.known_as == asked.known_as;
    let is_house = (is_desk(by) || is_desk(asked)) && domain(by).is_some() && domain(by) == domain(asked);
    is_known || is_house || !by.address.is_empty() && by.address == asked.address
}

/// Whether a letter of the side that something is owed to, which asks for nothing, tells that it came or is needless.
fn is_kept(debt: &Debt, entry: &LedgerEntry<'_>) -> bool {
    let is_past = debt.due.is_some_and(|due| due < entry.at);
    let is_promise = debt.kind == DebtKind::Promised;
    is_past || (is_promise && entry.is_thanks && entry.at - debt.last > THANKS_FOR_A_PROMISE)
}

/// A debt that was asked for again is open since it was first asked for; what was promised is owed since then.
fn longest(earlier: &Debt, now: Debt) -> Debt {
    let since = if earlier.kind == DebtKind::Asked { earlier.since.min(now.since) } else { now.since };
    let missed = earlier.due.filter(|due| earlier.kind == DebtKind::Promised && *due <= now.since);
    Debt { since, missed: missed.or(earlier.missed), ..now }
}
