//! What the assistant remembers about the person: facts with a category, a name and a value.
//!
//! A fact of a name that is known already replaces the old one: two truths about one thing are none.

mod forget;
mod importing;
mod learning;
mod meaning;
mod near;
mod recall;
mod record;
mod searchable;
mod service;
mod store;
mod talked;
mod update;

use std::sync::Arc;

use async_trait::async_trait;
use forget::ForgetFact;
use recall::RecallFacts;
use record::FactView;
pub use record::{Memory, NAME};
use serde_json::Value;
pub use service::MemoryService;
use store::StoreFact;
use talked::EarlierStatement;
use update::UpdateFact;
pub(super) use update::revalued;

use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::Imported;
use crate::services::contract::capabilities::{Content, Fact, Facts, Listing, Offerable};
use crate::services::contract::command::{before, planned};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::searchable::Searchable;
use crate::services::contract::service::{ContextRequest, ContextRole, Noticed, Service, ServiceInfo};
use crate::services::helpers::items::{self, Item};
use crate::services::helpers::texts;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::{LIST_ROWS_MAX, RESULT_ROWS_MAX};
use brain_core::ports::{RecordExt, Scan, Secondary, Source};
use brain_language::language::own_rule::Revision;
use brain_language::language::requests::built::Builder;
use brain_language::language::terms;

#[cfg(test)]
mod tests;

/// Rules that are looked at; nobody keeps more in their head.
const RULES_MAX: usize = 50;

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 4] =
    [("store", store::built), ("recall", recall::built), ("update", update::built), ("forget", forget::built)];

/// The orders by which it asks the store for facts.
pub(super) static INDEXES: [&Secondary; 2] = [&record::BY_CATEGORY, &record::BY_AGE];

/// Its facts, to be found.
pub(super) const SOURCE: Source = items::source::<Memory>();

/// What facts are called in an export.
const RECORDS: &str = "memories";

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

    fn offers(&self, content: &Content<'_>, _: &RequestContext) -> Vec<Offerable> {
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

    async fn keep_ready(&self) {
        match &self.meanings {
            Some(meanings) => meanings.keep().await,
            None => std::future::pending().await,
        }
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<Memory>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        self.imported(ctx, records).await.map(Some)
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        let mut found = self.nearest(ctx, &wanted.message).await?;
        found.truncate(wanted.limit);
        let told = self.told(ctx, wanted, &found).await?;
        let fact = |memory: &Memory| Noticed {
            id: Some(memory.id.clone()),
            line: format!("{}: {}", texts::brief(&memory.key), texts::brief(&memory.value)),
            untrusted: memory.untrusted(),
        };
        let said = |said: &EarlierStatement| {
            let day = said.at.with_timezone(&ctx.zone).format("%Y-%m-%d");
            Noticed { id: None, line: format!("on {day} the person said: “{}”", said.text), untrusted: Vec::new() }
        };
        Ok(found.iter().map(fact).chain(told.iter().map(said)).collect())
    }
}

fn fact(memory: &Memory) -> Fact {
    Fact {
        id: memory.id.clone(),
        category: memory.category.clone(),
        key: memory.key.clone(),
        value: memory.value.clone(),
        from: memory.others.first().map(str::to_owned),
        since: memory.at,
        former: memory.former.clone(),
    }
}

/// What of these is somebody else's; whose a former value was is not kept, so it is nobody's own.
fn untrusted(facts: &[Memory]) -> Vec<UntrustedText> {
    let former = facts.iter().flat_map(|fact| &fact.former);
    let former = former.map(|value| UntrustedText::new("what I remembered before", value));
    items::untrusted(facts).into_iter().chain(former).collect()
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
        Ok(Listing { rows, more, next: None, untrusted: untrusted(shown) })
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

    async fn revising(
        &self,
        ctx: &RequestContext,
        said: &Revision,
        was_spoken_of: bool,
    ) -> Result<Option<PlannedAction>, ServiceError> {
        let (known, new_value) = match &said.was {
            Some(was) => {
                let Some((key, new_value)) = update::said_instead(&said.statement) else { return Ok(None) };
                if key.is_none() && !was_spoken_of {
                    return Ok(None);
                }
                (self.being(ctx, was, key.as_deref()).await?, new_value)
            }
            None => {
                let Some((key, new_value)) = update::said_of(&said.statement) else { return Ok(None) };
                (self.called(ctx, &key).await?.map(|(fact, _)| fact), new_value)
            }
        };
        let is_news = |fact: &Memory| terms::fold(&fact.value) != terms::fold(&new_value);
        Ok(known.filter(is_news).map(|fact| planned(NAME, &UpdateFact { key: fact.id, new_value })))
    }

    async fn worth_remembering(&self, ctx: &RequestContext, said: &str) -> Result<Option<PlannedAction>, ServiceError> {
        self.learned(ctx, said).await
    }

    fn remembering(&self, key: &str, value: &str) -> PlannedAction {
        let [category, key, value] = ["person", key, value].map(str::to_owned);
        planned(NAME, &StoreFact { category, key, value })
    }
}
