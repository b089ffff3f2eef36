//! Cards and costly questions in lists: their rows and buttons, and a card once more.

use super::cards;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use crate::queries::questions::CostlyQuestion;
use brain_core::core::button::{Button, CardVerb, Press};
use brain_core::core::pending::Pending;
use brain_core::core::text::shorten;
use brain_core::core::turn::Edit;
use brain_core::limits;

/// A row of a list of cards.
pub(super) fn row(brain: &Brain, number: usize, pending: &Pending) -> String {
    format!("{number}. {} · {}", show::title(&brain.services, pending), pending.id)
}

/// A button for each card of a list, in its order.
pub(in crate::pipeline) fn buttons(brain: &Brain, open: &[Pending], wants: Option<CardVerb>) -> Vec<Vec<Button>> {
    let button = |(row, pending): (usize, &Pending)| {
        let press = match wants {
            Some(verb @ (CardVerb::Approve | CardVerb::Cancel)) => {
                let digest_prefix = pending.digest.prefix().to_owned();
                Press::Card { pending: pending.id.clone(), digest_prefix, verb }
            }
            Some(CardVerb::Edit | CardVerb::Drop(_)) | None => Press::Show(pending.id.clone()),
        };
        let sign = match wants {
            Some(CardVerb::Approve) => "✅ ",
            Some(CardVerb::Cancel) => "✖️ ",
            Some(CardVerb::Edit | CardVerb::Drop(_)) | None => "",
        };
        let what = shorten(&show::title(&brain.services, pending), limits::ACTION_NAMED_CHARS);
        vec![Button::new(format!("{sign}{} · {what}", row + 1), &press)]
    };
    open.iter().enumerate().map(button).collect()
}

/// A button for each costly question of a list, below so many cards.
pub(in crate::pipeline) fn question_buttons(waiting: &[CostlyQuestion], cards: usize) -> Vec<Vec<Button>> {
    let button = |(row, question): (usize, &CostlyQuestion)| {
        vec![Button::new(format!("{} · {}", cards + row + 1, question.title()), &Press::Show(question.id.clone()))]
    };
    waiting.iter().enumerate().map(button).collect()
}

/// Adds a card once more, in place of its last message, below what the answer says.
pub(in crate::pipeline) fn below(brain: &Brain, facts: &TurnFacts, pending: &Pending, answer: &mut Answer) {
    if let Ok(parts) = cards::parts(brain, pending, &facts.reference()) {
        let before = pending.last_card_message().map(|message| Edit::buttons(message, Vec::new()));
        answer.edits.extend(before);
        answer.replies = parts;
    }
}
