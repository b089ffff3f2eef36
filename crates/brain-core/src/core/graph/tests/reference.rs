//! Beside a reference that is too simple to be wrong: it keeps what happened, and works out everything else anew.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
struct Plan {
    /// For each node what it depends on; the indexes of earlier nodes only.
    after: Vec<Vec<(usize, OnFailure)>>,
    width: usize,
    /// How many nodes are there from the beginning; the others arrive one by one.
    at_first: usize,
}

fn policy() -> impl Strategy<Value = OnFailure> {
    prop_oneof![Just(OnFailure::Stop), Just(OnFailure::GoOn)]
}

fn plan() -> impl Strategy<Value = Plan> {
    let edges = |count: usize| {
        let of_one = |index: usize| proptest::collection::vec((0..index.max(1), policy()), 0..=index.min(4));
        (0..count).map(of_one).collect::<Vec<_>>()
    };
    (0_usize..12).prop_flat_map(edges).prop_flat_map(|after| {
        let count = after.len();
        (Just(after), 1_usize..5, 0..=count).prop_map(|(after, width, at_first)| Plan { after, width, at_first })
    })
}

impl Plan {
    fn node(&self, index: usize) -> Node<usize> {
        self.after[index].iter().fold(Node::new(index), |node, &(on, policy)| node.after(on, policy))
    }
}

/// What may happen at any moment; numbers choose among what is possible.
#[derive(Debug, Clone, Copy)]
enum Happens {
    Start(usize),
    Finish(usize, NodeEnd),
    Arrive,
    Cancel,
}

fn happens() -> impl Strategy<Value = Happens> {
    let end = prop_oneof![3 => Just(NodeEnd::Done), 1 => Just(NodeEnd::Failed)];
    prop_oneof![
        8 => any::<usize>().prop_map(Happens::Start),
        8 => (any::<usize>(), end).prop_map(|(at, end)| Happens::Finish(at, end)),
        4 => Just(Happens::Arrive),
        1 => Just(Happens::Cancel),
    ]
}

#[derive(Debug)]
struct Reference<'p> {
    plan: &'p Plan,
    there: usize,
    running: BTreeSet<usize>,
    ended: BTreeMap<usize, NodeEnd>,
    /// Given up by cancelling.
    cancelled: Option<BTreeSet<usize>>,
}

impl Reference<'_> {
    fn given_up(&self) -> BTreeSet<usize> {
        let mut given_up = self.cancelled.clone().unwrap_or_default();
        for index in 0..self.there {
            let touched = self.running.contains(&index) || self.ended.contains_key(&index);
            let lost = |on: usize| given_up.contains(&on) || self.ended.get(&on) == Some(&NodeEnd::Failed);
            let stopped = self.plan.after[index].iter().any(|&(on, policy)| policy == OnFailure::Stop && lost(on));
            if !touched && (stopped || self.cancelled.is_some()) {
                given_up.insert(index);
            }
        }
        given_up
    }

    fn ready(&self) -> Vec<usize> {
        let given_up = self.given_up();
        let over = |index: usize| given_up.contains(&index) || self.ended.contains_key(&index);
        let may = |index: &usize| {
            !over(*index) && !self.running.contains(index) && self.plan.after[*index].iter().all(|&(on, _)| over(on))
        };
        (0..self.there).filter(may).take(self.plan.width - self.running.len()).collect()
    }

    fn is_over(&self) -> bool {
        self.given_up().len() + self.ended.len() == self.there
    }

    fn gaps(&self, index: usize) -> BTreeSet<usize> {
        let (given_up, after) = (self.given_up(), &self.plan.after[index]);
        let lost = |on: &usize| given_up.contains(on) || self.ended.get(on) == Some(&NodeEnd::Failed);
        after.iter().map(|(on, _)| *on).filter(lost).collect()
    }
}

/// Lets it happen to both; tells what was given up.
fn happens_to(graph: &mut Graph<usize>, reference: &mut Reference<'_>, what: Happens) {
    match what {
        Happens::Start(choice) => {
            let ready = graph.ready();
            if let Some(&node) = ready.get(choice % ready.len().max(1)) {
                assert!(reference.gaps(node).iter().eq(graph.gaps(&node).iter().collect::<BTreeSet<_>>()));
                graph.started(&node).unwrap();
                assert!(reference.running.insert(node) && !reference.ended.contains_key(&node), "at most once");
            }
        }
        Happens::Finish(choice, end) => {
            let running: Vec<usize> = reference.running.iter().copied().collect();
            if let Some(node) = running.get(choice % running.len().max(1)) {
                graph.finished(node, end).unwrap();
                reference.running.remove(node);
                reference.ended.insert(*node, end);
            }
        }
        Happens::Arrive if reference.there < reference.plan.after.len() => {
            graph.add(vec![reference.plan.node(reference.there)]).unwrap();
            reference.there += 1;
        }
        Happens::Arrive => {}
        Happens::Cancel => {
            graph.cancel();
            let open = |index: &usize| !reference.running.contains(index) && !reference.ended.contains_key(index);
            reference.cancelled = Some((0..reference.there).filter(open).collect());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_happens_the_graph_is_where_the_reference_is_and_always_ends(
        plan in plan(),
        history in proptest::collection::vec(happens(), 0..60),
    ) {
        let mut graph = Graph::new(wide(plan.width));
        let (running, ended) = (BTreeSet::new(), BTreeMap::new());
        let mut reference = Reference { plan: &plan, there: plan.at_first, running, ended, cancelled: None };
        graph.add((0..plan.at_first).map(|index| plan.node(index)).collect()).unwrap();
        let mut told = BTreeSet::new();
        // In the end everything arrives and ends.
        let count = plan.after.len();
        let arrive = std::iter::repeat_n(Happens::Arrive, count);
        let run = std::iter::repeat_n([Happens::Start(0), Happens::Finish(0, NodeEnd::Done)], count).flatten();
        let finish = std::iter::repeat_n(Happens::Finish(0, NodeEnd::Done), plan.width);
        for what in history.into_iter().chain(finish).chain(arrive).chain(run) {
            happens_to(&mut graph, &mut reference, what);
            prop_assert!(reference.running.len() <= plan.width);
            for GivenUp { node, because } in graph.take_given_up() {
                prop_assert!(told.insert(node), "told once");
                match because {
                    Because::Cancelled => prop_assert!(reference.cancelled.is_some()),
                    Because::Lost(on) => {
                        prop_assert!(graph.state(&on).unwrap().is_lost());
                        prop_assert!(plan.after[node].contains(&(on, OnFailure::Stop)));
                    }
                }
            }
            prop_assert_eq!(&told, &reference.given_up());
            prop_assert_eq!(graph.ready(), reference.ready());
            prop_assert_eq!(graph.is_over(), reference.is_over());
        }
        prop_assert!(graph.is_over() && reference.there == count);
    }

    #[test]
    fn with_room_enough_every_node_starts_the_moment_everything_before_it_is_over(
        plan in plan(),
        durations in proptest::collection::vec((0_u64..5, any::<bool>()), 12),
    ) {
        let mut graph = Graph::new(wide(100));
        graph.add((0..plan.after.len()).map(|index| plan.node(index)).collect()).unwrap();
        let mut over: BTreeMap<usize, u64> = BTreeMap::new();
        let mut running: BTreeSet<(u64, usize)> = BTreeSet::new();
        let mut now = 0;
        loop {
            for node in graph.ready() {
                let inputs = plan.after[node].iter().map(|(on, _)| over[on]).max().unwrap_or(0);
                prop_assert_eq!(now, inputs);
                graph.started(&node).unwrap();
                running.insert((now + durations[node].0, node));
            }
            let Some((at, node)) = running.pop_first() else { break };
            now = at;
            over.insert(node, now);
            graph.finished(&node, if durations[node].1 { NodeEnd::Failed } else { NodeEnd::Done }).unwrap();
            over.extend(graph.take_given_up().into_iter().map(|lost| (lost.node, now)));
        }
        prop_assert!(graph.is_over() && over.len() == plan.after.len());
    }

    #[test]
    fn a_graph_is_refused_for_a_cycle_exactly_when_some_node_comes_before_itself(
        edges in proptest::collection::vec((0_usize..8, 0_usize..8), 0..14),
    ) {
        let edges: BTreeSet<_> = edges.into_iter().filter(|(node, on)| node != on).collect();
        let nodes = (0..8).map(|index| {
            let on = edges.iter().filter(|(node, _)| *node == index).map(|(_, on)| *on);
            on.fold(Node::<usize>::new(index), |node, on| node.after(on, OnFailure::Stop))
        });
        // Everything that comes before a node, step by step.
        let mut before: BTreeSet<(usize, usize)> = edges.clone();
        loop {
            let further: Vec<_> = before
                .iter()
                .flat_map(|&(node, on)| edges.iter().filter(move |(next, _)| *next == on).map(move |(_, on)| (node, *on)))
                .collect();
            let known = before.len();
            before.extend(further);
            if before.len() == known {
                break;
            }
        }
        let in_a_circle: BTreeSet<usize> = (0..8).filter(|&index| before.contains(&(index, index))).collect();
        let mut graph = Graph::new(wide(1));
        match graph.add(nodes.collect()) {
            Ok(()) => {
                prop_assert!(in_a_circle.is_empty());
                let mut done = Vec::new();
                while let Some(node) = graph.ready().first().copied() {
                    graph.started(&node).unwrap();
                    graph.finished(&node, NodeEnd::Done).unwrap();
                    prop_assert!(edges.iter().all(|(later, on)| *later != node || done.contains(on)));
                    done.push(node);
                }
                prop_assert_eq!(done.len(), 8);
            }
            Err(errors) => {
                for error in errors {
                    let GraphError::Cycle(cycle) = error else { panic!("{error}") };
                    prop_assert!(cycle.iter().all(|node| in_a_circle.contains(node)));
                    let round = cycle.iter().zip(cycle.iter().cycle().skip(1));
                    prop_assert!(round.into_iter().all(|(node, on)| edges.contains(&(*node, *on))));
                }
            }
        }
    }
}
