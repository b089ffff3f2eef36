//! Drafting and sending: from an authorised action to a file, or to a mail server and a copy in Sent.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Email;
use super::compose::{Envelope, Letter, compose, recipients, wire_address};
use super::drafts::{base_of, safe_key, save};
use super::mailbox::{Mail, blocking};
use super::prepare::strings;
use super::send::smtp::{Sender, Sent};
use super::source::maildir::Folder;
use crate::core::plan::Action;
use crate::failpoint::fail_point;
use crate::services::service::{Attempt, Performed, RequestContext, ServiceError};

impl Email {
    pub(super) async fn create_draft(
        &self,
        ctx: &RequestContext,
        action: &Action,
        attempt: &Attempt,
    ) -> Result<Performed, ServiceError> {
        let letter = letter_of(action);
        let envelope = self.envelope(ctx, action, attempt).await;
        let id = save(&self.mailboxes, &ctx.owner, &letter, &envelope, attempt).await?;
        Ok(Performed::result(json!({
            "draft_id": id,
            "to": letter.to,
            "subject": letter.subject,
        })))
    }

    /// One attempt to send; never a second one.
    pub(super) async fn send(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Performed {
        let letter = letter_of(action);
        let mut envelope = self.envelope(ctx, action, attempt).await;
        let Some(smtp) = &self.smtp else {
            let kept = self.keep(ctx, &letter, &envelope, attempt).await;
            return Performed::failed(format!(
                "No outgoing mail server is set up (SMTP_URL), so nothing was sent. {kept}"
            ));
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
            Err(error) => return Performed::failed(format!("Nothing was sent: {error}.")),
        };
        match smtp.send(&to, &bytes).await {
            Sent::Accepted => {
                let filed = self.file(ctx, bytes, attempt).await;
                fail_point("sent-filed");
                self.drop_drafts(ctx, drafts).await;
                Performed::result(json!({
                    "to": letter.to,
                    "subject": letter.subject,
                    "message_id": envelope.message_id,
                    "filed": filed,
                }))
            }
            Sent::Refused(why) => {
                let kept = self.keep(ctx, &letter, &envelope, attempt).await;
                Performed::failed(format!("{why}. Nothing was sent. {kept}"))
            }
            Sent::Doubtful(why) => Performed::unknown(format!(
                "{why}. It may or may not have gone out, so I won't send it again by myself: \
                 please look into the account's Sent folder, or ask {}.",
                letter.to.join(", ")
            )),
        }
    }

    /// What `Sent` says about an attempt; it says nothing when the mail is not there.
    pub(super) async fn is_in_sent(&self, ctx: &RequestContext, attempt: &Attempt) -> Option<bool> {
        let index = self.mailboxes.index(&ctx.owner).await.ok()?;
        let key = safe_key(attempt);
        let found = index
            .mails
            .iter()
            .filter(|mail| mail.file.folder == Folder::Sent)
            .filter_map(|mail| mail.head.parsed.message_id.as_deref())
            .any(|id| id.split('@').next() == Some(key.as_str()));
        found.then_some(true)
    }

    async fn envelope(&self, ctx: &RequestContext, action: &Action, attempt: &Attempt) -> Envelope {
        let from = match &self.smtp {
            Some(smtp) => Some(smtp.sender().clone()),
            None => self.own_sender(ctx).await,
        };
        let domain = from.as_ref().map_or("brain-agent.invalid", |sender| sender.address.domain());
        let before = action.target.as_ref().map(|target| &target.before);
        let mut names: BTreeMap<String, String> =
            before.and_then(|before| serde_json::from_value(before["names"].clone()).ok()).unwrap_or_default();
        names.extend(action.names.clone());
        let references = before.and_then(|before| before["references"].as_array());
        let references = references.map(Vec::as_slice).unwrap_or_default();
        Envelope {
            message_id: format!("{}@{domain}", safe_key(attempt)),
            in_reply_to: before.and_then(|before| before["message_id"].as_str().map(str::to_owned)),
            references: references.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            at: ctx.now,
            from,
            names,
        }
    }

    /// Without an account: whoever wrote the mails in Sent.
    async fn own_sender(&self, ctx: &RequestContext) -> Option<Sender> {
        let index = self.mailboxes.index(&ctx.owner).await.ok()?;
        let address = wire_address(index.own.first()?).ok()?;
        Some(Sender { name: None, address })
    }

    /// Keeps what was not sent, and says whether that worked.
    async fn keep(&self, ctx: &RequestContext, letter: &Letter, envelope: &Envelope, attempt: &Attempt) -> String {
        match save(&self.mailboxes, &ctx.owner, letter, envelope, attempt).await {
            Ok(_) => "The text is kept as a draft.".to_owned(),
            Err(error) => format!("It could not be kept as a draft either: {error}"),
        }
    }

    /// Puts a copy into Sent. The mail has gone out, whatever comes of this.
    async fn file(&self, ctx: &RequestContext, bytes: Vec<u8>, attempt: &Attempt) -> bool {
        let maildir = self.mailboxes.maildir(&ctx.owner);
        let base = base_of(attempt);
        let filed = blocking(move || {
            maildir.put(Folder::Sent, &base, "S", &bytes).map_err(|cause| ServiceError(cause.to_string()))
        });
        match filed.await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%error, "a sent mail could not be filed in Sent");
                false
            }
        }
    }

    async fn drop_drafts(&self, ctx: &RequestContext, drafts: Vec<Mail>) {
        for draft in drafts {
            let id = super::drafts::id_of(&draft.file.base);
            if let Err(error) = self.mailboxes.delete_draft(&ctx.owner, &id).await {
                tracing::warn!(%error, "a draft stayed although its mail was sent");
            }
        }
    }
}

fn letter_of(action: &Action) -> Letter {
    Letter {
        to: strings(&action.params, "to"),
        subject: action.text("subject").to_owned(),
        body: action.text("body").to_owned(),
    }
}
