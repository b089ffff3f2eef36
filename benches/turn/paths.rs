//! Turn time over the unavoidable time of its model calls, path by path, beside the same stages one after
//! another; and what a turn costs beyond its calls and commits.
//!
//! A turn lasts from the message to its answer on the screen, without inbox, Telegram and the pause in which a message
//! may go on: rows of `telegram` have these. Unavoidable is what the endpoint's log says its
//! calls took: the longer of two that run side by side, the sum of those that need each other.

use std::time::Duration;

use brain_agent::app;
use brain_agent::ports::Planning;

use crate::Effort;
use crate::endpoint::{Endpoint, Latency};
use crate::report::{Report, Row, median, ms, quantile, us};
use crate::sequence;
use crate::support::model_server::SimulatedCall;
use crate::world::{Keeping, Timed, World};

/// The three paths of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    Chat,
    Action,
    Consent,
}

impl Path {
    const ALL: [Self; 3] = [Self::Chat, Self::Action, Self::Consent];

    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Action => "action",
            Self::Consent => "consent",
        }
    }

    fn calls_max(self) -> u32 {
        match self {
            Self::Chat => 2,
            Self::Action => 3,
            Self::Consent => 0,
        }
    }

    /// With a model of ordinary speed.
    fn seconds_max(self) -> f64 {
        match self {
            Self::Chat => 1.0,
            Self::Action => 3.0,
            Self::Consent => 1.5,
        }
    }

    /// The timed turn; for consent, after the turn that makes the card.
    pub async fn walk(self, world: &World, nth: usize) -> Timed {
        let user = format!("user{}", nth / 8);
        match self {
            Self::Chat => world.say(&user, "hi there, how are you?").await,
            Self::Action => world.say(&user, self.message()).await,
            Self::Consent => {
                let card = world.say(&user, self.message()).await;
                assert!(card.done.outcomes.iter().any(|o| o.command == "create_event"), "no card: {:?}", card.done);
                world.asked.take();
                world.say(&user, "yes").await
            }
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Chat => "hi there, how are you?",
            Self::Action => "remind me to water the plants tomorrow at 5pm",
            Self::Consent => "invite anna@example.com to lunch tomorrow at noon",
        }
    }
}

/// The samples of one path at one set of latencies.
struct Samples {
    shown: Vec<Duration>,
    unavoidable: Vec<Duration>,
    committing: Vec<Duration>,
    commits: usize,
    llm_calls: u32,
    sequential: Vec<Duration>,
}

impl Samples {
    fn ratio(&self) -> f64 {
        let ratios: Vec<f64> =
            self.shown.iter().zip(&self.unavoidable).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()).collect();
        median(&ratios)
    }

    fn ratio_without_commits(&self) -> f64 {
        let ratios: Vec<f64> = (0..self.shown.len())
            .map(|i| (self.shown[i] - self.committing[i]).as_secs_f64() / self.unavoidable[i].as_secs_f64())
            .collect();
        median(&ratios)
    }

    /// What is neither a model's nor the disk's, in µs.
    fn overhead_us(&self) -> Vec<f64> {
        (0..self.shown.len())
            .map(|i| {
                let rest =
                    self.shown[i].as_secs_f64() - self.unavoidable[i].as_secs_f64() - self.committing[i].as_secs_f64();
                rest * 1e6
            })
            .collect()
    }
}

pub fn measure(report: &mut Report, effort: Effort) {
    let runtime = app::runtime().expect("a runtime");
    runtime.block_on(async {
        at_500(report, effort).await;
        ordinary(report, effort).await;
        remote_calendar(report, effort).await;
        overhead(report, effort).await;
    });
}

async fn at_500(report: &mut Report, effort: Effort) {
    let endpoint = Endpoint::start(Latency::all(500));
    let world = World::new(&endpoint.url, Keeping::Disk).await;
    for path in Path::ALL {
        let samples = sample(&world, &endpoint, path, effort.of(3, 15), effort.of(2, 5)).await;
        let calls = samples.llm_calls;
        report.add(
            Row::new(format!("model calls, {} turn", path.name()), calls.to_string())
                .target(format!("≤ {}", path.calls_max()), calls <= path.calls_max()),
        );
        if path == Path::Consent {
            // No model is asked, so there is no time that could not be avoided but the commits'.
            let (turn, committing) = (median(&samples.shown), median(&samples.committing));
            report.add(Row::new("from a yes to its receipt", ms(turn)).beside(
                format!("{} its {} commits", ms(committing), samples.commits),
                turn.as_secs_f64() / committing.as_secs_f64(),
            ));
            continue;
        }
        let (turn, unavoidable, ratio) = (median(&samples.shown), median(&samples.unavoidable), samples.ratio());
        report.add(
            Row::new(
                format!("{} turn without inbox and Telegram, calls of 500 ms ÷ their unavoidable time", path.name()),
                ms(turn),
            )
            .beside(format!("{} unavoidable", ms(unavoidable)), ratio)
            .target("≤ 1.01", ratio <= 1.01),
        );
        if ratio > 1.01 {
            let without = samples.ratio_without_commits();
            let committing = ms(median(&samples.committing));
            let what = format!("– the same without its {} commits ({committing})", samples.commits);
            report.add(Row::new(what, "").beside("", without).target("≤ 1.01", without <= 1.01));
        }
        let sequential = median(&samples.sequential);
        report.add(Row::new(format!("{} turn ÷ the same stages one after another", path.name()), ms(turn)).beside(
            format!("{} one by one, no commits", ms(sequential)),
            turn.as_secs_f64() / sequential.as_secs_f64(),
        ));
    }
}

async fn ordinary(report: &mut Report, effort: Effort) {
    let endpoint = Endpoint::start(Latency { route_ms: 200, plan_ms: 800, respond_ms: 400 });
    let mut world = World::new(&endpoint.url, Keeping::Disk).await;
    for path in Path::ALL {
        let samples = sample(&world, &endpoint, path, effort.of(3, 10), effort.of(2, 4)).await;
        let (turn, sequential) = (median(&samples.shown), median(&samples.sequential));
        let most = path.seconds_max();
        report.add(
            Row::new(format!("{} turn, route 200, plan 800, respond 400 ms", path.name()), ms(turn))
                .beside(format!("{} one by one", ms(sequential)), turn.as_secs_f64() / sequential.as_secs_f64())
                .target(format!("< {most} s"), turn.as_secs_f64() < most),
        );
        if path == Path::Consent {
            continue;
        }
        world.brain.policy.skip_router = true;
        let skipping = sample(&world, &endpoint, path, effort.of(3, 10), 0).await;
        world.brain.policy.skip_router = false;
        report.add(
            Row::new(
                format!("– with BRAIN_SKIP_ROUTER, {} calls instead of {}", skipping.llm_calls, samples.llm_calls),
                ms(median(&skipping.shown)),
            )
            .beside(ms(turn), median(&skipping.shown).as_secs_f64() / turn.as_secs_f64()),
        );
        world.brain.policy.planning = Planning::Steps;
        let steps = sample(&world, &endpoint, path, effort.of(3, 10), 0).await;
        world.brain.policy.planning = Planning::Whole;
        report.add(
            Row::new(
                format!("– planned in steps, {} calls instead of {}", steps.llm_calls, samples.llm_calls),
                ms(median(&steps.shown)),
            )
            .beside(ms(turn), median(&steps.shown).as_secs_f64() / turn.as_secs_f64()),
        );
    }
}

/// What speculation is for: a fetch that takes as long as routing costs nothing.
async fn remote_calendar(report: &mut Report, effort: Effort) {
    let endpoint = Endpoint::start(Latency { route_ms: 200, plan_ms: 800, respond_ms: 400 });
    let mut world = World::new(&endpoint.url, Keeping::Disk).await;
    world.brain.services = sequence::remote(&world.brain.services, Duration::from_millis(150));
    let samples = sample(&world, &endpoint, Path::Action, effort.of(3, 8), effort.of(2, 4)).await;
    let (turn, sequential) = (median(&samples.shown), median(&samples.sequential));
    report.add(
        Row::new("action turn, the same, every service 150 ms away", ms(turn))
            .beside(format!("{} one by one", ms(sequential)), turn.as_secs_f64() / sequential.as_secs_f64()),
    );
}

/// Many turns with short calls: the calls are taken off, what is left is ours.
async fn overhead(report: &mut Report, effort: Effort) {
    let endpoint = Endpoint::start(Latency::all(20));
    let memory = World::new(&endpoint.url, Keeping::Memory).await;
    let disk = World::new(&endpoint.url, Keeping::Disk).await;
    for path in Path::ALL {
        let turns = effort.of(30, 200);
        let samples = sample(&disk, &endpoint, path, turns, 0).await;
        let own = samples.overhead_us();
        let (p50, p99) = (median(&own), quantile(&own, 0.99));
        let row = Row::new(
            format!("{} turn: own overhead without calls and commits, p50 / p99", path.name()),
            format!("{} / {}", us(p50), us(p99)),
        );
        let (row, bare) = match path {
            Path::Consent => (row, 0.0),
            Path::Chat | Path::Action => {
                let bare = bare_overhead_us(&memory, &endpoint, path, turns).await;
                let beside = format!("{} / {} a bare client's", us(median(&bare)), us(quantile(&bare, 0.99)));
                (row.beside(beside, p50 / median(&bare)), median(&bare))
            }
        };
        report.add(row.target("≤ 1 ms beyond it / ≤ 5 ms", p50 - bare <= 1_000.0 && p99 <= 5_000.0));
        let kept_nowhere = sample(&memory, &endpoint, path, turns, 0).await.overhead_us();
        let committing: Vec<f64> = samples.committing.iter().map(|t| t.as_secs_f64() * 1e6).collect();
        report.add(
            Row::new(
                format!("– its {} commits until the answer shows, p50 / p99", samples.commits),
                format!("{} / {}", us(median(&committing)), us(quantile(&committing, 0.99))),
            )
            .beside(
                format!("overhead with a store in memory {}", us(median(&kept_nowhere))),
                median(&kept_nowhere) / p50,
            ),
        );
    }
}

/// What the same calls with the same bytes cost a client that does nothing else: connection, HTTP, and waking up.
async fn bare_overhead_us(world: &World, endpoint: &Endpoint, path: Path, turns: usize) -> Vec<f64> {
    let client = reqwest::Client::new();
    endpoint.record();
    path.walk(world, 0).await;
    let calls = endpoint.recorded();
    let mut samples = Vec::new();
    for turn in 0..=turns {
        let (from_us, began) = (crate::world::unix_us(), std::time::Instant::now());
        for call in &calls {
            call.repeat(&client, &endpoint.url).await;
        }
        let took = began.elapsed();
        let to_us = crate::world::unix_us();
        let unavoidable: u64 =
            within(&endpoint.calls(), from_us, to_us).iter().map(|c| c.sent_us - c.received_us).sum();
        // The first one opens the connection.
        if turn > 0 {
            samples.push((took.as_secs_f64() * 1e6 - unavoidable as f64).max(1.0));
        }
    }
    samples
}

async fn sample(world: &World, endpoint: &Endpoint, path: Path, turns: usize, in_sequence: usize) -> Samples {
    // Connections and lexicons are there from the second turn on; the first use has figures of its own.
    path.walk(world, 0).await;
    world.asked.take();
    let mut timed = Vec::new();
    let mut calls = Vec::new();
    for nth in 0..turns {
        timed.push(path.walk(world, nth + 8).await);
        calls = world.asked.take();
    }
    let log = endpoint.calls();
    let mut samples = Samples {
        shown: timed.iter().map(|t| t.shown).collect(),
        unavoidable: timed.iter().map(|t| unavoidable(path, &within(&log, t.from_us, t.to_us))).collect(),
        committing: timed.iter().map(|t| t.committing).collect(),
        commits: timed.last().map_or(0, |t| t.commits),
        llm_calls: timed.iter().map(|t| t.done.llm_calls).max().unwrap_or(0),
        sequential: Vec::new(),
    };
    calls.sort_by_key(|call| call.stage);
    for _ in 0..in_sequence {
        samples.sequential.push(sequence::run(world, "user1", path.message(), &calls).await);
    }
    samples
}

pub fn within(log: &[SimulatedCall], from_us: u64, to_us: u64) -> Vec<SimulatedCall> {
    log.iter().filter(|call| call.received_us >= from_us && call.sent_us <= to_us).cloned().collect()
}

pub fn unavoidable(path: Path, calls: &[SimulatedCall]) -> Duration {
    let took = calls.iter().map(|call| call.sent_us - call.received_us);
    Duration::from_micros(match path {
        // The reply is written while the router decides.
        Path::Chat => took.max().unwrap_or(0),
        Path::Action | Path::Consent => took.sum(),
    })
}
