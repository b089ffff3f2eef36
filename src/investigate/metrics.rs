//! What a question took, for the trace: times, tokens and money, by layer.
//!
//! Never words, neither the person's nor what was found. Deliberately not here: where it is kept.

use serde::{Deserialize, Serialize};

use super::asker::ModelSpan;
use super::estimate::{CostEstimate, StagePrices};
use super::finding::NodeOutput;
use super::run::EvidenceRun;
use crate::ports::Usage;

/// One part of the work on a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerMetrics {
    /// From its beginning to its end.
    pub ms: u64,
    /// Of all its calls, in and out.
    pub tokens: u64,
    /// Model calls.
    pub calls: u32,
}

impl LayerMetrics {
    /// A layer that took so long and cost so much.
    pub fn of(ms: u64, usage: &Usage) -> Self {
        Self { ms, tokens: usage.tokens_in + usage.tokens_out, calls: usage.calls }
    }
}

/// What one question took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InvestigationMetrics {
    /// From the question to the answer. Layers overlap where nodes run while later ones are written.
    pub ms: u64,
    /// Taking it apart.
    pub decompose: LayerMetrics,
    /// Running its graph.
    pub run: LayerMetrics,
    /// Answering.
    pub synthesize: LayerMetrics,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Nodes in a row, counted from 1.
    pub stages: usize,
    /// Nodes that failed by themselves.
    pub failed: usize,
    /// Things that the budget did not allow to read.
    pub unread: usize,
    /// As it was told before the run, in US dollars; 0 where no model was asked.
    pub estimated_usd: f64,
    /// What the tokens came to.
    pub actual_usd: f64,
}

impl InvestigationMetrics {
    /// In and out, of all layers.
    pub fn tokens(&self) -> u64 {
        self.decompose.tokens + self.run.tokens + self.synthesize.tokens
    }

    /// Model calls of all layers.
    pub fn calls(&self) -> u32 {
        self.decompose.calls + self.run.calls + self.synthesize.calls
    }

    /// With what a run tells of itself.
    #[must_use]
    pub fn with_run<T>(self, run: &EvidenceRun<NodeOutput, T>) -> Self {
        Self {
            run: LayerMetrics { ms: run.us / 1_000, tokens: run.tokens(), calls: run.calls() },
            nodes: run.nodes.len(),
            stages: run.stages(),
            failed: run.failed(),
            // What is unread in one node is so in those behind it, too.
            unread: run.outputs().map(|(_, output)| output.unread).max().unwrap_or(0),
            ..self
        }
    }

    /// With what was expected, and what all calls together came to.
    #[must_use]
    pub fn with_cost(self, estimate: &CostEstimate, calls: &[ModelSpan], prices: &StagePrices) -> Self {
        Self { estimated_usd: estimate.usd, actual_usd: prices.usd(calls), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Stage;

    #[test]
    fn sums_are_those_of_the_layers_and_old_records_can_be_read() {
        let usage = |calls| Usage { calls, tokens_in: 1_000, tokens_out: 500 };
        let metrics = InvestigationMetrics {
            decompose: LayerMetrics::of(800, &usage(1)),
            run: LayerMetrics::of(2_000, &usage(7)),
            synthesize: LayerMetrics::of(900, &usage(1)),
            ..InvestigationMetrics::default()
        };
        assert_eq!((metrics.tokens(), metrics.calls()), (4_500, 9));
        let estimate = CostEstimate { usd: 0.02, ..CostEstimate::default() };
        let call = |stage| ModelSpan { stage, us: 1, input_bytes: 1, usage: usage(1), outcome: "ok".to_owned() };
        let metrics = metrics.with_cost(&estimate, &[call(Stage::Extract)], &StagePrices::default());
        assert!((metrics.actual_usd - 0.001_25).abs() < 1e-9 && metrics.estimated_usd == 0.02);
        let kept = serde_json::to_string(&metrics).unwrap();
        assert_eq!(serde_json::from_str::<InvestigationMetrics>(&kept).unwrap(), metrics);
        assert_eq!(serde_json::from_str::<InvestigationMetrics>("{}").unwrap(), InvestigationMetrics::default());
    }
}
