//! Drafting and sending: from an authorised action to a file, or to a mail server and a copy in Sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::answering::RepliedMail;
use crate::services::contract::command::{Completed, before};
use crate::services::contract::context::RequestContext;
use crate::services::contract::error::ServiceError;
use crate::services::contract::service::Attempt;
use crate::services::email::compose::composing::{Envelope, Letter, compose, recipients, same_address, wire_address};
use crate::services::email::delivery::send::smtp::{Sender, Sent};
use crate::services::email::mailbox::accounts::MailBackend;
use crate::services::email::mailbox::mail_change::MailChange;
use crate::services::email::mailbox::source::maildir::Folder;
use crate::services::email::message::mail::{Mail, SENT};
use crate::services::email::message::mime_attachments::MimeAttachments;
use crate::services::email::message::written_name::{base_of, safe_key};
use crate::services::email::service::Email;
use brain_core::core::plan::Action;
use brain_core::core::text::visible;
use brain_core::failpoint::fail_point;
use brain_core::limits::{SENT_AFTERWARDS_MS, SENT_LOOK_PAUSE_MS, SENT_LOOKS_MAX};
use brain_core::ports::{Query, Ranking};

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
    /// Why none does, or may not: a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unfiled: Option<String>,
}

impl Sending {
    /// What is told of it, and below it that its copy is missing.
    pub(in crate::services::email) fn and_unfiled(&self, told: String) -> String {
        match &self.unfiled {
            Some(unfiled) => format!("{told}\n⚠️ {}", visible(unfiled)),
            None => told,
        }
    }
}

impl Email {
    /// One attempt to send; never a second one.
    pub(in crate::services::email) async fn send(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Completed<Sending>, ServiceError> {
        let enclosed = self.enclosed_of(ctx, &letter.attached).await?;
        self.send_with(ctx, letter, enclosed, action, attempt).await
    }

    /// The same with these files.
    pub(in crate::services::email) async fn send_with(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        enclosed: Vec<MimeAttachments>,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Completed<Sending>, ServiceError> {
        let begun = Instant::now();
        let from = letter.from.as_deref();
        let mut envelope = Envelope { enclosed, ..self.envelope(ctx, from, (action, attempt)).await };
        let (backend, sender) = match self.sender(ctx, from, action) {
            Ok(found) => found,
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
        let mail = recipients(&letter).and_then(|to| Ok((to, compose(&letter.without_blind(), &envelope)?)));
        let (to, bytes) = match mail {
            Ok(mail) => mail,
            Err(error) => return Err(ServiceError::Refused(format!("Nothing was sent: {error}."))),
        };
        let people: Vec<String> = letter.people().cloned().collect();
        let sent = |subject, unfiled: Option<String>| Sending {
            to: people.clone(),
            subject,
            message_id: envelope.message_id.clone(),
            filed: unfiled.is_none(),
            unfiled,
        };
        match backend.send(&sender.address, &to, &bytes).await {
            Sent::Accepted => {
                let is_filed = backend.keeps_mail() && backend.files_sent();
                let unfiled = match is_filed {
                    true => None,
                    false => self.unfiled(ctx, bytes, (action, attempt), begun).await,
                };
                fail_point("sent-filed");
                self.drop_drafts(ctx, drafts, begun).await;
                Ok(Completed::read(sent(letter.subject, unfiled)))
            }
            Sent::Refused(why) => {
                let kept = self.keep(ctx, &letter, &envelope, (action, attempt)).await;
                Err(ServiceError::Refused(format!("{why}. Nothing was sent. {kept}")))
            }
            Sent::Doubtful(_) if self.shows_up(ctx, backend.as_ref(), &bytes, attempt, begun).await => {
                self.drop_drafts(ctx, drafts, begun).await;
                Ok(Completed::read(sent(letter.subject, None)))
            }
            Sent::Doubtful(why) => Ok(Completed::Doubtful(format!(
                "{why}. It may or may not have gone out, so I won't send it again by myself: \
                 please look into the account's Sent folder, or ask {}.",
                people.join(", ")
            ))),
        }
    }

    /// Through what an action sends, and as whom.
    fn sender(
        &self,
        ctx: &RequestContext,
        from: Option<&str>,
        action: &Action,
    ) -> Result<(Arc<dyn MailBackend>, Sender), ServiceError> {
        let backend = self.accounts.backend(&ctx.owner, action.account.as_ref())?;
        let is_it = |sender: &&Sender| from.is_none_or(|from| same_address(sender.address.as_ref(), from));
        let found = backend.senders().iter().find(is_it).cloned();
        let sender = found.ok_or_else(|| {
            let from = from.unwrap_or("that this was to be sent from");
            ServiceError::NotSetUp(format!(
                "The address {from} is not one of that account any more, so nothing was sent."
            ))
        })?;
        Ok((backend, sender))
    }

    /// Whether a mail of which nobody knows that it went out comes up in its account: what servers send they file, some
    /// by themselves. Looked for a few times, for a short while.
    async fn shows_up(
        &self,
        ctx: &RequestContext,
        backend: &dyn MailBackend,
        bytes: &[u8],
        attempt: &Attempt,
        begun: Instant,
    ) -> bool {
        if !backend.keeps_mail() {
            return false;
        }
        let copy = MailChange::put(Folder::Sent, base_of(attempt), bytes);
        let look = async {
            for _ in 0..SENT_LOOKS_MAX {
                tokio::time::sleep(Duration::from_millis(SENT_LOOK_PAUSE_MS)).await;
                if backend.settled(ctx, &copy, attempt).await == Some(true) {
                    return true;
                }
            }
            false
        };
        tokio::time::timeout(left_since(begun), look).await.unwrap_or(false)
    }

    /// What `Sent` says about an attempt, here or in the account; it says nothing when the mail is not there.
    pub(in crate::services::email) async fn sent_already(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        done: (&Action, &Attempt),
    ) -> Option<Result<Completed<Sending>, ServiceError>> {
        let enclosed = self.enclosed_of(ctx, &letter.attached).await.ok()?;
        self.sent_already_with(ctx, letter, enclosed, done).await
    }

    /// The same with these files.
    pub(in crate::services::email) async fn sent_already_with(
        &self,
        ctx: &RequestContext,
        letter: Letter,
        enclosed: Vec<MimeAttachments>,
        (action, attempt): (&Action, &Attempt),
    ) -> Option<Result<Completed<Sending>, ServiceError>> {
        let message_id = match self.sent_here(ctx, attempt).await? {
            Some(message_id) => message_id,
            None => {
                let from = letter.from.as_deref();
                let envelope = Envelope { enclosed, ..self.envelope(ctx, from, (action, attempt)).await };
                let (backend, _) = self.sender(ctx, from, action).ok()?;
                let copy =
                    MailChange::put(Folder::Sent, base_of(attempt), &compose(&letter.without_blind(), &envelope).ok()?);
                let is_there = backend.keeps_mail() && backend.settled(ctx, &copy, attempt).await == Some(true);
                is_there.then_some(envelope.message_id)?
            }
        };
        let to = letter.people().cloned().collect();
        Some(Ok(Completed::read(Sending { to, subject: letter.subject, message_id, filed: true, unfiled: None })))
    }

    /// The Message-ID of an attempt whose mail lies in Sent here; nothing at all when that cannot be looked at.
    async fn sent_here(&self, ctx: &RequestContext, attempt: &Attempt) -> Option<Option<String>> {
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
        Some(ids.find(|id| id.split('@').next() == Some(key.as_str())).map(str::to_owned))
    }

    /// What goes along with the letter of an action: the same whenever it is asked for.
    pub(in crate::services::email) async fn envelope(
        &self,
        ctx: &RequestContext,
        from: Option<&str>,
        (action, attempt): (&Action, &Attempt),
    ) -> Envelope {
        let from = match self.sender(ctx, from, action) {
            Ok((_, sender)) => Some(sender),
            Err(_) => self.own_sender(ctx).await,
        };
        let domain = from.as_ref().map_or("brain-agent.invalid", |sender| sender.address.domain());
        let answered = before::<RepliedMail>(action);
        let (in_reply_to, references) = answered.map(|mail| (mail.message_id, mail.references)).unwrap_or_default();
        Envelope {
            message_id: format!("{}@{domain}", safe_key(attempt)),
            in_reply_to,
            references,
            at: attempt.begun,
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

    /// Puts a copy into Sent; why there is none, where there is none. The mail has gone out, whatever comes of this.
    async fn unfiled(
        &self,
        ctx: &RequestContext,
        bytes: Vec<u8>,
        done: (&Action, &Attempt),
        begun: Instant,
    ) -> Option<String> {
        let why = match tokio::time::timeout(left_since(begun), self.put(ctx, Folder::Sent, bytes, done)).await {
            Ok(Ok(Completed::Succeeded { .. })) => return None,
            Ok(Ok(Completed::Doubtful(why))) => format!("It was sent. The copy may be missing in Sent: {why}"),
            Ok(Err(error)) => format!("It was sent. The copy could not be put into Sent: {error}"),
            Err(_) => "It was sent. The copy may be missing in Sent: the account did not answer in time.".to_owned(),
        };
        tracing::warn!(why, "a sent mail is not filed in Sent");
        Some(why)
    }

    /// What was sent is no draft any more; one that stays for now is no reason to doubt that it was.
    async fn drop_drafts(&self, ctx: &RequestContext, drafts: Vec<Mail>, begun: Instant) {
        let dropping = async {
            for draft in drafts {
                self.drop_draft(ctx, &crate::services::email::message::written_name::id_of(&draft.file.base)).await;
            }
        };
        if tokio::time::timeout(left_since(begun), dropping).await.is_err() {
            tracing::warn!("a draft stayed although its mail was sent: its account did not answer in time");
        }
    }
}

/// What is left for what follows the sending; a moment in any case.
fn left_since(begun: Instant) -> Duration {
    let left = Duration::from_millis(SENT_AFTERWARDS_MS).saturating_sub(begun.elapsed());
    left.max(Duration::from_millis(SENT_LOOK_PAUSE_MS))
}
