//! `reply_to_email`: answer a mail. To whom and under which subject follows from the mail, whatever the planner wrote.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compose::Letter;
use super::filling::{body_of, owner, with_link};
use super::letter;
use super::mail::NAME;
use super::outgoing::Sending;
use super::prepare::{too_many, trimmed};
use super::service::Email;
use super::wording;
use crate::core::card::CardBody;
use crate::core::ids::UserId;
use crate::core::plan::{ActingAccount, Action, Target};
use crate::core::stakes::Stakes;
use crate::core::text::visible;
use crate::language::requests::built::{Built, set};
use crate::language::requests::history;
use crate::language::requests::reading::{ClauseReading, without_determiner};
use crate::services::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, one_or_many};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::items::label;
use crate::services::service::Prepared;
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
    // As in a letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(super) greets: Option<String>,
}

impl ReplyToEmail {
    fn letter(self) -> Letter {
        Letter { to: self.to, subject: self.subject.unwrap_or_default(), body: self.body, ..Letter::default() }
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
        super::service::question(param)
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
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, _: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner)
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

/// A reply from the slots of a message.
pub(super) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "reply_to_email");
    // Behind a comma stands no part of the name.
    let whom = said.raw("whom").and_then(|w| Some(owner(w.split([',', ':']).next()?.trim()).to_owned()));
    let topic = said.raw("topic").map(|t| without_determiner(&t).to_owned());
    let find_by = match (&whom, topic) {
        (Some(whom), Some(topic)) => Some(format!("{whom} {topic}")),
        (Some(whom), None) if !said.grammar.lexicon.is_phrase("it", &said.ids("whom")) => {
            Some(without_kind(whom).to_owned())
        }
        (None, Some(topic)) => Some(topic),
        (Some(_) | None, None) => {
            history::latest(said.hearing.history, |past| past.service == NAME).and_then(history::handle)
        }
    };
    let Some(find_by) = find_by else {
        return Built::Ask { question: "Which mail should I reply to?", partial: action, param: "find_by" };
    };
    set(&mut action, "find_by", Some(find_by));
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| wording::question(&with_link(said, &ask))));
    let Some(body) = spoken else {
        return Built::Ask { question: "What should the reply say?", partial: action, param: "body" };
    };
    let is_name = |whom: &String| whom.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’'));
    // The id of a row that is pointed at is nobody's name: whoever wrote it is greeted by theirs.
    let is_pointed_at = whom.as_ref().is_some_and(|whom| !whom.contains(' ') && !is_name(whom));
    let to: Vec<String> = whom.into_iter().filter(is_name).collect();
    letter::word_to(&mut action.params, &to, &body);
    if is_pointed_at {
        set(&mut action, "greets", Some(letter::UNNAMED.to_owned()));
    }
    Built::Act(action)
}

/// The person in a possessive before a noun for a mail.
fn without_kind(whom: &str) -> &str {
    let bare = without_determiner(whom);
    let cut = [" email", " mail", " message", " e-mail", " thread"].iter().find_map(|k| bare.strip_suffix(k));
    owner(cut.unwrap_or(bare))
}
