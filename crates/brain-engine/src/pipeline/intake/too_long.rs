//! Overload: a message whose reading would take more steps than a message may is not acted on, and that is said.
//!
//! Invariant: neither a part of it nor a model's reading of it becomes a plan, as nothing could hold that against all
//! that was said. Not here: how much is too much (`language::work`).

use crate::pipeline::commit::Answer;
use crate::pipeline::stages::topic::TOO_MUCH;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::turn::Path;

/// Asks for it in parts; `None` for every message that can be read.
pub(super) async fn answer(facts: &TurnFacts) -> Result<Option<Answer>, TurnError> {
    let is_ours = facts.origin().is_own_words();
    Ok((is_ours && facts.is_too_much()).then(|| Answer::says(Path::Clarify, TOO_MUCH).keeping_question()))
}
