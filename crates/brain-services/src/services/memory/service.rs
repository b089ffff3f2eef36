//! The service itself, and what its commands share. Not here: which commands it has (`mod`).

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::meaning::Meanings;
use super::record::{self, Memory};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::helpers::finding::Finder;
use crate::services::helpers::items::Item;
use crate::services::helpers::search::{Fit, WordQuery, WordedItem};
use crate::services::helpers::texts;
use brain_core::core::ids::UserId;
use brain_core::limits::{LOOKED_AT_MAX, RESULT_ROWS_MAX};
use brain_core::ports::{EmbedError, Embedder, Index, Query, Ranking, Scan, Store};
use brain_language::language::terms;

/// A fact far behind the best one does not answer the question.
const FAR: f32 = 0.35;
/// What having been learned just now adds to a fact's relevance.
const RECENCY: f32 = 0.1;
/// Days after which half of that is gone.
const RECENCY_DAYS: f32 = 30.0;

/// Memories in the store.
#[derive(Debug)]
pub struct MemoryService {
    pub(super) store: Arc<dyn Store>,
    pub(super) index: Arc<dyn Index>,
    pub(super) meanings: Option<Meanings>,
}

impl MemoryService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index, meanings: None }
    }

    /// The same, finding facts by their meaning, too.
    #[must_use]
    pub fn embedded_by(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.meanings = embedder.map(|embedder| Meanings::new(embedder, self.store.clone()));
        self
    }

    /// Makes now what vectors a person's facts lack, rather than while nobody waits.
    pub async fn embed_now(&self, owner: &UserId) -> Result<(), EmbedError> {
        match &self.meanings {
            Some(meanings) => meanings.bring_up(owner).await,
            None => Ok(()),
        }
    }

    pub(super) fn finder<'a>(&'a self, ctx: &'a RequestContext) -> Finder<'a> {
        Finder { store: &self.store, index: &self.index, ctx }
    }

    /// The fact of this name.
    pub(super) async fn called(&self, ctx: &RequestContext, key: &str) -> Result<Option<(Memory, u64)>, ServiceError> {
        let same = |(memory, _): &(Memory, u64)| terms::fold(&memory.key) == terms::fold(key);
        let named = self.finder(ctx).named::<Memory>(&WordQuery::new(key), LOOKED_AT_MAX).await?;
        Ok(named.held.into_iter().find(same))
    }

    /// The facts that fit a query, best first, and how many there are in all.
    pub(super) async fn found(&self, ctx: &RequestContext, query: &str) -> Result<(Vec<Memory>, usize), ServiceError> {
        let query = WordQuery::new(query);
        if query.is_for_everything() {
            let all = Query { ranking: Ranking::Newest, limit: RESULT_ROWS_MAX, ..Query::default() };
            return self.finder(ctx).page(all).await;
        }
        self.relevant(ctx, &query).await
    }

    /// A page of them: of all, the newest first.
    pub(super) async fn recalled(
        &self,
        ctx: &RequestContext,
        query: &str,
        after: Option<&str>,
    ) -> Result<Page<Memory>, ServiceError> {
        let query = WordQuery::new(query);
        if query.is_for_everything() {
            let scan = Scan::by(&record::BY_AGE, &[ctx.owner.as_str()], usize::MAX);
            return Ok(pages::page(&self.store, vec![scan], after, pages::shown(after)).await?);
        }
        let (found, total) = self.relevant(ctx, &query).await?;
        Ok(pages::ranked(found, total, after, Memory::id))
    }

    /// The facts that answer a question, best first: relevance, a little more for newer ones.
    pub(super) async fn relevant(
        &self,
        ctx: &RequestContext,
        query: &WordQuery,
    ) -> Result<(Vec<Memory>, usize), ServiceError> {
        let fits = |score: f32, best: f32| score > 0.0 && score >= best * FAR;
        self.finder(ctx).ranked(query, |fit, worded, facts| relevance(fit, worded, facts, ctx.now), fits).await
    }
}

/// The question for a missing parameter.
pub(super) fn question(param: &str) -> &'static str {
    match param {
        "value" | "new_value" => "What exactly should I remember?",
        "query" => "What would you like me to recall?",
        "find_by" => "What should I forget?",
        _ => "What is it about?",
    }
}

pub(super) fn value(text: &str) -> Result<String, ServiceError> {
    let nothing = || ServiceError::Refused("There was nothing to remember; nothing was written.".to_owned());
    texts::filled(Some(text)).ok_or_else(nothing)
}

/// How relevant facts are to a question; a little more when they are newer.
fn relevance(fit: &Fit<'_>, worded: &[WordedItem], facts: &[Memory], now: DateTime<Utc>) -> Vec<f32> {
    let recent = |(score, fact): (f32, &Memory)| {
        let days = (now - fact.at).num_days().max(0) as f32;
        score * (1.0 + RECENCY / (1.0 + days / RECENCY_DAYS))
    };
    fit.relevance(worded).into_iter().zip(facts).map(recent).collect()
}
