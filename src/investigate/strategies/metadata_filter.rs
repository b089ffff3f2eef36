//! `metadata_filter`: things by people, time and marks.

use super::{EvidenceSources, Given, find_in};
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::MetadataFilter;
use crate::limits::FOUND_ITEMS_MAX;
use crate::services::error::ServiceError;
use crate::services::searchable::{ItemFilter, Party};

/// Gathers what fits.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &MetadataFilter,
    given: &Given,
) -> Result<NodeOutput, ServiceError> {
    let people = sources.resolved(&params.people, given).await?;
    // People were asked for, and there is nobody: then nothing fits.
    if people.is_empty() && !params.people.is_empty() {
        return Ok(NodeOutput::default());
    }
    let filter = ItemFilter {
        people: people.iter().map(named).collect(),
        from: sources.moment(params.from.as_deref()),
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

/// By what somebody is looked for.
pub(super) fn named(party: &Party) -> String {
    if party.address.is_empty() { party.name.clone() } else { party.address.clone() }
}
