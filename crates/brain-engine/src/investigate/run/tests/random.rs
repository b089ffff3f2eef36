//! Beside a reference: random graphs, times, failures, arrivals, lanes and ends.

use proptest::prelude::*;

use super::super::attempt::pause;
use super::super::running::node_seed;
use super::*;

/// A node by numbers: dependencies are indexes of earlier ones.
#[derive(Debug, Clone)]
struct Drawn {
    after: Vec<(usize, OnFailure)>,
    attempts: [(u64, Ends); 3],
    /// One of three sources, or none.
    lane: usize,
    tokens: Option<(u64, u64)>,
    /// Milliseconds after the one before.
    arrives_ms: u64,
}

fn ends() -> impl Strategy<Value = Ends> {
    prop_oneof![6 => Just(Ends::Well), 3 => Just(Ends::Retryable), 1 => Just(Ends::Final), 1 => Just(Ends::Panic)]
}

fn drawn_node(index: usize) -> impl Strategy<Value = Drawn> {
    let policy = prop_oneof![Just(OnFailure::Stop), Just(OnFailure::GoOn)];
    let after = proptest::collection::vec((0..index.max(1), policy), 0..=index.min(3));
    let attempt = || (0_u64..400, ends());
    let tokens = proptest::option::of((0_u64..300).prop_flat_map(|most| (Just(most), 0..=most)));
    let arrives = prop_oneof![2 => Just(0), 1 => 0_u64..300];
    (after, [attempt(), attempt(), attempt()], 0_usize..4, tokens, arrives)
        .prop_map(|(after, attempts, lane, tokens, arrives_ms)| Drawn { after, attempts, lane, tokens, arrives_ms })
}

fn graph() -> impl Strategy<Value = Vec<Drawn>> {
    (1_usize..=30).prop_flat_map(|count| (0..count).map(drawn_node).collect::<Vec<_>>())
}

impl Drawn {
    fn spec(&self, index: usize) -> Scripted {
        Scripted {
            id: index.to_string(),
            after: self.after.iter().map(|(on, policy)| (on.to_string(), *policy)).collect(),
            lanes: (self.lane > 0).then(|| source(&self.lane.to_string())).into_iter().collect(),
            attempts: self.attempts.to_vec(),
            tokens: self.tokens,
        }
    }

    /// How long all attempts take together, how many there are, and whether the last ends well.
    fn work(&self, index: usize) -> (u64, u32, bool) {
        let mut ms = 0;
        for (number, (attempt_ms, ends)) in (1..).zip(self.attempts) {
            ms += attempt_ms;
            match ends {
                Ends::Well | Ends::Huge(_) => return (ms, number, true),
                Ends::Final | Ends::Panic | Ends::Never => return (ms, number, false),
                Ends::Retryable if number == 3 => return (ms, number, false),
                Ends::Retryable => {
                    let pause = pause(&RunLimits::default(), node_seed(SEED, index), number);
                    ms += pause.as_millis() as u64;
                }
            }
        }
        unreachable!("three attempts")
    }
}

/// When a node is over without any bounds, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ideal {
    started_ms: Option<u64>,
    over_ms: u64,
    is_done: bool,
    attempts: u32,
    gaps: Vec<usize>,
}

/// Each node begins when the last thing it depends on is over, and not before it is there.
fn ideal(graph: &[Drawn]) -> Vec<Ideal> {
    let mut all: Vec<Ideal> = Vec::new();
    let mut there_ms = 0;
    for (index, node) in graph.iter().enumerate() {
        there_ms += node.arrives_ms;
        let after = || node.after.iter().filter(|(on, _)| *on != index);
        let is_stopped = |on: usize| after().any(|&(other, policy)| other == on && policy == OnFailure::Stop);
        let lost: Vec<usize> = after().map(|(on, _)| *on).filter(|on| !all[*on].is_done).collect();
        let fatal = lost.iter().filter(|on| is_stopped(**on)).map(|on| all[*on].over_ms).min();
        all.push(match fatal {
            Some(ms) => {
                Ideal { started_ms: None, over_ms: ms.max(there_ms), is_done: false, attempts: 0, gaps: Vec::new() }
            }
            None => {
                let started = after().map(|(on, _)| all[*on].over_ms).max().unwrap_or(0).max(there_ms);
                let (ms, attempts, is_done) = node.work(index);
                let mut gaps = lost;
                gaps.sort_unstable();
                gaps.dedup();
                Ideal { started_ms: Some(started), over_ms: started + ms, is_done, attempts, gaps }
            }
        });
    }
    all
}

fn specs(graph: &[Drawn]) -> Vec<(u64, Arriving<Scripted>)> {
    let specs = graph.iter().enumerate().map(|(index, node)| (node.arrives_ms, one(node.spec(index))));
    specs.collect()
}

fn virtually<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(work)
}

/// What actually happened, in the words of the reference.
fn seen(node: &RanNode<usize>) -> Ideal {
    let mut gaps: Vec<usize> = node.gaps.iter().map(|gap| gap.node.parse().unwrap()).collect();
    gaps.sort_unstable();
    Ideal {
        started_ms: node.started_us.map(|us| us / 1_000),
        over_ms: node.ended_us.expect("over") / 1_000,
        is_done: node.output().is_some(),
        attempts: node.attempts,
        gaps,
    }
}

/// A first node cannot depend on an earlier one; what is drawn for it is a dependency on itself.
fn sound(mut graph: Vec<Drawn>) -> Vec<Drawn> {
    for (index, node) in graph.iter_mut().enumerate() {
        node.after.retain(|(on, _)| *on < index);
    }
    graph
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_bounds_every_node_keeps_the_ideal_schedule(graph in graph().prop_map(sound)) {
        let graph: Vec<Drawn> = graph.into_iter().map(|node| Drawn { tokens: None, ..node }).collect();
        let run = virtually(async { World::default().run(arriving(specs(&graph))).await });
        let ideal = ideal(&graph);
        prop_assert_eq!(&run.end, &RunEnd::Complete);
        for (node, ideal) in run.nodes.iter().zip(&ideal) {
            prop_assert_eq!(&seen(node), ideal, "{}\n{}", node.id, drawn(&run));
        }
        let last_ms = ideal.iter().map(|node| node.over_ms).max().unwrap_or(0);
        let there_ms: u64 = graph.iter().map(|node| node.arrives_ms).sum();
        prop_assert_eq!(run.us / 1_000, last_ms.max(there_ms));
    }

    #[test]
    fn bounds_hold_at_every_moment_and_every_run_ends(
        graph in graph().prop_map(sound),
        (width, at_once, failures) in (1_usize..6, 1_usize..4, 1_u32..6),
        tokens in 500_u64..6_000,
    ) {
        let lanes = LaneLimits { source_at_once: at_once, endpoint_at_once: 1, failures, rest_ms: 500 };
        let (run, world) = virtually(async {
            let mut world = World::within(BudgetLimits { tokens, ..BudgetLimits::default() });
            world.bounds.lanes = WorkLanes::new(lanes);
            world.bounds.limits.graph.width = width;
            (world.run(arriving(specs(&graph))).await, world)
        });
        let spent = world.bounds.budget.spent();
        prop_assert_eq!(&run.end, &RunEnd::Complete);
        prop_assert_eq!((run.tokens(), run.calls()), (spent.tokens, spent.calls));
        prop_assert!(spent.tokens <= tokens);
        let span = |node: &RanNode<usize>| Some((node.started_us?, node.ended_us?));
        prop_assert!(most_at_once(run.nodes.iter().filter_map(span)) <= width);
        for lane in 1..4 {
            let of_it = run.nodes.iter().zip(&graph).filter(|(_, drawn)| drawn.lane == lane);
            prop_assert!(most_at_once(of_it.filter_map(|(node, _)| span(node))) <= at_once);
        }
        for (index, (node, drawn)) in run.nodes.iter().zip(&graph).enumerate() {
            let over = |on: usize| run.nodes[on].ended_us.expect("over");
            prop_assert!(node.ended_us.is_some() && node.attempts <= drawn.work(index).1);
            let is_early = drawn.after.iter().any(|&(on, _)| node.started_us.is_some_and(|us| us < over(on)));
            prop_assert!(!is_early && node.started_us.is_none_or(|us| us >= node.arrived_us));
        }
        let tries = world.script.tries.lock().unwrap();
        for (id, number, inputs, gaps) in tries.iter() {
            let node = run.node(id).expect("a node");
            prop_assert!(*number <= node.attempts && inputs.len() + gaps.len() == node.after.len());
        }
        let tried: u32 = run.nodes.iter().map(|node| node.attempts).sum();
        prop_assert_eq!(tries.len(), tried as usize, "each attempt once");
        // Something always runs or arrives: a run takes no longer than all of it in a row.
        let in_a_row: u64 = graph.iter().enumerate().map(|(index, node)| node.arrives_ms + node.work(index).0).sum();
        prop_assert!(run.us <= in_a_row * 1_000, "{} > {in_a_row} ms", run.us);
    }

    #[test]
    fn a_cancelled_run_ends_at_once_with_all_that_was_over_by_then(
        graph in graph().prop_map(sound),
        cancel_ms in 0_u64..2_000,
    ) {
        let graph: Vec<Drawn> = graph.into_iter().map(|node| Drawn { tokens: None, ..node }).collect();
        let (run, ()) = virtually(async {
            let world = World::default();
            tokio::join!(world.run(arriving(specs(&graph))), async {
                sleep(Duration::from_millis(cancel_ms)).await;
                world.bounds.cancel.cancel();
            })
        });
        let ideal = ideal(&graph);
        let whole_ms = ideal.iter().map(|node| node.over_ms).max().unwrap_or(0);
        prop_assert!(run.us / 1_000 <= cancel_ms, "{} > {cancel_ms}", run.us);
        prop_assert!(run.end == RunEnd::Cancelled || whole_ms <= cancel_ms);
        for (node, ideal) in run.nodes.iter().zip(&ideal) {
            if ideal.over_ms < cancel_ms {
                prop_assert_eq!(&seen(node), ideal);
            } else if ideal.over_ms > cancel_ms {
                prop_assert!(matches!(node.outcome, NodeOutcome::Unfinished) && node.ended_us.is_none());
            }
        }
    }
}
