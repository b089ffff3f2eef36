//! Effects elsewhere of which nobody could tell whether they came about are asked after, beside everything that falls due.

use chrono::Duration;

use super::delivery_worker::DeliveryWorker;
use brain_core::limits::WATCH_POLL_SECS;
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::recover::in_doubt::{self, Doubts};

/// Asks again and again. Ends when dropped.
pub(super) async fn keep_settling(brain: &Brain, told: &DeliveryWorker) {
    let mut looked = Doubts::All;
    loop {
        settle(brain, told, looked).await;
        looked = Doubts::Due;
        brain.clock.sleep_until(brain.clock.now() + Duration::seconds(WATCH_POLL_SECS)).await;
    }
}

/// Asks once.
pub(super) async fn settle(brain: &Brain, told: &DeliveryWorker, looked: Doubts) {
    match in_doubt::settle(brain, looked).await {
        Ok(chats) => {
            for chat in chats {
                told.in_chat(&chat).await;
            }
        }
        Err(error) => tracing::error!(%error, "what is doubtful could not be looked into; trying again soon"),
    }
}
