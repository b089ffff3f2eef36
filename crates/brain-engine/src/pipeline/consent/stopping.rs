//! Stopping what was approved, and what runs, at its owner's word: what has begun is told, the rest is left.
//!
//! Invariants: nothing that has begun is said to be stopped; no card that waits is decided here.

use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::run::{Run, RunOrigin, StepProgress};
use brain_core::ports::{RecordExt, StoreError};

/// What this person's runs here have begun and what they have not, in words, from the journals.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct RunsUnderWay {
    begun: Vec<String>,
    left: Vec<String>,
}

/// Begins nothing more of what this person has approved here. `None` when nothing of it is under way.
pub(in crate::pipeline) async fn stop_cards(brain: &Brain, facts: &TurnFacts) -> Result<Option<String>, StoreError> {
    brain.running.stop_cards(facts.chat());
    Ok(under_way(brain, facts, |run| run.origin != RunOrigin::Turn).await?.in_words())
}

/// All that is under way for this person here.
pub(in crate::pipeline) async fn all_under_way(brain: &Brain, facts: &TurnFacts) -> Result<RunsUnderWay, StoreError> {
    under_way(brain, facts, |_| true).await
}

async fn under_way(
    brain: &Brain,
    facts: &TurnFacts,
    counts: impl Fn(&Run) -> bool,
) -> Result<RunsUnderWay, StoreError> {
    let runs = brain.store.list_all::<Run>(&[]).await?;
    let mine = |run: &Run| run.chat == *facts.chat() && run.owner == *facts.owner() && counts(run);
    let mut under_way = RunsUnderWay::default();
    for run in runs.into_iter().filter(mine) {
        for step in &run.steps {
            let words = || show::wording(&brain.services, &step.action);
            match (&step.progress, &run.origin) {
                (StepProgress::Done { .. }, _) => {}
                (StepProgress::Planned, RunOrigin::Pending(_)) => under_way.left.push(words()),
                (StepProgress::Started, _) | (StepProgress::Planned, RunOrigin::Turn) => under_way.begun.push(words()),
            }
        }
    }
    Ok(under_way)
}

impl RunsUnderWay {
    /// What has begun, and what is left; `None` when there is neither.
    pub(in crate::pipeline) fn told(&self) -> Option<String> {
        let begun = format!("This has begun and can no longer be stopped: {}.", self.begun.join("; "));
        let left = format!("What has not begun I leave: {}.", self.left.join("; "));
        match (self.begun.is_empty(), self.left.is_empty()) {
            (true, true) => None,
            (false, true) => Some(begun),
            (true, false) => Some(left),
            (false, false) => Some(format!("{begun} {left}")),
        }
    }

    /// The same for what is waited for.
    pub(in crate::pipeline) fn in_words(&self) -> Option<String> {
        self.told().map(|told| format!("{told} I'll tell you how it ends."))
    }
}
