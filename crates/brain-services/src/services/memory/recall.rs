//! `recall`: look up remembered facts.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::{FactView, Memory, NAME};
use super::service::MemoryService;
use super::talked::EarlierStatement;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::error::ServiceError;
use crate::services::contract::pages::{self, Page};
use crate::services::contract::show::{self, Moment, Paging};
use crate::services::helpers::items::{self, Item};
use brain_core::core::card::CardBody;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::capital;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::{ClauseReading, without_determiner};

/// Facts shown that hold none of the words.
const CLOSEST_MAX: usize = 3;

/// Look up remembered facts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallFacts {
    query: String,
    /// Where a page goes on; not for plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    after: Option<String>,
}

/// Facts that answer a question, best first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recalled {
    memories: Vec<FactView>,
    /// How many more there are.
    more: usize,
    /// What the next page goes on after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// Where nothing holds the words: what means something like it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    closest: Vec<FactView>,
    /// What the person said about it in conversation, on the first page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    said: Vec<EarlierStatement>,
}

impl RecallFacts {
    fn paging<'a>(&'a self, output: &'a Recalled) -> Paging<'a> {
        Paging { after: self.after.as_deref(), next: output.next.as_deref(), more: output.more }
    }
}

impl Command for RecallFacts {
    type Output = Recalled;

    const NAME: &'static str = "recall";
    const SUMMARY: &'static str = "look up remembered facts";
    const EXAMPLE: &'static str = "What do you know about my sister?";
    const STATUS: &'static str = "Thinking back…";
    const STAKES: Stakes = Stakes::Low;

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up what I remember?").words("About", &self.query)
    }

    fn receipt(&self, output: &Recalled, receipt: &Receipt<'_>) -> String {
        let line = |fact: &FactView| {
            let from = fact.from.as_deref().map(show::from).unwrap_or_default();
            format!("▫️ {}: {}{from}", fact.key, fact.value)
        };
        let said = output.said.iter().map(|said| {
            let day = Moment::Day(said.at.with_timezone(&receipt.reference.zone).date_naive());
            format!("🗣 {}, you said: “{}”", capital(&day.show(receipt.reference)), said.text)
        });
        let said = said.collect::<Vec<_>>().join("\n");
        let paging = self.paging(output);
        let list = || show::page(output.memories.iter().map(line).collect(), paging);
        match (paging.after, output.memories.is_empty()) {
            (Some(_), _) => list(),
            (None, true) if said.is_empty() && !output.closest.is_empty() => {
                let closest: Vec<String> = output.closest.iter().map(line).collect();
                format!("🧠 I remember nothing in these words. Closest to it:\n{}", closest.join("\n"))
            }
            (None, true) if said.is_empty() => "🧠 I remember nothing about that.".to_owned(),
            (None, true) => said,
            (None, false) if said.is_empty() => format!("🧠 I remember:\n{}", list()),
            (None, false) => format!("🧠 I remember:\n{}\n{said}", list()),
        }
    }

    fn next_page(&self, output: &Recalled) -> Option<(usize, Self)> {
        let (rest, after) = pages::rest(self.paging(output), output.memories.len())?;
        Some((rest, Self { query: self.query.clone(), after: Some(after) }))
    }

    fn attempt(&self, _: &Action) -> String {
        "look up what I remember".to_owned()
    }
}

#[async_trait]
impl Handle<RecallFacts> for MemoryService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn perform(&self, call: Invocation<'_, RecallFacts>) -> Result<Completed<Recalled>, ServiceError> {
        let Invocation { ctx, command, .. } = call;
        let Page { rows, more, next } = self.recalled(ctx, &command.query, command.after.as_deref()).await?;
        let said = match command.after {
            None => self.talked(ctx, &command.query, &rows).await?,
            Some(_) => Vec::new(),
        };
        let mut closest = Vec::new();
        if rows.is_empty() && said.is_empty() && command.after.is_none() {
            closest = self.by_meaning(ctx, &command.query).await?;
            closest.truncate(CLOSEST_MAX);
        }
        let shown = |facts: &[Memory]| facts.iter().map(|memory| memory.view(ctx)).collect();
        let recalled = Recalled { memories: shown(&rows), more, next, closest: shown(&closest), said };
        Ok(Completed::read(recalled).holding(items::untrusted(rows.iter().chain(&closest))))
    }
}

/// A question about kept facts, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "recall");
    let query = said.raw("query").map(|q| without_determiner(&strip_lead(&q)).to_owned());
    let clause = said.typed();
    let query = match query {
        Some(query) => query,
        None if clause.contains("allergic") => "allergy".into(),
        None => "me".into(),
    };
    let parked = clause.contains("park") && !query.contains("park");
    set(&mut action, "query", Some(if parked { format!("{query} parked") } else { query }));
    Built::Act(action)
}

pub(super) fn strip_lead(query: &str) -> String {
    let mut rest = query;
    for lead in ["what ", "where ", "about ", "that "] {
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    let rest = rest.strip_suffix(" is").or_else(|| rest.strip_suffix(" are")).unwrap_or(rest);
    rest.to_owned()
}
