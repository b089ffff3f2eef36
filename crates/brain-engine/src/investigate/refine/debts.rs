//! Who owes whom, as a model reads it: what it says of a thing, beside what features tell.
//!
//! Invariant: it counts for that thing alone, and a day that is far away for nothing.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;

use super::RefineContext;
use crate::investigate::features::{Debt, DebtKind, PromiseMade};
use crate::investigate::finding::Finding;
use brain_services::services::contract::searchable::Party;
use brain_services::services::contract::show::Moment;

/// A day that lies farther away than this was made up.
const DUE_WITHIN: Duration = Duration::days(2 * 366);

/// Whose turn something is: who is waited for, or who has promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OwingSide {
    Me,
    Others,
    Both,
    Nobody,
}

/// What a model says of a debt.
pub(super) struct ReadDebt {
    pub summary: String,
    pub since: Option<DateTime<Utc>>,
    pub due: Option<DateTime<Utc>>,
    /// Its days count for more than those that features found.
    pub is_trusted: bool,
}

/// What is promised and still to be done, as the model reads it: what features did not see is added, with the debt that
/// it is.
pub(super) fn promised(finding: &mut Finding, side: Option<OwingSide>, says: &ReadDebt) {
    let (Some(features), Some(side), Some(at)) = (finding.features.as_mut(), side, finding.item.at) else { return };
    let with = finding.item.people.first().cloned().unwrap_or_default();
    for is_own in [true, false] {
        let is_meant = match side {
            OwingSide::Both => true,
            OwingSide::Me => is_own,
            OwingSide::Others => !is_own,
            OwingSide::Nobody => false,
        };
        let is_known = features.promises.iter().any(|promise| promise.is_own == is_own);
        if is_meant && !is_known {
            let (sentence, at) = (says.summary.clone(), says.since.unwrap_or(at));
            features.promises.push(PromiseMade { is_own, with: with.clone(), sentence, at, due: says.due });
        }
        let debt = if is_own { &mut features.i_owe } else { &mut features.they_owe };
        // What is owed is something else; a promise that is kept, beside nothing that is owed, was one all the same.
        if !is_meant && says.is_trusted && debt.is_some() {
            features.promises.retain(|promise| promise.is_own != is_own);
        }
        if is_meant && debt.is_none() {
            *debt = Some(Debt { kind: DebtKind::Promised, ..says.debt(with.clone(), at) });
        }
    }
}

impl ReadDebt {
    fn debt(&self, with: Party, at: DateTime<Utc>) -> Debt {
        let (sentence, since) = (self.summary.clone(), self.since.unwrap_or(at));
        Debt { kind: DebtKind::Asked, sentence, with, since, last: at, due: self.due, missed: None }
    }
}

/// Who owes whom, as the model reads it. What features know of since when and by when stays with a small one.
pub(super) fn waits(finding: &mut Finding, waiting: Option<OwingSide>, says: &ReadDebt) {
    let (Some(features), Some(waiting), Some(at)) = (finding.features.as_mut(), waiting, finding.item.at) else {
        return;
    };
    let with = finding.item.people.first().cloned().unwrap_or_default();
    let owed = |known: Option<Debt>| {
        let mut debt = known.unwrap_or_else(|| says.debt(with.clone(), at));
        if !says.summary.is_empty() {
            debt.sentence.clone_from(&says.summary);
        }
        if says.is_trusted {
            (debt.since, debt.due) = (says.since.unwrap_or(debt.since), says.due.or(debt.due));
        } else {
            debt.due = debt.due.or(says.due);
        }
        Some(debt)
    };
    match waiting {
        OwingSide::Me => (features.i_owe, features.they_owe) = (owed(features.i_owe.take()), None),
        OwingSide::Both => {
            (features.i_owe, features.they_owe) = (owed(features.i_owe.take()), owed(features.they_owe.take()));
        }
        OwingSide::Others => (features.i_owe, features.they_owe) = (None, owed(features.they_owe.take())),
        OwingSide::Nobody => (features.i_owe, features.they_owe) = (None, None),
    }
}

/// Which moment a day means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayEnd {
    Start,
    End,
}

/// A day or time as the model gives it; nothing for what is none, or far away.
pub(super) fn exact(due: &str, edge: DayEnd, about: &RefineContext<'_>) -> Option<DateTime<Utc>> {
    let local = |text: &str| {
        let formats = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];
        let naive = formats.iter().find_map(|format| chrono::NaiveDateTime::parse_from_str(text, format).ok())?;
        Some(brain_language::language::time::local_instant(about.zone, naive).earliest().to_utc())
    };
    let due = due.trim();
    let moment = |moment: Moment| match (moment, edge) {
        (Moment::Day(day), DayEnd::End) => Moment::Day(day.succ_opt().unwrap_or(day)).start(about.zone).to_utc(),
        (moment, _) => moment.start(about.zone).to_utc(),
    };
    let at = Moment::read(due, about.zone).map(moment).or_else(|| local(due))?;
    ((at - about.now).abs() <= DUE_WITHIN).then_some(at)
}
