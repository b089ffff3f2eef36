//! Memories: facts with `{id, category, key, value}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::command::{Command, Kind, Receipt, Subject};
use super::super::entry::{Entry, entry};
use super::super::show;
use super::super::task::commands::{label, text};
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;

pub(crate) fn entries() -> Vec<Box<dyn Entry>> {
    vec![entry::<Store>(), entry::<Update>(), entry::<Recall>(), entry::<Forget>()]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Store {
    /// E.g. preference, person, place, work, health, fact.
    category: String,
    /// A short name of the fact.
    key: String,
    value: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Update {
    /// The fact's name or words from it.
    key: String,
    new_value: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recall {
    query: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Forget {
    /// The fact's id, name, or words from it.
    find_by: String,
}

fn question(param: &str) -> &'static str {
    match param {
        "value" | "new_value" => "What exactly should I remember?",
        "query" => "What would you like me to recall?",
        "find_by" => "What should I forget?",
        _ => "What is it about?",
    }
}

impl Command for Store {
    const SERVICE: &'static str = "memory";
    const NAME: &'static str = "store";
    const SUMMARY: &'static str = "remember a fact about the person";
    const EXAMPLE: &'static str = "Remember that I prefer window seats";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Remember this?").row(&self.key, &self.value).row("Kind", &self.category)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let remembered = format!("🧠 Remembered: {} — {}", self.key, self.value);
        match text(receipt.result, "replaced") {
            Some(old) => format!("{remembered} (instead of “{old}”)"),
            None => remembered,
        }
    }

    fn deed(&self, _: &Action) -> String {
        format!("remember “{}”", self.key)
    }
}

impl Command for Update {
    const SERVICE: &'static str = "memory";
    const NAME: &'static str = "update";
    const SUMMARY: &'static str = "correct a remembered fact";
    const EXAMPLE: &'static str = "Actually, my sister is called Nina";
    const KIND: Kind = Kind::Write;
    const REFERENCES: &'static [&'static str] = &["key"];

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().and_then(|t| text(&t.before, "value")).unwrap_or("nothing");
        CardBody::titled("Change what I remember?")
            .row(label(subject.action, &self.key).as_str(), format!("{before} → {}", self.new_value))
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🧠 Updated: {} — {}", label(receipt.action, &self.key), self.new_value)
    }

    fn deed(&self, action: &Action) -> String {
        format!("update “{}”", label(action, &self.key))
    }
}

impl Command for Recall {
    const SERVICE: &'static str = "memory";
    const NAME: &'static str = "recall";
    const SUMMARY: &'static str = "look up remembered facts";
    const EXAMPLE: &'static str = "What do you know about my sister?";
    const KIND: Kind = Kind::Read;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::Low
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up what I remember?").row("About", &self.query)
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        let memories = receipt.result["memories"].as_array().map(Vec::as_slice).unwrap_or_default();
        if memories.is_empty() {
            return "🧠 I remember nothing about that.".to_owned();
        }
        let line = |m: &Value| {
            let from = show::from(m).unwrap_or_default();
            format!("▫️ {}: {}{from}", text(m, "key").unwrap_or("?"), text(m, "value").unwrap_or("?"))
        };
        let more = receipt.result["more"].as_u64().unwrap_or(0) as usize;
        format!("🧠 I remember:\n{}", show::list(memories.iter().map(line).collect(), more))
    }

    fn deed(&self, _: &Action) -> String {
        "look up what I remember".to_owned()
    }
}

impl Command for Forget {
    const SERVICE: &'static str = "memory";
    const NAME: &'static str = "forget";
    const SUMMARY: &'static str = "erase a remembered fact";
    const EXAMPLE: &'static str = "Forget my old address";
    const KIND: Kind = Kind::Write;

    fn stakes(&self, _: &Action) -> Stakes {
        Stakes::High
    }

    fn question(param: &str) -> &'static str {
        question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.action.target.as_ref().and_then(|t| text(&t.before, "value")).unwrap_or_default();
        CardBody::titled("Forget this?").row("Fact", label(subject.action, &self.find_by)).row("It says", before)
    }

    fn approve(&self) -> &'static str {
        "🗑 Forget"
    }

    fn done(&self) -> &'static str {
        "Forgotten"
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        format!("🗑 Forgotten: {}", label(receipt.action, &self.find_by))
    }

    fn deed(&self, action: &Action) -> String {
        format!("forget “{}”", label(action, &self.find_by))
    }
}
