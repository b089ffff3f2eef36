//! A run: the journal of actions being done, so that a crash can be settled step by step.
//!
//! A run is made durable before its first effect, and it is removed in the same commit that puts its
//! answer into the outbox. What is found at start was interrupted:
//!
//! | step found   | effect                    | what recovery does                                     |
//! |--------------|---------------------------|--------------------------------------------------------|
//! | `Planned`    | none                      | does it now (an approval that is too old: expires)     |
//! | `Started`    | outside, doubtful         | `Unknown`, told to the person, never tried again       |
//! | `Done`       | recorded                  | tells it                                               |
//!
//! An effect inside the embedded store commits together with its `Done`, so it is never `Started`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::ids::{ChatId, MessageId, PendingId, RunId, UserId};
use super::outcome::Outcome;
use super::pending::End;
use super::plan::Action;

/// Where a run came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Low-stakes actions of a turn.
    Turn,
    /// An approved card.
    Pending(PendingId),
}

/// Where one step stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Progress {
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
    /// What is done.
    pub action: Action,
    /// Indexes of the steps that must succeed first.
    pub depends_on: Vec<usize>,
    /// Where it stands.
    pub progress: Progress,
    /// What takes it back, in the store's own terms, so that a next life can still offer it.
    #[serde(default)]
    pub undo: Option<String>,
}

impl Step {
    /// A step that has not begun.
    pub fn planned(action: Action, depends_on: Vec<usize>) -> Self {
        Self { action, depends_on, progress: Progress::Planned, undo: None }
    }
}

/// The journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The turn's id or the pending action's.
    pub id: RunId,
    /// Where it came from.
    pub origin: Origin,
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
    /// In order.
    pub steps: Vec<Step>,
}

impl Run {
    /// The end of the whole run, once every step is done.
    pub fn end(&self) -> End {
        let mut end = End::Succeeded;
        for step in &self.steps {
            match &step.progress {
                Progress::Done { outcome: Outcome::Succeeded { .. } } => {}
                Progress::Done { outcome: Outcome::Failed { .. } } => {
                    if end == End::Succeeded {
                        end = End::Failed;
                    }
                }
                Progress::Done { outcome: Outcome::Unknown { .. } } | Progress::Started | Progress::Planned => {
                    end = End::Unknown;
                }
            }
        }
        end
    }

    /// The steps that may begin now: planned, and everything they depend on has succeeded.
    pub fn ready(&self) -> Vec<usize> {
        (0..self.steps.len()).filter(|&index| self.is_ready(index)).collect()
    }

    fn is_ready(&self, index: usize) -> bool {
        let step = &self.steps[index];
        step.progress == Progress::Planned
            && step.depends_on.iter().all(|&on| {
                matches!(
                    self.steps.get(on).map(|s| &s.progress),
                    Some(Progress::Done { outcome: Outcome::Succeeded { .. } })
                )
            })
    }

    /// Marks as failed what can never begin because something it depends on did not succeed.
    /// Returns how many steps that were.
    pub fn give_up_blocked(&mut self) -> usize {
        let mut given_up = 0;
        for index in 0..self.steps.len() {
            let blocker = self.steps[index].depends_on.iter().find_map(|&on| {
                let on = self.steps.get(on)?;
                match &on.progress {
                    Progress::Done { outcome: Outcome::Failed { .. } | Outcome::Unknown { .. } } => {
                        Some(on.action.name())
                    }
                    Progress::Planned | Progress::Started | Progress::Done { .. } => None,
                }
            });
            if let (Some(name), Progress::Planned) = (blocker, &self.steps[index].progress) {
                let why = format!("not tried, because {name} before it did not succeed");
                self.steps[index].progress = Progress::Done { outcome: Outcome::failed(why) };
                given_up += 1;
            }
        }
        given_up
    }
}
