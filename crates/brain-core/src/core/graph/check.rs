//! Validation of a graph: who depends on whom, in which order nodes can be done, how deep they are.
//!
//! Looks at each node and each dependency a fixed number of times, and never recurses: the length of a chain is up to
//! a model.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::{Dependency, Graph, GraphError, Node, NodeInput, OnFailure};

/// What is known of sound nodes, one entry a node in the order they came.
pub(super) struct Links {
    /// The positions in the graph of what each depends on, each once.
    pub after: Vec<Vec<(usize, OnFailure)>>,
    pub depths: Vec<usize>,
    /// Indexes of the nodes, every one behind those it depends on.
    pub order: Vec<usize>,
}

/// Finds everything that is wrong with `nodes` beside those that are in the graph.
pub(super) fn check<K: Clone + Eq + Hash, T: Clone + PartialEq>(
    graph: &Graph<K, T>,
    nodes: &[Node<K, T>],
) -> Result<Links, Vec<GraphError<K, T>>> {
    let (first, most) = (graph.nodes.len(), graph.limits.nodes);
    if first + nodes.len() > most {
        return Err(vec![GraphError::TooMany { nodes: first + nodes.len(), most }]);
    }
    let mut errors = Vec::new();
    let mut added = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if graph.positions.contains_key(&node.id) || added.contains_key(&node.id) {
            errors.push(GraphError::DuplicateId(node.id.clone()));
        } else {
            added.insert(&node.id, first + index);
        }
    }
    let position = |id: &K| graph.positions.get(id).or_else(|| added.get(id)).copied();
    let after: Vec<_> = nodes.iter().map(|node| dependencies(node, &position, &mut errors)).collect();
    for node in nodes {
        for input in &node.inputs {
            let outputs = position(&input.from.node).map(|at| match at.checked_sub(first) {
                Some(index) => &nodes[index].outputs,
                None => &graph.nodes[at].outputs,
            });
            errors.extend(outputs.and_then(|outputs| mismatch(node, input, outputs)));
        }
    }
    let order = order(first, &after);
    let mut depths = vec![0; nodes.len()];
    for &index in &order {
        let depth_of = |&(on, _): &(usize, OnFailure)| {
            on.checked_sub(first).map_or_else(|| graph.nodes[on].depth, |on| depths[on])
        };
        let depth = after[index].iter().map(|on| depth_of(on) + 1).max().unwrap_or(0);
        depths[index] = depth;
        if depth == graph.limits.depth + 1 {
            errors.push(GraphError::TooDeep { node: nodes[index].id.clone(), depth, most: graph.limits.depth });
        }
    }
    let cycles = cycles(first, &after, &order);
    let named = |cycle: Vec<usize>| GraphError::Cycle(cycle.into_iter().map(|index| nodes[index].id.clone()).collect());
    errors.extend(cycles.into_iter().map(named));
    if errors.is_empty() { Ok(Links { after, depths, order }) } else { Err(errors) }
}

/// What one node depends on, each once: a dependency that stops outweighs one that goes on, and a reference adds one
/// that stops where there is none.
fn dependencies<K: Clone + Eq + Hash, T>(
    node: &Node<K, T>,
    position: &impl Fn(&K) -> Option<usize>,
    errors: &mut Vec<GraphError<K, T>>,
) -> Vec<(usize, OnFailure)> {
    let mut found: Vec<(usize, OnFailure)> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for Dependency { on, on_failure } in &node.depends_on {
        let Some(at) = position(on) else {
            errors.push(GraphError::UnknownDependency { node: node.id.clone(), on: on.clone() });
            continue;
        };
        let place = *places.entry(at).or_insert(found.len());
        if place == found.len() {
            found.push((at, *on_failure));
        } else if *on_failure == OnFailure::Stop {
            found[place].1 = OnFailure::Stop;
        }
    }
    for NodeInput { from, .. } in &node.inputs {
        let Some(at) = position(&from.node) else {
            errors.push(GraphError::UnknownNode { node: node.id.clone(), to: from.clone() });
            continue;
        };
        if *places.entry(at).or_insert(found.len()) == found.len() {
            found.push((at, OnFailure::Stop));
        }
    }
    let own = position(&node.id);
    let needed = found.len();
    found.retain(|(at, _)| Some(*at) != own);
    if found.len() < needed {
        errors.push(GraphError::SelfDependency(node.id.clone()));
    }
    found
}

/// What is wrong with a reference to these outputs.
fn mismatch<K: Clone, T: Clone + PartialEq>(
    node: &Node<K, T>,
    input: &NodeInput<K, T>,
    outputs: &[(String, T)],
) -> Option<GraphError<K, T>> {
    let (id, to) = (node.id.clone(), input.from.clone());
    match outputs.iter().find(|(field, _)| *field == input.from.field) {
        None => Some(GraphError::UnknownField { node: id, to }),
        Some((_, is)) if *is == input.wants => None,
        Some((_, is)) => Some(GraphError::TypeMismatch { node: id, to, wants: input.wants.clone(), is: is.clone() }),
    }
}

/// The new nodes in an order in which they can be done (Kahn's algorithm); those of cycles, and what comes after them,
/// are left out.
fn order(first: usize, after: &[Vec<(usize, OnFailure)>]) -> Vec<usize> {
    let mut before = vec![Vec::new(); after.len()];
    let mut missing = vec![0_usize; after.len()];
    for (index, after) in after.iter().enumerate() {
        for on in after.iter().filter_map(|(on, _)| on.checked_sub(first)) {
            before[on].push(index);
            missing[index] += 1;
        }
    }
    let mut free: VecDeque<usize> = (0..after.len()).filter(|&index| missing[index] == 0).collect();
    let mut order = Vec::with_capacity(after.len());
    while let Some(index) = free.pop_front() {
        order.push(index);
        for &later in &before[index] {
            missing[later] -= 1;
            if missing[later] == 0 {
                free.push_back(later);
            }
        }
    }
    order
}

/// The cycles among the nodes that no order was found for: at least one if there are such nodes. Each of them depends
/// on another of them, so whoever goes from one to the next walks in a circle in the end.
fn cycles(first: usize, after: &[Vec<(usize, OnFailure)>], order: &[usize]) -> Vec<Vec<usize>> {
    let mut is_left = vec![true; after.len()];
    order.iter().for_each(|&index| is_left[index] = false);
    let onward = |index: usize| {
        let mut left = after[index].iter().filter_map(|(on, _)| on.checked_sub(first)).filter(|&on| is_left[on]);
        left.next()
    };
    // The walk on which a node was first met, by the node that the walk began with.
    let mut walk: Vec<Option<usize>> = vec![None; after.len()];
    let mut cycles = Vec::new();
    for start in (0..after.len()).filter(|&index| is_left[index]) {
        let mut path = Vec::new();
        let mut here = Some(start);
        while let Some(index) = here.filter(|&index| walk[index].is_none()) {
            walk[index] = Some(start);
            path.push(index);
            here = onward(index);
        }
        let met = here.filter(|&index| walk[index] == Some(start));
        if let Some(begin) = met.and_then(|met| path.iter().position(|&index| index == met)) {
            let mut cycle = path.split_off(begin);
            let least = cycle.iter().enumerate().min_by_key(|(_, index)| **index).map_or(0, |(at, _)| at);
            cycle.rotate_left(least);
            cycles.push(cycle);
        }
    }
    cycles
}
