//! What a turn costs when there is much of everything, beside the same turn with a hundred of each; the real binary,
//! asked and answered line by line. And what a mailbox costs that nobody has read yet.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::Effort;
use crate::endpoint::{Endpoint, Latency};
use crate::filled::{self, Amount, NEEDLE, OWNER};
use crate::report::{Report, Row, median, memory_mb, ms, quantile};
use crate::support::bot_api::FakeBotApi;
use crate::support::program::{Console, Program, text_of};

/// What the others are held against.
const FEW: usize = 100;
const TURNS_MAX: usize = 10_000;
const RATIO_MAX: f64 = 1.5;
/// So long the first look at everything may take before the bench gives up.
const READY_LIMIT: Duration = Duration::from_secs(600);
/// Whoever waits beside the others.
const STRANGER: i64 = 900_001;

/// One sort of turn: what is said, and what is said after it, untimed.
struct Kind {
    name: &'static str,
    says: &'static str,
    /// A word that its answer holds, so that no figure is of a refusal.
    expects: &'static str,
    after: Option<&'static str>,
}

const KINDS: [Kind; 7] = [
    Kind { name: "chat", says: "hi there, how are you?", expects: "", after: None },
    Kind { name: "create", says: "remind me to water the plants tomorrow at 5pm", expects: "lants", after: None },
    Kind {
        name: "find one by its description",
        says: "delete the zanzibar brochure task",
        expects: NEEDLE,
        after: Some("no"),
    },
    Kind { name: "/today", says: "/today", expects: "", after: None },
    Kind { name: "search the notes", says: "search my notes for zanzibar", expects: NEEDLE, after: None },
    Kind { name: "search the mails", says: "find emails about zanzibar", expects: NEEDLE, after: None },
    Kind {
        name: "recall a memory",
        says: "what do you remember about the zanzibar brochure?",
        expects: NEEDLE,
        after: None,
    },
];

/// A console over a folder with so much of everything.
struct House {
    things: usize,
    turns: usize,
    folder: tempfile::TempDir,
    console: Console,
}

impl House {
    fn build(things: usize, model: Option<&str>) -> Self {
        let folder = crate::folder();
        let turns = things.min(TURNS_MAX);
        filled::fill(folder.path(), OWNER, Amount { things, turns });
        // Read without a model, whose answers would not say when it is done.
        let mut reading = console(folder.path(), None);
        warm(&mut reading);
        reading.terminate();
        let console = console(folder.path(), model);
        Self { things, turns, folder, console }
    }

    fn time(&mut self, kind: &Kind) -> Duration {
        let began = Instant::now();
        let lines = self.console.say(kind.says);
        let took = began.elapsed();
        let told = text_of(&lines).to_lowercase();
        assert!(told.contains(kind.expects), "{} of {} things: {told}", kind.name, self.things);
        if let Some(words) = kind.after {
            self.console.say(words);
        }
        took
    }
}

fn console(data: &Path, model: Option<&str>) -> Console {
    let mut program = Program::with_data_dir(data).env("BRAIN_TIMEZONE", "UTC");
    if let Some(url) = model {
        program = program.env("LLM_BASE_URL", url).env("LLM_API_KEY", "bench").env("LLM_MODEL", "simulated");
    }
    program.console(&[]).limit(READY_LIMIT)
}

/// Until everything has been read that is there, so that no figure holds the first look. Gives how long that took.
fn warm(console: &mut Console) -> Duration {
    let began = Instant::now();
    loop {
        let told = [&KINDS[5], &KINDS[4], &KINDS[2]].map(|kind| {
            let told = text_of(&console.say(kind.says)).to_lowercase();
            if let Some(words) = kind.after {
                console.say(words);
            }
            told
        });
        if told.iter().all(|told| told.contains(NEEDLE) && !told.contains(" so far")) {
            return began.elapsed();
        }
        assert!(began.elapsed() < READY_LIMIT, "not ready: {told:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn measure(report: &mut Report, effort: Effort) {
    first_reading(report, effort);
    turns(report, effort, None);
    let endpoint = Endpoint::start(Latency::all(0));
    turns(report, effort, Some(&endpoint.url));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(beside_the_crowd(report, effort));
}

fn turns(report: &mut Report, effort: Effort, model: Option<&str>) {
    let sizes: &[usize] = match (effort, model) {
        (Effort::Quick, _) => &[10_000],
        (Effort::Full, Some(_)) => &[10_000, 100_000],
        (Effort::Full, None) => &[10, 1_000, 10_000, 100_000],
    };
    let kinds: Vec<&Kind> = match model {
        // What a model is told, not what built-in understanding makes of it.
        Some(_) => KINDS.iter().take(2).collect(),
        None => KINDS.iter().collect(),
    };
    let mut few = House::build(FEW, model);
    for things in sizes {
        let mut many = House::build(*things, model);
        for kind in &kinds {
            let (mut ours, mut beside) = (Vec::new(), Vec::new());
            for _ in 0..effort.of(10, 30) {
                // By turns, so that what else this machine does falls on both.
                beside.push(few.time(kind));
                ours.push(many.time(kind));
            }
            let (time, with_few) = (median(&ours), median(&beside));
            let ratio = time.as_secs_f64() / with_few.as_secs_f64();
            let what = if model.is_some() { ", model of 0 ms" } else { "" };
            report.add(
                Row::new(
                    format!("{}: {things} of everything, {} turns{what}", kind.name, many.turns),
                    format!("{}, slowest {}", ms(time), ms(quantile(&ours, 1.0))),
                )
                .beside(format!("{} with {FEW}", ms(with_few)), ratio)
                .target(format!("≤ {RATIO_MAX}"), ratio <= RATIO_MAX),
            );
        }
        restart(report, many);
    }
}

/// What a built index costs at start: from the start to an answer that needs it.
fn restart(report: &mut Report, many: House) {
    let House { things, folder, console: running, .. } = many;
    running.terminate();
    let begin = |data: &Path| {
        let began = Instant::now();
        let mut console = console(data, None);
        let told = text_of(&console.say("search my notes for zanzibar")).to_lowercase();
        assert!(told.contains(NEEDLE), "{told}");
        (began.elapsed(), console)
    };
    let (with_many, _console) = begin(folder.path());
    let empty = crate::folder();
    filled::fill(empty.path(), OWNER, Amount { things: 1, turns: 0 });
    warm(&mut console(empty.path(), None));
    let (with_one, _console) = begin(empty.path());
    report.add(
        Row::new(format!("start to the first answer from a built index of {things} of everything"), ms(with_many))
            .beside(format!("{} with one", ms(with_one)), with_many.as_secs_f64() / with_one.as_secs_f64())
            .target("≤ 100 ms", with_many <= Duration::from_millis(100)),
    );
}

/// A mailbox that nobody has read yet.
fn first_reading(report: &mut Report, effort: Effort) {
    let count = effort.of(5_000, 50_000);
    let folder = crate::folder();
    filled::fill(folder.path(), OWNER, Amount { things: 1, turns: 0 });
    filled::mails(folder.path(), OWNER, count);
    let reading = bare_reading(&folder.path().join("mail"));
    let mut console = console(folder.path(), None);
    let began = Instant::now();
    let first = text_of(&console.say(KINDS[5].says));
    let answered = began.elapsed();
    let took = answered + warm(&mut console);
    let per_second = |took: Duration| count as f64 / took.as_secs_f64();
    report.add(
        Row::new(
            format!("first indexing of {count} mails"),
            format!("{} mails a second, peak {:.0} MB", per_second(took).round(), memory_mb(console.pid(), "VmHWM")),
        )
        .beside(
            format!("{} a second read and nothing else", per_second(reading).round()),
            took.as_secs_f64() / reading.as_secs_f64(),
        ),
    );
    let shown: String = first.lines().next().unwrap_or_default().chars().take(60).collect();
    report.add(Row::new("– the first question is answered meanwhile", format!("after {}: “{shown}”", ms(answered))));
}

/// Every file, read.
fn bare_reading(folder: &Path) -> Duration {
    fn walk(folder: &Path, bytes: &mut usize) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, bytes);
            } else {
                *bytes += std::fs::read(&path).expect("a mail").len();
            }
        }
    }
    let began = Instant::now();
    let mut bytes = 0;
    walk(folder, &mut bytes);
    std::hint::black_box(bytes);
    began.elapsed()
}

/// People whose mail nobody has read yet ask for it at once; what somebody else waits meanwhile, on Telegram.
async fn beside_the_crowd(report: &mut Report, effort: Effort) {
    let (people, each) = (effort.of(10, 50), effort.of(1_000, 10_000));
    let folder = crate::folder();
    let readers: Vec<i64> = (1..=people as i64).collect();
    for reader in &readers {
        filled::mails(folder.path(), &format!("tg:{reader}"), each);
    }
    let api = FakeBotApi::start().await;
    let served: Vec<String> = readers.iter().chain([&STRANGER]).map(i64::to_string).collect();
    // The pause in which a message may go on is no wait for others; commands know none.
    let program = Program::with_data_dir(folder.path()).env("BRAIN_ALLOWED_USERS", &served.join(","));
    let mut daemon = program.env("BRAIN_TIMEZONE", "UTC").daemon(&api);
    daemon.wait_ready().await;
    let mut alone = Vec::new();
    for _ in 0..20 {
        alone.push(pending(&api).await);
    }
    for reader in &readers {
        api.user_says(*reader, "find emails about zanzibar");
    }
    let mut beside = Vec::new();
    let began = Instant::now();
    while beside.len() < 20 || began.elapsed() < Duration::from_secs(10) {
        beside.push(pending(&api).await);
    }
    let peak = memory_mb(daemon.pid(), "VmHWM");
    daemon.kill();
    let (time, quiet) = (median(&beside), median(&alone));
    let row = Row::new(
        format!(
            "another person's /pending while the mail of {people} people ({each} mails each) is read for the first time"
        ),
        format!("{}, p99 {}, peak {peak:.0} MB", ms(time), ms(quantile(&beside, 0.99))),
    );
    let row = row.beside(format!("{} alone", ms(quiet)), time.as_secs_f64() / quiet.as_secs_f64());
    report.add(row.aim_at_full_load(effort, "≤ 50 ms", time <= Duration::from_millis(50)));
}

/// From the message until its answer has come in at the Bot API.
async fn pending(api: &FakeBotApi) -> Duration {
    let seen = api.messages(STRANGER).len();
    let began = Instant::now();
    api.user_says(STRANGER, "/pending");
    api.wait_for("an answer", READY_LIMIT, |api| (api.messages(STRANGER).len() > seen).then_some(())).await;
    let took = began.elapsed();
    // A chat may get three messages at once and then one a second: that wait is Telegram's.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    took
}
