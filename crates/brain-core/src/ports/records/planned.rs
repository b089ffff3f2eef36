//! What a turn planned, before anything was done: what two ways of understanding the same message are compared by.
//!
//! A part of the [contents of a turn](super::TurnContents), and kept, bounded and erased with them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::NodeContents;
use crate::core::plan::Params;
use crate::core::text::kept_within;
use crate::limits;
use crate::ports::Usage;

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedTurn {
    /// Kind and services; empty where nobody routed it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub route: String,
    /// What came to the gate, in that order, over all rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gated: Vec<GatedAction>,
    /// What the person was asked, or offered, instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// Stages whose model gave nothing of use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Milliseconds, up to the answer or up to where it ended.
    #[serde(default)]
    pub ms: u64,
    /// Of all its calls of models.
    #[serde(default)]
    pub usage: Usage,
    /// US dollars, of the calls whose price is known.
    #[serde(default)]
    pub usd: f64,
    /// Calls whose price is not.
    #[serde(default)]
    pub unpriced: u32,
}

/// An action at the gate, or offered before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GatedAction {
    /// Counts the plans of the turn, from 0.
    pub round: u8,
    /// `service.command`
    pub name: String,
    /// Its values, long texts cut.
    pub params: Params,
    /// Whether it changes anything.
    pub writes: bool,
    /// What the gate said.
    pub verdict: GateVerdict,
}

/// What became of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Low stakes: it runs at once.
    Runs,
    /// High stakes, or after something of high stakes: it waits for a yes.
    Waits,
    /// Something has to be answered first.
    Unclear,
    /// It is refused, or cannot be done.
    Refused,
    /// It did not come so far: it does not follow from what was said, and is offered with a tap.
    Offered,
}

/// What else a message was understood as, by other models or prompts, with nothing done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowTurn {
    /// When it was taken.
    pub at: DateTime<Utc>,
    /// Long after the turn that counts, over what was there by then.
    #[serde(default)]
    pub is_replay: bool,
    /// What it planned.
    pub planned: PlannedTurn,
    /// What its nodes got and gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeContents>,
    /// What it would have said, as far as it came.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Why it came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl GatedAction {
    /// An action with these values, within bounds.
    pub fn of(round: u8, name: String, params: &Params, writes: bool, verdict: GateVerdict) -> Self {
        let cut = |value: &serde_json::Value| match value.as_str() {
            Some(text) => kept_within(text, limits::CONTENTS_LINE_BYTES_MAX).into_owned().into(),
            None => value.clone(),
        };
        let params = params.iter().map(|(name, value)| (name.clone(), cut(value))).collect();
        Self { round, name, params, writes, verdict }
    }
}

impl PlannedTurn {
    /// What it comes to in the end: the actions of the first plan that changes anything, or where none does all that it
    /// looks up.
    pub fn decisive(&self) -> Vec<&GatedAction> {
        let first = self.gated.iter().find(|action| action.writes).map(|action| action.round);
        let counts = |action: &&GatedAction| first.is_none_or(|round| action.round == round && action.writes);
        self.gated.iter().filter(counts).collect()
    }
}
