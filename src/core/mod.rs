//! The pure heart: no I/O, no clock, no randomness, no async. `now` and ids are arguments.

pub mod consent;
pub mod when;
