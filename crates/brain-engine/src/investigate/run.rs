//! Running a graph of evidence: every node the moment its inputs are there, while later nodes still arrive.
//!
//! ```text
//! nodes, as they are written ─► checked ─► ready ─► a place in each of its lanes ─► attempts ─► output, or a gap
//!                                 │ wrong             (source, endpoint)            with pauses   for those after it
//!                                 └─► everything stops, the run ends with the errors
//! ```
//!
//! What nodes do is the [`Worker`]'s; which may run is the [graph](brain_core::core::graph)'s; this module brings the two
//! together under bounds. In reading order: the border is in this file, `running` is the loop's state, `attempt` the
//! work of one node, `lanes` where it happens, `budget` what it may cost, `result` what comes out.
//!
//! Invariants: a node gives its output at most once, and not before everything it depends on is over; a failure, a
//! panic or a node that hangs stops nothing but what cannot do without it; all bounds hold at every moment; a run ends
//! at the latest with its budget's time, and gives back what was found. Everything happens within the caller's task, so
//! a run that is dropped leaves nothing behind. Not here: strategies, templates, prompts, answers.

mod attempt;
mod budget;
mod lanes;
mod result;
mod running;
#[cfg(test)]
mod tests;

use std::fmt;

use async_trait::async_trait;
use futures::stream::{self, Stream, StreamExt};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

pub use attempt::{Attempting, NodeFailure, NodeFault, NodeGap, NodeInputs};
pub use budget::{BudgetLimits, BudgetSpent, OutOfBudget, Reservation, TurnBudget};
pub use lanes::{LaneLimits, LaneRests, WorkLane, WorkLanes};
pub use result::{BrokenGraph, EvidenceRun, NodeOutcome, RanNode, RunEnd, RunProgress};

use self::running::Running;
use brain_core::core::graph::{GraphLimits, Node};
use brain_core::limits;

/// What a run drives.
#[async_trait]
pub trait Worker: Send + Sync {
    /// One node as it is written.
    type Spec: Send + Sync;
    /// What a node gives.
    type Output: Send + Sync;
    /// Types of the outputs that other nodes refer to.
    type Type: Clone + PartialEq + fmt::Debug + Send + Sync;

    /// The place of a node in the graph: its id, what it depends on, what it takes and gives.
    fn node(&self, spec: &Self::Spec) -> Node<String, Self::Type>;

    /// Where its work happens. It has a place in each of them from its first attempt to its end. A node that makes
    /// several calls side by side takes their places by [`Attempting::in_lane`] instead.
    fn lanes(&self, spec: &Self::Spec) -> Vec<WorkLane>;

    /// How much memory an output takes, about.
    fn bytes(&self, output: &Self::Output) -> usize;

    /// One attempt. May be dropped at every `await`.
    async fn attempt(
        &self,
        spec: &Self::Spec,
        inputs: NodeInputs<'_, Self::Output>,
        attempting: &Attempting<'_>,
    ) -> Result<Self::Output, NodeFailure>;
}

/// What comes out of whoever writes a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arriving<S> {
    /// One node or more. They may refer to one another in any order, otherwise only to nodes that are there.
    Nodes(Vec<S>),
    /// There is something wrong with the rest.
    Broken {
        /// What failed, in words.
        why: String,
    },
}

/// A graph that is known whole.
pub fn whole<S>(specs: Vec<S>) -> impl Stream<Item = Arriving<S>> + Send
where
    S: Send,
{
    let part = (!specs.is_empty()).then(|| Arriving::Nodes(specs));
    stream::iter(part)
}

/// Bounds of one run; those of its lanes and its budget are theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Nodes, how many of them run at once, and how deep they are.
    pub graph: GraphLimits,
    /// For one node, the first included.
    pub attempts: u32,
    /// The pause before the second attempt, at most; each further one is twice as long.
    pub backoff_base_ms: u64,
    /// The longest pause.
    pub backoff_cap_ms: u64,
    /// One node, all attempts and pauses together.
    pub node_ms: u64,
    /// What one node may give.
    pub output_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            graph: GraphLimits {
                nodes: limits::EVIDENCE_NODES_MAX,
                width: limits::EVIDENCE_WIDTH_MAX,
                // What code looks at by itself, and behind it what a model makes of that.
                depth: 2 * limits::EVIDENCE_DEPTH_MAX,
            },
            attempts: limits::EVIDENCE_ATTEMPTS_MAX,
            backoff_base_ms: limits::EVIDENCE_BACKOFF_BASE_MS,
            backoff_cap_ms: limits::EVIDENCE_BACKOFF_CAP_MS,
            node_ms: limits::EVIDENCE_NODE_MS_MAX,
            output_bytes: limits::EVIDENCE_OUTPUT_BYTES_MAX,
        }
    }
}

/// What a run works with.
#[derive(Clone, Copy)]
pub struct RunWith<'a> {
    /// Bounds of this run.
    pub limits: RunLimits,
    /// Those of the program.
    pub lanes: &'a WorkLanes,
    /// Of the question, shared with what comes before and after the run. Its time ends the run.
    pub budget: &'a TurnBudget,
    /// Ends the run at once.
    pub cancel: &'a CancellationToken,
    /// Told whenever a node ends or says how far it is. Called within the run: must return at once.
    pub watch: &'a (dyn Fn(RunProgress) + Send + Sync),
    /// Decides how long pauses are, so that runs which failed together do not come back together. Any number that is
    /// the run's own.
    pub seed: u64,
}

impl fmt::Debug for RunWith<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWith").field("limits", &self.limits).field("budget", &self.budget).finish_non_exhaustive()
    }
}

/// Runs the nodes that `specs` gives, until all are over, the graph turns out to be wrong, or it has to stop.
pub async fn run<'a, W: Worker>(
    worker: &'a W,
    specs: impl Stream<Item = Arriving<W::Spec>> + Send,
    with: &'a RunWith<'a>,
) -> EvidenceRun<W::Output, W::Type> {
    let mut specs = std::pin::pin!(specs.fuse());
    let mut out_of_time = std::pin::pin!(sleep_until(with.budget.deadline()));
    let mut running = Running::new(worker, with);
    let mut has_more = true;
    let end = loop {
        // Listening begins before the lanes are looked at, so no place is given back unheard.
        let mut freed = std::pin::pin!(with.lanes.freed());
        freed.as_mut().enable();
        running.start_what_can();
        if !has_more && running.is_over() {
            break RunEnd::Complete;
        }
        tokio::select! {
            biased;
            () = with.cancel.cancelled() => break RunEnd::Cancelled,
            () = out_of_time.as_mut() => break RunEnd::OutOfTime,
            Some((at, result)) = running.jobs.next(), if !running.jobs.is_empty() => running.ended(at, result),
            arrived = specs.next(), if has_more => match arrived {
                None => has_more = false,
                Some(Arriving::Broken { why }) => break RunEnd::Broken(BrokenGraph::Unwritten { why }),
                Some(Arriving::Nodes(specs)) => {
                    if let Err(broken) = running.arrived(specs) {
                        break RunEnd::Broken(broken);
                    }
                }
            },
            () = freed, if running.waits_for_a_place => {}
        }
    };
    running.over(end)
}
