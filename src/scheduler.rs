//! What falls due: reminders, and cards nobody decided in time.
//!
//! The due-index is durable. An entry goes away in the commit that puts its message into the outbox, so a
//! reminder is neither lost nor told twice by us; the outbox keeps it until the face has delivered it.

use chrono::{DateTime, Utc};

use crate::pipeline::Brain;
use crate::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use crate::records::{Due, DueKind, Show, millis};

/// Entries handled in one go; the rest follow at once.
const AT_ONCE: usize = 256;

/// Handles everything that is due now. Returns how many entries that were.
pub async fn run_due(brain: &Brain) -> Result<usize, StoreError> {
    let mut handled = 0;
    loop {
        let now = brain.clock.now();
        // Keys sort by instant; the one after `now` ends the range.
        let until = Key::of(&[&millis(now + chrono::Duration::milliseconds(1))]);
        let due = brain.store.list::<Due>(Scan::of::<Due>(&[], AT_ONCE).before(until)).await?;
        if due.is_empty() {
            return Ok(handled);
        }
        for (entry, revision) in due {
            fall_due(brain, &entry, revision).await?;
            handled += 1;
        }
    }
}

/// Handles what is due, sleeps until the next, and wakes when the index changes. Ends when dropped.
pub async fn run(brain: &Brain) {
    loop {
        if let Err(error) = run_due(brain).await {
            tracing::error!(%error, "what fell due could not be handled; trying again soon");
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            continue;
        }
        match next(brain).await {
            Some(at) => tokio::select! {
                () = brain.clock.sleep_until(at) => {}
                () = brain.due_changed.notified() => {}
            },
            None => brain.due_changed.notified().await,
        }
    }
}

async fn next(brain: &Brain) -> Option<DateTime<Utc>> {
    let first = brain.store.list::<Due>(Scan::of::<Due>(&[], 1)).await;
    first.ok()?.first().map(|(due, _)| due.at)
}

async fn fall_due(brain: &Brain, due: &Due, revision: u64) -> Result<(), StoreError> {
    match &due.kind {
        DueKind::Item { service, .. } => item(brain, due, revision, service).await,
        DueKind::Expiry { pending } => {
            let Some((pending, pending_revision)) = brain.pending(pending).await? else {
                return forget(brain, due, revision).await;
            };
            if !pending.state.is_open() {
                return forget(brain, due, revision).await;
            }
            brain.expire_and_tell(&pending, pending_revision).await
        }
    }
}

async fn item(brain: &Brain, due: &Due, revision: u64, service: &str) -> Result<(), StoreError> {
    let user = brain.user(&due.owner, &due.chat).await?;
    let scene = brain.scene(&user, &due.chat);
    let fallen = match brain.service(service) {
        Some(service) => service.fall_due(&scene, due).await,
        None => Ok(crate::ports::FallenDue::default()),
    };
    let fallen = match fallen {
        Ok(fallen) => fallen,
        Err(error) => {
            tracing::error!(service, %error, "a reminder could not be made");
            crate::ports::FallenDue::default()
        }
    };
    let mut batch = Batch::default();
    batch.delete(Table::Due, due.key(), Expect::Revision(revision)).extend(fallen.changes);
    let shows = fallen.reply.map(Show::Send).into_iter().collect();
    match brain.tell(&due.chat, shows, batch).await {
        // The task was changed at this very moment; what is due then is looked at again.
        Err(StoreError::Conflict { .. }) => Ok(()),
        other => other,
    }
}

async fn forget(brain: &Brain, due: &Due, revision: u64) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.delete(Table::Due, due.key(), Expect::Revision(revision));
    match brain.commit(batch).await {
        Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
