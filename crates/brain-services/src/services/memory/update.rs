//! `update`: correct a remembered fact.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::NAME;
use super::record::{FactChanged, FactView, Memory, told_by};
use super::service::MemoryService;
use super::store::{at_copula, fact, is_pronoun, split_copula, strip_that};
use crate::services::contract::command::{self, Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::provenance;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use crate::services::helpers::search::WordQuery;
use brain_core::core::card::CardBody;
use brain_core::core::history::{ItemRef, PastAction};
use brain_core::core::plan::{ActingAccount, Action, PlannedAction};
use brain_core::core::stakes::Stakes;
use brain_core::ports::{Change, Expect};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::grammar::GRAMMAR;
use brain_language::language::requests::reading::{ClauseReading, tidy, without_determiner};
use brain_language::language::words::{fold, shaped_like};

/// Correct a remembered fact.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateFact {
    /// The fact's name or words from it.
    pub(super) key: String,
    pub(super) new_value: String,
}

impl Command for UpdateFact {
    type Output = FactChanged;

    const NAME: &'static str = "update";
    const SUMMARY: &'static str = "correct a remembered fact";
    const EXAMPLE: &'static str = "My address is now 5 Harbour Lane";
    const STATUS: &'static str = "Correcting what I remember…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &["key"];

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let before = subject.before::<FactView>().map(|fact| fact.value).unwrap_or_default();
        CardBody::titled("Change what I remember?")
            .words("Fact", label(subject.action, &self.key))
            .words("Until now", before)
            .words("From now on", &self.new_value)
    }

    fn receipt(&self, _: &FactChanged, receipt: &Receipt<'_>) -> String {
        format!("🧠 Updated: {} — {}", label(receipt.action, &self.key), self.new_value)
    }

    fn attempt(&self, action: &Action) -> String {
        format!("update “{}”", label(action, &self.key))
    }

    fn made(&self, output: &FactChanged) -> Option<ItemRef> {
        Some(output.memory.named())
    }
}

#[async_trait]
impl Handle<UpdateFact> for MemoryService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: UpdateFact) -> Result<Prepared<UpdateFact>, ServiceError> {
        let words = command.key.clone();
        preparing::prepare::<Memory, _>(&self.store, &self.index, ctx, command, "key", &words, |_| true).await
    }

    async fn perform(&self, call: Invocation<'_, UpdateFact>) -> Result<Completed<FactChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (mut memory, revision) = items::held::<Memory>(&self.store, ctx, action).await?;
        let value = super::service::value(&command.new_value)?;
        memory.former = memory.once_replaced();
        memory.value = value;
        memory.others.write("value", &memory.value, provenance::source(action, "new_value"));
        memory.source = told_by(&memory.others);
        memory.at = ctx.now;
        let change = Change::put(&memory, Expect::Revision(revision))?;
        Ok(FactChanged::done(&memory, ctx, vec![change]))
    }
}

/// The subject of a statement, and what it says of it.
pub(super) fn said_of(text: &str) -> Option<(String, String)> {
    let text = strip_that(text).trim_end_matches(" now");
    if let Some((subject, value)) = split_copula(text) {
        return Some((without_determiner(subject).to_owned(), tidy(value)));
    }
    let fact = fact(*GRAMMAR, text);
    (fact.category != "fact").then_some((fact.key, fact.value))
}

/// What a statement that denies another one says: of what, unless it only points at it, and what is so.
pub(super) fn said_instead(text: &str) -> Option<(Option<String>, String)> {
    let text = tidy(text).replace("'s ", " is ").replace("’s ", " is ");
    let (subject, value) = at_copula(&text)?;
    let key = (!is_pronoun(subject)).then(|| without_determiner(subject).to_owned());
    Some((key, value.to_owned()))
}

/// What was kept last, with another value in place of the one that is shaped like it.
pub(in crate::services) fn revalued(last: &PastAction, value: &str) -> Option<PlannedAction> {
    let item = last.item.as_ref().filter(|item| last.service == NAME && !item.id.is_empty())?;
    let said = ["new_value", "value"].iter().find_map(|name| last.params.get(*name)?.as_str())?;
    let new_value = said.replacen(shaped_like(said, value)?, value, 1);
    Some(command::planned(NAME, &UpdateFact { key: item.id.clone(), new_value }))
}

impl MemoryService {
    /// The one fact that says exactly this, of that name where one is given.
    pub(super) async fn being(
        &self,
        ctx: &RequestContext,
        value: &str,
        key: Option<&str>,
    ) -> Result<Option<Memory>, ServiceError> {
        let bare = |text: &str| fold(without_determiner(text));
        let says =
            |fact: &Memory| bare(&fact.value) == bare(value) && key.is_none_or(|key| bare(&fact.key) == bare(key));
        let (near, _) = self.relevant(ctx, &WordQuery::new(value)).await?;
        let mut same = near.into_iter().filter(says);
        Ok(same.next().filter(|_| same.next().is_none()))
    }
}

/// A correction of a kept fact, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    // A statement with another subject tells of others, or asks.
    if said.found.frame.weak && ["asking", "teller"].iter().any(|class| said.clause_starts(class)) {
        return Built::No;
    }
    let mut action = said.action(NAME, "update");
    let pair = match (said.raw("key"), said.raw("value")) {
        (Some(key), Some(value)) => Some((without_determiner(&key).to_owned(), value)),
        _ => said.raw("fact").and_then(|text| said_of(&text)),
    };
    let Some((key, value)) = pair else { return Built::No };
    set(&mut action, "key", Some(key));
    set(&mut action, "new_value", Some(value));
    Built::Act(action)
}
