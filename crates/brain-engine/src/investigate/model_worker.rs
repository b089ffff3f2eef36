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
use super::node::{EvidenceNode, OutputType, Strategy};
use super::refine::{RefineContext, gathered_as, refine};
use super::run::{Attempting, BudgetSpent, NodeFailure, NodeInputs, WorkLane, Worker};
use super::worker::EvidenceWorker;
use brain_core::core::graph::Node;
use brain_core::limits;
use brain_core::ports::Stage;

/// Left of a question's budget for its answer, and by what reads for what sifts as well.
const FOR_THE_ANSWER: BudgetSpent = BudgetSpent { calls: 2, tokens: 12_000 };
const BESIDE_READING: BudgetSpent = BudgetSpent { calls: 8, tokens: 24_000 };

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
        let is_slow = self.model.model.is_slow(Stage::Extract);
        let ms = if is_slow { limits::SLOW_NODE_CALLS_MS_MAX } else { limits::NODE_CALLS_MS_MAX };
        let until = Instant::now() + Duration::from_millis(ms);
        let output = self.plain.attempt(&gathered_as(spec), inputs, attempting).await?;
        let others = match &spec.strategy {
            Strategy::BatchThreadRead(_) => BESIDE_READING,
            Strategy::MetadataFilter(_)
            | Strategy::KeywordSearch(_)
            | Strategy::CrossReference(_)
            | Strategy::SemanticAnalysis(_) => FOR_THE_ANSWER,
        };
        let gate = NodeGate { attempting, lane: WorkLane::Endpoint(self.endpoint.to_owned()), others, until };
        let given = inputs.all().collect();
        let told = |progress| attempting.report(progress);
        let model = self.model.through(&gate);
        let refined = refine(&model, &self.plain.sources, spec, &given, output, &self.about, &told).await;
        Ok(refined.output)
    }
}
