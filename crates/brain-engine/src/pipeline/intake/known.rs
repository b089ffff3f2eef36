//! Built-in answers: the time, the day, which accounts work here, and who somebody says they are.
//!
//! Answered by code whether there is a model or not: a model can only guess the time, and makes up what it can connect
//! to. Invariants: the whole message is this; a name that is only said by the way replaces none that is known.

use super::intended::Intended;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::turn::Path;
use brain_language::language::known;
use brain_language::language::known::Introduction;

/// What a name is remembered as.
const NAME: &str = "name";

/// Answers it, or remembers the name; `None` for everything else.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    let now = facts.ctx.now.with_timezone(&facts.ctx.zone);
    if let Some(told) = known::answer(facts.words(), now) {
        return Ok(Some(Answer::says(Path::Chat, told).keeping_question().into()));
    }
    let named = known::name(facts.words()).filter(|_| facts.open_question().is_none());
    let Some((name, introduction)) = named else { return Ok(None) };
    let services = brain.services.now();
    let Some(keeper) = services.iter().find_map(|service| service.service.facts()) else { return Ok(None) };
    let known = keeper.facts(&facts.ctx, NAME).await.map(|found| found.rows).unwrap_or_default();
    if introduction == Introduction::ByTheWay && known.iter().any(|fact| fact.key.eq_ignore_ascii_case(NAME)) {
        return Ok(None);
    }
    let remembering = Intended::actions(facts, vec![keeper.remembering(NAME, &name)]);
    Ok(Some(remembering.then(|answer| Answer { path: Path::Action, ..answer })))
}
