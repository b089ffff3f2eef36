//! What is too much: the worst message that fits, another person's turn beside two of them, and a question over five
//! thousand mails that nobody has answered. Without a model; the store in memory, but for the mails.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use brain_agent::core::ids::UserId;
use brain_agent::services::email::mailbox::source::maildir::Maildir;
use chrono::{Days, Utc};

use crate::Effort;
use crate::report::{Report, Row, memory_mb, ms, quantile};
use crate::world::{Keeping, World};

/// As many characters as Telegram sends.
const CHARS: usize = 4_096;
const MAILS: usize = 5_000;
/// The slowest by one look are looked at again so often, and the best counts: what else the machine does is not theirs.
const LOOKS: usize = 3;
const SUSPECTS: usize = 12;
/// Questions until all that is kept of them is there, and then those that are measured.
const SETTLING: usize = 20;
const QUESTIONS: usize = 40;
const QUESTION: &str = "who is waiting for an answer from me?";

pub fn measure(report: &mut Report, effort: Effort) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let worst = runtime.block_on(worst_message(report, effort));
    runtime.block_on(beside(report, effort, &worst));
    runtime.block_on(unanswered(report));
}

async fn world(keeping: Keeping) -> World {
    let mut world = World::new("http://127.0.0.1:9", keeping).await;
    world.brain.model = None;
    world
}

/// Every word by which messages are read, and what is no word.
fn pieces() -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/language");
    let mut pieces: BTreeSet<String> = [",", ".", "?", "\n", "\"", "(", ":", "-", "/", "9", "31.12.", "a", "é", "🎂"]
        .map(str::to_owned)
        .into_iter()
        .collect();
    for folder in ["consent", "reading", "requests", "time"] {
        let files = std::fs::read_dir(data.join(folder)).expect("the data").map(|entry| entry.expect("a file").path());
        for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "txt")) {
            let text = std::fs::read_to_string(&file).expect("a text");
            let is_mark = |c: char| c.is_whitespace() || "|()[]{}<>=:,;#~?*".contains(c);
            pieces.extend(text.split(is_mark).filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    pieces.into_iter().collect()
}

fn repeated(piece: &str) -> String {
    let text = format!("{piece} ").repeat(CHARS);
    text.chars().take(CHARS).collect()
}

async fn timed(world: &World, user: &str, text: &str) -> Duration {
    let began = Instant::now();
    world.say(user, text).await;
    began.elapsed()
}

/// The two messages that took longest, of those that repeat one piece.
async fn worst_message(report: &mut Report, effort: Effort) -> [String; 2] {
    let world = world(Keeping::Memory).await;
    let pieces = pieces();
    let step = effort.of(16, 1);
    let mut took: Vec<(Duration, String)> = Vec::new();
    for (number, piece) in pieces.iter().step_by(step).enumerate() {
        // A conversation of its own: what was said before is no part of it.
        let text = repeated(piece);
        took.push((timed(&world, &format!("person{number}"), &text).await, text));
    }
    took.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let looked = took.len();
    took.truncate(SUSPECTS);
    for (number, (time, text)) in took.iter_mut().enumerate() {
        for look in 0..LOOKS {
            *time = (*time).min(timed(&world, &format!("again{number}-{look}"), text).await);
        }
    }
    took.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let usual = timed(&world, "usual", "remind me to call mom tomorrow at 5pm").await;
    let [(slowest, first), (_, second)] = [took[0].clone(), took[1].clone()];
    let piece: String = first.chars().take(12).collect();
    report.add(
        Row::new(format!("a whole turn of {CHARS} characters, the worst of {looked} (“{piece}…”)"), ms(slowest))
            .beside(format!("{}, “remind me to call mom tomorrow at 5pm”", ms(usual)), slowest.div_duration_f64(usual))
            .target("≤ 100 ms", slowest <= Duration::from_millis(100)),
    );
    [first, second]
}

/// Somebody else's turns while two such are under way, all the time.
async fn beside(report: &mut Report, effort: Effort, worst: &[String; 2]) {
    const USUAL: &str = "what is on my list?";
    let world = world(Keeping::Memory).await;
    let count = effort.of(30, 200);
    let turns = async |name: &str| {
        let mut took = Vec::new();
        for number in 0..count {
            took.push(timed(&world, &format!("{name}{}", number % 10), USUAL).await.as_secs_f64() * 1e3);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        took
    };
    let alone = turns("alone").await;
    let heavy = async |who: &str, text: &str| {
        for number in 0.. {
            timed(&world, &format!("{who}{}", number % 10), text).await;
        }
    };
    let crowded = tokio::select! {
        crowded = turns("beside") => crowded,
        () = async { tokio::join!(heavy("one", &worst[0]), heavy("two", &worst[1])); } => unreachable!("they never end"),
    };
    let (alone_p99, p99) = (quantile(&alone, 0.99), quantile(&crowded, 0.99));
    let figure = format!("{:.1} / {p99:.1} ms", quantile(&crowded, 0.5));
    report.add(
        Row::new("somebody else's turn beside two such at all times, p50 / p99", figure)
            .beside(format!("{:.1} / {alone_p99:.1} ms alone", quantile(&alone, 0.5)), p99 / alone_p99)
            .target("≤ 100 ms", p99 <= 100.0),
    );
}

/// Who waits, of five thousand that nobody has answered: the first time, when the mail is read, and after that.
async fn unanswered(report: &mut Report) {
    let world = world(Keeping::Disk).await;
    let owner = UserId::new("me");
    let root = Maildir::of(world.folder(), &owner).root().to_owned();
    for folder in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for number in 0..MAILS {
        let at = Utc::now() - Days::new((number % 80) as u64 + 1);
        let mail = format!(
            "From: Person {number} <person{number}@example.org>\r\nTo: me@example.com\r\nSubject: Matter {number}\r\n\
             Date: {}\r\nMessage-ID: <m{number}@example.org>\r\n\r\nHello,\r\n\r\nwe went through the papers of matter \
             {number} again. Could you let me know by Friday whether the figures are fine with you?\r\n\r\nThanks\r\n",
            at.to_rfc2822()
        );
        std::fs::write(root.join("cur").join(format!("{}.M{number}.bench:2,S", at.timestamp())), mail).expect("a mail");
    }
    let first = timed(&world, "me", QUESTION).await;
    let resident = || memory_mb(std::process::id(), "VmRSS");
    for _ in 0..SETTLING {
        timed(&world, "me", QUESTION).await;
    }
    let before = resident();
    let mut took = Vec::new();
    for _ in 0..QUESTIONS {
        took.push(timed(&world, "me", QUESTION).await);
    }
    let slowest = took.into_iter().max().unwrap_or_default();
    report.add(
        Row::new(format!("“{QUESTION}” over {MAILS} unanswered mails, the slowest of {QUESTIONS}"), ms(slowest))
            .beside(format!("{} the first time, when they are read", ms(first)), slowest.div_duration_f64(first))
            .target("≤ 1 s", slowest <= Duration::from_secs(1)),
    );
    let grown = resident() - before;
    report.add(
        Row::new(format!("– memory that {QUESTIONS} more such questions take"), format!("{grown:.1} MB"))
            .beside(format!("{before:.0} MB in all"), grown / before)
            .target("flat", grown <= before * 0.05),
    );
}
