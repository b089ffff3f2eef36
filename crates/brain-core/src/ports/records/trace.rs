//! What happened, for the operator: the audit of decisions and the trace of each turn.
//!
//! Invariant: ids, digests, times and counts; never what anybody wrote.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::millis;
use crate::core::ids::{ChatId, PendingId, UserId};
use crate::core::metrics::InvestigationMetrics;
use crate::core::pending::State;
use crate::core::turn::Done;
use crate::ports::{Key, Record, Table};

/// A row of the audit: ids, digests and times; never contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Tells rows of the same instant apart.
    pub id: String,
    /// Who did it.
    pub by: UserId,
    /// What happened, e.g. `approved`.
    pub what: String,
    /// The pending action, if it was about one.
    pub pending: Option<PendingId>,
    /// The state it came to.
    pub state: Option<State>,
    /// The digest at that moment.
    pub digest: Option<String>,
    /// `service.command` of each action.
    pub actions: Vec<String>,
}

impl Record for Audit {
    const TABLE: Table = Table::Audit;

    fn key(&self) -> Key {
        Key::of(&[&millis(self.at), &self.id])
    }
}

/// One node of a turn's trace. Never holds texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageSpan {
    /// The stage or `service.command`.
    pub name: String,
    /// Microseconds after the turn began.
    pub start_us: u64,
    /// How long it took, in microseconds.
    pub us: u64,
    /// Bytes it was given.
    #[serde(default, skip_serializing_if = "is_none")]
    pub input_bytes: usize,
    /// Tokens in and out, for stages that called a model.
    #[serde(default, skip_serializing_if = "is_none")]
    pub tokens: (u64, u64),
    /// Of the tokens in, those that the endpoint had kept from an earlier call.
    #[serde(default, skip_serializing_if = "is_none")]
    pub tokens_cached: u64,
    /// How it ended.
    pub outcome: SpanOutcome,
    /// What came of it, in names and counts.
    #[serde(default, skip_serializing_if = "is_none")]
    pub gives: String,
}

/// How a node ended; kept and told as `ok`, `unusable`, `failed: …`, or in other words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum SpanOutcome {
    /// It did what it is for.
    Ok,
    /// A model answered something else than it was asked for.
    Unusable,
    /// It did not, and why.
    Failed(String),
    /// In its own words: what stood in for it, that it was stopped.
    Other(String),
}

/// Said of a stage that was not asked, because its answer to the same was kept.
pub const ASKED_BEFORE: &str = "asked before";

/// Ends what the router gave, where code alone would have sent the message elsewhere.
pub const ROUTED_OTHERWISE: &str = " (code alone: otherwise)";

/// The node of an offer that was pressed, and what that came to.
pub const OFFER_NODE: &str = "offer";
/// It was taken.
pub const OFFER_TAKEN: &str = "taken";
/// It was left.
pub const OFFER_LEFT: &str = "left";

const FAILED: &str = "failed: ";

impl SpanOutcome {
    /// Of what a call gave.
    pub fn of<T, E: std::fmt::Display>(result: &Result<T, E>) -> Self {
        result.as_ref().err().map_or(Self::Ok, |error| Self::Failed(error.to_string()))
    }
}

impl std::fmt::Display for SpanOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Unusable => f.write_str("unusable"),
            Self::Failed(why) => write!(f, "{FAILED}{why}"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl From<String> for SpanOutcome {
    fn from(text: String) -> Self {
        match text.as_str() {
            "ok" => Self::Ok,
            "unusable" => Self::Unusable,
            told => told
                .strip_prefix(FAILED)
                .map_or_else(|| Self::Other(told.to_owned()), |why| Self::Failed(why.to_owned())),
        }
    }
}

impl From<&str> for SpanOutcome {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<SpanOutcome> for String {
    fn from(outcome: SpanOutcome) -> Self {
        outcome.to_string()
    }
}

/// What is nothing takes no room: a turn has a dozen of these.
fn is_none<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The trace of one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnTrace {
    /// The id of the turn.
    pub id: String,
    /// The person whose turn it was.
    pub user: UserId,
    /// The chat of the turn.
    pub chat: ChatId,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How it ended; parameters are left out.
    pub done: Done,
    /// One for each stage and command that ran.
    pub spans: Vec<StageSpan>,
    /// What a question over everything took, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub investigation: Option<InvestigationMetrics>,
}

impl TurnTrace {
    /// Where the trace of a turn is: traces are in order of time.
    pub fn key_of(at: DateTime<Utc>, id: &str) -> Key {
        Key::of(&[&millis(at), id])
    }
}

impl Record for TurnTrace {
    const TABLE: Table = Table::Turns;

    fn key(&self) -> Key {
        Self::key_of(self.at, &self.id)
    }
}
