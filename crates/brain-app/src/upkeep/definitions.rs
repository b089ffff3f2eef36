//! Tools whose server has come with another definition: whoever runs this is told, with a button that takes the new one.
//!
//! Invariants: each is told when it comes, in the commit that puts it into an outbox, and again at each start while it
//! waits. Not here: the message with its button (`pipeline::show::changed_tools`), which `/status` shows as well.

use std::time::Duration;

use tokio::time::timeout;

use super::aside::{chats, operators};
use brain_core::limits;
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, StoreError};
use brain_engine::pipeline::brain::Brain;
use brain_engine::pipeline::show::changed_tools::told_of_change;
use brain_services::services::mcp::ChangedTool;

/// Tells what there is, and whatever comes. Ends when dropped.
pub(super) async fn keep_told(brain: &Brain) {
    let mut again = true;
    loop {
        match tell(brain, again).await {
            Ok(was_told) => again &= !was_told,
            Err(error) => tracing::warn!(%error, "that tools have changed is not told yet"),
        }
        // Somebody may be known to run this only later, and more may have changed than is told at once.
        let _ = timeout(Duration::from_secs(limits::UPKEEP_EVERY_SECS), brain.servers.has_changed()).await;
    }
}

/// Where nobody is known to run this it stays untold, in the log: false. `again`: what was told before, too.
async fn tell(brain: &Brain, again: bool) -> Result<bool, StoreError> {
    let changed = brain.servers.changed(brain.store.as_ref()).await?;
    let new: Vec<&ChangedTool> = changed.iter().filter(|changed| again || !changed.is_told).collect();
    if new.is_empty() {
        return Ok(true);
    }
    let chats = chats(brain).await?;
    let operators = operators(brain, &chats).await?;
    let Some((last, others)) = operators.split_last() else { return Ok(false) };
    // A server that changes everything at once is told of in a message for each, a few at a time.
    for changed in new.into_iter().take(limits::LIST_ROWS_MAX) {
        let show = Show::Send(told_of_change(changed));
        for chat in others {
            brain.tell(chat, vec![show.clone()], Batch::default()).await?;
        }
        let mut batch = Batch::default();
        brain.servers.note_told(brain.store.as_ref(), changed, &mut batch).await?;
        match brain.tell(last, vec![show], batch).await {
            Ok(()) | Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
