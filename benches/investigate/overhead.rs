//! What the runner itself takes: nodes that do nothing.

use std::time::Instant;

use async_trait::async_trait;
use brain_agent::core::graph::{Node, OnFailure};
use brain_agent::investigate::run::{
    Attempting, BudgetLimits, NodeFailure, NodeInputs, RunEnd, RunLimits, RunWith, TurnBudget, WorkLane, WorkLanes,
    Worker, run, whole,
};
use tokio_util::sync::CancellationToken;

use crate::Effort;
use crate::report::{Report, Row, median, us};

/// As many as a graph holds.
const NODES: usize = 30;

#[derive(Debug)]
struct Nothing;

#[async_trait]
impl Worker for Nothing {
    type Spec = usize;
    type Output = ();
    type Type = ();

    /// Five chains side by side.
    fn node(&self, spec: &usize) -> Node<String> {
        let node = Node::new(spec.to_string());
        match spec.checked_sub(5) {
            Some(before) => node.after(before.to_string(), OnFailure::GoOn),
            None => node,
        }
    }

    fn lanes(&self, _spec: &usize) -> Vec<WorkLane> {
        vec![WorkLane::Source("mail".to_owned())]
    }

    fn bytes(&self, _output: &()) -> usize {
        0
    }

    async fn attempt(
        &self,
        _spec: &usize,
        _inputs: NodeInputs<'_, ()>,
        _attempting: &Attempting<'_>,
    ) -> Result<(), NodeFailure> {
        Ok(())
    }
}

pub async fn measure(report: &mut Report, effort: Effort) {
    let (lanes, cancel) = (WorkLanes::default(), CancellationToken::new());
    let mut samples = Vec::new();
    for _ in 0..effort.of(200, 2_000) {
        let budget = TurnBudget::new(BudgetLimits::default());
        let limits = RunLimits::default();
        let with = RunWith { limits, lanes: &lanes, budget: &budget, cancel: &cancel, watch: &|_| (), seed: 1 };
        let begun = Instant::now();
        let ran = run(&Nothing, whole((0..NODES).collect()), &with).await;
        samples.push(begun.elapsed().as_secs_f64() * 1e6);
        assert!(ran.end == RunEnd::Complete && ran.nodes.len() == NODES);
    }
    report.add(Row::new("30 nodes that do nothing, all together", us(median(&samples))));
}
