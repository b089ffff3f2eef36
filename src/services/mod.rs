//! Where tasks, events, mails, notes, memories and contacts live: one file or folder a service, behind the
//! catalog's commands.
//!
//! Those that live in the store read it and answer with [`Change`](crate::ports::Change)s; the pipeline
//! commits them together with the outcome. Mail lives in a Maildir beside it.
//!
//! Invariants of those in the store:
//! - every change of an item expects the revision it was computed from, every new item expects nothing in
//!   its place: what changed meanwhile is a conflict, a retried attempt never doubles anything;
//! - an item's id follows from the attempt's key;
//! - everything read is bounded by `limits.rs`.
//!
//! Deliberately not here: stakes, consent and wording of receipts (catalog), words for times and people
//! (resolved before a service sees them).

pub mod calendar;
pub mod command;
pub mod contacts;
pub mod demo;
pub mod email;
pub mod entry;
mod items;
pub mod memory;
pub mod notes;
pub mod provenance;
mod recurrence;
pub mod registry;
pub mod search;
pub mod service;
pub mod show;
pub mod task;
mod texts;
mod times;
pub mod working;

#[cfg(test)]
mod testing;
