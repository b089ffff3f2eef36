//! Accounts that wait for somebody to reconnect them: their person is told so, in a message by itself.
//!
//! Invariants: each disconnection is told once, over restarts as well: it counts as told in the commit that puts it into
//! the outbox, and is forgotten only when the account was read again. What is only away for a while is not told: answers
//! that were read from it say so.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::sleep;

use super::aside;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::limits;
use brain_core::ports::records::User;
use brain_core::ports::{Key, RecordExt, StoreError};
use brain_engine::pipeline::brain::Brain;
use brain_wire::accounts::{AccountPerson, AccountState, ListedAccount, since, trouble};

/// Where an account stands, as far as its person has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccountStanding {
    /// Since the start of this process nobody has seen it work or wait.
    Unknown,
    Connected,
    /// For somebody to do something about it.
    Waits,
}

impl AccountStanding {
    fn of(state: &AccountState) -> Self {
        match (&state.disconnected, state.synced) {
            (Some(disconnected), _) if disconnected.until_reconnected => Self::Waits,
            (None, Some(_)) => Self::Connected,
            (Some(_), _) | (None, None) => Self::Unknown,
        }
    }
}

/// What was seen of the accounts already, so that the store is asked only when something has changed.
#[derive(Debug, Default)]
pub struct AccountWatch {
    settled: BTreeMap<String, AccountStanding>,
}

/// Looks again and again. Ends when dropped.
pub(super) async fn keep_told(brain: &Brain) {
    let mut watch = AccountWatch::default();
    loop {
        if let Err(error) = watch.look(brain).await {
            tracing::warn!(%error, "that an account waits for being reconnected is not told yet");
        }
        sleep(Duration::from_millis(limits::ACCOUNTS_LOOKED_AT_MS)).await;
    }
}

impl AccountWatch {
    /// One look at all accounts: whose standing has changed is told, or no longer noted as told.
    pub async fn look(&mut self, brain: &Brain) -> Result<(), StoreError> {
        for account in brain.accounts.listed.iter() {
            let state = brain.accounts.states.of(&account.id);
            let standing = AccountStanding::of(&state);
            if standing == AccountStanding::Unknown || self.settled.get(&account.id) == Some(&standing) {
                continue;
            }
            // Who has not spoken yet is told later.
            let Some(chat) = chat_of(brain, account).await? else { continue };
            settle(brain, account, &state, &chat).await?;
            self.settled.insert(account.id.clone(), standing);
        }
        Ok(())
    }
}

async fn settle(brain: &Brain, account: &ListedAccount, state: &AccountState, chat: &ChatId) -> Result<(), StoreError> {
    let (mut waiting, mut connected) = (BTreeMap::new(), BTreeSet::new());
    match &state.disconnected {
        Some(disconnected) => {
            let owner = chat.private_owner().unwrap_or_else(|| UserId::new(chat.as_str()));
            let user = brain.store.load::<User>(&Key::of(&[owner.as_str()])).await?;
            let zone = user.and_then(|(user, _)| user.zone).unwrap_or(brain.policy.zone);
            let since = since(disconnected.since, brain.clock.now(), zone);
            let (name, why) = (account.part.named(&account.shown()), trouble(disconnected));
            let words = format!(
                "🔌 Your {name} is not connected since {since}: {why}. Until then I answer from what I have \
                 read of it, and what waits for your yes stays."
            );
            waiting.insert(account.id.clone(), words);
        }
        None => {
            connected.insert(account.id.clone());
        }
    }
    if brain.commit_disconnected(chat, &waiting, &connected).await? {
        brain.deliver(chat).await;
    }
    Ok(())
}

/// Where its person is told: a chat with them alone, in which they have spoken. `None`: there is none yet.
async fn chat_of(brain: &Brain, account: &ListedAccount) -> Result<Option<ChatId>, StoreError> {
    let chats = aside::chats(brain).await?;
    let owner = match &account.person {
        AccountPerson::Id(id) => Some(UserId::new(id.as_str())),
        AccountPerson::First => brain.policy.first_admin.get().cloned(),
    };
    let theirs = owner.and_then(|owner| chats.iter().find(|chat| chat.is_private_of(&owner)).cloned());
    if theirs.is_some() || account.person != AccountPerson::First {
        return Ok(theirs);
    }
    // It is the terminal's person's as well; where nobody is known to sit there, whoever runs this hears of it.
    let at_terminal = |chat: &&ChatId| chat.private_owner().is_some_and(|owner| owner.is_of_terminal());
    match chats.iter().find(at_terminal) {
        Some(chat) => Ok(Some(chat.clone())),
        None => Ok(aside::operators(brain, &chats).await?.into_iter().next()),
    }
}
