//! Standing instructions: a rule that a person sets, and what has changed of what the assistant knows.
//!
//! Invariants: only typed words of one's own; a rule is kept as said, and what code sees to of it is told; a statement
//! changes only what is known under exactly that name, or said to be exactly what is denied. Both can be undone. Not here: obeying rules (the gate).

use crate::pipeline::brain::Brain;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::outcome::Status;
use brain_core::core::turn::{Origin, Path};
use brain_core::ports::records::Speaker;
use brain_language::language::own_rule::{self, OwnRule};

/// Keeps what is told; `None` for everything else.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if facts.origin() != Origin::Typed || !facts.incoming.parts.is_empty() || facts.open_question().is_some() {
        return Ok(None);
    }
    let services = brain.services.now();
    let keeping = services.iter().find_map(|service| Some((service, service.service.facts()?)));
    let Some((service, keeper)) = keeping else { return Ok(None) };
    let said = facts.words().trim();
    let (action, promise) = match OwnRule::read(said, &facts.reference()) {
        Some(rule) => (keeper.keeping_rule(&rule.name(said), said), Some(rule.promise())),
        None => {
            let Some(revision) = own_rule::revised(said) else { return Ok(None) };
            match keeper.revising(&facts.ctx, &revision, spoke_of(facts, &service.info.name)).await {
                Ok(Some(action)) => (action, None),
                Ok(None) => return Ok(None),
                Err(error) => {
                    tracing::warn!(%error, "a statement was not held against what is known");
                    return Ok(None);
                }
            }
        }
    };
    let keeping = Intended::actions(facts, vec![action]);
    Ok(Some(keeping.then(move |mut answer| {
        answer.path = Path::Action;
        let is_kept = answer.reports.iter().all(|report| report.status == Status::Succeeded);
        if let (Some(promise), Some(reply), true) = (promise, answer.replies.first_mut(), is_kept) {
            reply.text.push_str(&format!("\n{promise}"));
        }
        answer.keeping_question()
    })))
}

/// Whether the last answer did something of this service, and nothing of another.
fn spoke_of(facts: &TurnFacts, service: &str) -> bool {
    let last = facts.history.iter().rfind(|message| message.speaker == Speaker::Assistant);
    last.is_some_and(|last| !last.actions.is_empty() && last.actions.iter().all(|past| past.service == service))
}
