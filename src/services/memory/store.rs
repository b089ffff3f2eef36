//! `store`: remember a fact. A fact of a name that is known already replaces the old one.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryService;
use super::record::{FactView, Memory, told_by};
use crate::core::card::CardBody;
use crate::core::history::ItemRef;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::ports::{Change, Expect};
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::error::ServiceError;
use crate::services::items::Item;
use crate::services::provenance::{self, Others};
use crate::services::texts;

/// Remember a fact about the person.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreFact {
    /// E.g. preference, person, place, work, health, fact.
    pub category: String,
    /// A short name of the fact.
    pub key: String,
    pub value: String,
}

/// A fact that was remembered.
#[derive(Debug, Serialize, Deserialize)]
pub struct FactStored {
    memory: FactView,
    /// What it said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

impl Command for StoreFact {
    type Output = FactStored;

    const NAME: &'static str = "store";
    const SUMMARY: &'static str = "remember a fact about the person";
    const EXAMPLE: &'static str = "Remember that I prefer window seats";
    const STATUS: &'static str = "Remembering that…";
    const STAKES: Stakes = Stakes::Low;
    const COMPOSED: &'static [&'static str] = &["category", "key"];

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Remember this?")
            .words("Fact", &self.key)
            .words("It says", &self.value)
            .words("Kind", &self.category)
    }

    fn receipt(&self, output: &FactStored, _: &Receipt<'_>) -> String {
        let remembered = format!("🧠 Remembered: {} — {}", self.key, self.value);
        match &output.replaced {
            Some(old) => format!("{remembered} (instead of “{old}”)"),
            None => remembered,
        }
    }

    fn attempt(&self, _: &Action) -> String {
        format!("remember “{}”", self.key)
    }

    fn made(&self, output: &FactStored) -> Option<ItemRef> {
        Some(output.memory.named())
    }
}

#[async_trait]
impl Handle<StoreFact> for MemoryService {
    fn effect(&self) -> Effect {
        Effect::WriteHere
    }

    async fn perform(&self, call: Invocation<'_, StoreFact>) -> Result<Completed<FactStored>, ServiceError> {
        let Invocation { ctx, command, action, attempt } = call;
        let key = texts::title(&command.key, "fact")?;
        let category = texts::title(&command.category, "category")?;
        let value = super::value(&command.value)?;
        let (id, expect, replaced) = match self.called(ctx, &key).await? {
            Some((old, revision)) => (old.id.clone(), Expect::Revision(revision), Some(old)),
            None => (texts::new_id(attempt), Expect::Absent, None),
        };
        let mut others = Others::default();
        for (field, text) in [("category", &category), ("key", &key), ("value", &value)] {
            others.write(field, text, provenance::source(action, field));
        }
        let source = told_by(&others);
        let former = replaced.as_ref().map(Memory::once_replaced).unwrap_or_default();
        let memory = Memory { id, owner: ctx.owner.clone(), category, key, value, source, former, others, at: ctx.now };
        let mut untrusted = memory.untrusted();
        let replaced = replaced.filter(|old| old.value != memory.value);
        untrusted.extend(replaced.iter().flat_map(Item::untrusted));
        let output = FactStored { memory: memory.view(ctx), replaced: replaced.map(|old| old.value) };
        Ok(Completed::changed(output, vec![Change::put(&memory, expect)?]).holding(untrusted))
    }
}
