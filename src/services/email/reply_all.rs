//! `reply_all`: answer a mail to everybody who got it. To whom follows from the mail, whatever the planner wrote.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answering::{AnswerTo, AnswerWanted, PreparedAnswer};
use super::compose::{Letter, signed};
use super::outgoing::Sending;
use super::prepare::{copied, leaving, too_many, trimmed};
use super::service::Email;
use crate::core::card::CardBody;
use crate::core::ids::UserId;
use crate::core::plan::{ActingAccount, Action, Target};
use crate::core::stakes::Stakes;
use crate::core::text::visible;
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, one_or_many};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::items::label;
use crate::services::service::Prepared;
use crate::services::show;

/// PreparedAnswer a mail to everybody who got it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyAll {
    /// The thread's id, or sender, or words from its subject.
    find_by: String,
    body: String,
    /// Which of the person's own mail accounts or addresses it leaves from, only where they name one: `work`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    // Filled in from the thread and the account, never by a planner.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    to: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    cc: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    signature: Option<String>,
    // As in a letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    greets: Option<String>,
}

impl ReplyAll {
    fn letter(self) -> Letter {
        let Self { to, cc, subject, body, from, signature, .. } = self;
        Letter { to, cc, subject: subject.unwrap_or_default(), body, from, signature, ..Letter::default() }
    }

    fn everybody(&self) -> Vec<String> {
        [self.to.as_slice(), &self.cc].concat()
    }
}

impl Command for ReplyAll {
    type Output = Sending;

    const NAME: &'static str = "reply_all";
    const SUMMARY: &'static str = "answer a mail to everybody who got it";
    const EXAMPLE: &'static str = "Reply all to the mail about the offsite that Thursday works";
    const STATUS: &'static str = "Sending your mail…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["body"];
    // The last one is the account's.
    const REFERENCES: &'static [&'static str] = &["find_by", "signature"];

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.everybody())
    }

    fn question(param: &str) -> &'static str {
        super::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Send this reply to all?").lines("To", show::people(&self.to, subject.action));
        leaving(copied(card, &self.cc, subject.action), self.from.as_deref())
            .words("Subject", self.subject.clone().unwrap_or_default())
            .words("In reply to", label(subject.action, &self.find_by))
            .body(signed(&self.body, self.signature.as_deref()))
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, sent: &Sending, receipt: &Receipt<'_>) -> String {
        let told = format!(
            "📨 Replied to all: {}: {}",
            show::people(&self.everybody(), receipt.action).join(", "),
            visible(self.subject.as_deref().unwrap_or("(no subject)"))
        );
        sent.and_unfiled(told)
    }

    fn attempt(&self, action: &Action) -> String {
        format!("reply to all of “{}”", label(action, &self.find_by))
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
        self.accounts.acting(owner, command.from.as_deref(), target)
    }

    async fn prepare(&self, ctx: &RequestContext, command: ReplyAll) -> Result<Prepared<ReplyAll>, ServiceError> {
        let ReplyAll { find_by, body, from, greets, .. } = command;
        let wanted = AnswerWanted { find_by: &find_by, body, greets: greets.as_deref(), from: from.as_deref() };
        let answer = match self.prepare_answer(ctx, wanted, AnswerTo::Everybody).await? {
            Ok(answer) => answer,
            Err(unclear) => return Ok(unclear),
        };
        let PreparedAnswer { to, cc, subject, body, from, signature, target, notes, untrusted } = answer;
        let params = ReplyAll { find_by, body, from, to, cc, subject: Some(subject), signature, greets: None };
        Ok(Prepared::Ready { params, target: Some(target), notes, untrusted })
    }

    async fn perform(&self, call: Invocation<'_, ReplyAll>) -> Result<Completed<Sending>, ServiceError> {
        self.send(call.ctx, call.command.letter(), call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, ReplyAll>) -> Option<Result<Completed<Sending>, ServiceError>> {
        self.sent_already(call.ctx, call.command.letter(), Vec::new(), (call.action, call.attempt)).await
    }
}
