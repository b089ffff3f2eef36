//! What the assistant remembers about the person: facts with a category, a name and a value.
//!
//! A fact of a name that is known already replaces the old one: two truths about one thing are none.

pub mod commands;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::items::{self, Item, unknown_command};
use super::provenance;
use super::provenance::Others;
use super::search::{Index, Query, fold};
use super::texts;
use crate::core::ids::UserId;
use crate::core::plan::{Action, Params};
use crate::core::provenance::UntrustedText;
use crate::core::stakes::Authorized;
use crate::limits::RESULT_ROWS_MAX;
use crate::ports::{Change, Expect, Key, Record, Store, Table};
use crate::services::service::{Attempt, Noticed, Performed, Prepared, RequestContext, Service, ServiceError, Wanted};

#[cfg(test)]
mod tests;

/// A fact far behind the best one does not answer the question.
const FAR: f32 = 0.35;
/// What having been learned just now adds to a fact's relevance.
const RECENCY: f32 = 0.1;
/// Days after which half of that is gone.
const RECENCY_DAYS: f32 = 30.0;

/// A fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Unique among the owner's memories.
    pub id: String,
    /// About whom.
    pub owner: UserId,
    /// E.g. `travel`.
    pub category: String,
    /// Its name, e.g. `seat`.
    pub key: String,
    /// What is so.
    pub value: String,
    /// Where it comes from, e.g. `told by you`.
    pub source: String,
    /// What of it is somebody else's.
    #[serde(default, skip_serializing_if = "Others::is_empty")]
    pub others: Others,
    /// Since when it is known.
    pub at: DateTime<Utc>,
}

impl Record for Memory {
    const TABLE: Table = Table::Memories;

    fn key(&self) -> Key {
        Key::of(&[self.owner.as_str(), &self.id])
    }
}

impl Item for Memory {
    const NOUN: &'static str = "memory";

    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.key
    }

    fn body(&self) -> String {
        format!("{} {}", self.category, self.value)
    }

    fn label(&self, _: &RequestContext) -> String {
        format!("{}: {}", texts::brief(&self.key), texts::brief(&self.value))
    }

    fn view(&self, _: &RequestContext) -> Value {
        let mut view = json!({"id": self.id, "category": self.category, "key": self.key, "value": self.value});
        self.others.mark(&mut view);
        view
    }

    fn nearness(&self, ctx: &RequestContext) -> (u8, i64) {
        (0, (ctx.now - self.at).num_seconds().abs())
    }

    fn untrusted(&self) -> Vec<UntrustedText> {
        self.others.untrusted("a memory")
    }
}

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

    async fn remember(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let key = texts::title(action.text("key"), "fact")?;
        let category = texts::title(action.text("category"), "category")?;
        let value = value(&action.params, "value")?;
        let same = |(memory, _): &(Memory, u64)| fold(&memory.key) == fold(&key);
        let known = self.all(ctx).await?.into_iter().find(same);
        let (id, expect, replaced) = match known {
            Some((old, revision)) => (old.id.clone(), Expect::Revision(revision), Some(old)),
            None => (texts::new_id(attempt), Expect::Absent, None),
        };
        let mut others = Others::default();
        for (field, text) in [("category", &category), ("key", &key), ("value", &value)] {
            others.write(field, text, provenance::source(action, field));
        }
        let source = told_by(&others);
        let memory = Memory { id, owner: ctx.owner.clone(), category, key, value, source, others, at: ctx.now };
        let mut result = json!({"memory": memory.view(ctx)});
        let mut untrusted = memory.untrusted();
        if let Some(old) = replaced.filter(|old| old.value != memory.value) {
            result["replaced"] = json!(old.value);
            untrusted.extend(old.untrusted());
        }
        Ok(Performed::changed(result, vec![Change::put(&memory, expect)?]).holding(untrusted))
    }

    async fn update(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (mut memory, revision) = items::held::<Memory>(&self.store, ctx, action).await?;
        memory.value = value(&action.params, "new_value")?;
        memory.others.write("value", &memory.value, provenance::source(action, "new_value"));
        memory.source = told_by(&memory.others);
        memory.at = ctx.now;
        let change = Change::put(&memory, Expect::Revision(revision))?;
        Ok(told(&memory, ctx, change))
    }

    async fn forget(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let (memory, revision) = items::held::<Memory>(&self.store, ctx, action).await?;
        let change = Change::delete(Memory::TABLE, Record::key(&memory), Expect::Revision(revision));
        Ok(told(&memory, ctx, change))
    }

    async fn recall(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let all: Vec<Memory> = self.all(ctx).await?.into_iter().map(|(memory, _)| memory).collect();
        let query = Query::new(action.text("query"));
        let found = if query.is_for_everything() { all } else { relevant(all, &query, ctx.now) };
        let shown = &found[..found.len().min(RESULT_ROWS_MAX)];
        let rows: Vec<Value> = shown.iter().map(|memory| memory.view(ctx)).collect();
        let more = found.len() - shown.len();
        Ok(Performed::result(json!({"memories": rows, "more": more})).holding(items::untrusted(shown)))
    }
}

/// The source of what the person said themself.
const TOLD: &str = "told by you";

fn told_by(others: &Others) -> String {
    others.first().unwrap_or(TOLD).to_owned()
}

fn told(memory: &Memory, ctx: &RequestContext, change: Change) -> Performed {
    Performed::changed(json!({"memory": memory.view(ctx)}), vec![change]).holding(memory.untrusted())
}

fn value(params: &Params, name: &str) -> Result<String, ServiceError> {
    texts::given(params, name)
        .ok_or_else(|| ServiceError("There was nothing to remember; nothing was written.".to_owned()))
}

/// The facts that answer a question, best first: relevance, a little more for newer ones.
fn relevant(memories: Vec<Memory>, query: &Query, now: DateTime<Utc>) -> Vec<Memory> {
    let bodies: Vec<String> = memories.iter().map(Memory::body).collect();
    let index = Index::new(memories.iter().zip(&bodies).map(|(m, body)| (m.key.as_str(), body.as_str())));
    let scores = index.bm25(query).into_iter().zip(memories).map(|(score, memory)| {
        let days = (now - memory.at).num_days().max(0) as f32;
        (score * (1.0 + RECENCY / (1.0 + days / RECENCY_DAYS)), memory)
    });
    let mut ranked: Vec<(f32, Memory)> = scores.filter(|(score, _)| *score > 0.0).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = ranked.first().map_or(0.0, |(score, _)| *score);
    ranked.into_iter().filter(|(score, _)| *score >= best * FAR).map(|(_, memory)| memory).collect()
}

#[async_trait]
impl Service for MemoryService {
    fn name(&self) -> &'static str {
        "memory"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "store" | "recall" => Ok(Prepared::as_is(params)),
            "update" => items::prepare::<Memory>(&self.store, ctx, params, "key", |_| true).await,
            "forget" => items::prepare::<Memory>(&self.store, ctx, params, "find_by", |_| true).await,
            _ => Err(unknown_command("memory", command)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "store" => self.remember(ctx, action, attempt).await,
            "update" => self.update(ctx, action).await,
            "recall" => self.recall(ctx, action).await,
            "forget" => self.forget(ctx, action).await,
            other => Err(unknown_command("memory", other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![("memories", items::export::<Memory>(&self.store, owner).await?)])
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let all: Vec<Memory> = self.all(ctx).await?.into_iter().map(|(memory, _)| memory).collect();
        let found = relevant(all, &Query::new(&wanted.message), ctx.now);
        let noticed = |memory: &Memory| Noticed {
            id: memory.id.clone(),
            line: format!("{}: {}", texts::brief(&memory.key), texts::brief(&memory.value)),
            untrusted: memory.untrusted(),
        };
        Ok(found.iter().take(wanted.limit).map(noticed).collect())
    }
}
