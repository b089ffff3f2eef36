//! Acting: the ways into plan, gate, execute and reflect (see [`super::rounds`]). A routed message; the two that
//! need no router, the answer to a question of ours and the change of a card; what a button or a command asks for.

use super::context::{self, Context, Fetching};
use super::plan::{self, Topic};
use super::progressing::{Progressing, told_by_receipts};
use super::rounds::{one_round, rounds};
use super::route::Route;
use crate::core::outcome::{Report, Status};
use crate::core::pending::Pending;
use crate::core::plan::{Plan, PlannedAction};
use crate::core::provenance::Sources;
use crate::core::turn::Path;
use crate::language::consent;
use crate::language::consent::Consent;
use crate::language::routing::{Guess, Kind};
use crate::limits;
use crate::pipeline::commit::answer::{Answer, Question};
use crate::pipeline::consent::cards;
use crate::pipeline::consent::cards::Asking;
use crate::pipeline::consent::{meant, too_late};
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::StoreError;
use crate::ports::records::Clarification;

/// Answers a routed message.
pub async fn act(turn: &Turn<'_>, route: Route, context: Fetching) -> Result<Answer, TurnError> {
    let question =
        turn.state.clarification.as_ref().filter(|question| route.kind == Kind::Followup && is_fresh(turn, question));
    let domains = question.map_or(route.domains, |question| question.domains.clone());
    let context = turn.unless_cancelled(context.all(turn)).await?;
    let topic = Topic { answers: question, ..Topic::default() };
    rounds(turn, &domains, &context, topic).await
}

/// When the message answers our open question, the earlier request goes on with its own domains.
pub async fn completes_a_question(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    let Some(question) = turn.state.clarification.as_ref().filter(|question| is_fresh(turn, question)) else {
        return Ok(None);
    };
    if question.partial.is_some() && consent::read(turn.words()) == Consent::No {
        let words = match question.rest.actions.as_slice() {
            [] => "Okay, never mind.".to_owned(),
            rest => format!("Okay, never mind. I leave out the rest of it, too: {}.", meant(turn.brain, rest)),
        };
        return Ok(Some(Answer::says(Path::Clarify, words)));
    }
    let topic = Topic { answers: Some(question), ..Topic::default() };
    if plan::completed(turn, &topic).is_none() {
        return Ok(None);
    }
    let domains = question.domains.clone();
    Ok(Some(rounds(turn, &domains, &Context::default(), topic).await?))
}

fn is_fresh(turn: &Turn<'_>, question: &Clarification) -> bool {
    turn.ctx.now - question.at <= chrono::Duration::seconds(limits::CLARIFICATION_SECS)
}

/// Changes a card: it is withdrawn at once, and a new one takes its place. When the change cannot be
/// planned, the original comes back as a new card.
pub async fn amend(turn: &Turn<'_>, pending: Pending) -> Result<Answer, TurnError> {
    turn.debounce.before_writing().await;
    let mut withdrawal = Answer::of(Path::Consent);
    let open = cards::supersede(turn, &pending, &mut withdrawal).await?;
    let batch = std::mem::take(&mut withdrawal.batch);
    match turn.brain.commit(batch).await {
        Ok(_) if open => {}
        // Decided while this message was being read: the first decision stands, and it is told.
        Ok(_) | Err(StoreError::Conflict { .. }) => {
            return Ok(too_late(turn, &pending.id).await?);
        }
        Err(error) => return Err(error.into()),
    }

    let domains = pending.domains.clone();
    let guess = Guess { kind: Kind::Action, domains: domains.clone(), confidence: 1.0 };
    let context = turn.unless_cancelled(context::fetch(turn, &guess).all(turn)).await;
    let changed = match context {
        Ok(context) => rounds(turn, &domains, &context, Topic { amends: Some(&pending), ..Topic::default() }).await,
        Err(cancelled) => Err(cancelled),
    };
    let mut answer = match changed {
        Ok(answer) if leads_on(&answer) => answer,
        Err(TurnError::Store(error)) => return Err(error.into()),
        // Why it was refused is told above the original.
        Ok(refused) => again(turn, &pending, refused)?,
        Err(TurnError::Cancelled) => again(turn, &pending, Answer::of(Path::Consent))?,
    };
    answer.path = Path::Consent;
    answer.edits.splice(0..0, withdrawal.edits);
    answer.replies.splice(0..0, withdrawal.replies);
    Ok(answer)
}

/// True when a change came to something: it ran, waits, or was asked about.
fn leads_on(answer: &Answer) -> bool {
    let stopped = |report: &Report| matches!(report.status, Status::Refused | Status::Failed);
    matches!(answer.clarification, Question::Open(_)) || !answer.reports.iter().all(stopped)
}

fn again(turn: &Turn<'_>, pending: &Pending, refused: Answer) -> Result<Answer, StoreError> {
    let mut answer = Answer::says(
        Path::Consent,
        "I couldn't work out that change, so here is the original again. Nothing was done.",
    );
    if !refused.reports.is_empty() {
        answer.replies.splice(0..0, refused.replies);
        answer.reports = refused.reports;
        answer.untrusted = refused.untrusted;
    }
    cards::ask(turn, Asking::again(pending), &mut answer)?;
    Ok(answer)
}

/// What a button asks for: one action through the gate, like any other, told by its receipt alone.
pub async fn one_action(turn: &Turn<'_>, action: PlannedAction) -> Result<Answer, StoreError> {
    given_actions(turn, vec![action]).await
}

/// What a button or a command asks for: these actions through the gate, told by their receipts alone.
pub async fn given_actions(turn: &Turn<'_>, actions: Vec<PlannedAction>) -> Result<Answer, StoreError> {
    given(turn, actions, Sources { own: turn.own_words(), ..Sources::default() }).await
}

/// The same, with whose words they may hold.
pub async fn given(turn: &Turn<'_>, actions: Vec<PlannedAction>, sources: Sources) -> Result<Answer, StoreError> {
    let domains: Vec<String> = actions.iter().map(|action| action.service.clone()).collect();
    let plan = Plan { actions, ..Plan::default() };
    let mut so_far = Progressing { sources, ..Progressing::new(Path::Button) };
    match one_round(turn, plan, &domains, "", &mut so_far).await {
        Ok(_) => {}
        Err(TurnError::Store(error)) => return Err(error),
        Err(TurnError::Cancelled) => {}
    }
    Ok(told_by_receipts(turn, so_far))
}
