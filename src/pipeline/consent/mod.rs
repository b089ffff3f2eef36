//! Consent: what a message or a press says to the open cards, before anything else looks at it.
//!
//! No model is asked here. Invariants 3 to 12 of the design live here, in `decisions` and in `core::pending`:
//! a button decides the id it carries; a reply decides the card it replies to; a bare yes or no counts only
//! if it was typed, after the card was complete, exactly one action is open, and its card is the
//! assistant's last message. Everything else is asked back, or goes to the planner.

pub mod cards;
pub mod closed;
pub mod decisions;
pub mod undo;

use super::brain::Brain;
use super::commit::answer::Answer;
use super::stages::respond;
use super::stages::respond::Results;
use super::turn::Turn;
use crate::core::button::CardVerb;
use crate::core::ids::{ChatId, MessageId, PendingId};
use crate::core::outcome::Status;
use crate::core::pending::{Decision, Event, Means, NotYours, Pending, State};
use crate::core::plan::{Action, PlannedAction};
use crate::core::text::shorten;
use crate::core::turn::{Input, Origin, Path, Reply};
use crate::language::consent;
use crate::language::consent::Consent;
use crate::limits;
use crate::pipeline::stages::status;
use crate::ports::records::CardMessage;
use crate::ports::{RecordExt, StoreError};
use decisions::Revisions;

/// What a message says to the open cards.
#[derive(Debug)]
pub enum Intake {
    /// It decided one, or asked which; this is the answer.
    Answered(Box<Answer>),
    /// It changes this card.
    Amends(Box<Pending>),
    /// Nothing to do with them.
    Unrelated,
}

/// Reads a written message as consent.
pub async fn intake(turn: &Turn<'_>) -> Result<Intake, StoreError> {
    let Input::Message { text, origin, reply_to } = &turn.incoming.input else {
        return Ok(Intake::Unrelated);
    };
    let said = consent::read(text);
    if let Some(message) = reply_to
        && let Some(pending) = card_of(turn.brain, turn.chat(), *message).await?
    {
        return reply(turn, said, *origin, pending).await;
    }
    if let Some(editing) = &turn.state.editing
        && let Some(pending) = turn.open.iter().find(|pending| pending.id == *editing)
        && said == Consent::Other
        && *origin == Origin::Typed
    {
        return Ok(Intake::Amends(Box::new(pending.clone())));
    }
    match said {
        Consent::Yes | Consent::No if turn.open.is_empty() => Ok(Intake::Unrelated),
        // A yes to some other message of the chat is about that one.
        Consent::Yes | Consent::No if reply_to.is_some() => {
            Ok(if turn.state.clarification.is_some() { Intake::Unrelated } else { answered(which(turn)) })
        }
        Consent::Yes | Consent::No => bare(turn, said, *origin).await,
        Consent::Other => Ok(amendment(turn, text, *origin)),
    }
}

/// A reply to a card decides that card, or changes it.
async fn reply(turn: &Turn<'_>, said: Consent, origin: Origin, pending: Pending) -> Result<Intake, StoreError> {
    if origin != Origin::Typed {
        return Ok(answered(Answer::says(Path::Consent, not_typed(origin)).keeping_question()));
    }
    let verb = match said {
        Consent::Yes => CardVerb::Approve,
        Consent::No => CardVerb::Cancel,
        // Changing a card withdraws it, so it takes the same rights as deciding it.
        Consent::Other if pending.state.is_open() && pending.owner == *turn.owner() => {
            return Ok(Intake::Amends(Box::new(pending)));
        }
        Consent::Other => return Ok(Intake::Unrelated),
    };
    Ok(answered(decide(turn, &pending.id, verb, None, Means::Reply).await?))
}

/// A bare yes or no: counts only when there can be no doubt what it is about.
async fn bare(turn: &Turn<'_>, said: Consent, origin: Origin) -> Result<Intake, StoreError> {
    let ([only], false) = (turn.open.as_slice(), turn.others_wait) else {
        // A question of ours was asked after the cards: the answer is for the question.
        let asked_last = turn.state.clarification.is_some() && !card_is_last(turn);
        return Ok(if asked_last { Intake::Unrelated } else { answered(which(turn)) });
    };
    if origin != Origin::Typed {
        return Ok(answered(Answer::says(Path::Consent, not_typed(origin)).keeping_question()));
    }
    let shown_last = only.last_card_message() == turn.state.last_bot_message && only.last_card_message().is_some();
    let after_card = only.last_card_message().is_some_and(|card| turn.incoming.message_id > card);
    if !(shown_last && after_card) && turn.state.clarification.is_some() {
        return Ok(Intake::Unrelated);
    }
    if !(shown_last && after_card) {
        return Ok(answered(which(turn)));
    }
    let verb = if said == Consent::Yes { CardVerb::Approve } else { CardVerb::Cancel };
    Ok(answered(decide(turn, &only.id, verb, None, Means::Text).await?))
}

/// "yes, but at 4pm", right below the cards: it changes the only one, or it must be said which.
fn amendment(turn: &Turn<'_>, text: &str, origin: Origin) -> Intake {
    if origin != Origin::Typed || !card_is_last(turn) || !consent::amends(text) {
        return Intake::Unrelated;
    }
    match turn.open.as_slice() {
        [] => Intake::Unrelated,
        [only] => Intake::Amends(Box::new(only.clone())),
        _ => answered(which(turn)),
    }
}

fn card_is_last(turn: &Turn<'_>) -> bool {
    turn.open.iter().any(|p| p.last_card_message().is_some() && p.last_card_message() == turn.state.last_bot_message)
}

fn answered(answer: Answer) -> Intake {
    Intake::Answered(Box::new(answer))
}

fn not_typed(origin: Origin) -> &'static str {
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

/// Lists what is open and asks which one is meant.
pub fn which(turn: &Turn<'_>) -> Answer {
    let lines: Vec<String> =
        turn.open.iter().map(|pending| format!("▫️ {} · {}", title(turn.brain, pending), pending.id)).collect();
    let ask = if lines.len() == 1 {
        "I'm not sure that was about this card, which is still open:"
    } else {
        "Several things wait for your word:"
    };
    let how = "Please use its buttons, or reply to the card you mean.";
    Answer::says(Path::Consent, format!("{ask}\n{}\n{how}", lines.join("\n"))).keeping_question()
}

/// A card in a few words.
pub fn title(brain: &Brain, pending: &Pending) -> String {
    pending.actions.iter().map(|action| wording(brain, action)).collect::<Vec<_>>().join("; ")
}

/// An action in a few words, for "I won't …".
pub fn wording(brain: &Brain, action: &Action) -> String {
    let words = brain.services.of(action).map_or_else(|| action.name(), |entry| entry.attempt(action));
    crate::core::text::visible(&words)
}

/// Proposed actions in a few words: the first of them, when there are many.
pub fn meant(brain: &Brain, actions: &[PlannedAction]) -> String {
    let action = |planned: &PlannedAction| Action {
        service: planned.service.clone(),
        command: planned.command.clone(),
        params: planned.params.clone(),
        ..Action::default()
    };
    let named = actions.iter().take(limits::ACTIONS_NAMED_MAX);
    let named = named.map(|planned| shorten(&wording(brain, &action(planned)), limits::ACTION_NAMED_CHARS));
    let mut named = named.collect::<Vec<_>>().join("; ");
    if actions.len() > limits::ACTIONS_NAMED_MAX {
        named.push_str("; …");
    }
    named
}

/// The card a message shows, decided or not.
async fn card_of(brain: &Brain, chat: &ChatId, message: MessageId) -> Result<Option<Pending>, StoreError> {
    let entry = brain.store.load::<CardMessage>(&CardMessage::key_of(chat, message)).await?;
    match entry {
        Some((entry, _)) => Ok(brain.pending(&entry.pending).await?.map(|(pending, _)| pending)),
        None => Ok(None),
    }
}

/// Decides a card as its owner. `digest_prefix`: what a button carried.
pub async fn decide(
    turn: &Turn<'_>,
    id: &PendingId,
    verb: CardVerb,
    digest_prefix: Option<&str>,
    means: Means,
) -> Result<Answer, StoreError> {
    let brain = turn.brain;
    let Some((mut pending, revision)) = shown_card(turn, id).await? else {
        return Ok(
            Answer::says(Path::Consent, "I don't know that card (any more). Nothing was done.").keeping_question()
        );
    };
    let instants = brain.clock.instants();
    if let Err(refusal) = pending.may_decide(turn.owner(), turn.chat(), digest_prefix, &instants) {
        return refused(turn, pending, revision, refusal).await;
    }
    let event = match verb {
        CardVerb::Approve => Event::Approve,
        CardVerb::Cancel => Event::Deny,
        CardVerb::Edit => return Ok(edit(&pending)),
        CardVerb::Drop(index) => return cards::drop_action(turn, pending, index).await,
    };
    let decision = Decision { by: turn.owner().clone(), means, at: instants.now, digest: pending.digest.clone() };
    match brain.record_decision(&mut pending, revision, event, decision, turn.incoming.inbox.as_deref()).await {
        Ok(revisions) => match event {
            Event::Approve => approved(turn, pending, revisions).await,
            _ => Ok(denied(turn, &pending)),
        },
        // Somebody was faster: tell what they decided.
        Err(StoreError::Conflict { .. }) => too_late(turn, id).await,
        Err(error) => Err(error),
    }
}

/// The card, with its messages on record: a quick press can come before the record of what was just shown, so
/// what is being delivered in the chat is waited for, a little.
async fn shown_card(turn: &Turn<'_>, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
    let brain = turn.brain;
    match brain.pending(id).await? {
        Some((pending, _)) if pending.state.is_open() && pending.card_messages.len() < pending.card_parts => {
            brain.delivered_so_far(turn.chat()).await;
            brain.pending(id).await
        }
        other => Ok(other),
    }
}

/// A card that was decided at the same moment: the recorded result.
pub async fn too_late(turn: &Turn<'_>, id: &PendingId) -> Result<Answer, StoreError> {
    match turn.brain.pending(id).await? {
        Some((pending, revision)) => {
            let state = pending.state;
            refused(turn, pending, revision, NotYours::Decided(state)).await
        }
        None => Ok(Answer::says(Path::Consent, "That card is gone. Nothing was done.").keeping_question()),
    }
}

fn edit(pending: &Pending) -> Answer {
    let mut answer = Answer::says(
        Path::Consent,
        "What should I change? Write it as you would say it, for example “at 4pm instead”.",
    );
    answer.editing = Some(pending.id.clone());
    answer
}

/// Why not, truthfully; an expired card is closed on the way.
async fn refused(
    turn: &Turn<'_>,
    mut pending: Pending,
    revision: u64,
    refusal: NotYours,
) -> Result<Answer, StoreError> {
    let what = title(turn.brain, &pending);
    let mut answer = match refusal {
        // Somebody else's card is not described.
        NotYours::NotOwner => {
            Answer::says(Path::Consent, "That card belongs to somebody else; only they can decide it.")
        }
        NotYours::OtherChat => {
            Answer::says(Path::Consent, "That card can only be decided in the chat where I asked. Nothing was done.")
        }
        NotYours::Decided(state) => Answer::says(Path::Consent, decided_before(&pending, state, &what)),
        NotYours::Expired => {
            turn.brain.expire(&mut pending, revision).await?;
            Answer::says(
                Path::Consent,
                format!("That card has expired, so I did not {what}. Ask again if you still want it."),
            )
        }
        NotYours::OlderView | NotYours::FromTheFuture | NotYours::NotShown | NotYours::Altered => {
            Answer::says(Path::Consent, format!("I did nothing: {refusal}."))
        }
    };
    if !matches!(refusal, NotYours::NotOwner | NotYours::OtherChat) {
        let status = status_of(pending.state);
        answer.reports = pending
            .actions
            .iter()
            .map(|action| super::stages::gate::report(action, status, Some(&refusal.to_string())))
            .collect();
    }
    if !pending.state.is_open() {
        answer.show(closed::view(turn.brain, &pending, turn.ctx.zone));
    }
    Ok(answer.keeping_question())
}

fn decided_before(pending: &Pending, state: State, what: &str) -> String {
    let result = match state {
        State::Pending | State::Approved | State::Executing => {
            format!("You already said yes; I'm on it: {what}.")
        }
        State::Succeeded => format!("That was already done: {what}."),
        State::Failed => format!("You already said yes, but it did not work: {what}."),
        State::Unknown => format!("You already said yes; whether it worked is not known: {what}."),
        State::Denied => format!("That was already cancelled, so I did not {what}."),
        State::Expired => format!("That card has expired, so I did not {what}."),
        State::Superseded => match &pending.superseded_by {
            Some(newer) => format!("That card was replaced by a newer one ({newer})."),
            None => "That card was withdrawn.".to_owned(),
        },
    };
    format!("{result} Nothing more was done.")
}

/// How a report names a state.
pub fn status_of(state: State) -> Status {
    match state {
        State::Pending | State::Approved | State::Executing => Status::Pending,
        State::Succeeded => Status::Succeeded,
        State::Failed => Status::Failed,
        State::Unknown => Status::Unknown,
        State::Denied => Status::Denied,
        State::Expired => Status::Expired,
        State::Superseded => Status::Superseded,
    }
}

fn denied(turn: &Turn<'_>, pending: &Pending) -> Answer {
    let mut answer = Answer::says(Path::Consent, format!("Okay, I won't {}.", title(turn.brain, pending)));
    answer.reports =
        pending.actions.iter().map(|action| super::stages::gate::report(action, Status::Denied, None)).collect();
    answer.show(closed::view(turn.brain, pending, turn.ctx.zone));
    answer
}

/// Does what was approved and answers.
async fn approved(turn: &Turn<'_>, pending: Pending, revisions: Revisions) -> Result<Answer, StoreError> {
    // What is being done can no longer be stopped, so that `/cancel` does not claim to.
    turn.brain.end(turn.incoming);
    let first = pending.actions.first();
    turn.doing(first.map_or_else(status::thinking, |action| status::running(&turn.brain.services, action)));
    let finished = turn.brain.execute_approved(&turn.ctx, pending, revisions).await?;
    let mut results = Results::default();
    results.add_run(turn, &finished.run);
    let mut answer = Answer::of(Path::Consent);
    answer.reports = finished.reports();
    answer.actions = cards::past_actions(turn.brain, &finished.run);
    answer.show(closed::view(turn.brain, &finished.pending, turn.ctx.zone));
    answer.batch = finished.batch;
    answer.untrusted = finished.untrusted;
    let mut reply: Reply = respond::outcomes(turn, &[], &results).await.into();
    reply.buttons = cards::next_buttons(turn.brain, &finished.run);
    answer.replies.push(reply);
    Ok(answer)
}
