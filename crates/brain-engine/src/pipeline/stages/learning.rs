//! Learning: what a person tells of themself is proposed to be remembered, where that is switched on.
//!
//! Invariants: only what they typed themself, with nothing passed on beside it; nothing is remembered without their yes,
//! and no model has a part in it; one proposal stands in a conversation at a time. Not here: what is worth it (whoever
//! keeps facts says so), and what a request to remember something does.

use super::doubts::{Doubt, LEAVE_IT};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::plan::Plan;
use brain_core::core::provenance::Sources;
use brain_core::core::text::quoted;
use brain_core::core::turn::{Origin, Path};
use brain_core::ports::records::Speaker;

const PROPOSES: &str = "🧠 Shall I remember that?";
/// Of what was told.
const TOLD_CHARS_MAX: usize = 120;

/// The answer to something that was only told, with what may be remembered of it.
pub async fn propose(brain: &Brain, facts: &TurnFacts, mut answer: Answer) -> Result<Answer, TurnError> {
    let did_nothing = matches!(answer.path, Path::Chat | Path::Clarify)
        && answer.clarification == Question::Settled
        && answer.reports.is_empty();
    let is_own = facts.origin() == Origin::Typed && facts.incoming.parts.is_empty();
    if !brain.policy.learns || !did_nothing || !is_own {
        return Ok(answer);
    }
    let proposes = |text: &str| text.contains(PROPOSES);
    if facts.history.iter().any(|said| said.speaker == Speaker::Assistant && proposes(&said.text)) {
        return Ok(answer);
    }
    let services = brain.services.now();
    let Some(keeper) = services.iter().find_map(|service| service.service.facts()) else { return Ok(answer) };
    let action = match keeper.worth_remembering(&facts.ctx, facts.words()).await {
        Ok(Some(action)) => action,
        Ok(None) => return Ok(answer),
        Err(error) => {
            tracing::warn!(%error, "what was told was not held against what is known");
            return Ok(answer);
        }
    };
    let doubt = Doubt {
        words: format!("{PROPOSES} {}", quoted(facts.words(), TOLD_CHARS_MAX)),
        choices: vec![("🧠 Remember it".to_owned(), Plan { actions: vec![action], ..Plan::default() })],
        leave: LEAVE_IT,
        takes_yes: true,
        ..Doubt::default()
    };
    let sources = Sources { untrusted: facts.others_words(&brain.services), ..Sources::default() };
    let proposal = doubt.ask(brain, facts, &[], &sources, vec![facts.words().to_owned()])?;
    answer.replies.extend(proposal.replies);
    answer.untrusted.extend(proposal.untrusted);
    answer.batch.extend(proposal.batch.changes);
    answer.clarification = proposal.clarification;
    Ok(answer)
}
