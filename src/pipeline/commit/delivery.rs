//! Delivery: what waits in a chat's outbox is shown there.
//!
//! Invariants: a message leaves the outbox only once the channel has returned its number (so messages are at least
//! once); messages of a chat are delivered in order, by one deliverer at a time; what cannot be shown now stays,
//! with everything behind it; a card that nobody could decide is not shown; a delivery that breaks ends nothing but
//! itself. Not here: which of several reminders become one message (see [`super::notifications`]), delivering in many chats
//! side by side (the scheduler), and trying again (the channel knows when).

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use super::{conversation, wording};
use crate::core::button::Press;
use crate::core::ids::{ChatId, MessageId, PendingId, UserId};
use crate::core::pending::Event;
use crate::core::turn::{CardPart, Reply};
use crate::failpoint::fail_point;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::records::{CardMessage, OutboxEntry, Show};
use crate::ports::{Batch, Expect, Record, RecordExt, Scan, SendError, StoreError, Table};

/// What comes after one entry of an outbox.
enum Then {
    /// The next.
    GoesOn,
    /// Others have changed with it.
    LooksAgain,
    /// The chat has to wait.
    Waits,
}

impl Brain {
    /// Waits until what is being delivered in a chat is on record, but not for long: a deliverer may have to wait
    /// for the channel.
    pub async fn delivered_so_far(&self, chat: &ChatId) {
        let patience = std::time::Duration::from_millis(limits::DELIVERY_PATIENCE_MS);
        // Nobody is kept from delivering: the lock is given back at once.
        let _ = tokio::time::timeout(patience, self.delivering.lock(chat)).await;
    }

    /// Shows what waits in a chat's outbox, in order. What cannot be shown now stays. Never panics: whoever delivers
    /// goes on to other chats.
    pub async fn deliver(&self, chat: &ChatId) {
        let _one = self.delivering.lock(chat).await;
        if let Err(_panic) = AssertUnwindSafe(self.show_all(chat)).catch_unwind().await {
            tracing::error!(%chat, "a delivery broke; what waits there stays, and is tried again");
            self.channel.try_again(chat);
        }
    }

    /// Only for the chat's deliverer.
    async fn show_all(&self, chat: &ChatId) {
        loop {
            let waiting = match self.store.list::<OutboxEntry>(Scan::of::<OutboxEntry>(&[chat.as_str()], 32)).await {
                Ok(waiting) if waiting.is_empty() => return,
                Ok(waiting) => waiting,
                Err(error) => {
                    tracing::error!(%error, "the outbox cannot be read");
                    return;
                }
            };
            let ready = match self.ready(chat, waiting).await {
                Ok(Some(ready)) => ready,
                Ok(None) => continue,
                Err(error) => {
                    tracing::error!(%error, "the outbox cannot be put in order");
                    return;
                }
            };
            if ready.is_empty() {
                return;
            }
            for entry in ready {
                match self.show(entry).await {
                    Then::GoesOn => {}
                    Then::LooksAgain => break,
                    Then::Waits => return,
                }
            }
        }
    }

    /// Shows one entry.
    async fn show(&self, mut entry: OutboxEntry) -> Then {
        if let Err(error) = self.withhold_altered(&mut entry).await {
            tracing::error!(%error, "a card cannot be checked, so it waits");
            return Then::Waits;
        }
        if let Show::Send(reply) = &mut entry.show {
            *reply = wording::worded(std::mem::take(reply), self.clock.now());
        }
        let shown = match &entry.show {
            Show::Send(reply) => self.channel.send(&entry.chat, reply).await.map(Some),
            Show::Edit(edit) => self.channel.edit(&entry.chat, edit).await.map(|()| None),
        };
        fail_point("shown");
        let recorded = match shown {
            Ok(message) => self.delivered(&entry, message).await,
            Err(SendError::Later(why)) => {
                tracing::warn!(chat = %entry.chat, why, "a message has to wait");
                return Then::Waits;
            }
            Err(SendError::Blocked(why)) => {
                if let Err(error) = self.blocked(&entry.chat, &why).await {
                    tracing::error!(%error, "a closed chat could not be noted");
                }
                return Then::Waits;
            }
            Err(SendError::Never(why)) => {
                tracing::error!(chat = %entry.chat, why, "a message cannot be delivered and is put aside");
                if let Show::Send(Reply { card: Some(card), .. }) = &entry.show {
                    return match self.withdraw(&entry.chat, &card.pending).await {
                        Ok(()) => Then::LooksAgain,
                        Err(error) => {
                            tracing::error!(%error, "a card that cannot be shown could not be withdrawn; it is tried again");
                            Then::Waits
                        }
                    };
                }
                self.delivered(&entry, None).await
            }
        };
        match recorded {
            Ok(()) => Then::GoesOn,
            Err(error) => {
                tracing::error!(%error, "a delivery could not be recorded; the message may be repeated");
                Then::Waits
            }
        }
    }

    /// A card that cannot be shown cannot be decided: it is withdrawn, with what is left of it in the outbox.
    async fn withdraw(&self, chat: &ChatId, id: &PendingId) -> Result<(), StoreError> {
        let shows = |entry: &OutboxEntry| match &entry.show {
            Show::Send(reply) => reply.card.as_ref().is_some_and(|card| card.pending == *id),
            Show::Edit(_) => false,
        };
        let _guard = self.writing.lock(chat).await;
        loop {
            let mut batch = Batch::default();
            let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], limits::COALESCED_MAX);
            for (entry, _) in self.store.list::<OutboxEntry>(scan).await?.iter().filter(|(entry, _)| shows(entry)) {
                batch.delete(Table::Outbox, entry.key(), Expect::Any);
            }
            if let Some((mut pending, revision)) = self.pending(id).await?
                && pending.state.is_open()
                && pending.apply(Event::Supersede).is_ok()
            {
                batch.put(&pending, Expect::Revision(revision))?;
                self.leave_open(&pending, &mut batch);
                let nobody = UserId::new("outbox");
                batch.put(&self.audit_pending(&nobody, self.clock.now(), &pending), Expect::Absent)?;
            }
            match self.commit(batch).await {
                // Somebody decided it at this very moment; then it is not open any more.
                Err(StoreError::Conflict { .. }) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    /// A card whose record no longer has the digest it was made with is not shown: nobody could decide it.
    async fn withhold_altered(&self, entry: &mut OutboxEntry) -> Result<(), StoreError> {
        let Show::Send(reply) = &entry.show else {
            return Ok(());
        };
        let Some(card) = &reply.card else {
            return Ok(());
        };
        let stored = self.pending(&card.pending).await?;
        let intact = stored.is_some_and(|(pending, _)| {
            let made_for = reply.buttons.iter().flatten().next();
            let made_for = made_for.and_then(|button| Press::decode(&button.data));
            pending.digest == pending.compute_digest()
                && match made_for {
                    Some(Press::Card { digest_prefix, .. }) => pending.digest.matches(&digest_prefix),
                    Some(_) => false,
                    None => !card.is_last(),
                }
        });
        if !intact {
            tracing::error!(pending = %card.pending, "a card's record was altered; it is not shown");
            let why = format!(
                "A card ({}) was altered in my store, so I don't show it. Nothing was done; please ask again.",
                card.pending
            );
            entry.show = Show::Send(Reply::text(why));
        }
        Ok(())
    }

    /// Takes an entry out of the outbox, and notes which message shows which card.
    async fn delivered(&self, entry: &OutboxEntry, message: Option<MessageId>) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.delete(Table::Outbox, entry.key(), Expect::Any);
        let _guard = self.writing.lock(&entry.chat).await;
        if let (Some(message), Show::Send(reply)) = (message, &entry.show) {
            let mut state = self.chat_state(&entry.chat).await?;
            conversation::notified(&mut state, reply, message, self.clock.now(), &mut batch)?;
            state.last_bot_message = Some(message);
            // A reminder stands beside the line of a turn; everything else takes its place.
            if reply.reminder.is_none() {
                state.status_line = None;
            }
            batch.put(&state, Expect::Any)?;
            if let Some(card) = &reply.card {
                return self.card_shown(entry, card, message, batch).await;
            }
            crate::pipeline::intake::buttons::shown::note(self, &entry.chat, message, reply, &mut batch).await?;
        }
        self.commit(batch).await?;
        Ok(())
    }

    async fn card_shown(
        &self,
        entry: &OutboxEntry,
        card: &CardPart,
        message: MessageId,
        mut batch: Batch,
    ) -> Result<(), StoreError> {
        batch.put(&CardMessage { chat: entry.chat.clone(), message, pending: card.pending.clone() }, Expect::Any)?;
        // Somebody else may decide it at this very moment; then its record is read again.
        loop {
            let mut attempt = batch.clone();
            if let Some((mut pending, revision)) = self.pending(&card.pending).await? {
                // A card shown again after a crash starts over, so that its last part is the one shown last.
                if card.part == 1 {
                    pending.card_messages.clear();
                }
                pending.card_messages.push(message);
                attempt.put(&pending, Expect::Revision(revision))?;
            }
            match self.commit(attempt).await {
                Err(StoreError::Conflict { .. }) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    /// Notes the message that shows what a running turn is doing, so that a next life finds it. `is_shown` is
    /// asked once nobody else can write: an answer that took its place in between must not be noted.
    pub async fn note_status(
        &self,
        chat: &ChatId,
        message: MessageId,
        is_shown: impl Fn() -> bool + Send,
    ) -> Result<(), StoreError> {
        let _guard = self.writing.lock(chat).await;
        let mut state = self.chat_state(chat).await?;
        if !is_shown() {
            return Ok(());
        }
        state.status_line = Some(message);
        let mut batch = Batch::default();
        batch.put(&state, Expect::Any)?;
        self.commit(batch).await?;
        Ok(())
    }
}
