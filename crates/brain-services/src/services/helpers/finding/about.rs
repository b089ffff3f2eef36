//! All that is about something, for questions over everything a person has.

use super::super::items::Item;
use super::super::search::WordQuery;
use super::Finder;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::{FoundItem, FoundItems, ItemFilter, ItemText, WrittenText};
use brain_core::limits::RESULT_ROWS_MAX;

/// What covers less of the words than this is about something else.
const COVERED: f32 = 0.35;
/// What covers less than this part of what the best covers, too.
const BESIDE: f32 = 0.5;

impl Finder<'_> {
    /// Those that hold the words of a filter, best first. `found` shows one of them, and says nothing of one that the
    /// rest of the filter does not allow.
    pub async fn about<T: Item>(
        &self,
        filter: &ItemFilter,
        found: impl Fn(&T) -> Option<FoundItem>,
    ) -> Result<FoundItems, ServiceError> {
        let query = WordQuery::new(&filter.words);
        let covered = |fit: &super::Fit<'_>, worded: &[super::WordedItem], _: &[T]| {
            worded.iter().map(|item| fit.covered(item)).collect()
        };
        let fits = |score: f32, best: f32| score >= COVERED && score >= best.min(1.0) * BESIDE;
        let (items, total) = self.ranked(&query, covered, fits).await?;
        let looked_at = items.len();
        let mut items: Vec<FoundItem> = items.iter().filter_map(found).collect();
        let more = total.saturating_sub(looked_at) + items.len().saturating_sub(filter.limit);
        items.truncate(filter.limit.min(RESULT_ROWS_MAX));
        Ok(FoundItems { items, more, gap: None })
    }

    /// What these say; `written` takes it from a record.
    pub async fn read<T: Item>(
        &self,
        ids: &[String],
        written: impl Fn(&T) -> String,
    ) -> Result<Vec<ItemText>, ServiceError> {
        let mut texts = Vec::new();
        for id in ids {
            let held = super::items::by_id::<T>(self.store, &self.ctx.owner, id).await?;
            texts.extend(held.map(|(item, _)| {
                let said =
                    WrittenText { at: Some(item.at()), is_own: true, text: written(&item), ..Default::default() };
                ItemText { id: id.clone(), said: vec![said], left_out: 0 }
            }));
        }
        Ok(texts)
    }
}
