//! What of the lists a report may be about: entries without a tick, or, to be open again, those with one.

use async_trait::async_trait;

use super::entries;
use super::record::{NAME, Note};
use super::service::NotesService;
use super::tick::TickEntries;
use super::untick::UntickEntries;
use crate::services::contract::capabilities::{OpenItems, OpenThing};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::helpers::items::Item;
use crate::services::helpers::reported;
use crate::services::helpers::search::WordQuery;
use crate::services::helpers::texts::brief;
use brain_core::core::plan::PlannedAction;
use brain_core::limits::RESULT_ROWS_MAX;
use brain_language::language::requests::{ReportKind, StateReport};

#[async_trait]
impl OpenItems for NotesService {
    async fn told_of(&self, ctx: &RequestContext, report: &StateReport) -> Result<Vec<OpenThing>, ServiceError> {
        let query = WordQuery::new(&report.what);
        let looked = self.finder(ctx).named::<Note>(&query, RESULT_ROWS_MAX).await?;
        let reopens = report.kind == ReportKind::Reopen;
        let mut told = Vec::new();
        for (note, _) in looked.held.iter().filter(|(note, _)| note.is_list()) {
            for entry in note.items.iter().filter(|entry| entries::is_ticked(entry) == reopens) {
                let words = entries::words_of(entry);
                let Some(fit) = reported::fit(words, report) else { continue };
                let does = if reopens { "Put back" } else { "Tick off" };
                told.push(OpenThing {
                    id: note.id.clone(),
                    part: Some(words.to_owned()),
                    label: format!("{does} “{}” on {}", brief(words), brief(&note.title)),
                    fit,
                    untrusted: note.untrusted(),
                });
            }
        }
        told.dedup_by(|a, b| a.id == b.id && a.part == b.part);
        Ok(told)
    }

    fn settling(&self, things: &[OpenThing], kind: ReportKind) -> Vec<PlannedAction> {
        let mut lists: Vec<(&str, Vec<String>)> = Vec::new();
        for OpenThing { id, part, .. } in things {
            let Some(entry) = part.clone() else { continue };
            match lists.iter_mut().find(|(list, _)| list == id) {
                Some((_, items)) => items.push(entry),
                None => lists.push((id, vec![entry])),
            }
        }
        let action = |(list, items): (&str, Vec<String>)| {
            let find_by = Some(list.to_owned());
            match kind {
                ReportKind::Told | ReportKind::State | ReportKind::Order => {
                    planned(NAME, &TickEntries { find_by, items, near: None })
                }
                ReportKind::Reopen => planned(NAME, &UntickEntries { find_by, items, near: None, or_add: false }),
            }
        };
        lists.into_iter().map(action).collect()
    }
}
