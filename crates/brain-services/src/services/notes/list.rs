//! `list`: show all notes.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{NoteView, Notes};
use super::service::NotesService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages;
use crate::services::contract::show::{self, Paging};
use brain_core::core::card::CardBody;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;

/// Show all notes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListNotes {
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

impl ListNotes {
    fn paging<'a>(&'a self, output: &'a Notes) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

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
        let place = self.paging(output);
        let list = || show::page(output.notes.iter().map(NoteView::line).collect(), place);
        match (place.after, output.notes.is_empty()) {
            (None, true) => "🗒 No notes yet.".to_owned(),
            (None, false) => format!("🗒 Your notes:\n{}", list()),
            (Some(_), _) => list(),
        }
    }

    fn next_page(&self, output: &Notes) -> Option<(usize, Self)> {
        let (rest, after) = pages::rest(self.paging(output), output.notes.len())?;
        Some((rest, Self { after: Some(after) }))
    }

    fn attempt(&self, _: &Action) -> String {
        "look at your notes".to_owned()
    }
}

#[async_trait]
impl Handle<ListNotes> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, ListNotes>) -> Result<Completed<Notes>, ServiceError> {
        self.listed(call.ctx, call.command.after.as_deref()).await
    }
}
