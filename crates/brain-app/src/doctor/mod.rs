//! Doctor: looks at everything that this installation needs, and says what to do about what is not as it should be.
//!
//! ```text
//! subjects ─► checks, side by side, each with a limit of its own ─► lines, in a fixed order
//!               bot · model · accounts · servers of tools · store and its process · index · disk · zone · permissions · prompts
//! ```
//!
//! Invariants: nothing is changed, here or elsewhere (one short question to each model is asked, and twelve to the one that
//! plans, once, which may cost what that costs; what it came to is kept); nothing takes longer than its limit, and one that does is an error of that check alone; no line holds a secret,
//! and what a server said stands in one line of a bounded length. It works while the program runs: what only that process
//! knows is asked of it over `control.sock`. Not here: the configuration as such, whose problems are told before anything
//! is looked at ([`crate::config::ConfigError`]), and how lines are shown.

#![deny(missing_docs)]

mod account;
mod bot;
mod check;
mod machine;
mod model;
mod process;
mod profile;
mod server;
mod subjects;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::time::{MissedTickBehavior, interval};

pub use check::{Check, CheckStatus};
pub use process::running;
pub use subjects::{CheckLimits, Subjects};

use subjects::CheckJob;

/// How often whoever waits is told what for.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Looks at everything. While that takes its time, `waits_for` is told again and again what is still looked at.
pub async fn examine(subjects: &Subjects, mut waits_for: impl FnMut(&[&str])) -> Vec<Check> {
    let jobs: Vec<CheckJob<'_>> = [
        bot::jobs(subjects),
        model::jobs(subjects),
        account::jobs(subjects),
        server::jobs(subjects),
        process::jobs(subjects),
        machine::jobs(subjects),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut waiting: BTreeMap<usize, String> = jobs.iter().map(|job| job.name.clone()).enumerate().collect();
    let numbered = jobs.into_iter().enumerate();
    let mut running: FuturesUnordered<_> = numbered.map(|(at, job)| async move { (at, job.run().await) }).collect();
    let mut found: BTreeMap<usize, Vec<Check>> = BTreeMap::new();
    let mut ticks = interval(TOLD_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks.tick().await;
    loop {
        tokio::select! {
            done = running.next() => match done {
                Some((at, checks)) => {
                    waiting.remove(&at);
                    found.insert(at, checks);
                }
                None => return found.into_values().flatten().collect(),
            },
            _ = ticks.tick() => {
                let mut names: Vec<&str> = waiting.values().map(String::as_str).collect();
                names.dedup();
                waits_for(&names);
            }
        }
    }
}
