//! What the assistant remembers about the person: facts with a category, a name and a value.
//!
//! A fact of a name that is known already replaces the old one: two truths about one thing are none.

mod forget;
mod recall;
mod record;
mod searchable;
mod store;
mod update;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use forget::ForgetFact;
use recall::RecallFacts;
use record::FactView;
pub use record::Memory;
use serde_json::Value;
use store::StoreFact;
use update::UpdateFact;

use super::capabilities::{Content, Fact, Facts, Listing, Offerable};
use super::command::{before, planned};
use super::context::RequestContext;
use super::error::ServiceError;
use super::finding::Finder;
use super::items::{self, Item};
use super::pages::{self, Page};
use super::registry::Registration;
use super::search::{Fit, WordQuery, WordedItem};
use super::searchable::Searchable;
use super::service::{ContextRole, Noticed, Service, ServiceInfo, Wanted};
use super::texts;
use crate::core::ids::UserId;
use crate::core::plan::{Action, PlannedAction};
use crate::language::requests::built::Builder;
use crate::language::terms;
use crate::limits::{LIST_ROWS_MAX, LOOKED_AT_MAX, RESULT_ROWS_MAX};
use crate::ports::{Index, Query, Ranking, RecordExt, Scan, Secondary, Source, Store};

#[cfg(test)]
mod tests;

/// A fact far behind the best one does not answer the question.
const FAR: f32 = 0.35;
/// What having been learned just now adds to a fact's relevance.
const RECENCY: f32 = 0.1;
/// Days after which half of that is gone.
const RECENCY_DAYS: f32 = 30.0;

/// Rules that are looked at; nobody keeps more in their head.
const RULES_MAX: usize = 50;

/// Its name in plans.
pub const NAME: &str = "memory";

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 4] =
    [("store", store::built), ("recall", recall::built), ("update", update::built), ("forget", forget::built)];

/// The orders by which it asks the store for facts.
pub(super) static INDEXES: [&Secondary; 2] = [&record::BY_CATEGORY, &record::BY_AGE];

/// Its facts, to be found.
pub(super) const SOURCE: Source = items::source::<Memory>();

/// Memories in the store.
#[derive(Debug)]
pub struct MemoryService {
    store: Arc<dyn Store>,
    index: Arc<dyn Index>,
}

impl MemoryService {
    /// Over this store and its index.
    pub fn new(store: Arc<dyn Store>, index: Arc<dyn Index>) -> Self {
        Self { store, index }
    }

    fn finder<'a>(&'a self, ctx: &'a RequestContext) -> Finder<'a> {
        Finder { store: &self.store, index: &self.index, ctx }
    }

    /// The fact of this name.
    async fn called(&self, ctx: &RequestContext, key: &str) -> Result<Option<(Memory, u64)>, ServiceError> {
        let same = |(memory, _): &(Memory, u64)| terms::fold(&memory.key) == terms::fold(key);
        let named = self.finder(ctx).named::<Memory>(&WordQuery::new(key), LOOKED_AT_MAX).await?;
        Ok(named.held.into_iter().find(same))
    }

    /// The facts that fit a query, best first, and how many there are in all.
    async fn found(&self, ctx: &RequestContext, query: &str) -> Result<(Vec<Memory>, usize), ServiceError> {
        let query = WordQuery::new(query);
        if query.is_for_everything() {
            let all = Query { ranking: Ranking::Newest, limit: RESULT_ROWS_MAX, ..Query::default() };
            return self.finder(ctx).page(all).await;
        }
        self.relevant(ctx, &query).await
    }

    /// A page of them: of all, the newest first.
    async fn recalled(
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
    async fn relevant(&self, ctx: &RequestContext, query: &WordQuery) -> Result<(Vec<Memory>, usize), ServiceError> {
        let fits = |score: f32, best: f32| score > 0.0 && score >= best * FAR;
        self.finder(ctx).ranked(query, |fit, worded, facts| relevance(fit, worded, facts, ctx.now), fits).await
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

/// How relevant facts are to a question; a little more when they are newer.
fn relevance(fit: &Fit<'_>, worded: &[WordedItem], facts: &[Memory], now: DateTime<Utc>) -> Vec<f32> {
    let recent = |(score, fact): (f32, &Memory)| {
        let days = (now - fact.at).num_days().max(0) as f32;
        score * (1.0 + RECENCY / (1.0 + days / RECENCY_DAYS))
    };
    fit.relevance(worded).into_iter().zip(facts).map(recent).collect()
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

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("memories", items::export::<Memory>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let (found, _) = self.relevant(ctx, &WordQuery::new(&wanted.message)).await?;
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
        let Page { rows: mut found, more, next } =
            pages::page::<Memory>(&self.store, vec![scan], after, LIST_ROWS_MAX).await?;
        let more = more + found.len().saturating_sub(LIST_ROWS_MAX);
        found.truncate(LIST_ROWS_MAX);
        Ok(Listing { rows: found.iter().map(fact).collect(), more, next, untrusted: items::untrusted(&found) })
    }

    async fn facts(&self, ctx: &RequestContext, query: &str) -> Result<Listing<Fact>, ServiceError> {
        let (found, total) = self.found(ctx, query).await?;
        let shown = &found[..found.len().min(RESULT_ROWS_MAX)];
        let (rows, more) = (shown.iter().map(fact).collect(), total - shown.len());
        Ok(Listing { rows, more, next: None, untrusted: items::untrusted(shown) })
    }

    fn forgetting(&self, id: &str) -> PlannedAction {
        planned(NAME, &ForgetFact::of(id))
    }

    fn keeping_rule(&self, name: &str, said: &str) -> PlannedAction {
        planned(NAME, &StoreFact::rule(name, said))
    }

    fn makes_a_rule(&self, action: &Action) -> bool {
        let named = action.params.get("category").and_then(Value::as_str).map(str::to_owned);
        let category = named.or_else(|| before::<FactView>(action).map(|fact| fact.category));
        category.is_some_and(|category| category.trim().eq_ignore_ascii_case(store::RULE))
    }

    async fn rules(&self, ctx: &RequestContext) -> Result<Vec<String>, ServiceError> {
        let scan = Scan::by(&record::BY_CATEGORY, &[ctx.owner.as_str(), store::RULE], RULES_MAX);
        let kept = self.store.list::<Memory>(scan).await?;
        // What somebody else wrote is no rule, however it came to be kept as one.
        let own = kept.into_iter().map(|(fact, _)| fact).filter(|fact| fact.others.is_empty());
        Ok(own.map(|fact| fact.value).collect())
    }

    async fn revising(&self, ctx: &RequestContext, statement: &str) -> Result<Option<PlannedAction>, ServiceError> {
        let Some((key, new_value)) = update::said_of(statement) else { return Ok(None) };
        let known = self.called(ctx, &key).await?.map(|(fact, _)| fact);
        let is_news = |fact: &Memory| terms::fold(&fact.value) != terms::fold(&new_value);
        Ok(known.filter(is_news).map(|fact| planned(NAME, &UpdateFact { key: fact.id, new_value })))
    }

    fn remembering(&self, key: &str, value: &str) -> PlannedAction {
        let [category, key, value] = ["person", key, value].map(str::to_owned);
        planned(NAME, &StoreFact { category, key, value })
    }
}
