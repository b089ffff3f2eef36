//! `reply_to_email`: answer a mail. To whom and under which subject follows from the mail, whatever the planner wrote.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Email;
use super::compose::Letter;
use super::outgoing::Sending;
use super::prepare::{too_many, trimmed};
use crate::core::card::CardBody;
use crate::core::plan::{Action, Target};
use crate::core::stakes::Stakes;
use crate::core::text::visible;
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, one_or_many};
use crate::services::error::ServiceError;
use crate::services::items::label;
use crate::services::service::{Prepared, RequestContext};
use crate::services::show;

/// Answer a mail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyToEmail {
    /// The thread's id, or sender, or words from its subject.
    pub(super) find_by: String,
    pub(super) body: String,
    // Filled in from the thread, never by a planner.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[schemars(skip)]
    pub(super) to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) subject: Option<String>,
}

impl ReplyToEmail {
    fn letter(self) -> Letter {
        Letter { to: self.to, subject: self.subject.unwrap_or_default(), body: self.body }
    }
}

impl Command for ReplyToEmail {
    type Output = Sending;

    const NAME: &'static str = "reply_to_email";
    const SUMMARY: &'static str = "answer a mail";
    const EXAMPLE: &'static str = "Reply to Anna that Thursday works";
    const STATUS: &'static str = "Sending your mail…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["body"];

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        trimmed(&mut self.body);
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.to)
    }

    fn question(param: &str) -> &'static str {
        super::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Send this reply?")
            .lines("To", show::people(&self.to, subject.action))
            .words("Subject", self.subject.clone().unwrap_or_default())
            .words("In reply to", label(subject.action, &self.find_by))
            .body(&self.body)
    }

    fn approve(&self) -> &'static str {
        "📨 Send"
    }

    fn done(&self) -> &'static str {
        "Sent"
    }

    fn receipt(&self, _: &Sending, receipt: &Receipt<'_>) -> String {
        format!(
            "📨 Replied to {}: {}",
            show::people(&self.to, receipt.action).join(", "),
            visible(self.subject.as_deref().unwrap_or("(no subject)"))
        )
    }

    fn attempt(&self, action: &Action) -> String {
        format!("reply to “{}”", label(action, &self.find_by))
    }
}

#[async_trait]
impl Handle<ReplyToEmail> for Email {
    fn effect(&self) -> Effect {
        Effect::WriteElsewhere
    }

    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: ReplyToEmail,
    ) -> Result<Prepared<ReplyToEmail>, ServiceError> {
        self.prepare_reply(ctx, command).await
    }

    async fn perform(&self, call: Invocation<'_, ReplyToEmail>) -> Result<Completed<Sending>, ServiceError> {
        self.send(call.ctx, call.command.letter(), call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, ReplyToEmail>) -> Option<Result<Completed<Sending>, ServiceError>> {
        self.sent_already(call.ctx, call.command.letter(), call.attempt).await
    }
}
