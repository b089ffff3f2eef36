//! Takes a tool's new definition, whose difference was shown (`show::changed_tools`).
//!
//! Invariants: only who runs this may, and only the very definition that was shown; until then it is not used.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, shown};
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::turn::{NoticeKind, Path};
use brain_core::ports::StoreError;

/// Only who runs this may; and only the very definition whose difference was shown.
pub(super) async fn take(brain: &Brain, facts: &TurnFacts, id: &str, data: &str) -> Result<Intended, StoreError> {
    if !facts.runs_this(&brain.policy) {
        let refused = Answer::says(Path::Button, "Only whoever runs me can decide that. Nothing was changed.");
        return Ok(refused.noticed(&facts.incoming, NoticeKind::Alert).into());
    }
    let is_taken = brain.servers.take(&brain.services, brain.store.as_ref(), id).await?;
    let says = match is_taken {
        true => "✅ The new definition is used from now on.",
        false => "That definition is not the one that waits any more. Nothing was changed.",
    };
    let mut answer = Answer::says(Path::Button, says);
    if let Some(message) = shown::pressed(brain, facts, data).await? {
        let data = data.to_owned();
        shown::without(message.message, move |press| press.encode() == data, &mut answer);
    }
    Ok(answer.into())
}
