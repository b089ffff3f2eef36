//! Chat statements: what the person told, which asks for nothing, and so stands nowhere else.
//!
//! Invariant: only the person's own words count; what they passed on is somebody else's, and what we answered was found
//! elsewhere. Questions, requests and slash commands are left out: they name a topic and tell nothing of it.

use super::evidence::EvidenceSources;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;
use brain_core::ports::records::Message;
use brain_core::ports::{Hit, Needs, Query};
use brain_language::language::requests::{ParseInput, asks_nothing};
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::{FoundItem, ItemFilter, ItemKind};
use brain_services::services::helpers::telling::tells;

/// Of so many hits for one that is wanted, some tell something.
const HITS_FOR_ONE: usize = 5;
const TITLE_CHARS: usize = 80;

/// What was told that holds all the words, the best first.
pub(super) async fn told(sources: &EvidenceSources<'_>, filter: &ItemFilter) -> Result<Vec<FoundItem>, ServiceError> {
    let query = Query {
        kinds: vec![Message::KIND.to_owned()],
        text: filter.words.clone(),
        needs: Needs::All,
        flags: vec![Message::OWN_WORDS.to_owned()],
        from: filter.from,
        until: filter.until,
        limit: filter.limit.saturating_mul(HITS_FOR_ONE),
        snippet_chars: SNIPPET_CHARS_MAX,
        ..Query::default()
    };
    let found = sources.index.search(&sources.ctx.owner, &query).await?;
    let reference = sources.ctx.reference();
    let is_command = |text: &str| text.trim_start().starts_with('/');
    let tells = |text: &str| {
        !is_command(text) && tells(text, &reference) && asks_nothing(&ParseInput::new(text, &reference, BUILDERS))
    };
    let is_told = |hit: &Hit| hit.snippet.as_deref().is_some_and(tells);
    let told = found.hits.into_iter().filter(is_told).map(item);
    Ok(told.filter(|item| filter.allows(&item.marks)).take(filter.limit).collect())
}

fn item(hit: Hit) -> FoundItem {
    let snippet = hit.snippet.unwrap_or_default();
    FoundItem {
        service: Message::KIND.to_owned(),
        id: hit.id,
        kind: ItemKind::Talk,
        title: shorten(&snippet, TITLE_CHARS),
        at: hit.at,
        until: None,
        people: Vec::new(),
        snippet,
        marks: Vec::new(),
        untrusted: Vec::new(),
    }
}
