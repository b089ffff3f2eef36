//! Execute: does authorised actions, one outcome each.
//!
//! Borders, in order (the fail points name them; see `tests/it/crash.rs`):
//! 1. the run, with every step planned, is durable before anything happens;
//! 2. an effect outside the store is recorded as started before it is tried;
//! 3. an outcome is recorded after it; an effect inside the store commits in the same transaction;
//! 4. the run goes away in the commit that holds the answer.
//!
//! Which step may start is the graph's word (see [`crate::core::graph`]): independent ones run side by side, and each
//! starts the moment everything it depends on has succeeded. Reads leave no journal: doing them again is harmless.

use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use sha2::{Digest as _, Sha256};

use crate::core::digest::hex;
use crate::core::graph::Graph;
use crate::core::ids::RunId;
use crate::core::outcome::Outcome;
use crate::core::pending::Pending;
use crate::core::plan::Action;
use crate::core::provenance::UntrustedText;
use crate::core::run::{Run, Step, StepProgress};
use crate::core::stakes::{Authorized, Stakes, assess, authorize_approved, authorize_low};
use crate::failpoint::fail_point;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::records::Undo;
use crate::ports::{Batch, Change, Expect, Record, StoreError};
use crate::services::command::Effect;
use crate::services::service::{Attempt, Performed, RequestContext};

/// Why the steps of a run may execute.
#[derive(Debug, Clone, Copy)]
pub enum Grant<'a> {
    /// They are low stakes; shown again for each.
    LowStakes,
    /// This card was approved.
    Approved(&'a Pending),
}

/// What a finished run leaves behind.
#[derive(Debug)]
pub struct Ran {
    /// Every step done.
    pub run: Run,
    /// The run's revision in the store, when it has a journal.
    pub revision: Option<u64>,
    /// How to take back what can be taken back, one a step.
    pub undo: Vec<Option<Undo>>,
    /// Texts of others that came with results, and those in the actions themselves.
    pub untrusted: Vec<UntrustedText>,
}

impl Ran {
    /// The journal goes away in the commit that tells how the run ended, unless somebody else has taken it up since.
    pub fn end_journal(&self, batch: &mut Batch) {
        if let Some(revision) = self.revision {
            batch.delete(Run::TABLE, self.run.key(), Expect::Revision(revision));
        }
    }
}

/// The key of every attempt of one step.
pub fn attempt(run: &RunId, step: usize) -> Attempt {
    let digest = Sha256::digest(format!("{run}/{step}"));
    Attempt { key: hex(&digest)[..32].to_owned() }
}

/// True when a run needs a journal: it changes something.
pub fn changes_anything(brain: &Brain, run: &Run) -> bool {
    run.steps.iter().any(|step| brain.services.of(&step.action).is_none_or(|entry| entry.effect().writes()))
}

/// Does every step that is still planned. `revision`: of the run's journal, if it has one.
pub async fn run(
    brain: &Brain,
    ctx: &RequestContext,
    run: Run,
    revision: Option<u64>,
    grant: Grant<'_>,
) -> Result<Ran, StoreError> {
    run_watched(brain, ctx, run, revision, grant, &|_| {}).await
}

/// The same; `watch` sees the run after each outcome.
pub async fn run_watched(
    brain: &Brain,
    ctx: &RequestContext,
    mut run: Run,
    revision: Option<u64>,
    grant: Grant<'_>,
    watch: &(dyn Fn(&Run) + Sync),
) -> Result<Ran, StoreError> {
    let mut journal = Journal::of(brain, &mut run, revision, grant);
    let mut untrusted: Vec<UntrustedText> =
        run.steps.iter().flat_map(|step| step.action.others_words()).cloned().map(Into::into).collect();
    let mut graph = run.graph();
    let mut working = FuturesUnordered::new();
    loop {
        let starting = authorize(brain, &mut run, &mut graph, grant);
        if starting.iter().any(|(index, _)| effect(brain, &run.steps[*index].action) == Effect::WriteElsewhere) {
            for (index, _) in &starting {
                if effect(brain, &run.steps[*index].action) == Effect::WriteElsewhere {
                    run.steps[*index].progress = StepProgress::Started;
                }
            }
            journal.save(&run, Vec::new()).await?;
            fail_point("effect-started");
        }
        for (index, authorized) in starting {
            let attempt = attempt(&run.id, index);
            working.push(async move { (index, perform(brain, ctx, &authorized, &attempt).await) });
        }
        let Some((index, performed)) = working.next().await else {
            break;
        };
        fail_point("effect-done");
        let Performed { outcome, changes, untrusted: seen } = performed;
        untrusted.extend(seen);
        journal.record(&mut run, index, outcome, changes).await?;
        ended(&mut run, &mut graph, index);
        fail_point("outcome-recorded");
        watch(&run);
    }
    let undo = journal.inverses.iter_mut().map(Option::take).zip(&run.steps);
    let undo = undo.map(|(inverse, step)| Some(taking_back(brain, &run, step, inverse?, ctx))).collect();
    Ok(Ran { revision: journal.revision, undo, run, untrusted })
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
            Grant::Approved(pending) => authorize_approved(pending, index).map_err(|error| error.to_string()),
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
    let entry = brain.services.of(action).ok_or_else(|| format!("there is no such thing as {}", action.name()))?;
    authorize_low(assess(entry.as_ref(), action.clone(), Stakes::Low)).map_err(|_| "it needs your yes first".to_owned())
}

/// What cannot be looked up is taken for the most doubtful.
fn effect(brain: &Brain, action: &Action) -> Effect {
    brain.services.of(action).map_or(Effect::WriteElsewhere, |entry| entry.effect())
}

/// One action, inside its time-out. An effect outside that did not end in time is doubtful.
async fn perform(brain: &Brain, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
    let action = authorized.action();
    let Some(entry) = brain.services.of(action) else {
        return Performed::failed(format!(
            "the service “{}” is not set up here any more; nothing was done",
            action.service
        ));
    };
    // Services bound their own effects; this is the last resort, and later than theirs.
    let time_out = Duration::from_millis(limits::COMMAND_TIMEOUT_MS + 5_000);
    let started = std::time::Instant::now();
    let performed = tokio::time::timeout(time_out, entry.perform(ctx, authorized, attempt)).await;
    let performed = performed.unwrap_or_else(|_| match entry.effect() {
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

/// The durable side of a run.
struct Journal<'a> {
    brain: &'a Brain,
    revision: Option<u64>,
    /// What restores the state before each step; nothing for a card, which nobody takes back.
    inverses: Vec<Option<Vec<Change>>>,
    keeps_inverses: bool,
}

/// Stands for the revision of the very commit it is written in, which is not known before.
const OF_THIS_COMMIT: Expect = Expect::Revision(0);

impl<'a> Journal<'a> {
    fn of(brain: &'a Brain, run: &mut Run, revision: Option<u64>, grant: Grant<'_>) -> Self {
        if let Some(revision) = revision {
            date_inverses(run, revision);
        }
        let inverses = run.steps.iter().map(|step| serde_json::from_str(step.undo.as_ref()?).ok()).collect();
        Self { brain, revision, inverses, keeps_inverses: matches!(grant, Grant::LowStakes) && revision.is_some() }
    }

    /// Writes the run and these changes in one commit. A run without a journal writes the changes alone.
    async fn save(&mut self, run: &Run, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut batch = Batch { changes };
        if let Some(revision) = self.revision {
            batch.put(run, Expect::Revision(revision))?;
        }
        if batch.changes.is_empty() {
            return Ok(());
        }
        let revision = self.brain.commit(batch).await?;
        if self.revision.is_some() {
            self.revision = Some(revision);
        }
        Ok(())
    }

    /// Records how a step ended, together with its effects inside the store and what takes them back.
    async fn record(
        &mut self,
        run: &mut Run,
        index: usize,
        outcome: Outcome,
        changes: Vec<Change>,
    ) -> Result<(), StoreError> {
        let inverse = if self.keeps_inverses && !changes.is_empty() { Some(self.prior(&changes).await?) } else { None };
        run.steps[index].progress = StepProgress::Done { outcome };
        run.steps[index].undo = as_kept(inverse.as_ref());
        match (self.save(run, changes).await, self.revision) {
            (Ok(()), Some(revision)) => {
                self.inverses[index] = inverse.map(|inverse| committed(inverse, revision));
                run.steps[index].undo = as_kept(self.inverses[index].as_ref());
                Ok(())
            }
            (Ok(()), None) => Ok(()),
            (Err(StoreError::Conflict { table, .. }), _) if table != Run::TABLE => {
                let why = "it was changed by something else at the same moment; nothing was done, please try again";
                run.steps[index].progress = StepProgress::Done { outcome: Outcome::failed(why) };
                run.steps[index].undo = None;
                self.save(run, Vec::new()).await
            }
            (Err(error), _) => Err(error),
        }
    }

    /// What would restore the state before `changes`, without expectations yet.
    async fn prior(&self, changes: &[Change]) -> Result<Vec<Change>, StoreError> {
        let mut prior = Vec::with_capacity(changes.len());
        for change in changes {
            let stored = self.brain.store.get(change.table, &change.key).await?;
            let put = stored.map(|stored| (stored.version, stored.body));
            let expect = if change.put.is_some() { OF_THIS_COMMIT } else { Expect::Absent };
            prior.push(Change { table: change.table, key: change.key.clone(), expect, put });
        }
        Ok(prior)
    }
}

/// Fills in the revision of a journal that was read, before it is written anew and gets another one.
pub fn date_inverses(run: &mut Run, revision: u64) {
    for step in &mut run.steps {
        let inverse = step.undo.as_ref().and_then(|kept| serde_json::from_str(kept).ok());
        step.undo = inverse.and_then(|inverse| as_kept(Some(&committed(inverse, revision))));
    }
}

/// An inverse whose changes were committed at `revision`.
fn committed(mut inverse: Vec<Change>, revision: u64) -> Vec<Change> {
    for change in inverse.iter_mut().filter(|change| change.expect == OF_THIS_COMMIT) {
        change.expect = Expect::Revision(revision);
    }
    inverse
}

/// Without it a next life only has no undo to offer.
fn as_kept(inverse: Option<&Vec<Change>>) -> Option<String> {
    serde_json::to_string(inverse?).ok()
}

/// How a step is taken back.
fn taking_back(brain: &Brain, run: &Run, step: &Step, inverse: Vec<Change>, ctx: &RequestContext) -> Undo {
    let label = brain.services.of(&step.action).map_or_else(|| step.action.name(), |entry| entry.attempt(&step.action));
    Undo {
        id: Undo::id_at(ctx.now, &brain.new_id()),
        owner: run.owner.clone(),
        chat: Some(run.chat.clone()),
        used: None,
        until: ctx.now + chrono::Duration::seconds(limits::UNDO_SECS),
        label,
        changes: inverse,
    }
}
