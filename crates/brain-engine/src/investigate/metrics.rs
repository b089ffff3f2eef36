//! What a question took, summed up from its run and its model calls.
//!
//! Deliberately not here: what the figures mean ([`InvestigationMetrics`]), and where they are kept.

use super::asker::ModelSpan;
use super::estimate::StagePrices;
use super::finding::NodeOutput;
use super::run::{EvidenceRun, RanNode};
use brain_core::core::metrics::{InvestigationMetrics, LayerMetrics, TracedNode};
use brain_core::ports::{Stage, Usage};

/// Sums up a run that took `ms` from the question on, and all model calls of the question.
pub fn metrics<T>(
    ms: u64,
    run: &EvidenceRun<NodeOutput, T>,
    calls: &[ModelSpan],
    estimated_usd: f64,
    prices: &StagePrices,
) -> InvestigationMetrics {
    let took = |node: &RanNode<NodeOutput>| {
        node.started_us.map_or(0, |started| node.ended_us.unwrap_or(run.us).saturating_sub(started))
    };
    InvestigationMetrics {
        ms,
        decompose: of_stage(calls, Stage::Decompose),
        run: LayerMetrics { ms: run.us / 1_000, tokens: run.tokens(), calls: run.calls() },
        synthesize: of_stage(calls, Stage::Synthesize),
        one_by_one_ms: run.nodes.iter().map(took).sum::<u64>() / 1_000,
        nodes: run.nodes.len(),
        stages: run.stages(),
        failed: run.failed(),
        // What is unread in one node is so in those behind it, too.
        unread: run.outputs().map(|(_, output)| output.unread).max().unwrap_or(0),
        estimated_usd,
        actual_usd: prices.usd(calls),
        graph: run.nodes.iter().map(traced).collect(),
    }
}

fn traced<T>(node: &RanNode<T>) -> TracedNode {
    TracedNode { id: node.id.clone(), after: node.after.clone(), depth: node.depth }
}

fn of_stage(calls: &[ModelSpan], stage: Stage) -> LayerMetrics {
    let mut usage = Usage::default();
    let mut us = 0;
    for call in calls.iter().filter(|call| call.stage == stage) {
        usage += call.usage;
        us += call.us;
    }
    LayerMetrics { ms: us / 1_000, tokens: usage.tokens_in + usage.tokens_out, calls: usage.calls }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::investigate::run::RunEnd;
    use brain_core::ports::records::SpanOutcome;

    #[test]
    fn layers_are_the_sums_of_their_calls() {
        let call = |stage, us| ModelSpan {
            stage,
            us,
            input_bytes: 1,
            usage: Usage { calls: 1, tokens_in: 1_000, tokens_out: 500, ..Usage::default() },
            outcome: SpanOutcome::Ok,
        };
        let calls = [call(Stage::Decompose, 2_000), call(Stage::Decompose, 3_000), call(Stage::Synthesize, 4_000)];
        let run = EvidenceRun::<NodeOutput, ()> { nodes: Vec::new(), end: RunEnd::Complete, us: 7_000 };
        let metrics = metrics(12, &run, &calls, 0.02, &StagePrices::default());
        assert_eq!(metrics.decompose, LayerMetrics { ms: 5, tokens: 3_000, calls: 2 });
        assert_eq!((metrics.synthesize.ms, metrics.run.ms, metrics.ms, metrics.nodes), (4, 7, 12, 0));
        assert!((metrics.actual_usd - 0.003_75).abs() < 1e-9 && metrics.estimated_usd == 0.02);
    }
}
