//! Long chats: which conversations are to be shortened, for whoever does that. Kept by this process alone: one that is lost
//! is named again by the next turn.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use brain_core::core::ids::{ChatId, UserId};

/// Each once, however often it is named.
#[derive(Debug, Default)]
pub struct LongChats {
    named: Mutex<BTreeSet<(ChatId, UserId)>>,
    is_new: Notify,
}

impl LongChats {
    /// This conversation, as this person is shown it.
    pub fn add(&self, chat: &ChatId, owner: &UserId) {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).insert((chat.clone(), owner.clone()));
        self.is_new.notify_one();
    }

    /// The next one, as soon as there is one.
    pub async fn next(&self) -> (ChatId, UserId) {
        loop {
            let next = self.named.lock().unwrap_or_else(PoisonError::into_inner).pop_first();
            match next {
                Some(next) => return next,
                None => self.is_new.notified().await,
            }
        }
    }
}
