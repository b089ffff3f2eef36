//! What a clause comes to, and who makes that of it.
//!
//! Frames and slots say most of what a command needs; what they cannot say is a builder, which stands with its command
//! in the folder of its service. A [`ParseInput`](super::ParseInput) brings all of them along ([`Builders`]), so that nothing
//! here knows what services there are. A builder may refuse a reading ([`Built::No`]); then the next best is tried.

use serde_json::Value;

use super::parse_input::ParseInput;
use super::reading::ClauseReading;
use crate::language::work::Work;
use brain_core::core::history::PastAction;
use brain_core::core::plan::PlannedAction;

/// What a reading comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Built {
    Act(PlannedAction),
    Acts(Vec<PlannedAction>),
    Ask { question: &'static str, partial: PlannedAction, param: &'static str },
    No,
}

/// What one command makes of a clause.
pub type Builder = fn(&ClauseReading) -> Built;

/// What the services make of what is said.
#[derive(Debug, Clone, Copy)]
pub struct Builders {
    /// Of a clause: the frame that it was read by names the command.
    pub build: Builder,
    /// Of nothing but a time, after something that has one.
    pub retimed: fn(&PastAction, &str) -> Option<PlannedAction>,
    /// Of nothing but another value behind a correction, after something that holds one like it.
    pub revalued: fn(&PastAction, &str) -> Option<PlannedAction>,
    /// Whether a command, `service.command`, only asks for something that is there.
    pub looks_up: fn(&str) -> bool,
    /// Whether a command waits for what it depends on.
    pub waits: fn(&str) -> bool,
    /// Of a request to tell of something ahead of its time, which is said again in other words; nothing of any other.
    pub ahead: fn(&str, &ParseInput, &[String], &Work) -> Vec<PlannedAction>,
    /// Of people whom an action goes to who were not known when it was read.
    pub address: fn(&mut PlannedAction, &[String]),
    /// Of a sentence behind a request that asks for nothing.
    pub goes_on: fn(&mut PlannedAction, &str),
}

/// Sets a parameter if there is a value.
pub fn set(action: &mut PlannedAction, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        action.params.insert(name.to_owned(), value.into());
    }
}

/// Whether an action of this service may come back; an empty slice allows any.
pub fn fits(domains: &[String], service: &str) -> bool {
    domains.is_empty() || domains.iter().any(|d| d == service)
}
