//! Drafting and sending: from an authorised action to a file, or to a mail server and a copy in Sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compose::{Envelope, Letter, compose, recipients, wire_address};
use super::drafts::{base_of, safe_key};
use super::enclosed::Enclosed;
use super::mail::{Mail, SENT};
use super::prepare::RepliedMail;
use super::send::smtp::{Sender, Sent};
use super::service::Email;
use super::source::maildir::Folder;
use crate::core::plan::Action;
use crate::failpoint::fail_point;
use crate::ports::{Query, Ranking};
use crate::services::command::{Completed, before};
use crate::services::context::RequestContext;
use crate::services::error::ServiceError;
use crate::services::service::Attempt;

/// Mails in Sent, the last first, in which the copy of one that was just sent is looked for.
const SENT_LOOKED_THROUGH: usize = 100;

/// A mail that went out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sending {
    to: Vec<String>,
    subject: String,
    /// Without angle brackets.
    message_id: String,
    /// A copy lies in Sent.
    filed: bool,
}

impl Email {
    /// One attempt to send; never a second one.
    pub(super) async fn send(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Completed<Sending>, ServiceError> {
        self.send_with(ctx, letter, Vec::new(), action, attempt).await
    }

    /// The same with files.
    pub(super) async fn send_with(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        enclosed: Vec<Enclosed>,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Completed<Sending>, ServiceError> {
        let mut envelope = Envelope { enclosed, ..self.envelope(ctx, action, attempt).await };
        let backend = match self.accounts.backend(&ctx.owner, action.account.as_ref()) {
            Ok(backend) => backend,
            Err(why) => {
                let kept = self.keep(ctx, &letter, &envelope, (action, attempt)).await;
                return Err(ServiceError::NotSetUp(format!("{why} {kept}")));
            }
        };
        // A draft that says exactly this is what is being sent: it keeps its place in its conversation.
        let drafts = self.mailboxes.drafts_like(&ctx.owner, &letter).await;
        let drafts = drafts.unwrap_or_default();
        if let (Some(draft), None) = (drafts.first(), &action.target) {
            let parsed = &draft.head.parsed;
            envelope.in_reply_to = parsed.references.last().cloned();
            envelope.references.clone_from(&parsed.references);
        }
        let mail = recipients(&letter).and_then(|to| Ok((to, compose(&letter, &envelope)?)));
        let (to, bytes) = match mail {
            Ok(mail) => mail,
            Err(error) => return Err(ServiceError::Refused(format!("Nothing was sent: {error}."))),
        };
        match backend.send(&to, &bytes).await {
            Sent::Accepted => {
                let filed = self.file(ctx, bytes, (action, attempt)).await;
                fail_point("sent-filed");
                self.drop_drafts(ctx, drafts).await;
                Ok(Completed::read(Sending {
                    to: letter.to,
                    subject: letter.subject,
                    message_id: envelope.message_id,
                    filed,
                }))
            }
            Sent::Refused(why) => {
                let kept = self.keep(ctx, &letter, &envelope, (action, attempt)).await;
                Err(ServiceError::Refused(format!("{why}. Nothing was sent. {kept}")))
            }
            Sent::Doubtful(why) => Ok(Completed::Doubtful(format!(
                "{why}. It may or may not have gone out, so I won't send it again by myself: \
                 please look into the account's Sent folder, or ask {}.",
                letter.to.join(", ")
            ))),
        }
    }

    /// What `Sent` says about an attempt; it says nothing when the mail is not there.
    pub(super) async fn sent_already(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        attempt: &Attempt,
    ) -> Option<Result<Completed<Sending>, ServiceError>> {
        let (maildir, base) = (self.mailboxes.maildir(&ctx.owner), base_of(attempt));
        let own_copy = move || {
            let file = maildir.find(Folder::Sent, &base).map_err(|cause| ServiceError::Broken(cause.to_string()))?;
            Ok(file.and_then(|file| Mail::read_at(&maildir, file)).into_iter().collect::<Vec<_>>())
        };
        let mut sent = self.mailboxes.files(&ctx.owner, own_copy).await.ok()?;
        if sent.is_empty() {
            // The account may have filed a copy of its own: it is among the last.
            let view = self.mailboxes.mail(&ctx.owner).await.ok()?;
            let flags = vec![SENT.to_owned()];
            let query = Query { flags, ranking: Ranking::Newest, limit: SENT_LOOKED_THROUGH, ..Query::default() };
            sent = view.search(query).await.ok()?.0;
        }
        let key = safe_key(attempt);
        let mut ids = sent.iter().filter_map(|mail| mail.head.parsed.message_id.as_deref());
        let message_id = ids.find(|id| id.split('@').next() == Some(key.as_str()))?.to_owned();
        Some(Ok(Completed::read(Sending { to: letter.to, subject: letter.subject, message_id, filed: true })))
    }

    /// What goes along with the letter of an action.
    pub(super) async fn envelope(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Envelope {
        let from = match self.accounts.backend(&ctx.owner, action.account.as_ref()) {
            Ok(backend) => Some(backend.sender().clone()),
            Err(_) => self.own_sender(ctx).await,
        };
        let domain = from.as_ref().map_or("brain-agent.invalid", |sender| sender.address.domain());
        let answered = before::<RepliedMail>(action);
        let (in_reply_to, references) = answered.map(|mail| (mail.message_id, mail.references)).unwrap_or_default();
        Envelope {
            message_id: format!("{}@{domain}", safe_key(attempt)),
            in_reply_to,
            references,
            at: ctx.now,
            from,
            names: self.own_names(ctx, action).await,
            enclosed: Vec::new(),
        }
    }

    /// Of the names on the card those that the owner gave: written in front of an address, a name that somebody chose
    /// for themself would be the owner's from then on.
    async fn own_names(&self, ctx: &RequestContext, action: &Action) -> BTreeMap<String, String> {
        let addresses = action.names.keys().map(|address| address.to_lowercase()).collect();
        let known = self.book.names_of(&ctx.owner, &addresses).await.unwrap_or_default();
        let named = |address: &String| Some((address.clone(), known.party("", address).known_as?));
        action.names.keys().filter_map(named).collect()
    }

    /// Without an account: whoever wrote the mails in Sent.
    async fn own_sender(&self, ctx: &RequestContext) -> Option<Sender> {
        let view = self.mailboxes.mail(&ctx.owner).await.ok()?;
        let address = wire_address(view.own().first()?).ok()?;
        Some(Sender { name: None, address })
    }

    /// Keeps what was not sent, and says whether that worked.
    async fn keep(
        &self,
        ctx: &RequestContext,
        letter: &Letter,
        envelope: &Envelope,
        done: (&Action, &Attempt),
    ) -> String {
        match self.save(ctx, letter, envelope, done).await {
            Ok(Completed::Succeeded { .. }) => "The text is kept as a draft.".to_owned(),
            Ok(Completed::Doubtful(why)) => format!("The text may be kept as a draft: {why}."),
            Err(error) => format!("It could not be kept as a draft either: {error}"),
        }
    }

    /// Puts a copy into Sent. The mail has gone out, whatever comes of this.
    async fn file(&self, ctx: &RequestContext, bytes: Vec<u8>, done: (&Action, &Attempt)) -> bool {
        match self.put(ctx, Folder::Sent, bytes, done).await {
            Ok(Completed::Succeeded { .. }) => true,
            Ok(Completed::Doubtful(why)) => {
                tracing::warn!(why, "a sent mail may not be filed in Sent");
                false
            }
            Err(error) => {
                tracing::warn!(%error, "a sent mail could not be filed in Sent");
                false
            }
        }
    }

    async fn drop_drafts(&self, ctx: &RequestContext, drafts: Vec<Mail>) {
        for draft in drafts {
            self.drop_draft(ctx, &super::drafts::id_of(&draft.file.base)).await;
        }
    }
}
