//! Figures of a question over everything: how long a graph of evidence takes beside its ideal schedule, and beside the
//! ways to do the same work that it replaces. Nothing here asserts on time: what falls short is printed as such.
//!
//! `cargo bench --bench investigate` prints one Markdown table and writes it to `target/bench-investigate.md`;
//! `cargo bench --bench investigate -- --quick` takes fewer samples, and a name takes some parts only: `graphs`,
//! `streamed`, `runner`, `mailbox`. `--slow` lets calls take 0.2 to 2 s, as those of real models do.
//!
//! Every call is made by the program's own model client. The endpoint is simulated in a process of its own (this binary,
//! started again); each of its stages takes a fixed time, so stages stand for short, ordinary and long calls, and its log
//! gives the time that a call takes at least. A real model takes longer for a longer prompt; this one does not, which
//! flatters the loop whose prompt grows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "investigate/alternatives.rs"]
mod alternatives;
#[path = "investigate/answers.rs"]
mod answers;
#[allow(dead_code, reason = "the benchmark of turns needs more of it")]
#[path = "turn/endpoint.rs"]
mod endpoint;
#[path = "investigate/graphs.rs"]
mod graphs;
#[path = "investigate/mailbox.rs"]
mod mailbox;
#[path = "investigate/overhead.rs"]
mod overhead;
#[path = "investigate/reading.rs"]
mod reading;
#[allow(dead_code, reason = "the benchmark of turns needs more of it")]
#[path = "turn/report.rs"]
mod report;
#[path = "investigate/schedule.rs"]
mod schedule;
#[path = "investigate/streamed.rs"]
mod streamed;
#[path = "investigate/work.rs"]
mod work;

use std::path::PathBuf;

use endpoint::{Endpoint, Latency};
use report::Report;
use work::Bench;

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

/// What the three kinds of calls take.
const LATENCY: Latency = Latency { route_ms: 100, plan_ms: 400, respond_ms: 200 };
/// The same with `--slow`.
const SLOW: Latency = Latency { route_ms: 200, plan_ms: 2_000, respond_ms: 1_000 };

/// A folder on the disk the project is built on; `/tmp` may live in memory.
pub fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let [endpoint::ROLE, rest @ ..] = words.as_slice() {
        return endpoint::serve_with(rest, answers::answer);
    }
    let effort = if words.contains(&"--quick") { Effort::Quick } else { Effort::Full };
    let mut report = Report::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let bench = Bench::new(Endpoint::start(if words.contains(&"--slow") { SLOW } else { LATENCY }));
        bench.warm_up().await;
        let parts: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with("--")).collect();
        let is_asked = |part: &str| parts.is_empty() || parts.contains(&part);
        for graph in graphs::all().iter().filter(|_| is_asked("graphs")) {
            eprintln!("measuring {} …", graph.name);
            alternatives::measure(&mut report, effort, &bench, graph).await;
        }
        if is_asked("streamed") {
            eprintln!("measuring streamed graphs …");
            streamed::measure(&mut report, effort, &bench).await;
        }
        if is_asked("runner") {
            eprintln!("measuring the runner alone …");
            overhead::measure(&mut report, effort).await;
        }
        if is_asked("mailbox") {
            eprintln!("measuring questions over a mailbox …");
            reading::measure(&mut report, effort, &bench).await;
        }
    });
    let table = report.markdown(effort);
    println!("{table}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-investigate.md");
    std::fs::write(&path, table).expect("the table's file");
}
