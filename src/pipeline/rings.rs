//! Reminders that wait in the outbox. After an outage, or when quiet hours end, many become one message.

use super::Brain;
use crate::core::ids::ChatId;
use crate::core::ring;
use crate::core::turn::Reply;
use crate::limits::{APART_MAX, GATHER_MAX};
use crate::ports::{Batch, Expect, Record, RecordExt, Scan, StoreError, Table};
use crate::records::{OutboxEntry, Show};

/// The reply of an entry, if it is a reminder.
fn reminder(entry: &OutboxEntry) -> Option<&Reply> {
    match &entry.show {
        Show::Send(reply) if !reply.rings.is_empty() => Some(reply),
        Show::Send(_) | Show::Edit(_) => None,
    }
}

impl Brain {
    /// True when more reminders wait than a person should get one by one.
    pub(super) fn crowds(waiting: &[(OutboxEntry, u64)]) -> bool {
        waiting.iter().filter(|(entry, _)| reminder(entry).is_some()).count() > APART_MAX
    }

    /// Makes one message of the reminders that wait in a chat, in the place of the first. Only for the chat's
    /// deliverer: nothing of it may be on its way.
    pub(super) async fn gather(&self, chat: &ChatId) -> Result<(), StoreError> {
        let _guard = self.writing.lock(chat).await;
        let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], GATHER_MAX);
        let mut waiting = self.store.list::<OutboxEntry>(scan).await?;
        waiting.retain(|(entry, _)| reminder(entry).is_some());
        let rings = waiting.iter().filter_map(|(entry, _)| reminder(entry)).flat_map(|reply| reply.rings.clone());
        let rings = ring::gathered(rings.collect());
        let mut batch = Batch::default();
        for (at, (mut entry, revision)) in waiting.into_iter().enumerate() {
            if at > 0 {
                batch.delete(Table::Outbox, entry.key(), Expect::Revision(revision));
                continue;
            }
            if let Show::Send(reply) = &mut entry.show {
                reply.rings.clone_from(&rings);
            }
            batch.put(&entry, Expect::Revision(revision))?;
        }
        self.commit(batch).await?;
        Ok(())
    }

    /// True when nothing should be tried in this chat. A chat that cannot be read is tried.
    pub async fn is_blocked(&self, chat: &ChatId) -> bool {
        self.chat_state(chat).await.is_ok_and(|state| state.blocked.is_some())
    }

    /// Somebody who had blocked the bot lets it speak again: what was held for them is told.
    pub async fn unblocked(&self, chat: &ChatId) -> Result<(), StoreError> {
        {
            let _guard = self.writing.lock(chat).await;
            let mut state = self.chat_state(chat).await?;
            if state.blocked.take().is_none() {
                return Ok(());
            }
            let mut batch = Batch::default();
            batch.put(&state, Expect::Any)?;
            self.commit(batch).await?;
        }
        self.deliver(chat).await;
        Ok(())
    }

    /// Notes that nothing reaches this chat until the person writes again. Told to the operator once.
    pub(super) async fn blocked(&self, chat: &ChatId, why: &str) -> Result<(), StoreError> {
        let _guard = self.writing.lock(chat).await;
        let mut state = self.chat_state(chat).await?;
        if state.blocked.is_some() {
            return Ok(());
        }
        tracing::warn!(%chat, why, "this chat is closed to the bot; what is meant for it waits until somebody writes there");
        state.blocked = Some(self.clock.now());
        let mut batch = Batch::default();
        batch.put(&state, Expect::Any)?;
        self.commit(batch).await?;
        Ok(())
    }
}
