//! Commit: how a turn ends and how anything is told: the answer, one commit, the durable outbox, delivery.
//!
//! ```text
//! finish  (a turn) ────────┐
//! tell    (outside a turn) ┼─► one commit: outbox, chat state, what changes with them ─► deliver ─► channel
//! recover (at the start) ──┘
//! ```
//!
//! Invariants:
//! - nothing is shown before it is committed, and what is committed to be shown is numbered in that order;
//! - a message leaves the outbox only once the channel has returned its number: messages are at least once, in order;
//! - a record that two writers may change is written expecting the revision that was read, and read again when it was
//!   not there any more (see [`brain_core::ports::optimistic`]). [`Locks`] only keep order within this process.
//!
//! Not here: which chats are delivered to side by side (the scheduler), and when what had to wait is tried again (the
//! channel knows).

mod answer;
mod broken;
pub(in crate::pipeline) mod contents;
mod conversation;
mod delivery;
pub(super) mod erasure;
mod finish;
mod notifications;
mod outbox;
pub(super) mod pages;
pub(super) mod shown;
#[cfg(test)]
mod tests;
pub(crate) mod usage;
pub mod user;
mod wording;

use std::collections::{BTreeMap, BTreeSet};

use crate::pipeline::brain::Brain;
use brain_core::core::ids::{ChatId, MessageId, RunId};
use brain_core::core::pending::Pending;
use brain_core::core::turn::Incoming;
use brain_core::ports::records::{ChatState, Clarification, Show};
use brain_core::ports::{Batch, StoreError};

pub(super) use answer::{Answer, Question};
pub(super) use conversation::reminds_of;
pub use finish::STOPPED;
pub use finish::sorry;
pub(super) use finish::{cannot_even_begin, finish};
pub use wording::notification_messages;

impl Brain {
    /// Tells a chat something outside a turn, together with other changes, in one commit; then delivers.
    pub async fn tell(&self, chat: &ChatId, shows: Vec<Show>, batch: Batch) -> Result<(), StoreError> {
        self.commit_told(chat, shows, batch).await?;
        self.deliver(chat).await;
        Ok(())
    }

    /// The same commit; whoever calls this sees to the delivery.
    pub async fn commit_told(&self, chat: &ChatId, shows: Vec<Show>, batch: Batch) -> Result<(), StoreError> {
        outbox::tell(self, chat, &shows, &batch, None).await
    }

    /// Tells in a chat, in these words, that accounts wait for being reconnected: by their ids, each once for as long as
    /// it does. `connected`: those that do not wait any more. Whoever calls this sees to the delivery; true where there
    /// is something to deliver.
    pub async fn commit_disconnected(
        &self,
        chat: &ChatId,
        waiting: &BTreeMap<String, String>,
        connected: &BTreeSet<String>,
    ) -> Result<bool, StoreError> {
        outbox::tell_disconnected(self, chat, waiting, connected).await
    }

    /// The same for the decision of a card.
    pub async fn commit_decided(&self, pending: &Pending, shows: Vec<Show>, batch: Batch) -> Result<(), StoreError> {
        outbox::tell(self, &pending.chat, &shows, &batch, Some(&pending.id)).await
    }

    /// Tells that a turn broke, together with these changes. What it had begun is settled at the next start; what it
    /// had not begun is given up.
    pub async fn tell_broken(&self, incoming: &Incoming, batch: Batch) -> Result<(), StoreError> {
        broken::tell(self, incoming, batch).await
    }

    /// Tells in these words that a turn is given up, together with these changes. What it had begun is settled at the
    /// next start.
    pub async fn tell_given_up(
        &self,
        turn: &RunId,
        chat: &ChatId,
        said: String,
        batch: Batch,
    ) -> Result<(), StoreError> {
        broken::give_up(self, turn, chat, said, batch).await
    }

    /// The same, with a question that is withdrawn if it is still open.
    pub(super) async fn commit_withdrawn(
        &self,
        chat: &ChatId,
        shows: &[Show],
        batch: &Batch,
        question: Option<&Clarification>,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let withdrawn = |state: &mut ChatState, batch: &mut Batch| {
            state.clarification.take_if(|asked| Some(&*asked) == question);
            shows.iter().try_for_each(|show| outbox::enqueue(state, show.clone(), now, batch))?;
            Ok(true)
        };
        outbox::update_chat(self, chat, batch, withdrawn).await.map(|_| ())
    }

    /// Shows what waits in a chat's outbox, in order. What cannot be shown now stays. Never panics: whoever delivers
    /// goes on to other chats.
    pub async fn deliver(&self, chat: &ChatId) {
        delivery::deliver(self, chat).await;
    }

    /// Waits until what this process is delivering in a chat is on record, but not for long: a deliverer may have to
    /// wait for the channel.
    pub(super) async fn delivered_so_far(&self, chat: &ChatId) {
        delivery::delivered_so_far(self, chat).await;
    }

    /// Notes the message that shows what a running turn is doing, so that a next life finds it. `is_shown` is asked
    /// after the chat's state was read: an answer that takes the message's place changes that state, so that it is
    /// either seen here or meets the note and removes it.
    pub async fn note_status(
        &self,
        chat: &ChatId,
        message: MessageId,
        is_shown: impl Fn() -> bool + Send + Sync,
    ) -> Result<(), StoreError> {
        outbox::update_chat(self, chat, &Batch::default(), |state, _| {
            state.status_line = Some(message);
            Ok(is_shown())
        })
        .await
        .map(|_| ())
    }

    /// True when nothing should be tried in this chat. A chat that cannot be read is tried.
    pub async fn is_blocked(&self, chat: &ChatId) -> bool {
        self.chat_state(chat).await.is_ok_and(|state| state.blocked.is_some())
    }

    /// Somebody who had blocked the bot lets it speak again: what was held for them is told.
    pub async fn unblocked(&self, chat: &ChatId) -> Result<(), StoreError> {
        let was_blocked =
            outbox::update_chat(self, chat, &Batch::default(), |state, _| Ok(state.blocked.take().is_some())).await?;
        if was_blocked {
            self.deliver(chat).await;
        }
        Ok(())
    }
}
