//! Execute: does authorised actions, one outcome each.
//!
//! Borders, in order (the fail points name them; see `tests/it/crash.rs`):
//! 1. an effect outside the store is recorded as started before it is tried: that is the first the journal is written
//!    for, with every step planned; an approved card is Executing from the same commit on;
//! 2. an effect inside the store commits in one transaction with its outcome; steps that end together share it;
//! 3. any other outcome is recorded with whatever is recorded next: at once while there is anything left to do or to
//!    wait for, else in the commit that holds the answer;
//! 4. the run goes away in that commit.
//!
//! So a run whose effects are inside the store costs one commit, one outside costs one more, and what was neither
//! started nor recorded has not happened: it is planned again, or goes on from its approval.
//!
//! Which step may start is the graph's word (see [`brain_core::core::graph`]): independent ones run side by side, and each
//! starts the moment everything it depends on has succeeded. Reads leave no journal: doing them again is harmless.

mod journal;

use std::time::Duration;

use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use sha2::{Digest as _, Sha256};

use self::journal::{Inverse, Journal, Over};
pub use self::journal::{Start, date_inverses};

use crate::pipeline::brain::Brain;
use crate::pipeline::running::CardUnderWay;
use brain_core::core::digest::hex;
use brain_core::core::graph::Graph;
use brain_core::core::outcome::Outcome;
use brain_core::core::pending::Pending;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::run::{Run, RunOrigin, Step, StepProgress};
use brain_core::core::stakes::{Assessed, Authorized, Stakes, assess, authorize_approved, authorize_low};
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::records::{InDoubt, Undo};
use brain_core::ports::{Batch, Change, Expect, Record, StoreError};
use brain_services::services::contract::command::Effect;
use brain_services::services::contract::context::RequestContext;
use brain_services::services::contract::service::{Attempt, Performed};

const STOPPED_BEFORE: &str = "you stopped it before it had begun";

/// An action that passed the gate, and what it depends on among those of the same list.
#[derive(Debug)]
pub struct Passed {
    /// With its stakes.
    pub assessed: Assessed,
    /// Its index in the plan.
    pub index: usize,
    /// Indexes in the plan that must succeed first.
    pub depends_on: Vec<usize>,
}

/// Why the steps of a run may execute.
#[derive(Debug, Clone, Copy)]
pub enum Grant<'a> {
    /// They are low stakes; shown again for each.
    LowStakes,
    /// This card was approved, and goes on until somebody stops what has not begun.
    Approved(&'a Pending, &'a CardUnderWay<'a>),
}

/// What a finished run leaves behind.
#[derive(Debug)]
pub struct Ran {
    /// Every step done.
    pub run: Run,
    /// The run's revision in the store, when its journal was written.
    pub revision: Option<u64>,
    /// The revision of what was written along with the start, once it was.
    pub begun: Option<u64>,
    /// What was to be written along with the start, where nothing had to be written.
    pub unwritten: Vec<Change>,
    /// How to take back what can be taken back, one a step.
    pub undo: Vec<Option<Undo>>,
    /// Texts of others that came with results, and those in the actions themselves.
    pub untrusted: Vec<UntrustedText>,
    /// What was not done because something has to be answered first.
    pub asks: Vec<SuspendedStep>,
}

/// A step that was asked something before it went on.
#[derive(Debug)]
pub struct SuspendedStep {
    /// As it was tried.
    pub action: Action,
    /// The person's message that led there.
    pub request: String,
    /// The same once more, for when the person has answered.
    pub again: PlannedAction,
}

impl Ran {
    /// The journal goes away in the commit that tells how the run ended, unless somebody else has taken it up since.
    /// What nobody can tell of it is asked after from then on.
    pub fn end_journal(&self, brain: &Brain, batch: &mut Batch) -> Result<(), StoreError> {
        if let Some(revision) = self.revision {
            batch.delete(Run::TABLE, self.run.key(), Expect::Revision(revision));
        }
        for (index, step) in self.run.steps.iter().enumerate() {
            let is_unknown = matches!(&step.progress, StepProgress::Done { outcome: Outcome::Unknown { .. } });
            if is_unknown && effect(brain, &step.action) == Effect::WriteElsewhere {
                batch.put(&doubt(brain, &self.run, index), Expect::Any)?;
            }
        }
        Ok(())
    }
}

/// The key of every attempt of one step.
pub fn attempt(run: &Run, step: usize) -> Attempt {
    let digest = Sha256::digest(format!("{}/{step}", run.id));
    Attempt { key: hex(&digest)[..32].to_owned(), begun: run.started_at }
}

fn doubt(brain: &Brain, run: &Run, step: usize) -> InDoubt {
    let Attempt { key, begun } = attempt(run, step);
    let card = match &run.origin {
        RunOrigin::Pending(id) => Some(id.clone()),
        RunOrigin::Turn => None,
    };
    let first = limits::DOUBT_LOOKS_MINS.first().copied().unwrap_or_default();
    InDoubt {
        attempt: key,
        begun,
        owner: run.owner.clone(),
        chat: run.chat.clone(),
        action: run.steps[step].action.clone(),
        card,
        at: brain.clock.now() + chrono::Duration::minutes(first),
        looks: 0,
    }
}

/// True when a run needs a journal: it changes something.
pub fn changes_anything(brain: &Brain, run: &Run) -> bool {
    run.steps.iter().any(|step| brain.services.of(&step.action).is_none_or(|entry| entry.writes()))
}

/// Does every step that is still planned.
pub async fn run(
    brain: &Brain,
    ctx: &RequestContext,
    run: Run,
    start: Start,
    grant: Grant<'_>,
) -> Result<Ran, StoreError> {
    run_watched(brain, ctx, run, start, grant, &|_| {}).await
}

/// The same; `watch` sees the run after each outcome.
pub async fn run_watched(
    brain: &Brain,
    ctx: &RequestContext,
    mut run: Run,
    start: Start,
    grant: Grant<'_>,
    watch: &(dyn Fn(&Run) + Sync),
) -> Result<Ran, StoreError> {
    let mut journal = Journal::of(brain, &mut run, start);
    let mut untrusted: Vec<UntrustedText> =
        run.steps.iter().flat_map(|step| step.action.others_words()).cloned().map(Into::into).collect();
    let mut graph = run.graph();
    let mut working = FuturesUnordered::new();
    let mut asks = Vec::new();
    loop {
        let starting = authorize(brain, &mut run, &mut graph, grant);
        let waits = !starting.is_empty() || !working.is_empty();
        if note_started(brain, &mut run, &starting) {
            journal.save(&run, Vec::new()).await?;
            fail_point("effect-started");
        } else if waits {
            journal.catch_up(&run).await?;
        }
        for (index, authorized) in starting {
            let attempt = attempt(&run, index);
            working.push(async move { (index, perform(brain, ctx, &authorized, &attempt).await) });
        }
        let Some(first) = working.next().await else {
            break;
        };
        let mut ends = vec![first];
        while let Some(Some(next)) = working.next().now_or_never() {
            ends.push(next);
        }
        fail_point("effect-done");
        let indexes: Vec<usize> = ends.iter().map(|(index, _)| *index).collect();
        let mut over = Vec::with_capacity(ends.len());
        for (index, Performed { outcome, changes, untrusted: seen, reversal, asks: again }) in ends {
            untrusted.extend(seen);
            let asked =
                |again| SuspendedStep { action: run.steps[index].action.clone(), request: run.request.clone(), again };
            asks.extend(again.map(asked));
            over.push(Over { index, outcome, changes, reversal });
        }
        journal.record(&mut run, over).await?;
        indexes.into_iter().for_each(|index| ended(&mut run, &mut graph, index));
        watch(&run);
    }
    // Words about it may be asked for before the answer is committed; what is known waits for no model.
    if matches!(grant, Grant::LowStakes) && brain.model.is_some() {
        journal.catch_up(&run).await?;
    }
    for service in std::mem::take(&mut journal.outdated) {
        mirror_anew(brain, ctx, &service).await;
    }
    let order = journal.revision().unwrap_or_default();
    let inverses = journal.inverses.iter_mut().map(Option::take);
    let undo = inverses.zip(&run.steps);
    let undo = undo.map(|(inverse, step)| taking_back(brain, &run, step, (inverse, order), ctx)).collect();
    Ok(Ran {
        revision: journal.revision(),
        begun: journal.begun,
        unwritten: journal.unwritten(),
        undo,
        run,
        untrusted,
        asks,
    })
}

/// Marks those whose effect is outside the store as started; true when there is one.
fn note_started(brain: &Brain, run: &mut Run, starting: &[(usize, Authorized)]) -> bool {
    let mut any = false;
    for (index, _) in starting {
        let step = &mut run.steps[*index];
        if effect(brain, &step.action) == Effect::WriteElsewhere {
            step.progress = StepProgress::Started;
            any = true;
        }
    }
    any
}

/// Everything that may start now. What may not be done gets its failure at once, and what that makes room for its turn.
fn authorize(brain: &Brain, run: &mut Run, graph: &mut Graph<usize>, grant: Grant<'_>) -> Vec<(usize, Authorized)> {
    let mut authorized = Vec::new();
    while let Some(index) = graph.ready().first().copied() {
        if let Err(illegal) = graph.started(&index) {
            tracing::error!(%illegal, "a step was ready and could not start");
            break;
        }
        let granted = match grant {
            Grant::LowStakes => low(brain, &run.steps[index].action),
            Grant::Approved(_, under_way) if under_way.stopped.is_cancelled() => Err(STOPPED_BEFORE.to_owned()),
            Grant::Approved(pending, _) => authorize_approved(pending, index).map_err(|error| error.to_string()),
        };
        match granted {
            Ok(granted) => authorized.push((index, granted)),
            Err(why) => {
                run.steps[index].progress = StepProgress::Done { outcome: Outcome::failed(why) };
                ended(run, graph, index);
            }
        }
    }
    authorized
}

fn ended(run: &mut Run, graph: &mut Graph<usize>, index: usize) {
    if let Err(illegal) = run.ended(index, graph) {
        tracing::error!(%illegal, "a step ended out of turn");
    }
}

fn low(brain: &Brain, action: &Action) -> Result<Authorized, String> {
    let entry = brain.services.of(action).ok_or_else(|| brain.services.why_gone(action))?;
    authorize_low(assess(entry.as_ref(), action.clone(), Stakes::Low)).map_err(|_| "it needs your yes first".to_owned())
}

/// What cannot be looked up is taken for the most doubtful.
fn effect(brain: &Brain, action: &Action) -> Effect {
    brain.services.of(action).map_or(Effect::WriteElsewhere, |entry| entry.effect(action.account.as_ref()))
}

/// One action, inside its time-out. An effect outside that did not end in time is doubtful.
async fn perform(brain: &Brain, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
    let action = authorized.action();
    let Some(entry) = brain.services.of(action) else {
        return Performed::failed(brain.services.why_gone(action));
    };
    // Services bound their own effects; this is the last resort, and later than theirs.
    let time_out = Duration::from_millis(limits::COMMAND_TIMEOUT_MS + 5_000);
    let started = std::time::Instant::now();
    let performed = tokio::time::timeout(time_out, entry.perform(ctx, authorized, attempt)).await;
    let performed = performed.unwrap_or_else(|_| match entry.effect(action.account.as_ref()) {
        Effect::WriteElsewhere => {
            Performed::unknown("it did not answer in time; please look there before trying again")
        }
        Effect::ReadElsewhere => Performed::failed("it did not answer in time"),
        Effect::Read | Effect::WriteHere => Performed::failed("it took too long"),
    });
    tracing::info!(action = action.name(), us = started.elapsed().as_micros() as u64,
        status = ?performed.outcome.status(), "performed");
    performed
}

/// What lives elsewhere is read again, since what was done there could not be recorded here.
pub async fn mirror_anew(brain: &Brain, ctx: &RequestContext, service: &str) {
    let Some(registration) = brain.services.now().find(service).cloned() else { return };
    let time_out = Duration::from_millis(limits::COMMAND_TIMEOUT_MS);
    match tokio::time::timeout(time_out, registration.service.mirror_anew(ctx)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(service, %error, "what lives elsewhere could not be read again"),
        Err(_) => tracing::warn!(service, "what lives elsewhere could not be read again in time"),
    }
}

/// How a step is taken back, if it can be: by what restores the records it changed, or by a command.
fn taking_back(
    brain: &Brain,
    run: &Run,
    step: &Step,
    (inverse, order): (Option<Inverse>, u64),
    ctx: &RequestContext,
) -> Option<Undo> {
    let entry = brain.services.of(&step.action);
    let by_command = match &step.progress {
        StepProgress::Done { outcome: Outcome::Succeeded { result } } => {
            entry.as_ref().and_then(|entry| entry.reversal(&step.action, result))
        }
        StepProgress::Done { .. } | StepProgress::Planned | StepProgress::Started => None,
    };
    if inverse.is_none() && by_command.is_none() {
        return None;
    }
    let Inverse { changes, prior, reversal } = inverse.unwrap_or_default();
    let reversal = by_command.or(reversal);
    Some(Undo {
        id: Undo::id_at(ctx.now, &brain.new_id()),
        owner: run.owner.clone(),
        chat: Some(run.chat.clone()),
        used: None,
        until: ctx.now + chrono::Duration::seconds(limits::UNDO_SECS),
        order,
        label: entry.map_or_else(|| step.action.name(), |entry| entry.attempt(&step.action)),
        changes,
        prior,
        reversal,
        card: match &run.origin {
            RunOrigin::Pending(id) => Some(id.clone()),
            RunOrigin::Turn => None,
        },
    })
}
