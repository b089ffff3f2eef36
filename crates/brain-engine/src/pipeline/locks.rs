//! Chat locks: who goes first in a chat, among the tasks of this process.
//!
//! An optimisation and nothing else: it spares writers of one chat from losing to each other, and people from
//! seeing a message twice because two tasks delivered it. Nothing rests on it. A chat's state, cards and what waits
//! in an outbox are guarded by the revisions that every change of them expects (see [`brain_core::ports::optimistic`]), as
//! another process over the same store shares none of these locks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use brain_core::core::ids::ChatId;
use brain_core::limits;

/// Two orders a chat: of writing its state, and of delivering to it.
#[derive(Debug, Default)]
pub struct Locks {
    writing: PerChat,
    delivering: PerChat,
}

impl Locks {
    /// Waits until no other task of this process is between reading and committing the chat's state.
    pub(super) async fn writing(&self, chat: &ChatId) -> OwnedMutexGuard<()> {
        self.writing.lock(chat).await
    }

    /// Waits until no other task of this process delivers to the chat.
    pub(super) async fn delivering(&self, chat: &ChatId) -> OwnedMutexGuard<()> {
        self.delivering.lock(chat).await
    }
}

#[derive(Debug, Default)]
struct PerChat(Mutex<HashMap<ChatId, Arc<tokio::sync::Mutex<()>>>>);

impl PerChat {
    async fn lock(&self, chat: &ChatId) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Locks nobody holds or waits for are dropped from time to time.
            if locks.len() > limits::CONCURRENT_TURNS_MAX * 2 {
                locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            locks.entry(chat.clone()).or_default().clone()
        };
        lock.lock_owned().await
    }
}
