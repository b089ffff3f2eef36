//! The work of one node: its attempts, the pauses between them, and what becomes of each failure.
//!
//! | an attempt ends with | its lanes' breakers count | then |
//! |---|---|---|
//! | an output | an answer | the node is done |
//! | [`NodeFailure::Retryable`] | a failure | a pause, and the next attempt; after the last the node has failed |
//! | [`NodeFailure::Final`] | an answer | it has failed |
//! | [`NodeFailure::OutOfBudget`], a panic | nothing | it has failed |
//! | the end of the node's time | a failure | it has failed |
//!
//! A node keeps its places during a pause: what is in trouble gets less to do, not more. Deliberately not here: what an
//! attempt does ([`Worker`]), and which node comes next ([`run`](super)).

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, timeout_at};

use super::budget::NodeTally;
use super::lanes::{LanePermit, LanePlace, LaneRests};
use super::{BudgetSpent, OutOfBudget, Reservation, RunLimits, RunProgress, RunWith, WorkLane, Worker};
use brain_core::core::progress::Progress;

/// Why an attempt gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeFailure {
    /// It may go better the next time.
    Retryable {
        /// For the person: what is missing.
        why: String,
    },
    /// It never will.
    Final {
        /// Likewise.
        why: String,
    },
    /// It would have cost more than there is.
    OutOfBudget(OutOfBudget),
}

impl From<OutOfBudget> for NodeFailure {
    fn from(refused: OutOfBudget) -> Self {
        Self::OutOfBudget(refused)
    }
}

/// Why a node failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeFault {
    /// A failure that no further attempt can mend.
    #[error("{why}")]
    Final {
        /// As the worker says it.
        why: String,
    },
    /// Every attempt failed.
    #[error("{}", used_up(why, *attempts))]
    UsedUp {
        /// What the worker says of the last one.
        why: String,
        /// How many there were.
        attempts: u32,
    },
    /// It took longer than a node may.
    #[error("it took longer than {ms} ms")]
    TooSlow {
        /// What a node may take.
        ms: u64,
    },
    /// A budget was used up.
    #[error(transparent)]
    OutOfBudget(OutOfBudget),
    /// Something it needs is left alone for a while.
    #[error(transparent)]
    Resting(LaneRests),
    /// It gave more than is kept.
    #[error("it gave {bytes} bytes; at most {most} are kept")]
    TooLarge {
        /// As the worker counts them.
        bytes: usize,
        /// What may be kept.
        most: usize,
    },
    /// The program is wrong.
    #[error("a fault of the program stopped it")]
    Fault,
}

fn used_up(why: &str, attempts: u32) -> String {
    if attempts > 1 { format!("{why}, {attempts} times in a row") } else { why.to_owned() }
}

/// What a node has to do without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGap {
    /// The node that failed or was given up.
    pub node: String,
    /// Why that node brought nothing, in words.
    pub why: String,
}

/// What a node gets from those it depends on.
#[derive(Debug)]
pub struct NodeInputs<'a, O> {
    outputs: &'a [(String, Arc<O>)],
    gaps: &'a [NodeGap],
}

impl<O> Clone for NodeInputs<'_, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for NodeInputs<'_, O> {}

impl<'a, O> NodeInputs<'a, O> {
    /// For one attempt; tests of workers make them as well.
    pub fn new(outputs: &'a [(String, Arc<O>)], gaps: &'a [NodeGap]) -> Self {
        Self { outputs, gaps }
    }

    /// What a node gave; nothing if it is a gap, or nothing that this one depends on.
    pub fn get(&self, node: &str) -> Option<&'a O> {
        self.outputs.iter().find(|(id, _)| id == node).map(|(_, output)| &**output)
    }

    /// All there is, in the order of the dependencies.
    pub fn all(&self) -> impl Iterator<Item = (&'a str, &'a O)> + use<'a, O> {
        self.outputs.iter().map(|(id, output)| (id.as_str(), &**output))
    }

    /// What is missing.
    pub fn gaps(&self) -> &'a [NodeGap] {
        self.gaps
    }
}

/// Nodes of a run, counted for whoever waits.
#[derive(Debug, Default)]
pub(super) struct RunCounters {
    pub over: AtomicUsize,
    pub total: AtomicUsize,
}

impl RunCounters {
    pub fn progress(&self, part: Option<(&str, Progress)>) -> RunProgress {
        let part = part.map(|(node, progress)| (node.to_owned(), progress));
        RunProgress { done: self.over.load(Ordering::Relaxed), of: self.total.load(Ordering::Relaxed), part }
    }
}

/// What an attempt works with.
#[derive(Debug)]
pub struct Attempting<'a> {
    /// The node's id, unique in the graph.
    pub id: &'a str,
    /// Which attempt, from 1.
    pub number: u32,
    with: &'a RunWith<'a>,
    counters: &'a RunCounters,
    tally: &'a NodeTally,
}

impl<'a> Attempting<'a> {
    /// Leave for one model call; counts for the node as well. See [`TurnBudget`](super::TurnBudget).
    pub fn reserve(&self, tokens: u64) -> Result<Reservation<'a>, OutOfBudget> {
        self.reserve_beside(tokens, BudgetSpent::default())
    }

    /// The same, if so much is left for what comes after it.
    pub fn reserve_beside(&self, tokens: u64, others: BudgetSpent) -> Result<Reservation<'a>, OutOfBudget> {
        Ok(self.with.budget.reserve_beside(tokens, others)?.for_node(self.tally))
    }

    /// Tells whoever waits how far the node is.
    pub fn report(&self, progress: Progress) {
        (self.with.watch)(self.counters.progress(Some((self.id, progress))));
    }

    /// Does one of several things that a node does side by side, in a lane that the node itself does not stand in:
    /// waits for a place, does it unless the lane rests, and tells the lane's breaker how it went.
    pub async fn in_lane<T>(
        &self,
        lane: &WorkLane,
        work: impl Future<Output = Result<T, NodeFailure>>,
    ) -> Result<T, NodeFailure> {
        let rests = |rests: LaneRests| NodeFailure::Final { why: rests.to_string() };
        let Some(place) = self.with.lanes.wait_for(lane).await else {
            return Err(NodeFailure::Final { why: format!("{lane} is closed") });
        };
        let permit = place.lane.admit().map_err(rests)?;
        let result = work.await;
        tell(vec![permit], AttemptReport::of(&result));
        result
    }
}

/// One node on its way.
pub(super) struct NodeJob<'a, W: Worker> {
    pub id: String,
    pub spec: W::Spec,
    pub outputs: Vec<(String, Arc<W::Output>)>,
    pub gaps: Vec<NodeGap>,
    pub places: Vec<LanePlace>,
    pub tally: Arc<NodeTally>,
    /// Its own, for the pauses.
    pub seed: u64,
    pub worker: &'a W,
    pub with: &'a RunWith<'a>,
    pub counters: Arc<RunCounters>,
}

/// All attempts of a node.
pub(super) async fn attempts<W: Worker>(job: NodeJob<'_, W>) -> Result<W::Output, NodeFault> {
    let limits = &job.with.limits;
    let deadline = Instant::now() + Duration::from_millis(limits.node_ms);
    let too_slow = NodeFault::TooSlow { ms: limits.node_ms };
    let mut number = 1;
    loop {
        let permits: Result<Vec<_>, _> = job.places.iter().map(|place| place.lane.admit()).collect();
        let permits = permits.map_err(NodeFault::Resting)?;
        job.tally.attempts.store(number, Ordering::Relaxed);
        let tried = AssertUnwindSafe(attempt(&job, number)).catch_unwind();
        let Ok(tried) = timeout_at(deadline, tried).await else {
            tell(permits, AttemptReport::Failure(&too_slow.to_string()));
            return Err(too_slow);
        };
        let Ok(tried) = tried else { return Err(NodeFault::Fault) };
        tell(permits, AttemptReport::of(&tried));
        let why = match tried {
            Ok((output, bytes)) if bytes <= limits.output_bytes => return Ok(output),
            Ok((_, bytes)) => return Err(NodeFault::TooLarge { bytes, most: limits.output_bytes }),
            Err(NodeFailure::Final { why }) => return Err(NodeFault::Final { why }),
            Err(NodeFailure::OutOfBudget(refused)) => return Err(NodeFault::OutOfBudget(refused)),
            Err(NodeFailure::Retryable { why }) => why,
        };
        let pause = pause(limits, job.seed, number);
        if number >= limits.attempts || Instant::now() + pause >= deadline {
            return Err(NodeFault::UsedUp { why, attempts: number });
        }
        tokio::time::sleep(pause).await;
        number += 1;
    }
}

/// The output with its size: a worker that cannot count panics here, where it is caught.
async fn attempt<W: Worker>(job: &NodeJob<'_, W>, number: u32) -> Result<(W::Output, usize), NodeFailure> {
    let NodeJob { id, with, tally, counters, .. } = job;
    let attempting = Attempting { id, number, with, counters, tally };
    let inputs = NodeInputs::new(&job.outputs, &job.gaps);
    let output = job.worker.attempt(&job.spec, inputs, &attempting).await?;
    let bytes = job.worker.bytes(&output);
    Ok((output, bytes))
}

/// What an attempt says about where it was made.
#[derive(Debug, Clone, Copy)]
enum AttemptReport<'a> {
    Answer,
    Failure(&'a str),
    Nothing,
}

impl<'a> AttemptReport<'a> {
    fn of<T>(result: &'a Result<T, NodeFailure>) -> Self {
        match result {
            Ok(_) | Err(NodeFailure::Final { .. }) => Self::Answer,
            Err(NodeFailure::Retryable { why }) => Self::Failure(why),
            Err(NodeFailure::OutOfBudget(_)) => Self::Nothing,
        }
    }
}

fn tell(permits: Vec<LanePermit<'_>>, heard: AttemptReport<'_>) {
    for permit in permits {
        match heard {
            AttemptReport::Answer => permit.answered(),
            AttemptReport::Failure(why) => permit.failed(why),
            AttemptReport::Nothing => drop(permit),
        }
    }
}

/// Between half and all of a time that doubles with each failed attempt, in whole milliseconds.
pub(super) fn pause(limits: &RunLimits, seed: u64, failed: u32) -> Duration {
    let doubled = limits.backoff_base_ms.saturating_mul(1_u64.checked_shl(failed - 1).unwrap_or(u64::MAX));
    let whole = doubled.min(limits.backoff_cap_ms);
    let half = whole / 2;
    Duration::from_millis(whole - half + mixed(seed ^ u64::from(failed)) % (half + 1))
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
pub(super) fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
