//! Looking out for what is watched for: who may have new mail, and what of it decides a watch.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::arrival;
use super::record::{self, CameMail, MailWatch, WatchState};
use crate::services::contract::capabilities::EventWatcher;
use crate::services::contract::error::ServiceError;
use crate::services::email::mailbox::mailboxes::MailView;
use crate::services::email::message::mail::Mail;
use crate::services::email::service::{Email, source_of, writer};
use brain_core::core::ids::UserId;
use brain_core::core::provenance::UntrustedText;
use brain_core::ports::Change;

#[async_trait]
impl EventWatcher for Email {
    async fn stirred(&self) {
        self.mailboxes.came().await;
    }

    async fn look(&self, now: DateTime<Utc>) -> Result<Vec<Vec<Change>>, ServiceError> {
        let waiting = record::waiting(self.store.as_ref()).await?;
        let owners: BTreeSet<UserId> = waiting.into_iter().map(|(watch, _)| watch.owner).collect();
        let mut commits = Vec::new();
        for owner in owners {
            match arrived(self, &owner, now).await {
                Ok(changes) => commits.extend(changes),
                // Another person's mail is looked into all the same.
                Err(error) => tracing::warn!(%error, %owner, "a mailbox could not be looked into for a watch"),
            }
        }
        Ok(commits)
    }
}

/// What has come of a person's watches since their mailbox was looked into last: the changes to commit, each watch's by
/// themselves. A mailbox that has not changed since is not looked into.
pub async fn arrived(email: &Email, owner: &UserId, now: DateTime<Utc>) -> Result<Vec<Vec<Change>>, ServiceError> {
    let fresh = email.mailboxes.freshness(owner).await;
    if email.looked.is_as_it_was(owner, fresh.as_ref()) {
        return Ok(Vec::new());
    }
    let waiting = record::waiting_of(email.store.as_ref(), owner).await?;
    let mut commits = Vec::new();
    if !waiting.is_empty() {
        let view = email.mailboxes.looked_into(owner).await?;
        for (watch, revision) in waiting {
            let Some(came) = email.came(&view, &watch).await? else { continue };
            let after = MailWatch { rings_at: Some(now), ..came };
            commits.push(record::changed(email.store.as_ref(), Some((&watch, revision)), Some(&after)).await?);
        }
    }
    // What was decided is looked at again, as its commit may not come about.
    email.looked.remember(owner, fresh.filter(|_| commits.is_empty()));
    Ok(commits)
}

impl Email {
    /// A watch that waits, as it is once the mail that has come for it decides it.
    pub(super) async fn came(&self, view: &MailView, watch: &MailWatch) -> Result<Option<MailWatch>, ServiceError> {
        let Some((mail, at)) = arrival::find(view, watch).await? else { return Ok(None) };
        let (came, words) = self.came_mail(view.owner(), &mail, at).await?;
        let mut untrusted = watch.untrusted.clone();
        untrusted.push(words);
        Ok(Some(MailWatch { state: WatchState::Came(came), untrusted, ..watch.clone() }))
    }

    /// What is told of a mail that has come, and which of it are its sender's words.
    pub(super) async fn came_mail(
        &self,
        owner: &UserId,
        mail: &Mail,
        at: DateTime<Utc>,
    ) -> Result<(CameMail, UntrustedText), ServiceError> {
        let names = self.names(owner, [mail]).await?;
        let parsed = &mail.head.parsed;
        let words = UntrustedText::new(source_of(mail, &names), format!("{}\n{}", parsed.subject, parsed.people()));
        let came =
            CameMail { id: mail.id().to_string(), from: writer(mail, &names), subject: parsed.subject.clone(), at };
        Ok((came, words))
    }
}
