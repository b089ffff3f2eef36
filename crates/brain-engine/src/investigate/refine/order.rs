//! Reading order: in which order things are read, and what of them goes on.
//!
//! The order is known by the features of all that was found, so nothing is cut by its age before. Invariant: what
//! features tell of a thing is never lost to the order; a wrong one costs a closer look and no finding.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::investigate::features::{Debt, DebtKind, SenderSort};
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::{BatchThreadRead, FindingSort, ReadField};
use brain_services::services::contract::searchable::ItemKind;

/// How much it matters that a thing is read; the first matters most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadingRank {
    /// Somebody waits for the person; the person for somebody, where that is asked.
    First,
    /// Somebody wrote, and the person has never answered: what features did not see may wait there, and is found by no
    /// other way.
    Unanswered,
    /// Something else is owed, by the person or to them. Features tell it, read or not.
    Owed,
    /// Nobody has written since whoever may be waiting did.
    TheirTurn,
    /// Anything else.
    Other,
    /// A machine wrote it, or it went to many: nobody waits.
    Unattended,
    /// It reads like a fraud.
    Suspect,
}

/// Whether those are asked for who owe the person something.
fn is_of_others(params: &BatchThreadRead) -> bool {
    use FindingSort as S;
    matches!(params.first, Some(S::WaitsForOthers | S::PromisedToMe | S::OpenPromiseToMe))
}

fn rank_of(params: &BatchThreadRead, finding: &Finding, now: DateTime<Utc>) -> ReadingRank {
    let (sender, features) = (finding.sender(), finding.features.as_ref());
    if sender == SenderSort::Suspect {
        return ReadingRank::Suspect;
    }
    let Some(features) = features else { return ReadingRank::Other };
    let is_due = |debt: &Debt| debt.kind == DebtKind::Asked || debt.due.is_none_or(|due| due <= now);
    let is_first = match is_of_others(params) {
        true => features.they_owe.is_some(),
        false => features.i_owe.as_ref().is_some_and(is_due),
    };
    if is_first {
        return ReadingRank::First;
    }
    if features.i_owe.is_some() || features.they_owe.is_some() {
        return ReadingRank::Owed;
    }
    // Who wrote it says nothing of how well it fits a topic.
    let is_of_debts = params.fields.iter().any(|field| matches!(field, ReadField::Waiting | ReadField::Promises));
    if !is_of_debts || params.about.is_some() {
        return ReadingRank::Other;
    }
    if sender != SenderSort::Person {
        return ReadingRank::Unattended;
    }
    let letters: usize = features.partners.iter().map(|(_, letters)| letters).sum();
    match (is_of_others(params), features.is_own_last) {
        (false, false) if letters == 1 => ReadingRank::Unanswered,
        // Whose turn it is to write, may be waited for.
        (false, false) | (true, true) => ReadingRank::TheirTurn,
        (false, true) | (true, false) => ReadingRank::Other,
    }
}

/// The places of all that can be read, the best first: by their rank, due soonest, waited for longest; then what fits
/// best.
fn in_order(params: &BatchThreadRead, findings: &[Finding], now: DateTime<Utc>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..findings.len()).filter(|&at| findings[at].item.kind != ItemKind::Person).collect();
    let key = |at: usize| {
        let features = findings[at].features.as_ref();
        let debt = features.and_then(|features| match is_of_others(params) {
            true => features.they_owe.as_ref().or(features.i_owe.as_ref()),
            false => features.i_owe.as_ref().or(features.they_owe.as_ref()),
        });
        let due = debt.and_then(|debt| debt.due).unwrap_or(DateTime::<Utc>::MAX_UTC);
        (rank_of(params, &findings[at], now), due, debt.map(|debt| debt.since))
    };
    order.sort_by(|&a, &b| key(a).cmp(&key(b)).then(findings[b].score.total_cmp(&findings[a].score)));
    order
}

/// The places of the things that are read: as many as the node wants, and `most` at most, the best of them. The rest is
/// unread.
pub(super) fn best_first(
    params: &BatchThreadRead,
    findings: &[Finding],
    now: DateTime<Utc>,
    most: usize,
) -> Vec<usize> {
    let mut order = in_order(params, findings, now);
    order.truncate(params.max_items.map_or(most, |wanted| wanted.min(most)));
    order
}

/// Leaves out what is beyond the most that the node wants, unless features tell something of it; says how many.
pub(super) fn leave_out(params: &BatchThreadRead, output: &mut NodeOutput, now: DateTime<Utc>) -> usize {
    let Some(most) = params.max_items else { return 0 };
    let beyond = in_order(params, &output.findings, now).into_iter().skip(most);
    let beyond: HashSet<usize> = beyond.filter(|&at| !is_told(params, &output.findings[at])).collect();
    let mut place = 0;
    output.findings.retain(|_| {
        place += 1;
        !beyond.contains(&(place - 1))
    });
    beyond.len()
}

/// Whether features tell something of it that is asked for.
fn is_told(params: &BatchThreadRead, finding: &Finding) -> bool {
    let owes_or_promised = finding.features.as_ref().is_some_and(|features| {
        let is_promise = params.fields.contains(&ReadField::Promises) && !features.promises.is_empty();
        features.i_owe.is_some() || features.they_owe.is_some() || is_promise
    });
    let is_told = owes_or_promised || !finding.sorts.is_empty() || !finding.amounts.is_empty();
    is_told && finding.sender() != SenderSort::Suspect
}
