//! Figures of real calendars: the first pass over a busy shared calendar beside a bare client that reads the same, a pass
//! with nothing new, and what turns wait while another person's is read. Nothing here asserts on time: what falls short
//! is printed as such.
//!
//! `cargo bench --bench calendar` prints one Markdown table and writes it to `target/bench-calendar.md`: 20,000 events,
//! 500 series among them; with `-- --quick`, or `-- 2000`, fewer.
//!
//! The server is a real Radicale (`tests/servers/install.sh`), the program the real binary, and both share the
//! processors with the bare client. Its calendar has been read once before anything is timed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "calendar/bare.rs"]
mod bare;
#[allow(dead_code, reason = "the benchmark of turns needs more of it")]
#[path = "turn/report.rs"]
mod report;
#[path = "calendar/served.rs"]
mod served;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bare::read_all;
use report::{Report, Row, median, memory_mb, ms, quantile};
use served::{DAY, SERIES, Served};
use support::program::{Console, text_of};

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Quick,
    Full,
}

const RATIO_MIN: f64 = 0.5;
const BESIDE_MAX: f64 = 1.5;
const LIMIT: Duration = Duration::from_secs(1_800);
const LOOKS: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(40);
const ROUNDS: usize = 40;
/// Whose calendar it is where it is not that of whoever talks.
const STRANGER: &str = "ina";

fn folder() -> tempfile::TempDir {
    tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// The program with the account, asked how far it is.
struct Followed {
    console: Console,
    began: Instant,
    owner: &'static str,
}

impl Followed {
    fn start(served: &Served, data: &Path, owner: &'static str) -> Self {
        let program = served.program(data, (owner == STRANGER).then_some(STRANGER));
        let began = Instant::now();
        Self { console: program.console(&[]).limit(LIMIT), began, owner }
    }

    /// Whether the calendars are here as a whole, by its own word.
    fn is_read(&mut self) -> bool {
        let told = text_of(&self.console.say_as(self.owner, "/status"));
        assert!(!told.contains("not connected") && self.began.elapsed() < LIMIT, "{told}");
        told.lines().any(|line| line.contains("calendars") && line.contains(": read "))
    }

    fn read(&mut self) -> Duration {
        while !self.is_read() {
            std::thread::sleep(LOOKS);
        }
        self.began.elapsed()
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// The first pass, and one with nothing new.
fn passes(report: &mut Report, served: &Served, rounds: usize) {
    let (mut bare, mut ours, mut peaks, mut steady, mut asked) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // By turns, so that what else this machine does falls on both.
    for _ in 0..rounds {
        bare.push(timed(|| assert_eq!(read_all(served, None).0, served.count)));
        let data = folder();
        let mut followed = Followed::start(served, data.path(), "me");
        ours.push(followed.read());
        peaks.push(memory_mb(followed.console.pid(), "VmHWM"));
        let day = timed(|| {
            let told = text_of(&followed.console.say(&format!("what's on my calendar on {DAY}?")));
            assert!(told.contains("Appointment"), "{told}");
        });
        asked.push(day);
        followed.console.terminate();
        let mut again = Followed::start(served, data.path(), "me");
        steady.push(again.read());
        again.console.kill();
    }
    let count = served.count;
    let of = |times: &[Duration]| median(times).as_secs_f64();
    let ratio = of(&bare) / of(&ours);
    report.add(
        Row::new(
            format!("{count} events, {} of them series: first synchronisation", SERIES.min(count / 40)),
            format!("{:.1} s, {:.0} a second", of(&ours), count as f64 / of(&ours)),
        )
        .beside(format!("{:.1} s, a bare client that drops them", of(&bare)), ratio)
        .target(format!("≥ {RATIO_MIN}"), ratio >= RATIO_MIN),
    );
    let (_, token) = read_all(served, None);
    let nothing = timed(|| assert_eq!(read_all(served, Some(&token)).0, 0));
    report.add(
        Row::new(format!("– {count}: start to read, with nothing new"), ms(median(&steady)))
            .beside(format!("{}, a bare client's one report", ms(nothing)), nothing.as_secs_f64() / of(&steady)),
    );
    report.add(Row::new(format!("– {count}: a day of it, right after"), ms(median(&asked))));
    let peak = peaks.iter().copied().fold(f64::MIN, f64::max);
    report.add(Row::new(format!("– {count}: peak memory"), format!("{peak:.0} MB")));
}

/// What turns wait while a stranger's calendar is read, beside the same turns once it is.
fn turns(report: &mut Report, served: &Served) {
    let kinds = [
        ("add milk", "add milk to my shopping list", Some("remove milk from my shopping list")),
        ("what's on my list", "what's on my shopping list?", None),
    ];
    let data = folder();
    let mut followed = Followed::start(served, data.path(), STRANGER);
    followed.console.say("add eggs to my shopping list");
    let round = |followed: &mut Followed, times: &mut [Vec<Duration>]| {
        for ((_, says, after), times) in kinds.iter().zip(times) {
            std::thread::sleep(PAUSE);
            times.push(timed(|| drop(followed.console.say(says))));
            after.iter().for_each(|words| drop(followed.console.say(words)));
        }
    };
    let mut beside = vec![Vec::new(); kinds.len()];
    round(&mut followed, &mut vec![Vec::new(); kinds.len()]);
    while !followed.is_read() {
        round(&mut followed, &mut beside);
    }
    let mut quiet = vec![Vec::new(); kinds.len()];
    (0..ROUNDS).for_each(|_| round(&mut followed, &mut quiet));
    for ((name, ..), (beside, quiet)) in kinds.iter().zip(beside.iter().zip(&quiet)) {
        let what = format!("{name}, while {} events of another person are read for the first time", served.count);
        if beside.is_empty() {
            report.add(Row::new(what, "none fitted in"));
            continue;
        }
        let p95 = |times: &[Duration]| ms(quantile(times, 0.95));
        let (time, alone) = (median(beside), median(quiet));
        let ratio = time.as_secs_f64() / alone.as_secs_f64();
        report.add(
            Row::new(what, format!("{}, p95 {} of {}", ms(time), p95(beside), beside.len()))
                .beside(format!("{}, p95 {} when it is quiet", ms(alone), p95(quiet)), ratio)
                .target(format!("≤ {BESIDE_MAX}"), ratio <= BESIDE_MAX),
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let effort = if words.iter().any(|word| word == "--quick") { Effort::Quick } else { Effort::Full };
    // Cargo passes `--bench`.
    let chosen: Option<usize> = words.iter().find_map(|word| word.parse().ok());
    let (count, rounds) = match effort {
        Effort::Quick => (chosen.unwrap_or(2_000), 1),
        Effort::Full => (chosen.unwrap_or(20_000), 3),
    };
    let mut report = Report::default();
    eprintln!("filling a calendar of {count} …");
    let served = Served::filled(count);
    passes(&mut report, &served, rounds);
    turns(&mut report, &served);
    let table = report.markdown(effort);
    println!("{table}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-calendar.md");
    std::fs::write(&path, table).expect("the table's file");
}
