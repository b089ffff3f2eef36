//! Looking out for what services wait for outside the store: when one of them stirs, and once in a while.
//!
//! What has come is decided in a commit that makes it fall due; it is told as everything else that does.

use chrono::Duration;
use futures::stream::{FuturesUnordered, StreamExt as _};

use brain_core::failpoint::fail_point;
use brain_core::limits::WATCH_POLL_SECS;
use brain_core::ports::{Batch, StoreError};
use brain_engine::pipeline::brain::Brain;

/// Looks whenever something may have happened. Ends when dropped.
pub(super) async fn keep_looking(brain: &Brain) {
    loop {
        look(brain).await;
        let again = brain.clock.now() + Duration::seconds(WATCH_POLL_SECS);
        tokio::select! {
            () = brain.clock.sleep_until(again) => {}
            () = stirred(brain) => {}
        }
    }
}

/// Decides what has come of what services wait for. What cannot be looked at now is looked at the next time.
pub(super) async fn look(brain: &Brain) {
    for registration in brain.services.now().iter() {
        let Some(event_watcher) = registration.service.event_watcher() else { continue };
        let service = &registration.info.name;
        match event_watcher.look(brain.clock.now()).await {
            Ok(commits) => {
                for changes in commits {
                    // What changed at this very moment is looked at again.
                    match brain.commit(Batch { changes }).await {
                        Ok(_) => fail_point("watch-decided"),
                        Err(StoreError::Conflict { .. }) => {}
                        Err(error) => tracing::error!(service, %error, "what has come could not be kept"),
                    }
                }
            }
            Err(error) => tracing::warn!(service, %error, "what is waited for could not be looked at"),
        }
    }
}

/// Returns when a service says that something may have happened.
async fn stirred(brain: &Brain) {
    let services = brain.services.now();
    let lookouts = services.iter().filter_map(|registration| registration.service.event_watcher());
    let mut all: FuturesUnordered<_> = lookouts.map(|event_watcher| event_watcher.stirred()).collect();
    if all.next().await.is_none() {
        std::future::pending::<()>().await;
    }
}
