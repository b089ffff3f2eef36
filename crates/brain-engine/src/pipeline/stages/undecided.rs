//! What is said right below a card and decides nothing: neither talk nor a request, so the card is shown again.
//!
//! What begins like a yes or a no is about the card before anybody else is asked. What is only short is about it once
//! nobody has found a request in it: people ask for other things in few words, too.
//!
//! Invariant: nothing is decided here. A request is a turn of its own, and ends with what waits (see
//! `consent::waiting`).

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::{again, card_is_last};
use crate::pipeline::stages::guessed;
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::turn::{Input, Path};
use brain_language::language::routing::Kind;
use brain_language::language::{consent, requests};

/// Something this short below a card is about it, unless it is a question, a request, or a topic of its own.
const WORDS_MAX: usize = 6;
const UNDECIDED: &str = "I'm not sure whether that was a yes or a no, so nothing was done.";

/// Shows the card again to what begins like a yes or a no and holds no request; `None` for everything else.
pub(in crate::pipeline) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Answer>, TurnError> {
    let is_about_it = is_below_a_card(facts) && consent::leans(facts.words());
    Ok((is_about_it && guessed::guess(brain, facts).kind == Kind::Chat).then(|| shown_again(brain, facts)))
}

/// Shows the card again to a message in which no request was found; `None` when it has a topic of its own.
pub(in crate::pipeline) fn instead_of_talk(brain: &Brain, facts: &TurnFacts) -> Option<Answer> {
    let text = facts.words();
    let is_short = text.split_whitespace().count() <= WORDS_MAX && !text.contains(['?', '؟', '？']);
    (is_below_a_card(facts) && is_short && !requests::is_small_talk(text)).then(|| shown_again(brain, facts))
}

fn is_below_a_card(facts: &TurnFacts) -> bool {
    let is_bare =
        matches!(&facts.incoming.input, Input::Message { origin, reply_to: None, .. } if origin.is_own_words());
    is_bare && card_is_last(facts) && facts.open_question().is_none()
}

fn shown_again(brain: &Brain, facts: &TurnFacts) -> Answer {
    Answer { path: Path::Consent, ..again(brain, facts, UNDECIDED) }
}
