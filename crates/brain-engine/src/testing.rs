//! What unit tests share: a model that follows a script ([`asking`]), and what a run of nodes works within
//! ([`RunBounds`]), beside what those of the services share. Deliberately not here: the whole program, which is the
//! integration tests' (`tests/it/rig.rs`).

pub mod asking;
mod bounds;

pub use bounds::{RunBounds, SEED};
pub use brain_services::testing::{World, local, registry};
