//! `semantic_analysis`: what is of some sort, told by features.

use chrono::{DateTime, Duration, Utc};

use super::evidence::{EarlierOutputs, EvidenceSources, findings};
use crate::investigate::features::{Debt, DebtKind, PromiseMade, SenderSort};
use crate::investigate::finding::{Finding, NodeOutput, is_same};
use crate::investigate::node::{FindingSort, SemanticAnalysis, reference};
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;
use brain_language::language::terms;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{ItemKind, ItemMark, Party};

/// A promise without a day is waited for from then on.
const PATIENCE: Duration = Duration::days(5);

/// Keeps what is of one of the sorts, each with what makes it so.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &SemanticAnalysis,
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    let people = sources.resolved(&params.people, given).await?;
    let all = findings(&params.items, given);
    let now = sources.ctx.now;
    let window = Window {
        from: sources.moment(params.last_from.as_deref()),
        until: sources.moment(params.last_until.as_deref()),
        due_until: sources.moment(params.due_until.as_deref()),
        undated: params.undated,
        now,
    };
    let horizon = window.due_until.map_or(now, |until| until.max(now));
    let kept = all.iter().filter_map(|finding| kept(finding, &params.keep, horizon));
    // Nobody is called so: then it is a topic of conversation, or whoever comes to what is called so.
    let called: Vec<Party> = people.iter().filter(|party| party.address.is_empty()).cloned().collect();
    let is_topic = !called.is_empty() && !all.iter().any(|f| f.item.people.iter().any(|party| is_one(&called, party)));
    let is_with = |finding: &Finding| {
        params.people.is_empty()
            || finding.with.as_ref().is_some_and(|with| is_one(&people, with))
            || is_topic && finding.is(FindingSort::About)
    };
    let kept = open_promises(kept.filter(|finding| window.holds(finding) && is_with(finding)).collect());
    let before = reference(&params.items).and_then(|from| given.get(from.node.as_str()));
    let (more, unread) = before.map_or((0, 0), |output| (output.more, output.unread));
    let gaps = before.map(|output| output.gaps.clone()).unwrap_or_default();
    Ok(NodeOutput { more, unread, gaps, ..NodeOutput::of(kept) })
}

/// Of promises those that are kept are told only where none is open.
fn open_promises(kept: Vec<Finding>) -> Vec<Finding> {
    let is_open = |finding: &Finding| {
        let features = finding.features.as_ref();
        let sorts = [FindingSort::PromisedToMe, FindingSort::PromisedByMe];
        let mut of = sorts.into_iter().filter(|sort| finding.is(*sort));
        of.any(|sort| {
            features.is_some_and(|f| {
                if sort == FindingSort::PromisedByMe { f.i_owe.is_some() } else { f.they_owe.is_some() }
            })
        })
    };
    let is_promise = |finding: &Finding| finding.is(FindingSort::PromisedToMe) || finding.is(FindingSort::PromisedByMe);
    match kept.iter().any(is_open) {
        true => kept.into_iter().filter(|finding| !is_promise(finding) || is_open(finding)).collect(),
        false => kept,
    }
}

fn is_one(asked: &[Party], with: &Party) -> bool {
    asked.iter().any(|person| means(person, with))
}

/// Whether somebody who was asked for is this one: by address, and where none is known by the words of the name or the
/// domain.
fn means(asked: &Party, with: &Party) -> bool {
    let word = |text: &str| terms::words_of(&terms::fold(text)).map(str::to_owned).collect::<Vec<_>>();
    is_same(asked, with)
        || asked.address.is_empty()
            && (with.is_at(&asked.name) || word(&asked.name).iter().all(|name| word(&with.name).contains(name)))
}

/// In which time findings have to lie.
struct Window {
    from: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    due_until: Option<DateTime<Utc>>,
    undated: bool,
    now: DateTime<Utc>,
}

impl Window {
    fn holds(&self, finding: &Finding) -> bool {
        let last = finding.item.at;
        self.from.is_none_or(|from| last.is_some_and(|last| last >= from))
            && self.until.is_none_or(|until| last.is_some_and(|last| last < until))
            && self.due_until.is_none_or(|until| match finding.due {
                _ if until <= self.now && missed(finding).is_some_and(|missed| missed <= until) => true,
                Some(due) => due <= until,
                None => self.undated,
            })
    }
}

/// The day that a promise was not kept on.
fn missed(finding: &Finding) -> Option<DateTime<Utc>> {
    let features = finding.features.as_ref()?;
    let is_theirs = finding.is(FindingSort::OpenPromiseToMe) || finding.is(FindingSort::WaitsForOthers);
    if is_theirs { features.they_owe.as_ref()?.missed } else { features.i_owe.as_ref()?.missed }
}

/// A finding as the first of these sorts that it is of.
fn kept(finding: &Finding, keep: &[FindingSort], horizon: DateTime<Utc>) -> Option<Finding> {
    keep.iter().find_map(|sort| as_sort(finding, *sort, horizon))
}

fn as_sort(finding: &Finding, sort: FindingSort, horizon: DateTime<Utc>) -> Option<Finding> {
    let features = finding.features.as_ref();
    let by_debt = |debt: Option<&Debt>| debt.map(|debt| of_debt(finding, debt));
    let found = match sort {
        FindingSort::WaitsForMe => by_debt(features?.i_owe.as_ref().filter(|debt| is_waited_for(debt, horizon))),
        FindingSort::WaitsForOthers => by_debt(features?.they_owe.as_ref()),
        FindingSort::PromisedToMe => by_promises(finding, false),
        FindingSort::PromisedByMe => by_promises(finding, true),
        FindingSort::About => {
            let is_bulk = matches!(finding.sender(), SenderSort::Bulk | SenderSort::Suspect);
            (finding.is(FindingSort::About) && !is_bulk).then(|| finding.clone())
        }
        FindingSort::Amount => (!finding.amounts.is_empty()).then(|| finding.clone()),
        FindingSort::Open => open(finding),
        FindingSort::Unanswered => by_debt(features?.i_owe.as_ref().filter(|debt| debt.kind == DebtKind::Asked)),
        FindingSort::OpenPromiseToMe => by_debt(features?.they_owe.as_ref())
            .filter(|_| features.is_some_and(|f| f.promises.iter().any(|p| !p.is_own))),
        FindingSort::OpenPromiseByMe => {
            by_debt(features?.i_owe.as_ref()).filter(|_| features.is_some_and(|f| f.promises.iter().any(|p| p.is_own)))
        }
    };
    found.map(|mut found| {
        if !found.sorts.contains(&sort) {
            found.sorts.push(sort);
        }
        found
    })
}

/// What was promised for a day behind the time that is asked about keeps nobody waiting yet.
fn is_waited_for(debt: &Debt, horizon: DateTime<Utc>) -> bool {
    match (debt.kind, debt.due) {
        (DebtKind::Asked, _) => true,
        (DebtKind::Promised, Some(due)) => due <= horizon,
        (DebtKind::Promised, None) => horizon - debt.since >= PATIENCE,
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

/// A conversation in which somebody owes something, a task to do.
fn open(finding: &Finding) -> Option<Finding> {
    match finding.item.kind {
        ItemKind::Thread => {
            let features = finding.features.as_ref()?;
            let debts = [&features.i_owe, &features.they_owe, &features.machine_asks];
            debts.into_iter().flatten().next().map(|debt| of_debt(finding, debt))
        }
        ItemKind::Task => finding.item.is(ItemMark::Open).then(|| finding.clone()),
        ItemKind::Event | ItemKind::Note | ItemKind::Fact | ItemKind::Talk | ItemKind::Person => None,
    }
}
