//! Many turns at once, beside a client that makes the same calls and does nothing else. Each side runs in a
//! process of its own, so that its peak of memory is its own.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_agent::app;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::Effort;
use crate::endpoint::{Endpoint, Latency, Recorded};
use crate::report::{Report, Row, median, memory_mb, ms};
use crate::world::{Keeping, World};

pub const ROLE: &str = "as-crowd";
pub const BARE_ROLE: &str = "as-bare-crowd";

const MESSAGE: &str = "remind me to water the plants tomorrow at 5pm";
const RATIO_MAX: f64 = 1.5;

pub fn measure(report: &mut Report, effort: Effort) {
    let turns = effort.of(100, 500);
    let endpoint = Endpoint::start(Latency { route_ms: 200, plan_ms: 800, respond_ms: 400 });
    let folder = crate::folder();
    let bodies = folder.path().join("bodies");
    std::fs::write(&bodies, recorded_calls(&endpoint)).expect("the recorded calls");
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..effort.of(1, 5) {
        bare.push(child(BARE_ROLE, &endpoint.url, turns, &bodies));
        ours.push(child(ROLE, &endpoint.url, turns, &bodies));
    }
    let wall = |all: &[Crowd]| median(&all.iter().map(|crowd| crowd.wall_ms).collect::<Vec<_>>());
    let peak = |all: &[Crowd]| median(&all.iter().map(|crowd| crowd.peak_mb).collect::<Vec<_>>());
    let (our_wall, bare_wall) = (wall(&ours), wall(&bare));
    let done = ours.iter().map(|crowd| crowd.done).min().unwrap_or(0);
    report.add(
        Row::new(
            format!("{turns} action turns at once ({done} done), real store; without inbox and Telegram"),
            ms(Duration::from_secs_f64(our_wall / 1e3)),
        )
        .beside(
            format!("{} a bare client, same calls, same bytes", ms(Duration::from_secs_f64(bare_wall / 1e3))),
            our_wall / bare_wall,
        )
        .aim_at_full_load(effort, "≤ 1.5", our_wall / bare_wall <= RATIO_MAX && done == turns),
    );
    let (our_peak, bare_peak) = (peak(&ours), peak(&bare));
    report.add(
        Row::new("– peak memory of that process", format!("{our_peak:.1} MB"))
            .beside(format!("{bare_peak:.1} MB the bare client"), our_peak / bare_peak)
            .aim_at_full_load(effort, "≤ 1.5", our_peak / bare_peak <= RATIO_MAX),
    );
}

struct Crowd {
    wall_ms: f64,
    peak_mb: f64,
    done: usize,
}

fn child(role: &str, url: &str, turns: usize, bodies: &Path) -> Crowd {
    let output = Command::new(std::env::current_exe().expect("this binary"))
        .args([role, url, &turns.to_string(), bodies.to_str().expect("UTF-8")])
        .stderr(std::process::Stdio::inherit())
        .output()
        .expect("a crowd");
    let told: Value = serde_json::from_slice(&output.stdout).expect("what the crowd came to");
    let number = |name: &str| told[name].as_f64().expect("a number");
    Crowd { wall_ms: number("wall_ms"), peak_mb: number("peak_mb"), done: number("done") as usize }
}

fn tell(began: Instant, done: usize) {
    let wall_ms = began.elapsed().as_secs_f64() * 1e3;
    println!("{}", json!({"wall_ms": wall_ms, "done": done, "peak_mb": memory_mb(std::process::id(), "VmHWM")}));
}

/// The process of our crowd: as many people, one action turn each.
pub fn run(args: &[&str]) {
    let [url, turns, _] = args else { panic!("{ROLE} URL TURNS BODIES") };
    let turns: usize = turns.parse().expect("a number of turns");
    app::runtime().expect("a runtime").block_on(async {
        let mut world = World::new(url, Keeping::Disk).await;
        // The books would be most of the memory: every prompt and schema is kept in them.
        world.brain.model = Some(world.asked.client());
        let messages: Vec<_> = (0..turns).map(|n| world.message(&format!("user{n}"), MESSAGE)).collect();
        let began = Instant::now();
        // Each in a task of its own, as the daemon does it.
        let world = Arc::new(world);
        let tasks = messages.into_iter().map(|message| {
            let world = world.clone();
            tokio::spawn(async move { brain_agent::pipeline::handle_turn(&world.brain, &message).await })
        });
        let all = join_all(tasks).await;
        let succeeded = |done: &brain_agent::core::turn::Done| {
            done.fallbacks.is_empty()
                && done.outcomes.iter().any(|o| o.status == brain_agent::core::outcome::Status::Succeeded)
        };
        let done = all.iter().filter(|done| done.as_ref().is_ok_and(succeeded)).count();
        tell(began, done);
    });
}

/// The process of the bare client: the same calls with the same bytes, which all of them share.
pub fn run_bare(args: &[&str]) {
    let [url, turns, bodies] = args else { panic!("{BARE_ROLE} URL TURNS BODIES") };
    let turns: usize = turns.parse().expect("a number of turns");
    let calls: Arc<[Recorded]> = std::fs::read_to_string(bodies)
        .expect("the recorded calls")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(stage, body)| Recorded { stage: stage.to_owned(), body: body.to_owned().into() })
        .collect();
    app::runtime().expect("a runtime").block_on(async {
        let client = reqwest::Client::new();
        let began = Instant::now();
        let tasks = (0..turns).map(|_| {
            let (client, url, calls) = (client.clone(), (*url).to_owned(), Arc::clone(&calls));
            tokio::spawn(async move {
                for call in calls.iter() {
                    call.repeat(&client, &url).await;
                }
            })
        });
        let done = join_all(tasks).await.iter().filter(|task| task.is_ok()).count();
        tell(began, done);
    });
}

/// The calls of one action turn, as the endpoint got them.
fn recorded_calls(endpoint: &Endpoint) -> String {
    app::runtime().expect("a runtime").block_on(async {
        let world = World::new(&endpoint.url, Keeping::Memory).await;
        endpoint.record();
        world.say("somebody", MESSAGE).await;
        let line = |call: &Recorded| format!("{}\t{}\n", call.stage, String::from_utf8_lossy(&call.body));
        endpoint.recorded().iter().map(line).collect()
    })
}
