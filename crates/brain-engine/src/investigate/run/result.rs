//! What a run gives back: every node with its state, attempts and times, whatever its end was.

use std::sync::Arc;

use super::{NodeFault, NodeGap};
use brain_core::core::graph::GraphError;
use brain_core::core::progress::Progress;

/// How far a run is, for whoever waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunProgress {
    /// Nodes that are over, however they ended.
    pub done: usize,
    /// Nodes that have arrived.
    pub of: usize,
    /// A node that is under way, by id, and how far it is; nothing when a node ended.
    pub part: Option<(String, Progress)>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd<T> {
    /// Every node is over.
    Complete,
    /// Somebody did not want to wait any longer.
    Cancelled,
    /// The time of its budget was used up.
    OutOfTime,
    /// The graph is wrong.
    Broken(BrokenGraph<T>),
}

/// What is wrong with a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokenGraph<T> {
    /// Whoever writes it could not go on.
    Unwritten {
        /// In the words of the writer.
        why: String,
    },
    /// Nodes that do not fit to one another or are too many.
    Invalid(Vec<GraphError<String, T>>),
}

/// What became of a node.
#[derive(Debug)]
pub enum NodeOutcome<O> {
    /// It is done.
    Done(Arc<O>),
    /// It failed for good.
    Failed(NodeFault),
    /// It never started: what it cannot do without is lost.
    GivenUp {
        /// The node that failed or was given up.
        lost: String,
    },
    /// The run ended before it did.
    Unfinished,
}

impl<O> Clone for NodeOutcome<O> {
    fn clone(&self) -> Self {
        match self {
            Self::Done(output) => Self::Done(Arc::clone(output)),
            Self::Failed(trouble) => Self::Failed(trouble.clone()),
            Self::GivenUp { lost } => Self::GivenUp { lost: lost.clone() },
            Self::Unfinished => Self::Unfinished,
        }
    }
}

impl<O> NodeOutcome<O> {
    /// Why there is no output, in words; nothing if there is one.
    pub fn why_not(&self) -> Option<String> {
        match self {
            Self::Done(_) => None,
            Self::Failed(trouble) => Some(trouble.to_string()),
            Self::GivenUp { lost } => Some(format!("it needs {lost}, which is missing")),
            Self::Unfinished => Some("there was no time for it".to_owned()),
        }
    }
}

/// A node of a run. Times are in microseconds since the run began.
#[derive(Debug)]
pub struct RanNode<O> {
    /// Unique in the graph.
    pub id: String,
    /// What it depends on, each once.
    pub after: Vec<String>,
    /// Dependencies before it in a row; 0 for one that depends on nothing.
    pub depth: usize,
    /// What became of it.
    pub outcome: NodeOutcome<O>,
    /// What it ran without.
    pub gaps: Vec<NodeGap>,
    /// How often it was tried.
    pub attempts: u32,
    /// Model calls it made.
    pub calls: u32,
    /// What they cost.
    pub tokens: u64,
    /// When it was there.
    pub arrived_us: u64,
    /// When its work began, if it did.
    pub started_us: Option<u64>,
    /// When it was over, if that was before the end of the run.
    pub ended_us: Option<u64>,
}

impl<O> RanNode<O> {
    /// What it gave.
    pub fn output(&self) -> Option<&O> {
        match &self.outcome {
            NodeOutcome::Done(output) => Some(output),
            NodeOutcome::Failed(_) | NodeOutcome::GivenUp { .. } | NodeOutcome::Unfinished => None,
        }
    }
}

/// A run that is over.
#[derive(Debug)]
pub struct EvidenceRun<O, T> {
    /// How it ended.
    pub end: RunEnd<T>,
    /// In the order in which they arrived.
    pub nodes: Vec<RanNode<O>>,
    /// From its beginning to its end.
    pub us: u64,
}

impl<O, T> EvidenceRun<O, T> {
    /// A node by its id.
    pub fn node(&self, id: &str) -> Option<&RanNode<O>> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// What there is, by id.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &O)> {
        self.nodes.iter().filter_map(|node| Some((node.id.as_str(), node.output()?)))
    }

    /// What there is not, and why.
    pub fn gaps(&self) -> Vec<NodeGap> {
        let gap = |node: &RanNode<O>| Some(NodeGap { node: node.id.clone(), why: node.outcome.why_not()? });
        self.nodes.iter().filter_map(gap).collect()
    }

    /// How many stages the graph would have if each waited for the one before: its depth, counted from 1.
    pub fn stages(&self) -> usize {
        self.nodes.iter().map(|node| node.depth + 1).max().unwrap_or(0)
    }

    /// Nodes that failed by themselves.
    pub fn failed(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.outcome, NodeOutcome::Failed(_))).count()
    }

    /// Model calls of all nodes.
    pub fn calls(&self) -> u32 {
        self.nodes.iter().map(|node| node.calls).sum()
    }

    /// What they cost, in tokens.
    pub fn tokens(&self) -> u64 {
        self.nodes.iter().map(|node| node.tokens).sum()
    }
}
