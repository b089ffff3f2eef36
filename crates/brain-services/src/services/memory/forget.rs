//! `forget`: erase a remembered fact, here and wherever else it was said.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recall::strip_lead;
use super::record::NAME;
use super::record::{FactChanged, FactView, Memory};
use super::service::MemoryService;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::helpers::items::{self, label};
use crate::services::helpers::preparing;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action};
use brain_core::core::stakes::Stakes;
use brain_core::ports::records::Erasure;
use brain_core::ports::{Change, Expect, Record};
use brain_language::language::own_rule;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, without_determiner};
use brain_language::language::tokens::lower;

/// Erase a remembered fact.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetFact {
    /// The fact's id, name, or words from it.
    pub find_by: String,
    // What it said before goes, and what it says now stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    former_only: bool,
}

impl ForgetFact {
    /// All of the fact with this id.
    pub(super) fn of(id: &str) -> Self {
        Self { find_by: id.to_owned(), former_only: false }
    }
}

impl Command for ForgetFact {
    type Output = FactChanged;

    const NAME: &'static str = "forget";
    const SUMMARY: &'static str = "erase a remembered fact";
    const EXAMPLE: &'static str = "Forget my old address";
    const STATUS: &'static str = "Forgetting that…";
    const STAKES: Stakes = Stakes::High;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let says = subject.before::<FactView>().map(|fact| fact.value).unwrap_or_default();
        if self.former_only {
            let named = CardBody::titled("Forget what this said before?");
            return named.words("Fact", label(subject.action, &self.find_by)).words("It stays", says);
        }
        CardBody::titled("Forget this?").words("Fact", label(subject.action, &self.find_by)).words("It says", says)
    }

    fn approve(&self) -> &'static str {
        "🗑 Forget"
    }

    fn done(&self) -> &'static str {
        "Forgotten"
    }

    fn receipt(&self, _: &FactChanged, receipt: &Receipt<'_>) -> String {
        let what = if self.former_only { "what it said before: " } else { "" };
        format!("🗑 Forgotten: {what}{}", label(receipt.action, &self.find_by))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("forget “{}”", label(action, &self.find_by))
    }

    fn made(&self, output: &FactChanged) -> Option<ItemRef> {
        Some(output.memory.named())
    }
}

#[async_trait]
impl Handle<ForgetFact> for MemoryService {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteHere
    }

    async fn prepare(&self, ctx: &RequestContext, command: ForgetFact) -> Result<Prepared<ForgetFact>, ServiceError> {
        if let Some(words) = own_rule::former(&command.find_by) {
            let former = ForgetFact { find_by: words.clone(), former_only: true };
            let has_one = |fact: &Memory| !fact.former.is_empty();
            let prepared =
                preparing::prepare::<Memory, _>(&self.store, &self.index, ctx, former, "find_by", &words, has_one)
                    .await?;
            if matches!(prepared, Prepared::Ready { .. }) {
                return Ok(prepared);
            }
        }
        let words = command.find_by.clone();
        preparing::prepare::<Memory, _>(&self.store, &self.index, ctx, command, "find_by", &words, |_| true).await
    }

    async fn perform(&self, call: Invocation<'_, ForgetFact>) -> Result<Completed<FactChanged>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let (mut memory, revision) = items::held::<Memory>(&self.store, ctx, action).await?;
        if command.former_only {
            let texts = std::mem::take(&mut memory.former);
            let stays = Change::put(&memory, Expect::Revision(revision))?;
            let erased = Erasure::asked(&ctx.owner, &ctx.chat, &memory.id, texts, ctx.now);
            let changes = [vec![stays], remembered_as_gone(&erased)?].concat();
            return Ok(FactChanged::done(&memory, ctx, changes));
        }
        let deleted = Change::delete(Memory::TABLE, Record::key(&memory), Expect::Revision(revision));
        let texts = memory.once_replaced();
        let erased = Erasure::asked(&ctx.owner, &ctx.chat, &memory.id, texts, ctx.now);
        let changes = [vec![deleted], remembered_as_gone(&erased)?].concat();
        Ok(FactChanged::done(&memory, ctx, changes))
    }
}

/// What makes it go everywhere else, and keeps it from coming back.
fn remembered_as_gone(erased: &Erasure) -> Result<Vec<Change>, ServiceError> {
    Ok(vec![Change::put(erased, Expect::Any)?, Change::put(&erased.tombstone(), Expect::Any)?])
}

/// A fact to forget, from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    // What was told last, where only that it was told is said.
    let told = || history::latest(said.input.history, |_| true).filter(|past| past.service == NAME);
    let told = || told().filter(|past| past.item.is_some()).and_then(history::handle);
    let named = said.raw("what").map(|what| without_determiner(&strip_lead(&what)).to_owned());
    let Some(what) = named.or_else(told) else { return Built::No };
    if matches!(lower(&what).as_str(), "it" | "that" | "about it" | "this" | "everything" | "") {
        return Built::No;
    }
    let mut action = said.action(NAME, "forget");
    set(&mut action, "find_by", Some(what));
    Built::Act(action)
}
