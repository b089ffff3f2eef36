//! Notes and lists: `{id, title, text?, items?}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::command::{Command, Kind, Receipt, Subject};
use super::super::email::commands::one_or_many;
use super::super::entry::{Entry, entry};
use super::super::show;
use super::super::task::commands::{label, text};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::core::text::shorten;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![entry::<Create>(), entry::<Append>(), entry::<List>(), entry::<Search>(), entry::<Delete>()]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Create {
    title: String,
    text: Option<String>,
    /// For a list: its entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    items: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Append {
    /// The note's id or words from its title.
    find_by: String,
    /// What to add; several entries of a list on lines of their own.
    text: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The note's id or words from its title.
    find_by: String,
}

fn question(param: &str) -> &'static str {
    match param {
        "title" => "What should the note be called?",
        "text" => "What should I write down?",
        "query" => "What should I look for in your notes?",
        _ => "Which note do you mean?",
    }
}

impl Command for Create {
    const SERVICE: &'static str = "keep";
    const NAME: &'static str = "create";
    const SUMMARY: &'static str = "write a note or start a list";
    const EXAMPLE: &'static str = "Make a shopping list with milk and eggs";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        let body =
            self.text.iter().cloned().chain(self.items.iter().map(|item| format!("• {item}"))).collect::<Vec<_>>();
        CardBody::titled("Write this note?").row("Title", &self.title).body(body.join("\n"))
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🗒 Noted: {}", whole(&receipt.result["note"]))
    }

    fn deed(&self, _: &Action) -> String {
        format!("write the note “{}”", self.title)
    }
}

impl Command for Append {
    const SERVICE: &'static str = "keep";
    const NAME: &'static str = "append";
    const SUMMARY: &'static str = "add to a note or list";
    const EXAMPLE: &'static str = "Add butter to the shopping list";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Add to this note?").row("Note", label(subject.action, &self.find_by)).body(&self.text)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let title = text(&receipt.result["note"], "title").unwrap_or(&self.find_by).to_owned();
        if receipt.result["begun"] == true {
            return format!("🗒 New list: {}", whole(&receipt.result["note"]));
        }
        format!("🗒 Added to {title}: {}", self.text.replace('\n', ", "))
    }

    fn deed(&self, action: &Action) -> String {
        format!("add to “{}”", label(action, &self.find_by))
    }
}

impl Command for List {
    const SERVICE: &'static str = "keep";
    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "show all notes";
    const EXAMPLE: &'static str = "Show my notes";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Show your notes?")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let notes = receipt.result["notes"].as_array().map(Vec::as_slice).unwrap_or_default();
        if notes.is_empty() {
            return "🗒 No notes yet.".to_owned();
        }
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("🗒 Your notes:\n{}", show::list(notes.iter().map(brief).collect(), more))
    }

    fn deed(&self, _: &Action) -> String {
        "look at your notes".to_owned()
    }
}

impl Command for Search {
    const SERVICE: &'static str = "keep";
    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "find and read notes";
    const EXAMPLE: &'static str = "What's on my packing list?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Search your notes?").row("For", &self.query)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let notes = receipt.result["notes"].as_array().map(Vec::as_slice).unwrap_or_default();
        match notes {
            [] => "🗒 I found no such note.".to_owned(),
            [note] => format!("🗒 {}", whole(note)),
            many => {
                let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
                format!("🗒 Found:\n{}", show::list(many.iter().map(brief).collect(), more))
            }
        }
    }

    fn deed(&self, _: &Action) -> String {
        "search your notes".to_owned()
    }
}

impl Command for Delete {
    const SERVICE: &'static str = "keep";
    const NAME: &'static str = "delete";
    const SUMMARY: &'static str = "delete a note for good";
    const EXAMPLE: &'static str = "Delete the gift ideas note";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().map(|t| t.before.clone()).unwrap_or_default();
        CardBody::titled("Delete this note?").row("Note", label(subject.action, &self.find_by)).body(whole(&before))
    }

    fn approve(&self) -> &'static str {
        "🗑 Delete"
    }

    fn done(&self) -> &'static str {
        "Deleted"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🗑 Deleted the note {}", label(receipt.action, &self.find_by))
    }

    fn deed(&self, action: &Action) -> String {
        format!("delete the note “{}”", label(action, &self.find_by))
    }
}

fn items(note: &Value) -> Vec<&str> {
    note["items"].as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// Title and where it is from, text and entries.
fn whole(note: &Value) -> String {
    let from = show::from(note).unwrap_or_default();
    let mut lines = vec![format!("{}{from}", text(note, "title").unwrap_or("(no title)"))];
    lines.extend(text(note, "text").map(str::to_owned));
    lines.extend(items(note).iter().map(|item| format!("• {item}")));
    lines.join("\n")
}

/// One line.
fn brief(note: &Value) -> String {
    let entries = items(note);
    let content =
        if entries.is_empty() { text(note, "text").unwrap_or_default().to_owned() } else { entries.join(", ") };
    let title = text(note, "title").unwrap_or("(no title)");
    if content.is_empty() {
        format!("▫️ {title}")
    } else {
        format!("▫️ {title}: {}", shorten(&content.replace('\n', " "), 60))
    }
}
