//! `create`: write a note or start a list.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{NAME, Note, NoteChanged};
use super::service::NotesService;
use crate::services::contract::command::{
    Command, Completed, Effect, Handle, Invocation, Receipt, Subject, one_or_many,
};
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::helpers::texts;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, things, title, without_determiner};

/// Write a note or start a list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateNote {
    pub title: String,
    pub text: Option<String>,
    /// For a list: its entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub items: Vec<String>,
}

impl CreateNote {
    /// A planned action that makes a note.
    pub(super) fn of(planned: &PlannedAction) -> Option<CreateNote> {
        (planned.command == Self::NAME).then(|| Self::deserialize(Value::Object(planned.params.clone())).ok()).flatten()
    }

    /// All that it holds beside its title.
    pub(super) fn said(&self) -> Option<String> {
        let lines: Vec<&str> = self.text.iter().chain(&self.items).map(String::as_str).collect();
        texts::filled(Some(&lines.join("\n")))
    }
}

impl Command for CreateNote {
    type Output = NoteChanged;

    const NAME: &'static str = "create";
    const SUMMARY: &'static str = "write a note or start a list";
    const EXAMPLE: &'static str = "Make a shopping list with milk and eggs";
    const STATUS: &'static str = "Writing that down…";
    const STAKES: Stakes = Stakes::Low;
    const NAMES: &'static [&'static str] = &["title", "items"];

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        let body =
            self.text.iter().cloned().chain(self.items.iter().map(|item| format!("• {item}"))).collect::<Vec<_>>();
        CardBody::titled("Write this note?").words("Title", &self.title).body(body.join("\n"))
    }

    fn receipt(&self, output: &NoteChanged, _: &Receipt<'_>) -> String {
        format!("🗒 Noted: {}", output.note.whole())
    }

    fn attempt(&self, _: &Action) -> String {
        format!("write the note “{}”", self.title)
    }

    fn made(&self, output: &NoteChanged) -> Option<ItemRef> {
        Some(output.note.named())
    }
}

#[async_trait]
impl Handle<CreateNote> for NotesService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn perform(&self, call: Invocation<'_, CreateNote>) -> Result<Completed<NoteChanged>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let mut note = Note {
            text: texts::filled(command.text.as_deref()),
            items: texts::filled_all(&command.items),
            ..Note::called(&command.title, ctx, attempt)?
        };
        let text = note.text.as_deref().unwrap_or_default();
        for (field, text) in [("title", note.title.as_str()), ("text", text), ("items", &note.items.join("\n"))] {
            note.others.write(field, text, provenance::source(action, field));
        }
        note.check_size()?;
        let change = Change::put(&note, Expect::Absent)?;
        Ok(NoteChanged::done(&note, ctx, change))
    }
}

/// A note or a list from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "create");
    if let Some(items) = said.raw("items").map(|items| things(&items)).filter(|items| !items.is_empty()) {
        set(&mut action, "items", Some(Value::Array(items)));
    }
    let text = said.raw("text");
    let purpose = said.raw("for").map(|purpose| format!(" for {purpose}")).unwrap_or_default();
    let named = said.raw("title").map(|t| format!("{}{purpose}", title(without_determiner(&t))));
    match (named, text) {
        (Some(name), text) => {
            set(&mut action, "title", Some(name));
            set(&mut action, "text", text.map(|t| title(&t)));
        }
        (None, Some(text)) => {
            set(&mut action, "title", Some(title(&short_title(&text))));
            set(&mut action, "text", Some(title(&text)));
        }
        (None, None) if action.params.contains_key("items") => set(&mut action, "title", Some("List")),
        (None, None) => {
            return Built::Ask { question: "What should the note say?", partial: action, param: "title" };
        }
    }
    Built::Act(action)
}

/// A note goes on with what was said behind it.
pub(in crate::services) fn go_on(action: &mut PlannedAction, sentence: &str) {
    if action.command == CreateNote::NAME
        && let Some(text) = action.params.get("text").and_then(Value::as_str)
    {
        let text = format!("{}. {}", text.trim_end().trim_end_matches('.'), title(sentence.trim()));
        action.params.insert("text".into(), text.into());
    }
}

/// A note of few words is its own title; a long one is called by its beginning.
fn short_title(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= 8 { text.to_owned() } else { words[..6].join(" ") }
}
