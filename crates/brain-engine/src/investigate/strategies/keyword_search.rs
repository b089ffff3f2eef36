//! `keyword_search`: things by words, best first.

use super::evidence::{EarlierOutputs, EvidenceSources, find_in, findings, stems};
use super::metadata_filter::named;
use super::statements;
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::KeywordSearch;
use brain_core::limits::{FOUND_ITEMS_MAX, SEARCHES_MAX};
use brain_language::language::terms;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{FoundItem, ItemFilter, ItemKind};
use brain_services::services::helpers::search::WordQuery;

/// What a thing is worth that is called by the words, beside one that only says them.
const IN_TITLE: f32 = 1.0;
const IN_TEXT: f32 = 0.5;

/// Gathers what holds the words.
pub(super) async fn gather(
    sources: &EvidenceSources<'_>,
    params: &KeywordSearch,
    given: &EarlierOutputs<'_>,
) -> Result<NodeOutput, ServiceError> {
    let people = sources.resolved(&params.people, given).await?;
    if people.is_empty() && !params.people.is_empty() {
        return Ok(NodeOutput::default());
    }
    let like = params.like.iter().flat_map(|like| findings(like, given));
    let like = like.flat_map(|finding| segments(&finding.item));
    let searches: Vec<String> = params.words.iter().cloned().chain(like).take(SEARCHES_MAX).collect();
    let limit = params.max_results.unwrap_or(FOUND_ITEMS_MAX).min(FOUND_ITEMS_MAX);
    let services = sources.of(&params.over);
    let mut output = NodeOutput::default();
    for words in searches.iter().filter(|words| !words.trim().is_empty()) {
        let filter = ItemFilter {
            words: words.clone(),
            any: params.any,
            people: people.iter().map(named).collect(),
            from: sources.beginning(params.from.as_deref()),
            until: sources.moment(params.until.as_deref()),
            with: params.with.clone(),
            without: params.without.clone(),
            limit,
        };
        let (found, gaps) = find_in(sources, &services, &filter).await?;
        output.gaps.extend(gaps);
        for items in found {
            output.more += items.more;
            add(&mut output.findings, items.items, words);
        }
        if params.over.contains(&ItemKind::Talk) {
            let told = statements::told(sources, &filter).await?;
            output.findings.extend(told.into_iter().map(|item| Finding { score: IN_TEXT, ..Finding::of(item) }));
        }
    }
    output.findings.sort_by(|a, b| b.score.total_cmp(&a.score));
    output.more += output.findings.len().saturating_sub(limit);
    output.findings.truncate(limit);
    Ok(NodeOutput { people: NodeOutput::of(output.findings.clone()).people, ..output })
}

/// The parts of a title that say something each, as its colons and dashes divide it.
fn segments(item: &FoundItem) -> Vec<String> {
    let names = terms::fold(&item.people.iter().map(|party| party.name.as_str()).collect::<Vec<_>>().join(" "));
    let names: Vec<&str> = terms::words_of(&names).collect();
    // Whoever comes is looked for as somebody, not as a word.
    let is_name = |part: &str| terms::words_of(&terms::fold(part)).all(|word| names.contains(&word));
    let parts = item.title.split([':', '–', '—', '(', ')', ';', '/']).flat_map(|part| part.split(" with "));
    parts.map(|part| part.trim().to_owned()).filter(|part| says_something(part) && !is_name(part)).collect()
}

/// Whether a part of a title could find anything but by accident.
fn says_something(part: &str) -> bool {
    let query = WordQuery::new(part);
    query.strong.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

/// Adds what was found, each thing once; what came up first in its service is worth a little more.
fn add(findings: &mut Vec<Finding>, items: Vec<FoundItem>, words: &str) {
    let wanted = stems(words);
    let all = items.len() as f32;
    for (place, item) in items.into_iter().enumerate() {
        let title = terms::stems(&terms::fold(&item.title));
        let is_called_so = !wanted.is_empty() && wanted.iter().all(|stem| title.contains(stem));
        let score = if is_called_so { IN_TITLE } else { IN_TEXT } + 0.1 * (all - place as f32) / all;
        match findings.iter_mut().find(|known| known.item.key() == item.key()) {
            Some(known) => known.score = known.score.max(score),
            None => findings.push(Finding { score, ..Finding::of(item) }),
        }
    }
}
