//! Dependency graph of work: who may start now, who has to wait, and who will never get their turn.
//!
//! A graph holds *nodes*. Each names the nodes that come before it, and is ready the moment the last of them is over:
//! there are no stages that wait for their slowest member.
//!
//! ```text
//!   find mails ────── threads ──────► read threads ─── findings ───► compare
//!   find events ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ goes on without ─ ─ ─ ─ ─ ─ ─ ▲
//! ```
//!
//! Here "find mails" and "find events" start at once, side by side. "read threads" refers to an output of "find
//! mails", written `{{find mails.threads}}`; that such an output exists and holds what is wanted is checked before
//! anything runs. The line of a dependency says what a failure means ([`OnFailure`]): if "find mails" fails, "read
//! threads" is given up; if "find events" fails, "compare" goes on, and [`Graph::gaps`] says what it has to do without.
//!
//! The graph does nothing itself. It has no clock, no task, no channel; whoever drives it tells it what happened and
//! asks what comes next:
//!
//! ```
//! use brain_core::core::graph::{Graph, GraphLimits, Node, NodeEnd, OnFailure};
//!
//! let mut graph = Graph::<&str>::new(GraphLimits::default());
//! let compare = Node::new("compare").after("find mails", OnFailure::Stop).after("find events", OnFailure::GoOn);
//! graph.add(vec![Node::new("find mails"), Node::new("find events"), compare]).unwrap();
//! assert_eq!(graph.ready(), ["find mails", "find events"]);
//! graph.started(&"find mails").unwrap();
//! graph.started(&"find events").unwrap();
//! graph.finished(&"find events", NodeEnd::Failed).unwrap();
//! graph.finished(&"find mails", NodeEnd::Done).unwrap();
//! assert_eq!((graph.ready(), graph.gaps(&"compare")), (vec!["compare"], vec!["find events"]));
//! ```
//!
//! Nodes may be added while others run, one by one as a model writes them or many at once. Those of one call may refer
//! to one another in any order; otherwise only to nodes that are there. What does not validate is not added.
//!
//! | state       | everything before it is over | `started` | `finished`         | given up [^why] |
//! |-------------|------------------------------|-----------|--------------------|-----------------|
//! | `Waiting`   | `Ready`                      | –         | –                  | `GivenUp`       |
//! | `Ready`     | –                            | `Running` | –                  | `GivenUp`       |
//! | `Running`   | –                            | –         | `Done` or `Failed` | –               |
//! | `Done`, `Failed`, `GivenUp` | –            | –         | –                  | –               |
//!
//! [^why]: Something it cannot do without failed or was given up, or [`Graph::cancel`]. What runs is never taken back:
//! its end is told by `finished`, as always.
//!
//! Invariants: a node starts at most once, and not before everything it depends on is over; no more nodes run than the
//! limit allows; as long as what runs ends, the graph ends. Checking and running take O(n + e) steps, n nodes and e
//! dependencies, but for the order in which ready nodes are kept.
//!
//! Not here: what a node does, how often it is tried, how long it may take, what it costs. Outputs are not kept either;
//! only their names and types are known.

mod check;
mod error;
mod node;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

pub use error::{GraphError, IllegalNodeEvent, NotAnOutput};
pub use node::{Dependency, Node, NodeEnd, NodeInput, NodeState, OnFailure, OutputRef};

use crate::limits;

/// A node that will not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp<K> {
    /// As in the graph.
    pub node: K,
    /// Why; see [`Because`].
    pub because: Because<K>,
}

/// Why a node is given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because<K> {
    /// This node failed or was given up, and the one after it cannot do without.
    Lost(K),
    /// The graph was cancelled.
    Cancelled,
}

/// Bounds of one graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLimits {
    /// Nodes it may hold.
    pub nodes: usize,
    /// Nodes that run at once; 0 counts as 1, for a graph must end.
    pub width: usize,
    /// Dependencies in a row; a node that depends on nothing is at depth 0.
    pub depth: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        Self { nodes: limits::GRAPH_NODES_MAX, width: limits::GRAPH_WIDTH_MAX, depth: limits::GRAPH_DEPTH_MAX }
    }
}

/// What happens to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeEvent {
    /// Everything it depends on is over, and nothing that it cannot do without is lost.
    Cleared,
    Started,
    Finished(NodeEnd),
    GivenUp,
}

/// The machine of one node; nothing where the table has a dash.
fn next(state: NodeState, event: NodeEvent) -> Option<NodeState> {
    use NodeState::{Done, Failed, GivenUp, Ready, Running, Waiting};
    match (state, event) {
        (Waiting, NodeEvent::Cleared) => Some(Ready),
        (Ready, NodeEvent::Started) => Some(Running),
        (Running, NodeEvent::Finished(end)) => Some(end.into()),
        (Waiting | Ready, NodeEvent::GivenUp) => Some(GivenUp),
        (Waiting, NodeEvent::Started | NodeEvent::Finished(_))
        | (Ready, NodeEvent::Cleared | NodeEvent::Finished(_))
        | (Running, NodeEvent::Cleared | NodeEvent::Started | NodeEvent::GivenUp)
        | (
            Done | Failed | GivenUp,
            NodeEvent::Cleared | NodeEvent::Started | NodeEvent::Finished(_) | NodeEvent::GivenUp,
        ) => None,
    }
}

/// A node in its graph; others are named by their position.
#[derive(Debug)]
struct Placed<K, T> {
    id: K,
    outputs: Vec<(String, T)>,
    /// What it depends on, each once.
    after: Vec<(usize, OnFailure)>,
    /// What depends on it.
    before: Vec<(usize, OnFailure)>,
    depth: usize,
    state: NodeState,
    /// How many of `after` are not over.
    missing: usize,
}

/// See the module.
#[derive(Debug)]
pub struct Graph<K, T = ()> {
    limits: GraphLimits,
    /// In the order in which they were added; none ever leaves.
    nodes: Vec<Placed<K, T>>,
    positions: HashMap<K, usize>,
    /// Those in state `Ready`: the earlier a node was added, the earlier it may start.
    ready: BTreeSet<usize>,
    running: usize,
    over: usize,
    cancelled: bool,
    given_up: VecDeque<GivenUp<K>>,
}

impl<K: Clone + Eq + Hash, T: Clone + PartialEq> Graph<K, T> {
    /// One without nodes.
    pub fn new(limits: GraphLimits) -> Self {
        Self {
            limits,
            nodes: Vec::new(),
            positions: HashMap::new(),
            ready: BTreeSet::new(),
            running: 0,
            over: 0,
            cancelled: false,
            given_up: VecDeque::new(),
        }
    }

    /// Adds nodes, all or none; the errors are all there are, in the order of the nodes.
    pub fn add(&mut self, nodes: Vec<Node<K, T>>) -> Result<(), Vec<GraphError<K, T>>> {
        let links = check::check(self, &nodes)?;
        let first = self.nodes.len();
        let mut settled = Vec::with_capacity(nodes.len());
        for (node, depth) in nodes.into_iter().zip(links.depths) {
            self.positions.insert(node.id.clone(), self.nodes.len());
            settled.push(node.settled);
            let Node { id, outputs, .. } = node;
            let (after, before) = (Vec::new(), Vec::new());
            self.nodes.push(Placed { id, outputs, after, before, depth, state: NodeState::Waiting, missing: 0 });
        }
        for (at, after) in (first..).zip(links.after) {
            for &(on, on_failure) in &after {
                self.nodes[on].before.push((at, on_failure));
            }
            self.nodes[at].after = after;
        }
        // Whatever a node depends on has its state by now.
        for index in links.order {
            self.place(first + index, settled[index]);
        }
        Ok(())
    }

    /// The state of a node that was just added.
    fn place(&mut self, at: usize, settled: Option<NodeEnd>) {
        if let Some(end) = settled {
            self.nodes[at].state = end.into();
            self.over += 1;
            return;
        }
        let state_of = |on: usize| self.nodes[on].state;
        let is_fatal =
            |&&(on, on_failure): &&(usize, OnFailure)| on_failure == OnFailure::Stop && state_of(on).is_lost();
        let lost = self.nodes[at].after.iter().find(is_fatal).map(|&(on, _)| Because::Lost(self.nodes[on].id.clone()));
        self.nodes[at].missing = self.nodes[at].after.iter().filter(|&&(on, _)| !state_of(on).is_over()).count();
        match lost.or_else(|| self.cancelled.then_some(Because::Cancelled)) {
            Some(because) => self.give_up(at, because),
            None if self.nodes[at].missing == 0 => self.clear(at),
            None => {}
        }
    }

    /// What may start now, as far as there is room; the earliest added first.
    pub fn ready(&self) -> Vec<K> {
        let room = self.limits.width.max(1).saturating_sub(self.running);
        self.ready.iter().take(room).map(|&at| self.nodes[at].id.clone()).collect()
    }

    /// The work of a node has begun.
    pub fn started(&mut self, node: &K) -> Result<(), IllegalNodeEvent<K>> {
        let at = self.position(node)?;
        if self.running >= self.limits.width.max(1) {
            return Err(IllegalNodeEvent::NoRoom { node: node.clone(), running: self.running });
        }
        self.step(at, NodeEvent::Started)?;
        self.ready.remove(&at);
        self.running += 1;
        Ok(())
    }

    /// The work of a node has ended.
    pub fn finished(&mut self, node: &K, end: NodeEnd) -> Result<(), IllegalNodeEvent<K>> {
        let at = self.position(node)?;
        self.step(at, NodeEvent::Finished(end))?;
        self.running -= 1;
        self.over += 1;
        let mut over = VecDeque::from([at]);
        while let Some(at) = over.pop_front() {
            let is_lost = self.nodes[at].state.is_lost();
            for index in 0..self.nodes[at].before.len() {
                let (later, on_failure) = self.nodes[at].before[index];
                if self.nodes[later].state != NodeState::Waiting {
                    continue;
                }
                self.nodes[later].missing -= 1;
                if is_lost && on_failure == OnFailure::Stop {
                    self.give_up(later, Because::Lost(self.nodes[at].id.clone()));
                    over.push_back(later);
                } else if self.nodes[later].missing == 0 {
                    self.clear(later);
                }
            }
        }
        Ok(())
    }

    /// Starts nothing any more. What runs is waited for.
    pub fn cancel(&mut self) {
        self.cancelled = true;
        for at in 0..self.nodes.len() {
            self.give_up(at, Because::Cancelled);
        }
    }

    /// What was given up since this was last asked; each node is told once.
    pub fn take_given_up(&mut self) -> Vec<GivenUp<K>> {
        self.given_up.drain(..).collect()
    }

    /// What a node depends on and has to do without; complete once the node is ready.
    pub fn gaps(&self, node: &K) -> Vec<K> {
        let after = self.positions.get(node).map_or(&[][..], |&at| &self.nodes[at].after);
        let lost = after.iter().filter(|&&(on, _)| self.nodes[on].state.is_lost());
        lost.map(|&(on, _)| self.nodes[on].id.clone()).collect()
    }

    /// Where a node stands.
    pub fn state(&self, node: &K) -> Option<NodeState> {
        self.positions.get(node).map(|&at| self.nodes[at].state)
    }

    /// How many dependencies in a row are before a node.
    pub fn depth(&self, node: &K) -> Option<usize> {
        self.positions.get(node).map(|&at| self.nodes[at].depth)
    }

    /// True when every node is over. More may still be added.
    pub fn is_over(&self) -> bool {
        self.over == self.nodes.len()
    }

    fn position(&self, node: &K) -> Result<usize, IllegalNodeEvent<K>> {
        self.positions.get(node).copied().ok_or_else(|| IllegalNodeEvent::NoSuchNode(node.clone()))
    }

    fn step(&mut self, at: usize, event: NodeEvent) -> Result<(), IllegalNodeEvent<K>> {
        let node = &mut self.nodes[at];
        let illegal = || IllegalNodeEvent::NotNow { node: node.id.clone(), state: node.state };
        node.state = next(node.state, event).ok_or_else(illegal)?;
        Ok(())
    }

    fn clear(&mut self, at: usize) {
        if self.step(at, NodeEvent::Cleared).is_ok() {
            self.ready.insert(at);
        }
    }

    /// Does nothing to a node that has started.
    fn give_up(&mut self, at: usize, because: Because<K>) {
        if self.step(at, NodeEvent::GivenUp).is_ok() {
            self.ready.remove(&at);
            self.over += 1;
            self.given_up.push_back(GivenUp { node: self.nodes[at].id.clone(), because });
        }
    }
}
