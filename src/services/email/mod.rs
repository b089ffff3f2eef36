//! Mail: an embedded Maildir, and SMTP for what goes out.
//!
//! In reading order: the files ([`maildir`]), what a mail says ([`read`]), the index over them ([`mailbox`],
//! [`thread`]), finding ([`find`]), writing ([`compose`], [`drafts`]), sending ([`smtp`]).
//!
//! Invariants:
//! - What goes out is the action's values and nothing else; a send is tried once.
//! - What was certainly not sent is kept as a draft, and said to be; what perhaps was, is not kept.
//! - Reading marks nothing as read.

pub mod commands;
pub mod compose;
pub mod demo;
pub mod drafts;
mod find;
pub mod mailbox;
mod outgoing;
mod prepare;
pub mod read;
pub mod send;
pub mod source;
#[cfg(test)]
pub(crate) mod tests;
pub mod thread;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use self::find::{Found, Query};
use self::mailbox::{Index, Mail, Mailboxes, blocking};
use self::send::smtp::Smtp;
use self::thread::Thread;
use crate::core::plan::{Action, Params};
use crate::core::provenance::UntrustedText;
use crate::core::stakes::Authorized;
use crate::services::service::{
    AddressBook, Attempt, Noticed, Performed, Prepared, RequestContext, Service, ServiceError, Wanted,
};

/// The service.
#[derive(Debug)]
pub struct Email {
    mailboxes: Arc<Mailboxes>,
    book: Arc<dyn AddressBook>,
    smtp: Option<Smtp>,
}

impl Email {
    /// Mail in `mailboxes`; sending needs `smtp`.
    pub fn new(mailboxes: Arc<Mailboxes>, book: Arc<dyn AddressBook>, smtp: Option<Smtp>) -> Self {
        Self { mailboxes, book, smtp }
    }

    async fn search(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let index = self.mailboxes.index(&ctx.owner).await?;
        let query = Query::of(&action.params, ctx.zone);
        let mut performed = Performed::result(find::result(&index, &query, ctx.zone));
        performed.untrusted = find::search(&index, &query)
            .into_iter()
            .take(crate::limits::MAIL_RESULTS_MAX)
            .filter(|hit| !hit.mail.is_own())
            .map(|hit| UntrustedText {
                source: source_of(hit.mail),
                text: [&hit.thread.subject, &hit.mail.head.snippet].map(String::as_str).join("\n"),
            })
            .collect();
        Ok(performed)
    }

    async fn read_thread(&self, ctx: &RequestContext, action: &Action) -> Result<Performed, ServiceError> {
        let index = self.mailboxes.index(&ctx.owner).await?;
        let wanted =
            action.target.as_ref().map_or_else(|| action.text("find_by"), |target| target.id.as_str()).to_owned();
        let ctx = ctx.clone();
        blocking(move || match find::thread(&index, &wanted) {
            Found::One(thread) => Ok(whole_thread(&index, thread, &ctx)),
            Found::Several(_) => Ok(Performed::failed("Several mails fit that.")),
            Found::Nothing => Ok(Performed::failed("That mail is no longer there.")),
        })
        .await
    }
}

fn whole_thread(index: &Index, thread: &Thread, ctx: &RequestContext) -> Performed {
    let mut untrusted = Vec::new();
    let mut messages: Vec<Value> = Vec::new();
    for mail in index.mails_of(thread) {
        let parsed = mail.read();
        let mut text = parsed.text;
        for name in &parsed.attachments {
            text.push_str(&format!("\n📎 {name}"));
        }
        if !mail.is_own() {
            untrusted.push(UntrustedText { source: source_of(mail), text: format!("{}\n{text}", parsed.subject) });
        }
        let to: Vec<String> = parsed.to.iter().map(|p| p.label()).collect();
        messages.push(json!({
            "from": parsed.from.label(),
            "address": parsed.from.address,
            "to": to,
            "date": find::local(mail.head.date, ctx.zone),
            "text": text,
            "attachments": parsed.attachments,
            "unread": mail.is_unread(),
            "own": mail.is_own(),
        }));
    }
    let mut performed = Performed::result(json!({"thread": {
        "id": thread.id,
        "subject": find::subject_or(&thread.subject),
        "messages": messages,
    }}));
    performed.untrusted = untrusted;
    performed
}

/// What a card calls the origin of a mail's words.
fn source_of(mail: &Mail) -> String {
    format!("a mail from {}", mail.head.parsed.from.label())
}

fn unknown_command(command: &str) -> ServiceError {
    ServiceError(format!("Mail has no command “{command}”."))
}

#[async_trait]
impl Service for Email {
    fn name(&self) -> &'static str {
        "email"
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        match command {
            "search" => Ok(Prepared::as_is(params)),
            "read_thread" => self.prepare_read(ctx, params).await,
            "create_draft" | "send_email" => self.prepare_letter(ctx, params).await,
            "reply_to_email" => self.prepare_reply(ctx, params).await,
            other => Err(unknown_command(other)),
        }
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        let action = authorized.action();
        let done = match action.command.as_str() {
            "search" => self.search(ctx, action).await,
            "read_thread" => self.read_thread(ctx, action).await,
            "create_draft" => self.create_draft(ctx, action, attempt).await,
            "send_email" | "reply_to_email" => Ok(self.send(ctx, action, attempt).await),
            other => Err(unknown_command(other)),
        };
        done.unwrap_or_else(Performed::from)
    }

    async fn draft(&self, ctx: &RequestContext, id: &str) -> Option<Params> {
        let letter = self.mailboxes.draft(&ctx.owner, id).await.ok().flatten()?;
        match json!({"to": letter.to, "subject": letter.subject, "body": letter.body}) {
            Value::Object(params) => Some(params),
            _ => None,
        }
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        let index = self.mailboxes.index(&ctx.owner).await?;
        Ok(find::notice(&index, &wanted.message, wanted.limit, ctx.zone))
    }

    async fn happened(&self, ctx: &RequestContext, command: &str, attempt: &Attempt) -> Option<bool> {
        match command {
            "send_email" | "reply_to_email" => self.is_in_sent(ctx, attempt).await,
            "create_draft" => {
                let id = drafts::safe_key(attempt);
                let draft = self.mailboxes.draft(&ctx.owner, &id).await;
                draft.ok().map(|draft| draft.is_some())
            }
            _ => None,
        }
    }
}
