//! Tools whose server has come with another definition: whoever runs this is shown the difference, with a button that
//! takes the new one.
//!
//! Invariants: each is told once, in the commit that puts it into an outbox; until somebody takes it, it is not used.

use crate::core::button::{Button, Press};
use crate::core::ids::ChatId;
use crate::core::text::{capital, head_and_tail, visible};
use crate::core::turn::Reply;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::intake::buttons::DEFINITION_KEY;
use crate::ports::records::{ChatState, Show};
use crate::ports::{Batch, RecordExt as _, StoreError};
use crate::services::mcp::ChangedTool;

use super::aside::operators;

/// Tells what there is, and whatever comes. Ends when dropped.
pub(super) async fn keep_told(brain: &Brain) {
    loop {
        if let Err(error) = tell(brain).await {
            tracing::warn!(%error, "that tools have changed is not told yet");
        }
        brain.servers.has_changed().await;
    }
}

/// Where nobody is known to run this it stays untold, in the log.
async fn tell(brain: &Brain) -> Result<(), StoreError> {
    let changed = brain.servers.changed(brain.store.as_ref()).await?;
    let new: Vec<&ChangedTool> = changed.iter().filter(|changed| !changed.is_told).collect();
    if new.is_empty() {
        return Ok(());
    }
    let chats: Vec<ChatId> =
        brain.store.list_all::<ChatState>(&[]).await?.into_iter().map(|state| state.chat).collect();
    let operators = operators(brain, &chats).await?;
    let Some((last, others)) = operators.split_last() else { return Ok(()) };
    // A server that changes everything at once is told of in a message for each, a few at a time.
    for changed in new.into_iter().take(limits::LIST_ROWS_MAX) {
        let show = Show::Send(told(changed));
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
    Ok(())
}

fn told(changed: &ChangedTool) -> Reply {
    let title = capital(&changed.server);
    let difference = visible(&head_and_tail(&changed.difference, limits::TOOL_RECEIPT_CHARS_MAX));
    let framed: Vec<String> = difference.lines().map(|line| format!("│ {line}")).collect();
    let press = Press::Set { key: DEFINITION_KEY.to_owned(), value: Some(changed.id.clone()) };
    let mut reply = Reply::text(format!(
        "🔧 {title} now describes its tool “{}” differently, so I don't use it until you have looked (- was, + is):\n{}\n\
         If you have not updated {title}, ask why it changed before you take it.",
        visible(&changed.tool),
        framed.join("\n")
    ));
    reply.buttons = vec![vec![Button::new("Use the new one", &press)]];
    reply
}
