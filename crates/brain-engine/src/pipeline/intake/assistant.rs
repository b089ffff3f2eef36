//! What a phrase asks of the assistant itself, and nothing beside it: "undo that", "my time zone is Lisbon", "more".

use crate::pipeline::brain::Brain;
use crate::pipeline::stages::assistant::{self, Intended, pages};
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_language::language::requests::Understood;
use brain_services::services::assistant::AssistantRequest;

/// What it comes to; `None` for everything else, and where no list is there to go on with.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    let Understood::Plan { plan, condition: None, .. } = facts.understood(&[]) else { return Ok(None) };
    let [planned] = plan.actions.as_slice() else { return Ok(None) };
    Ok(match assistant::asked(brain, planned) {
        None => None,
        Some(AssistantRequest::ShowMore) => pages::more(brain, facts).await?,
        Some(request) => Some(assistant::carried_out(brain, facts, request).await?),
    })
}
