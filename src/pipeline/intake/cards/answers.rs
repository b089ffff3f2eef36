//! What a written yes or no says to the open cards.
//!
//! Invariants 3 to 12 of the design, as far as words go: a reply decides the card it replies to; a bare yes or no
//! counts only if it was typed, after the card was complete, and its card is the assistant's last message and the only
//! one shown since the person's message before this one; older open cards do not stand in the way. Every other yes or no
//! is asked back; one that follows a decision is told what was recorded. Not here: a card that is named (see
//! [`super::named`]), and anything else that is said about one (see [`super::amendments`]).

use super::{drafts, named};
use crate::core::button::CardVerb;
use crate::core::pending::{Means, Pending};
use crate::core::turn::{Input, Origin, Path};
use crate::language::consent;
use crate::language::consent::Consent;
use crate::limits;
use crate::pipeline::commit::Answer;
use crate::pipeline::consent::decisions::UNREADABLE;
use crate::pipeline::consent::{again, asked_back, card_is_last, closed, decide, stopping, undo, which};
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::StoreError;
use crate::ports::records::{Message, Speaker};

const BOTH: &str = "You said yes and no at once, so I did neither.";
const YES_AND_WAIT: &str = "You said yes and to wait at once, so I did nothing yet.";
const WAITS: &str = "Okay, nothing was done. This waits until you say yes or no:";

/// Decides a card, or asks which one is meant; `None` when this is no yes or no, or is for something else.
pub(in crate::pipeline) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Input::Message { text, origin, reply_to } = &turn.incoming.input else {
        return Ok(None);
    };
    let said = consent::read(text);
    if let Some(both) = says_both(turn).filter(|_| !turn.open.is_empty()) {
        return Ok(Some(again(turn, both)));
    }
    if said == Consent::Wait {
        return puts_off(turn).await;
    }
    if let Some(pending) = &turn.replied_card {
        if *origin != Origin::Typed {
            return Ok(Some(Answer::says(Path::Consent, not_typed(*origin)).keeping_question()));
        }
        return Ok(match verb(said) {
            Some(verb) => Some(decide(turn, &pending.id, verb, None, Means::Reply).await?),
            None => None,
        });
    }
    if turn.replied_to_unreadable && verb(said).is_some() {
        return Ok(Some(Answer::says(Path::Consent, UNREADABLE).keeping_question()));
    }
    if let Some(answer) = drafts::decided(turn, said).await? {
        return Ok(Some(answer));
    }
    match verb(said) {
        None => named::answer(turn).await,
        Some(verb) if turn.open.is_empty() => {
            if verb == CardVerb::Cancel
                && turn.open_question().is_none()
                && let Some(told) = stopping::stop_cards(turn).await?
            {
                return Ok(Some(Answer::says(Path::Consent, told).keeping_question()));
            }
            let told = if reply_to.is_none() { recorded(turn, verb).await? } else { None };
            Ok(told)
        }
        // A yes to some other message of the chat is about that one.
        Some(_) if reply_to.is_some() => Ok(turn.state.clarification.is_none().then(|| asked_back(turn))),
        Some(verb) => Ok(bare(turn, verb, *origin).await?),
    }
}

/// What to say to a yes and its opposite, one right after the other; `None` when it is not that.
fn says_both(turn: &Turn<'_>) -> Option<&'static str> {
    let said: Vec<Consent> = turn.incoming.parts.iter().map(|part| consent::read(&part.text)).collect();
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
async fn puts_off(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    if !turn.origin().is_own_words() || turn.open_question().is_some() {
        return Ok(None);
    }
    if let Some(told) = stopping::stop_cards(turn).await? {
        return Ok(Some(Answer::says(Path::Consent, told).keeping_question()));
    }
    if turn.open.is_empty() {
        return Ok(recorded(turn, CardVerb::Cancel).await?);
    }
    Ok(Some(again(turn, WAITS)))
}

pub(super) fn verb(said: Consent) -> Option<CardVerb> {
    match said {
        Consent::Yes => Some(CardVerb::Approve),
        Consent::No => Some(CardVerb::Cancel),
        Consent::Wait | Consent::Other => None,
    }
}

/// A bare yes or no: counts only when there can be no doubt what it is about.
async fn bare(turn: &Turn<'_>, verb: CardVerb, origin: Origin) -> Result<Option<Answer>, StoreError> {
    let only = match (turn.open.as_slice(), turn.others_wait) {
        ([only], false) => Some(only),
        (_, false) => just_shown(turn),
        (_, true) => None,
    };
    let Some(only) = only else {
        // A question of ours was asked after the cards: the answer is for the question.
        let asked_last = turn.state.clarification.is_some() && !card_is_last(turn);
        return Ok((!asked_last).then(|| which(turn, Some(verb))));
    };
    if origin != Origin::Typed {
        return Ok(Some(Answer::says(Path::Consent, not_typed(origin)).keeping_question()));
    }
    let shown_last = only.last_card_message() == turn.state.last_bot_message && only.last_card_message().is_some();
    let after_card = only.last_card_message().is_some_and(|card| turn.incoming.message_id > card);
    if !(shown_last && after_card) {
        return Ok(turn.state.clarification.is_none().then(|| asked_back(turn)));
    }
    Ok(Some(decide(turn, &only.id, verb, None, Means::Text).await?))
}

/// The card that is the assistant's last message, if no other was shown since the person's message before this one. What
/// cannot be told apart by that message is not told apart.
fn just_shown<'t>(turn: &'t Turn<'_>) -> Option<&'t Pending> {
    let before = turn.own_messages().next_back()?.message?;
    let mut since = turn.open.iter().filter(|open| open.last_card_message().is_none_or(|card| card > before));
    let (only, None) = (since.next()?, since.next()) else { return None };
    only.last_card_message().filter(|card| Some(*card) == turn.state.last_bot_message).map(|_| only)
}

/// The recorded result of the card that was decided last, when nothing can have come between that and these words:
/// no question of ours, nothing that was done, not much time.
pub(super) async fn recorded(turn: &Turn<'_>, wants: CardVerb) -> Result<Option<Answer>, StoreError> {
    let waits = turn.open_question().is_some() || turn.state.editing.is_some() || turn.state.snoozing.is_some();
    let Some(last) = turn.state.decided.as_ref().filter(|_| !waits) else {
        return Ok(None);
    };
    let is_recent = turn.ctx.now - last.at <= chrono::Duration::seconds(limits::DECIDED_LATELY_SECS);
    let mut since = turn.history.iter().filter(|message| message.number >= last.next_message);
    if !is_recent || since.any(takes_the_word) {
        return Ok(None);
    }
    let decided = turn.brain.pending(&last.pending).await?.map(|(pending, _)| pending);
    let Some(pending) = decided.filter(|pending| pending.owner == *turn.owner() && !pending.state.is_open()) else {
        return Ok(None);
    };
    let undo = match wants {
        CardVerb::Cancel => undo::of_card(turn, &pending.id).await?,
        CardVerb::Approve | CardVerb::Edit | CardVerb::Drop(_) => None,
    };
    let words = match &undo {
        Some(_) => format!("{} “Undo” takes it back.", closed::recorded(turn.brain, &pending, None, &turn.ctx)),
        None => closed::recorded(turn.brain, &pending, Some(wants), &turn.ctx),
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

pub(super) fn not_typed(origin: Origin) -> &'static str {
    match origin {
        Origin::PartialQuote => {
            "You quoted only a part, so I'm not sure what the yes or no is for. Please press a button, or reply to the card itself."
        }
        Origin::Edited => "An edited message can't decide a card. Please press a button, or write yes or no anew.",
        Origin::InGroup => "A card is decided where I asked. Please press its button there, or reply to it.",
        Origin::Forwarded | Origin::OnBehalf | Origin::Caption | Origin::Transcript | Origin::Typed => {
            "That can't decide a card. Please press a button, or type yes or no."
        }
    }
}
