//! `recall`: look up remembered facts.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryService;
use super::record::FactView;
use crate::core::card::CardBody;
use crate::core::plan::Action;
use crate::core::stakes::Stakes;
use crate::limits::RESULT_ROWS_MAX;
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::error::ServiceError;
use crate::services::items::{self, Item};
use crate::services::show;

/// Look up remembered facts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallFacts {
    query: String,
}

/// Facts that answer a question, best first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recalled {
    memories: Vec<FactView>,
    /// How many more there are.
    more: usize,
}

impl Command for RecallFacts {
    type Output = Recalled;

    const NAME: &'static str = "recall";
    const SUMMARY: &'static str = "look up remembered facts";
    const EXAMPLE: &'static str = "What do you know about my sister?";
    const STATUS: &'static str = "Thinking back…";
    const STAKES: Stakes = Stakes::Low;

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up what I remember?").words("About", &self.query)
    }

    fn receipt(&self, output: &Recalled, _: &Receipt<'_>) -> String {
        if output.memories.is_empty() {
            return "🧠 I remember nothing about that.".to_owned();
        }
        let line = |fact: &FactView| {
            let from = fact.from.as_deref().map(show::from).unwrap_or_default();
            format!("▫️ {}: {}{from}", fact.key, fact.value)
        };
        format!("🧠 I remember:\n{}", show::list(output.memories.iter().map(line).collect(), output.more))
    }

    fn attempt(&self, _: &Action) -> String {
        "look up what I remember".to_owned()
    }
}

#[async_trait]
impl Handle<RecallFacts> for MemoryService {
    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, RecallFacts>) -> Result<Completed<Recalled>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let (found, total) = self.found(ctx, &command.query).await?;
        let shown = &found[..found.len().min(RESULT_ROWS_MAX)];
        let memories = shown.iter().map(|memory| memory.view(ctx)).collect();
        Ok(Completed::read(Recalled { memories, more: total - shown.len() }).holding(items::untrusted(shown)))
    }
}
