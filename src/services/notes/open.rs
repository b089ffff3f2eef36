//! What of the lists is open when somebody reports that something is done: entries without a tick.

use async_trait::async_trait;

use super::record::Note;
use super::tick::TickEntries;
use super::{NAME, NotesService, entries};
use crate::core::plan::PlannedAction;
use crate::language::requests::StateReport;
use crate::limits::RESULT_ROWS_MAX;
use crate::services::command::planned;
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::reported;
use crate::services::search::WordQuery;
use crate::services::service::{OpenThing, OpenThings, RequestContext};
use crate::services::texts::brief;

#[async_trait]
impl OpenThings for NotesService {
    async fn told_of(&self, ctx: &RequestContext, report: &StateReport) -> Result<Vec<OpenThing>, ServiceError> {
        let query = WordQuery::new(&report.what);
        let looked = self.finder(ctx).named::<Note>(&query, RESULT_ROWS_MAX).await?;
        let mut told = Vec::new();
        for (note, _) in looked.held.iter().filter(|(note, _)| note.is_list()) {
            for entry in note.items.iter().filter(|entry| !entries::is_ticked(entry)) {
                let Some(fit) = reported::fit(entries::words_of(entry), report) else { continue };
                told.push(OpenThing {
                    id: note.id.clone(),
                    part: Some(entries::words_of(entry).to_owned()),
                    label: format!("Tick off “{}” on {}", brief(entries::words_of(entry)), brief(&note.title)),
                    fit,
                    untrusted: note.untrusted(),
                });
            }
        }
        told.dedup_by(|a, b| a.id == b.id && a.part == b.part);
        Ok(told)
    }

    fn completing(&self, things: &[OpenThing]) -> Vec<PlannedAction> {
        let mut ticks: Vec<TickEntries> = Vec::new();
        for OpenThing { id, part, .. } in things {
            let Some(entry) = part.clone() else { continue };
            match ticks.iter_mut().find(|tick| tick.find_by.as_ref() == Some(id)) {
                Some(tick) => tick.items.push(entry),
                None => ticks.push(TickEntries { find_by: Some(id.clone()), items: vec![entry], near: None }),
            }
        }
        ticks.iter().map(|tick| planned(NAME, tick)).collect()
    }
}
