//! `remove`: take entries off a list.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry_query::{self, EntryQuery, EntryState};
use super::record::{Note, NoteChanged};
use super::service::NotesService;
use crate::services::contract::command::{
    Command, Completed, Effect, Handle, Invocation, Receipt, Subject, one_or_many,
};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, label};
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect};

/// Take entries off a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveEntries {
    /// The list's id or words from its title; nothing when none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_by: Option<String>,
    /// Words of each entry.
    #[serde(deserialize_with = "one_or_many")]
    pub items: Vec<String>,
    /// The id of the list that was last spoken of; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub near: Option<String>,
}

impl Command for RemoveEntries {
    type Output = NoteChanged;

    const NAME: &'static str = "remove";
    const SUMMARY: &'static str = "take entries off a list";
    const EXAMPLE: &'static str = "Take leeks off the groceries list";
    const STATUS: &'static str = "Changing your list…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["find_by", "items"];

    fn find_by(&mut self) -> Option<&mut String> {
        self.find_by.as_mut()
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Take these off the list?")
            .words("List", self.list(subject.action))
            .body(self.items.join("\n"))
    }

    fn approve(&self) -> &'static str {
        "✂️ Take off"
    }

    fn done(&self) -> &'static str {
        "Taken off"
    }

    fn receipt(&self, output: &NoteChanged, _: &Receipt<'_>) -> String {
        format!("🗒 Took off {}: {}", output.note.title, self.items.join(", "))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("take {} off {}", self.items.join(", "), self.list(action))
    }

    fn made(&self, output: &NoteChanged) -> Option<ItemRef> {
        Some(output.note.named())
    }
}

impl RemoveEntries {
    fn list(&self, action: &Action) -> String {
        label(action, self.find_by.as_deref().unwrap_or("the list"))
    }
}

#[async_trait]
impl Handle<RemoveEntries> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: RemoveEntries,
    ) -> Result<Prepared<RemoveEntries>, ServiceError> {
        let items = entry_query::cleaned(&command.items)?;
        let sought = EntryQuery {
            list: command.find_by.as_deref(),
            near: command.near.as_deref(),
            items: &items,
            state: EntryState::Either,
            keeps_missing: false,
        };
        let (find_by, near) = (command.find_by.clone(), command.near.clone());
        self.with_entries(ctx, sought, |items| RemoveEntries { find_by, items, near }).await
    }

    /// Commutes with whatever else is done to the list: what was meant is looked for anew.
    async fn perform(&self, call: Invocation<'_, RemoveEntries>) -> Result<Completed<NoteChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (mut note, revision) = items::current::<Note>(&self.store, ctx, action).await?;
        note.remove(&command.items).map_err(|gone| entry_query::gone(&note, &gone))?;
        note.updated_at = ctx.now;
        let change = Change::put(&note, Expect::Revision(revision))?;
        Ok(NoteChanged::done(&note, ctx, change))
    }
}
