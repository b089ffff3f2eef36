//! Figures of real mail: an account's first synchronisation beside a bare client that reads the same, what it takes of
//! memory, what turns wait meanwhile, and how soon a new mail is found. Nothing here asserts on time: what falls short
//! is printed as such.
//!
//! `cargo bench --bench mail` prints one Markdown table and writes it to `target/bench-mail.md`; with `-- --quick` the
//! mailboxes are small; with `-- 10000` it measures that one only.
//!
//! The server is a real Dovecot (`tests/servers/install.sh`), the program the real binary, and both share the
//! processors with the bare client. Its mailbox has been read once before anything is timed, so that nobody pays for
//! Dovecot's own indexes or a cold cache.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "mail/bare.rs"]
mod bare;
#[path = "mail/first.rs"]
mod first;
#[path = "mail/mailbox.rs"]
mod mailbox;
#[path = "mail/news.rs"]
mod news;
#[allow(dead_code, reason = "the benchmark of turns needs more of it")]
#[path = "turn/report.rs"]
mod report;
#[path = "mail/turns.rs"]
mod turns;
#[path = "mail/watched.rs"]
mod watched;

use std::path::PathBuf;

use mailbox::Served;
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

/// A folder on the disk the project is built on; `/tmp` may live in memory.
pub fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let effort = if words.iter().any(|word| word == "--quick") { Effort::Quick } else { Effort::Full };
    // Cargo passes `--bench`.
    let chosen: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = match (effort, chosen.as_slice()) {
        (_, [_, ..]) => chosen,
        (Effort::Quick, []) => vec![2_000],
        (Effort::Full, []) => vec![10_000, 50_000],
    };
    let mut report = Report::default();
    for count in sizes {
        eprintln!("filling a mailbox of {count} …");
        let served = Served::filled(count);
        first::measure(&mut report, &served, effort);
        turns::measure(&mut report, &served);
        news::measure(&mut report, &served, effort);
    }
    let table = report.markdown(effort);
    println!("{table}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-mail.md");
    std::fs::write(&path, table).expect("the table's file");
}
