//! Tests of the whole program, and of the stage they play on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;
#[cfg(feature = "failpoints")]
mod crash;
mod faults;
mod flows;
mod support_selftest;

#[cfg(not(feature = "failpoints"))]
#[test]
fn the_crash_tests_are_built_in() {
    panic!("the crash tests need the places to crash at: cargo test --features failpoints");
}
