//! What a run of nodes works within.

use futures::Stream;
use tokio_util::sync::CancellationToken;

use crate::investigate::run::{
    Arriving, BudgetLimits, EvidenceRun, RunLimits, RunProgress, RunWith, TurnBudget, WorkLanes, Worker, run,
};

/// Decides the pauses of every run.
pub const SEED: u64 = 7;

/// The bounds of production, until a test changes them.
#[derive(Debug)]
pub struct RunBounds {
    pub limits: RunLimits,
    pub lanes: WorkLanes,
    pub budget: TurnBudget,
    pub cancel: CancellationToken,
}

impl Default for RunBounds {
    fn default() -> Self {
        Self::within(BudgetLimits::default())
    }
}

impl RunBounds {
    /// Its time counts from now.
    pub fn within(limits: BudgetLimits) -> Self {
        let (lanes, cancel) = (WorkLanes::default(), CancellationToken::new());
        Self { limits: RunLimits::default(), lanes, budget: TurnBudget::new(limits), cancel }
    }

    pub fn with<'a>(&'a self, watch: &'a (dyn Fn(RunProgress) + Send + Sync)) -> RunWith<'a> {
        let Self { limits, lanes, budget, cancel } = self;
        RunWith { limits: *limits, lanes, budget, cancel, watch, seed: SEED }
    }

    /// Runs these, watched by nobody.
    pub async fn run<W: Worker>(
        &self,
        worker: &W,
        specs: impl Stream<Item = Arriving<W::Spec>> + Send,
    ) -> EvidenceRun<W::Output, W::Type> {
        let with = self.with(&|_| {});
        run(worker, specs, &with).await
    }
}
