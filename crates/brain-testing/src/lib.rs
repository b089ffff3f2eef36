//! What tests of several crates share, and none of ours stands below: mutated bytes ([`fuzzing`]).

#![allow(clippy::unwrap_used, reason = "a kit of tests: what fails here fails the test")]

pub mod fuzzing;
