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
    /// When.
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
    /// Its length.
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
    /// `ok`, `fallback: …`, `failed: …`, `cancelled`.
    pub outcome: String,
}

/// What is nothing takes no room: a turn has a dozen of these.
fn is_none<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The trace of one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnTrace {
    /// Its id.
    pub id: String,
    /// Whose.
    pub user: UserId,
    /// Where.
    pub chat: ChatId,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How it ended; parameters are left out.
    pub done: Done,
    /// Its nodes.
    pub spans: Vec<StageSpan>,
    /// What a question over everything took, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub investigation: Option<InvestigationMetrics>,
}

impl Record for TurnTrace {
    const TABLE: Table = Table::Turns;

    fn key(&self) -> Key {
        Key::of(&[&millis(self.at), &self.id])
    }
}
