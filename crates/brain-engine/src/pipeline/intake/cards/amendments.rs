//! Amendments: a yes with a change is neither a yes nor a no. A new card takes the place of the one it speaks of, in one
//! commit; if the change cannot be planned, or the words only asked about it, the card waits as it is.
//!
//! Invariant: only its owner changes a card, in words typed about it: in reply to it, after its *Edit* button, or
//! right below it. Not here: drafts, which wait for nothing ([`drafts`]).

use super::drafts;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::{Answer, Question};
use crate::pipeline::consent::cards;
use crate::pipeline::consent::{card_is_last, too_late, which};
use crate::pipeline::stages::context;
use crate::pipeline::stages::converse;
use crate::pipeline::stages::guard;
use crate::pipeline::stages::rounds::rounds;
use crate::pipeline::stages::topic::{Amended, Topic};
use crate::pipeline::turn::{Turn, TurnError, TurnFacts};
use brain_core::core::outcome::{Report, Status};
use brain_core::core::pending::Pending;
use brain_core::core::turn::{Input, Origin, Path};
use brain_language::language::consent;
use brain_language::language::consent::Consent;
use brain_language::language::people::{self, Candidate};
use brain_language::language::routing::{Guess, Kind};
use brain_services::services::across::amendment;
use brain_services::services::helpers::address_book::PeopleQuery;

const STAYS: &str = "I couldn't work out that change, so the card stays as it was. Nothing was done.";

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
    let is_conversation = converse::is_held(turn.brain, &turn.facts);
    match meant(&turn.facts, is_conversation) {
        AmendedThing::Card(pending) => {
            match turn.unless_cancelled(guard::stops(turn.brain, &turn.facts, turn.account)).await? {
                Some(stopped) => Ok(Some(stopped)),
                None => Ok(Some(amend(turn, pending).await?)),
            }
        }
        AmendedThing::OneOfSeveral => Ok(Some(which(turn.brain, &turn.facts, None))),
        AmendedThing::None if is_conversation => Ok(None),
        AmendedThing::None => drafts::changed(turn).await,
    }
}

/// `is_conversation`: what is not plainly about a card is left to a model that sees it.
fn meant<'t>(facts: &'t TurnFacts, is_conversation: bool) -> AmendedThing<'t> {
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
    if is_conversation || !card_is_last(facts) || !consent::amends(text) {
        return AmendedThing::None;
    }
    match facts.open.as_slice() {
        [] => AmendedThing::None,
        [only] => AmendedThing::Card(only),
        _ => AmendedThing::OneOfSeveral,
    }
}

/// Changes a card: a new one takes its place, in the commit that withdraws it. Until then it waits as it is, and so it
/// does where the change cannot be planned.
async fn amend(turn: &Turn<'_>, pending: &Pending) -> Result<Answer, TurnError> {
    let mut answer = match planned_again(turn, &pending.domains, Amended::card(pending)).await {
        // A question about it changes nothing of it.
        Ok(answer) if only_looked(turn.brain, &answer) => return Ok(Answer { path: Path::Consent, ..answer }),
        Ok(answer) if leads_on(&answer) => answer,
        Err(TurnError::Store(error)) => return Err(error.into()),
        Ok(refused) => return Ok(stays(refused)),
        Err(TurnError::Cancelled) => return Ok(stays(Answer::of(Path::Consent))),
    };
    match cards::superseded_with(turn.brain, &turn.facts, pending, &mut answer).await? {
        true => Ok(answer),
        // Decided while this message was being read: the first decision stands, and it is told.
        false => Ok(too_late(turn.brain, &turn.facts, &pending.id).await?),
    }
}

pub(super) async fn planned_again(
    turn: &Turn<'_>,
    domains: &[String],
    mut amended: Amended<'_>,
) -> Result<Answer, TurnError> {
    amended.somebody = somebody(turn.brain, &turn.facts).await;
    let guess = Guess { kind: Kind::Action, domains: domains.to_vec(), confidence: 1.0 };
    let context = turn.unless_cancelled(context::fetch(turn.brain, &turn.facts, &guess).all(turn.account)).await?;
    rounds(turn, domains, &context, Topic { amends: Some(&amended), ..Topic::default() }).await
}

/// Whom a message puts in the place of somebody else, where it names an address or somebody who is known.
async fn somebody(brain: &Brain, facts: &TurnFacts) -> Option<String> {
    let name = amendment::instead(facts.words())?;
    let known = brain.people.people(facts.owner(), &PeopleQuery::names([name])).await;
    let known = known.inspect_err(|error| tracing::warn!(%error, "nobody can tell who is meant")).ok()?;
    let known: Vec<Candidate> = known.iter().map(Candidate::from).collect();
    (name.contains('@') || !people::look_up(name, &known).is_empty()).then(|| name.to_owned())
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

/// Said of a change that came to nothing, below why, where that is known.
fn stays(refused: Answer) -> Answer {
    let mut answer = Answer::says(Path::Consent, STAYS);
    if !refused.reports.is_empty() {
        answer.replies.splice(0..0, refused.replies);
        answer.reports = refused.reports;
        answer.untrusted = refused.untrusted;
    }
    answer.keeping_question()
}
