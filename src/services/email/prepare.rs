//! Making an action ready: which mail is meant, who gets the answer, what a card must warn about.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::compose::{Letter, wire_address};
use super::find::{self, ThreadMatch};
use super::letter;
use super::mail::Mail;
use super::mailbox::{Conversation, MailView};
use super::read::{Mailbox, one_line};
use super::reply_to_email::ReplyToEmail;
use super::search::ReadSoFar;
use super::service::{Email, source_of, writer};
use super::thread::reply_subject;
use super::wording;
use crate::core::card::{CardBody, show_address};
use crate::core::plan::Target;
use crate::core::provenance::{NOT_YOURS, UntrustedText};
use crate::core::text::quoted;
use crate::language::people::Familiarity;
use crate::limits::{CANDIDATES_MAX, CARD_INLINE_CHARS_MAX, RECIPIENTS_MAX};
use crate::services::address_book::{KnownNames, PeopleQuery, Person};
use crate::services::command::Subject;
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::service::Prepared;
use crate::services::show;

impl Email {
    /// A new mail: addresses checked, the subject brought to one line, strangers noted.
    pub(super) async fn prepare_letter<C>(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        command: impl FnOnce(Letter) -> C,
    ) -> Result<Prepared<C>, ServiceError> {
        if let Some(bad) = letter.to.iter().find(|address| wire_address(address).is_err()) {
            return Ok(bad_address(bad));
        }
        let notes = self.stranger_notes(ctx, &letter.to).await?;
        let Letter { to, subject, body, greets } = letter;
        let people = self.book.people(&ctx.owner, &PeopleQuery::names(to.iter().map(String::as_str))).await?;
        let body = unified(&greeted(body, greets.as_deref(), &called(&to, &people)));
        let params = command(Letter { to, subject: one_line(&subject), body, greets: None });
        Ok(Prepared::Ready { params, target: None, notes, untrusted: Vec::new() })
    }

    /// An answer: to whom and under which subject follows from the mail.
    pub(super) async fn prepare_reply(
        &self,
        ctx: &RequestContext,
        command: ReplyToEmail,
    ) -> Result<Prepared<ReplyToEmail>, ServiceError> {
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let conversation = match self.meant(&view, &command.find_by, ctx).await? {
            Ok(conversation) => conversation,
            Err(unclear) => return Ok(unclear),
        };
        let is_others = |mail: &&Mail| !mail.is_own() && !view.is_me(&mail.head.parsed.from.address);
        let Some(mail) = conversation.mails.iter().rfind(is_others).or(conversation.mails.last()).cloned() else {
            return Ok(not_found(&command.find_by, None));
        };
        let answer = ReplyRecipients::to(&mail, &view);
        if let Some(bad) = answer.to.iter().find(|p| wire_address(&p.address).is_err()) {
            return Ok(bad_address(&bad.address));
        }
        if answer.to.is_empty() {
            let what = format!("“{}” does not say who wrote it, so I can't answer it.", conversation.subject);
            return Ok(Prepared::NotFound { what });
        }
        let to: Vec<String> = answer.to.iter().map(|person| person.address.clone()).collect();
        let mut notes = answer.notes;
        notes.extend(self.stranger_notes(ctx, &to).await?);
        let names = self.names(&ctx.owner, [&mail]).await?;
        let people: Vec<(String, String)> = answer.to.iter().map(|person| named(person, &names)).collect();
        let params = ReplyToEmail {
            find_by: command.find_by,
            body: unified(&greeted(command.body, command.greets.as_deref(), &people)),
            to,
            subject: Some(reply_subject(&mail.head.parsed.subject)),
            greets: None,
        };
        let target = reply_target(&conversation, &mail, &answer.to, &names, ctx)?;
        let untrusted = view.files(move |mailbox| foreign_of(&mail, &names, mailbox)).await?;
        Ok(Prepared::Ready { params, target: Some(target), notes, untrusted })
    }

    /// A remark for every address nobody saved and nobody wrote to, and for every one that was saved from somebody
    /// else's words.
    pub(super) async fn stranger_notes(
        &self,
        ctx: &RequestContext,
        to: &[String],
    ) -> Result<Vec<String>, ServiceError> {
        let people = self.book.people(&ctx.owner, &PeopleQuery::names(to.iter().map(String::as_str))).await?;
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let known = |address: &String| {
            view.is_me(address)
                || people.iter().any(|person| {
                    person.known > Familiarity::Seen && person.emails.iter().any(|email| same_address(email, address))
                })
        };
        let strangers = to.iter().filter(|address| !known(address));
        let so_far = view.so_far.map(|so_far| ReadSoFar::from(so_far).told());
        let first = strangers.map(|address| {
            let address = show_address(address);
            match &so_far {
                Some(so_far) => format!("perhaps the first mail to this address: {address} ({so_far})"),
                None => format!("first mail to this address: {address}"),
            }
        });
        let saved = people.iter().filter(|person| person.known == Familiarity::Saved);
        let said_by_others = saved.flat_map(|person| &person.untrusted);
        let said_by_others = said_by_others.filter(|said| to.iter().any(|address| same_address(&said.text, address)));
        let warned = said_by_others.map(|said| {
            format!("{} comes from {}, {NOT_YOURS}", quoted(&said.text, CARD_INLINE_CHARS_MAX), said.label())
        });
        Ok(first.chain(warned).collect())
    }
}

/// Two spellings of one address: case and punycode do not matter.
fn same_address(a: &str, b: &str) -> bool {
    match (wire_address(a), wire_address(b)) {
        (Ok(a), Ok(b)) => {
            let (a, b): (&str, &str) = (a.as_ref(), b.as_ref());
            a.eq_ignore_ascii_case(b)
        }
        _ => a.eq_ignore_ascii_case(b),
    }
}

/// Who an answer goes to, and what is odd about it.
struct ReplyRecipients {
    to: Vec<Mailbox>,
    notes: Vec<String>,
}

impl ReplyRecipients {
    fn to(mail: &Mail, view: &MailView) -> Self {
        let parsed = &mail.head.parsed;
        if mail.is_own() {
            // Nobody has answered yet: this goes to the same people again.
            return Self { to: parsed.to.iter().take(RECIPIENTS_MAX).cloned().collect(), notes: Vec::new() };
        }
        let usable: Vec<Mailbox> = parsed
            .reply_to
            .iter()
            .filter(|person| !person.address.is_empty() && !view.is_me(&person.address))
            .take(RECIPIENTS_MAX)
            .cloned()
            .collect();
        let from = &parsed.from;
        if usable.is_empty() {
            let to = Some(from.clone()).filter(|from| !from.address.is_empty());
            return Self { to: to.into_iter().collect(), notes: Vec::new() };
        }
        let differs = usable.iter().any(|p| !same_address(&p.address, &from.address));
        let shown: Vec<String> = usable.iter().map(|p| show_address(&p.address)).collect();
        let note = format!("replies go to {}, not to the sender {}", shown.join(", "), show_address(&from.address));
        Self { to: usable, notes: differs.then_some(note).into_iter().collect() }
    }
}

/// The mail that an answer is to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RepliedMail {
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
    to: &[Mailbox],
    names: &KnownNames,
    ctx: &RequestContext,
) -> Result<Target, ServiceError> {
    let parsed = &mail.head.parsed;
    let mut references = parsed.references.clone();
    references.extend(parsed.message_id.clone());
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

fn foreign_of(mail: &Mail, names: &KnownNames, mailbox: &Path) -> Vec<UntrustedText> {
    if mail.is_own() {
        return Vec::new();
    }
    // Without the subject: the answer's own subject is made of it by code.
    let parsed = mail.read(mailbox);
    vec![UntrustedText::new(source_of(mail, names), format!("{}\n{}", parsed.people(), parsed.text))]
}

impl Email {
    /// The conversation `find_by` means, or what to ask instead.
    pub(super) async fn meant<C>(
        &self,
        view: &MailView,
        find_by: &str,
        ctx: &RequestContext,
    ) -> Result<Result<Conversation, Prepared<C>>, ServiceError> {
        Ok(match find::thread(view, find_by).await? {
            ThreadMatch::One(conversation) => Ok(conversation),
            ThreadMatch::Several(conversations) => {
                let shown = &conversations[..conversations.len().min(CANDIDATES_MAX)];
                let names = self.names(&ctx.owner, shown.iter().filter_map(find::speaks_for)).await?;
                Err(Prepared::Several {
                    param: "find_by".to_owned(),
                    question: "Which mail do you mean?".to_owned(),
                    candidates: find::candidates(shown, &names, ctx.zone),
                })
            }
            ThreadMatch::Nothing => Err(not_found(find_by, view.so_far.map(Into::into))),
        })
    }

    /// A conversation as the person would call it.
    pub(super) async fn label(
        &self,
        ctx: &RequestContext,
        conversation: &Conversation,
    ) -> Result<String, ServiceError> {
        let subject = find::subject_or(&conversation.subject);
        let Some(mail) = conversation.last_of_others() else { return Ok(subject.to_owned()) };
        let names = self.names(&ctx.owner, [mail]).await?;
        Ok(format!("{subject} — {}", writer(mail, &names)))
    }
}

pub(super) fn not_found<C>(find_by: &str, so_far: Option<ReadSoFar>) -> Prepared<C> {
    let find_by = find_by.trim();
    let what = match so_far.map(ReadSoFar::told) {
        Some(so_far) => {
            format!("I found no mail like “{find_by}” yet: {so_far}, newest first. Ask me again in a moment.")
        }
        None => format!("I found no mail like “{find_by}”."),
    };
    Prepared::NotFound { what }
}

pub(super) fn bad_address<C>(address: &str) -> Prepared<C> {
    Prepared::NotFound { what: format!("“{}” is no mail address I can write to.", one_line(address)) }
}

/// One kind of line end, so that the card and the mail agree.
pub(super) fn unified(body: &str) -> String {
    body.replace("\r\n", "\n")
}

/// These addresses, each behind what its owner is called.
pub(super) fn called(to: &[String], people: &[Person]) -> Vec<(String, String)> {
    let person = |address: &String| people.iter().find(|p| p.emails.iter().any(|email| same_address(email, address)));
    to.iter().map(|address| (person(address).map_or("", |p| p.name.as_str()).to_owned(), address.clone())).collect()
}

/// Somebody by the owner's name for them, else by the one that they write.
fn named(person: &Mailbox, names: &KnownNames) -> (String, String) {
    let party = person.party(names);
    (party.known_as.unwrap_or(party.name), person.address.clone())
}

/// A body that code has worded, with the greeting of those whom it goes to; any other stays as it is.
pub(super) fn greeted(body: String, greets: Option<&str>, people: &[(String, String)]) -> String {
    let Some(greets) = greets else { return body };
    let people: Vec<(&str, &str)> = people.iter().map(|(name, address)| (name.as_str(), address.as_str())).collect();
    let below = letter::ungreeted(&body);
    match wording::greeting(greets, &people) {
        Some(hi) => format!("{hi}\n\n{below}"),
        None => below.to_owned(),
    }
}

/// What goes out ends with its last word.
pub(super) fn trimmed(body: &mut String) {
    body.truncate(body.trim_end().len());
}

/// What is wrong with more recipients than a mail may have.
pub(super) fn too_many(to: &[String]) -> Option<String> {
    (to.len() > RECIPIENTS_MAX).then(|| format!("a mail may go to {RECIPIENTS_MAX} people at most"))
}

/// The whole of a new mail.
pub(super) fn letter_card(title: &str, letter: &Letter, subject: &Subject<'_>) -> CardBody {
    CardBody::titled(title)
        .lines("To", show::people(&letter.to, subject.action))
        .words("Subject", &letter.subject)
        .body(&letter.body)
}
