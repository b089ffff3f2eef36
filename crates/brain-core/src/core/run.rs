//! Write-ahead journal of a run: actions being done, so that a crash can be settled step by step.
//!
//! A run is made durable before its first effect outside the store, or together with the first one inside, and it is
//! removed in the same commit that puts its answer into the outbox. What is found at start was interrupted:
//!
//! | step found   | effect                    | what recovery does                                     |
//! |--------------|---------------------------|--------------------------------------------------------|
//! | `Planned`    | none                      | does it now (an approval that is too old: expires)     |
//! | `Started`    | outside, doubtful         | `Unknown`, told to the person, never tried again       |
//! | `Done`       | recorded                  | tells it                                               |
//!
//! An effect inside the embedded store commits together with its `Done`, so it is never `Started`.
//!
//! What may begin, and when, is decided by the graph of its steps (see [`super::graph`]).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::graph::{Because, GivenUp, Graph, GraphLimits, IllegalNodeEvent, Node, NodeEnd, OnFailure};
use super::ids::{ChatId, MessageId, PendingId, RunId, UserId};
use super::outcome::Outcome;
use super::pending::End;
use super::plan::Action;
use crate::limits;

/// Where a run came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOrigin {
    /// Low-stakes actions of a turn.
    Turn,
    /// An approved card.
    Pending(PendingId),
}

/// Where one step stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StepProgress {
    /// Not begun.
    Planned,
    /// An effect outside the store was begun.
    Started,
    /// Over.
    Done {
        /// How it ended.
        outcome: Outcome,
    },
}

/// One action of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// As it was authorised, with its values.
    pub action: Action,
    /// Indexes of the steps that must succeed first.
    pub depends_on: Vec<usize>,
    /// Where it stands.
    pub progress: StepProgress,
    /// What takes it back, in the store's own terms, so that a next life can still offer it.
    #[serde(default)]
    pub undo: Option<String>,
}

impl Step {
    /// A step that has not begun.
    pub fn planned(action: Action, depends_on: Vec<usize>) -> Self {
        Self { action, depends_on, progress: StepProgress::Planned, undo: None }
    }

    /// True once it has succeeded.
    pub fn succeeded(&self) -> bool {
        matches!(self.progress, StepProgress::Done { outcome: Outcome::Succeeded { .. } })
    }

    fn node(&self, index: usize) -> Node<usize> {
        let settled = match &self.progress {
            StepProgress::Planned => None,
            StepProgress::Done { outcome: Outcome::Succeeded { .. } } => Some(NodeEnd::Done),
            // Nothing may rest on what is doubtful.
            StepProgress::Done { outcome: Outcome::Failed { .. } | Outcome::Unknown { .. } }
            | StepProgress::Started => Some(NodeEnd::Failed),
        };
        let node = self.depends_on.iter().fold(Node::new(index), |node, &on| node.after(on, OnFailure::Stop));
        Node { settled, ..node }
    }
}

/// Write-ahead journal of the authorised actions of one turn: what was begun, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The turn's id or the pending action's.
    pub id: RunId,
    /// Where it came from.
    pub origin: RunOrigin,
    /// Whose it is.
    pub owner: UserId,
    /// Where the answer goes.
    pub chat: ChatId,
    /// The person's message that led here.
    pub request: String,
    /// Its inbox entry, marked done together with the answer.
    pub inbox: Option<String>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// In the order of the plan.
    pub steps: Vec<Step>,
}

impl Run {
    /// The end of the whole run, once every step is done.
    pub fn end(&self) -> End {
        let mut end = End::Succeeded;
        for step in &self.steps {
            match &step.progress {
                StepProgress::Done { outcome: Outcome::Succeeded { .. } } => {}
                StepProgress::Done { outcome: Outcome::Failed { .. } } => {
                    if end == End::Succeeded {
                        end = End::Failed;
                    }
                }
                StepProgress::Done { outcome: Outcome::Unknown { .. } }
                | StepProgress::Started
                | StepProgress::Planned => {
                    end = End::Unknown;
                }
            }
        }
        end
    }

    /// The steps as a graph, in which each stops what depends on it; what is on record is settled. What can never
    /// begin is given up: what depends on something that did not succeed and, where the steps cannot be put in an
    /// order, everything that has not begun.
    pub fn graph(&mut self) -> Graph<usize> {
        let (nodes, width) = (limits::PLAN_ACTIONS_MAX, limits::CONCURRENT_ACTIONS_MAX);
        let mut graph = Graph::new(GraphLimits { nodes, width, depth: nodes });
        match graph.add(self.steps.iter().enumerate().map(|(index, step)| step.node(index)).collect()) {
            Ok(()) => self.give_up(&mut graph),
            Err(errors) => {
                let errors = errors.into_iter().map(|error| error.named(place).to_string());
                let why = format!("not tried: {}", errors.collect::<Vec<_>>().join("; "));
                for step in self.steps.iter_mut().filter(|step| step.progress == StepProgress::Planned) {
                    step.progress = StepProgress::Done { outcome: Outcome::failed(&why) };
                }
            }
        }
        graph
    }

    /// Tells the graph how a step ended, and gives up what now can never begin.
    pub fn ended(&mut self, index: usize, graph: &mut Graph<usize>) -> Result<(), IllegalNodeEvent<usize>> {
        let end = if self.steps[index].succeeded() { NodeEnd::Done } else { NodeEnd::Failed };
        graph.finished(&index, end)?;
        self.give_up(graph);
        Ok(())
    }

    fn give_up(&mut self, graph: &mut Graph<usize>) {
        for GivenUp { node, because } in graph.take_given_up() {
            let why = match because {
                Because::Lost(on) => format!("not tried, because {} before it did not succeed", place(on)),
                Because::Cancelled => "not tried, because it was stopped before".to_owned(),
            };
            self.steps[node].progress = StepProgress::Done { outcome: Outcome::failed(why) };
        }
    }
}

/// What a step is called where a person reads of it: they are told of in their order.
fn place(index: usize) -> String {
    format!("step {}", index.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn run(steps: &[(StepProgress, &[usize])]) -> Run {
        let steps = steps.iter().map(|(progress, on)| Step {
            progress: progress.clone(),
            ..Step::planned(
                Action { service: "task".into(), command: "create".into(), ..Action::default() },
                on.to_vec(),
            )
        });
        Run {
            id: RunId::new("run"),
            origin: RunOrigin::Turn,
            owner: UserId::new("alex"),
            chat: ChatId::new("chat"),
            request: String::new(),
            inbox: None,
            reply_to: None,
            started_at: DateTime::UNIX_EPOCH,
            steps: steps.collect(),
        }
    }

    fn done() -> StepProgress {
        StepProgress::Done { outcome: Outcome::Succeeded { result: Value::Null } }
    }

    fn failed() -> StepProgress {
        StepProgress::Done { outcome: Outcome::failed("no") }
    }

    fn unknown() -> StepProgress {
        StepProgress::Done { outcome: Outcome::Unknown { why: "who knows".into() } }
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        use StepProgress::{Planned, Started};
        type Row<'a> = (&'a [(StepProgress, &'a [usize])], &'a [usize], &'a [usize]);
        // The steps as they are found; those that may begin; those that are given up.
        let rows: [Row<'_>; 7] = [
            (&[(Planned, &[]), (Planned, &[0])], &[0], &[]),
            (&[(done(), &[]), (Planned, &[0])], &[1], &[]),
            (&[(failed(), &[]), (Planned, &[0]), (Planned, &[1]), (Planned, &[])], &[3], &[1, 2]),
            (&[(unknown(), &[]), (Planned, &[0])], &[], &[1]),
            (&[(Started, &[]), (Planned, &[0])], &[], &[1]),
            // Whatever is on record stays, in any order.
            (&[(done(), &[1]), (Planned, &[]), (Planned, &[0])], &[1, 2], &[]),
            (&[(Planned, &[1]), (Planned, &[2]), (Planned, &[1]), (done(), &[]), (Planned, &[])], &[], &[0, 1, 2, 4]),
        ];
        for (steps, ready, given_up) in rows {
            let mut found = run(steps);
            assert_eq!(found.graph().ready(), ready, "{steps:?}");
            let new: Vec<usize> = (0..steps.len()).filter(|&at| found.steps[at].progress != steps[at].0).collect();
            assert_eq!(new, given_up, "{steps:?}");
        }
    }

    #[test]
    fn steps_that_wait_for_one_another_are_named() {
        let mut found =
            run(&[(StepProgress::Planned, &[1]), (StepProgress::Planned, &[0]), (StepProgress::Planned, &[7])]);
        found.graph();
        let told: Vec<&str> = found
            .steps
            .iter()
            .filter_map(|step| match &step.progress {
                StepProgress::Done { outcome } => outcome.error(),
                StepProgress::Planned | StepProgress::Started => None,
            })
            .collect();
        let why = "not tried: step 3 depends on step 8, which is not there; \
                   step 1 → step 2 → step 1 depend on one another in a circle";
        assert_eq!(told, [why; 3]);
        assert_eq!(found.end(), End::Failed);
    }
}
