//! What the assistant remembers about the person: facts with a category, a name and a value.
//!
//! A fact of a name that is known already replaces the old one: two truths about one thing are none.

mod forget;
mod recall;
mod record;
mod store;
mod update;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use forget::ForgetFact;
use recall::RecallFacts;
pub use record::Memory;
use serde_json::Value;
use store::StoreFact;
use update::UpdateFact;

use super::command::planned;
use super::error::ServiceError;
use super::items::{self, Item};
use super::pages::{self, Page};
use super::registry::Registration;
use super::search::{WordIndex, WordQuery};
use super::service::{
    Content, ContextRole, Fact, Facts, Listing, Noticed, Offerable, RequestContext, Service, ServiceInfo, Wanted,
};
use super::texts;
use crate::core::ids::UserId;
use crate::core::plan::PlannedAction;
use crate::limits::{LIST_ROWS_MAX, RESULT_ROWS_MAX};
use crate::ports::{Scan, Secondary, Store};

#[cfg(test)]
mod tests;

/// A fact far behind the best one does not answer the question.
const FAR: f32 = 0.35;
/// What having been learned just now adds to a fact's relevance.
const RECENCY: f32 = 0.1;
/// Days after which half of that is gone.
const RECENCY_DAYS: f32 = 30.0;

/// Its name in plans.
pub const NAME: &str = "memory";

/// The orders by which it asks the store for facts.
pub(super) static INDEXES: [&Secondary; 1] = [&record::BY_CATEGORY];

/// Memories in the store.
#[derive(Debug)]
pub struct MemoryService {
    store: Arc<dyn Store>,
}

impl MemoryService {
    /// Over this store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// All facts, newest first.
    async fn all(&self, ctx: &RequestContext) -> Result<Vec<(Memory, u64)>, ServiceError> {
        let mut held = items::all::<Memory>(&self.store, &ctx.owner).await?;
        held.sort_by(|(a, _), (b, _)| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
        Ok(held)
    }

    /// The facts that fit a query, best first.
    async fn found(&self, ctx: &RequestContext, query: &str) -> Result<Vec<Memory>, ServiceError> {
        let all: Vec<Memory> = self.all(ctx).await?.into_iter().map(|(memory, _)| memory).collect();
        let query = WordQuery::new(query);
        Ok(if query.is_for_everything() { all } else { relevant(all, &query, ctx.now) })
    }
}

/// The question for a missing parameter.
fn question(param: &str) -> &'static str {
    match param {
        "value" | "new_value" => "What exactly should I remember?",
        "query" => "What would you like me to recall?",
        "find_by" => "What should I forget?",
        _ => "What is it about?",
    }
}

fn value(text: &str) -> Result<String, ServiceError> {
    let nothing = || ServiceError::Refused("There was nothing to remember; nothing was written.".to_owned());
    texts::filled(Some(text)).ok_or_else(nothing)
}

/// The facts that answer a question, best first: relevance, a little more for newer ones.
fn relevant(memories: Vec<Memory>, query: &WordQuery, now: DateTime<Utc>) -> Vec<Memory> {
    let bodies: Vec<String> = memories.iter().map(Memory::body).collect();
    let index = WordIndex::new(memories.iter().zip(&bodies).map(|(m, body)| (m.key.as_str(), body.as_str())));
    let scores = index.bm25(query).into_iter().zip(memories).map(|(score, memory)| {
        let days = (now - memory.at).num_days().max(0) as f32;
        (score * (1.0 + RECENCY / (1.0 + days / RECENCY_DAYS)), memory)
    });
    let mut ranked: Vec<(f32, Memory)> = scores.filter(|(score, _)| *score > 0.0).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = ranked.first().map_or(0.0, |(score, _)| *score);
    ranked.into_iter().filter(|(score, _)| *score >= best * FAR).map(|(_, memory)| memory).collect()
}

impl MemoryService {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Memory", "facts about the person to remember or recall", "what I remember");
        Registration::of(info, self)
            .command::<StoreFact>()
            .command::<UpdateFact>()
            .command::<RecallFacts>()
            .command::<ForgetFact>()
            .end()
    }
}

#[async_trait]
impl Service for MemoryService {
    fn context_role(&self) -> ContextRole {
        ContextRole::AboutPerson
    }

    fn offers(&self, content: &Content<'_>) -> Vec<Offerable> {
        if content.is_of_a_kind() {
            return Vec::new();
        }
        let (category, key, value) = ("note".to_owned(), content.title.to_owned(), content.text.to_owned());
        let action = planned(NAME, &StoreFact { category, key, value });
        vec![Offerable { rank: 2, question: None, label: "🧠 Remember it", action }]
    }

    fn facts(&self) -> Option<&dyn Facts> {
        Some(self)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("memories", items::export::<Memory>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let all: Vec<Memory> = self.all(ctx).await?.into_iter().map(|(memory, _)| memory).collect();
        let found = relevant(all, &WordQuery::new(&wanted.message), ctx.now);
        let noticed = |memory: &Memory| Noticed {
            id: memory.id.clone(),
            line: format!("{}: {}", texts::brief(&memory.key), texts::brief(&memory.value)),
            untrusted: memory.untrusted(),
        };
        Ok(found.iter().take(wanted.limit).map(noticed).collect())
    }
}

fn fact(memory: &Memory) -> Fact {
    Fact {
        id: memory.id.clone(),
        category: memory.category.clone(),
        key: memory.key.clone(),
        value: memory.value.clone(),
        from: memory.others.first().map(str::to_owned),
    }
}

#[async_trait]
impl Facts for MemoryService {
    async fn all(&self, ctx: &RequestContext, after: Option<&str>) -> Result<Listing<Fact>, ServiceError> {
        let scan = Scan::by(&record::BY_CATEGORY, &[ctx.owner.as_str()], usize::MAX);
        let Page { rows: mut found, more, next } = pages::page::<Memory>(&self.store, vec![scan], after).await?;
        let more = more + found.len().saturating_sub(LIST_ROWS_MAX);
        found.truncate(LIST_ROWS_MAX);
        Ok(Listing { rows: found.iter().map(fact).collect(), more, next, untrusted: items::untrusted(&found) })
    }

    async fn facts(&self, ctx: &RequestContext, query: &str) -> Result<Listing<Fact>, ServiceError> {
        let found = self.found(ctx, query).await?;
        let shown = &found[..found.len().min(RESULT_ROWS_MAX)];
        let (rows, more) = (shown.iter().map(fact).collect(), found.len() - shown.len());
        Ok(Listing { rows, more, next: None, untrusted: items::untrusted(shown) })
    }

    fn forgetting(&self, id: &str) -> PlannedAction {
        planned(NAME, &ForgetFact { find_by: id.to_owned() })
    }
}
