//! One test (or a few, by sub-case) named after each invariant of DESIGN §5, run through the real pipeline.
//!
//! What does not exist yet and so is not tested here: restore (13; the machine's own part of it is, and import in `archive`),
//! moving cards and private data of a group into the asker's private chat and `/export`, `/forget` (14; that
//! only the asker decides is), reactions (6; no channel passes them on at all), idempotency keys of remote
//! services other than mail (10).

mod addresses;
mod cards;
mod decisions;
mod durability;
mod kept;
mod machine;
mod named;
mod replaced;
mod replicas;
mod taint;
mod time;
mod undecided;
mod undo;
mod unreadable;
mod words;
