//! A worker that follows a script, and what is expected of a run of it.

mod bounds;
mod faults;
mod random;
mod schedules;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use futures::stream;
use tokio::time::sleep;

use super::*;
use crate::testing::{RunBounds, SEED};
use brain_core::core::graph::OnFailure;
use brain_core::core::progress::Progress;

/// What one attempt of a node comes to, after its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Well,
    Retryable,
    Final,
    Panic,
    Never,
    /// An output of so many bytes.
    Huge(usize),
}

/// A node: what it depends on, where it works, and each attempt with its milliseconds; the last one is repeated.
#[derive(Debug, Clone)]
struct Scripted {
    id: String,
    after: Vec<(String, OnFailure)>,
    lanes: Vec<WorkLane>,
    attempts: Vec<(u64, Ends)>,
    /// Tokens that each attempt reserves, and those it uses.
    tokens: Option<(u64, u64)>,
}

/// A node that ends well.
fn node(id: &str, after: &[&str], ms: u64) -> Scripted {
    Scripted {
        id: id.to_owned(),
        after: after.iter().map(|on| ((*on).to_owned(), OnFailure::Stop)).collect(),
        lanes: Vec::new(),
        attempts: vec![(ms, Ends::Well)],
        tokens: None,
    }
}

impl Scripted {
    fn ending(self, attempts: &[(u64, Ends)]) -> Self {
        Self { attempts: attempts.to_vec(), ..self }
    }

    fn without(mut self, on: &str) -> Self {
        self.after.push((on.to_owned(), OnFailure::GoOn));
        self
    }

    fn at(mut self, lane: WorkLane) -> Self {
        self.lanes.push(lane);
        self
    }
}

fn source(name: &str) -> WorkLane {
    WorkLane::Source(name.to_owned())
}

/// What attempts got: the node, the number of the attempt, the inputs and the gaps by id.
type Tries = Vec<(String, u32, Vec<String>, Vec<String>)>;

#[derive(Debug, Default)]
struct Script {
    tries: Mutex<Tries>,
}

#[async_trait]
impl Worker for Script {
    type Spec = Scripted;
    type Output = usize;
    type Type = ();

    fn node(&self, spec: &Scripted) -> Node<String> {
        spec.after.iter().fold(Node::new(spec.id.clone()), |node, (on, policy)| node.after(on.clone(), *policy))
    }

    fn lanes(&self, spec: &Scripted) -> Vec<WorkLane> {
        spec.lanes.clone()
    }

    fn bytes(&self, output: &usize) -> usize {
        *output
    }

    async fn attempt(
        &self,
        spec: &Scripted,
        inputs: NodeInputs<'_, usize>,
        attempting: &Attempting<'_>,
    ) -> Result<usize, NodeFailure> {
        let names = inputs.all().map(|(id, _)| id.to_owned()).collect();
        let gaps = inputs.gaps().iter().map(|gap| gap.node.clone()).collect();
        self.tries.lock().unwrap().push((spec.id.clone(), attempting.number, names, gaps));
        let reserved = spec.tokens.map(|(most, _)| attempting.reserve(most)).transpose()?;
        let at = (attempting.number as usize).min(spec.attempts.len()) - 1;
        let (ms, ends) = spec.attempts[at];
        attempting.report(Progress::of(&spec.id).counting(1, 2));
        sleep(Duration::from_millis(ms)).await;
        if let (Some(reserved), Some((_, used))) = (reserved, spec.tokens) {
            reserved.settle(&brain_core::ports::Usage { calls: 1, tokens_in: used, ..Default::default() });
        }
        match ends {
            Ends::Well => Ok(1),
            Ends::Huge(bytes) => Ok(bytes),
            Ends::Retryable => Err(NodeFailure::Retryable { why: "no connection".to_owned() }),
            Ends::Final => Err(NodeFailure::Final { why: "no such folder".to_owned() }),
            Ends::Panic => panic!("a scripted fault"),
            Ends::Never => std::future::pending().await,
        }
    }
}

/// A scripted worker and its bounds; the default has room for everything and never gives a lane up.
#[derive(Debug)]
struct World {
    bounds: RunBounds,
    script: Script,
    told: Mutex<Vec<RunProgress>>,
}

impl Default for World {
    fn default() -> Self {
        Self::within(BudgetLimits::default())
    }
}

impl World {
    fn within(budget: BudgetLimits) -> Self {
        let lanes = LaneLimits { source_at_once: 100, endpoint_at_once: 100, failures: u32::MAX, rest_ms: 1_000 };
        let mut bounds = RunBounds { lanes: WorkLanes::new(lanes), ..RunBounds::within(budget) };
        bounds.limits.graph = GraphLimits { nodes: 100, width: 100, depth: 100 };
        Self { bounds, script: Script::default(), told: Mutex::default() }
    }

    fn in_lanes(lanes: LaneLimits) -> Self {
        let mut world = Self::default();
        world.bounds.lanes = WorkLanes::new(lanes);
        world
    }

    async fn run(&self, specs: impl Stream<Item = Arriving<Scripted>> + Send) -> EvidenceRun<usize, ()> {
        let watch = |progress| self.told.lock().unwrap().push(progress);
        let with = self.bounds.with(&watch);
        run(&self.script, specs, &with).await
    }
}

/// Nodes one by one, each so many milliseconds after the one before.
fn arriving(specs: Vec<(u64, Arriving<Scripted>)>) -> impl Stream<Item = Arriving<Scripted>> + Send {
    stream::iter(specs).then(|(ms, spec)| async move {
        sleep(Duration::from_millis(ms)).await;
        spec
    })
}

fn one(spec: Scripted) -> Arriving<Scripted> {
    Arriving::Nodes(vec![spec])
}

/// A line a node: its times in milliseconds, how often it was tried, and how it ended.
fn drawn(run: &EvidenceRun<usize, ()>) -> String {
    let ms = |us: Option<u64>| us.map_or("-".to_owned(), |us| (us / 1_000).to_string());
    let line = |node: &RanNode<usize>| {
        let end = node.outcome.why_not().unwrap_or_else(|| "done".to_owned());
        format!("{} {}..{} x{} {end}", node.id, ms(node.started_us), ms(node.ended_us), node.attempts)
    };
    run.nodes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Checks that nodes run at these times and end like this, whatever order their lines are in.
fn expect(run: &EvidenceRun<usize, ()>, lines: &[&str]) {
    assert_eq!(drawn(run).lines().collect::<Vec<_>>(), lines, "{:?}", run.end);
}

/// Most intervals that hold at one moment; ends are outside.
fn most_at_once(intervals: impl Iterator<Item = (u64, u64)>) -> usize {
    let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
    for (from, to) in intervals {
        *changes.entry(from).or_default() += 1;
        *changes.entry(to).or_default() -= 1;
    }
    let sums = changes.values().scan(0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    sums.max().unwrap_or(0) as usize
}
