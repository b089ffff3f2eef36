//! `forward_email`: pass a mail on to somebody else. What goes along of it follows from the mail, whatever the planner
//! wrote: its text, quoted below the person's words, and its files.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::letter;
use super::outgoing::Sending;
use super::prepare::{bad_address, called, copied, greeted, leaving, too_many, trimmed, unified};
use super::wording;
use crate::services::contract::command::{
    Command, Completed, Effect, Handle, Invocation, Receipt, Slot, Subject, before, one_or_many,
};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::compose::composing::{Letter, signed, wire_address};
use crate::services::email::delivery::sending_from::SendingFrom;
use crate::services::email::filling;
use crate::services::email::filling::{body_of, recipients, with_link};
use crate::services::email::finding::find::subject_or;
use crate::services::email::finding::one_mail::{LocatedMail, OneMail};
use crate::services::email::finding::search::grouped;
use crate::services::email::mailbox::delete_email::sender;
use crate::services::email::mailbox::source::maildir::{self, Raw};
use crate::services::email::message::mail::NAME;
use crate::services::email::message::mime_attachments::{Enclosure, MimeAttachments, enclosures, files_of};
use crate::services::email::message::read::{self, Mailbox, Parsed, one_line};
use crate::services::email::service::Email;
use crate::services::helpers::address_book::PeopleQuery;
use crate::services::helpers::items::label;
use brain_core::core::card::CardBody;
use brain_core::core::ids::UserId;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;
use brain_core::limits::FORWARD_CHARS_MAX;
use brain_core::limits::{MAIL_BYTES_MAX, MAIL_FETCHED_BYTES};
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::ClauseReading;

/// Pass a mail on to somebody else.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForwardEmail {
    /// The mail's id, or sender, or words from its subject.
    pub(in crate::services::email) find_by: String,
    /// Names, groups ("the whole team") or addresses.
    #[serde(deserialize_with = "one_or_many")]
    pub(in crate::services::email) to: Vec<String>,
    /// Copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub(in crate::services::email) cc: Vec<String>,
    /// Blind copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub(in crate::services::email) bcc: Vec<String>,
    /// Own words, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::services::email) body: Option<String>,
    /// The person's own account or address that it leaves from, only where they name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::services::email) from: Option<String>,
    // Filled in from the mail, never by a planner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) forwarded: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) signature: Option<String>,
    // As in a letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(in crate::services::email) greets: Option<String>,
}

/// The mail that is passed on, and what of it.
#[derive(Debug, Serialize, Deserialize)]
struct PassedOn {
    #[serde(flatten)]
    mail: OneMail,
    enclosed: Vec<Enclosure>,
    /// Characters of its text, and how many of them go along.
    chars: usize,
    along: usize,
}

impl ForwardEmail {
    /// The person's words, and the mail below them.
    fn letter(self) -> Letter {
        let body = self.whole();
        let Self { to, cc, bcc, subject, from, .. } = self;
        Letter { to, cc, bcc, subject: subject.unwrap_or_default(), body, from, ..Letter::default() }
    }

    /// Everybody it goes to.
    fn everybody(&self) -> Vec<String> {
        [self.to.as_slice(), &self.cc, &self.bcc].concat()
    }

    /// The signature stands below what the person wrote: what is below it is not theirs.
    fn whole(&self) -> String {
        let forwarded = self.forwarded.as_deref().unwrap_or_default();
        match signed(self.body.as_deref().unwrap_or_default(), self.signature.as_deref()).as_str() {
            "" => forwarded.to_owned(),
            own => format!("{own}\n\n{forwarded}"),
        }
    }
}

impl PassedOn {
    fn text_along(&self) -> String {
        match self.chars {
            0 => "it has none".to_owned(),
            chars if chars == self.along => format!("all of it, {} characters", grouped(chars)),
            chars => format!(
                "its first {} of {} characters; the rest does not go along",
                grouped(self.along),
                grouped(chars)
            ),
        }
    }
}

impl Command for ForwardEmail {
    type Output = Sending;

    const NAME: &'static str = "forward_email";
    const SUMMARY: &'static str = "forward a mail";
    const EXAMPLE: &'static str = "Forward Anna's last mail to Tom";
    const STATUS: &'static str = "Sending your mail…";
    const STAKES: Stakes = Stakes::High;
    const COMPOSED: &'static [&'static str] = &["body"];
    // The last three are made by code, of the mail and the account.
    const REFERENCES: &'static [&'static str] = &["find_by", "subject", "forwarded", "signature"];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let people = [("to", &mut self.to), ("cc", &mut self.cc), ("bcc", &mut self.bcc)];
        people.into_iter().map(|(param, value)| Slot::People { param, value, unaddressed: None }).collect()
    }

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn complete(&mut self, _: Option<&Target>) {
        if let Some(body) = &mut self.body {
            trimmed(body);
        }
    }

    fn problem(&self) -> Option<String> {
        too_many(&self.everybody())
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let card = CardBody::titled("Forward this email?").lines("To", show::people(&self.to, subject.action));
        let card = copied(card, (&self.cc, &self.bcc), subject.action);
        let card = leaving(card, self.from.as_deref()).words("Subject", self.subject.clone().unwrap_or_default());
        let card = match subject.before::<PassedOn>() {
            Some(passed_on) => card
                .words("Mail", label(subject.action, &self.find_by))
                .row("Written by", sender(&passed_on.mail))
                .row("Date", show::time(&passed_on.mail.date, subject.reference))
                .row("Its text", passed_on.text_along())
                .lines("Attached", passed_on.enclosed.iter().map(Enclosure::line).collect()),
            None => card.words("Mail", label(subject.action, &self.find_by)),
        };
        card.body(self.whole())
    }

    fn approve(&self) -> &'static str {
        "📨 Forward"
    }

    fn done(&self) -> &'static str {
        "Forwarded"
    }

    fn receipt(&self, sent: &Sending, receipt: &Receipt<'_>) -> String {
        let files = before::<PassedOn>(receipt.action).map_or(0, |passed_on| passed_on.enclosed.len());
        let files = match files {
            0 => String::new(),
            1 => " (with its attachment)".to_owned(),
            files => format!(" (with its {files} attachments)"),
        };
        sent.and_unfiled(format!(
            "📨 Forwarded to {}: {}{files}",
            show::people(&self.everybody(), receipt.action).join(", "),
            visible(self.subject.as_deref().unwrap_or("(no subject)"))
        ))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("forward “{}” to {}", label(action, &self.find_by), show::names(&self.to, action))
    }
}

/// The mail as it stands below the person's words, and how many characters there are of it and go along.
fn block(parsed: &Parsed, found: &LocatedMail, ctx: &RequestContext) -> (String, usize, usize) {
    let text = unified(&parsed.text);
    let text = text.trim_end();
    let chars = text.chars().count();
    let end = text.char_indices().nth(FORWARD_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let mut lines = vec!["---------- Forwarded message ----------".to_owned()];
    let from = parsed.from.spelled();
    let to = parsed.to.iter().map(Mailbox::spelled).collect::<Vec<_>>().join(", ");
    let date = found.mail.head.date.with_timezone(&ctx.zone).format("%a %-d %b %Y, %H:%M (UTC%:z)").to_string();
    for (name, value) in [("From", from), ("Date", date), ("Subject", parsed.subject.clone()), ("To", to)] {
        lines.push(format!("{name}: {}", one_line(&value)).trim_end().to_owned());
    }
    lines.push(String::new());
    lines.extend(text[..end].lines().map(|line| format!("> {line}").trim_end().to_owned()));
    if end < text.len() {
        lines.push(String::new());
        lines.push("(The text goes on; it was cut here.)".to_owned());
    }
    (lines.join("\n"), chars, chars.min(FORWARD_CHARS_MAX))
}

/// `Fwd: …`, once.
fn forward_subject(subject: &str) -> String {
    let subject = one_line(subject);
    let is_marked = ["fwd:", "fw:", "wg:"].iter().any(|mark| subject.to_lowercase().starts_with(mark));
    if is_marked { subject } else { format!("Fwd: {}", subject_or(&subject)) }
}

impl Email {
    /// All that is had of a mail; of one that was too large to be fetched whole, what its account has.
    pub(in crate::services::email) async fn raw_of(
        &self,
        ctx: &RequestContext,
        one: &OneMail,
    ) -> Result<Raw, ServiceError> {
        let (maildir, looked) = (self.mailboxes.maildir(&ctx.owner), one.clone());
        let read = move || {
            let file = looked.still(&maildir)?;
            let gone = |_| ServiceError::NotFound { noun: "mail", label: looked.label() };
            maildir::read(&maildir.path(&file)).map_err(gone)
        };
        let raw = self.mailboxes.files(&ctx.owner, read).await?;
        match (&raw, self.accounts.keeping(&ctx.owner, Some(&one.file.base))) {
            (Raw::Whole(bytes), Some(account)) if bytes.len() == MAIL_FETCHED_BYTES => {
                let backend = self.accounts.backend(&ctx.owner, Some(&account))?;
                let whole = backend.whole(ctx, &one.mail_ref()).await?;
                let whole = whole.ok_or_else(|| ServiceError::Conflict { label: one.label() })?;
                let is_cut = whole.len() as u64 >= MAIL_BYTES_MAX;
                Ok(if is_cut { Raw::Beginning(whole) } else { Raw::Whole(whole) })
            }
            (_, _) => Ok(raw),
        }
    }

    /// The files that the card named, or why they cannot go along.
    async fn enclosed(&self, ctx: &RequestContext, action: &Action) -> Result<Vec<MimeAttachments>, ServiceError> {
        let passed_on: PassedOn = before(action).ok_or(ServiceError::Several { noun: "mail" })?;
        if passed_on.enclosed.is_empty() {
            return Ok(Vec::new());
        }
        let files = files_of(&self.raw_of(ctx, &passed_on.mail).await?).unwrap_or_default();
        match enclosures(&files) == passed_on.enclosed {
            true => Ok(files),
            false => Err(ServiceError::Conflict { label: passed_on.mail.label() }),
        }
    }

    async fn prepare_forward(
        &self,
        ctx: &RequestContext,
        command: ForwardEmail,
    ) -> Result<Prepared<ForwardEmail>, ServiceError> {
        if let Some(bad) = command.everybody().iter().find(|address| wire_address(address).is_err()) {
            return Ok(bad_address(bad));
        }
        let found = match self.one_mail(ctx, &command.find_by).await? {
            Ok(found) => found,
            Err(unclear) => return Ok(unclear),
        };
        let cannot = |why: &str| {
            Ok(Prepared::NotFound { what: format!("“{}” {why}, so I can't forward it.", found.one.label()) })
        };
        if found.mail.is_aside() {
            return cannot("is a mail that I do not open any more");
        }
        let raw = self.raw_of(ctx, &found.one).await?;
        let Some(files) = files_of(&raw) else {
            return cannot("is too large, or has more parts than I read");
        };
        let parsed = read::parse(&raw);
        let (forwarded, chars, along) = block(&parsed, &found, ctx);
        let from = match command.from.as_deref() {
            Some(said) => match self.accounts.named_or_first(&ctx.owner, Some(said)) {
                Ok(from) => from,
                Err(unclear) => return Ok(unclear.into()),
            },
            None => self.answers_from(ctx, &found.mail, &read::addressed(&raw)),
        };
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let mut notes = self.sender_marks(ctx, &view, &found.mail).await?;
        notes.extend(self.stranger_notes(ctx, &command.everybody()).await?);
        let untrusted = match found.mail.is_own() {
            true => Vec::new(),
            false => {
                let text = format!("{}\n{}\n{}", parsed.subject, parsed.people(), parsed.text);
                vec![UntrustedText::new(found.one.source(), text)]
            }
        };
        let passed_on = PassedOn { mail: found.one.clone(), enclosed: enclosures(&files), chars, along };
        let SendingFrom { account, address, signature } = from;
        let target = Target { before: serde_json::to_value(passed_on)?, account, ..found.one.target()? };
        let people = self.book.people(&ctx.owner, &PeopleQuery::names(command.to.iter().map(String::as_str))).await?;
        let body = command.body.map(|body| greeted(body, command.greets.as_deref(), &called(&command.to, &people)));
        let params = ForwardEmail {
            body: body.map(|body| unified(&body)).filter(|body| !body.trim().is_empty()),
            greets: None,
            from: address,
            signature,
            subject: Some(forward_subject(&parsed.subject)),
            forwarded: Some(forwarded),
            ..command
        };
        Ok(Prepared::Ready { params, target: Some(target), notes, untrusted })
    }
}

#[async_trait]
impl Handle<ForwardEmail> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    fn account(&self, owner: &UserId, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, None, target)
    }

    fn account_for(&self, owner: &UserId, command: &ForwardEmail, target: Option<&Target>) -> Option<ActingAccount> {
        self.accounts.acting(owner, command.from.as_deref(), target)
    }

    async fn prepare(
        &self,
        ctx: &RequestContext,
        command: ForwardEmail,
    ) -> Result<Prepared<ForwardEmail>, ServiceError> {
        self.prepare_forward(ctx, command).await
    }

    async fn perform(&self, call: Invocation<'_, ForwardEmail>) -> Result<Completed<Sending>, ServiceError> {
        let enclosed = self.enclosed(call.ctx, call.action).await?;
        self.send_with(call.ctx, call.command.letter(), enclosed, call.action, call.attempt).await
    }

    async fn happened(&self, call: Invocation<'_, ForwardEmail>) -> Option<Result<Completed<Sending>, ServiceError>> {
        let enclosed = self.enclosed(call.ctx, call.action).await.unwrap_or_default();
        self.sent_already_with(call.ctx, call.command.letter(), enclosed, (call.action, call.attempt)).await
    }
}

/// A mail to pass on, from the slots of a message.
pub(in crate::services::email) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "forward_email");
    filling::leaves_from(said, &mut action);
    let to = recipients(said);
    if !to.is_empty() {
        set(&mut action, "to", Some(to.clone()));
    }
    let spoken = said
        .raw("body")
        .map(|body| body_of(said, &body))
        .or_else(|| said.raw("ask").map(|ask| wording::question(&with_link(said, &ask))));
    if let Some(body) = spoken {
        letter::word_to(&mut action.params, &to, &body);
    }
    // What is only sent is a mail where one was shown last.
    let last = history::latest(said.input.history, |_| true);
    if !said.clause_holds("passeson") && !last.is_some_and(filling::is_about_a_mail) {
        return Built::No;
    }
    let Some(find_by) = filling::find_by(said) else {
        return Built::Ask { question: "Which mail do you mean?", partial: action, param: "find_by" };
    };
    set(&mut action, "find_by", Some(find_by));
    if to.is_empty() {
        return Built::Ask { question: "Who should it go to?", partial: action, param: "to" };
    }
    Built::Act(action)
}
