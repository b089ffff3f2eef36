//! `answer_invitation`: tell whoever invites that one comes, perhaps comes, or does not. To whom it goes, as whom, and to
//! which invitation follows from the mail, whatever the planner wrote; the text that goes out is made with the card.
//!
//! Invariants: only an address of the person's own that is invited answers, through its own account; the card names who
//! gets the answer, and says so where that is not who wrote the mail.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::invitation::{self, Invitation, InvitationAnswer, InvitationAsks};
use crate::services::calendar;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject, before};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::{Letter, same_address, wire_address};
use crate::services::email::compose::outgoing::Sending;
use crate::services::email::compose::prepare::{bad_address, leaving, trimmed, unified};
use crate::services::email::delivery::sending_from::SendingFrom;
use crate::services::email::filling;
use crate::services::email::message::mail::{MailId, NAME};
use crate::services::email::message::mime_attachments::{CALENDAR_REPLY, MimeAttachments, files_of};
use crate::services::email::message::read;
use crate::services::email::service::Email;
use crate::services::helpers::items::label;
use brain_core::core::button::{Button, Press};
use brain_core::core::card::{CardBody, show_address};
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, PlannedAction, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;
use brain_core::limits::PARAM_CHARS_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::reading::ClauseReading;

/// Answer an invitation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerInvitation {
    /// The mail's id, or sender, or words from its subject.
    pub(in crate::services::email) find_by: String,
    // Planners read little: each word of these takes its time on a small machine.
    pub(in crate::services::email) answer: InvitationAnswer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::services::email) comment: Option<String>,
    // Filled in from the mail, never by a planner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(in crate::services::email) to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) subject: Option<String>,
    /// What goes out for the other's calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) reply: Option<String>,
}

impl AnswerInvitation {
    fn letter(&self) -> Letter {
        let subject = self.subject.clone().unwrap_or_default();
        let body = self.comment.clone().unwrap_or_else(|| format!("{subject}\n"));
        Letter { to: self.to.clone(), subject, body, from: self.from.clone(), ..Letter::default() }
    }

    fn enclosed(&self) -> Vec<MimeAttachments> {
        let reply = self
            .reply
            .as_ref()
            .map(|text| MimeAttachments::new("reply.ics", CALENDAR_REPLY, text.clone().into_bytes()));
        reply.into_iter().collect()
    }
}

impl Command for AnswerInvitation {
    type Output = Sending;

    const NAME: &'static str = "answer_invitation";
    const SUMMARY: &'static str = "answer an invitation";
    const EXAMPLE: &'static str = "Accept the invitation from Anna";
    const STATUS: &'static str = "Answering the invitation…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["comment"];
    // The last two are made by code, of the mail.
    const REFERENCES: &'static [&'static str] = &["find_by", "subject", "reply"];

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        if let Some(comment) = &mut self.comment {
            trimmed(comment);
        }
    }

    fn question(param: &str) -> &'static str {
        match param {
            "answer" => "Will you come: yes, maybe or no?",
            other => crate::services::email::service::question(other),
        }
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let title = match self.answer {
            InvitationAnswer::Accepted => "Accept this invitation?",
            InvitationAnswer::Maybe => "Answer “maybe” to this invitation?",
            InvitationAnswer::Declined => "Decline this invitation?",
        };
        let card = CardBody::titled(title);
        let Some(invitation) = subject.before::<Invitation>() else {
            return card.words("Mail", label(subject.action, &self.find_by));
        };
        let Invitation { title, start, end, repeats, place, organizer, .. } = invitation;
        let when = start.map(|start| show::span(&start, end.as_deref(), subject.reference)).unwrap_or_default();
        let repeats = if repeats { "yes; this answers for all of it" } else { "" };
        let card = card
            .words("Event", title)
            .row("When", when)
            .row("Repeats", repeats)
            .words("Where", place.unwrap_or_default())
            .words("Invited by", organizer)
            .lines("Answer to", show::people(&self.to, subject.action));
        let card = leaving(card, self.from.as_deref());
        match &self.comment {
            Some(comment) => card.body(comment.clone()),
            None => card,
        }
    }

    fn approve(&self) -> &'static str {
        match self.answer {
            InvitationAnswer::Accepted => "✅ Accept",
            InvitationAnswer::Maybe => "🤔 Maybe",
            InvitationAnswer::Declined => "🚫 Decline",
        }
    }

    fn done(&self) -> &'static str {
        "Answered"
    }

    fn receipt(&self, sent: &Sending, receipt: &Receipt<'_>) -> String {
        let people = show::people(&self.to, receipt.action).join(", ");
        let title = before::<Invitation>(receipt.action).map(|invitation| invitation.title).unwrap_or_default();
        let told = format!("📨 {}: {} — {people} will get your answer", self.answer.word(), visible(&title));
        sent.and_unfiled(told)
    }

    /// Many a server puts what was accepted on the calendar by itself: then the press finds it there.
    fn next(&self, _: &Sending) -> Vec<Button> {
        let comes = matches!(self.answer, InvitationAnswer::Accepted | InvitationAnswer::Maybe);
        let mail = Press::AddEvent(self.find_by.clone());
        comes.then(|| Button::new("📅 Put it on my calendar", &mail)).into_iter().collect()
    }

    fn attempt(&self, action: &Action) -> String {
        format!("answer the invitation “{}”", label(action, &self.find_by))
    }
}

impl Email {
    async fn prepare_invitation(
        &self,
        ctx: &RequestContext,
        command: AnswerInvitation,
    ) -> Result<Prepared<AnswerInvitation>, ServiceError> {
        let found = match self.one_mail(ctx, &command.find_by).await? {
            Ok(found) => found,
            Err(unclear) => return Ok(unclear),
        };
        let cannot = |why: &str| Ok(Prepared::NotFound { what: format!("“{}” {why}", found.one.label()) });
        if found.mail.is_aside() {
            return cannot("is a mail that I do not open any more, so I can't answer its invitation.");
        }
        let raw = self.raw_of(ctx, &found.one).await?;
        let zone = ctx.zone;
        let text = files_of(&raw).and_then(|files| invitation::text_of(&files));
        // Whatever somebody sent: not on the threads that everybody's turns run on.
        let reading = move || text.and_then(|text| Some((invitation::read(&text, zone)?, text)));
        let read = tokio::task::spawn_blocking(reading).await.ok().flatten();
        let Some(((asks, invitation), text)) = read else {
            return cannot("has no invitation in it that I can read. Which mail do you mean?");
        };
        match asks {
            InvitationAsks::Answer => {}
            InvitationAsks::Nothing => {
                return cannot("says that the event was called off, so there is nothing to answer.");
            }
            InvitationAsks::Else => return cannot("asks for no answer."),
        }
        if wire_address(&invitation.answers_to).is_err() {
            return Ok(bad_address(&invitation.answers_to));
        }
        let Some(own) = self.invited_as(ctx, &invitation) else {
            return cannot("invites none of your own addresses, so I can't answer for you.");
        };
        let SendingFrom { account, address, .. } = match self.accounts.named_or_first(&ctx.owner, Some(&own)) {
            Ok(from) => from,
            Err(unclear) => return Ok(unclear.into()),
        };
        let to = vec![invitation.answers_to.clone()];
        let comment = command.comment.map(|comment| unified(&comment)).filter(|comment| !comment.trim().is_empty());
        let reply = invitation::reply(&text, &own, (command.answer, comment.as_deref()), ctx.now);
        let parsed = read::parse(&raw);
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let mut notes = self.sender_marks(ctx, &view, &found.mail).await?;
        notes.extend(self.stranger_notes(ctx, &to).await?);
        let writer = &parsed.from.address;
        notes.extend(
            (!same_address(writer, &invitation.answers_to))
                .then(|| format!("the mail came from {}, and its answer goes to somebody else", show_address(writer))),
        );
        let said = format!("{}\n{}\n{}\n{text}", parsed.subject, parsed.people(), parsed.text);
        let untrusted = vec![UntrustedText::new(found.one.source(), said)];
        let target = Target { before: serde_json::to_value(&invitation)?, account, ..found.one.target()? };
        let subject = format!("{}: {}", command.answer.word(), invitation.title);
        let find_by = target.id.clone();
        let params = AnswerInvitation { find_by, comment, to, from: address, subject: Some(subject), reply, ..command };
        Ok(Prepared::Ready { params, target: Some(target), notes, untrusted })
    }

    /// The action that puts the event in a mail on the calendar, and whose words it is.
    pub(in crate::services::email) async fn event_in(
        &self,
        ctx: &RequestContext,
        mail: &str,
    ) -> Option<(PlannedAction, UntrustedText)> {
        let id = MailId::parse(mail)?.to_string();
        let found = self.one_mail::<AnswerInvitation>(ctx, &id).await.ok()?.ok()?;
        let raw = self.raw_of(ctx, &found.one).await.ok()?;
        let text = files_of(&raw).and_then(|files| invitation::text_of(&files))?;
        let text: String = Some(text).filter(|text| text.chars().count() <= PARAM_CHARS_MAX)?;
        Some((calendar::adding(&text, ctx)?, UntrustedText::new(found.one.source(), text)))
    }

    /// The address of the person's own that is invited.
    fn invited_as(&self, ctx: &RequestContext, invitation: &Invitation) -> Option<String> {
        let is_own = |address: &&String| self.accounts.of(&ctx.owner).any(|account| account.sender(address).is_some());
        invitation.invited.iter().find(is_own).cloned()
    }
}

#[async_trait]
impl Handle<AnswerInvitation> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(
        &self,
        owner: &UserId,
        command: &AnswerInvitation,
        target: Option<&Target>,
    ) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.from.as_deref(), target)
    }

    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: AnswerInvitation,
    ) -> Result<Prepared<AnswerInvitation>, ServiceError> {
        self.prepare_invitation(ctx, command).await
    }

    async fn perform(&self, call: Invocation<'_, AnswerInvitation>) -> Result<Completed<Sending>, ServiceError> {
        let (letter, enclosed) = (call.command.letter(), call.command.enclosed());
        self.send_with(call.ctx, letter, enclosed, call.action, call.attempt).await
    }

    async fn happened(
        &self,
        call: Invocation<'_, AnswerInvitation>,
    ) -> Option<Result<Completed<Sending>, ServiceError>> {
        let (letter, enclosed) = (call.command.letter(), call.command.enclosed());
        self.sent_already_with(call.ctx, letter, enclosed, (call.action, call.attempt)).await
    }
}

/// An answer to an invitation, from the slots of a message.
pub(in crate::services::email) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, AnswerInvitation::NAME);
    let Some(find_by) = filling::find_by(said) else {
        return Built::Ask { question: "Which invitation do you mean?", partial: action, param: "find_by" };
    };
    set(&mut action, "find_by", Some(find_by));
    Built::Act(action)
}
