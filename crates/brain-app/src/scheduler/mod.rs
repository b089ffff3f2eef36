//! What falls due: reminders, morning briefings, cards nobody decided in time, and what waited for the end of
//! quiet hours.
//!
//! The due-index is durable. An entry goes away in the commit that puts its message into the outbox, so a
//! reminder is neither lost nor told twice by us; the outbox keeps it until the channel has delivered it.
//!
//! Here it is only committed; the `courier` delivers beside it, so that no chat waits for the delivery in
//! another.
//!
//! Quiet hours hold what falls due inside them until their end: the entry moves there and remembers when it was meant.
//! What falls due while nobody looks (the machine is off, or asleep) is told as soon as somebody does, once, and says
//! how late it is: reminders and briefings alike. Quiet hours do not hold a reminder that is on time and whose very
//! time the person named. Late ones, repeating ones, briefings and notices of expired cards wait.

mod delivery_worker;
mod event_watcher;
mod in_doubt;
mod mirrors;

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::join;
use tokio_util::sync::CancellationToken;

use brain_core::core::ids::ChatId;
use brain_core::core::notification::{Notification, Urgency};
use brain_core::core::turn::Reply;
use brain_core::limits::LAST_DELIVERIES_MS;
use brain_core::ports::records::{Due, DueKind, Show, User, millis};
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::commit::notification_messages;
use brain_engine::pipeline::commit::user::briefing_due;
use brain_engine::pipeline::recover::in_doubt::Doubts;
use brain_engine::pipeline::stages::assistant::agenda::briefing;
use brain_services::services::contract::capabilities::FallenDue;
use delivery_worker::DeliveryWorker;
use event_watcher::look;
pub use mirrors::follow;

/// Entries handled in one go; the rest follow at once.
const AT_ONCE: usize = 256;

/// What its service could not make into a reminder is tried again after this.
const AGAIN_SECS: i64 = 300;

/// An entry and its revision.
type RevisedDue = (Due, u64);

/// Handles everything that is due now, and returns once what came of it is delivered as far as it can be.
pub async fn run_due(brain: &Brain) -> Result<(), StoreError> {
    look(brain).await;
    let (told, named) = delivery_worker::slip();
    let handling = async move {
        in_doubt::settle(brain, &told, Doubts::Due).await;
        handle_due(brain, &told).await
    };
    let (handled, ()) = join(handling, delivery_worker::deliver(brain, named, &CancellationToken::new())).await;
    handled
}

/// Handles what is due when its time comes. After `stop` nothing more falls due, and what is being delivered has
/// a little time to arrive: cut off there, it would come again after the next start.
pub async fn run(brain: &Brain, stop: &CancellationToken) {
    let (told, named) = delivery_worker::slip();
    let keeping = async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = keep_time(brain, &told) => {}
            () = in_doubt::keep_settling(brain, &told) => {}
            () = event_watcher::keep_looking(brain) => {}
        }
    };
    let too_late = async {
        stop.cancelled().await;
        tokio::time::sleep(Duration::from_millis(LAST_DELIVERIES_MS)).await;
    };
    tokio::select! {
        _ = join(keeping, delivery_worker::deliver(brain, named, stop)) => {}
        () = too_late => {}
    }
}

/// Handles what is due, sleeps until the next, and wakes when the index changes. Ends when dropped.
async fn keep_time(brain: &Brain, told: &DeliveryWorker) {
    loop {
        if let Err(error) = handle_due(brain, told).await {
            tracing::error!(%error, "what fell due could not be handled; trying again soon");
            tokio::time::sleep(Duration::from_secs(5)).await;
            continue;
        }
        match next(brain).await {
            Ok(Some(at)) => tokio::select! {
                () = brain.clock.sleep_until(at) => {}
                () = brain.due_changed.notified() => {}
            },
            Ok(None) => brain.due_changed.notified().await,
            Err(error) => {
                tracing::error!(%error, "the due-index cannot be read; trying again soon");
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        }
    }
}

/// Commits what comes of everything that is due.
async fn handle_due(brain: &Brain, told: &DeliveryWorker) -> Result<(), StoreError> {
    loop {
        let now = brain.clock.now();
        // Keys sort by instant; the one after `now` ends the range.
        let until = Key::of(&[&millis(now + chrono::Duration::milliseconds(1))]);
        let due = brain.store.list::<Due>(Scan::of::<Due>(&[], AT_ONCE).before(until)).await?;
        if due.is_empty() {
            return Ok(());
        }
        let mut chats: Vec<(ChatId, Vec<RevisedDue>)> = Vec::new();
        for (entry, revision) in due {
            let handled = match &entry.kind {
                DueKind::Item { .. } => match chats.iter_mut().find(|(chat, _)| *chat == entry.chat) {
                    Some((_, entries)) => {
                        entries.push((entry, revision));
                        continue;
                    }
                    None => {
                        chats.push((entry.chat.clone(), vec![(entry, revision)]));
                        continue;
                    }
                },
                DueKind::Expiry { .. } => expire(brain, told, &entry, revision).await,
                DueKind::Briefing => brief(brain, told, &entry, revision).await,
                DueKind::Outbox => look_again(brain, told, &entry, revision).await,
            };
            unless_unreadable(brain, &[(entry, revision)], handled).await?;
        }
        for (chat, entries) in chats {
            let handled = notify(brain, told, &chat, &entries).await;
            unless_unreadable(brain, &entries, handled).await?;
        }
    }
}

/// A record that cannot be read holds up the entries that need it, and no others.
async fn unless_unreadable(
    brain: &Brain,
    entries: &[RevisedDue],
    handled: Result<(), StoreError>,
) -> Result<(), StoreError> {
    let Some(error) = handled.as_ref().err().filter(|error| error.is_of_one_record()) else {
        return handled;
    };
    tracing::error!(%error, entries = entries.len(), "what fell due needs a record that cannot be read");
    let mut batch = Batch::default();
    for (due, revision) in entries {
        batch.delete(Table::Due, due.key(), Expect::Revision(*revision));
        let is_card = matches!(due.kind, DueKind::Expiry { .. });
        // A broken card is withdrawn without its expiry; what a newer program wrote waits for it.
        if !(is_card && matches!(error, StoreError::Unreadable { .. })) {
            batch.put(&until(due, brain.clock.now() + chrono::Duration::seconds(AGAIN_SECS)), Expect::Any)?;
        }
    }
    settle(brain.commit(batch).await.map(|_| ()))
}

async fn next(brain: &Brain) -> Result<Option<DateTime<Utc>>, StoreError> {
    let first = brain.store.list::<Due>(Scan::of::<Due>(&[], 1)).await?;
    Ok(first.first().map(|(due, _)| due.at))
}

/// Tells the reminders of one chat together. If something changed at this very moment, each is looked at alone.
async fn notify(brain: &Brain, told: &DeliveryWorker, chat: &ChatId, entries: &[RevisedDue]) -> Result<(), StoreError> {
    let Err(conflict) = notify_together(brain, told, chat, entries).await? else {
        return Ok(());
    };
    if let [_] = entries {
        tracing::debug!(%conflict, "a reminder changed while it fell due; it is looked at again");
        return Ok(());
    }
    for entry in entries {
        // What still conflicts is found again by the next look at the index.
        let _ = notify_together(brain, told, chat, std::slice::from_ref(entry)).await?;
    }
    Ok(())
}

/// The inner error: something changed meanwhile, and nothing was done.
async fn notify_together(
    brain: &Brain,
    told: &DeliveryWorker,
    chat: &ChatId,
    entries: &[RevisedDue],
) -> Result<Result<(), StoreError>, StoreError> {
    let mut batch = Batch::default();
    let mut notifications: Vec<Notification> = Vec::new();
    let mut first = None;
    for (due, revision) in entries {
        let user = brain.user(&due.owner, chat).await?;
        batch.delete(Table::Due, due.key(), Expect::Revision(*revision));
        let Some(fallen) = fallen(brain, &user, due).await else {
            batch.put(&until(due, brain.clock.now() + chrono::Duration::seconds(AGAIN_SECS)), Expect::Any)?;
            continue;
        };
        let Some(mut notification) = fallen.notification else {
            batch.extend(fallen.changes);
            continue;
        };
        notification.quiet = user.settings.quiet;
        if let Some(end) = notification.waits_until(brain.clock.now()) {
            batch.put(&until(due, end), Expect::Any)?;
            continue;
        }
        notification.held_until = was_held(brain, &user, due, &notification);
        batch.extend(fallen.changes);
        notifications.push(notification);
        first.get_or_insert_with(|| due.key().as_str().to_owned());
    }
    let shows: Vec<Show> = notification_messages(notifications, &first.unwrap_or_default(), brain.clock.now())
        .into_iter()
        .map(Show::Send)
        .collect();
    let done = if shows.is_empty() {
        brain.commit(batch).await.map(|_| ())
    } else {
        tell(brain, told, chat, shows, batch).await
    };
    match done {
        Err(conflict @ StoreError::Conflict { .. }) => Ok(Err(conflict)),
        other => other.map(Ok),
    }
}

/// `None` when the service could not tell: then it is asked again, later.
async fn fallen(brain: &Brain, user: &User, due: &Due) -> Option<FallenDue> {
    let DueKind::Item { service: name, .. } = &due.kind else {
        return Some(FallenDue::default());
    };
    let services = brain.services.now();
    let Some(reminders) = services.find(name).and_then(|service| service.service.reminders()) else {
        tracing::error!(service = name, "a reminder's service is not there; trying again later");
        return None;
    };
    match reminders.fall_due(&brain.request_context(user, &due.chat), due).await {
        Ok(fallen) => Some(fallen),
        Err(error) => {
            tracing::error!(service = name, %error, "a reminder could not be made; trying again later");
            None
        }
    }
}

/// The end of the quiet hours that hold everything nobody named a time for.
fn held(brain: &Brain, user: &User) -> Option<DateTime<Utc>> {
    user.settings.quiet?.ends(brain.clock.now(), brain.zone_of(user))
}

/// The end of the quiet hours that held this, or would have, had anybody been there to look; `None` when it was late
/// already as they began to hold it.
fn was_held(brain: &Brain, user: &User, due: &Due, notification: &Notification) -> Option<DateTime<Utc>> {
    let (quiet, zone) = (user.settings.quiet?, brain.zone_of(user));
    match due.meant {
        Some(meant) => quiet.ends(meant, zone).filter(|end| *end == due.at),
        None => quiet.ends(notification.at, zone).filter(|_| notification.urgency == Urgency::Usual),
    }
}

fn until(due: &Due, end: DateTime<Utc>) -> Due {
    Due { at: end, meant: Some(due.meant()), ..due.clone() }
}

/// Quiet hours are over for what waits in an outbox.
async fn look_again(brain: &Brain, told: &DeliveryWorker, due: &Due, revision: u64) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.delete(Table::Due, due.key(), Expect::Revision(revision));
    settle(brain.commit(batch).await.map(|_| ()))?;
    told.in_chat(&due.chat).await;
    Ok(())
}

/// Tells a chat something; the courier delivers it.
async fn tell(
    brain: &Brain,
    told: &DeliveryWorker,
    chat: &ChatId,
    shows: Vec<Show>,
    batch: Batch,
) -> Result<(), StoreError> {
    brain.commit_told(chat, shows, batch).await?;
    told.in_chat(chat).await;
    Ok(())
}

async fn expire(brain: &Brain, told: &DeliveryWorker, due: &Due, revision: u64) -> Result<(), StoreError> {
    let DueKind::Expiry { pending } = &due.kind else {
        return Ok(());
    };
    let mut batch = Batch::default();
    batch.delete(Table::Due, due.key(), Expect::Revision(revision));
    let Some((pending, pending_revision)) = brain.pending(pending).await?.filter(|(p, _)| p.state.is_open()) else {
        return settle(brain.commit(batch).await.map(|_| ()));
    };
    let user = brain.user(&due.owner, &due.chat).await?;
    if let Some(end) = held(brain, &user) {
        batch.put(&until(due, end), Expect::Any)?;
        return settle(brain.commit(batch).await.map(|_| ()));
    }
    // An entry that was held goes at the next look: its card is closed then.
    brain.expire_and_tell(&pending, pending_revision).await?;
    told.in_chat(&pending.chat).await;
    Ok(())
}

/// Tells the agenda of the day, and arms the next briefing.
async fn brief(brain: &Brain, told: &DeliveryWorker, due: &Due, revision: u64) -> Result<(), StoreError> {
    let now = brain.clock.now();
    let user = brain.user(&due.owner, &due.chat).await?;
    let zone = brain.zone_of(&user);
    let mut batch = Batch::default();
    batch.delete(Table::Due, due.key(), Expect::Revision(revision));
    let meant = due.meant();
    let wanted = briefing_due(&user, zone, meant - chrono::Duration::milliseconds(1));
    if wanted.is_none_or(|wanted| wanted.at != meant) {
        // The operator's zone may have changed: nobody else arms the next one.
        if let Some(next) = briefing_due(&user, zone, now) {
            batch.put(&next, Expect::Any)?;
        }
        return settle(brain.commit(batch).await.map(|_| ()));
    }
    if let Some(end) = held(brain, &user) {
        batch.put(&until(due, end), Expect::Any)?;
        return settle(brain.commit(batch).await.map(|_| ()));
    }
    if let Some(next) = briefing_due(&user, zone, now) {
        batch.put(&next, Expect::Any)?;
    }
    if brain.is_blocked(&due.chat).await {
        return settle(brain.commit(batch).await.map(|_| ()));
    }
    // Of those that were missed, the latest is told.
    let latest = briefing_due(&user, zone, now - chrono::Duration::days(1)).filter(|latest| latest.at <= now);
    let at = latest.map_or(due.at, |latest| latest.at.max(due.at));
    let words = briefing(brain, &brain.request_context(&user, &due.chat), at).await;
    settle(tell(brain, told, &due.chat, vec![Show::Send(Reply::text(words))], batch).await)
}

/// What changed at this very moment is looked at again.
fn settle(done: Result<(), StoreError>) -> Result<(), StoreError> {
    match done {
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}
