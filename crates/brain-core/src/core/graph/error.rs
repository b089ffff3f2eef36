//! What can be wrong with a graph, and with what is told to it. Every error names the nodes it is about.

use std::fmt;

use super::{NodeState, OutputRef};

/// Why nodes are not added. `T`: the types of outputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError<K, T = ()> {
    /// More than the graph may hold.
    #[error("{nodes} nodes are more than the {most} that are allowed")]
    TooMany {
        /// How many it would hold.
        nodes: usize,
        /// How many it may.
        most: usize,
    },
    /// There is one of this name already.
    #[error("{0} is there twice")]
    DuplicateId(K),
    /// It comes after something that is not there.
    #[error("{node} depends on {on}, which is not there")]
    UnknownDependency {
        /// The node that was added later.
        node: K,
        /// The node that is not there.
        on: K,
    },
    /// It comes after itself.
    #[error("{0} depends on itself")]
    SelfDependency(K),
    /// Each depends on the next, and the last on the first.
    #[error("{} depend on one another in a circle", around(.0))]
    Cycle(Vec<K>),
    /// Too many dependencies in a row.
    #[error("{node} is {depth} dependencies deep; at most {most} are allowed")]
    TooDeep {
        /// The first one in its row that is too deep.
        node: K,
        /// The depth it would have.
        depth: usize,
        /// How deep it may be.
        most: usize,
    },
    /// It refers to a node that is not there.
    #[error("{node} refers to {to}, but there is no such node")]
    UnknownNode {
        /// The one that refers.
        node: K,
        /// The output that it refers to.
        to: OutputRef<K>,
    },
    /// It refers to an output that the other node does not have.
    #[error("{node} refers to {to}, but there is no such output")]
    UnknownField {
        /// The one that refers.
        node: K,
        /// The output that it refers to.
        to: OutputRef<K>,
    },
    /// It refers to an output of another type.
    #[error("{node} wants {to} to be {wants:?}, but it is {is:?}")]
    TypeMismatch {
        /// The one that refers.
        node: K,
        /// The output that it refers to.
        to: OutputRef<K>,
        /// The type it needs.
        wants: T,
        /// The type that is declared.
        is: T,
    },
}

impl<K, T> GraphError<K, T> {
    /// The nodes to blame: all of a cycle, none for a graph that is too large.
    pub fn nodes(&self) -> &[K] {
        match self {
            Self::TooMany { .. } => &[],
            Self::Cycle(nodes) => nodes,
            Self::DuplicateId(node)
            | Self::SelfDependency(node)
            | Self::UnknownDependency { node, .. }
            | Self::TooDeep { node, .. }
            | Self::UnknownNode { node, .. }
            | Self::UnknownField { node, .. }
            | Self::TypeMismatch { node, .. } => std::slice::from_ref(node),
        }
    }

    /// The same with other names for the nodes, for whoever reads it.
    pub fn named<N>(self, name: impl Fn(K) -> N) -> GraphError<N, T> {
        let output = |to: OutputRef<K>| OutputRef { node: name(to.node), field: to.field };
        match self {
            Self::TooMany { nodes, most } => GraphError::TooMany { nodes, most },
            Self::DuplicateId(node) => GraphError::DuplicateId(name(node)),
            Self::UnknownDependency { node, on } => GraphError::UnknownDependency { node: name(node), on: name(on) },
            Self::SelfDependency(node) => GraphError::SelfDependency(name(node)),
            Self::Cycle(nodes) => GraphError::Cycle(nodes.into_iter().map(name).collect()),
            Self::TooDeep { node, depth, most } => GraphError::TooDeep { node: name(node), depth, most },
            Self::UnknownNode { node, to } => GraphError::UnknownNode { node: name(node), to: output(to) },
            Self::UnknownField { node, to } => GraphError::UnknownField { node: name(node), to: output(to) },
            Self::TypeMismatch { node, to, wants, is } => {
                GraphError::TypeMismatch { node: name(node), to: output(to), wants, is }
            }
        }
    }
}

/// A cycle, once around: "a → b → a".
fn around<K: fmt::Display>(nodes: &[K]) -> String {
    nodes.iter().chain(nodes.first()).map(K::to_string).collect::<Vec<_>>().join(" → ")
}

/// What was told to a graph and cannot have happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalNodeEvent<K> {
    /// About a node that is not there.
    #[error("there is no node {0}")]
    NoSuchNode(K),
    /// The table of states has no such step.
    #[error("that cannot happen to {node}, which is {state:?}")]
    NotNow {
        /// The one that was to change.
        node: K,
        /// Where it stands, and stays.
        state: NodeState,
    },
    /// As many run as may.
    #[error("{node} cannot start beside the {running} that run")]
    NoRoom {
        /// The one that was to start.
        node: K,
        /// How many run.
        running: usize,
    },
}

/// A text that is no reference to an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a reference to an output is written {{{{node.field}}}}")]
pub struct NotAnOutput;
