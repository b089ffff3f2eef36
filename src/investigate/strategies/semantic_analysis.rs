//! `semantic_analysis`: what is of some sort, told by features.

use chrono::{DateTime, Duration, Utc};

use super::{Given, findings};
use crate::core::text::shorten;
use crate::investigate::features::{Debt, DebtKind, PromiseMade, SenderSort};
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::{FindingSort, SemanticAnalysis, reference};
use crate::limits::SNIPPET_CHARS_MAX;
use crate::services::searchable::{ItemKind, ItemMark};
use crate::services::service::RequestContext;

/// A promise without a day is waited for from then on.
const PATIENCE: Duration = Duration::days(5);

/// Keeps what is of one of the sorts, each with what makes it so.
pub(super) fn gather(ctx: &RequestContext, params: &SemanticAnalysis, given: &Given) -> NodeOutput {
    let all = findings(&params.items, given);
    let kept = all.iter().filter_map(|finding| kept(finding, &params.keep, ctx.now)).collect();
    let before = reference(&params.items).and_then(|from| given.get(&from.node));
    let (more, unread) = before.map_or((0, 0), |output| (output.more, output.unread));
    let gaps = before.map(|output| output.gaps.clone()).unwrap_or_default();
    NodeOutput { more, unread, gaps, ..NodeOutput::of(kept) }
}

/// A finding as the first of these sorts that it is of.
fn kept(finding: &Finding, keep: &[FindingSort], now: DateTime<Utc>) -> Option<Finding> {
    keep.iter().find_map(|sort| as_sort(finding, *sort, now))
}

fn as_sort(finding: &Finding, sort: FindingSort, now: DateTime<Utc>) -> Option<Finding> {
    let features = finding.features.as_ref();
    let by_debt = |debt: Option<&Debt>| debt.map(|debt| of_debt(finding, debt));
    let found = match sort {
        FindingSort::WaitsForMe => by_debt(features?.i_owe.as_ref().filter(|debt| is_waited_for(debt, now))),
        FindingSort::WaitsForOthers => by_debt(features?.they_owe.as_ref()),
        FindingSort::PromisedToMe => by_promises(finding, false),
        FindingSort::PromisedByMe => by_promises(finding, true),
        FindingSort::About => finding.is(FindingSort::About).then(|| finding.clone()),
        FindingSort::Amount => (!finding.amounts.is_empty()).then(|| finding.clone()),
        FindingSort::Open => open(finding, now),
    };
    found.map(|mut found| {
        if !found.sorts.contains(&sort) {
            found.sorts.push(sort);
        }
        found
    })
}

/// What was promised for a day to come keeps nobody waiting yet.
fn is_waited_for(debt: &Debt, now: DateTime<Utc>) -> bool {
    match (debt.kind, debt.due) {
        (DebtKind::Asked, _) => true,
        (DebtKind::Promised, Some(due)) => due <= now,
        (DebtKind::Promised, None) => now - debt.since >= PATIENCE,
    }
}

fn of_debt(finding: &Finding, debt: &Debt) -> Finding {
    Finding {
        summary: shorten(&debt.sentence, SNIPPET_CHARS_MAX),
        with: Some(debt.with.clone()),
        since: Some(debt.since),
        due: debt.due,
        ..finding.clone()
    }
}

fn by_promises(finding: &Finding, own: bool) -> Option<Finding> {
    let features = finding.features.as_ref()?;
    let made: Vec<&PromiseMade> = features.promises.iter().filter(|promise| promise.is_own == own).collect();
    let last = made.last().filter(|_| features.sender != SenderSort::Suspect)?;
    Some(Finding {
        summary: shorten(&last.sentence, SNIPPET_CHARS_MAX),
        with: Some(last.with.clone()),
        since: Some(last.at),
        due: last.due,
        ..finding.clone()
    })
}

/// A conversation in which somebody owes something, a task to do, an event to come.
fn open(finding: &Finding, now: DateTime<Utc>) -> Option<Finding> {
    match finding.item.kind {
        ItemKind::Thread => {
            let features = finding.features.as_ref()?;
            let debts = [&features.i_owe, &features.they_owe, &features.machine_asks];
            debts.into_iter().flatten().next().map(|debt| of_debt(finding, debt))
        }
        ItemKind::Task => finding.item.is(ItemMark::Open).then(|| finding.clone()),
        ItemKind::Event => finding.item.at.is_some_and(|at| at >= now).then(|| finding.clone()),
        ItemKind::Note | ItemKind::Fact | ItemKind::Talk | ItemKind::Person => None,
    }
}
