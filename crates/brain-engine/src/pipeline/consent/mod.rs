//! Consent: cards, and what a message or a press decides about them.
//!
//! A yes or no in words is read in `intake::cards`; a button carries the id it decides. Here the one decision is made
//! that all of them come to, [`decide`]; it is made durable in [`decisions`]. Invariants 3 to 12 of the design live in
//! these and in `core::pending`. No model is asked about consent.

pub mod cards;
pub mod closed;
pub mod decisions;
pub(super) mod drafts;
mod lately;
pub(super) mod listed;
pub(super) mod stopping;
pub mod undo;
pub(super) mod waiting;
pub mod withdrawn;

use super::commit::Answer;
use super::show::Results;
use super::turn::Turn;
use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::turn::{TurnFacts, status};
use brain_core::core::button::CardVerb;
use brain_core::core::ids::PendingId;
use brain_core::core::outcome::Status;
use brain_core::core::pending::{Decision, Means, NotYours, Pending, State, Transition};
use brain_core::core::turn::{NoticeKind, Path, Reply};
use brain_core::limits;
use brain_core::ports::{StoreError, Table, optimistic};
use decisions::Revisions;
pub(super) use lately::recorded;

/// What can be said behind a card's Edit button; Telegram shows up to 64 characters.
const EDIT_EXAMPLE: &str = "at 4pm instead · to Max, too · shorter";
const UNSURE: &str = "I'm not sure that was about the card that still waits, so nothing was done:";

/// Whether the last message of the chat is an open card.
pub fn card_is_last(facts: &TurnFacts) -> bool {
    facts.open.iter().any(|p| p.last_card_message().is_some() && p.last_card_message() == facts.state.last_bot_message)
}

/// Asks which card is meant: of several they are listed, a single one is shown again.
pub fn asked_back(brain: &Brain, facts: &TurnFacts) -> Answer {
    let is_shown = |pending: &Pending| pending.card_messages.len() >= pending.card_parts;
    match facts.open.as_slice() {
        [only] if is_shown(only) && !facts.others_wait => again(brain, facts, UNSURE),
        _ => which(brain, facts, None),
    }
}

/// Lists what is open, numbered, and asks which one is meant. `wants`: what was said of it; the numbers and buttons
/// then say it of the one that they name, otherwise they show it.
pub fn which(brain: &Brain, facts: &TurnFacts, wants: Option<CardVerb>) -> Answer {
    let open = &facts.open[..facts.open.len().min(limits::LIST_ROWS_MAX)];
    let wants = wants.filter(|_| open.len() > 1);
    let line = |(row, pending): (usize, &Pending)| listed::row(brain, row + 1, pending);
    let mut lines: Vec<String> = open.iter().enumerate().map(line).collect();
    let ask = if lines.len() == 1 { UNSURE } else { "Several things wait for your word:" };
    let more = facts.open.len().saturating_sub(limits::LIST_ROWS_MAX);
    if more > 0 {
        lines.push(format!("… and {more} more: /pending"));
    }
    let how = match wants {
        Some(CardVerb::Approve) => "Which one is the yes for? Say its number or its words, or reply to the card.",
        Some(CardVerb::Cancel) => "Which one is the no for? Say its number or its words, or reply to the card.",
        Some(CardVerb::Edit | CardVerb::Drop(_)) | None => {
            "Say a number to see that card again, use its buttons, or reply to it."
        }
    };
    let mut answer = Answer::says(Path::Consent, format!("{ask}\n{}\n{how}", lines.join("\n"))).keeping_question();
    answer.replies.iter_mut().for_each(|reply| reply.buttons = listed::buttons(brain, open, wants));
    answer
}

/// Says why nothing was decided, and shows the card that waits once more, below it; of several, which ones they are.
pub fn again(brain: &Brain, facts: &TurnFacts, why: &str) -> Answer {
    let mut answer = which(brain, facts, None);
    if let [only] = facts.open.as_slice() {
        listed::below(brain, facts, only, &mut answer);
    }
    answer.replies.insert(0, Reply::text(why));
    answer
}

/// Decides a card as its owner. `digest_prefix`: what a button carried.
pub async fn decide(
    turn: &Turn<'_>,
    id: &PendingId,
    verb: CardVerb,
    digest_prefix: Option<&str>,
    means: Means,
) -> Result<Answer, StoreError> {
    // The record changes when its messages are noted, too: only a decision of somebody else ends this one.
    let decided =
        optimistic(&[Table::Pending], || try_to_decide(turn.brain, &turn.facts, id, verb, digest_prefix, means));
    match decided.await {
        Ok(Tried::Unknown) => {
            let words = "I don't know that card (any more). Nothing was done.";
            Ok(Answer::says(Path::Consent, words).noticed(&turn.facts.incoming, NoticeKind::Alert).keeping_question())
        }
        Ok(Tried::Refused(pending, revision, why)) => {
            refused(turn.brain, &turn.facts, pending, revision, why, Some(verb)).await
        }
        Ok(Tried::Edits(pending)) => Ok(edit(&pending)),
        Ok(Tried::Drops(pending, index)) => cards::drop_action(turn, pending, index).await,
        Ok(Tried::Approved(pending, revisions)) => approved(turn, pending, revisions).await,
        Ok(Tried::Denied(pending)) => Ok(denied(turn.brain, &turn.facts, &pending)),
        Err(StoreError::Conflict { .. }) => too_late(turn.brain, &turn.facts, id).await,
        Err(error) if error.is_of_one_record() => {
            tracing::error!(pending = %id, %error, "a card cannot be decided");
            Ok(Answer::says(Path::Consent, decisions::UNREADABLE)
                .noticed(&turn.facts.incoming, NoticeKind::Alert)
                .keeping_question())
        }
        Err(error) => Err(error),
    }
}

/// What one look at a card came to.
enum Tried {
    Unknown,
    Refused(Pending, u64, NotYours),
    Edits(Pending),
    Drops(Pending, usize),
    /// The approval is durable.
    Approved(Pending, Revisions),
    /// The denial is.
    Denied(Pending),
}

/// One attempt, on the card as it is now.
async fn try_to_decide(
    brain: &Brain,
    facts: &TurnFacts,
    id: &PendingId,
    verb: CardVerb,
    digest_prefix: Option<&str>,
    means: Means,
) -> Result<Tried, StoreError> {
    let Some((mut pending, revision)) = shown_card(brain, facts, id).await? else {
        return Ok(Tried::Unknown);
    };
    let instants = brain.clock.instants();
    if let Err(refusal) = pending.may_decide(facts.owner(), facts.chat(), digest_prefix, &instants) {
        return Ok(Tried::Refused(pending, revision, refusal));
    }
    let decision = Decision { by: facts.owner().clone(), means, at: instants.now, digest: pending.digest.clone() };
    let inbox = facts.incoming.inbox.as_deref();
    match verb {
        CardVerb::Edit => Ok(Tried::Edits(pending)),
        CardVerb::Drop(index) => Ok(Tried::Drops(pending, index)),
        CardVerb::Approve => {
            let revisions = brain.record_decision(&mut pending, revision, Transition::Approve, decision, inbox).await?;
            Ok(Tried::Approved(pending, revisions))
        }
        CardVerb::Cancel => {
            brain.record_decision(&mut pending, revision, Transition::Deny, decision, inbox).await?;
            Ok(Tried::Denied(pending))
        }
    }
}

/// The card, with its messages on record: a quick press can come before the record of what was just shown, so
/// what is being delivered in the chat is waited for, a little.
async fn shown_card(brain: &Brain, facts: &TurnFacts, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
    match brain.pending(id).await? {
        Some((pending, _)) if pending.state.is_open() && pending.card_messages.len() < pending.card_parts => {
            brain.delivered_so_far(facts.chat()).await;
            brain.pending(id).await
        }
        other => Ok(other),
    }
}

/// A card that was decided at the same moment: the recorded result.
pub async fn too_late(brain: &Brain, facts: &TurnFacts, id: &PendingId) -> Result<Answer, StoreError> {
    match brain.pending(id).await? {
        Some((pending, _)) if pending.state.is_open() => {
            let words = "Something else changed that card at the same moment, so I did nothing. Please try again.";
            Ok(Answer::says(Path::Consent, words).noticed(&facts.incoming, NoticeKind::Alert).keeping_question())
        }
        Some((pending, revision)) => {
            let state = pending.state;
            refused(brain, facts, pending, revision, NotYours::Decided(state), None).await
        }
        None => {
            let gone = Answer::says(Path::Consent, "That card is gone. Nothing was done.");
            Ok(gone.noticed(&facts.incoming, NoticeKind::Toast).keeping_question())
        }
    }
}

fn edit(pending: &Pending) -> Answer {
    let mut answer = Answer::says(
        Path::Consent,
        "What should I change? Write it as you would say it, for example “at 4pm instead”.",
    );
    answer.replies.iter_mut().for_each(|reply| reply.placeholder = Some(EDIT_EXAMPLE.into()));
    answer.editing = Some(pending.id.clone());
    answer
}

/// Why not, truthfully; an expired card is closed on the way.
async fn refused(
    brain: &Brain,
    facts: &TurnFacts,
    mut pending: Pending,
    revision: u64,
    refusal: NotYours,
    wants: Option<CardVerb>,
) -> Result<Answer, StoreError> {
    let what = show::title(&brain.services, &pending);
    let kind = match refusal {
        NotYours::Decided(_) | NotYours::Expired => NoticeKind::Toast,
        NotYours::NotOwner
        | NotYours::OtherChat
        | NotYours::OlderView
        | NotYours::FromTheFuture
        | NotYours::NotShown
        | NotYours::Altered => NoticeKind::Alert,
    };
    let answer = match refusal {
        // Somebody else's card is not described.
        NotYours::NotOwner => {
            Answer::says(Path::Consent, "That card belongs to somebody else; only they can decide it.")
        }
        NotYours::OtherChat => {
            Answer::says(Path::Consent, "That card can only be decided in the chat where I asked. Nothing was done.")
        }
        NotYours::Decided(_) => Answer::says(Path::Consent, closed::recorded(brain, &pending, wants, &facts.ctx)),
        NotYours::Expired => {
            brain.expire(&mut pending, revision).await?;
            Answer::says(
                Path::Consent,
                format!("That card has expired, so I did not {what}. Ask again if you still want it."),
            )
        }
        NotYours::OlderView | NotYours::FromTheFuture | NotYours::NotShown | NotYours::Altered => {
            Answer::says(Path::Consent, format!("I did nothing: {refusal}."))
        }
    };
    let mut answer = answer.noticed(&facts.incoming, kind);
    if !matches!(refusal, NotYours::NotOwner | NotYours::OtherChat) {
        answer.decided = (!pending.state.is_open()).then(|| pending.id.clone());
        let status = show::status_of(pending.state);
        answer.reports =
            pending.actions.iter().map(|action| show::report(action, status, Some(&refusal.to_string()))).collect();
    }
    if !pending.state.is_open() {
        answer.show(closed::view(brain, &pending, facts.ctx.zone));
    }
    Ok(answer.keeping_question())
}

fn denied(brain: &Brain, facts: &TurnFacts, pending: &Pending) -> Answer {
    let answer = Answer::says(Path::Consent, format!("Okay, I won't {}.", show::title(&brain.services, pending)));
    let mut answer = answer.noticed(&facts.incoming, NoticeKind::Toast);
    answer.reports = pending.actions.iter().map(|action| show::report(action, Status::Denied, None)).collect();
    answer.show(closed::view(brain, pending, facts.ctx.zone));
    answer.decided = Some(pending.id.clone());
    answer
}

/// Does what was approved and answers.
async fn approved(turn: &Turn<'_>, pending: Pending, revisions: Revisions) -> Result<Answer, StoreError> {
    // What is being done can no longer be stopped, so that `/cancel` does not claim to.
    turn.brain.end(&turn.facts.incoming);
    let under_way = turn.brain.running.carries_out(&pending);
    turn.debounce.let_pass();
    let first = pending.actions.first();
    turn.account.doing(first.map_or_else(status::thinking, |action| status::running(&turn.brain.services, action)));
    let finished = turn.brain.execute_approved(&turn.facts.ctx, pending, revisions, &under_way).await?;
    let mut results = Results::default();
    results.add_run(&turn.brain.services, &turn.facts.ctx.reference(), &finished.run);
    let mut answer = Answer::of(Path::Consent);
    answer.reports = finished.reports();
    answer.actions = cards::past_actions(turn.brain, &finished.run);
    answer.show(closed::view(turn.brain, &finished.pending, turn.facts.ctx.zone));
    answer.decided = Some(finished.pending.id.clone());
    let is_done = finished.pending.state == State::Succeeded && finished.pending.goes_on.is_some();
    answer.goes_on = is_done.then(|| Box::new(finished.pending.clone()));
    answer.batch = finished.batch;
    answer.untrusted = finished.untrusted;
    answer.asks = finished.asks;
    let mut reply = Reply::text(results.receipts.join("\n"));
    reply.buttons = undo::buttons(&finished.undo, &mut answer.batch)?;
    reply.buttons.extend(cards::next_buttons(turn.brain, &finished.run));
    answer.replies.push(reply);
    Ok(answer)
}
