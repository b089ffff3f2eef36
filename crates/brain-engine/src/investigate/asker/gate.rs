//! What lets a model call through: a budget, and for a node its lane as well.
//!
//! Invariant: a call is counted at most as what was reserved for it, or as what it used, never not at all.

use async_trait::async_trait;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout_at};

use super::AskFailure;
use crate::investigate::run::{Attempting, BudgetSpent, NodeFailure, TurnBudget, WorkLane};
use brain_core::ports::{Completion, ModelError, Usage};

/// A call that has not begun.
pub type ModelCalling<'c> = BoxFuture<'c, Result<Completion, ModelError>>;

/// Lets calls through, or not.
#[async_trait]
pub trait ModelGate: Send + Sync {
    /// Makes the call, if `tokens` (prompt and answer at most) may be spent on it.
    async fn pass(&self, tokens: u64, call: ModelCalling<'_>) -> Result<Completion, AskFailure>;
}

/// For what is done once for a question: before and after its run.
#[async_trait]
impl ModelGate for TurnBudget {
    async fn pass(&self, tokens: u64, call: ModelCalling<'_>) -> Result<Completion, AskFailure> {
        let held = self.reserve(tokens)?;
        let answer = call.await;
        held.settle(&usage(&answer));
        answer.map_err(AskFailure::Model)
    }
}

/// For what a node does: within the budget, counted for the node, in the lane of the endpoint.
#[derive(Debug)]
pub struct NodeGate<'a> {
    /// The node's.
    pub attempting: &'a Attempting<'a>,
    /// The endpoint's.
    pub lane: WorkLane,
    /// What is left for what comes after it: an answer that was read for and cannot be given is of no use.
    pub others: BudgetSpent,
    /// When calls are given up, so that the node still has time for what code makes of it.
    pub until: Instant,
}

#[async_trait]
impl ModelGate for NodeGate<'_> {
    async fn pass(&self, tokens: u64, call: ModelCalling<'_>) -> Result<Completion, AskFailure> {
        // What the lane's breaker hears of is kept, with what it cost.
        let mut failed = None;
        // Reserved once there is a place: what waits holds nothing back from what runs.
        let work = async {
            let held = self.attempting.reserve_beside(tokens, self.others)?;
            let answer = call.await;
            held.settle(&usage(&answer));
            match answer {
                Err(error @ (ModelError::Unreachable { .. } | ModelError::TooSlow { .. })) => {
                    let why = error.to_string();
                    failed = Some(error);
                    Err(NodeFailure::Retryable { why })
                }
                // It was answered, be it with an error: the endpoint is there.
                answer => Ok(answer),
            }
        };
        let through = timeout_at(self.until, self.attempting.in_lane(&self.lane, work)).await;
        match (through, failed) {
            (Err(_), _) => Err(AskFailure::Model(ModelError::TooSlow {
                why: "its node had no more time for the answer".to_owned(),
                usage: Usage::default(),
            })),
            (Ok(Ok(answer)), _) => answer.map_err(AskFailure::Model),
            (Ok(Err(_)), Some(error)) => Err(AskFailure::Model(error)),
            (Ok(Err(NodeFailure::OutOfBudget(refused))), None) => Err(refused.into()),
            (Ok(Err(NodeFailure::Retryable { why } | NodeFailure::Final { why })), None) => {
                Err(AskFailure::Resting { why })
            }
        }
    }
}

fn usage(answer: &Result<Completion, ModelError>) -> Usage {
    answer.as_ref().map_or_else(ModelError::usage, |completion| completion.usage)
}
