//! The worker of a run that has a model: the strategies first, then what a model adds to what they found.
//!
//! Invariants: what strategies gave is never lost to a model that fails, rests or takes long; its calls stand in the
//! lane of the endpoint, within the budget of the question. Deliberately not here: strategies, and what is asked.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::asker::{InvestigationModel, NodeGate};
use super::finding::NodeOutput;
use super::node::{EvidenceNode, OutputType};
use super::refine::{RefineContext, gathered_as, refine};
use super::run::{Attempting, NodeFailure, NodeInputs, WorkLane, Worker};
use super::worker::EvidenceWorker;
use brain_core::core::graph::Node;
use brain_core::limits;

/// Carries out nodes with the strategies and a model.
#[derive(Clone)]
pub struct ModelWorker<'a> {
    /// The strategies, which need no model.
    pub plain: &'a EvidenceWorker<'a>,
    /// What is asked; its gate is not used, as each node has its own.
    pub model: InvestigationModel<'a>,
    /// What the lane of its endpoint is called.
    pub endpoint: &'a str,
    /// The question, and what is known of who asks it.
    pub about: RefineContext<'a>,
}

impl fmt::Debug for ModelWorker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelWorker")
            .field("plain", &self.plain)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Worker for ModelWorker<'_> {
    type Spec = EvidenceNode;
    type Output = NodeOutput;
    type Type = OutputType;

    fn node(&self, spec: &EvidenceNode) -> Node<String, OutputType> {
        self.plain.node(spec)
    }

    fn lanes(&self, spec: &EvidenceNode) -> Vec<WorkLane> {
        self.plain.lanes(spec)
    }

    fn bytes(&self, output: &NodeOutput) -> usize {
        self.plain.bytes(output)
    }

    async fn attempt(
        &self,
        spec: &EvidenceNode,
        inputs: NodeInputs<'_, NodeOutput>,
        attempting: &Attempting<'_>,
    ) -> Result<NodeOutput, NodeFailure> {
        let until = Instant::now() + Duration::from_millis(limits::NODE_CALLS_MS_MAX);
        let output = self.plain.attempt(&gathered_as(spec), inputs, attempting).await?;
        let gate = NodeGate { attempting, lane: WorkLane::Endpoint(self.endpoint.to_owned()), until };
        let given = inputs.all().collect();
        let told = |progress| attempting.report(progress);
        let model = self.model.through(&gate);
        let refined = refine(&model, &self.plain.sources, spec, &given, output, &self.about, &told).await;
        Ok(refined.output)
    }
}
