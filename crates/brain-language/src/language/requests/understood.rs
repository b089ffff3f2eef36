//! Results: what comes of a message.

use super::account::{PartAccount, Residue};
use super::condition::Condition;
use brain_core::core::plan::{Plan, PlannedAction};

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Understood {
    Plan {
        plan: Plan,
        /// On what all of it depends.
        condition: Option<Condition>,
        account: PartAccount,
    },
    /// Something required was not said.
    Ask {
        /// One short question.
        question: String,
        /// The action as far as it is known.
        partial: PlannedAction,
        /// The parameter that the answer gives.
        param: String,
    },
    /// It may be meant in several ways, and none is likely enough.
    Which {
        /// What it would do by each, the likelier first.
        readings: Vec<Plan>,
    },
    /// Some of it was understood, and some of it that matters was not. Nothing may be done before that is settled.
    Partly {
        plan: Plan,
        unread: Vec<Residue>,
        account: PartAccount,
    },
    NotUnderstood {
        /// What can be said instead, in words for the person.
        nearest: Vec<String>,
    },
    SmallTalk,
    /// Reading it would take more steps than a message may: it was not read to its end, and nothing of it may be done.
    #[default]
    TooMuch,
}

impl Understood {
    /// What is understood as a whole.
    pub fn into_plan(self) -> Option<Plan> {
        if let Self::Plan { plan, .. } = self { Some(plan) } else { None }
    }
}

/// A plan in the making.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanDraft {
    Plan(Plan),
    Ask { question: String, partial: PlannedAction, param: String },
    Nothing,
}
