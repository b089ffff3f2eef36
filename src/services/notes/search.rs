//! `search`: find and read notes.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::NotesService;
use super::record::{NoteView, Notes};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::limits::RESULT_ROWS_MAX;
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::error::ServiceError;
use crate::services::search::WordQuery;
use crate::services::show;

/// Find and read notes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchNotes {
    query: String,
}

impl Command for SearchNotes {
    type Output = Notes;

    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "find and read notes";
    const EXAMPLE: &'static str = "What's on my packing list?";
    const STATUS: &'static str = "Searching your notes…";
    const STAKES: Stakes = Stakes::Low;

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Search your notes?").words("For", &self.query)
    }

    fn receipt(&self, output: &Notes, _: &Receipt<'_>) -> String {
        match output.notes.as_slice() {
            [] => "🗒 I found no such note.".to_owned(),
            [note] => format!("🗒 {}", note.whole()),
            many => format!("🗒 Found:\n{}", show::list(many.iter().map(NoteView::line).collect(), output.more)),
        }
    }

    fn attempt(&self, _: &Action) -> String {
        "search your notes".to_owned()
    }
}

#[async_trait]
impl Handle<SearchNotes> for NotesService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, SearchNotes>) -> Result<Completed<Notes>, ServiceError> {
        let query = WordQuery::new(&call.command.query);
        let found = match query.is_for_everything() {
            true => self.latest(call.ctx, RESULT_ROWS_MAX).await?,
            false => self.matching(call.ctx, &query).await?,
        };
        Ok(Notes::read(found, call.ctx))
    }
}
