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

impl AnswerKind {
    /// Above its rows where they stand beside those of another question.
    pub fn title(self) -> &'static str {
        use QuestionFamily as F;
        match self {
            Self::Family(F::WaitingOnMe) => "Waits for you",
            Self::Family(F::WaitingOnOthers) => "You wait for",
            Self::Family(F::PromisedToMe) => "Promised to you",
            Self::Family(F::PromisedByMe) => "Promised by you",
            Self::Family(F::About) => "About it",
            Self::Family(F::NeedsMe) => "Needs you",
            Self::Family(F::Prepare) => "To prepare",
            Self::Family(F::Unanswered) => "Not answered",
            Self::Family(F::WritesMost) => "You write most with",
            Self::Family(F::MeetsMost) => "You meet most",
            Self::Family(F::FindInvoice | F::FindBooking | F::FindAttachment | F::FindAmount | F::Find)
            | Self::Model
            | Self::Search => "Found",
        }
    }
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
