//! The worker that a run drives: the strategies, as nodes of a graph.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;

use super::cache::{MadeFrom, OwnersCache};
use super::finding::NodeOutput;
use super::node::{EvidenceNode, OutputType, Strategy};
use super::run::{Attempting, NodeFailure, NodeInputs, WorkLane, Worker};
use super::strategies::{EarlierOutputs, EvidenceSources, freshness, gather};
use brain_core::core::graph::Node;
use brain_core::core::progress::Progress;
use brain_services::services::contract::error::ServiceError;
use brain_services::services::contract::searchable::ItemKind;

/// Memory that one finding takes, about: its head, its people, what was read of it.
const FINDING_BYTES: usize = 2_048;

/// Carries out nodes with the strategies.
#[derive(Debug)]
pub struct EvidenceWorker<'a> {
    /// What they read from.
    pub sources: EvidenceSources<'a>,
    /// What need not be looked for again.
    pub cache: Option<OwnersCache<'a>>,
}

impl EvidenceWorker<'_> {
    /// What a node's evidence would be made from; `None` where nothing of it is kept.
    async fn made_from(&self, spec: &EvidenceNode, given: &EarlierOutputs<'_>) -> Option<MadeFrom> {
        self.cache?;
        let fresh = freshness(&self.sources, spec, given).await?;
        let ctx = self.sources.ctx;
        let inputs: BTreeMap<_, _> = given.iter().collect();
        MadeFrom::of(&("evidence", &spec.strategy, inputs, fresh, ctx.zone, ctx.order, self.sources.since))
    }
}

#[async_trait]
impl Worker for EvidenceWorker<'_> {
    type Spec = EvidenceNode;
    type Output = NodeOutput;
    type Type = OutputType;

    fn node(&self, spec: &EvidenceNode) -> Node<String, OutputType> {
        spec.placed()
    }

    fn lanes(&self, spec: &EvidenceNode) -> Vec<WorkLane> {
        let source = |name: String| WorkLane::Source(name);
        let of_kinds = |over: &[ItemKind]| match over {
            [] => vec![source("everything".to_owned())],
            kinds => kinds.iter().map(|kind| source(format!("{kind:?}").to_lowercase())).collect(),
        };
        match &spec.strategy {
            Strategy::MetadataFilter(params) => of_kinds(&params.over),
            Strategy::KeywordSearch(params) => of_kinds(&params.over),
            Strategy::BatchThreadRead(_) => vec![source("texts".to_owned())],
            Strategy::CrossReference(_) | Strategy::SemanticAnalysis(_) => Vec::new(),
        }
    }

    fn bytes(&self, output: &NodeOutput) -> usize {
        output.findings.len() * FINDING_BYTES
    }

    async fn attempt(
        &self,
        spec: &EvidenceNode,
        inputs: NodeInputs<'_, NodeOutput>,
        attempting: &Attempting<'_>,
    ) -> Result<NodeOutput, NodeFailure> {
        let given: HashMap<&str, &NodeOutput> = inputs.all().collect();
        if let Strategy::BatchThreadRead(_) = &spec.strategy {
            let many: usize = given.values().map(|output| output.findings.len()).sum();
            attempting.report(Progress::of(format!("Reading {many} of your things…")));
        }
        let made_from = self.made_from(spec, &given).await;
        let known = self.cache.zip(made_from);
        if let Some(output) = known.and_then(|(cache, made_from)| cache.evidence(made_from)) {
            return Ok(NodeOutput { is_kept: true, ..output });
        }
        let mut output = gather(&self.sources, spec, &given).await.map_err(failure)?;
        output.gaps.extend(inputs.gaps().iter().map(|gap| gap.why.clone()));
        if let Some((cache, made_from)) = known {
            cache.keep_evidence(made_from, &output);
        }
        Ok(output)
    }
}

/// What a service could not do, for a run: what is broken now may work in a moment, what it refuses it refuses again.
fn failure(error: ServiceError) -> NodeFailure {
    match error {
        ServiceError::Refused(why) => NodeFailure::Final { why },
        other => NodeFailure::Retryable { why: other.to_string() },
    }
}

#[cfg(test)]
mod tests;
