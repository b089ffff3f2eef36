//! Figures of a long conversation: what its prompts, turns and store take after 10, 100, 1,000 and 10,000 turns, and
//! how much of what was said long ago a planner still has in sight, beside the last ten messages and the whole of it.
//! Nothing here asserts on time: what falls short is printed as such.
//!
//! `cargo bench --bench conversation` prints one Markdown table and writes it to `target/bench-conversation.md`; with
//! `-- --quick` it ends at 1,000 turns.
//!
//! The store is the real one, on disk; the model is a script that answers at once, and sums up by copying a third of
//! what it is given. One turn of twenty has something remembered, another one tells something in passing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "conversation/recall.rs"]
mod recall;
#[allow(dead_code, reason = "the benchmark of turns needs more of it")]
#[path = "turn/report.rs"]
mod report;
#[path = "conversation/said.rs"]
mod said;
#[path = "conversation/talk.rs"]
mod talk;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brain_agent::app;
use brain_agent::core::history::tokens;
use brain_agent::ports::Stage;
use report::{Report, Row, median, ms};
use said::{Planted, Said};
use talk::{Taken, Talk};

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Quick,
    Full,
}

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
/// From so many turns on everything is to stay as it is.
const FLAT_FROM: usize = 100;
const FLAT: f64 = 1.05;
/// Turns that a figure is the mean of.
const LAST: usize = 60;
/// Before each of these: people read and think, and what is done behind a turn is over before the next one.
const PAUSE: Duration = Duration::from_millis(300);
/// Planted facts that are asked for.
const ASKED_MAX: usize = 40;
/// For the index to read what is there.
const INDEXED_AFTER: Duration = Duration::from_secs(3);
const STAGES: [Stage; 5] = [Stage::Route, Stage::Plan, Stage::Chat, Stage::Respond, Stage::Summarize];

fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// What the last turns took.
struct Figures {
    tokens: BTreeMap<Stage, f64>,
    turn: Duration,
    /// Of turns without a pause between them, where there were as many.
    at_once: Option<Duration>,
    /// Of turns that ask a planner, until what it is told is there.
    fetching: Duration,
    shortening: Duration,
    bytes_a_turn: f64,
}

impl Figures {
    fn of(last: &[Taken], at_once: &[Duration], data: &Path, turns: usize) -> Self {
        let mut tokens = BTreeMap::new();
        for stage in STAGES {
            let of_stage: Vec<usize> =
                last.iter().flat_map(|taken| &taken.prompts).filter(|(of, _)| *of == stage).map(|(_, n)| *n).collect();
            if !of_stage.is_empty() {
                tokens.insert(stage, of_stage.iter().sum::<usize>() as f64 / of_stage.len() as f64);
            }
        }
        let times: Vec<Duration> = last.iter().map(|taken| taken.turn).collect();
        let made: Vec<Duration> = last.iter().filter_map(|taken| taken.shortening).collect();
        let shortening = if made.is_empty() { Duration::ZERO } else { median(&made) };
        let (turn, fetching) = (median(&times), Duration::ZERO);
        let at_once = (!at_once.is_empty()).then(|| median(at_once));
        Self { tokens, turn, at_once, fetching, shortening, bytes_a_turn: size(data) as f64 / turns as f64 }
    }

    fn add_to(&self, report: &mut Report, turns: usize, flat: Option<&Self>) {
        for (stage, mean) in &self.tokens {
            let row = Row::new(format!("{turns} turns: tokens of a {stage} prompt"), format!("{mean:.0}"));
            report.add(match flat.and_then(|flat| flat.tokens.get(stage)) {
                Some(before) => {
                    let ratio = mean / before;
                    let beside = row.beside(format!("{before:.0} at {FLAT_FROM}"), ratio);
                    beside.target(format!("≤ {FLAT}"), ratio <= FLAT)
                }
                None => row,
            });
        }
        let mut timed = |what: &str, time: Duration, before: Option<Duration>| {
            let row = Row::new(format!("{turns} turns: {what}"), ms(time));
            report.add(match before {
                Some(before) => {
                    let ratio = time.as_secs_f64() / before.as_secs_f64();
                    row.beside(format!("{} at {FLAT_FROM}", ms(before)), ratio)
                }
                None => row,
            });
        };
        timed("a turn, without what a model takes", self.turn, flat.map(|flat| flat.turn));
        if let Some(at_once) = self.at_once {
            timed("– right behind the one before", at_once, flat.and_then(|flat| flat.at_once));
        }
        timed("– of a turn that plans: fetching what a prompt tells", self.fetching, flat.map(|flat| flat.fetching));
        report.add(Row::new(format!("{turns} turns: shortening, after every third turn or so"), ms(self.shortening)));
        let bytes = format!("{:.1} kB a turn", self.bytes_a_turn / 1_000.0);
        report.add(Row::new(format!("{turns} turns: the data folder, search index included"), bytes));
    }
}

fn size(path: &Path) -> u64 {
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    fs::read_dir(path).into_iter().flatten().flatten().map(of).sum()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let there = to.join(entry.file_name());
        match entry.metadata().is_ok_and(|meta| meta.is_dir()) {
            true => copy(&entry.path(), &there),
            false => drop(fs::copy(entry.path(), there)),
        }
    }
}

/// Asks for what was planted, in a copy, so that asking changes nothing.
async fn asks(report: &mut Report, data: &Path, said: &Said, turns: usize) {
    let copied = folder();
    copy(data, copied.path());
    let talk = Talk::open(copied.path()).await;
    let messages = talk.messages().await;
    let last_ten = messages[messages.len().saturating_sub(10)..].join("\n");
    let whole: usize = messages.iter().map(|text| tokens(text)).sum();
    talk.says("what did I tell you about the weather?").await;
    tokio::time::sleep(INDEXED_AFTER).await;
    for (kept, how) in [(true, "remembered on request"), (false, "told in passing")] {
        let planted: Vec<&Planted> = said.planted.iter().filter(|planted| planted.kept == kept).collect();
        let every = planted.len().div_ceil(ASKED_MAX).max(1);
        let chosen: Vec<&Planted> = planted.into_iter().step_by(every).collect();
        if chosen.is_empty() {
            continue;
        }
        let (mut in_sight, mut found, mut in_last) = (0, 0, 0);
        for planted in &chosen {
            let taken = talk.says(&planted.order()).await;
            in_sight += usize::from(taken.plans.iter().any(|prompt| prompt.contains(&planted.code)));
            let taken = talk.says(&planted.question()).await;
            found += usize::from(taken.answer.contains(&planted.code));
            in_last += usize::from(last_ten.contains(&planted.code));
        }
        let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / chosen.len() as f64);
        let row = Row::new(
            format!("{turns} turns: what was {how}, in a planner's prompt when an order is about it"),
            format!("{} of {}", share(in_sight), chosen.len()),
        );
        let alternative = format!("{} in the last ten messages; 100 % in all of them, {whole} tokens", share(in_last));
        report.add(Row { alternative, ..row });
        report.add(Row::new(format!("{turns} turns: – and answered when it is asked for"), share(found)));
    }
    talk.close().await;
}

async fn measure(report: &mut Report, sizes: &[usize]) {
    let data = folder();
    let mut said = Said::default();
    let (mut done, mut flat): (usize, Option<Figures>) = (0, None);
    for turns in sizes.iter().copied() {
        eprintln!("talking up to {turns} turns …");
        let talk = Talk::open(data.path()).await;
        let (mut last, mut at_once) = (Vec::new(), Vec::new());
        while done < turns {
            let words = said.next(done);
            let left = turns - done;
            if left <= LAST {
                tokio::time::sleep(PAUSE).await;
            }
            let taken = talk.says(&words).await;
            match left {
                ..=LAST => last.push(taken),
                _ if left <= 2 * LAST => at_once.push(taken.turn),
                _ => {}
            }
            done += 1;
        }
        let fetching = talk.fetching(LAST).await;
        talk.close().await;
        let figures = Figures { fetching: median(&fetching), ..Figures::of(&last, &at_once, data.path(), turns) };
        figures.add_to(report, turns, flat.as_ref());
        asks(report, data.path(), &said, turns).await;
        if turns == FLAT_FROM {
            flat = Some(figures);
        }
    }
}

fn main() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let effort = if std::env::args().any(|word| word == "--quick") { Effort::Quick } else { Effort::Full };
    let sizes = match effort {
        Effort::Quick => &SIZES[..3],
        Effort::Full => &SIZES[..],
    };
    let mut report = Report::default();
    let runtime = app::runtime().expect("a runtime");
    runtime.block_on(recall::measure(&mut report, folder().path()));
    runtime.block_on(measure(&mut report, sizes));
    let table = report.markdown(effort);
    println!("{table}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-conversation.md");
    fs::write(&path, table).expect("the table's file");
}
