//! `send_email`: send a mail.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::Letter;
use crate::services::email::compose::outgoing::Sending;
use crate::services::email::compose::outgoing_files::along;
use crate::services::email::compose::prepare::{letter_card, too_many, trimmed};
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction, Target};
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::ClauseReading;

/// Send a mail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SendEmail(pub Letter);

impl Command for SendEmail {
    type Output = Sending;

    const NAME: &'static str = "send_email";
    const SUMMARY: &'static str = "send a mail";
    const EXAMPLE: &'static str = "Send an email to Bob saying the report is late";
    const STATUS: &'static str = "Sending your mail…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["subject", "body"];
    // The last two are settled by code.
    const REFERENCES: &'static [&'static str] = &["find_by", "signature", "attached"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let Letter { to, cc, bcc, .. } = &mut self.0;
        vec![
            Slot::People { param: "to", value: to, unaddressed: None },
            Slot::People { param: "cc", value: cc, unaddressed: None },
            Slot::People { param: "bcc", value: bcc, unaddressed: None },
        ]
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.0.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(self.0.people())
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        letter_card("Send this email?", &self.0, subject)
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, sent: &Sending, receipt: &Receipt<'_>) -> String {
        let everybody: Vec<String> = self.0.people().cloned().collect();
        let to = show::people(&everybody, receipt.action).join(", ");
        let along = along(&self.0.attached);
        sent.and_unfiled(format!("📨 Sent to {to}: {}{along}", visible(&self.0.subject)))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("send “{}” to {}", self.0.subject, show::names(&self.0.to, action))
    }
}

#[async_trait]
impl Handle<SendEmail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(&self, owner: &UserId, command: &SendEmail, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.0.from.as_deref(), target)
    }

    async fn prepare(&self, ctx: &RequestContext, command: SendEmail) -> Result<Prepared<SendEmail>, ServiceError> {
        self.prepare_letter(ctx, command.0, SendEmail).await
    }

    async fn perform(&self, call: Invocation<'_, SendEmail>) -> Result<Completed<Sending>, ServiceError> {
        self.send(call.ctx, call.command.0, call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, SendEmail>) -> Option<Result<Completed<Sending>, ServiceError>> {
        self.sent_already(call.ctx, call.command.0, (call.action, call.attempt)).await
    }
}

/// Sending a pronoun: the draft talked about last.
pub(in crate::services::email) fn built_of_draft(said: &ClauseReading) -> Built {
    let draft = history::latest(said.input.history, |past| past.service == NAME && past.command == "create_draft");
    let Some(draft) = draft else { return Built::No };
    let mut action =
        PlannedAction { service: "email".into(), command: "send_email".into(), ..PlannedAction::default() };
    for name in ["to", "cc", "bcc", "from", "subject", "body", "attached"] {
        set(&mut action, name, draft.params.get(name).cloned());
    }
    Built::Act(action)
}
