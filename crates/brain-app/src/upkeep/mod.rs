//! What is done when nobody waits for it, so that the thousandth day is like the first: what could not be read is found
//! and told, what has had its time goes away, the file gives back what that has left, and long conversations are shortened.
//!
//! Invariants: nothing here is needed for a turn to be right; every step may be repeated, and what was cut short is
//! taken up again by the next look; a turn under way goes first.

pub mod alarms;
mod aside;
mod backups;
mod definitions;
mod disconnected;
mod looking;
mod retention;

use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use backups::BackupPlan;
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::stages::compress;
pub use disconnected::AccountWatch;
use retention::RetentionWalk;

/// One look at everything, at once.
pub async fn once(brain: &Brain) -> Result<(), StoreError> {
    looking::through(brain).await?;
    let mut walk = RetentionWalk::begin(brain).await?;
    while walk.step(brain).await? {}
    brain.store.give_back().await?;
    aside::tell(brain).await
}

/// Looks at everything from time to time, until `stop`, and takes a backup each day where that is planned. `data_dir`:
/// where everything is kept.
pub async fn run(brain: &Brain, data_dir: &Path, backups: Option<&BackupPlan>, stop: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = keep_in_order(brain) => {}
        () = disconnected::keep_told(brain) => {}
        () = definitions::keep_told(brain) => {}
        () = alarms::keep_told(brain, data_dir) => {}
        () = compress::keep_short(brain) => {}
        () = backups::keep_taken(brain, backups) => {}
        () = services_ready(brain) => {}
    }
}

/// What services make ready for themselves.
async fn services_ready(brain: &Brain) {
    let services = brain.services.now();
    join_all(services.iter().map(|service| service.service.keep_ready())).await;
}

/// Each of its commits is whole when this is dropped, and the next life begins with a look of its own.
async fn keep_in_order(brain: &Brain) {
    loop {
        if let Err(error) = unhurried(brain).await {
            tracing::warn!(%error, "the upkeep of the store was interrupted; it goes on later");
        }
        for _ in 0..limits::UPKEEP_ALL_AFTER {
            if let Err(error) = aside::tell(brain).await {
                tracing::warn!(%error, "what could not be read is not told yet");
            }
            sleep(Duration::from_secs(limits::UPKEEP_EVERY_SECS)).await;
        }
    }
}

/// One look at everything, in steps that let turns go first.
async fn unhurried(brain: &Brain) -> Result<(), StoreError> {
    aside::tell(brain).await?;
    quiet_moment(brain).await;
    looking::through(brain).await?;
    let mut walk = RetentionWalk::begin(brain).await?;
    loop {
        quiet_moment(brain).await;
        if !walk.step(brain).await? {
            break;
        }
    }
    tracing::info!(gone = walk.gone, "what has had its time went away");
    quiet_moment(brain).await;
    // While turns run, the file may wait for another day.
    if !brain.running.is_busy() && brain.store.give_back().await? {
        tracing::info!("the store's file was written anew and takes less of the disk");
    }
    Ok(())
}

/// Waits a little, and until no turn is under way.
async fn quiet_moment(brain: &Brain) {
    sleep(Duration::from_millis(limits::RETENTION_PAUSE_MS)).await;
    brain.running.quiet().await;
}
