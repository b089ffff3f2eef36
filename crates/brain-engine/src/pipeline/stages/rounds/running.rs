//! What of a plan runs now: its journal, and what is said of it meanwhile.

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::contents;
use crate::pipeline::run::{self, Grant, Passed, Start};
use crate::pipeline::turn::{Turn, TurnAccount, status};
use brain_core::core::ids::RunId;
use brain_core::core::outcome::Outcome;
use brain_core::core::run::{Run, RunOrigin, Step, StepProgress};
use brain_core::failpoint::fail_point;
use brain_core::ports::records::NodeContents;
use brain_core::ports::{Change, StoreError};

/// What the first unfinished step is doing, and how many are done.
fn tell_progress(brain: &Brain, account: &TurnAccount, run: &Run) {
    let is_done = |step: &&Step| matches!(step.progress, StepProgress::Done { .. });
    let done = run.steps.iter().filter(is_done).count();
    if let Some(step) = run.steps.iter().find(|step| !is_done(step)) {
        let doing = status::running(&brain.services, &step.action);
        account.doing(doing.counting(done, run.steps.len()));
    }
}

/// Runs low-stakes actions. The journal is durable before an effect outside the store, and with one inside.
pub(super) async fn run_now(
    turn: &Turn<'_>,
    now: Vec<Passed>,
    request: &str,
    later_round: bool,
    along: Vec<Change>,
) -> Result<run::Ran, StoreError> {
    let place = |on: &usize| now.iter().position(|p| p.index == *on);
    let depends_on: Vec<Vec<usize>> = now.iter().map(|p| p.depends_on.iter().filter_map(place).collect()).collect();
    // A later round journals under a name of its own, so that a redelivered turn resumes the first one.
    let id = if later_round {
        RunId::new(format!("{}+{}", turn.facts.incoming.turn, turn.brain.new_id()))
    } else {
        turn.facts.incoming.turn.clone()
    };
    let steps = now
        .into_iter()
        .zip(depends_on)
        .map(|(passed, depends_on)| Step::planned(passed.assessed.into_action(), depends_on))
        .collect();
    let run = Run {
        id,
        origin: RunOrigin::Turn,
        owner: turn.facts.owner().clone(),
        chat: turn.facts.chat().clone(),
        request: request.to_owned(),
        inbox: turn.facts.incoming.inbox.clone(),
        reply_to: Some(turn.facts.incoming.message_id),
        started_at: turn.facts.ctx.now,
        steps,
    };
    let start = if run::changes_anything(turn.brain, &run) {
        turn.debounce.before_writing().await;
        fail_point("plan-before");
        Start::unwritten()
    } else {
        Start::without_journal()
    };
    let start = start.with(along);
    tell_progress(turn.brain, turn.account, &run);
    let watch = |run: &Run| tell_progress(turn.brain, turn.account, run);
    let started = turn.account.elapsed_us();
    let ran = run::run_watched(turn.brain, &turn.facts.ctx, run, start, Grant::LowStakes, &watch).await?;
    ran.run.steps.iter().for_each(|step| turn.account.noted(started, || what_came_of(step)));
    Ok(ran)
}

/// An action that ran: its values, and its result or why there is none.
fn what_came_of(step: &Step) -> NodeContents {
    let of = |gave: &str| {
        let action = &step.action;
        contents::of_action(&action.service, &action.command, &action.params, gave)
    };
    match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => of(&format!("{result:#}")),
        StepProgress::Done { outcome: Outcome::Failed { why } | Outcome::Unknown { why } } => of("").failing(why),
        StepProgress::Planned | StepProgress::Started => of("").failing("not finished"),
    }
}
