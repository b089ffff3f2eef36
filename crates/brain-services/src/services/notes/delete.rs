//! `delete`: delete a note for good.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{Note, NoteChanged, NoteView};
use super::service::NotesService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect, Record};

/// Delete a note for good.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteNote {
    /// The note's id or words from its title.
    find_by: String,
}

impl Command for DeleteNote {
    type Output = NoteChanged;

    const NAME: &'static str = "delete";
    const SUMMARY: &'static str = "delete a note for good";
    const EXAMPLE: &'static str = "Delete the gift ideas note";
    const STATUS: &'static str = "Deleting your note…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.before::<NoteView>().map(|note| note.whole()).unwrap_or_default();
        CardBody::titled("Delete this note?").words("Note", label(subject.action, &self.find_by)).body(before)
    }

    fn approve(&self) -> &'static str {
        "🗑 Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, _: &NoteChanged, receipt: &Receipt<'_>) -> String {
        format!("🗑 Deleted the note {}", label(receipt.action, &self.find_by))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("delete the note “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &NoteChanged) -> Option<ItemRef> {
        Some(output.note.named())
    }
}

#[async_trait]
impl Handle<DeleteNote> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: DeleteNote) -> Result<Prepared<DeleteNote>, ServiceError> {
        let words = command.find_by.clone();
        if let Some(all) = preparing::all_that_fit::<Note, _>(&self.store, &self.index, ctx, &words, &|_| true).await? {
            return Ok(all);
        }
        let choice = self.named(ctx, &words, |_| true).await?;
        preparing::prepared(ctx, choice, command, "find_by", &words)
    }

    async fn perform(&self, call: Invocation<'_, DeleteNote>) -> Result<Completed<NoteChanged>, ServiceError> {
        let (note, revision) = items::held::<Note>(&self.store, call.ctx, call.action).await?;
        let change = Change::delete(Note::TABLE, note.key(), Expect::Revision(revision));
        Ok(NoteChanged::done(&note, call.ctx, change))
    }
}
