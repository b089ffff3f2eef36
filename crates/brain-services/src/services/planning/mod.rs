//! What a plan is held against before anything is done: the words it came from, and what it tells elsewhere.

pub(in crate::services) mod amending;
pub mod grounded_schema;
pub mod outgoing;
pub mod plan_grounding;
pub mod values;
