//! Outcome of an action. Expected failure is data here, never an error type.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{Action, Params};

/// The end of one executed action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Outcome {
    /// Done; `result` is what the receipt tells about.
    Succeeded {
        /// Shape: the command's own.
        result: Value,
    },
    /// Certainly not done.
    Failed {
        /// For the person: what happened, what was kept, what to do.
        why: String,
    },
    /// Perhaps done: the effect was begun and its answer never came.
    Unknown {
        /// For the person: why nobody can tell, and where to look.
        why: String,
    },
}

impl Outcome {
    /// A failure in words.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into() }
    }

    /// How reports name it.
    pub fn status(&self) -> Status {
        match self {
            Self::Succeeded { .. } => Status::Succeeded,
            Self::Failed { .. } => Status::Failed,
            Self::Unknown { .. } => Status::Unknown,
        }
    }

    /// The reason, when there is one.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Succeeded { .. } => None,
            Self::Failed { why } | Self::Unknown { why } => Some(why),
        }
    }
}

/// Where an action of a turn stands when the turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Done.
    Succeeded,
    /// Not done.
    Failed,
    /// Nobody can tell.
    Unknown,
    /// Waits for consent.
    Pending,
    /// The person said no.
    Denied,
    /// Forbidden by code.
    Refused,
    /// Nobody decided in time.
    Expired,
    /// Replaced by a newer card.
    Superseded,
}

/// One line of a turn's `done`: the action as planned, and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The service's name.
    pub service: String,
    /// The command's name.
    pub command: String,
    /// The values, as far as they were settled.
    pub params: Params,
    /// Where it stands.
    pub status: Status,
    /// Why, for everything that is not fine.
    pub error: Option<String>,
    /// What was settled of it, for words about it.
    #[serde(skip)]
    pub action: Option<Box<Action>>,
    /// What came back where it was done, for whoever looks into the turn.
    #[serde(skip)]
    pub result: Option<Box<Value>>,
}
