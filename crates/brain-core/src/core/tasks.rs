//! Tasks: what a request is refined into when there are more commands than a prompt holds, each for one service, some
//! after others.
//!
//! A planner's proposal is checked in three layers, the cheapest first: how many tasks, for which services, in which
//! order. The first fault ends it and names the task. Takes O(n + e) steps, n tasks and e dependencies; nothing is known
//! here of commands and their parameters. Depth is another matter: a task that is refined again gives tasks one deeper
//! than itself, and that is looked at before anything is asked ([`TaskLimits::check_depth`]).
//!
//! ```
//! use brain_core::core::tasks::{ProposedTask, TaskLimits, refined};
//!
//! let task = |service: &str, dependencies: &[&str]| ProposedTask {
//!     service: service.to_owned(),
//!     dependencies: dependencies.iter().map(|&on| on.to_owned()).collect(),
//!     ..ProposedTask::default()
//! };
//! let is_known = |service: &str| service == "shop";
//! let order = |tasks| refined(tasks, &["shop"], is_known, TaskLimits::default());
//! assert_eq!(order(vec![task("shop", &["task-1"]), task("shop", &[])]).unwrap()[1].after, [0]);
//! let fault = order(vec![task("shop", &["task-7"])]).unwrap_err();
//! assert_eq!(fault.to_string(), "task-0 depends on task-7, which is not there");
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use serde::Deserialize;

use super::graph::{Graph, GraphError, GraphLimits, Node, OnFailure};
use super::text::shorten;
use crate::limits;

/// A task as a planner writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ProposedTask {
    /// As others refer to it; `task-N` by its place from 0 without one.
    #[serde(default)]
    pub id: Option<String>,
    /// The service that it is for.
    pub service: String,
    /// What is asked of that service, complete in itself.
    #[serde(default)]
    pub prompt: String,
    /// The tasks before it: `task-0`, `0`, `Task 0`.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

/// A task that can be carried out, in an order in which those before it come first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefinedTask {
    /// Normalised.
    pub id: String,
    /// One of those that there are.
    pub service: String,
    /// What is asked of it.
    pub prompt: String,
    /// The places of those before it, which are smaller than its own.
    pub after: Vec<usize>,
}

/// How much one request may be refined into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLimits {
    /// Tasks at once.
    pub tasks: usize,
    /// How deep: a request is at 0, what it is refined into at 1.
    pub depth: usize,
}

impl Default for TaskLimits {
    fn default() -> Self {
        Self { tasks: limits::TASKS_USUAL, depth: limits::TASK_DEPTH_USUAL }
    }
}

/// Why tasks are not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// It has been refined often enough.
    #[error("depth limit exceeded: tasks at depth {depth} > {most}")]
    TooDeep {
        /// The depth that the tasks would be at.
        depth: usize,
        /// How deep they may be.
        most: usize,
    },
    /// There is none.
    #[error("there is no task")]
    Empty,
    /// There are too many.
    #[error("task limit exceeded: {tasks} > {most}")]
    TooMany {
        /// How many there are.
        tasks: usize,
        /// How many there may be.
        most: usize,
    },
    /// It is for nobody.
    #[error("{id}: unknown service '{service}'; available: {available}")]
    UnknownService {
        /// The task.
        id: String,
        /// As it was written.
        service: String,
        /// All there are, or the first of them.
        available: String,
    },
    /// Their order is none.
    #[error("{0}")]
    Order(GraphError<String>),
}

impl TaskLimits {
    /// Whether what is at `depth` may be refined; asked before a model is.
    pub fn check_depth(self, depth: usize) -> Result<(), TaskError> {
        if depth >= self.depth {
            return Err(TaskError::TooDeep { depth: depth.saturating_add(1), most: self.depth });
        }
        Ok(())
    }
}

/// The tasks of a proposal, sorted so that each comes behind those that it depends on, otherwise as they were written.
/// `available`: the services, for whoever wrote an unknown one.
pub fn refined(
    proposed: Vec<ProposedTask>,
    available: &[&str],
    is_known: impl Fn(&str) -> bool,
    limits: TaskLimits,
) -> Result<Vec<RefinedTask>, TaskError> {
    if proposed.is_empty() {
        return Err(TaskError::Empty);
    }
    if proposed.len() > limits.tasks {
        return Err(TaskError::TooMany { tasks: proposed.len(), most: limits.tasks });
    }
    let ids: Vec<String> = proposed
        .iter()
        .enumerate()
        .map(|(place, task)| task.id.as_deref().map_or_else(|| format!("task-{place}"), normalised))
        .collect();
    for (task, id) in proposed.iter().zip(&ids) {
        if !is_known(&task.service) {
            let shown = available.iter().take(limits::TASK_SERVICES_SHOWN_MAX).copied().collect::<Vec<_>>().join(", ");
            let more = if available.len() > limits::TASK_SERVICES_SHOWN_MAX { ", …" } else { "" };
            let service = shorten(&task.service, limits::NAME_CHARS_MAX);
            return Err(TaskError::UnknownService { id: id.clone(), service, available: shown + more });
        }
    }
    let place_of: HashMap<&str, usize> = ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
    let id_of = |on: &String| match place_of.get(on.as_str()) {
        Some(&place) => Cow::Borrowed(ids[place].as_str()),
        None => Cow::Owned(normalised(on)),
    };
    let before: Vec<Vec<Cow<'_, str>>> =
        proposed.iter().map(|task| task.dependencies.iter().map(id_of).collect()).collect();
    let many = proposed.len();
    let Ok(graph) = graph_of::<&str>(&ids, &before) else {
        // Names that outlive it, where there is somebody to tell.
        let faults = graph_of::<String>(&ids, &before).err().unwrap_or_default();
        // A circle names everybody who is in it.
        let circle = faults.iter().find(|fault| matches!(fault, GraphError::Cycle(_)));
        return Err(circle.or(faults.first()).cloned().map_or(TaskError::Empty, TaskError::Order));
    };
    let mut order: Vec<usize> = (0..many).collect();
    order.sort_by_cached_key(|&place| (graph.depth(&ids[place].as_str()), place));
    let mut places = vec![0; many];
    order.iter().enumerate().for_each(|(sorted, &place)| places[place] = sorted);
    let mut tasks: Vec<Option<ProposedTask>> = proposed.into_iter().map(Some).collect();
    let sorted = order.iter().filter_map(|&place| Some((place, tasks[place].take()?)));
    Ok(sorted
        .map(|(place, ProposedTask { service, prompt, .. })| {
            let known = before[place].iter().filter_map(|on| place_of.get(on.as_ref()));
            let mut after: Vec<usize> = known.map(|&on| places[on]).collect();
            after.sort_unstable();
            after.dedup();
            RefinedTask { id: ids[place].clone(), service, prompt, after }
        })
        .collect())
}

/// Tasks and what comes before each, by their ids.
fn graph_of<'i, K>(ids: &'i [String], before: &'i [Vec<Cow<'i, str>>]) -> Result<Graph<K>, Vec<GraphError<K>>>
where
    K: From<&'i str> + Clone + Eq + Hash,
{
    let nodes = ids.iter().zip(before).map(|(id, before)| {
        let node = Node::new(K::from(id));
        before.iter().fold(node, |node, on| node.after(K::from(on.as_ref()), OnFailure::Stop))
    });
    let mut graph = Graph::new(GraphLimits { nodes: ids.len(), width: 1, depth: ids.len() });
    graph.add(nodes.collect()).map(|()| graph)
}

/// An id however it was written: `Task 0`, `0` and `orchestrate-task-0` are `task-0`.
fn normalised(id: &str) -> String {
    let lower = id.trim().to_lowercase().replace([' ', '_'], "-");
    let number = lower.strip_prefix("orchestrate-").unwrap_or(&lower);
    let number = number.strip_prefix("task-").unwrap_or(number);
    match number.parse::<usize>() {
        Ok(number) => format!("task-{number}"),
        Err(_) => shorten(&lower, limits::NAME_CHARS_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(service: &str, dependencies: &[&str]) -> ProposedTask {
        let dependencies = dependencies.iter().map(|&on| on.to_owned()).collect();
        ProposedTask { service: service.to_owned(), dependencies, ..ProposedTask::default() }
    }

    fn check(tasks: Vec<ProposedTask>, most: usize) -> Result<Vec<RefinedTask>, String> {
        let limits = TaskLimits { tasks: most, depth: 10 };
        refined(tasks, &["mail", "notes"], |name| ["mail", "notes"].contains(&name), limits)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_layer_names_what_is_wrong() {
        let rows: [(Vec<ProposedTask>, &str); 8] = [
            (vec![], "there is no task"),
            (vec![task("mail", &[]); 4], "task limit exceeded: 4 > 3"),
            (
                vec![task("mail", &[]), task("filesystem", &["task-9"])],
                "task-1: unknown service 'filesystem'; available: mail, notes",
            ),
            (vec![task("mail", &[]), task("notes", &["task-999"])], "task-1 depends on task-999, which is not there"),
            (vec![task("mail", &["task-0"])], "task-0 depends on itself"),
            (
                vec![task("mail", &["1"]), task("notes", &["Task 0"])],
                "task-0 and task-1 depend on one another in a circle",
            ),
            (
                vec![task("mail", &["task-9", "task-1"]), task("notes", &["task-0"])],
                "task-0 and task-1 depend on one another in a circle",
            ),
            (vec![ProposedTask { id: Some("a".to_owned()), ..task("mail", &[]) }; 2], "a is there twice"),
        ];
        for (tasks, fault) in rows {
            let found = check(tasks.clone(), 3).unwrap_err();
            // A circle is told from whoever is found first in it.
            let is_circle = fault.contains("circle") && found.contains("circle");
            assert!(found == fault || is_circle && found.contains("task-0") && found.contains("task-1"), "{found}");
        }
    }

    #[test]
    fn ids_are_one_however_they_are_written() {
        for id in ["task-3", "Task 3", "3", " orchestrate-task-3 ", "task_3", "TASK-3"] {
            assert_eq!(normalised(id), "task-3", "{id}");
        }
        assert_eq!(normalised("read the list"), "read-the-list");
    }

    #[test]
    fn each_comes_behind_those_before_it() {
        let tasks = vec![task("mail", &["task-2"]), task("notes", &[]), task("notes", &["task-1", "task-1"])];
        let found = check(tasks, 3).unwrap();
        let ids: Vec<&str> = found.iter().map(|task| task.id.as_str()).collect();
        assert_eq!(ids, ["task-1", "task-2", "task-0"]);
        assert_eq!(found.iter().map(|task| task.after.clone()).collect::<Vec<_>>(), [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn depth_is_known_before_anything_is_asked() {
        let limits = TaskLimits { tasks: 1, depth: 2 };
        assert_eq!(limits.check_depth(1), Ok(()));
        assert_eq!(limits.check_depth(2).unwrap_err().to_string(), "depth limit exceeded: tasks at depth 3 > 2");
        assert!(TaskLimits { depth: 0, ..limits }.check_depth(0).is_err());
    }

    #[test]
    fn a_thousand_in_a_row_are_no_recursion() {
        let tasks: Vec<ProposedTask> = (0..1_000)
            .map(|place: usize| match place.checked_sub(1) {
                Some(before) => task("mail", &[&format!("task-{before}")]),
                None => task("mail", &[]),
            })
            .collect();
        assert_eq!(check(tasks, 1_000).unwrap().len(), 1_000);
    }
}
