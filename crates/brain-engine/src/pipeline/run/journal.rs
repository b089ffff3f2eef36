//! The durable side of a run: when its journal is written, and what is written with it.
//!
//! Invariants: an outcome whose effect is inside the store is in the commit of that effect; steps that end together
//! share a commit unless they change the same record or one of them meets a conflict; every outcome not yet written is
//! in the next write; what happened elsewhere stands, whatever becomes of its mirror here. Not here: which step may
//! start, and what becomes of it.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::effect;
use crate::pipeline::brain::Brain;
use brain_core::core::outcome::Outcome;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::run::{Run, Step, StepProgress};
use brain_core::failpoint::fail_point;
use brain_core::ports::{Batch, Change, Expect, Record, StoreError, Table};
use brain_services::services::contract::command::Effect;

/// How a run begins in the store.
#[derive(Debug)]
pub struct Start {
    /// What is there of its journal; `None` for a run that has none.
    journal: Option<Expect>,
    /// Written with it for the first time.
    along: Vec<Change>,
}

impl Start {
    /// It changes nothing: there is no journal.
    pub fn without_journal() -> Self {
        Self { journal: None, along: Vec::new() }
    }

    /// Its journal is written with what is first to be recorded.
    pub fn unwritten() -> Self {
        Self { journal: Some(Expect::Absent), along: Vec::new() }
    }

    /// Its journal is there.
    pub fn at(revision: u64) -> Self {
        Self { journal: Some(Expect::Revision(revision)), along: Vec::new() }
    }

    /// The same, with changes that are made when the journal is written next.
    #[must_use]
    pub fn with(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.along.extend(changes);
        self
    }
}

/// A step that has ended.
#[derive(Debug)]
pub(super) struct Over {
    pub index: usize,
    pub outcome: Outcome,
    /// Its effect inside the store.
    pub changes: Vec<Change>,
    /// What takes its effect elsewhere back.
    pub reversal: Option<PlannedAction>,
}

/// The journal of a run under way.
pub(super) struct Journal<'a> {
    brain: &'a Brain,
    start: Start,
    /// The revision of its first write.
    pub begun: Option<u64>,
    /// What restores the state before each step.
    pub inverses: Vec<Option<Inverse>>,
    keeps_inverses: bool,
    /// Some outcome is not written.
    is_behind: bool,
    /// Services whose mirror of what lives elsewhere could not take in what was done there.
    pub outdated: BTreeSet<String>,
}

/// Stands for the revision of the very commit it is written in, which is not known before.
const OF_THIS_COMMIT: Expect = Expect::Revision(0);

impl<'a> Journal<'a> {
    pub fn of(brain: &'a Brain, run: &mut Run, start: Start) -> Self {
        if let Some(Expect::Revision(revision)) = start.journal {
            date_inverses(run, revision);
        }
        let kept = |step: &Step| serde_json::from_str::<Inverse>(step.undo.as_ref()?).ok();
        let fits = |step: &Step, inverse: &Inverse| inverse.reversal.is_some() || is_inside(brain, &step.action);
        let inverses = run.steps.iter().map(|step| kept(step).filter(|inverse| fits(step, inverse))).collect();
        let keeps_inverses = start.journal.is_some();
        Self { brain, start, begun: None, inverses, keeps_inverses, is_behind: false, outdated: BTreeSet::new() }
    }

    /// Its revision, once it is written.
    pub fn revision(&self) -> Option<u64> {
        match self.start.journal {
            Some(Expect::Revision(revision)) => Some(revision),
            Some(Expect::Absent | Expect::Any) | None => None,
        }
    }

    /// What was to be written along and was not.
    pub fn unwritten(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.start.along)
    }

    /// Writes the run and these changes in one commit. A run without a journal writes the changes alone.
    pub async fn save(&mut self, run: &Run, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut batch = Batch { changes };
        if let Some(expect) = self.start.journal {
            batch.put(run, expect)?.extend(self.start.along.iter().cloned());
        }
        if batch.changes.is_empty() {
            return Ok(());
        }
        let revision = self.brain.commit(batch).await?;
        if let Some(expect) = &mut self.start.journal {
            *expect = Expect::Revision(revision);
            self.start.along.clear();
            self.begun.get_or_insert(revision);
        }
        if std::mem::take(&mut self.is_behind) {
            fail_point("outcome-recorded");
        }
        Ok(())
    }

    /// Writes the outcomes that are not written yet. Where nothing was written so far nothing has happened, either.
    pub async fn catch_up(&mut self, run: &Run) -> Result<(), StoreError> {
        if self.is_behind && self.revision().is_some() { self.save(run, Vec::new()).await } else { Ok(()) }
    }

    /// Records how steps ended, together with their effects inside the store and what takes them back.
    pub async fn record(&mut self, run: &mut Run, over: Vec<Over>) -> Result<(), StoreError> {
        if over.len() > 1 && are_apart(&over) && self.record_together(run, &over).await? {
            return Ok(());
        }
        for over in over {
            self.record_one(run, over).await?;
        }
        Ok(())
    }

    /// All in one commit; false when one of them met a conflict, and nothing was written.
    async fn record_together(&mut self, run: &mut Run, all: &[Over]) -> Result<bool, StoreError> {
        let before = run.steps.clone();
        let mut inverses = Vec::with_capacity(all.len());
        for over in all {
            inverses.push(self.note(run, over).await?);
        }
        let changes = all.iter().flat_map(|over| over.changes.iter().cloned()).collect();
        match self.write(run, changes).await {
            Ok(()) => {
                for (over, inverse) in all.iter().zip(inverses) {
                    self.date(run, over.index, inverse);
                }
                Ok(true)
            }
            Err(StoreError::Conflict { table, .. }) if is_an_effects(table) => {
                run.steps = before;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    async fn record_one(&mut self, run: &mut Run, over: Over) -> Result<(), StoreError> {
        let inverse = self.note(run, &over).await?;
        let index = over.index;
        match self.write(run, over.changes).await {
            Ok(()) => {
                self.date(run, index, inverse);
                Ok(())
            }
            Err(StoreError::Conflict { table, .. }) if is_an_effects(table) => {
                let action = &run.steps[index].action;
                if !is_inside(self.brain, action) {
                    self.outdated.insert(action.service.clone());
                    return self.save(run, Vec::new()).await;
                }
                let why = "it was changed by something else at the same moment; nothing was done, please try again";
                run.steps[index].progress = StepProgress::Done { outcome: Outcome::failed(why) };
                run.steps[index].undo = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// What is to be written of a step that has ended; gives what takes it back.
    async fn note(&mut self, run: &mut Run, over: &Over) -> Result<Option<Inverse>, StoreError> {
        let Over { index, outcome, changes, reversal } = over;
        // What the person had erased is kept nowhere, not even to be taken back.
        let erases = changes.iter().any(|change| change.table == Table::Erasures);
        let is_inside = is_inside(self.brain, &run.steps[*index].action);
        let is_kept = self.keeps_inverses && !changes.is_empty() && !erases && is_inside;
        let inverse = match reversal.clone().filter(|_| self.keeps_inverses && !is_inside) {
            reversal @ Some(_) => Some(Inverse { reversal, ..Inverse::default() }),
            None if is_kept => Some(self.prior(changes).await?),
            None => None,
        };
        run.steps[*index].progress = StepProgress::Done { outcome: outcome.clone() };
        run.steps[*index].undo = as_kept(inverse.as_ref());
        self.is_behind = true;
        Ok(inverse)
    }

    /// An effect is written at once; an outcome alone can wait for what is written next.
    async fn write(&mut self, run: &Run, changes: Vec<Change>) -> Result<(), StoreError> {
        if changes.is_empty() { Ok(()) } else { self.save(run, changes).await }
    }

    /// What takes a step back expects the revision that its effect has got.
    fn date(&mut self, run: &mut Run, index: usize, inverse: Option<Inverse>) {
        if let Some(revision) = self.revision() {
            self.inverses[index] = inverse.map(|inverse| inverse.committed(revision));
            run.steps[index].undo = as_kept(self.inverses[index].as_ref());
        }
    }

    /// What would restore the state before `changes`, without expectations yet.
    async fn prior(&self, changes: &[Change]) -> Result<Inverse, StoreError> {
        let mut inverse = Inverse::default();
        for change in changes {
            let stored = self.brain.store.get(change.table, &change.key).await?;
            inverse.prior.push(stored.as_ref().map(|stored| stored.revision));
            let put = stored.map(|stored| (stored.version, stored.body));
            let expect = if change.put.is_some() { OF_THIS_COMMIT } else { Expect::Absent };
            inverse.changes.push(Change { table: change.table, key: change.key.clone(), expect, put });
        }
        Ok(inverse)
    }
}

/// What takes a step back.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Inverse {
    /// What restores the state before it.
    pub changes: Vec<Change>,
    /// For each change, the revision that the record had in that state; `None` where there was none.
    pub prior: Vec<Option<u64>>,
    /// Of an effect elsewhere, in place of both: what takes it back there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversal: Option<PlannedAction>,
}

impl Inverse {
    /// The same, of changes that were committed at `revision`.
    fn committed(mut self, revision: u64) -> Self {
        for change in self.changes.iter_mut().filter(|change| change.expect == OF_THIS_COMMIT) {
            change.expect = Expect::Revision(revision);
        }
        self
    }
}

/// Whether the effect is inside the store: what restores its records takes it back.
fn is_inside(brain: &Brain, action: &Action) -> bool {
    effect(brain, action) == Effect::WriteHere
}

/// Whether no two steps change one record: in one commit the second would write over the first.
fn are_apart(all: &[Over]) -> bool {
    let mut seen = HashSet::new();
    all.iter().flat_map(|over| &over.changes).all(|change| seen.insert((change.table, &change.key)))
}

/// A conflict in the journal or the card is the run's own: somebody else has taken it up.
fn is_an_effects(table: Table) -> bool {
    table != Run::TABLE && table != Table::Pending
}

/// Fills in the revision of a journal that was read, before it is written anew and gets another one.
pub fn date_inverses(run: &mut Run, revision: u64) {
    for step in &mut run.steps {
        let inverse = step.undo.as_ref().and_then(|kept| serde_json::from_str::<Inverse>(kept).ok());
        step.undo = inverse.and_then(|inverse| as_kept(Some(&inverse.committed(revision))));
    }
}

/// Without it a next life only has no undo to offer.
fn as_kept(inverse: Option<&Inverse>) -> Option<String> {
    serde_json::to_string(inverse?).ok()
}
