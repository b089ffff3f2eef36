//! Run state between two events: the graph, what runs, and what is known of each node.
//!
//! Invariant: what the graph calls running is in `jobs`, and nothing else is. Places in lanes are asked for in the
//! order in which nodes arrived, and a node that finds none makes no other wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use tokio::time::Instant;
use tracing::{Instrument, Span, debug_span, field};

use super::attempt::{NodeJob, RunCounters, attempts, mixed};
use super::budget::NodeTally;
use super::lanes::{Entering, LanePlace};
use super::{BrokenGraph, EvidenceRun, NodeFault, NodeGap, NodeOutcome, RanNode, RunEnd, RunWith, Worker};
use brain_core::core::graph::{Because, Graph, GraphLimits, Node, NodeEnd};

/// A node that was started, by its position, and how it ended.
type Ended<W> = (usize, Result<<W as Worker>::Output, NodeFault>);

pub(super) struct Running<'a, W: Worker> {
    worker: &'a W,
    with: &'a RunWith<'a>,
    begun: Instant,
    graph: Graph<String, W::Type>,
    /// In the order in which they arrived; `ended_us` is set when they are over.
    nodes: Vec<RanNode<W::Output>>,
    /// Beside `nodes`; taken when they start.
    specs: Vec<Option<W::Spec>>,
    /// Beside `nodes`.
    tallies: Vec<Arc<NodeTally>>,
    positions: HashMap<String, usize>,
    counters: Arc<RunCounters>,
    pub jobs: FuturesUnordered<BoxFuture<'a, Ended<W>>>,
    /// A node is ready, and a lane of it is full.
    pub waits_for_a_place: bool,
}

impl<'a, W: Worker> Running<'a, W> {
    pub fn new(worker: &'a W, with: &'a RunWith<'a>) -> Self {
        // The width is this module's to keep: the graph would show only the first of those that are ready, and those
        // may all wait for the same lane.
        let limits = GraphLimits { width: with.limits.graph.nodes, ..with.limits.graph };
        Self {
            worker,
            with,
            begun: Instant::now(),
            graph: Graph::new(limits),
            nodes: Vec::new(),
            specs: Vec::new(),
            tallies: Vec::new(),
            positions: HashMap::new(),
            counters: Arc::default(),
            jobs: FuturesUnordered::new(),
            waits_for_a_place: false,
        }
    }

    /// Adds nodes, all or none.
    pub fn arrived(&mut self, specs: Vec<W::Spec>) -> Result<(), BrokenGraph<W::Type>> {
        if specs.is_empty() {
            return Err(BrokenGraph::Unwritten { why: "a part of the graph holds no node".to_owned() });
        }
        let nodes: Vec<_> = specs.iter().map(|spec| self.worker.node(spec)).collect();
        let befores: Vec<_> = nodes.iter().map(|node| (node.id.clone(), before(node))).collect();
        self.graph.add(nodes).map_err(BrokenGraph::Invalid)?;
        for ((id, after), spec) in befores.into_iter().zip(specs) {
            self.positions.insert(id.clone(), self.nodes.len());
            self.nodes.push(RanNode {
                depth: self.graph.depth(&id).unwrap_or_default(),
                id,
                after,
                outcome: NodeOutcome::Unfinished,
                gaps: Vec::new(),
                attempts: 0,
                calls: 0,
                tokens: 0,
                arrived_us: self.now_us(),
                started_us: None,
                ended_us: None,
            });
            self.specs.push(Some(spec));
            self.tallies.push(Arc::default());
        }
        self.counters.total.store(self.nodes.len(), Ordering::Relaxed);
        self.note_given_up();
        Ok(())
    }

    /// Starts every node that may run and finds a place in its lanes. What rests makes its nodes fail, which may in
    /// turn let others start.
    pub fn start_what_can(&mut self) {
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            self.waits_for_a_place = false;
            for id in self.graph.ready() {
                if self.jobs.len() >= self.with.limits.graph.width.max(1) {
                    return;
                }
                let Some(&at) = self.positions.get(&id) else { continue };
                let Some(spec) = &self.specs[at] else { continue };
                match self.with.lanes.enter(&self.worker.lanes(spec)) {
                    Entering::Full => self.waits_for_a_place = true,
                    Entering::In(places) => self.start(at, places),
                    Entering::Rests(rests) => {
                        let _ = self.begin(at);
                        self.ended(at, Err(NodeFault::Resting(rests)));
                        is_settled = false;
                    }
                }
            }
        }
    }

    /// Tells the graph, and takes what the node is started with.
    fn begin(&mut self, at: usize) -> Option<W::Spec> {
        let started = self.graph.started(&self.nodes[at].id);
        debug_assert!(started.is_ok(), "it was ready, and all may run at once");
        self.nodes[at].started_us = Some(self.now_us());
        self.nodes[at].gaps = self.gaps_of(at);
        self.specs[at].take()
    }

    fn start(&mut self, at: usize, places: Vec<LanePlace>) {
        let Some(spec) = self.begin(at) else { return };
        let node = &self.nodes[at];
        let output = |id: &String| match &self.nodes[*self.positions.get(id)?].outcome {
            NodeOutcome::Done(output) => Some((id.clone(), Arc::clone(output))),
            NodeOutcome::Failed(_) | NodeOutcome::GivenUp { .. } | NodeOutcome::Unfinished => None,
        };
        let job = NodeJob {
            id: node.id.clone(),
            spec,
            outputs: node.after.iter().filter_map(output).collect(),
            gaps: node.gaps.clone(),
            places,
            tally: Arc::clone(&self.tallies[at]),
            seed: node_seed(self.with.seed, at),
            worker: self.worker,
            with: self.with,
            counters: Arc::clone(&self.counters),
        };
        self.jobs.push(Box::pin(traced(at, job)));
    }

    /// A node is over.
    pub fn ended(&mut self, at: usize, result: Result<W::Output, NodeFault>) {
        let (end, outcome) = match result {
            Ok(output) => (NodeEnd::Done, NodeOutcome::Done(Arc::new(output))),
            Err(trouble) => (NodeEnd::Failed, NodeOutcome::Failed(trouble)),
        };
        let finished = self.graph.finished(&self.nodes[at].id, end);
        debug_assert!(finished.is_ok(), "it ran");
        self.settle(at, outcome);
        self.note_given_up();
        (self.with.watch)(self.counters.progress(None));
    }

    fn note_given_up(&mut self) {
        for given_up in self.graph.take_given_up() {
            let Some(&at) = self.positions.get(&given_up.node) else { continue };
            let outcome = match given_up.because {
                Because::Lost(lost) => NodeOutcome::GivenUp { lost },
                Because::Cancelled => NodeOutcome::Unfinished,
            };
            self.settle(at, outcome);
        }
    }

    fn settle(&mut self, at: usize, outcome: NodeOutcome<W::Output>) {
        self.nodes[at].ended_us = Some(self.now_us());
        self.nodes[at].outcome = outcome;
        self.specs[at] = None;
        self.counters.over.fetch_add(1, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.graph.is_over()
    }

    /// Drops what runs, and gives what there is.
    pub fn over(self, end: RunEnd<W::Type>) -> EvidenceRun<W::Output, W::Type> {
        let us = self.now_us();
        // Before the tallies are read: a call that is cut off counts.
        drop(self.jobs);
        let mut nodes = self.nodes;
        for (node, tally) in nodes.iter_mut().zip(self.tallies) {
            node.attempts = tally.attempts.load(Ordering::Relaxed);
            node.calls = tally.calls.load(Ordering::Relaxed);
            node.tokens = tally.tokens.load(Ordering::Relaxed);
        }
        EvidenceRun { end, nodes, us }
    }

    fn gaps_of(&self, at: usize) -> Vec<NodeGap> {
        let gap = |node: String| {
            let outcome = self.positions.get(&node).map(|&at| &self.nodes[at].outcome);
            NodeGap { why: outcome.and_then(NodeOutcome::why_not).unwrap_or_default(), node }
        };
        self.graph.gaps(&self.nodes[at].id).into_iter().map(gap).collect()
    }

    fn now_us(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }
}

/// What decides about the pauses of one node.
pub(super) fn node_seed(seed: u64, at: usize) -> u64 {
    mixed(seed ^ mixed(at as u64))
}

/// What a node depends on, each once.
fn before<T>(node: &Node<String, T>) -> Vec<String> {
    let named = node.depends_on.iter().map(|dependency| &dependency.on);
    let mut after: Vec<String> = Vec::new();
    for on in named.chain(node.inputs.iter().map(|input| &input.from.node)) {
        if !after.contains(on) {
            after.push(on.clone());
        }
    }
    after
}

/// The work of a node in a span of its own.
async fn traced<W: Worker>(at: usize, job: NodeJob<'_, W>) -> Ended<W> {
    let span = debug_span!(
        "node",
        id = job.id,
        inputs = job.outputs.len(),
        attempts = field::Empty,
        tokens = field::Empty,
        ms = field::Empty,
        failed = field::Empty,
    );
    let (begun, tally) = (Instant::now(), Arc::clone(&job.tally));
    let work = async {
        let result = attempts(job).await;
        let span = Span::current();
        span.record("attempts", tally.attempts.load(Ordering::Relaxed));
        span.record("tokens", tally.tokens.load(Ordering::Relaxed));
        span.record("ms", begun.elapsed().as_millis() as u64);
        span.record("failed", result.is_err());
        (at, result)
    };
    work.instrument(span).await
}
