//! The card that was decided last, while a yes or no, or an undo, may still be about it.

use super::{closed, undo};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::button::CardVerb;
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_core::ports::StoreError;
use brain_core::ports::records::{Message, Speaker};

/// The recorded result of the card that was decided last, when nothing can have come between that and these words:
/// no question of ours, nothing that was done, not much time.
pub(in crate::pipeline) async fn recorded(
    brain: &Brain,
    facts: &TurnFacts,
    wants: CardVerb,
) -> Result<Option<Answer>, StoreError> {
    let waits = facts.open_question().is_some() || facts.state.editing.is_some() || facts.state.snoozing.is_some();
    let Some(last) = facts.state.decided.as_ref().filter(|_| !waits) else {
        return Ok(None);
    };
    let is_recent = facts.ctx.now - last.at <= chrono::Duration::seconds(limits::DECIDED_LATELY_SECS);
    let mut since = facts.history.iter().filter(|message| message.number >= last.next_message);
    if !is_recent || since.any(takes_the_word) {
        return Ok(None);
    }
    let decided = brain.pending(&last.pending).await?.map(|(pending, _)| pending);
    let Some(pending) = decided.filter(|pending| pending.owner == *facts.owner() && !pending.state.is_open()) else {
        return Ok(None);
    };
    let undo = match wants {
        CardVerb::Cancel => undo::of_card(brain, facts, &pending.id).await?,
        CardVerb::Approve | CardVerb::Edit | CardVerb::Drop(_) => None,
    };
    let words = match &undo {
        Some(_) => format!("{} “Undo” takes it back.", closed::recorded(brain, &pending, None, &facts.ctx)),
        None => closed::recorded(brain, &pending, Some(wants), &facts.ctx),
    };
    Ok(Some(Answer { decided: Some(pending.id), ..Answer::says(Path::Consent, words).keeping_question() }))
}

/// Whether a message is something that a yes or no could be about.
fn takes_the_word(message: &Message) -> bool {
    match message.speaker {
        Speaker::Person => false,
        Speaker::Assistant => !message.actions.is_empty() || message.text.contains(['?', '؟', '？']),
    }
}
