//! A command with its type erased, as everybody but its author uses it: the catalog holds these.
//!
//! Invariants: parameters that come out of a check parse again; a stored action that no longer does is judged high
//! stakes, and its card shows its raw values.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::addressee::Addressee;
use super::command::{Called, Command, Effect, Handle, Invocation, ParamContents, Receipt, Slot, Subject, planned};
use super::context::RequestContext;
use super::error::ServiceError;
use super::lenient_params::{self, LenientParamsError};
pub use super::param_error::ParamError;
use super::schema::{clone_pair, is_blank, required, schema, too_long};
use super::service::{Attempt, Performed, Prepared};
use super::show;
use super::type_erasure::{erased, framed, performed, unreadable};
use brain_core::core::button::Button;
use brain_core::core::card::{CardBody, Row};
use brain_core::core::history::ItemRef;
use brain_core::core::ids::UserId;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::{ActingAccount, Action, Params, PlannedAction, Target};
use brain_core::core::stakes::{Authorized, Rule, Stakes};
use brain_core::core::text::{capital, visible};
use brain_core::limits::PARAM_CHARS_MAX;

/// A command with its type erased, and whoever carries it out.
#[async_trait]
pub trait Entry: Rule + Send + Sync + fmt::Debug {
    /// The service it belongs to.
    fn service(&self) -> &str;
    /// Its name there.
    fn command(&self) -> &str;
    /// The digest of its definition, where that arrived at run time; `None` for a Rust type.
    fn definition(&self) -> Option<&str> {
        None
    }
    /// What it does.
    fn summary(&self) -> &str;
    /// How a person asks for it.
    fn example(&self) -> &str;
    /// What the status line says while it runs.
    fn status(&self) -> &str;
    /// What it does to the world in this account.
    fn effect(&self, account: Option<&ActingAccount>) -> Effect;
    /// See [`Handle::account_for`]; of settled parameters.
    fn account(&self, owner: &UserId, params: &Params, target: Option<&Target>) -> Option<ActingAccount>;
    /// Changes anything, in whatever account.
    fn writes(&self) -> bool {
        self.effect(None).writes()
    }
    /// May be what a question is about: changes nothing, or nobody says whether it does, and a card asks first.
    fn may_only_look(&self) -> bool {
        !self.writes()
    }
    /// See [`Effect::passes_values_on`]; in whatever account.
    fn passes_values_on(&self) -> bool {
        self.effect(None).passes_values_on()
    }
    /// Who is told its values, where carrying it out tells somebody else; `None`: nobody.
    fn addressee(&self) -> Option<Addressee<'_>> {
        let addressee = || Addressee { title: self.service(), source: self.service(), host: None };
        (self.effect(None) == Effect::ReadElsewhere).then(addressee)
    }
    /// Parameters that cannot be tainted.
    fn references(&self) -> &[&str];
    /// What its parameters hold.
    fn kinds(&self) -> ParamContents;
    /// True when its receipt is made of somebody else's text.
    fn shows_untrusted(&self) -> bool {
        false
    }
    /// See [`Command::HEEDS_CONDITIONS`].
    fn heeds_conditions(&self) -> bool {
        false
    }
    /// See [`Handle::is_of_the_turn`].
    fn is_of_the_turn(&self) -> bool {
        false
    }
    /// JSON schema of its parameters.
    fn schema(&self) -> Value;
    /// Checks and normalises parameters as a planner gave them.
    fn check(&self, params: Params) -> Result<Params, ParamError>;
    /// Lets `settle` turn words into values, slot by slot; stops at its first error.
    fn settle(
        &self,
        params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError>;
    /// See [`Command::called`].
    fn called(&self, params: &Params) -> Called;
    /// See [`Handle::prepare`]. When several items fit, `further` words of the message may tell them apart.
    async fn prepare(&self, ctx: &RequestContext, params: Params, further: &str) -> Result<Prepared, ServiceError>;
    /// See [`Command::complete`]; also checks [`Command::problem`].
    fn complete(&self, params: Params, target: Option<&Target>) -> Result<Params, ParamError>;
    /// The question for a missing parameter.
    fn question(&self, param: &str) -> String;
    /// What the person approves.
    fn card(&self, subject: &Subject<'_>) -> CardBody;
    /// What the approving button says.
    fn approve(&self, action: &Action) -> &'static str;
    /// What its decided card says, once it was done.
    fn done(&self, action: &Action) -> &'static str;
    /// See [`Handle::perform`].
    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed;
    /// See [`Handle::happened`].
    async fn happened(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Option<Outcome>;
    /// What is told after success.
    fn receipt(&self, output: &Value, receipt: &Receipt<'_>) -> String;
    /// What the person tried.
    fn attempt(&self, action: &Action) -> String;
    /// What it made or touched, where that is not its target.
    fn made(&self, action: &Action, output: &Value) -> Option<ItemRef>;
    /// See [`Command::readdresses`].
    fn readdresses(&self, action: &Action) -> Vec<String>;
    /// See [`Command::listed`].
    fn listed(&self, action: &Action, output: &Value) -> Vec<ItemRef>;
    /// What can be done next, as buttons below the receipt.
    fn next(&self, action: &Action, output: &Value) -> Vec<Button>;
    /// See [`Command::reversal`].
    fn reversal(&self, action: &Action, output: &Value) -> Option<PlannedAction>;
    /// See [`Command::next_page`].
    fn next_page(&self, action: &Action, output: &Value) -> Option<(usize, PlannedAction)>;
}

/// The erased form of `C`, carried out by `handler` for the service of this name.
pub(in crate::services) fn entry<C: Command, S: Handle<C>>(service: &str, handler: Arc<S>) -> Arc<dyn Entry> {
    let schema = schema::<C>();
    let required = required(&schema);
    Arc::new(TypedCommand { service: service.to_owned(), schema, required, handler, command: PhantomData::<fn() -> C> })
}

/// Whether everything is fine without this one, or only its absence is wrong.
fn fits_without<T: Command>(params: &Params, param: &str) -> bool {
    let rest: Params = params.iter().filter(|(name, _)| *name != param).map(clone_pair).collect();
    match lenient_params::read::<T>(&rest) {
        Ok(_) => true,
        Err(LenientParamsError::Missing(missing)) => missing == param,
        Err(LenientParamsError::Unfit(_)) => false,
    }
}

/// The schema is made once: every check of every action reads it.
struct TypedCommand<C, S> {
    service: String,
    schema: Value,
    required: Vec<String>,
    handler: Arc<S>,
    command: PhantomData<fn() -> C>,
}

impl<C: Command, S> fmt::Debug for TypedCommand<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.service, C::NAME)
    }
}

impl<T: Command, S> TypedCommand<T, S> {
    fn parse(&self, params: &Params) -> Result<T, ParamError> {
        let has = |name: &str| params.get(name).is_some_and(|value| !is_blank(value));
        let stood_in = |name: &str| T::STOOD_IN_FOR.iter().any(|(one, by)| *one == name && has(by));
        let is_present = |name: &String, value: &Value| !is_blank(value) || stood_in(name);
        let present: Params = params.iter().filter(|(name, value)| is_present(name, value)).map(clone_pair).collect();
        let missing = |param: &&String| !present.contains_key(*param);
        if let Some(param) = self.required.iter().find(missing) {
            let question = T::question(param).to_owned();
            return Err(ParamError::Missing { param: param.clone(), question, choices: Vec::new() });
        }
        serde_json::from_value(Value::Object(present.clone())).map_err(|cause| {
            let is_to_blame = |param: &&String| fits_without::<T>(&present, param);
            let param = present.keys().find(is_to_blame).cloned();
            ParamError::Unfit { param, why: cause.to_string() }
        })
    }

    fn unparse(command: &T) -> Result<Params, ParamError> {
        match serde_json::to_value(command) {
            Ok(Value::Object(mut params)) => {
                params.retain(|_, value| !value.is_null());
                Ok(params)
            }
            Ok(other) => Err(ParamError::Unfit { param: None, why: format!("{other} is not an object") }),
            Err(cause) => Err(ParamError::Unfit { param: None, why: cause.to_string() }),
        }
    }

    /// A stored action parses, or nothing about it can be told but its raw values.
    fn with<R>(&self, action: &Action, f: impl FnOnce(&T) -> R) -> Option<R> {
        self.parse(&action.params).ok().map(|command| f(&command))
    }

    /// The same together with an output that was journalled, perhaps by an older version.
    fn with_output<R>(&self, action: &Action, output: &Value, f: impl FnOnce(&T, &T::Output) -> R) -> Option<R> {
        let output = serde::Deserialize::deserialize(output).ok()?;
        self.with(action, |command| f(command, &output))
    }
}

impl<T: Command, S: Handle<T>> Rule for TypedCommand<T, S> {
    fn stakes(&self, action: &Action) -> Stakes {
        // What cannot be read cannot be judged harmless.
        self.with(action, |command| command.stakes(action)).unwrap_or(Stakes::High)
    }
}

#[async_trait]
impl<T: Command, S: Handle<T>> Entry for TypedCommand<T, S> {
    fn service(&self) -> &str {
        &self.service
    }

    fn command(&self) -> &str {
        T::NAME
    }

    fn summary(&self) -> &str {
        T::SUMMARY
    }

    fn example(&self) -> &str {
        T::EXAMPLE
    }

    fn status(&self) -> &str {
        T::STATUS
    }

    fn effect(&self, account: Option<&ActingAccount>) -> Effect {
        self.handler.effect(account)
    }

    fn account(&self, owner: &UserId, params: &Params, target: Option<&Target>) -> Option<ActingAccount> {
        match self.parse(params) {
            Ok(command) => self.handler.account_for(owner, &command, target),
            Err(_) => self.handler.account(owner, target),
        }
    }

    fn references(&self) -> &[&str] {
        T::REFERENCES
    }

    fn kinds(&self) -> ParamContents {
        ParamContents { composed: T::COMPOSED, names: T::NAMES, lengths: T::LENGTHS, entries: T::ENTRIES }
    }

    fn shows_untrusted(&self) -> bool {
        T::SHOWS_UNTRUSTED
    }

    fn heeds_conditions(&self) -> bool {
        T::HEEDS_CONDITIONS
    }

    fn is_of_the_turn(&self) -> bool {
        self.handler.is_of_the_turn()
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn check(&self, params: Params) -> Result<Params, ParamError> {
        if let Some(param) = too_long(&params) {
            return Err(ParamError::Invalid(format!("{param} is longer than {PARAM_CHARS_MAX} characters")));
        }
        Self::unparse(&self.parse(&params)?)
    }

    fn settle(
        &self,
        params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError> {
        let mut command = self.parse(&params)?;
        for slot in command.slots() {
            settle(slot)?;
        }
        Self::unparse(&command)
    }

    fn called(&self, params: &Params) -> Called {
        self.parse(params).map_or(Called::AsTarget, |command| command.called())
    }

    async fn prepare(&self, ctx: &RequestContext, params: Params, further: &str) -> Result<Prepared, ServiceError> {
        let command = self.parse(&params).map_err(|error| unreadable(&error))?;
        let prepared = self.handler.prepare(ctx, command).await?;
        if !further.is_empty()
            && let Prepared::Several { .. } = &prepared
            && let Ok(mut narrower) = self.parse(&params)
            && let Some(find_by) = narrower.find_by()
        {
            let said = find_by.clone();
            *find_by = format!("{said} {further}");
            if let Prepared::Ready { params: mut command, target: target @ Some(_), notes, untrusted } =
                self.handler.prepare(ctx, narrower).await?
            {
                command.find_by().into_iter().for_each(|find_by| find_by.clone_from(&said));
                return erased(Prepared::Ready { params: command, target, notes, untrusted });
            }
        }
        erased(prepared)
    }

    fn complete(&self, params: Params, target: Option<&Target>) -> Result<Params, ParamError> {
        let mut command = self.parse(&params)?;
        command.complete(target);
        match command.problem() {
            Some(problem) => Err(ParamError::Invalid(problem)),
            None => Self::unparse(&command),
        }
    }

    fn question(&self, param: &str) -> String {
        T::question(param).to_owned()
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let mut card = self.with(subject.action, |command| command.card(subject)).unwrap_or_else(|| {
            CardBody::titled(format!("{}?", capital(T::SUMMARY)))
                .body(Value::Object(subject.action.params.clone()).to_string())
        });
        // A look that waits for a high-stakes action stands on its card, too: with everything it asks for.
        if !self.writes() && card.rows.is_empty() {
            let shown = |value: &Value| match value {
                Value::String(text) => show::time(text, subject.reference),
                other => other.to_string(),
            };
            let params = subject.action.params.iter();
            card.rows = params.map(|(name, value)| Row::words(name, shown(value))).collect();
        }
        framed(card, subject)
    }

    fn approve(&self, action: &Action) -> &'static str {
        self.with(action, Command::approve).unwrap_or("✅ Yes")
    }

    fn done(&self, action: &Action) -> &'static str {
        self.with(action, Command::done).unwrap_or("Done")
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match self.parse(&action.params) {
            Ok(command) => self.handler.perform(Invocation { ctx, command, action, attempt }).await,
            Err(error) => Err(unreadable(&error)),
        };
        performed(done)
    }

    async fn happened(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Option<Outcome> {
        let command = self.parse(&action.params).ok()?;
        let done = self.handler.happened(Invocation { ctx, command, action, attempt }).await?;
        Some(performed(done).outcome)
    }

    fn receipt(&self, output: &Value, receipt: &Receipt<'_>) -> String {
        // Here for all of them: no receipt may hide or reorder what it tells.
        let told = self.with_output(receipt.action, output, |command, output| command.receipt(output, receipt));
        told.map_or_else(|| format!("Done: {}", self.attempt(receipt.action)), |told| visible(&told))
    }

    fn attempt(&self, action: &Action) -> String {
        self.with(action, |command| visible(&command.attempt(action))).unwrap_or_else(|| T::SUMMARY.to_owned())
    }

    fn made(&self, action: &Action, output: &Value) -> Option<ItemRef> {
        self.with_output(action, output, Command::made).flatten()
    }

    fn readdresses(&self, action: &Action) -> Vec<String> {
        self.with(action, |command| command.readdresses(action)).unwrap_or_default()
    }

    fn listed(&self, action: &Action, output: &Value) -> Vec<ItemRef> {
        self.with_output(action, output, Command::listed).unwrap_or_default()
    }

    fn next(&self, action: &Action, output: &Value) -> Vec<Button> {
        self.with_output(action, output, Command::next).unwrap_or_default()
    }

    fn reversal(&self, action: &Action, output: &Value) -> Option<PlannedAction> {
        self.with_output(action, output, |command, output| command.reversal(action, output)).flatten()
    }

    fn next_page(&self, action: &Action, output: &Value) -> Option<(usize, PlannedAction)> {
        let (rest, command) = self.with_output(action, output, Command::next_page)??;
        Some((rest, planned(&self.service, &command)))
    }
}
