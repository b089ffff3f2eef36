//! A command as the real one, but for what a test looks at or lies about.

use std::sync::Arc;

use async_trait::async_trait;
use brain_agent::core::button::Button;
use brain_agent::core::card::CardBody;
use brain_agent::core::ids::UserId;
use brain_agent::core::outcome::Outcome;
use brain_agent::core::plan::{ActingAccount, Action, Params, PlannedAction, Target};
use brain_agent::core::stakes::{Authorized, Rule, Stakes};
use brain_agent::services::contract::command::{Called, Effect, ParamContents, Receipt, Slot, Subject};
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::entry::{Entry, ParamError};
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Attempt, Performed, Prepared};
use serde_json::{Value, json};

use super::log::{Event, Log};

/// What becomes of a mail that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// What the account does with it.
    Real,
    /// A server took it.
    Accepted,
    /// A server took it, once it was let go.
    Held,
    /// Nobody can tell.
    Doubtful,
}

/// Writes every effect down before it happens.
#[derive(Debug)]
pub struct Watched {
    pub inner: Arc<dyn Entry>,
    pub log: Arc<Log>,
    pub sending: Sending,
    /// Claims low stakes, whatever it does.
    pub lies: bool,
}

impl Rule for Watched {
    fn stakes(&self, action: &Action) -> Stakes {
        if self.lies { Stakes::Low } else { self.inner.stakes(action) }
    }
}

#[async_trait]
impl Entry for Watched {
    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        self.log.add(Event::Performed {
            action: action.clone(),
            key: attempt.key.clone(),
            owner: ctx.owner.to_string(),
        });
        let sends = matches!(
            (action.service.as_str(), action.command.as_str()),
            ("email", "send_email" | "reply_to_email" | "reply_all" | "forward_email")
        );
        match self.sending {
            Sending::Accepted if sends => sent(action, attempt),
            Sending::Held if sends => {
                self.log.is_held().await;
                sent(action, attempt)
            }
            Sending::Doubtful if sends => Performed::unknown("the server went silent"),
            Sending::Real | Sending::Accepted | Sending::Held | Sending::Doubtful => {
                self.inner.perform(ctx, authorized, attempt).await
            }
        }
    }

    fn service(&self) -> &str {
        self.inner.service()
    }

    fn command(&self) -> &str {
        self.inner.command()
    }

    fn definition(&self) -> Option<&str> {
        self.inner.definition()
    }

    fn summary(&self) -> &str {
        self.inner.summary()
    }

    fn example(&self) -> &str {
        self.inner.example()
    }

    fn status(&self) -> &str {
        self.inner.status()
    }

    fn effect(&self, account: Option<&ActingAccount>) -> Effect {
        self.inner.effect(account)
    }

    fn account(&self, owner: &UserId, params: &Params, target: Option<&Target>) -> Option<ActingAccount> {
        self.inner.account(owner, params, target)
    }

    fn heeds_conditions(&self) -> bool {
        self.inner.heeds_conditions()
    }

    fn is_of_the_turn(&self) -> bool {
        self.inner.is_of_the_turn()
    }

    fn kinds(&self) -> ParamContents {
        self.inner.kinds()
    }

    fn references(&self) -> &[&str] {
        self.inner.references()
    }

    fn shows_untrusted(&self) -> bool {
        self.inner.shows_untrusted()
    }

    fn schema(&self) -> Value {
        self.inner.schema()
    }

    fn check(&self, params: Params) -> Result<Params, ParamError> {
        self.inner.check(params)
    }

    fn settle(
        &self,
        params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError> {
        self.inner.settle(params, settle)
    }

    fn called(&self, params: &Params) -> Called {
        self.inner.called(params)
    }

    async fn prepare(&self, ctx: &RequestContext, params: Params, further: &str) -> Result<Prepared, ServiceError> {
        self.inner.prepare(ctx, params, further).await
    }

    fn complete(&self, params: Params, target: Option<&Target>) -> Result<Params, ParamError> {
        self.inner.complete(params, target)
    }

    fn question(&self, param: &str) -> String {
        self.inner.question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        self.inner.card(subject)
    }

    fn approve(&self, action: &Action) -> &'static str {
        self.inner.approve(action)
    }

    fn done(&self, action: &Action) -> &'static str {
        self.inner.done(action)
    }

    async fn happened(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Option<Outcome> {
        self.inner.happened(ctx, action, attempt).await
    }

    fn receipt(&self, output: &Value, receipt: &Receipt<'_>) -> String {
        self.inner.receipt(output, receipt)
    }

    fn attempt(&self, action: &Action) -> String {
        self.inner.attempt(action)
    }

    fn made(&self, action: &Action, output: &Value) -> Option<brain_agent::core::history::ItemRef> {
        self.inner.made(action, output)
    }

    fn readdresses(&self, action: &Action) -> Vec<String> {
        self.inner.readdresses(action)
    }

    fn listed(&self, action: &Action, output: &Value) -> Vec<brain_agent::core::history::ItemRef> {
        self.inner.listed(action, output)
    }

    fn next(&self, action: &Action, output: &Value) -> Vec<Button> {
        self.inner.next(action, output)
    }

    fn reversal(&self, action: &Action, output: &Value) -> Option<PlannedAction> {
        self.inner.reversal(action, output)
    }

    fn next_page(&self, action: &Action, output: &Value) -> Option<(usize, PlannedAction)> {
        self.inner.next_page(action, output)
    }
}

/// What the service gives when a server took a mail.
fn sent(action: &Action, attempt: &Attempt) -> Performed {
    let param = |name: &str| action.params.get(name).cloned().unwrap_or_default();
    Performed::result(json!({
        "to": param("to"),
        "subject": param("subject"),
        "message_id": format!("{}@example.com", attempt.key),
        "filed": true,
    }))
}
