//! Decisions in words: what a written yes or no says to the open cards.
//!
//! Invariants 3 to 12 of the design, as far as words go: a reply decides the card it replies to; a bare yes or no
//! counts only if it was typed, after the card was complete, and its card is the assistant's last message and the only
//! one shown since the person's message before this one; older open cards do not stand in the way. Every other yes or
//! no is asked back; one that follows a decision is told what was recorded. Not here: a card that is named (see
//! [`super::named`]), and anything else that is said about one (see [`super::amendments`]).

use super::consent_words::{not_typed, verb};
use super::{drafts, named};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::decisions::UNREADABLE;
use crate::pipeline::consent::{again, asked_back, card_is_last, decide, recorded, stopping, which};
use crate::pipeline::stages::act;
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::button::CardVerb;
use brain_core::core::pending::{Means, Pending};
use brain_core::core::turn::{Input, Origin, Path};
use brain_core::ports::StoreError;
use brain_language::language::consent;
use brain_language::language::consent::Consent;

const BOTH: &str = "You said yes and no at once, so I did neither.";
const YES_AND_WAIT: &str = "You said yes and to wait at once, so I did nothing yet.";
const WAITS: &str = "Okay, nothing was done. This waits until you say yes or no:";

/// Decides a card, or asks which one is meant; `None` when this is no yes or no, or is for something else.
pub(in crate::pipeline) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Input::Message { text, origin, reply_to } = &turn.facts.incoming.input else {
        return Ok(None);
    };
    let said = consent::read(text);
    if let Some(both) = says_both(&turn.facts).filter(|_| !turn.facts.open.is_empty()) {
        return Ok(Some(again(turn.brain, &turn.facts, both)));
    }
    if said == Consent::Wait {
        return puts_off(turn.brain, &turn.facts).await;
    }
    if let Some(pending) = &turn.facts.replied_card {
        if *origin != Origin::Typed {
            return Ok(Some(Answer::says(Path::Consent, not_typed(*origin)).keeping_question()));
        }
        return Ok(match verb(said) {
            Some(verb) => Some(decide(turn, &pending.id, verb, None, Means::Reply).await?),
            None => None,
        });
    }
    if turn.facts.replied_to_unreadable && verb(said).is_some() {
        return Ok(Some(Answer::says(Path::Consent, UNREADABLE).keeping_question()));
    }
    if let Some(intended) = drafts::decided(turn.brain, &turn.facts, said).await? {
        return Ok(Some(act::intended(turn, intended).await?));
    }
    match verb(said) {
        None => named::answer(turn).await,
        Some(verb) if turn.facts.open.is_empty() => {
            if verb == CardVerb::Cancel
                && turn.facts.open_question().is_none()
                && let Some(told) = stopping::stop_cards(turn.brain, &turn.facts).await?
            {
                return Ok(Some(Answer::says(Path::Consent, told).keeping_question()));
            }
            let told = if reply_to.is_none() { recorded(turn.brain, &turn.facts, verb).await? } else { None };
            Ok(told)
        }
        // A yes to some other message of the chat is about that one.
        Some(_) if reply_to.is_some() => {
            Ok(turn.facts.state.clarification.is_none().then(|| asked_back(turn.brain, &turn.facts)))
        }
        Some(verb) => Ok(bare(turn, verb, *origin).await?),
    }
}

/// What to say to a yes and its opposite, one right after the other; `None` when it is not that.
fn says_both(facts: &TurnFacts) -> Option<&'static str> {
    let said: Vec<Consent> = facts.incoming.parts.iter().map(|part| consent::read(&part.text)).collect();
    if !said.contains(&Consent::Yes) || said.contains(&Consent::Other) {
        return None;
    }
    match (said.contains(&Consent::No), said.contains(&Consent::Wait)) {
        (_, true) => Some(YES_AND_WAIT),
        (true, false) => Some(BOTH),
        (false, false) => None,
    }
}

/// What puts off decides nothing: what was approved and has not begun is left, a card that waits goes on waiting, and
/// of one that was just decided it is told what was recorded.
async fn puts_off(brain: &Brain, facts: &TurnFacts) -> Result<Option<Answer>, TurnError> {
    if !facts.origin().is_own_words() || facts.open_question().is_some() {
        return Ok(None);
    }
    if let Some(told) = stopping::stop_cards(brain, facts).await? {
        return Ok(Some(Answer::says(Path::Consent, told).keeping_question()));
    }
    if facts.open.is_empty() {
        return Ok(recorded(brain, facts, CardVerb::Cancel).await?);
    }
    Ok(Some(again(brain, facts, WAITS)))
}

/// A bare yes or no: counts only when there can be no doubt what it is about.
async fn bare(turn: &Turn<'_>, verb: CardVerb, origin: Origin) -> Result<Option<Answer>, StoreError> {
    let only = match (turn.facts.open.as_slice(), turn.facts.others_wait) {
        ([only], false) => Some(only),
        (_, false) => just_shown(&turn.facts),
        (_, true) => None,
    };
    let Some(only) = only else {
        // A question of ours was asked after the cards: the answer is for the question.
        let asked_last = turn.facts.state.clarification.is_some() && !card_is_last(&turn.facts);
        return Ok((!asked_last).then(|| which(turn.brain, &turn.facts, Some(verb))));
    };
    if origin != Origin::Typed {
        return Ok(Some(Answer::says(Path::Consent, not_typed(origin)).keeping_question()));
    }
    let shown_last =
        only.last_card_message() == turn.facts.state.last_bot_message && only.last_card_message().is_some();
    let after_card = only.last_card_message().is_some_and(|card| turn.facts.incoming.message_id > card);
    if !(shown_last && after_card) {
        return Ok(turn.facts.state.clarification.is_none().then(|| asked_back(turn.brain, &turn.facts)));
    }
    Ok(Some(decide(turn, &only.id, verb, None, Means::Text).await?))
}

/// The card that is the assistant's last message, if no other was shown since the person's message before this one.
/// What cannot be told apart by that message is not told apart.
fn just_shown(facts: &TurnFacts) -> Option<&Pending> {
    let before = facts.own_messages().next_back()?.message?;
    let mut since = facts.open.iter().filter(|open| open.last_card_message().is_none_or(|card| card > before));
    let (only, None) = (since.next()?, since.next()) else { return None };
    only.last_card_message().filter(|card| Some(*card) == facts.state.last_bot_message).map(|_| only)
}
