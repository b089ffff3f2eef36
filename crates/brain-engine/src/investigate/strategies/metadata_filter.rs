//! `metadata_filter`: things by people, time and marks.

use chrono::{DateTime, Utc};

use super::evidence::{EarlierOutputs, EvidenceSources, find_in};
use crate::investigate::finding::{CountedParty, Finding, NodeOutput, is_same};
use crate::investigate::node::{MetadataFilter, reference};
use brain_core::limits::{BESIDE_THREADS_MAX, FOUND_ITEMS_MAX};
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{ItemFilter, ItemKind, ItemMark, Party};

/// Gathers what fits.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &MetadataFilter,
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    let people = sources.resolved(&params.people, given).await?;
    // People were asked for, and there is nobody: then nothing fits.
    if people.is_empty() && !params.people.is_empty() {
        return Ok(NodeOutput::default());
    }
    if params.over == [ItemKind::Person] {
        return persons(sources, params, &people, given).await;
    }
    let filter = ItemFilter {
        people: people.iter().map(named).collect(),
        from: sources.beginning(params.from.as_deref()),
        until: sources.moment(params.until.as_deref()),
        with: params.with.clone(),
        without: params.without.clone(),
        limit: params.max_results.unwrap_or(FOUND_ITEMS_MAX).min(FOUND_ITEMS_MAX),
        ..ItemFilter::default()
    };
    let (found, gaps) = find_in(sources, &sources.of(&params.over), &filter).await?;
    let more = found.iter().map(|items| items.more).sum();
    let findings: Vec<Finding> = found.into_iter().flat_map(|items| items.items).map(Finding::of).collect();
    Ok(NodeOutput { more, gaps, ..NodeOutput::of(findings) })
}

/// The conversations with any of these people, under each of their names, that came last from then on; the newest.
pub async fn conversations_with(
    sources: &EvidenceSources<'_>,
    people: &[Party],
    from: Option<DateTime<Utc>>,
) -> Result<Vec<Finding>, ServiceError> {
    // A first name alone may be anybody's.
    let names = people.iter().map(|party| &party.name).filter(|name| name.trim().contains(' '));
    let addresses = people.iter().map(|party| &party.address).filter(|address| !address.is_empty());
    let people: Vec<String> = names.chain(addresses).cloned().collect();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let without = vec![ItemMark::Bulk];
    let filter = ItemFilter { people, from, without, limit: BESIDE_THREADS_MAX, ..ItemFilter::default() };
    let (found, _) = find_in(sources, &sources.of(&[ItemKind::Thread]), &filter).await?;
    Ok(found.into_iter().flat_map(|items| items.items).map(Finding::of).collect())
}

/// These people themselves, in the order they are given in.
async fn persons(
    sources: &EvidenceSources<'_>,
    params: &MetadataFilter,
    people: &[Party],
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    let counts = params.people.iter().filter_map(|who| given.get(reference(who)?.node.as_str()));
    let counts: Vec<CountedParty> = counts.flat_map(|output| &output.people).cloned().collect();
    let most = params.max_results.unwrap_or(FOUND_ITEMS_MAX);
    let services = sources.of(&params.over);
    let mut findings: Vec<Finding> = Vec::new();
    let count_of =
        |party: &Party| counts.iter().find(|counted| is_same(&counted.party, party)).map_or(0, |counted| counted.count);
    let top = people.first().map_or(0, count_of);
    // Who was met half as often is not whom one meets most.
    for party in people.iter().take(most).filter(|party| count_of(party) * 2 >= top) {
        let filter = ItemFilter { people: vec![named(party)], limit: 1, ..ItemFilter::default() };
        let (found, _) = find_in(sources, &services, &filter).await?;
        let Some(item) = found.into_iter().flat_map(|items| items.items).next() else { continue };
        findings.push(Finding { score: count_of(party) as f32, ..Finding::of(item) });
    }
    Ok(NodeOutput { more: people.len().saturating_sub(most), ..NodeOutput::of(findings) })
}

/// By what somebody is looked for.
pub(super) fn named(party: &Party) -> String {
    if party.address.is_empty() { party.name.clone() } else { party.address.clone() }
}
