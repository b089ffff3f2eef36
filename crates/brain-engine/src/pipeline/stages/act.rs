//! Acting: the ways into plan, gate, execute and reflect (see [`super::rounds`]): a routed message, and what a button
//! or a command asks for. Not here: the two that need no router, the answer to a question of ours
//! (`intake::question`) and the change of a card (`intake::cards::amendments`).

use super::assistant::{Intended, ToBeDone};
use super::context::{self, Fetching};
use super::progressing::{Progressing, told_by_receipts};
use super::rounds::{one_round, rounds};
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::guessed::Route;
use crate::pipeline::stages::topic::Topic;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnError};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::Sources;
use brain_core::core::turn::Path;
use brain_core::ports::{Change, StoreError};
use brain_language::language::routing::Kind;

/// Answers a routed message.
pub async fn act(turn: &Turn<'_>, route: Route, context: Fetching) -> Result<Answer, TurnError> {
    turn.account.doing(status::planning(&turn.brain.services.now(), &route.domains));
    let question = turn.facts.open_question().filter(|_| route.kind == Kind::Followup);
    let Route { kind, domains, selection } = route;
    let domains = question.map_or(domains, |question| question.domains.clone());
    let context = turn.unless_cancelled(Box::pin(context::routed(turn, context, &domains))).await?;
    let investigates = kind == Kind::Investigate || turn.facts.intents().investigates();
    let topic = Topic { answers: question, investigates, selection: selection.as_ref(), ..Topic::default() };
    rounds(turn, &domains, &context, topic).await
}

/// What somebody is understood to want, done, and the answer that it comes to.
pub(in crate::pipeline) async fn intended(turn: &Turn<'_>, intended: Intended) -> Result<Answer, StoreError> {
    match intended {
        Intended::Said(answer) => Ok(*answer),
        Intended::Done(todo) => {
            let ToBeDone { actions, sources, then } = *todo;
            Ok(then(given(turn, actions, sources, Vec::new()).await?))
        }
    }
}

/// What a button or a command asks for: these actions through the gate, told by their receipts alone; with whose words
/// they may hold, and what changes with the first thing that is done.
pub async fn given(
    turn: &Turn<'_>,
    actions: Vec<PlannedAction>,
    sources: Sources,
    along: Vec<Change>,
) -> Result<Answer, StoreError> {
    as_planned(turn, Plan { actions, ..Plan::default() }, "", sources, along).await
}

/// The same for a plan that was shown, with the request that it was made for.
pub async fn as_planned(
    turn: &Turn<'_>,
    plan: Plan,
    request: &str,
    sources: Sources,
    along: Vec<Change>,
) -> Result<Answer, StoreError> {
    let domains: Vec<String> = plan.actions.iter().map(|action| action.service.clone()).collect();
    let mut so_far = Progressing { sources, along, ..Progressing::new(Path::Button) };
    match one_round(turn, plan, &domains, request, &mut so_far).await {
        Ok(_) => {}
        Err(TurnError::Store(error)) => return Err(error),
        Err(TurnError::Cancelled) => {}
    }
    Ok(told_by_receipts(turn.brain, &turn.facts, so_far))
}
