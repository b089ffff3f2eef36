//! `cross_reference`: lists put together, and in order.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::evidence::{EarlierOutputs, findings};
use crate::investigate::features::SenderSort;
use crate::investigate::finding::{Finding, NodeOutput, PartyTally, is_same};
use crate::investigate::node::{CrossReference, MatchBy, RankBy, SetOperation, reference};
use brain_core::limits::FOUND_ITEMS_MAX;

/// What fits worse than the best by more than this is something else; by less where the best does not fit well.
const BESIDE_BEST: f32 = 0.3;

/// Puts the sources together.
pub(super) fn gather(params: &CrossReference, given: &EarlierOutputs<'_>) -> NodeOutput {
    let lists: Vec<&[Finding]> = params.sources.iter().map(|source| findings(source, given)).collect();
    let mut together = match params.operation {
        SetOperation::Union => union(&lists),
        SetOperation::Intersection => kept(&lists, params.by, |others, is_in| others.iter().all(|list| is_in(list))),
        SetOperation::Difference => kept(&lists, params.by, |others, is_in| !others.iter().any(|list| is_in(list))),
    };
    rank(&mut together, params.rank_by);
    together.retain(|finding| finding.score >= params.score_min || params.score_min <= 0.0);
    if params.only_best {
        let best = together.iter().map(|finding| finding.score).fold(0.0, f32::max);
        let (kept, left): (Vec<Finding>, Vec<Finding>) =
            together.into_iter().partition(|finding| finding.score >= best - BESIDE_BEST * best.min(1.0));
        together = with_later(kept, left);
    }
    let most = params.take_top.unwrap_or(FOUND_ITEMS_MAX).min(FOUND_ITEMS_MAX);
    let cut = together.len().saturating_sub(most);
    together.truncate(most);
    let mut output = NodeOutput::of(together);
    for source in params.sources.iter().filter_map(|source| given.get(reference(source)?.node.as_str())) {
        output.more += source.more;
        output.unread += source.unread;
        let new: Vec<String> = source.gaps.iter().filter(|gap| !output.gaps.contains(gap)).cloned().collect();
        output.gaps.extend(new);
    }
    output.more += cut;
    output
}

/// What fits, and below it what its writer wrote later of the same matter, though it says less of what was asked.
fn with_later(mut kept: Vec<Finding>, left: Vec<Finding>) -> Vec<Finding> {
    let by = |finding: &Finding| finding.item.people.first().cloned();
    let is_later = |later: &Finding| {
        later.sender() != SenderSort::Suspect
            && kept
                .iter()
                .any(|one| later.follows(one) && by(later).zip(by(one)).is_some_and(|(by, other)| is_same(&by, &other)))
    };
    let later: Vec<Finding> = left.into_iter().filter(is_later).collect();
    kept.extend(later);
    kept
}

/// Everything, each thing once: of two findings of one thing the first, with the sorts of both.
fn union(lists: &[&[Finding]]) -> Vec<Finding> {
    let mut together: Vec<Finding> = Vec::new();
    let mut places = HashMap::new();
    for finding in lists.iter().copied().flatten() {
        let place = *places.entry(finding.item.key()).or_insert(together.len());
        match together.get_mut(place) {
            Some(known) => {
                let new: Vec<_> = finding.sorts.iter().filter(|sort| !known.sorts.contains(sort)).copied().collect();
                known.sorts.extend(new);
            }
            None => together.push(finding.clone()),
        }
    }
    together
}

/// Those of the first list that the others allow.
fn kept(
    lists: &[&[Finding]],
    by: MatchBy,
    allow: impl Fn(&[&[Finding]], &dyn Fn(&[Finding]) -> bool) -> bool,
) -> Vec<Finding> {
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let is_in = |finding: &Finding, list: &[Finding]| {
        list.iter().any(|other| match by {
            MatchBy::Item => other.item.key() == finding.item.key(),
            MatchBy::People => shares_people(finding, other),
        })
    };
    first.iter().filter(|finding| allow(others, &|list| is_in(finding, list))).cloned().collect()
}

/// Whether somebody takes part in both; where one of the first matters most, that one.
fn shares_people(finding: &Finding, other: &Finding) -> bool {
    let of_other = |party: &_| other.item.people.iter().any(|person| is_same(person, party));
    match &finding.with {
        Some(with) => of_other(with),
        None => finding.item.people.iter().any(of_other),
    }
}

/// Puts findings in order; equal ones stay as they came.
pub(super) fn rank(findings: &mut [Finding], by: RankBy) {
    let at = |finding: &Finding| finding.item.at;
    match by {
        RankBy::Relevance => findings.sort_by(|a, b| b.score.total_cmp(&a.score)),
        RankBy::Newest => findings.sort_by_key(|finding| std::cmp::Reverse(at(finding))),
        RankBy::Soonest => findings.sort_by_key(|finding| (at(finding).is_none(), at(finding))),
        RankBy::Urgency => findings.sort_by_key(urgency),
        RankBy::Frequency => {
            let mut tally = PartyTally::default();
            findings.iter().flat_map(Finding::takes_part).for_each(|party| tally.add(party, 1));
            let count = |finding: &Finding| finding.item.people.first().map_or(0, |party| tally.count(party));
            findings.sort_by_cached_key(|finding| std::cmp::Reverse(count(finding)));
        }
    }
}

/// What is due comes first, the earliest of it at the top; then what waits longest.
fn urgency(finding: &Finding) -> (bool, Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
    let since = finding.since.or(finding.item.at);
    (finding.due.is_none(), finding.due, since)
}
