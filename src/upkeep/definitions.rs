//! Tools whose server has come with another definition: whoever runs this is shown the difference, with a button that
//! takes the new one.
//!
//! Invariants: each is told once, in the commit that puts it into an outbox; until somebody takes it, it is not used; what
//! is not shown whole has no button.

use std::time::Duration;

use tokio::time::timeout;

use super::aside::{chats, operators};
use crate::core::button::{Button, Press};
use crate::core::text::{capital, shorten, visible};
use crate::core::turn::Reply;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::intake::buttons::DEFINITION_KEY;
use crate::ports::records::Show;
use crate::ports::{Batch, StoreError};
use crate::services::mcp::ChangedTool;

/// Tells what there is, and whatever comes. Ends when dropped.
pub(super) async fn keep_told(brain: &Brain) {
    loop {
        if let Err(error) = tell(brain).await {
            tracing::warn!(%error, "that tools have changed is not told yet");
        }
        // Somebody may be known to run this only later, and more may have changed than is told at once.
        let _ = timeout(Duration::from_secs(limits::UPKEEP_EVERY_SECS), brain.servers.has_changed()).await;
    }
}

/// Where nobody is known to run this it stays untold, in the log.
async fn tell(brain: &Brain) -> Result<(), StoreError> {
    let changed = brain.servers.changed(brain.store.as_ref()).await?;
    let new: Vec<&ChangedTool> = changed.iter().filter(|changed| !changed.is_told).collect();
    if new.is_empty() {
        return Ok(());
    }
    let chats = chats(brain).await?;
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
    let (title, name) = (capital(&changed.server), &changed.server);
    let difference = visible(&changed.difference);
    let is_whole = difference.chars().count() <= limits::DIFFERENCE_CHARS_MAX;
    let framed: Vec<String> =
        shorten(&difference, limits::DIFFERENCE_CHARS_MAX).lines().map(|line| format!("│ {line}")).collect();
    let then = match is_whole {
        true => format!("If you have not updated {title}, ask why it changed before you take it."),
        false => format!(
            "That is not all of it, so there is no button. To use it, look at “brain-agent mcp tools {name}” and give the \
             server another name in its file."
        ),
    };
    let mut reply = Reply::text(format!(
        "🔧 {title} now describes its tool “{}” differently, so I don't use it until you have looked (- was, + is):\n{}\n{then}",
        visible(&changed.tool),
        framed.join("\n")
    ));
    if is_whole {
        let press = Press::Set { key: DEFINITION_KEY.to_owned(), value: Some(changed.id.clone()) };
        reply.buttons = vec![vec![Button::new("Use the new one", &press)]];
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_whole_cannot_be_taken_by_a_press() {
        let changed = |lines: usize| ChangedTool {
            server: "files".to_owned(),
            tool: "send".to_owned(),
            id: "0123456789ab".to_owned(),
            difference: "+ to everybody\n".repeat(lines),
            is_told: false,
        };
        let (short, long) = (told(&changed(3)), told(&changed(1_000)));
        assert_eq!((short.buttons.len(), long.buttons.len()), (1, 0));
        assert!(long.text.contains("That is not all of it") && long.text.contains("mcp tools files"), "{}", long.text);
    }
}
