//! What unit tests share: a person with a store, services and mail ([`World`]), a model that follows a script
//! ([`asking`]), mutated bytes ([`fuzzing`]), and what a run of nodes works within ([`RunBounds`]). Deliberately not
//! here: the whole program, which is the integration tests' (`tests/it/rig.rs`).

pub mod asking;
mod bounds;
pub mod fuzzing;
mod nested;
mod world;

pub use bounds::{RunBounds, SEED};
pub use world::{World, authorized, local, params, ready, registry, request_context};
