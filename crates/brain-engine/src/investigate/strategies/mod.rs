//! The five strategies: how evidence is gathered, each within its bounds.
//!
//! | strategy | gives | bound |
//! |---|---|---|
//! | `metadata_filter` | things by people, time and marks | so many results in a span of time; 200 characters of each |
//! | `keyword_search` | things by words, best first | the same |
//! | `batch_thread_read` | what each thing says, as features or a model's extract | so many things, best first |
//! | `cross_reference` | lists put together and ranked | so many results |
//! | `semantic_analysis` | what is of some sort | what it is given |
//!
//! Invariants: they only read; what they give is summaries. Not here: when they run, and how often they are tried.

mod batch_thread_read;
mod coverage;
mod cross_reference;
mod evidence;
mod keyword_search;
mod metadata_filter;
mod semantic_analysis;
mod statements;

pub use evidence::{EarlierOutputs, EvidenceSources};
pub use metadata_filter::conversations_with;

use super::finding::NodeOutput;
use super::node::{EvidenceNode, KeywordSearch, MetadataFilter, Strategy};
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{Freshness, ItemKind};
use evidence::findings;

/// Gathers what a node asks for, without a model.
pub async fn gather(
    sources: &EvidenceSources<'_>,
    node: &EvidenceNode,
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    match &node.strategy {
        Strategy::MetadataFilter(params) => metadata_filter::gather(sources, params, given).await,
        Strategy::KeywordSearch(params) => keyword_search::gather(sources, params, given).await,
        Strategy::BatchThreadRead(params) => batch_thread_read::gather(sources, params, given).await,
        Strategy::CrossReference(params) => Ok(cross_reference::gather(params, given)),
        Strategy::SemanticAnalysis(params) => semantic_analysis::gather(sources, params, given).await,
    }
}

/// How fresh everything is that a node looks at, to be asked before it does; `None` where something cannot tell, or
/// where looking costs nothing.
pub async fn freshness(
    sources: &EvidenceSources<'_>,
    node: &EvidenceNode,
    given: &EarlierOutputs<'_>,
) -> Option<Vec<Freshness>> {
    let (looked_into, asks_for_people) = match &node.strategy {
        Strategy::MetadataFilter(MetadataFilter { over, people, .. }) => sources.of_named(over, people),
        // What was said in the chat is another thing with every message.
        Strategy::KeywordSearch(search) if search.over.contains(&ItemKind::Talk) => return None,
        Strategy::KeywordSearch(KeywordSearch { over, people, .. }) => sources.of_named(over, people),
        Strategy::BatchThreadRead(params) => {
            let read = findings(&params.items, given);
            let is_read = |name: &str| read.iter().any(|finding| finding.item.service == name);
            (sources.of(&[]).into_iter().filter(|(service, _)| is_read(&service.info.name)).collect(), true)
        }
        Strategy::CrossReference(_) | Strategy::SemanticAnalysis(_) => return None,
    };
    let mut fresh = Vec::new();
    if asks_for_people {
        fresh.push(sources.people.freshness(&sources.ctx.owner).await?);
    }
    for (_, service) in looked_into {
        fresh.push(service.freshness(sources.ctx).await?);
    }
    Some(fresh)
}
