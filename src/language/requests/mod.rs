//! Built-in language understanding: what a message is about, and a plan for everyday requests, without a model.
//!
//! ```text
//! text ─► text (tokens) ─► annotated (times and priorities masked) ─► clauses ─► matching (frames) ─► reading
//!      ─► filling/* (one file a service: slots become parameters) ─► Plan or one question
//! text ─► intents (what the clauses seem to ask) ─► routing
//! ```
//!
//! It runs when no model is configured, catches a failed stage and drives speculation. Invariants: no I/O, no
//! clock; the same hearing gives the same answer; no input panics and work is bounded; plans name only
//! commands and parameters that are registered; times and people stay in the person's words. What people say
//! stands in `data/language/requests`, never in code.
//!
//! Deliberately not here: resolving times and people, stakes, and any knowledge of what services hold.

mod amend;
pub(crate) mod annotated;
pub(crate) mod antecedent;
pub(crate) mod clauses;
mod compile;
mod complete;
mod division;
mod filling;
mod finish;
pub(crate) mod grammar;
mod history;
pub(crate) mod intents;
pub(crate) mod lexicon;
pub(crate) mod matching;
mod notation;
pub(crate) mod offsets;
pub(crate) mod phrases;
mod reading;
mod remark;
mod sentences;
pub(crate) mod slot_types;
mod talk;
pub(crate) mod text;

#[cfg(test)]
pub(crate) mod tests;

use crate::core::history::PastAction;
use crate::core::plan::{Plan, PlannedAction};
use crate::language::time::Reference;

pub use amend::amend;
pub use complete::complete;
pub use notation::Mistake;
pub use phrases::{Phrases, PhrasesError};
pub use talk::{cannot, chat, is_small_talk};

/// A message and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Hearing<'a> {
    pub text: &'a str,
    pub reference: &'a Reference,
    /// Earlier turns, oldest first.
    pub history: &'a [Past],
    /// What people say for the services that are not built in.
    pub phrases: &'a [&'a Phrases],
}

/// An earlier turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// The person's own words.
    pub said: String,
    pub actions: Vec<PastAction>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    Plan(Plan),
    /// Something required was not said.
    Ask {
        /// One short question.
        question: String,
        /// The action as far as it is known.
        partial: PlannedAction,
        /// The parameter that the answer gives.
        param: String,
    },
    NotUnderstood,
}

/// Plans a message. Only commands of `domains` come back; an empty slice allows any.
pub fn plan(hearing: &Hearing, domains: &[String]) -> Understood {
    match phrases::planned(hearing, domains) {
        Some(action) => Understood::Plan(Plan { actions: vec![action], ..Plan::default() }),
        None => clauses::plan(hearing, domains),
    }
}
