//! A graph of evidence: complete before it runs, and bounded.

use serde::{Deserialize, Serialize};

use super::node::{EvidenceNode, OutputType};
use brain_core::core::graph::{Graph, GraphError, GraphLimits};
use brain_language::language::requests::QuestionFamily;

/// What an answer is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceGraph {
    /// In an order in which they can be done.
    pub nodes: Vec<EvidenceNode>,
    /// What of them is shown, in this order.
    pub sections: Vec<AnswerSection>,
    /// What kind of question it answers.
    pub answers: AnswerKind,
    /// The answer to a second question in the same message.
    #[serde(default)]
    pub beside: Option<SecondAnswer>,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSection {
    /// Above its rows; none for an answer of one part.
    pub title: Option<String>,
    /// The node whose findings are its rows.
    pub node: String,
    /// It adds to the answer; what the heading counts is elsewhere.
    #[serde(default)]
    pub is_addition: bool,
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

/// A second question that the same graph answers: its rows stand behind those of the first, with a heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondAnswer {
    /// What of the nodes is shown, in this order.
    pub sections: Vec<AnswerSection>,
    /// What kind of question it is.
    pub answers: AnswerKind,
    /// What it is about; may be empty.
    pub topic: String,
    /// Only what is open counts.
    pub is_open: bool,
}

impl EvidenceGraph {
    /// What of its nodes is shown, of both questions.
    pub fn all_sections(&self) -> impl Iterator<Item = &AnswerSection> {
        self.sections.iter().chain(self.beside.iter().flat_map(|beside| &beside.sections))
    }
}

impl AnswerSection {
    /// The only part of an answer.
    pub fn only(node: &str) -> Vec<Self> {
        vec![Self { title: None, node: node.to_owned(), is_addition: false }]
    }

    /// One that the heading does not count.
    pub fn added(title: &str, node: &str) -> Self {
        Self { is_addition: true, ..Self::titled(title, node) }
    }

    /// One of several.
    pub fn titled(title: &str, node: &str) -> Self {
        Self { title: Some(title.to_owned()), node: node.to_owned(), is_addition: false }
    }
}

/// What is wrong with the nodes of a graph, all of it.
pub fn check(nodes: &[EvidenceNode], limits: GraphLimits) -> Result<(), Vec<GraphError<String, OutputType>>> {
    Graph::new(limits).add(nodes.iter().map(EvidenceNode::placed).collect())
}
