//! What tests of several crates share, and none of ours stands below: mutated bytes ([`fuzzing`]), and figures that are
//! kept with what they were measured on ([`measured`]).

#![allow(clippy::unwrap_used, clippy::explicit_write, reason = "a kit of tests: what fails here fails the test")]

pub mod fuzzing;
pub mod measured;
