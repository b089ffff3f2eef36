//! `list`: show all notes.

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
use crate::services::show;

/// Show all notes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListNotes {}

impl Command for ListNotes {
    type Output = Notes;

    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "show all notes";
    const EXAMPLE: &'static str = "Show my notes";
    const STATUS: &'static str = "Looking at your notes…";
    const STAKES: Stakes = Stakes::Low;

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Show your notes?")
    }

    fn receipt(&self, output: &Notes, _: &Receipt<'_>) -> String {
        if output.notes.is_empty() {
            return "🗒 No notes yet.".to_owned();
        }
        format!("🗒 Your notes:\n{}", show::list(output.notes.iter().map(NoteView::line).collect(), output.more))
    }

    fn attempt(&self, _: &Action) -> String {
        "look at your notes".to_owned()
    }
}

#[async_trait]
impl Handle<ListNotes> for NotesService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListNotes>) -> Result<Completed<Notes>, ServiceError> {
        Ok(Notes::read(self.latest(call.ctx, RESULT_ROWS_MAX).await?, call.ctx))
    }
}
