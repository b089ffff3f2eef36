//! Bad input and faults: the person gets one clear message, nothing is lost, nothing runs twice, and the
//! process stays up.

pub mod claims;
mod configuration;
mod input;
mod models;
mod processes;
mod servers;
mod stores;

use crate::support::program::{Console, Program};

const NOW: &str = "2026-01-11T09:00:00Z";
const SEND: &str = "send an email to bob.miller@example.com saying the report is late";

/// A console whose clock stands still.
fn console(program: &Program) -> Console {
    program.at(NOW)
}
