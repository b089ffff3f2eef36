//! `append`: add to a note or list. A list that is not there is begun.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{NAME, Note, NoteChanged};
use super::service::NotesService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, Item, label};
use crate::services::helpers::preparing;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::capital;
use brain_core::ports::{Change, Expect};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, things, without_determiner};

/// Add to a note or list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendNote {
    /// The note's id or words from its title.
    pub find_by: String,
    /// What to add; several entries of a list on lines of their own.
    pub text: String,
}

impl Command for AppendNote {
    type Output = NoteChanged;

    const NAME: &'static str = "append";
    const SUMMARY: &'static str = "add to a note or list";
    const EXAMPLE: &'static str = "Add butter to the groceries list";
    const STATUS: &'static str = "Adding to your notes…";
    const STAKES: Stakes = Stakes::Low;
    const ENTRIES: &'static [&'static str] = &["text"];

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add to this note?").words("Note", label(subject.action, &self.find_by)).body(&self.text)
    }

    fn receipt(&self, output: &NoteChanged, _: &Receipt<'_>) -> String {
        if output.begun {
            return format!("🗒 New list: {}", output.note.whole());
        }
        format!("🗒 Added to {}: {}", output.note.title, self.text.replace('\n', ", "))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("add to “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &NoteChanged) -> Option<ItemRef> {
        Some(output.note.named())
    }
}

#[async_trait]
impl Handle<AppendNote> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: AppendNote) -> Result<Prepared<AppendNote>, ServiceError> {
        let words = texts::filled(Some(&command.find_by)).unwrap_or_default();
        let begins = AppendNote { find_by: command.find_by.clone(), text: command.text.clone() };
        let choice = self.named(ctx, &words, |_| true).await?;
        Ok(match preparing::prepared(ctx, choice, command, "find_by", &words)? {
            Prepared::NotFound { .. } if names_a_list(&words) => Prepared::as_is(begins),
            Prepared::NotFound { what } => Prepared::NotFound {
                what: format!("{what} Say “make a list called {}” and I'll start it.", texts::brief(&words)),
            },
            found @ (Prepared::Ready { .. } | Prepared::Several { .. } | Prepared::Every { .. }) => found,
        })
    }

    /// Adding commutes: a note that grew since it was looked up is still the one that was meant.
    async fn perform(&self, call: Invocation<'_, AppendNote>) -> Result<Completed<NoteChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let nothing = || ServiceError::Refused("There was nothing to add.".to_owned());
        let text = texts::filled(Some(&command.text)).ok_or_else(nothing)?;
        let begins = action.target.is_none() && names_a_list(&command.find_by);
        let (mut note, expect) = if begins {
            (Note::called(&capital(&command.find_by), ctx, attempt)?, Expect::Absent)
        } else {
            let (note, revision) = items::current::<Note>(&self.store, ctx, action).await?;
            (note, Expect::Revision(revision))
        };
        note.append(&text, provenance::source(action, "text"));
        note.check_size()?;
        note.updated_at = ctx.now;
        let change = Change::put(&note, expect)?;
        let output = NoteChanged { note: note.view(ctx), begun: begins };
        Ok(Completed::changed(output, vec![change]).holding(note.untrusted()))
    }
}

/// A name of a list: a few plain words. What a note is found by is not judged for others' words, so a name that could
/// carry an address, a link or a number begins nothing.
fn names_a_list(words: &str) -> bool {
    const WORDS_MAX: usize = 4;
    let last = words.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_list = ["list", "liste"].iter().any(|list| last.ends_with(list));
    let plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’');
    is_list && words.split_whitespace().count() <= WORDS_MAX && words.chars().all(plain)
}

/// Entries to add to a list, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "append");
    let Some(text) = said.raw("text") else {
        return Built::No;
    };
    // A vague object, and the thing to add behind it.
    if is_shopping(said) && said.grammar.lexicon.starts("vague", said.ids("text")).is_some() {
        return Built::No;
    }
    let text = things(&text).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    let name = said.name("name").map(|n| without_determiner(&n).to_owned());
    let name = match name {
        Some(name) => Some(name),
        None => list_before(said).or_else(|| is_shopping(said).then(|| "shopping list".to_owned())),
    };
    let fixed = action.params.get("find_by").and_then(Value::as_str).map(str::to_owned);
    let Some(name) = fixed.or(name).filter(|_| !text.is_empty()) else { return Built::No };
    set(&mut action, "find_by", Some(name));
    set(&mut action, "text", Some(text));
    Built::Act(action)
}

/// The list talked about last.
fn list_before(said: &ClauseReading) -> Option<String> {
    let past = history::latest(said.input.history, |past| !past.params.is_empty())?;
    (past.service == NAME).then(|| history::handle(past)).flatten()
}

/// What there is no more of is to be bought.
fn is_shopping(said: &ClauseReading) -> bool {
    let clause = said.typed();
    ["out of", "running low"].iter().any(|w| clause.contains(w))
}
