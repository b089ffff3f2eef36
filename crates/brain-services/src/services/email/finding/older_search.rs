//! Asking the accounts for mail that is older than what is kept here, when somebody looks for mail.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::find::FoundThreads;
use super::query::{MailQuery, meaningful_as_written};
use super::search::SearchMail;
use crate::services::contract::context::RequestContext;
use crate::services::email::mailbox::older_mail::OlderMail;
use crate::services::email::service::Email;
use brain_core::limits::OLDER_MAIL_MS;

/// What is wanted of it, and whether anything was found without.
pub(in crate::services::email) fn older_than_kept(
    wanted: &SearchMail,
    query: &MailQuery,
    called: &[String],
    found: &FoundThreads,
) -> OlderMail {
    let said = |words: &Option<String>| meaningful_as_written(words.as_deref().unwrap_or_default());
    let name = said(&wanted.from);
    let from = name.iter().map(|word| std::iter::once(word).chain(called).cloned().collect());
    let (since, before) = query.times();
    OlderMail {
        text: said(&wanted.text),
        from: from.collect(),
        to: said(&wanted.to),
        subject: said(&wanted.subject),
        since,
        before,
        is_found: !found.is_empty(),
    }
}

/// What came of asking for older mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OlderLooked {
    /// Every account that has some was asked.
    Everywhere,
    /// One at least did not answer.
    NotEverywhere,
}

impl OlderLooked {
    /// Below what was found.
    pub fn told(self, is_found: bool) -> Option<&'static str> {
        match (self, is_found) {
            (Self::Everywhere, true) => None,
            (Self::Everywhere, false) => Some("The mail server was asked for older ones, too."),
            (Self::NotEverywhere, _) => {
                Some("Older ones lie on the mail server alone, and it could not be asked just now.")
            }
        }
    }
}

impl Email {
    /// Brings what is wanted of older mail from the accounts that keep it. `None` where none of it is wanted.
    pub(in crate::services::email) async fn older(
        &self,
        ctx: &RequestContext,
        wanted: &OlderMail,
    ) -> Option<OlderLooked> {
        let (owner, maildir) = (&ctx.owner, self.mailboxes.maildir(&ctx.owner));
        let accounts = self.accounts.of(owner).filter(|account| account.backend.keeps_mail());
        let asked = accounts.map(|account| {
            let maildir = &maildir;
            async move {
                let patience = Duration::from_millis(OLDER_MAIL_MS);
                match timeout(patience, account.backend.bring_older(ctx, maildir, wanted)).await {
                    Ok(Ok(brought)) => brought.map(|_| OlderLooked::Everywhere),
                    Ok(Err(why)) => {
                        tracing::warn!(account = account.id, why, "a mail account was not asked for older mail");
                        Some(OlderLooked::NotEverywhere)
                    }
                    Err(_) => Some(OlderLooked::NotEverywhere),
                }
            }
        });
        let looked: Vec<OlderLooked> = futures::future::join_all(asked).await.into_iter().flatten().collect();
        if looked.is_empty() {
            return None;
        }
        self.mailboxes.mail_came();
        let is_all = looked.iter().all(|one| *one == OlderLooked::Everywhere);
        Some(if is_all { OlderLooked::Everywhere } else { OlderLooked::NotEverywhere })
    }
}
