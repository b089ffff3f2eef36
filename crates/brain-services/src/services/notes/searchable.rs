//! Notes, for questions over everything a person has.

use async_trait::async_trait;

use super::record::{NAME, Note};
use super::search::SearchNotes;
use super::service::NotesService;
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{
    FoundItem, FoundItems, Freshness, ItemFilter, ItemKind, ItemText, Searchable,
};
use crate::services::helpers::items::Item;
use brain_core::core::plan::PlannedAction;
use brain_core::core::text::shorten;
use brain_core::limits::SNIPPET_CHARS_MAX;

#[async_trait]
impl Searchable for NotesService {
    fn kind(&self) -> ItemKind {
        ItemKind::Note
    }

    async fn find_items(&self, ctx: &RequestContext, filter: &ItemFilter) -> Result<FoundItems, ServiceError> {
        // Nobody takes part in it.
        if !filter.people.is_empty() {
            return Ok(FoundItems::default());
        }
        let found = |note: &Note| Some(item(note)).filter(|item| filter.allows(&item.marks));
        if filter.words.is_empty() {
            let (notes, total) = self.latest(ctx, filter.limit).await?;
            let items: Vec<FoundItem> = notes.iter().filter_map(found).collect();
            return Ok(FoundItems { more: total.saturating_sub(notes.len()), items, gap: None });
        }
        self.finder(ctx).about(filter, found).await
    }

    fn opening(&self, item: &FoundItem) -> Option<PlannedAction> {
        Some(planned(NAME, &SearchNotes::of(&item.title)))
    }

    async fn freshness(&self, ctx: &RequestContext) -> Option<Freshness> {
        Freshness::of_records::<Note>(self.store.as_ref(), &ctx.owner)
    }

    async fn read_items(&self, ctx: &RequestContext, ids: &[String]) -> Result<Vec<ItemText>, ServiceError> {
        self.finder(ctx).read(ids, text).await
    }
}

fn text(note: &Note) -> String {
    note.text.iter().chain(&note.items).map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn item(note: &Note) -> FoundItem {
    FoundItem {
        service: NAME.to_owned(),
        id: note.id.clone(),
        kind: ItemKind::Note,
        title: note.title.clone(),
        at: Some(note.updated_at),
        until: None,
        people: Vec::new(),
        snippet: shorten(&text(note).replace('\n', " · "), SNIPPET_CHARS_MAX),
        marks: Vec::new(),
        untrusted: note.untrusted(),
    }
}
