//! Stakes, and the only two functions through which an action becomes executable.
//!
//! Invariants:
//! - Stakes come from code (a [`Rule`] of the catalog); whatever else speaks may only raise them.
//! - [`Authorized`] is built by [`authorize_low`] or [`authorize_approved`] and by nothing else. It cannot
//!   be deserialised, cloned out of a store, or made by a model.

use serde::{Deserialize, Serialize};

use super::pending::{Pending, State};
use super::plan::Action;

/// How much harm a mistake could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stakes {
    /// Reads, or writes that only the person sees and can undo.
    Low,
    /// Leaves the machine toward others, destroys, or changes what others see.
    High,
}

/// What decides the stakes of one command: implemented by the catalog, from command and parameters.
pub trait Rule {
    /// The stakes of `action`, before anything raises them.
    fn stakes(&self, action: &Action) -> Stakes;
}

/// An action with its stakes settled. The fields are private: stakes cannot be edited afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessed {
    action: Action,
    stakes: Stakes,
}

impl Assessed {
    /// The action that was assessed; nothing of it changes any more.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// How much is at stake, which decides whether it needs a yes.
    pub fn stakes(&self) -> Stakes {
        self.stakes
    }

    /// The action alone, for a card.
    pub fn into_action(self) -> Action {
        self.action
    }
}

/// Settles the stakes: the rule's word, raised by taints and by `at_least`, never lowered.
pub fn assess(rule: &dyn Rule, action: Action, at_least: Stakes) -> Assessed {
    let tainted = if action.taints.is_empty() { Stakes::Low } else { Stakes::High };
    let stakes = rule.stakes(&action).max(tainted).max(at_least);
    Assessed { action, stakes }
}

/// Permission to execute one action, once.
#[derive(Debug)]
pub struct Authorized {
    action: Action,
}

impl Authorized {
    /// What may be executed.
    pub fn action(&self) -> &Action {
        &self.action
    }
}

/// Door one: low stakes, shown to be so. Gives the action back when they are not.
#[expect(clippy::result_large_err, reason = "the action is given back whole, once a turn")]
pub fn authorize_low(assessed: Assessed) -> Result<Authorized, Assessed> {
    match assessed.stakes {
        Stakes::Low => Ok(Authorized { action: assessed.action }),
        Stakes::High => Err(assessed),
    }
}

/// Why an approval does not authorise the action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unauthorized {
    /// Only a pending action whose start is on record may execute.
    #[error("pending action {id} is {state}, not executing")]
    NotExecuting {
        /// The id of the pending action.
        id: String,
        /// The state that it is in instead.
        state: State,
    },
    /// The stored bytes are not what was approved.
    #[error("pending action {0} is not what was approved: its digest differs")]
    DigestDiffers(String),
    /// The card never held that many actions.
    #[error("pending action {0} has no such action")]
    NoSuchAction(String),
}

/// Door two: action `index` of a pending action whose approval of exactly these bytes is durable and whose
/// start has been recorded.
pub fn authorize_approved(pending: &Pending, index: usize) -> Result<Authorized, Unauthorized> {
    if pending.state != State::Executing {
        return Err(Unauthorized::NotExecuting { id: pending.id.to_string(), state: pending.state });
    }
    let approved = pending.decision.as_ref().map(|decision| &decision.digest);
    let actual = pending.compute_digest();
    if approved != Some(&actual) || pending.digest != actual {
        return Err(Unauthorized::DigestDiffers(pending.id.to_string()));
    }
    match pending.actions.get(index) {
        Some(action) => Ok(Authorized { action: action.clone() }),
        None => Err(Unauthorized::NoSuchAction(pending.id.to_string())),
    }
}
