//! A graph of evidence: complete before it runs, and bounded.

use serde::{Deserialize, Serialize};

use super::node::{EvidenceNode, OutputType};
use crate::core::graph::{Graph, GraphError, GraphLimits};
use crate::language::requests::QuestionFamily;

/// What an answer is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceGraph {
    /// In an order in which they can be done.
    pub nodes: Vec<EvidenceNode>,
    /// What of them is shown, in this order.
    pub sections: Vec<AnswerSection>,
    /// What kind of question it answers.
    pub answers: AnswerKind,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSection {
    /// Above its rows; none for an answer of one part.
    pub title: Option<String>,
    /// The node whose findings are its rows.
    pub node: String,
}

/// What kind of question a graph answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// One of a family.
    Family(QuestionFamily),
    /// One that a model took apart.
    Model,
    /// One that nothing fits: the best search by words.
    Search,
}

impl AnswerSection {
    /// The only part of an answer.
    pub fn only(node: &str) -> Vec<Self> {
        vec![Self { title: None, node: node.to_owned() }]
    }

    /// One of several.
    pub fn titled(title: &str, node: &str) -> Self {
        Self { title: Some(title.to_owned()), node: node.to_owned() }
    }
}

/// What is wrong with the nodes of a graph, all of it.
pub fn check(nodes: &[EvidenceNode], limits: GraphLimits) -> Result<(), Vec<GraphError<String, OutputType>>> {
    Graph::new(limits).add(nodes.iter().map(EvidenceNode::placed).collect())
}
