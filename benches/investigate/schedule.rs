//! The ideal: when a graph would be done if nothing took time but its calls.

use std::collections::HashMap;

use brain_agent::ports::Stage;

use crate::graphs::Asking;

/// What a call takes at the endpoint, in milliseconds, by its stage.
pub type CallTimes = HashMap<Stage, f64>;

/// A list schedule: whatever is ready first takes the place that is free first. Milliseconds.
pub fn ideal_ms(nodes: &[Asking], times: &CallTimes, at_once: usize) -> f64 {
    let mut free = vec![0.0_f64; at_once];
    let mut ends: HashMap<&str, f64> = HashMap::new();
    while ends.len() < nodes.len() {
        let ready = |node: &Asking| {
            let after: Option<Vec<f64>> = node.after.iter().map(|on| ends.get(on.as_str()).copied()).collect();
            after.map(|after| after.into_iter().fold(0.0, f64::max))
        };
        let waiting = nodes.iter().filter(|node| !ends.contains_key(node.id.as_str()));
        let (node, from) = waiting
            .filter_map(|node| Some((node, ready(node)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .expect("a graph without cycles");
        let mut last = from;
        for _ in 0..node.calls {
            let place = free.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("a place");
            *place = place.max(from) + times[&node.stage];
            last = last.max(*place);
        }
        ends.insert(&node.id, last);
    }
    ends.values().copied().fold(0.0, f64::max)
}
