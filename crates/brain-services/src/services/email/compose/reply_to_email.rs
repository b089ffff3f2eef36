//! `reply_to_email`: answer a mail. To whom and under which subject follows from the mail, whatever the planner wrote.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answering::AnswerTo;
use super::letter;
use super::outgoing::Sending;
use super::outgoing_files::along;
use super::prepare::{too_many, trimmed};
use super::reply::ReplyLetter;
use super::reply_all::ReplyAll;
use super::wording;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::filling::{body_of, leaves_from, newest_of, owner, with_link};
use crate::services::email::message::mail::NAME;
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::stakes::Stakes;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, without_determiner};

/// Answer a mail.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ReplyToEmail(pub(in crate::services::email) ReplyLetter);

impl Command for ReplyToEmail {
    type Output = Sending;

    const NAME: &'static str = "reply_to_email";
    const SUMMARY: &'static str = "answer a mail";
    const EXAMPLE: &'static str = "Reply to Anna that Thursday works";
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
        self.0.card("Send this reply?", subject)
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
        sent.and_unfiled(format!("📨 Replied to {people}: {subject}{along}"))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("reply to “{}”", label(action, &self.0.find_by))
    }
}

#[async_trait]
impl Handle<ReplyToEmail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(&self, owner: &UserId, command: &ReplyToEmail, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.0.from.as_deref(), target)
    }

    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: ReplyToEmail,
    ) -> Result<Prepared<ReplyToEmail>, ServiceError> {
        self.prepare_reply(ctx, command.0, AnswerTo::Writer, ReplyToEmail).await
    }

    async fn perform(&self, call: Invocation<'_, ReplyToEmail>) -> Result<Completed<Sending>, ServiceError> {
        self.send(call.ctx, call.command.0.letter(), call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, ReplyToEmail>) -> Option<Result<Completed<Sending>, ServiceError>> {
        self.sent_already(call.ctx, call.command.0.letter(), (call.action, call.attempt)).await
    }
}

/// A reply from the slots of a message.
pub(in crate::services::email) fn built(said: &ClauseReading) -> Built {
    answer(said, ReplyToEmail::NAME)
}

/// The same, to all.
pub(in crate::services::email) fn built_to_all(said: &ClauseReading) -> Built {
    match answer(said, ReplyAll::NAME) {
        Built::Act(mut action) => {
            letter::address(&mut action, &["all".to_owned()]);
            Built::Act(action)
        }
        other => other,
    }
}

/// An answer by this command.
fn answer(said: &ClauseReading, command: &str) -> Built {
    let mut action = said.action(NAME, command);
    // Behind a comma stands no part of the name.
    let whom = said.raw("whom").and_then(|w| Some(owner(w.split([',', ':']).next()?.trim()).to_owned()));
    let topic = said.raw("topic").map(|t| without_determiner(&t).to_owned());
    let find_by = match (&whom, topic) {
        (Some(whom), Some(topic)) => Some(format!("{whom} {topic}")),
        (Some(whom), None) if !said.grammar.lexicon.is_phrase("it", said.ids("whom")) => {
            Some(without_kind(whom).to_owned())
        }
        (None, Some(topic)) => Some(topic),
        (Some(_) | None, None) => {
            history::latest(said.input.history, |past| past.service == NAME).and_then(history::handle)
        }
    };
    let Some(find_by) = find_by else {
        return Built::Ask { question: "Which mail should I reply to?", partial: action, param: "find_by" };
    };
    let find_by = if whom.is_some() { newest_of(said, find_by) } else { find_by };
    set(&mut action, "find_by", Some(find_by));
    leaves_from(said, &mut action);
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| wording::question(&with_link(said, &ask))))
        .or_else(|| said.raw("clause").map(|clause| letter::finish_body(&wording::main_clause(&clause))));
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
