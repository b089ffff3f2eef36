//! Figures of a turn, each beside its alternative, measured in one run. Nothing here asserts on time: what
//! falls short is printed as such.
//!
//! `cargo bench --bench turn` prints one Markdown table and writes it to `target/bench-turn.md`; with `-- --quick` it
//! takes fewer samples; with `-- paths daemon` it measures these parts only.
//!
//! The model endpoint is simulated in a process of its own (this binary, started again), and its log gives
//! the unavoidable time. Memory is measured in processes of their own as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "turn/builtin.rs"]
mod builtin;
#[path = "turn/counted.rs"]
mod counted;
#[path = "turn/crowd.rs"]
mod crowd;
#[path = "turn/daemon.rs"]
mod daemon;
#[path = "turn/durable.rs"]
mod durable;
#[path = "turn/endpoint.rs"]
mod endpoint;
#[path = "turn/filled.rs"]
mod filled;
#[path = "turn/first.rs"]
mod first;
#[path = "turn/full.rs"]
mod full;
#[path = "turn/heavy.rs"]
mod heavy;
#[path = "turn/pages.rs"]
mod pages;
#[path = "turn/paths.rs"]
mod paths;
#[path = "turn/prompts.rs"]
mod prompts;
#[path = "turn/report.rs"]
mod report;
#[path = "turn/sequence.rs"]
mod sequence;
#[path = "turn/tasks.rs"]
mod tasks;
#[path = "turn/telegram.rs"]
mod telegram;
#[path = "turn/world.rs"]
mod world;

use std::path::PathBuf;

use report::Report;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Quick,
    Full,
}

impl Effort {
    pub fn of(self, quick: usize, full: usize) -> usize {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Adds its rows to the table.
type Part = fn(&mut Report, Effort);

/// The parts, in the order of the table.
const PARTS: [(&str, Part); 12] = [
    ("first", first::measure),
    ("builtin", builtin::measure),
    ("heavy", heavy::measure),
    ("paths", paths::measure),
    ("counted", counted::measure),
    ("prompts", prompts::measure),
    ("tasks", tasks::measure),
    ("crowd", crowd::measure),
    ("durable", durable::measure),
    ("telegram", telegram::measure),
    ("daemon", daemon::measure),
    ("full", full::measure),
];

/// A folder on the disk the project is built on; `/tmp` may live in memory.
pub fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [endpoint::ROLE, rest @ ..] => return endpoint::serve(rest),
        [crowd::ROLE, rest @ ..] => return crowd::run(rest),
        [crowd::BARE_ROLE, rest @ ..] => return crowd::run_bare(rest),
        [first::ROLE, rest @ ..] => return first::run(rest),
        [daemon::FILLER_ROLE, rest @ ..] => return daemon::fill(rest),
        _ => {}
    }
    let effort = if words.contains(&"--quick") { Effort::Quick } else { Effort::Full };
    // Cargo passes `--bench`.
    let chosen: Vec<&str> = words.into_iter().filter(|word| !word.starts_with("--")).collect();
    let mut report = Report::default();
    for (name, measure) in PARTS {
        if chosen.is_empty() || chosen.contains(&name) {
            eprintln!("measuring {name} …");
            measure(&mut report, effort);
        }
    }
    let table = report.markdown(effort);
    println!("{table}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-turn.md");
    std::fs::write(&path, table).expect("the table's file");
}
