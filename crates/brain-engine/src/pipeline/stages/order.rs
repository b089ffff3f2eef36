//! The order of a plan: an action may come after earlier actions of the same plan, and after nothing else.
//!
//! Where a planner says something else (actions that wait for one another, for themselves, for a later one, for one
//! that is not there), any order would be a guess of ours: what cannot be placed is refused by name, what comes after
//! it is left out, and the rest goes on. This is the first look at a plan, so that what follows can count on
//! dependencies that point backwards.

use super::super::brain::Brain;
use super::phrasing::is_like_an_id;
use super::{gate, later};
use crate::pipeline::show;
use brain_core::core::graph::{Graph, GraphError, GraphLimits, Node, OnFailure};
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_services::services::planning::plan_grounding::is_low_write;

/// A plan that can be done from its first action to its last.
#[derive(Debug)]
pub(crate) struct InOrder {
    /// What is left of it.
    pub plan: Plan,
    /// What is refused or left out.
    pub stopped: Vec<Report>,
    /// Words for the person about that.
    pub remarks: Vec<String>,
}

/// Takes out what cannot be placed.
pub(crate) fn check(brain: &Brain, plan: Plan) -> InOrder {
    let faults = faults(&plan.actions);
    let remarks = faults.iter().map(|fault| remark(brain, fault, &plan.actions)).collect();
    let mut order = InOrder { plan: Plan { actions: Vec::new(), ..plan }, stopped: Vec::new(), remarks };
    if faults.is_empty() {
        order.plan.actions = plan.actions;
        return order;
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(plan.actions.len());
    for (index, planned) in plan.actions.iter().enumerate() {
        let fault = faults.iter().find(|fault| fault.nodes().contains(&index));
        let on: Option<Vec<usize>> = planned.depends_on.iter().map(|&on| places.get(on).copied().flatten()).collect();
        places.push(match (fault, on) {
            (None, Some(depends_on)) => {
                order.plan.actions.push(PlannedAction { depends_on, ..planned.clone() });
                Some(order.plan.actions.len() - 1)
            }
            (None, None) => {
                let why = "something before it is not settled yet";
                order.stopped.push(gate::planned_report(planned, Status::Failed, why));
                order.remarks.push(later::left_out(brain, planned));
                None
            }
            (Some(fault), _) => {
                let why = for_the_report(fault, &plan.actions);
                order.stopped.push(gate::planned_report(planned, Status::Refused, &why));
                None
            }
        });
    }
    order
}

/// Which of these low-stakes actions change a thing that an action before them changes; each waits for nothing else, and
/// nothing waits for it.
pub(crate) fn changes_again(brain: &Brain, actions: &[PlannedAction]) -> Vec<bool> {
    let changed = |planned: &PlannedAction| {
        let entry = brain.services.command(&planned.service, &planned.command)?;
        // Other words than an id may mean several things, or another one each time.
        let id = planned.params.get("find_by")?.as_str().filter(|found_by| is_like_an_id(found_by))?;
        is_low_write(entry.as_ref(), planned).then(|| (planned.service.clone(), id.to_owned()))
    };
    let mut known = Vec::new();
    let awaited = |index: usize| actions.iter().any(|other| other.depends_on.contains(&index));
    let again = actions.iter().enumerate().map(|(index, planned)| {
        let Some(changed) = changed(planned) else { return false };
        let is_again = known.contains(&changed) && planned.depends_on.is_empty() && !awaited(index);
        known.push(changed);
        is_again
    });
    again.collect()
}

/// What is wrong, each action in one fault at most; a later action counts as one that is not there yet.
fn faults(actions: &[PlannedAction]) -> Vec<GraphError<usize>> {
    let node = |(index, action): (usize, &PlannedAction)| {
        action.depends_on.iter().fold(Node::new(index), |node, &on| node.after(on, OnFailure::Stop))
    };
    let most = actions.len();
    let mut graph = Graph::new(GraphLimits { nodes: most, width: 1, depth: most });
    let found = graph.add(actions.iter().enumerate().map(node).collect()).err().unwrap_or_default();
    let later = actions.iter().enumerate().filter_map(|(node, action)| {
        let on = *action.depends_on.iter().find(|&&on| on > node)?;
        Some(GraphError::UnknownDependency { node, on })
    });
    let mut faults: Vec<GraphError<usize>> = Vec::new();
    // Circles first: they name everybody who is in them.
    let (circles, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|fault| matches!(fault, GraphError::Cycle(_)));
    for fault in circles.into_iter().chain(others).chain(later) {
        if !faults.iter().any(|known| fault.nodes().iter().any(|node| known.nodes().contains(node))) {
            faults.push(fault);
        }
    }
    faults
}

/// A fault with the names of actions: `task.create (1) depends on itself`.
fn for_the_report(fault: &GraphError<usize>, actions: &[PlannedAction]) -> String {
    let name = |index: usize| match actions.get(index) {
        Some(action) => format!("{}.{} ({})", action.service, action.command, index + 1),
        None => format!("action {}", index.saturating_add(1)),
    };
    match fault {
        GraphError::UnknownDependency { node, on } if *on < actions.len() => {
            format!("{} depends on {}, which only comes after it", name(*node), name(*on))
        }
        fault => fault.clone().named(name).to_string(),
    }
}

/// The same for the person.
fn remark(brain: &Brain, fault: &GraphError<usize>, actions: &[PlannedAction]) -> String {
    let blamed: Vec<PlannedAction> = fault.nodes().iter().filter_map(|&index| actions.get(index)).cloned().collect();
    let what = show::meant(&brain.services, &blamed);
    let why = match fault {
        GraphError::Cycle(_) => "because each of them was to wait for another".to_owned(),
        GraphError::SelfDependency(_) => "because it was to wait for itself".to_owned(),
        GraphError::UnknownDependency { on, .. } => match actions.get(*on) {
            Some(later) => format!(
                "because it was to wait for what only comes after it ({})",
                show::meant(&brain.services, std::slice::from_ref(later))
            ),
            None => "because it was to wait for something that is not part of the plan".to_owned(),
        },
        // No action has one of these: they are numbered, as many as they are, and refer to nothing.
        GraphError::TooMany { .. }
        | GraphError::DuplicateId(_)
        | GraphError::TooDeep { .. }
        | GraphError::UnknownNode { .. }
        | GraphError::UnknownField { .. }
        | GraphError::TypeMismatch { .. } => format!("because {fault}"),
    };
    format!("🚫 I did not {what}, {why}. Please ask for it again, one step after the other.")
}
