//! Facts, for questions over everything a person has.

use async_trait::async_trait;

use super::record::Memory;
use super::record::NAME;
use super::service::MemoryService;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemText, Searchable,
};
use crate::services::helpers::items::Item;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;

#[async_trait]
impl Searchable for MemoryService {
    fn kind(&self) -> ItemKind {
        ItemKind::Fact
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        // Nobody takes part in it.
        if !filter.people.is_empty() {
            return Ok(FoundItems::default());
        }
        let found = |fact: &Memory| Some(item(fact)).filter(|item| filter.allows(&item.marks));
        if filter.words.is_empty() {
            let (facts, total) = self.found(ctx, "").await?;
            let mut items: Vec<FoundItem> = facts.iter().filter_map(found).collect();
            items.truncate(filter.limit);
            return Ok(FoundItems { more: total.saturating_sub(items.len()), items, gap: None });
        }
        self.finder(ctx).about(filter, found).await
    }

    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        Freshness::of_records::<Memory>(self.store.as_ref(), &ctx.owner)
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        self.finder(ctx).read(ids, |fact: &Memory| fact.value.clone()).await
    }
}

fn item(fact: &Memory) -> FoundItem {
    FoundItem {
        service: NAME.to_owned(),
        id: fact.id.clone(),
        kind: ItemKind::Fact,
        title: fact.key.replace('_', " "),
        at: Some(fact.at),
        until: None,
        people: Vec::new(),
        snippet: shorten(&fact.value, SNIPPET_CHARS_MAX),
        marks: Vec::new(),
        untrusted: fact.untrusted(),
    }
}
