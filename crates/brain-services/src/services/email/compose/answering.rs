//! Answers: whom they go to, from where, and to which mail. All of that follows from the mail, whatever a planner wrote.
//!
//! Invariants: an answer goes to nobody who is not named by the mail, to nobody twice, and to oneself only where one has
//! written to oneself alone; who got a blind copy is told to nobody.

use serde::{Deserialize, Serialize};

use super::prepare::{bad_address, greeted, not_found, unified};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::email::compose::composing::{same_address, wire_address};
use crate::services::email::delivery::sending_from::SendingFrom;
use crate::services::email::finding::find;
use crate::services::email::mailbox::mailboxes::{Conversation, MailView};
use crate::services::email::message::mail::Mail;
use crate::services::email::message::read::{Addressed, Mailbox};
use crate::services::email::message::thread::reply_subject;
use crate::services::email::service::{Email, source_of, writer};
use crate::services::helpers::address_book::KnownNames;
use brain_core::core::card::show_address;
use brain_core::core::plan::Target;
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::quoted;
use brain_core::limits::{CARD_INLINE_CHARS_MAX, RECIPIENTS_MAX, REFERENCES_MAX};

/// To whom an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::email) enum AnswerTo {
    /// Whoever wrote, or whom they name for it.
    Writer,
    /// Everybody who got the mail, too.
    Everybody,
}

/// What the person said of an answer.
#[derive(Debug)]
pub(in crate::services::email) struct ReplyRequest<'a> {
    pub find_by: &'a str,
    pub body: String,
    pub greets: Option<&'a str>,
    pub from: Option<&'a str>,
}

/// An answer, ready.
#[derive(Debug)]
pub(in crate::services::email) struct PreparedAnswer {
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub subject: String,
    pub body: String,
    pub from: Option<String>,
    pub signature: Option<String>,
    pub target: Target,
    pub notes: Vec<String>,
    pub untrusted: Vec<UntrustedText>,
}

impl Email {
    /// An answer: to whom, from where and under which subject follows from the mail.
    pub(in crate::services::email) async fn prepare_answer<C>(
        &self,
        ctx: &RequestContext,
        wanted: ReplyRequest<'_>,
        reach: AnswerTo,
    ) -> Result<Result<PreparedAnswer, Prepared<C>>, ServiceError> {
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let conversation = match self.meant(&view, wanted.find_by, ctx).await? {
            Ok(conversation) => conversation,
            Err(unclear) => return Ok(Err(unclear)),
        };
        let is_others = |mail: &&Mail| !mail.is_own() && !view.is_me(&mail.head.parsed.from.address);
        let Some(mail) = conversation.mails.iter().rfind(is_others).or(conversation.mails.last()).cloned() else {
            return Ok(Err(not_found(wanted.find_by, None)));
        };
        let looked = mail.clone();
        let addressed = view.files(move |mailbox| looked.addressed(mailbox)).await?;
        let answer = ReplyRecipients::of(&mail, &addressed, &view, reach);
        if let Some(bad) = answer.to.iter().find(|person| wire_address(&person.address).is_err()) {
            return Ok(Err(bad_address(&bad.address)));
        }
        if answer.to.is_empty() {
            let what = format!("“{}” does not say who wrote it, so I can't answer it.", conversation.subject);
            return Ok(Err(Prepared::NotFound { what }));
        }
        let from = match wanted.from {
            Some(from) => match self.accounts.named_or_first(&ctx.owner, Some(from)) {
                Ok(from) => from,
                Err(unclear) => return Ok(Err(unclear.into())),
            },
            None => self.answers_from(ctx, &mail, &addressed),
        };
        let address_of = |people: &[Mailbox]| people.iter().map(|one| one.address.clone()).collect::<Vec<String>>();
        let (to, cc) = (address_of(&answer.to), address_of(&answer.cc));
        let mut notes = answer.notes;
        notes.extend(self.sender_marks(ctx, &view, &mail).await?);
        notes.extend(self.stranger_notes(ctx, &[to.as_slice(), &cc].concat()).await?);
        let names = self.names(&ctx.owner, [&mail]).await?;
        let people: Vec<(String, String)> = answer.to.iter().map(|person| named(person, &names)).collect();
        let both: Vec<&Mailbox> = answer.to.iter().chain(&answer.cc).collect();
        let SendingFrom { account, address, signature } = from;
        let target = Target { account, ..reply_target(&conversation, &mail, &both, &names, ctx)? };
        let subject = reply_subject(&mail.head.parsed.subject);
        let untrusted = view.files(move |mailbox| foreign_of(&mail, &names, mailbox)).await?;
        let body = unified(&greeted(wanted.body, wanted.greets, &people));
        Ok(Ok(PreparedAnswer { to, cc, subject, body, from: address, signature, target, notes, untrusted }))
    }

    /// As whom something of a mail goes out: as the one that it was written to.
    pub(in crate::services::email) fn answers_from(
        &self,
        ctx: &RequestContext,
        mail: &Mail,
        addressed: &Addressed,
    ) -> SendingFrom {
        let parsed = &mail.head.parsed;
        let written_to = match mail.is_own() {
            true => vec![parsed.from.address.clone()],
            false => parsed.to.iter().chain(&parsed.cc).map(|person| person.address.clone()).collect(),
        };
        let addresses: Vec<String> = written_to.into_iter().chain(addressed.delivered_to.iter().cloned()).collect();
        self.accounts.written_to(&ctx.owner, &mail.file.base, &addresses)
    }
}

/// Who an answer goes to, and what is odd about it.
struct ReplyRecipients {
    to: Vec<Mailbox>,
    cc: Vec<Mailbox>,
    notes: Vec<String>,
}

impl ReplyRecipients {
    fn of(mail: &Mail, addressed: &Addressed, view: &MailView, reach: AnswerTo) -> Self {
        let writer = Self::writer(mail, view);
        match reach {
            AnswerTo::Writer => writer,
            AnswerTo::Everybody => writer.and_everybody(mail, addressed, view),
        }
    }

    fn writer(mail: &Mail, view: &MailView) -> Self {
        let parsed = &mail.head.parsed;
        let only = |to: Vec<Mailbox>, notes| Self { to, cc: Vec::new(), notes };
        if mail.is_own() {
            // Nobody has answered yet: this goes to the same people again.
            return only(parsed.to.iter().take(RECIPIENTS_MAX).cloned().collect(), Vec::new());
        }
        let usable = parsed.reply_to.iter().filter(|person| !person.address.is_empty() && !is_me(view, person));
        let usable: Vec<Mailbox> = usable.take(RECIPIENTS_MAX).cloned().collect();
        let from = &parsed.from;
        if usable.is_empty() {
            return only(Some(from.clone()).filter(|from| !from.address.is_empty()).into_iter().collect(), Vec::new());
        }
        let differs = usable.iter().any(|p| !same_address(&p.address, &from.address));
        let shown: Vec<String> = usable.iter().map(|p| show_address(&p.address)).collect();
        let note = format!("replies go to {}, not to the sender {}", shown.join(", "), show_address(&from.address));
        only(usable, differs.then_some(note).into_iter().collect())
    }

    /// The same, and all who got the mail: openly as they did. What is no address is left out, and told.
    fn and_everybody(self, mail: &Mail, addressed: &Addressed, view: &MailView) -> Self {
        let Self { to: first, mut notes, .. } = self;
        let mut seen: Vec<Mailbox> = Vec::new();
        let all = first.iter().chain(&mail.head.parsed.to);
        let mut to = new_among(all.filter(|person| !is_me(view, person)), &mut seen, &mut notes);
        let copied = addressed.cc.iter();
        let mut cc = new_among(copied.filter(|person| !is_me(view, person)), &mut seen, &mut notes);
        if to.is_empty() {
            to = std::mem::take(&mut cc);
        }
        // A mail to oneself alone is answered to oneself.
        let to = if to.is_empty() { first } else { to };
        Self { to, cc, notes }
    }
}

/// Those of these people who were not seen before. What is no address is noted.
fn new_among<'m>(
    people: impl Iterator<Item = &'m Mailbox>,
    seen: &mut Vec<Mailbox>,
    notes: &mut Vec<String>,
) -> Vec<Mailbox> {
    let mut new = Vec::new();
    for person in people.filter(|person| !person.address.is_empty()) {
        if wire_address(&person.address).is_err() {
            let address = quoted(&person.address, CARD_INLINE_CHARS_MAX);
            notes.push(format!("{address} got it too, and is no mail address I can write to"));
        } else if !seen.iter().any(|other| same_address(&other.address, &person.address)) {
            seen.push(person.clone());
            new.push(person.clone());
        }
    }
    new
}

/// One of the person's own addresses, however its domain is written.
fn is_me(view: &MailView, person: &Mailbox) -> bool {
    view.is_me(&person.address) || wire_address(&person.address).is_ok_and(|address| view.is_me(address.as_ref()))
}

/// No more of a conversation than is told on: how it began, and its last mails.
fn bounded(mut references: Vec<String>) -> Vec<String> {
    if references.len() > REFERENCES_MAX {
        references.drain(1..=references.len() - REFERENCES_MAX);
    }
    references
}

/// The mail that an answer is to.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::services::email) struct RepliedMail {
    from: String,
    address: String,
    subject: String,
    /// RFC 3339 in the person's zone.
    date: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The conversation so far, this mail included, without angle brackets.
    pub references: Vec<String>,
}

fn reply_target(
    about: &Conversation,
    mail: &Mail,
    to: &[&Mailbox],
    names: &KnownNames,
    ctx: &RequestContext,
) -> Result<Target, ServiceError> {
    let parsed = &mail.head.parsed;
    let references = bounded(parsed.references.iter().chain(&parsed.message_id).cloned().collect());
    let named = to.iter().filter(|person| !person.name.is_empty());
    let subject = find::subject_or(&parsed.subject);
    let from = writer(mail, names);
    let answered = RepliedMail {
        from: from.clone(),
        address: parsed.from.address.clone(),
        subject: subject.to_owned(),
        date: find::local(mail.head.date, ctx.zone),
        message_id: parsed.message_id.clone(),
        references,
    };
    Ok(Target {
        id: about.thread.id.clone(),
        revision: parsed.message_id.clone().unwrap_or_else(|| mail.file.base.clone()),
        label: format!("{subject} — {from}"),
        before: serde_json::to_value(answered)?,
        names: named.map(|person| (person.address.clone(), person.name.clone())).collect(),
        ..Target::default()
    })
}

fn foreign_of(mail: &Mail, names: &KnownNames, mailbox: &std::path::Path) -> Vec<UntrustedText> {
    if mail.is_own() {
        return Vec::new();
    }
    // Without the subject: the answer's own subject is made of it by code.
    let parsed = mail.read(mailbox);
    vec![UntrustedText::new(source_of(mail, names), format!("{}\n{}", parsed.people(), parsed.text))]
}

/// Somebody by the owner's name for them, else by the one that they write.
fn named(person: &Mailbox, names: &KnownNames) -> (String, String) {
    let party = person.party(names);
    (party.known_as.unwrap_or(party.name), person.address.clone())
}
