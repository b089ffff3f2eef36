//! What is done when nobody waits for it, so that the thousandth day is like the first: what could not be read is told.
//!
//! Invariants: nothing here is needed for a turn to be right; every step may be repeated, and is taken up again by the
//! next look; a turn under way goes first.

mod aside;
mod looking;

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::StoreError;

/// One look at everything, at once.
pub async fn once(brain: &Brain) -> Result<(), StoreError> {
    looking::through(brain).await?;
    aside::tell(brain).await
}

/// Looks at everything from time to time, until `stop`.
pub async fn run(brain: &Brain, stop: &CancellationToken) {
    let mut looks = 0_u64;
    loop {
        let all = looks.is_multiple_of(limits::UPKEEP_ALL_AFTER);
        looks += 1;
        if let Err(error) = if all { once(brain).await } else { aside::tell(brain).await } {
            tracing::warn!(%error, "the upkeep of the store was interrupted; it goes on later");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(limits::UPKEEP_EVERY_SECS)) => {}
        }
    }
}
