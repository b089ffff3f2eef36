//! Reminders that wait in the outbox. After an outage, or when quiet hours end, many become one message; late
//! ones wait for the end of quiet hours, and nothing is tried in a chat that is closed to us.
//!
//! Invariant: a reminder is judged, and told, by the zone and the quiet hours that its owner has when it is
//! delivered; they may have moved since it fell due.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use chrono::{DateTime, Utc};

use super::delivery::RevisedEntry;
use super::outbox;
use crate::pipeline::brain::Brain;
use brain_core::core::ids::{ChatId, UserId};
use brain_core::core::notification::{self, Notification};
use brain_core::core::turn::Reply;
use brain_core::limits::{APART_MAX, COALESCED_MAX};
use brain_core::ports::records::{ChatState, Due, DueKind, OutboxEntry, Show, User};
use brain_core::ports::{Batch, Expect, Record, RecordExt, Scan, StoreError, Table};

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
fn crowds(waiting: Vec<RevisedEntry>, now: DateTime<Utc>) -> Vec<Vec<RevisedEntry>> {
    let reminders = waiting.into_iter().filter(|(entry, _)| reminder(entry).is_some());
    let (waits, ready): (Vec<_>, Vec<_>) = reminders.partition(|(entry, _)| waits_until(entry, now).is_some());
    [waits, ready].into_iter().filter(|crowd| is_crowd(crowd)).collect()
}

/// True when one item is told several times, or too many are told apart.
fn is_crowd(crowd: &[RevisedEntry]) -> bool {
    let all = notifications(crowd);
    let count = all.len();
    crowd.len() > 1 && (count > APART_MAX || notification::coalesced(all).len() < count)
}

fn notifications(crowd: &[RevisedEntry]) -> Vec<Notification> {
    crowd.iter().filter_map(|(entry, _)| reminder(entry)).flat_map(|reply| reply.notifications.clone()).collect()
}

/// Those of the waiting entries that may be shown now, in order; `None` when the outbox was changed and has to be read
/// again.
pub(super) async fn ready(
    brain: &Brain,
    chat: &ChatId,
    waiting: Vec<RevisedEntry>,
) -> Result<Option<Vec<RevisedEntry>>, StoreError> {
    let now = brain.clock.now();
    let waiting = as_people_live_now(brain, chat, waiting).await?;
    if !crowds(waiting.clone(), now).is_empty() {
        coalesce(brain, chat, now).await?;
        return Ok(None);
    }
    if brain.is_blocked(chat).await {
        return Ok(Some(Vec::new()));
    }
    if let Some(end) = waiting.iter().filter_map(|(entry, _)| waits_until(entry, now)).min() {
        wake(brain, chat, end).await?;
    }
    Ok(Some(waiting.into_iter().filter(|(entry, _)| waits_until(entry, now).is_none()).collect()))
}

/// The same entries, with the zones and quiet hours of today in their reminders.
async fn as_people_live_now(
    brain: &Brain,
    chat: &ChatId,
    mut waiting: Vec<RevisedEntry>,
) -> Result<Vec<RevisedEntry>, StoreError> {
    let mut people: BTreeMap<UserId, User> = BTreeMap::new();
    for (entry, _) in &mut waiting {
        let Show::Send(Reply { notifications, .. }) = &mut entry.show else { continue };
        for notification in notifications {
            let Some(owner) = &notification.owner else { continue };
            let user = match people.entry(owner.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(brain.user(owner, chat).await?),
            };
            (notification.zone, notification.quiet) = (brain.zone_of(user), user.settings.quiet);
        }
    }
    Ok(waiting)
}

/// Looks into this outbox again when quiet hours are over.
async fn wake(brain: &Brain, chat: &ChatId, at: DateTime<Utc>) -> Result<(), StoreError> {
    let owner = UserId::new(chat.as_str());
    let due = Due { at, owner, chat: chat.clone(), kind: DueKind::Outbox, meant: None };
    if brain.store.load::<Due>(&due.key()).await?.is_some() {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.put(&due, Expect::Absent)?;
    match brain.commit(batch).await {
        // Another deliverer has seen to it.
        Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Puts the reminders together that wait in a chat: into the first of them, or, while they are few, into the first of
/// each item. Where another deliverer has changed them meanwhile nothing is done: they are looked at again.
async fn coalesce(brain: &Brain, chat: &ChatId, now: DateTime<Utc>) -> Result<(), StoreError> {
    let scan = Scan::of::<OutboxEntry>(&[chat.as_str()], COALESCED_MAX);
    let mut batch = Batch::default();
    let waiting = as_people_live_now(brain, chat, brain.store.list::<OutboxEntry>(scan).await?).await?;
    for crowd in crowds(waiting, now) {
        let mut all = notification::coalesced(notifications(&crowd));
        let all_in_one = all.len() > APART_MAX;
        for (mut entry, revision) in crowd {
            let key = entry.key();
            let Show::Send(reply) = &mut entry.show else { continue };
            let is_here = |one: &Notification| all_in_one || reply.notifications.iter().any(|n| n.item == one.item);
            let (here, elsewhere) = all.into_iter().partition(is_here);
            (reply.notifications, all) = (here, elsewhere);
            if reply.notifications.is_empty() {
                batch.delete(Table::Outbox, key, Expect::Revision(revision));
            } else {
                batch.put(&entry, Expect::Revision(revision))?;
            }
        }
    }
    match brain.commit(batch).await {
        Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Notes that nothing reaches this chat until the person writes again. Told to the operator once.
pub(super) async fn blocked(brain: &Brain, chat: &ChatId, why: &str) -> Result<(), StoreError> {
    let now = brain.clock.now();
    let note = |state: &mut ChatState, _: &mut Batch| {
        let newly = state.blocked.is_none();
        state.blocked.get_or_insert(now);
        Ok(newly)
    };
    if outbox::update_chat(brain, chat, &Batch::default(), note).await? {
        tracing::warn!(%chat, why, "this chat is closed to the bot; what is meant for it waits until somebody writes there");
    }
    Ok(())
}
