//! Tools: commands that are no Rust types. A definition arrives at run time (a name, what it does, a JSON schema of its
//! parameters), and whoever offers it carries it out ([`Tools`]); everybody else sees an [`Entry`] as of any command.
//!
//! Invariants: what is called fits the definition's schema; an action keeps the digest of the definition that it was
//! settled by (`Action::schema`), and no other definition carries it out; what a call gives is somebody else's text,
//! bounded, and told as our own words only where the operator vouches for it. Not here: where definitions come from,
//! and who may use them.

mod definition;
mod document;
mod elicitation;
mod form;
mod outside;
mod receipt;
mod result_cache;
mod secret_words;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

pub use self::definition::{Tool, ToolDefinition, UnusableTool};
use self::document::in_words;
pub use self::elicitation::{GivenAnswers, KeptQuestions};
pub(in crate::services) use self::outside::{answered, not_open};
use self::receipt::framed_answer;
pub use self::result_cache::{ReadMore, RestOfAnswer, ResultCache, ToolResult};
use crate::services::contract::addressee::Addressee;
use crate::services::contract::command::{
    Base, Called, Completed, Effect, ParamContents, PastTimes, Receipt, Slot, Subject, planned,
};
use crate::services::contract::context::RequestContext;
use crate::services::contract::param_error::ParamError;
use crate::services::contract::service::{Attempt, Performed, Prepared, ServiceInfo};
use crate::services::contract::type_erasure::{framed, performed, unreadable};
use crate::services::contract::{entry::Entry, error::ServiceError, show};
use brain_core::core::button::Button;
use brain_core::core::card::{CardBody, Row};
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::{ActingAccount, Action, Params, PlannedAction, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::{Authorized, Rule, Stakes};
use brain_core::core::text::{capital, head_and_tail, visible};
use brain_core::limits;
use brain_core::ports::in_order;

/// Carries out the tools of a service. It checks nothing about stakes or consent: what it is called with has passed the
/// gate, fits the schema, and was settled by this very definition.
#[async_trait]
pub trait Tools: Send + Sync + 'static {
    /// Called once per attempt, after the run's journal allows it. Ends by itself within a bounded time; an effect that
    /// may have happened is [`Completed::Doubtful`], never an error.
    async fn call(&self, call: ToolInvocation<'_>) -> Result<Completed<ToolResult>, ServiceError>;

    /// Where answers are kept that are longer than a receipt; `None`: nowhere.
    fn kept(&self) -> Option<&ResultCache> {
        None
    }

    /// Where it is kept what was asked before a call went on; `None`: nobody asks anything.
    fn questions(&self) -> Option<&KeptQuestions> {
        None
    }

    /// Why a person may not use them, in a sentence; `None`: they may.
    fn refusal(&self, _owner: &UserId) -> Option<String> {
        None
    }

    /// Where they are, if they are somewhere on the network.
    fn host(&self) -> Option<String> {
        None
    }

    /// Why values that fit the schema cannot be passed on all the same, in a sentence; `None`: they can.
    fn unfit(&self, _tool: &str, _params: &Params) -> Option<String> {
        None
    }
}

/// One authorised call of a tool.
#[derive(Debug)]
pub struct ToolInvocation<'a> {
    /// For whom, when and where.
    pub ctx: &'a RequestContext,
    /// The tool's name, and everything that was settled.
    pub action: &'a Action,
    /// Its parameters, by name.
    pub arguments: Params,
    /// For what was asked before it went on, as far as anything was.
    pub given: GivenAnswers,
    /// What it does to the world.
    pub effect: Effect,
    /// What makes a retry recognisable.
    pub attempt: &'a Attempt,
}

/// A tool as everybody but its author uses it.
struct ToolEntry<S> {
    service: String,
    digest: String,
    status: String,
    /// What its service is called.
    title: String,
    /// Whose words its results are: `the answer of Home`.
    source: String,
    tool: Tool,
    tools: Arc<S>,
}

/// The entry of a tool in the service of this description.
pub(super) fn entry<S: Tools>(info: &ServiceInfo, tool: Tool, tools: Arc<S>) -> Arc<dyn Entry> {
    let (service, title) = (info.name.clone(), visible(&info.title));
    let (status, source) = (format!("Asking {title}…"), format!("the answer of {title}"));
    Arc::new(ToolEntry { digest: tool.digest(&service), service, status, title, source, tool, tools })
}

impl<S> fmt::Debug for ToolEntry<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.service, self.tool.definition.name)
    }
}

impl<S: Tools> ToolEntry<S> {
    fn open_to(&self, ctx: &RequestContext, params: &Params) -> Result<(), ServiceError> {
        let unfit = || self.tools.unfit(&self.tool.definition.name, params);
        self.tools.refusal(&ctx.owner).or_else(unfit).map_or(Ok(()), |why| Err(ServiceError::Refused(why)))?;
        let questions = self.tools.questions();
        let open = questions.map_or(Ok(()), |questions| questions.is_open_to(&ctx.owner, params, ctx.now));
        open.map_err(ServiceError::Refused)
    }

    /// What it takes: its own parameters, and answers to what was asked before it went on.
    fn checked(
        &self,
        params: Params,
        check: impl FnOnce(Params) -> Result<Params, ParamError>,
    ) -> Result<Params, ParamError> {
        let (own, answers) = elicitation::parted(params);
        let mut params = check(own)?;
        if let Some(questions) = self.tools.questions() {
            params.extend(questions.check(&self.title, &self.tool.definition.name, &answers)?);
        }
        Ok(params)
    }

    /// The same call, to be made once the person has answered what it was asked; `None`: nothing was.
    fn asks(&self, action: &Action, of: &str) -> Option<PlannedAction> {
        self.tools.questions().filter(|questions| questions.has(of))?;
        let (mut params, _) = elicitation::parted(action.params.clone());
        params.extend([elicitation::naming(of)]);
        let (service, command) = (action.service.clone(), action.command.clone());
        Some(PlannedAction { service, command, params, ..PlannedAction::default() })
    }

    async fn called(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Completed<ToolResult>, ServiceError> {
        let params = self.complete(action.params.clone(), None).map_err(|error| unreadable(&error))?;
        self.open_to(ctx, &params)?;
        let given = self.tools.questions().and_then(|questions| questions.answers(&params)).unwrap_or_default();
        let ((arguments, _), effect) = (elicitation::parted(params), self.tool.definition.effect);
        self.tools.call(ToolInvocation { ctx, action, arguments, given, effect, attempt }).await
    }

    fn result(output: &Value) -> Option<ToolResult> {
        ToolResult::deserialize(output).ok()
    }
}

impl<S: Tools> Rule for ToolEntry<S> {
    fn stakes(&self, action: &Action) -> Stakes {
        // What does not fit cannot be judged harmless.
        let fits = self.check(action.params.clone()).is_ok();
        if fits { self.tool.definition.stakes } else { Stakes::High }
    }
}

#[async_trait]
impl<S: Tools> Entry for ToolEntry<S> {
    fn service(&self) -> &str {
        &self.service
    }

    fn command(&self) -> &str {
        &self.tool.definition.name
    }

    fn definition(&self) -> Option<&str> {
        Some(&self.digest)
    }

    fn summary(&self) -> &str {
        &self.tool.definition.summary
    }

    fn example(&self) -> &str {
        &self.tool.definition.example
    }

    fn status(&self) -> &str {
        &self.status
    }

    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        self.tool.definition.effect
    }

    fn account(&self, _: &UserId, _: &Params, _: Option<&Target>) -> Option<ActingAccount> {
        None
    }

    fn may_only_look(&self) -> bool {
        !self.writes() || self.tool.is_of_unknown_effect
    }

    fn addressee(&self) -> Option<Addressee<'_>> {
        Some(Addressee { title: &self.title, source: &self.source, host: self.tools.host() })
    }

    fn references(&self) -> &[&str] {
        &[]
    }

    fn kinds(&self) -> ParamContents {
        ParamContents::default()
    }

    fn shows_untrusted(&self) -> bool {
        !self.tool.is_vouched_for
    }

    fn schema(&self) -> Value {
        self.tool.definition.schema.clone()
    }

    fn check(&self, params: Params) -> Result<Params, ParamError> {
        self.checked(params, |own| self.tool.check(own))
    }

    fn settle(
        &self,
        mut params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError> {
        let past = if self.writes() { PastTimes::Ask } else { PastTimes::Fine };
        for time in self.tool.times() {
            if let Some(Value::String(value)) = params.get_mut(&time.name) {
                settle(Slot::Time { param: &time.name, value, base: Base::Now, past })?;
            }
        }
        Ok(params)
    }

    fn called(&self, _: &Params) -> Called {
        Called::AsTarget
    }

    async fn prepare(&self, ctx: &RequestContext, params: Params, _: &str) -> Result<Prepared, ServiceError> {
        self.open_to(ctx, &params)?;
        Ok(Prepared::as_is(params))
    }

    fn complete(&self, params: Params, _: Option<&Target>) -> Result<Params, ParamError> {
        self.checked(params, |own| self.tool.complete(own))
    }

    fn question(&self, param: &str) -> String {
        // Its fields are named by somebody else, and a router may read this.
        match param.starts_with(elicitation::ASKED) {
            true => format!("What shall I tell {}?", self.title),
            false => definition::question(param),
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let (params, answers) = elicitation::parted(subject.action.params.clone());
        let is_time = |name: &str| self.tool.times().iter().any(|time| time.name == name);
        let known =
            in_order(&self.tool.definition.schema).into_iter().filter_map(|(name, _)| params.get_key_value(name));
        let known: Vec<(&String, &Value)> = known.collect();
        // What the schema does not name stands there as well: a card shows everything that goes out.
        let further = params.iter().filter(|(name, _)| !known.iter().any(|(known, _)| known == name));
        let rows = known.iter().copied().chain(further).map(|(name, value)| match value {
            Value::String(time) if is_time(name) => {
                Row::words(definition::label(name), show::time(time, subject.reference))
            }
            value => Row::words(definition::label(name), in_words(value)),
        });
        let definition = &self.tool.definition;
        let mut card = CardBody::titled(format!("{}: {}?", self.title, definition.name))
            .words("What it does, in its words", capital(&definition.summary));
        card.rows.extend(rows.chain(elicitation::rows(&self.title, &answers)));
        framed(card, subject)
    }

    fn approve(&self, _: &Action) -> &'static str {
        "✅ Yes"
    }

    fn done(&self, _: &Action) -> &'static str {
        "Done"
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = self.called(ctx, action, attempt).await;
        let asks = self.asks(action, &attempt.key);
        let performed = performed(done.map(|done| {
            let done = done.map(|ToolResult { text, .. }| {
                let kept = self.tools.kept();
                let shown = document::shown(&text);
                let rest = kept.and_then(|kept| kept.keep(&ctx.owner, &attempt.key, &shown, ctx.now));
                // What is cut is no document any more.
                let text = if text.chars().count() > limits::TOOL_RESULT_CHARS_MAX { shown } else { text };
                ToolResult { text: head_and_tail(&text, limits::TOOL_RESULT_CHARS_MAX), rest }
            });
            let foreign = match &done {
                Completed::Succeeded { output, .. } if self.shows_untrusted() => {
                    vec![UntrustedText::new(self.source.clone(), output.text.clone())]
                }
                Completed::Succeeded { .. } | Completed::Doubtful(_) => Vec::new(),
            };
            done.holding(foreign)
        }));
        // Why it would not is its own words, too.
        let refusal = match &performed.outcome {
            Outcome::Failed { why } if self.shows_untrusted() => vec![UntrustedText::new(&self.source, why.as_str())],
            Outcome::Failed { .. } | Outcome::Succeeded { .. } | Outcome::Unknown { .. } => Vec::new(),
        };
        Performed { asks, ..performed.holding(refusal) }
    }

    async fn happened(&self, _: &RequestContext, _: &Action, _: &Attempt) -> Option<Outcome> {
        None
    }

    fn receipt(&self, output: &Value, receipt: &Receipt<'_>) -> String {
        let done = receipt::headed(&self.tool.definition, &self.title, &receipt.action.params);
        let told = |text: &str| if self.shows_untrusted() { framed_answer(text) } else { visible(text.trim_end()) };
        let result = Self::result(output).map(|result| ToolResult { text: document::shown(&result.text), ..result });
        match result {
            Some(ToolResult { text, .. }) if text.trim().is_empty() => match self.writes() {
                true => done,
                false => format!("{done}: its answer is empty"),
            },
            Some(ToolResult { text, rest: Some(rest) }) => {
                let tail = text.trim_end().lines().next_back().unwrap_or_default();
                let tail = head_and_tail(tail, limits::TOOL_SUMMARY_CHARS_MAX);
                let (head, tail) = (told(result_cache::first_page(&text)), told(&tail));
                format!("{done}:\n{head}\n… {} more lines, the last of which is\n{tail}", rest.lines)
            }
            Some(ToolResult { text, rest: None }) => {
                let answer = head_and_tail(text.trim(), limits::TOOL_RECEIPT_CHARS_MAX);
                format!("{done}:\n{}", told(&answer))
            }
            None => done,
        }
    }

    fn attempt(&self, _: &Action) -> String {
        format!("do “{}” ({})", self.tool.definition.name, self.title)
    }

    fn made(&self, _: &Action, _: &Value) -> Option<ItemRef> {
        None
    }

    fn readdresses(&self, _: &Action) -> Vec<String> {
        Vec::new()
    }

    fn listed(&self, _: &Action, _: &Value) -> Vec<ItemRef> {
        Vec::new()
    }

    fn next(&self, _: &Action, _: &Value) -> Vec<Button> {
        Vec::new()
    }

    fn reversal(&self, _: &Action, _: &Value) -> Option<PlannedAction> {
        None
    }

    fn next_page(&self, _: &Action, output: &Value) -> Option<(usize, PlannedAction)> {
        let RestOfAnswer { of, from, lines } = Self::result(output)?.rest?;
        Some((lines, planned(&self.service, &ReadMore { of, from })))
    }
}
