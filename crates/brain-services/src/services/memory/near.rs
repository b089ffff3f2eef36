//! What bears on a message: facts for its prompts, ranked in several ways that are fused by rank.
//!
//! A list that answers "what do you know about…?" stays strict ([`MemoryService::relevant`]); a prompt has room for a
//! few facts, and one too many costs less than the one that was missed. So a question also looks by all of its words,
//! those that only hold it together among them, and by what it means where there is an endpoint for that.

use std::collections::HashMap;

use super::record::Memory;
use super::service::MemoryService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::search::WordQuery;
use brain_core::limits::CONTEXT_FACTS_MAX;
use brain_core::ports::{Needs, Query};
use brain_language::language::requests::is_question;
use brain_language::language::words::words;

/// How slowly a place in a ranking loses its worth, as usual for reciprocal rank fusion.
const FUSION_K: f32 = 60.0;
/// Facts that the ranking by all words looks at.
const BY_ALL_WORDS_MAX: usize = 20;
/// What the ranking by all words is worth beside the one by telling words.
const BY_ALL_WORDS: f32 = 0.6;
/// What the ranking by meaning is worth: as much as both by words, which mostly agree, and would else leave no room for
/// a fact in other words wherever a few share some.
const BY_MEANING: f32 = 1.0 + BY_ALL_WORDS;

impl MemoryService {
    /// The facts that bear on a message, best first.
    pub(super) async fn nearest(&self, ctx: &RequestContext, message: &str) -> Result<Vec<Memory>, ServiceError> {
        let (telling, _) = self.relevant(ctx, &WordQuery::new(message)).await?;
        if !is_question(message) {
            return Ok(telling);
        }
        let text = words(message).join(" ");
        let any = Query { text, needs: Needs::Any, limit: BY_ALL_WORDS_MAX, ..Query::default() };
        let (holding, _) = self.finder(ctx).page::<Memory>(any).await?;
        let meant = self.by_meaning(ctx, message).await?;
        Ok(fused([(1.0, telling), (BY_MEANING, meant), (BY_ALL_WORDS, holding)]))
    }

    /// The facts that say something like it in whatever words, best first; none without an embedding endpoint.
    pub(super) async fn by_meaning(&self, ctx: &RequestContext, words: &str) -> Result<Vec<Memory>, ServiceError> {
        let Some(meanings) = &self.meanings else { return Ok(Vec::new()) };
        let mut facts = Vec::new();
        for id in meanings.near(&ctx.owner, words, CONTEXT_FACTS_MAX).await {
            facts.extend(items::by_id::<Memory>(&self.store, &ctx.owner, &id).await?.map(|(fact, _)| fact));
        }
        Ok(facts)
    }
}

/// Rankings as one: each gives a fact its weight by the place that it has there; equally good ones stay in the order in
/// which they came.
fn fused(rankings: impl IntoIterator<Item = (f32, Vec<Memory>)>) -> Vec<Memory> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<(f32, Memory)> = Vec::new();
    for (weight, ranking) in rankings {
        for (rank, fact) in ranking.into_iter().enumerate() {
            let worth = weight / (FUSION_K + (rank + 1) as f32);
            let place = *places.entry(fact.id().to_owned()).or_insert(all.len());
            match all.get_mut(place) {
                Some((sum, _)) => *sum += worth,
                None => all.push((worth, fact)),
            }
        }
    }
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.into_iter().map(|(_, fact)| fact).collect()
}
