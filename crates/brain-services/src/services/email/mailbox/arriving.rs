//! Mailboxes into which an account brings a great deal, as it does when it is read for the first time.
//!
//! What has come is brought into the index beside that, each time there is a share more of it. Whoever searches
//! meanwhile waits for none of it: they find what the index has, and are told how much that is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::indexing::{IndexedMailbox, SoFar};
use crate::services::email::mailbox::mailboxes::Mailboxes;
use brain_core::core::ids::UserId;

/// What is under way, by owner and account.
#[derive(Debug, Default)]
pub(in crate::services::email) struct Arrivals(Mutex<HashMap<(UserId, String), SoFar>>);

impl Arrivals {
    /// How much there is by now, of how much, of an owner into whose mailbox something comes.
    pub fn of(&self, owner: &UserId) -> Option<SoFar> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.iter().filter(|((whose, _), _)| whose == owner).map(|(_, so_far)| *so_far);
        own.reduce(|a, b| SoFar { done: a.done + b.done, total: a.total + b.total })
    }

    fn set(&self, key: &(UserId, String), so_far: Option<SoFar>) -> Option<SoFar> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match so_far {
            Some(so_far) => all.insert(key.clone(), so_far),
            None => all.remove(key),
        }
    }
}

/// What an account brings, until the value is dropped.
#[derive(Debug)]
pub struct Arrival {
    mailboxes: Arc<Mailboxes>,
    key: (UserId, String),
}

impl Arrival {
    /// Of this account, into this owner's mailbox. Nothing has come yet.
    pub fn of(mailboxes: &Arc<Mailboxes>, owner: &UserId, account: &str) -> Self {
        Self { mailboxes: Arc::clone(mailboxes), key: (owner.clone(), account.to_owned()) }
    }

    /// So many more mails have come.
    pub fn came(&self, mails: usize, so_far: SoFar) {
        self.mailboxes.arrivals.set(&self.key, Some(so_far));
        let held = self.mailboxes.held(&self.key.0);
        if held.is_worth_bringing(mails) {
            self.bring(held);
        }
    }

    fn bring(&self, held: Arc<IndexedMailbox>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mailboxes = Arc::clone(&self.mailboxes);
        runtime.spawn(async move {
            if let Err(error) = held.brought_up_to_date().await {
                tracing::warn!(%error, "mail that has come could not be read yet");
            }
            mailboxes.mail_came();
        });
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        if self.mailboxes.arrivals.set(&self.key, None).is_some() {
            self.bring(self.mailboxes.held(&self.key.0));
        }
    }
}
