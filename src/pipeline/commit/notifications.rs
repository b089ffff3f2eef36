//! Reminders that wait in the outbox. After an outage, or when quiet hours end, many become one message; late
//! ones wait for the end of quiet hours, and nothing is tried in a chat that is closed to us.
//!
//! Invariant: a reminder is judged, and told, by the zone and the quiet hours that its owner has when it is
//! delivered; they may have moved since it fell due.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use chrono::{DateTime, Utc};

use crate::core::ids::{ChatId, UserId};
use crate::core::notification::{self, Notification};
use crate::core::turn::Reply;
use crate::limits::{APART_MAX, COALESCED_MAX};
use crate::pipeline::brain::Brain;
use crate::ports::records::{Due, DueKind, OutboxEntry, Show, User};
use crate::ports::{Batch, Expect, Record, RecordExt, Scan, StoreError, Table};

/// An entry and its revision.
type Held = (OutboxEntry, u64);

/// The reply of an entry, if it is a reminder.
fn reminder(entry: &OutboxEntry) -> Option<&Reply> {
    match &entry.show {
        Show::Send(reply) if !reply.notifications.is_empty() => Some(reply),
        Show::Send(_) | Show::Edit(_) => None,
    }
}

/// Until when an entry has to wait for the end of quiet hours.
fn waits_until(entry: &OutboxEntry, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    reminder(entry).and_then(|reply| notification::waits_until(reply, now))
}

/// The reminders among these that have to be put together: those that wait, and those that do not.
fn crowds(waiting: Vec<Held>, now: DateTime<Utc>) -> Vec<Vec<Held>> {
    let reminders = waiting.into_iter().filter(|(entry, _)| reminder(entry).is_some());
    let (waits, ready): (Vec<_>, Vec<_>) = reminders.partition(|(entry, _)| waits_until(entry, now).is_some());
    [waits, ready].into_iter().filter(|crowd| is_crowd(crowd)).collect()
}

/// True when one item is told several times, or too many are told apart.
fn is_crowd(crowd: &[Held]) -> bool {
    let notifications: Vec<Notification> = notifications(crowd);
    let count = notifications.len();
    crowd.len() > 1 && (count > APART_MAX || notification::coalesced(notifications).len() < count)
}

fn notifications(crowd: &[Held]) -> Vec<Notification> {
    crowd.iter().filter_map(|(entry, _)| reminder(entry)).flat_map(|reply| reply.notifications.clone()).collect()
}

impl Brain {
    /// Those of the waiting entries that may be shown now, in order; `None` when the outbox was changed and has
    /// to be read again. Only for the chat's deliverer.
    pub(crate) async fn ready(
        &self,
        chat: &ChatId,
        waiting: Vec<Held>,
    ) -> Result<Option<Vec<OutboxEntry>>, StoreError> {
        let now = self.clock.now();
        let waiting = self.as_people_live_now(chat, waiting).await?;
        if !crowds(waiting.clone(), now).is_empty() {
            self.coalesce(chat, now).await?;
            return Ok(None);
        }
        if self.is_blocked(chat).await {
            return Ok(Some(Vec::new()));
        }
        if let Some(end) = waiting.iter().filter_map(|(entry, _)| waits_until(entry, now)).min() {
            self.wake(chat, end).await?;
        }
        let ready = waiting.into_iter().map(|(entry, _)| entry).filter(|entry| waits_until(entry, now).is_none());
        Ok(Some(ready.collect()))
    }

    /// The same entries, with the zones and quiet hours of today in their reminders.
    async fn as_people_live_now(&self, chat: &ChatId, mut waiting: Vec<Held>) -> Result<Vec<Held>, StoreError> {
        let mut people: BTreeMap<UserId, User> = BTreeMap::new();
        for (entry, _) in &mut waiting {
            let Show::Send(Reply { notifications, .. }) = &mut entry.show else { continue };
            for notification in notifications {
                let Some(owner) = &notification.owner else { continue };
                let user = match people.entry(owner.clone()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.user(owner, chat).await?),
                };
                (notification.zone, notification.quiet) = (self.zone_of(user), user.settings.quiet);
            }
        }
        Ok(waiting)
    }

    /// Looks into this outbox again when quiet hours are over.
    async fn wake(&self, chat: &ChatId, at: DateTime<Utc>) -> Result<(), StoreError> {
        let owner = UserId::new(chat.as_str());
        let due = Due { at, owner, chat: chat.clone(), kind: DueKind::Outbox, meant: None };
        if self.store.load::<Due>(&due.key()).await?.is_some() {
            return Ok(());
        }
        let mut batch = Batch::default();
        batch.put(&due, Expect::Any)?;
        self.commit(batch).await?;
        Ok(())
    }

    /// Puts the reminders together that wait in a chat: into the first of them, or, while they are few, into the
    /// first of each item.
    async fn coalesce(&self, chat: &ChatId, now: DateTime<Utc>) -> Result<(), StoreError> {
        let _guard = self.writing.lock(chat).await;
        let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], COALESCED_MAX);
        let mut batch = Batch::default();
        let waiting = self.as_people_live_now(chat, self.store.list::<OutboxEntry>(scan).await?).await?;
        for crowd in crowds(waiting, now) {
            let mut notifications = notification::coalesced(notifications(&crowd));
            let all_in_one = notifications.len() > APART_MAX;
            for (mut entry, revision) in crowd {
                let key = entry.key();
                let Show::Send(reply) = &mut entry.show else { continue };
                let is_here = |notification: &Notification| {
                    all_in_one || reply.notifications.iter().any(|here| here.item == notification.item)
                };
                let (here, elsewhere) = notifications.into_iter().partition(is_here);
                (reply.notifications, notifications) = (here, elsewhere);
                if reply.notifications.is_empty() {
                    batch.delete(Table::Outbox, key, Expect::Revision(revision));
                } else {
                    batch.put(&entry, Expect::Revision(revision))?;
                }
            }
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
    pub(crate) async fn blocked(&self, chat: &ChatId, why: &str) -> Result<(), StoreError> {
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
