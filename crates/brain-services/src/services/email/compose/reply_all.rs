//! `reply_all`: answer a mail to everybody who got it. To whom follows from the mail, whatever the planner wrote.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answering::AnswerTo;
use super::outgoing::Sending;
use super::outgoing_files::along;
use super::prepare::{too_many, trimmed};
use super::reply::ReplyLetter;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::stakes::Stakes;

/// Answer a mail to everybody who got it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReplyAll(pub(in crate::services::email) ReplyLetter);

impl Command for ReplyAll {
    type Output = Sending;

    const NAME: &'static str = "reply_all";
    const SUMMARY: &'static str = "answer a mail to everybody who got it";
    const EXAMPLE: &'static str = "Reply all to the mail about the offsite that Thursday works";
    const STATUS: &'static str = "Sending your mail…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["body"];
    // The last two are settled by code.
    const REFERENCES: &'static [&'static str] = &["find_by", "signature", "attached"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        self.0.slots()
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.0.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.0.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.0.everybody())
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        self.0.card("Send this reply to all?", subject)
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, sent: &Sending, receipt: &Receipt<'_>) -> String {
        let people = show::people(&self.0.everybody(), receipt.action).join(", ");
        let (subject, along) = (self.0.shown_subject(), along(&self.0.attached));
        sent.and_unfiled(format!("📨 Replied to all: {people}: {subject}{along}"))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("reply to all of “{}”", label(action, &self.0.find_by))
    }
}

#[async_trait]
impl Handle<ReplyAll> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(&self, owner: &UserId, command: &ReplyAll, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.0.from.as_deref(), target)
    }

    async fn prepare(&self, ctx: &RequestContext, command: ReplyAll) -> Result<Prepared<ReplyAll>, ServiceError> {
        self.prepare_reply(ctx, command.0, AnswerTo::Everybody, ReplyAll).await
    }

    async fn perform(&self, call: Invocation<'_, ReplyAll>) -> Result<Completed<Sending>, ServiceError> {
        self.send(call.ctx, call.command.0.letter(), call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, ReplyAll>) -> Option<Result<Completed<Sending>, ServiceError>> {
        self.sent_already(call.ctx, call.command.0.letter(), (call.action, call.attempt)).await
    }
}
