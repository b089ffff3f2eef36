//! Mail: an embedded Maildir, and SMTP for what goes out.
//!
//! In reading order: what a mail says ([`message`]), the files and how they get into the search index and into memory
//! ([`mailbox`]), finding them ([`finding`]), writing ([`compose`]), sending ([`delivery`]), invitations
//! ([`invitations`]), accounts over IMAP ([`imap`]), and waiting for mail ([`watch`]).
//!
//! Invariants:
//! - What goes out is the action's values and nothing else; a send is tried once.
//! - What was certainly not sent is kept as a draft, and said to be; what perhaps was, is not kept.
//! - Reading marks nothing as read.

pub mod compose;
pub mod delivery;
pub mod demo;
mod filling;
pub mod finding;
pub mod imap;
pub mod invitations;
pub mod mailbox;
pub mod message;
mod service;
#[cfg(test)]
pub(crate) mod tests;
pub mod watch;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use compose::create_draft::CreateDraft;
use compose::forward_email::ForwardEmail;
use compose::reply_all::ReplyAll;
use compose::reply_to_email::ReplyToEmail;
use delivery::send_email::SendEmail;
use finding::read_thread::ReadThread;
use finding::search::{SearchMail, grouped};
use invitations::answer_invitation::AnswerInvitation;
use mailbox::delete_email::DeleteEmail;
use mailbox::indexing::SoFar;
use mailbox::mailboxes::Conversation;
use mailbox::mark::MarkMail;
use watch::{ListWatches, UnwatchMail, WatchMail};

use crate::services::catalog::registry::Registration;
use crate::services::contract::archived::{ArchivedFiles, Imported, Unarchived};
use crate::services::contract::capabilities::{Drafts, EventWatcher, Mirroring, Reminders};
use crate::services::contract::command::planned;
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::searchable::Searchable;
use crate::services::contract::service::{ContextRequest, ContextRole, Noticed, Service, ServiceInfo};
use crate::services::helpers::items;
use brain_core::core::ids::UserId;
use brain_core::core::plan::PlannedAction;
use brain_core::core::progress::Progress;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::CONTEXT_FETCH_MS;
use brain_core::ports::Secondary;
use brain_language::language::requests::built::Builder;
pub(super) use filling::is_about_a_mail;
use serde_json::Value;

pub(super) use compose::amend::AMENDERS;
pub use message::mail::NAME;
pub use service::Email;

/// What its phrases come to, by the command that they name.
pub(super) const BUILDERS: [(&str, Builder); 14] = [
    ("search", finding::search::built),
    ("read_thread", finding::read_thread::built),
    ("create_draft", |said| filling::write(said, "create_draft")),
    ("send_email", |said| filling::write(said, "send_email")),
    ("send_draft", delivery::send_email::built_of_draft),
    ("reply_to_email", compose::reply_to_email::built),
    ("reply_all", compose::reply_to_email::built_to_all),
    ("forward_email", compose::forward_email::built),
    ("answer_invitation", invitations::answer_invitation::built),
    ("mark", |said| filling::over_one(said, "mark")),
    ("delete_email", |said| filling::over_one(said, "delete_email")),
    watch::BUILDERS[0],
    watch::BUILDERS[1],
    watch::BUILDERS[2],
];

/// The orders by which it asks the store.
pub(super) fn indexes() -> impl Iterator<Item = &'static Secondary> {
    watch::INDEXES.into_iter().chain([&imap::rows::MAILS_BY_NAME])
}

impl Email {
    /// The service with its commands, for the registry.
    pub fn registration(self: Arc<Self>) -> Registration {
        let info = ServiceInfo::new(NAME, "Mail", "searching, reading, drafting and sending mail", "your mail");
        Registration::of(info, self)
            .command::<SearchMail>()
            .command::<ReadThread>()
            .command::<CreateDraft>()
            .command::<SendEmail>()
            .command::<ReplyToEmail>()
            .command::<ReplyAll>()
            .command::<ForwardEmail>()
            .command::<AnswerInvitation>()
            .command::<MarkMail>()
            .command::<DeleteEmail>()
            .command::<WatchMail>()
            .command::<UnwatchMail>()
            .command::<ListWatches>()
            .end()
    }
}

/// What watches are called in an export.
const RECORDS: &str = "watches";

#[async_trait]
impl Service for Email {
    fn context_role(&self) -> ContextRole {
        ContextRole::Items
    }

    async fn enclosed_event(&self, ctx: &RequestContext, item: &str) -> Option<(PlannedAction, UntrustedText)> {
        self.event_in(ctx, item).await
    }

    fn drafts(&self) -> Option<&dyn Drafts> {
        Some(self)
    }

    fn searchable(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn mirrors(&self, owner: &UserId) -> Vec<String> {
        self.accounts.kept_elsewhere(owner)
    }

    fn reminders(&self) -> Option<&dyn Reminders> {
        Some(self)
    }

    fn mirroring(&self) -> Option<&dyn Mirroring> {
        self.keeper.as_deref().map(|keeper| keeper as &dyn Mirroring)
    }

    fn event_watcher(&self) -> Option<&dyn EventWatcher> {
        Some(self)
    }

    async fn export(&self, owner: &UserId) -> Result<Vec<(&'static str, Vec<Value>)>, ServiceError> {
        Ok(vec![(RECORDS, items::export::<watch::MailWatch>(&self.store, owner).await?)])
    }

    async fn import(
        &self,
        ctx: &RequestContext,
        kind: &str,
        records: Vec<Value>,
    ) -> Result<Option<Imported>, ServiceError> {
        if kind != RECORDS {
            return Ok(None);
        }
        let store = self.store.as_ref();
        let (mut imported, new) = items::import::<watch::MailWatch>(store, ctx, records, |_| Ok(())).await?;
        for due in new.iter().filter_map(watch::MailWatch::due) {
            imported.changes.push(items::armed(store, &due).await?);
        }
        Ok(Some(imported))
    }

    async fn archived(&self, ctx: &RequestContext) -> Result<ArchivedFiles, ServiceError> {
        self.for_archive(ctx).await
    }

    async fn unarchive(
        &self,
        ctx: &RequestContext,
        files: &[(String, Vec<u8>)],
    ) -> Result<Option<Unarchived>, ServiceError> {
        self.laid_in(ctx, files).await
    }

    fn waited_for(&self, owner: &UserId) -> Option<Progress> {
        let SoFar { done, total } = self.mailboxes.waited_for(owner)?;
        Some(Progress::of(format!("Reading your mail… {} of {}", grouped(done), grouped(total))))
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        // What is read by then is enough: nobody has asked for mail yet.
        let patience = Duration::from_millis(CONTEXT_FETCH_MS / 2);
        let view = self.mailboxes.mail_by_now(&ctx.owner, patience).await?;
        let near = finding::find::near(&view, &wanted.message, wanted.limit).await?;
        let names = self.names(&ctx.owner, near.iter().filter_map(Conversation::last_of_others)).await?;
        Ok(near.iter().filter_map(|conversation| finding::find::noticed(conversation, &names, ctx.zone)).collect())
    }
}

#[async_trait]
impl Drafts for Email {
    async fn sending(&self, ctx: &RequestContext, draft: &str) -> Option<PlannedAction> {
        let letter = self.mailboxes.draft(&ctx.owner, draft).await.ok().flatten()?;
        Some(planned(NAME, &SendEmail(self.as_planned(ctx, letter))))
    }

    async fn rewriting(&self, ctx: &RequestContext, draft: &str) -> Option<PlannedAction> {
        let letter = self.mailboxes.own_draft(&ctx.owner, draft).await.ok().flatten()?;
        Some(planned(NAME, &CreateDraft(self.as_planned(ctx, letter))))
    }

    async fn discard(&self, ctx: &RequestContext, draft: &str) {
        self.drop_draft(ctx, draft).await;
    }
}
