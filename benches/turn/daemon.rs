//! The real binary: how soon it is ready, what it holds when idle, and how a store full of open cards that was
//! left by a SIGKILL opens.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use brain_agent::app;
use brain_agent::core::button::{CardVerb, Press};
use brain_agent::core::ids::{MessageId, PendingId, UserId};
use brain_agent::core::pending::Pending;
use brain_agent::core::turn::{Done, Path as TurnPath};
use brain_agent::ports::records::{Due, DueKind, PendingOpen, TurnTrace};
use brain_agent::ports::{Batch, Expect, RecordExt, Scan, Store};
use serde_json::json;

use crate::Effort;
use crate::durable;
use crate::endpoint::{Endpoint, Latency};
use crate::pages;
use crate::report::{Report, Row, median, memory_mb, ms, quantile};
use crate::support::bot_api::FakeBotApi;
use crate::support::program::{Console, Program, done_of};
use crate::world::{Keeping, World};

pub const FILLER_ROLE: &str = "as-filler";

/// Open cards a person has, as the limit allows.
const CARDS_EACH: usize = 50;

pub fn measure(report: &mut Report, effort: Effort) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        starts(report, effort).await;
        idle(report).await;
        after_kill(report, effort).await;
    });
}

async fn starts(report: &mut Report, effort: Effort) {
    let (mut serve, mut console, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.of(3, 10) {
        let folder = crate::folder();
        // The store is there already: a second start, as after every reboot.
        ready_console(folder.path());
        serve.push(ready_daemon(folder.path()).await);
        console.push(ready_console(folder.path()));
        bare.push(bare_process());
    }
    for (what, times) in [
        ("`serve`: start to the first poll of updates", &serve),
        ("`console --json`: start to the answer to a sentence", &console),
    ] {
        let (time, process) = (median(times), median(&bare));
        report.add(
            Row::new(what, format!("{}, slowest {}", ms(time), ms(quantile(times, 1.0))))
                .beside(
                    format!("{} a process that prints its version", ms(process)),
                    time.as_secs_f64() / process.as_secs_f64(),
                )
                .target("≤ 100 ms", time <= Duration::from_millis(100)),
        );
    }
}

async fn ready_daemon(data: &Path) -> Duration {
    let api = FakeBotApi::start_blocking();
    let began = Instant::now();
    let mut daemon = Program::with_data_dir(data).env("BRAIN_ALLOWED_USERS", "7").daemon(&api);
    daemon.wait_ready().await;
    let took = began.elapsed();
    daemon.kill();
    took
}

fn ready_console(data: &Path) -> Duration {
    let began = Instant::now();
    let mut console = Program::with_data_dir(data).console(&[]);
    answer(&mut console);
    let took = began.elapsed();
    console.kill();
    took
}

/// To a sentence, which has to be understood.
fn answer(console: &mut Console) {
    let lines = console.say("remind me to call mom tomorrow at 5pm");
    assert_eq!(done_of(&lines)["outcomes"][0]["status"], "succeeded");
}

fn bare_process() -> Duration {
    let began = Instant::now();
    let finished = Program::new().run(&["--version"]);
    assert_eq!(finished.code, 0);
    began.elapsed()
}

async fn idle(report: &mut Report) {
    let folder = crate::folder();
    let api = FakeBotApi::start_blocking();
    let mut daemon = Program::with_data_dir(folder.path()).env("BRAIN_ALLOWED_USERS", "7").daemon(&api);
    daemon.wait_ready().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let of = |line| memory_mb(daemon.pid(), line);
    let rss = of("VmRSS");
    report.add(
        Row::new(
            "idle `serve`, resident memory after 2 s",
            format!("{rss:.1} MB: {:.1} own, {:.1} the binary's pages", of("RssAnon"), of("RssFile")),
        )
        .target("≤ 20 MB", rss <= 20.0),
    );
    daemon.kill();
}

async fn after_kill(report: &mut Report, effort: Effort) {
    let count = effort.of(10_000, 100_000);
    let folder = crate::folder();
    filled_and_killed(folder.path(), count);
    let file = app::store_path(folder.path());
    let size_mb = std::fs::metadata(&file).map_or(0, |m| m.len()) / (1 << 20);
    let pristine = folder.path().join("as-killed");
    std::fs::copy(&file, &pristine).expect("a copy");
    let mut times = Vec::new();
    for _ in 0..effort.of(3, 10) {
        std::fs::copy(&pristine, &file).expect("a copy");
        times.push(ready_daemon(folder.path()).await);
    }
    let time = median(&times);
    report.add(
        Row::new(
            format!("`serve` ready after kill -9 with {count} pending ({size_mb} MB)"),
            format!("{}, slowest {}", ms(time), ms(quantile(&times, 1.0))),
        )
        .aim_at_full_load(effort, "≤ 150 ms", time <= Duration::from_millis(150)),
    );
    pages::measure(report, folder.path(), count).await;
    let (decidable, decided, tried) = still_decidable(folder.path(), count).await;
    report.add(
        Row::new(
            "– of them still decidable",
            format!("{decidable} by their record; {decided} of {tried} tried were decided by a press"),
        )
        .target("all", decidable == count && decided == tried),
    );
}

/// Has a process fill the store, and kills it as soon as it says that everything is committed.
fn filled_and_killed(data: &Path, count: usize) {
    let mut filler = Command::new(std::env::current_exe().expect("this binary"))
        .args([FILLER_ROLE, data.to_str().expect("UTF-8"), &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a filler");
    let mut line = String::new();
    BufReader::new(filler.stdout.take().expect("a pipe")).read_line(&mut line).expect("its word");
    assert_eq!(line.trim(), "filled");
    filler.kill().expect("a kill");
    filler.wait().expect("its end");
}

/// The process that fills a store and waits to be killed.
pub fn fill(args: &[&str]) {
    let [data, count] = args else { panic!("{FILLER_ROLE} DATA_DIR COUNT") };
    let count: usize = count.parse().expect("a number of cards");
    app::runtime().expect("a runtime").block_on(async {
        let endpoint = Endpoint::start(Latency::all(0));
        let card = durable::card(&World::new(&endpoint.url, Keeping::Memory).await).await;
        drop(endpoint);
        let store = app::open_store(Path::new(data)).await.expect("a store");
        for first in (0..count).step_by(1_000) {
            let mut batch = Batch::default();
            for n in first..count.min(first + 1_000) {
                add(&card, n, &mut batch);
            }
            store.commit(batch).await.expect("a commit");
        }
        println!("filled");
        std::io::stdout().flush().expect("a pipe");
        std::thread::park();
    });
}

fn user_of(n: usize) -> String {
    format!("user{}", n / CARDS_EACH)
}

/// The card as if the n-th one had been shown to its person, with its index entries.
fn add(card: &Pending, n: usize, batch: &mut Batch) {
    let user = user_of(n);
    let mut pending = Pending {
        id: PendingId::new(format!("card{n}")),
        owner: UserId::new(&user),
        chat: World::chat(&user),
        card_parts: 1,
        card_messages: vec![MessageId(n as i64 + 1)],
        ..card.clone()
    };
    pending.digest = pending.compute_digest();
    batch.put(&PendingOpen::of(&pending), Expect::Absent).expect("a record");
    let expiry = Due {
        at: pending.expires_at,
        owner: pending.owner.clone(),
        chat: pending.chat.clone(),
        kind: DueKind::Expiry { pending: pending.id.clone() },
        meant: None,
    };
    batch.put(&expiry, Expect::Absent).expect("a record");
    batch.put(&pending, Expect::Absent).expect("a record");
    let trace = TurnTrace {
        id: format!("turn{n}"),
        user: pending.owner.clone(),
        chat: pending.chat.clone(),
        at: pending.created_at,
        done: Done::quiet(TurnPath::Consent),
        spans: Vec::new(),
        investigation: None,
    };
    batch.put(&trace, Expect::Absent).expect("a record");
}

/// How many records still stand to be decided, and how many of some that were pressed were decided.
async fn still_decidable(data: &Path, count: usize) -> (usize, usize, usize) {
    let file = app::open_store(data).await.expect("the store");
    let store: std::sync::Arc<dyn Store> = file.clone();
    let clock = brain_agent::clock::SystemClock::new();
    let now = brain_agent::ports::Clock::instants(&clock);
    let all = store.list::<Pending>(Scan::of::<Pending>(&[], count)).await.expect("the cards");
    let decidable =
        all.iter().filter(|(p, _)| p.may_decide(&p.owner, &p.chat, Some(p.digest.prefix()), &now).is_ok()).count();
    let tried: Vec<&Pending> = all.iter().map(|(p, _)| p).step_by((count / 20).max(1)).collect();
    drop(store);
    file.close().await;
    let mut console = Program::with_data_dir(data).console(&[]);
    let mut decided = 0;
    for (nth, pending) in tried.iter().enumerate() {
        let verb = if nth % 2 == 0 { CardVerb::Approve } else { CardVerb::Cancel };
        let press =
            Press::Card { pending: pending.id.clone(), digest_prefix: pending.digest.prefix().to_owned(), verb };
        let lines = console.send(json!({"press": press.encode(), "user": pending.owner.as_str()}));
        let wanted = if nth % 2 == 0 { "succeeded" } else { "denied" };
        decided += usize::from(done_of(&lines)["outcomes"][0]["status"] == wanted);
    }
    console.kill();
    (decidable, decided, tried.len())
}
