//! A node as its author writes it: what it is called, what comes before it, what it takes and gives.

use std::fmt;
use std::str::FromStr;

use super::NotAnOutput;

/// What a failure means for the node that depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// It cannot be done without: the dependent node is given up.
    Stop,
    /// It is missed, but no more: the dependent node runs all the same and is told of the gap.
    GoOn,
}

/// That one node comes after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency<K> {
    /// The node that comes first.
    pub on: K,
    /// What becomes of the later one if it fails.
    pub on_failure: OnFailure,
}

/// One output of one node, written `{{node.field}}`. What stands before the last dot is the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputRef<K> {
    /// The node that gives it.
    pub node: K,
    /// Its name among that node's outputs.
    pub field: String,
}

impl<K: fmt::Display> fmt::Display for OutputRef<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{{}.{}}}}}", self.node, self.field)
    }
}

impl<K: FromStr> FromStr for OutputRef<K> {
    type Err = NotAnOutput;

    /// A text that is a reference and nothing else: inside a sentence, an output would lose its type.
    fn from_str(text: &str) -> Result<Self, NotAnOutput> {
        let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let (node, field) = inner.and_then(|inner| inner.trim().rsplit_once('.')).ok_or(NotAnOutput)?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(['{', '}']) && name.trim() == name;
        if !is_name(node) || !is_name(field) {
            return Err(NotAnOutput);
        }
        Ok(Self { node: node.parse().map_err(|_| NotAnOutput)?, field: field.to_owned() })
    }
}

/// An output that a node wants to have when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeInput<K, T> {
    /// Where it comes from.
    pub from: OutputRef<K>,
    /// What it has to be; must equal what that node declares.
    pub wants: T,
}

/// A piece of work. `K` is what nodes are called; `T` the types of outputs, `()` where there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<K, T = ()> {
    /// Unique in its graph.
    pub id: K,
    /// What comes before it.
    pub depends_on: Vec<Dependency<K>>,
    /// References to outputs. Each is a dependency as well: one that stops, unless `depends_on` says otherwise.
    pub inputs: Vec<NodeInput<K, T>>,
    /// Name and type of everything that later nodes may refer to.
    pub outputs: Vec<(String, T)>,
    /// Its end, if that is known before it runs, from a journal for example. Such a node never starts.
    pub settled: Option<NodeEnd>,
}

impl<K, T> Node<K, T> {
    /// A node that depends on nothing.
    pub fn new(id: K) -> Self {
        Self { id, depends_on: Vec::new(), inputs: Vec::new(), outputs: Vec::new(), settled: None }
    }

    /// Puts it after another one.
    #[must_use]
    pub fn after(mut self, on: K, on_failure: OnFailure) -> Self {
        self.depends_on.push(Dependency { on, on_failure });
        self
    }

    /// Lets it refer to an output.
    #[must_use]
    pub fn taking(mut self, from: OutputRef<K>, wants: T) -> Self {
        self.inputs.push(NodeInput { from, wants });
        self
    }

    /// Declares an output.
    #[must_use]
    pub fn giving(mut self, field: impl Into<String>, is: T) -> Self {
        self.outputs.push((field.into(), is));
        self
    }
}

/// How the work of a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeEnd {
    /// Well: its outputs are there.
    Done,
    /// In any other way.
    Failed,
}

/// Where a node stands; [`super`] has the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// Something before it is not over.
    Waiting,
    /// It may start as soon as there is room.
    Ready,
    /// It has started.
    Running,
    /// It ended well.
    Done,
    /// It ended in any other way.
    Failed,
    /// It never started, and never will.
    GivenUp,
}

impl NodeState {
    /// True when nothing can happen to it any more.
    pub fn is_over(self) -> bool {
        match self {
            Self::Waiting | Self::Ready | Self::Running => false,
            Self::Done | Self::Failed | Self::GivenUp => true,
        }
    }

    /// True when it is over and its outputs are not there.
    pub fn is_lost(self) -> bool {
        match self {
            Self::Waiting | Self::Ready | Self::Running | Self::Done => false,
            Self::Failed | Self::GivenUp => true,
        }
    }
}

impl From<NodeEnd> for NodeState {
    fn from(end: NodeEnd) -> Self {
        match end {
            NodeEnd::Done => Self::Done,
            NodeEnd::Failed => Self::Failed,
        }
    }
}
