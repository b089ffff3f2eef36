//! What still waits: a turn beside an open card ends with a line that says so, and that nothing of it was done; a turn
//! beside an open question leaves it open, and says that.
//!
//! Not here: turns that are about a card or a question, which say so themselves.

use super::title;
use crate::core::pending::Pending;
use crate::core::provenance::UntrustedText;
use crate::core::text::shorten;
use crate::core::turn::{Input, Path};
use crate::limits;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::turn::Turn;

/// The answer, and below it what still waits for this person in this chat.
pub(in crate::pipeline) async fn named(turn: &Turn<'_>, answer: Answer) -> Answer {
    cards_named(turn, question_named(turn, answer)).await
}

/// The question of ours that this turn was not about stays open, unless another was asked.
fn question_named(turn: &Turn<'_>, mut answer: Answer) -> Answer {
    let is_beside = answer.clarification == Question::Settled && is_about_something_else(answer.path);
    let is_message = matches!(turn.incoming.input, Input::Message { .. });
    let Some(question) = turn.question_left_open().filter(|_| is_beside && is_message) else {
        return answer;
    };
    let Some(last) = answer.replies.last_mut() else { return answer };
    last.text.push_str(&format!("\n\n❔ My question is still open: {}", question.question));
    answer.untrusted.extend(question.quoted.iter().cloned());
    answer.clarification = Question::Keep;
    answer
}

async fn cards_named(turn: &Turn<'_>, mut answer: Answer) -> Answer {
    let is_message = matches!(turn.incoming.input, Input::Message { .. });
    let shows_a_card = answer.replies.iter().any(|reply| reply.card.is_some());
    if turn.open.is_empty() || !is_message || shows_a_card || !is_about_something_else(answer.path) {
        return answer;
    }
    // Some may have been decided meanwhile. What cannot be read is not claimed to wait.
    let mut open = turn.brain.open_pending(turn.chat()).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what still waits could not be read");
        Vec::new()
    });
    open.retain(|pending| pending.owner == *turn.owner());
    let Some(last) = answer.replies.last_mut().filter(|_| !open.is_empty()) else {
        return answer;
    };
    last.text.push_str(&format!("\n\n{}", line(turn, &open)));
    let taints = open.iter().flat_map(|pending| &pending.actions).flat_map(|action| &action.taints);
    answer.untrusted.extend(taints.cloned().map(UntrustedText::from));
    answer
}

fn is_about_something_else(path: Path) -> bool {
    match path {
        Path::Chat | Path::Action | Path::Investigate | Path::Blocked | Path::Clarify => true,
        Path::Consent | Path::Clock | Path::Command | Path::Button | Path::Error => false,
    }
}

fn line(turn: &Turn<'_>, open: &[Pending]) -> String {
    let name = |pending: &Pending| shorten(&title(turn.brain, pending), limits::ACTION_NAMED_CHARS);
    match open {
        [only] => format!("⏳ Still waiting for your yes or no: {}. Nothing of it was done.", name(only)),
        several => {
            let mut named: Vec<String> = several.iter().take(limits::ACTIONS_NAMED_MAX).map(name).collect();
            if several.len() > limits::ACTIONS_NAMED_MAX {
                named.push("…".to_owned());
            }
            format!(
                "⏳ {} things still wait for your yes or no (/pending): {}. Nothing of them was done.",
                several.len(),
                named.join("; ")
            )
        }
    }
}
