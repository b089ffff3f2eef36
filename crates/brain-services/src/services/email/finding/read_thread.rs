//! `read_thread`: read a whole conversation.

use std::path::Path;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find;
use super::marks::MailMarks;
use super::meant::{self, ThreadMatch};
use super::search::grouped;
use crate::services::contract::command::{Command, Completed, Effect, Handle, Invocation, Receipt, Subject};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Prepared;
use crate::services::contract::show;
use crate::services::email::filling::{newest_of, owner};
use crate::services::email::mailbox::mailboxes::Conversation;
use crate::services::email::message::mail::NAME;
use crate::services::email::service::{Email, source_of, writer};
use crate::services::helpers::address_book::KnownNames;
use crate::services::helpers::items;
use brain_core::core::card::CardBody;
use brain_core::core::history::ItemRef;
use brain_core::core::plan::{ActingAccount, Action, Target};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::stakes::Stakes;
use brain_core::core::text::visible;
use brain_core::limits::THREAD_TEXT_CHARS_MAX;
use brain_language::language::requests::built::{Built, set};
use brain_language::language::requests::history;
use brain_language::language::requests::reading::{ClauseReading, without_determiner};

/// Read a whole conversation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadThread {
    /// The thread's id or words from subject or sender.
    find_by: String,
}

impl ReadThread {
    /// Of a conversation by its id.
    pub(in crate::services::email) fn of(id: &str) -> Self {
        Self { find_by: id.to_owned() }
    }
}

/// A mail as it is read aloud.
#[derive(Debug, Serialize, Deserialize)]
pub struct MailReading {
    from: String,
    address: String,
    to: Vec<String>,
    /// RFC 3339 in the person's zone.
    date: String,
    text: String,
    /// File names.
    attachments: Vec<String>,
    unread: bool,
    /// Written by the person.
    own: bool,
    /// What is odd about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<String>,
}

/// A conversation, oldest mail first.
#[derive(Debug, Serialize, Deserialize)]
pub struct ThreadView {
    /// What `find_by` must hold to mean it.
    id: String,
    subject: String,
    messages: Vec<MailReading>,
    /// How many older ones are left out of a very long one.
    #[serde(default, skip_serializing_if = "is_zero")]
    earlier: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What was read.
#[derive(Debug, Serialize, Deserialize)]
pub struct ThreadRead {
    thread: ThreadView,
}

impl Command for ReadThread {
    type Output = ThreadRead;

    const NAME: &'static str = "read_thread";
    const SUMMARY: &'static str = "read a whole conversation";
    const EXAMPLE: &'static str = "Read me the mail about the Berlin trip";
    const STATUS: &'static str = "Reading your mail…";
    const STAKES: Stakes = Stakes::Low;
    const SHOWS_UNTRUSTED: bool = true;

    fn find_by(&mut self) -> Option<&mut String> {
        Some(&mut self.find_by)
    }

    fn question(param: &str) -> &'static str {
        crate::services::email::service::question(param)
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Read this mail?").words("Mail", items::label(subject.action, &self.find_by))
    }

    fn receipt(&self, output: &ThreadRead, receipt: &Receipt<'_>) -> String {
        let told = |mail: &MailReading| {
            let text = mail.text.trim_end();
            let text = if text.is_empty() { "(no text)" } else { text };
            let date = show::time(&mail.date, receipt.reference);
            let marks: String = mail.marks.iter().map(|mark| format!("⚠️ {}\n", visible(mark))).collect();
            format!("{}, {date}:\n{marks}{}", visible(&mail.from), visible(text))
        };
        let mails: Vec<String> = output.thread.messages.iter().map(told).collect();
        let earlier = match output.thread.earlier {
            0 => String::new(),
            earlier => format!("{} older mails of it are left out; a mail program shows them.\n\n", grouped(earlier)),
        };
        format!("✉️ {}\n\n{earlier}{}", visible(&output.thread.subject), mails.join("\n\n"))
    }

    fn attempt(&self, action: &Action) -> String {
        format!("read “{}”", items::label(action, &self.find_by))
    }

    fn made(&self, output: &ThreadRead) -> Option<ItemRef> {
        Some(ItemRef { id: output.thread.id.clone(), label: output.thread.subject.clone() })
    }
}

#[async_trait]
impl Handle<ReadThread> for Email {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::Read
    }

    async fn prepare(&self, ctx: &RequestContext, command: ReadThread) -> Result<Prepared<ReadThread>, ServiceError> {
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let target = match self.meant(&view, &command.find_by, ctx).await? {
            Ok(conversation) => Target {
                id: conversation.thread.id.clone(),
                revision: conversation.thread.mails.len().to_string(),
                label: self.label(ctx, &conversation).await?,
                ..Target::default()
            },
            Err(unclear) => return Ok(unclear),
        };
        Ok(Prepared::Ready { params: command, target: Some(target), notes: Vec::new(), untrusted: Vec::new() })
    }

    async fn perform(&self, call: Invocation<'_, ReadThread>) -> Result<Completed<ThreadRead>, ServiceError> {
        let Invocation { ctx, command, action, .. } = call;
        let view = self.mailboxes.mail(&ctx.owner).await?;
        let wanted = action.target.as_ref().map_or(command.find_by, |target| target.id.clone());
        match meant::thread(&view, &wanted).await? {
            ThreadMatch::One(conversation) => {
                let (ctx, names) = (ctx.clone(), self.names(&ctx.owner, &conversation.mails).await?);
                let marks = self.marks_of(&ctx, &view, &conversation.mails).await?;
                view.files(move |mailbox| whole(conversation, marks, &names, mailbox, &ctx)).await
            }
            ThreadMatch::Several(_) => Err(ServiceError::Refused("Several mails fit that.".to_owned())),
            ThreadMatch::Nothing => Err(ServiceError::Refused("That mail is no longer there.".to_owned())),
        }
    }
}

fn whole(
    conversation: Conversation,
    marks: Vec<MailMarks>,
    names: &KnownNames,
    mailbox: &Path,
    ctx: &RequestContext,
) -> Completed<ThreadRead> {
    let mut untrusted = Vec::new();
    let mut messages = Vec::new();
    let mut room = THREAD_TEXT_CHARS_MAX;
    // Of a conversation that is too long the newest mails are read.
    for (mail, marks) in conversation.mails.iter().zip(marks).rev() {
        let parsed = mail.read(mailbox).within(room);
        room = room.saturating_sub(parsed.text.chars().count());
        let people = parsed.people();
        let mut text = parsed.text;
        for name in &parsed.attachments {
            text.push_str(&format!("\n📎 {name}"));
        }
        if !mail.is_own() {
            let source = marks.source(source_of(mail, names));
            untrusted.push(UntrustedText::new(source, format!("{}\n{people}\n{text}", parsed.subject)));
        }
        messages.push(MailReading {
            from: writer(mail, names),
            address: parsed.from.address,
            to: parsed.to.iter().map(|person| person.label(names)).collect(),
            date: find::local(mail.head.date, ctx.zone),
            text,
            attachments: parsed.attachments,
            unread: mail.is_unread(),
            own: mail.is_own(),
            marks: marks.lines(),
        });
    }
    messages.reverse();
    untrusted.reverse();
    let Conversation { thread, subject, .. } = conversation;
    let earlier = thread.mails.len().saturating_sub(messages.len());
    let subject = find::subject_or(&subject).to_owned();
    Completed::read(ThreadRead { thread: ThreadView { id: thread.id, subject, messages, earlier } }).holding(untrusted)
}

/// A conversation to read, from the slots of a message.
pub(in crate::services::email) fn built(said: &ClauseReading) -> Built {
    let mut action = said.action(NAME, "read_thread");
    let times = said.moments(&[]);
    let from = said.clean("from", &times).map(|f| owner(&f).to_owned());
    let what = said.clean("what", &times).map(|w| without_determiner(&w).to_owned());
    let find_by = match (from, what) {
        (Some(from), Some(what)) => Some(format!("{from} {what}")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => history::latest(said.input.history, |past| past.service == NAME).and_then(history::handle),
    };
    match find_by {
        Some(find_by) => {
            let find_by = if said.found.slot("from").is_some() { newest_of(said, find_by) } else { find_by };
            set(&mut action, "find_by", Some(find_by));
            Built::Act(action)
        }
        None => Built::Ask { question: "Which mail do you mean?", partial: action, param: "find_by" },
    }
}
