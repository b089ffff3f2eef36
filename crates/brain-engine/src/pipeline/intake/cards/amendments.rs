//! Amendments: a yes with a change is neither a yes nor a no. The card it speaks of is withdrawn before anything is
//! planned, and a new one takes its place; if the change cannot be planned, or the words only asked about it, the original
//! comes back as a new card.
//!
//! Invariant: only its owner changes a card, in words typed about it: in reply to it, after its *Edit* button, or
//! right below it. Not here: drafts, which wait for nothing ([`drafts`]).

use super::drafts;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::consent::cards::{self, Asking};
use crate::pipeline::consent::{card_is_last, too_late, which};
use crate::pipeline::stages::context;
use crate::pipeline::stages::guard;
use crate::pipeline::stages::rounds::rounds;
use crate::pipeline::stages::topic::{Amended, Topic};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::outcome::{Report, Status};
use brain_core::core::pending::Pending;
use brain_core::core::turn::{Input, Origin, Path};
use brain_core::ports::{StoreError, Table, optimistic};
use brain_language::language::consent;
use brain_language::language::consent::Consent;
use brain_language::language::routing::{Guess, Kind};

/// What a message speaks of.
enum AmendedThing<'t> {
    /// This card is to be changed.
    Card(&'t Pending),
    /// One of several, and nothing says which.
    OneOfSeveral,
    /// No card.
    None,
}

/// Changes the card that the message speaks of, or asks which one; `None` when it speaks of none.
pub(in crate::pipeline) async fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    match meant(&turn.facts) {
        AmendedThing::Card(pending) => {
            match turn.unless_cancelled(guard::stops(turn.brain, &turn.facts, turn.account)).await? {
                Some(stopped) => Ok(Some(stopped)),
                None => Ok(Some(amend(turn, pending).await?)),
            }
        }
        AmendedThing::OneOfSeveral => Ok(Some(which(turn.brain, &turn.facts, None))),
        AmendedThing::None => drafts::changed(turn).await,
    }
}

fn meant<'t>(facts: &'t TurnFacts) -> AmendedThing<'t> {
    let Input::Message { text, origin: Origin::Typed, .. } = &facts.incoming.input else {
        return AmendedThing::None;
    };
    if consent::read(text) != Consent::Other {
        return AmendedThing::None;
    }
    if let Some(pending) = &facts.replied_card {
        // Changing a card withdraws it, so it takes the same rights as deciding it.
        let may = pending.state.is_open() && pending.owner == *facts.owner();
        return if may { AmendedThing::Card(pending) } else { AmendedThing::None };
    }
    let editing = facts.state.editing.as_ref();
    if let Some(pending) = facts.open.iter().find(|pending| Some(&pending.id) == editing) {
        return AmendedThing::Card(pending);
    }
    if !card_is_last(facts) || !consent::amends(text) {
        return AmendedThing::None;
    }
    match facts.open.as_slice() {
        [] => AmendedThing::None,
        [only] => AmendedThing::Card(only),
        _ => AmendedThing::OneOfSeveral,
    }
}

/// Changes a card: it is withdrawn at once, and a new one takes its place. When the change cannot be
/// planned, the original comes back as a new card.
async fn amend(turn: &Turn<'_>, pending: &Pending) -> Result<Answer, TurnError> {
    turn.debounce.before_writing().await;
    let withdrawal = match optimistic(&[Table::Pending], || withdrawn(turn.brain, &turn.facts, pending)).await {
        Ok(Some(withdrawal)) => withdrawal,
        // Decided while this message was being read: the first decision stands, and it is told.
        Ok(None) | Err(StoreError::Conflict { .. }) => return Ok(too_late(turn.brain, &turn.facts, &pending.id).await?),
        Err(error) => return Err(error.into()),
    };

    let mut answer = match planned_again(turn, &pending.domains, &Amended::card(pending)).await {
        // A question about it changes nothing of it.
        Ok(mut answer) if only_looked(turn.brain, &answer) => {
            cards::ask(turn.brain, &turn.facts, Asking::again(pending), &mut answer)?;
            answer
        }
        Ok(answer) if leads_on(&answer) => answer,
        Err(TurnError::Store(error)) => return Err(error.into()),
        // Why it was refused is told above the original.
        Ok(refused) => again(turn.brain, &turn.facts, pending, refused)?,
        Err(TurnError::Cancelled) => again(turn.brain, &turn.facts, pending, Answer::of(Path::Consent))?,
    };
    answer.path = Path::Consent;
    answer.edits.splice(0..0, withdrawal.edits);
    answer.replies.splice(0..0, withdrawal.replies);
    Ok(answer)
}

pub(super) async fn planned_again(
    turn: &Turn<'_>,
    domains: &[String],
    amended: &Amended<'_>,
) -> Result<Answer, TurnError> {
    let guess = Guess { kind: Kind::Action, domains: domains.to_vec(), confidence: 1.0 };
    let context = turn.unless_cancelled(context::fetch(turn.brain, &turn.facts, &guess).all(turn.account)).await?;
    rounds(turn, domains, &context, Topic { amends: Some(amended), ..Topic::default() }).await
}

/// One attempt to withdraw a card, durable at once; what is shown of it comes with the answer. `None` when it is not
/// open any more.
async fn withdrawn(brain: &Brain, facts: &TurnFacts, pending: &Pending) -> Result<Option<Answer>, StoreError> {
    let mut withdrawal = Answer::of(Path::Consent);
    if !cards::supersede(brain, facts, pending, &mut withdrawal).await? {
        return Ok(None);
    }
    brain.commit(std::mem::take(&mut withdrawal.batch)).await?;
    Ok(Some(withdrawal))
}

/// True when something was looked up, and nothing else came of it.
fn only_looked(brain: &Brain, answer: &Answer) -> bool {
    let is_look = |report: &Report| {
        let entry = brain.services.command(&report.service, &report.command);
        report.status == Status::Succeeded && entry.is_some_and(|entry| !entry.writes())
    };
    let asks = matches!(answer.clarification, Question::Open(_));
    !asks && !answer.reports.is_empty() && answer.reports.iter().all(is_look)
}

/// True when a change came to something: it ran, waits, or was asked about.
fn leads_on(answer: &Answer) -> bool {
    let stopped = |report: &Report| matches!(report.status, Status::Refused | Status::Failed);
    matches!(answer.clarification, Question::Open(_)) || !answer.reports.iter().all(stopped)
}

fn again(brain: &Brain, facts: &TurnFacts, pending: &Pending, refused: Answer) -> Result<Answer, StoreError> {
    let mut answer = Answer::says(
        Path::Consent,
        "I couldn't work out that change, so here is the original again. Nothing was done.",
    );
    if !refused.reports.is_empty() {
        answer.replies.splice(0..0, refused.replies);
        answer.reports = refused.reports;
        answer.untrusted = refused.untrusted;
    }
    cards::ask(brain, facts, Asking::again(pending), &mut answer)?;
    Ok(answer)
}
