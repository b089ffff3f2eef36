//! What a question over everything took, for the trace: times, tokens and money, by layer.
//!
//! Never words, neither the person's nor what was found. Not here: how it is measured, and where it is kept.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One part of the work on a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerMetrics {
    /// From its beginning to its end; of layers that only ask a model, the sum of their calls.
    pub ms: u64,
    /// Of all its calls, in and out.
    pub tokens: u64,
    /// Model calls.
    pub calls: u32,
}

/// A node of the graph that answered a question, as the trace keeps it. How it went stands in its span.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedNode {
    /// Its name in the graph.
    pub id: String,
    /// The names of those that it comes after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Nodes in a row before it.
    #[serde(default)]
    pub depth: usize,
}

impl TracedNode {
    /// What its span is called.
    pub fn span_name(id: &str) -> String {
        format!("node {id}")
    }
}

/// What one question took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// What the nodes would have taken one after another.
    pub one_by_one_ms: u64,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Nodes in a row, counted from 1.
    pub stages: usize,
    /// Nodes that failed by themselves.
    pub failed: usize,
    /// Things that the budget did not allow to read.
    pub unread: usize,
    /// As it was expected, in US dollars; 0 where no model was to be asked.
    pub estimated_usd: f64,
    /// What the tokens came to.
    pub actual_usd: f64,
    /// Its nodes, in the order in which they could be done; empty in records of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graph: Vec<TracedNode>,
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
}

impl fmt::Display for InvestigationMetrics {
    /// In one or two lines, for who asks how an answer came about.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = if self.nodes == 1 { "node" } else { "nodes" };
        let stages = if self.stages == 1 { "stage" } else { "stages" };
        write!(f, "{} {nodes} in {} {stages}, {} failed, {} ms", self.nodes, self.stages, self.failed, self.run.ms)?;
        if self.calls() == 0 {
            return f.write_str("; no model was asked.");
        }
        let layer = |layer: &LayerMetrics| format!("{} ms, {} tokens", layer.ms, layer.tokens);
        write!(f, ".\nTaking it apart: {}. Reading: {}. ", layer(&self.decompose), layer(&self.run))?;
        writeln!(f, "Answering: {}.", layer(&self.synthesize))?;
        write!(f, "{} model calls, {} tokens, ${:.4}", self.calls(), self.tokens(), self.actual_usd)?;
        write!(f, " (expected at most ${:.4}).", self.estimated_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_layers_and_old_records_can_be_read() {
        let layer = |calls| LayerMetrics { ms: 900, tokens: 1_500, calls };
        let metrics = InvestigationMetrics {
            decompose: layer(1),
            run: layer(7),
            synthesize: layer(1),
            nodes: 3,
            stages: 1,
            ..InvestigationMetrics::default()
        };
        assert_eq!((metrics.tokens(), metrics.calls()), (4_500, 9));
        let kept = serde_json::to_string(&metrics).unwrap();
        assert_eq!(serde_json::from_str::<InvestigationMetrics>(&kept).unwrap(), metrics);
        assert_eq!(serde_json::from_str::<InvestigationMetrics>("{}").unwrap(), InvestigationMetrics::default());
        assert!(metrics.to_string().starts_with("3 nodes in 1 stage, 0 failed, 900 ms.\nTaking it apart: 900 ms"));
        let plain = InvestigationMetrics { nodes: 1, stages: 1, ..InvestigationMetrics::default() };
        assert_eq!(plain.to_string(), "1 node in 1 stage, 0 failed, 0 ms; no model was asked.");
    }
}
