//! The services that live in the store, behind the catalog's commands.
//!
//! Each is a struct over an `Arc<dyn Store>`. A service reads the store and answers with
//! [`Change`](crate::ports::Change)s; the pipeline commits them together with the outcome.
//!
//! Invariants:
//! - every change of an item expects the revision it was computed from, every new item expects nothing in
//!   its place: what changed meanwhile is a conflict, a retried attempt never doubles anything;
//! - an item's id follows from the attempt's key;
//! - everything read is bounded by `limits.rs`.
//!
//! Deliberately not here: stakes, consent and wording of receipts (catalog), words for times and people
//! (resolved before a service sees them).

pub mod calendar;
pub mod demo;
mod items;
pub mod keep;
pub mod memory;
mod recurrence;
pub mod search;
pub mod task;
mod texts;
mod times;

#[cfg(test)]
mod testing;
