//! Fetching updates: one long poll after another, each batch stored before the next call confirms it.
//!
//! The first call confirms nothing: Telegram gives what it still has, and what is known already is recognised by its
//! number. A poll that is not answered in time is dead and begun anew. A stop breaks off a poll, but never a batch that
//! is being stored: who has just sent the pairing code is let in and welcomed.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, Stream, StreamExt};
use serde_json::json;
use serde_json::value::RawValue;
use teloxide::types::{AllowedUpdate, Update};
use tokio_util::sync::CancellationToken;

use super::api::ApiError;
use super::backoff::Backoff;
use super::context::TelegramContext;
use brain_core::limits;

struct Polling {
    context: Arc<TelegramContext>,
    allowed: Vec<AllowedUpdate>,
    backoff: Backoff,
    /// Confirms all updates below it.
    offset: Option<u64>,
    stop: CancellationToken,
}

/// The next batch is fetched when the last one was taken; until `stop`.
pub(super) fn updates(
    context: Arc<TelegramContext>,
    allowed: Vec<AllowedUpdate>,
    stop: CancellationToken,
) -> impl Stream<Item = Update> + Send + 'static {
    let polling = Polling { context, allowed, backoff: Backoff::default(), offset: None, stop };
    let batches = stream::unfold(polling, |mut polling| async move { Some((polling.stored_batch().await?, polling)) });
    batches.flat_map(stream::iter)
}

impl Polling {
    /// Tries until a batch is stored; `None` when it is time to stop.
    async fn stored_batch(&mut self) -> Option<Vec<Update>> {
        loop {
            let pause = match self.stop.run_until_cancelled(self.fetch()).await? {
                Ok(batch) => {
                    self.backoff.over();
                    let batch: Vec<_> = batch.iter().filter_map(|raw| self.context.received(raw.get())).collect();
                    let last = batch.iter().map(|received| received.entry.update).max();
                    match self.context.admit(batch).await {
                        Ok(updates) => {
                            self.offset = last.map(|last| last + 1).or(self.offset);
                            return Some(updates);
                        }
                        Err(error) => {
                            tracing::error!(%error, "updates could not be stored; they are fetched again");
                            Duration::from_secs(1)
                        }
                    }
                }
                Err(error) => self.backoff.met(&error),
            };
            self.stop.run_until_cancelled(tokio::time::sleep(pause)).await?;
        }
    }

    async fn fetch(&self) -> Result<Vec<Box<RawValue>>, ApiError> {
        // By name: teloxide's numbers are too narrow, and its answer holds no JSON to be stored.
        let mut call = json!({"timeout": limits::POLL_SECS, "allowed_updates": &self.allowed});
        if let Some(offset) = self.offset {
            call["offset"] = json!(offset);
        }
        let limit = Duration::from_secs(u64::from(limits::POLL_SECS) + limits::POLL_GRACE_SECS);
        self.context.channel.sender.api.method("getUpdates", &call, limit).await
    }
}
