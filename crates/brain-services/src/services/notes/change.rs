//! `change`: say an entry of a list in other words, which keeps its place and its tick, or some words of a note.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entries;
use super::entry_query::{self, EntryQuery, EntryState};
use super::record::{NAME, Note, NoteChanged, entries_in};
use super::service::NotesService;
use crate::services::contract::command::{self, Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::helpers::finding::Choice;
use crate::services::helpers::items::{self, RevisedItem, label};
use crate::services::helpers::preparing;
use brain_core::core::card::CardBody;
use brain_core::core::history::{ItemRef, PastAction};
use brain_core::core::plan::{ActingAccount, Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::words::shaped_like;

/// Change one entry of a list, its amount for one.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeEntry {
    /// The list's id or words from its title; nothing when none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_by: Option<String>,
    /// Words of the entry as it stands.
    pub item: String,
    /// All that it says from now on.
    pub to: String,
    /// The id of the list that was last spoken of; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub near: Option<String>,
}

impl Command for ChangeEntry {
    type Output = NoteChanged;

    const NAME: &'static str = "change";
    const SUMMARY: &'static str = "change an entry of a list";
    const EXAMPLE: &'static str = "Change leeks to two leeks on the groceries list";
    const STATUS: &'static str = "Changing your list…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["find_by", "item"];

    fn find_by(&mut self) -> Option<&mut String> {
        self.find_by.as_mut()
    }

    fn problem(&self) -> Option<String> {
        self.to.trim().is_empty().then(|| "an entry needs words".to_owned())
    }

    fn question(param: &str) -> &'static str {
        match param {
            "to" => "What shall it say instead?",
            _ => super::service::question(param),
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Change this entry?")
            .words("List", self.list(subject.action))
            .words("Entry", &self.item)
            .words("It will say", &self.to)
    }

    fn approve(&self) -> &'static str {
        "✏️ Change"
    }

    fn done(&self) -> &'static str {
        "Changed"
    }

    fn receipt(&self, output: &NoteChanged, _: &Receipt<'_>) -> String {
        let (note, item, to) = (&output.note, &self.item, self.to.trim());
        match &note.text {
            Some(text) if note.items.is_empty() => format!("🗒 Changed: {text} (was {item})"),
            _ => format!("🗒 Changed on {}: {item} → {to}", note.title),
        }
    }

    fn attempt(&self, action: &Action) -> String {
        format!("change {} on {}", self.item, self.list(action))
    }

    fn made(&self, output: &NoteChanged) -> Option<ItemRef> {
        Some(output.note.named())
    }
}

impl ChangeEntry {
    fn list(&self, action: &Action) -> String {
        label(action, self.find_by.as_deref().unwrap_or("the list"))
    }
}

#[async_trait]
impl Handle<ChangeEntry> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: ChangeEntry) -> Result<Prepared<ChangeEntry>, ServiceError> {
        if let Some(held) = self.note_saying(ctx, &command).await? {
            return preparing::prepared(ctx, Choice::One(held), command, "find_by", "");
        }
        let items = entry_query::cleaned(std::slice::from_ref(&command.item))?;
        let ChangeEntry { find_by, to, near, .. } = &command;
        let (list, near) = (find_by.as_deref(), near.as_deref());
        let sought = EntryQuery { list, near, items: &items, state: EntryState::Either, keeps_missing: false };
        let settled = |mut items: Vec<String>| ChangeEntry {
            find_by: find_by.clone(),
            item: items.pop().unwrap_or_else(|| command.item.clone()),
            to: to.clone(),
            near: near.map(str::to_owned),
        };
        Ok(match self.with_entries(ctx, sought, settled).await? {
            Prepared::Several { param, question, candidates } if param != "find_by" => {
                Prepared::Several { param: "item".to_owned(), question, candidates }
            }
            prepared => prepared,
        })
    }

    /// Commutes with whatever else is done to the list: what was meant is looked for anew.
    async fn perform(&self, call: Invocation<'_, ChangeEntry>) -> Result<Completed<NoteChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (mut note, revision) = items::current::<Note>(&self.store, ctx, action).await?;
        let source = provenance::source(action, "to");
        note.change(&command.item, command.to.trim(), source).map_err(|gone| entry_query::gone(&note, &gone))?;
        note.check_size()?;
        note.updated_at = ctx.now;
        let change = Change::put(&note, Expect::Revision(revision))?;
        Ok(NoteChanged::done(&note, ctx, change))
    }
}

impl NotesService {
    /// The note that is no list and has these words in one place.
    async fn note_saying(
        &self,
        ctx: &RequestContext,
        command: &ChangeEntry,
    ) -> Result<Option<RevisedItem<Note>>, ServiceError> {
        let Some(id) = command.find_by.as_deref() else { return Ok(None) };
        let held = items::by_id::<Note>(&self.store, &ctx.owner, id).await?;
        Ok(held.filter(|(note, _)| note.says_once(&command.item)))
    }
}

/// What was kept last, with another value in place of the one that is shaped like it.
pub(in crate::services) fn revalued(last: &PastAction, value: &str) -> Option<PlannedAction> {
    let find_by = last.item.as_ref().filter(|item| last.service == NAME && !item.id.is_empty())?.id.clone();
    let text = |name: &str| last.params.get(name).and_then(Value::as_str).map(str::to_owned);
    let entries = |name: &str| last.params.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let kept = match last.command.as_str() {
        "create" => entries("items").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        "append" => text("text").map(|text| entries_in(&text)).unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut like = kept.iter().filter_map(|entry| Some((entry, shaped_like(entry, value)?)));
    let changed = match (like.next(), like.next()) {
        (Some((entry, old)), None) => Some((entry.clone(), entry.replacen(old, value, 1))),
        _ => None,
    };
    // What is no list keeps its words.
    let said = match last.command.as_str() {
        "create" if kept.is_empty() => text("text").or_else(|| text("title")),
        "append" => text("text").filter(|_| kept.len() < 2),
        ChangeEntry::NAME => text("to"),
        _ => None,
    };
    let (item, to) = changed.or_else(|| Some((shaped_like(&said?, value)?.to_owned(), value.to_owned())))?;
    Some(command::planned(NAME, &ChangeEntry { find_by: Some(find_by), item, to, near: None }))
}

/// An entry of a list that is named, or of the one talked about last, and its new words.
pub(super) fn built(said: &ClauseReading) -> Built {
    let bare = |slot: &str| said.raw(slot).map(|words| Value::from(without_determiner(&words)));
    let (Some(item), Some(to)) = (bare("item"), said.raw("to").map(Value::from)) else { return Built::No };
    let mut action = said.action(NAME, ChangeEntry::NAME);
    entries::on_list(said, &mut action);
    set(&mut action, "item", Some(item));
    set(&mut action, "to", Some(to));
    Built::Act(action)
}
