//! A durable decision beside an append and `fdatasync` of the same bytes: on the same disk, in turn.

use std::io::Write;
use std::time::{Duration, Instant};

use brain_agent::app;
use brain_agent::core::ids::{PendingId, UserId};
use brain_agent::core::pending::{Decision, Means, Pending, Transition};
use brain_agent::ports::{Batch, Expect, RecordExt};
use futures::future::join_all;

use crate::Effort;
use crate::endpoint::{Endpoint, Latency};
use crate::report::{Report, Row, median, us};
use crate::world::{Keeping, World};

const AT_ONCE: usize = 64;
const RATIO_MAX: f64 = 5.0;

pub fn measure(report: &mut Report, effort: Effort) {
    app::runtime().expect("a runtime").block_on(async {
        let endpoint = Endpoint::start(Latency::all(0));
        let world = World::new(&endpoint.url, Keeping::Disk).await;
        let card = card(&world).await;
        let folder = crate::folder();
        let mut log = std::fs::File::create(folder.path().join("log")).expect("a log");
        alone(report, &world, &card, &mut log, effort.of(30, 200)).await;
        together(report, &world, &card, &mut log, effort.of(3, 15)).await;
    });
}

/// A real card, to make others like it.
pub async fn card(world: &World) -> Pending {
    world.say("me", "invite anna@example.com to lunch tomorrow at noon").await;
    let open = world.brain.open_pending(&World::chat("me")).await.expect("the open cards");
    open.into_iter().next().expect("a card")
}

/// The same card under other ids, in the store.
async fn more_cards(world: &World, card: &Pending, prefix: &str, count: usize) -> Vec<(Pending, u64)> {
    let mut cards = Vec::with_capacity(count);
    for n in 0..count {
        let pending = Pending { id: PendingId::new(format!("{prefix}{n}")), ..card.clone() };
        let mut batch = Batch::default();
        batch.put(&pending, Expect::Absent).expect("a record");
        let revision = world.brain.commit(batch).await.expect("a commit");
        cards.push((pending, revision));
    }
    cards
}

async fn decide(world: &World, mut pending: Pending, revision: u64) {
    let decision = Decision {
        by: UserId::new("me"),
        means: Means::Button,
        at: world.brain.clock.now(),
        digest: pending.digest.clone(),
    };
    let decided = world.brain.record_decision(&mut pending, revision, Transition::Approve, decision, None).await;
    decided.expect("a decision");
}

fn append(log: &mut std::fs::File, bytes: &[u8]) -> Duration {
    let began = Instant::now();
    log.write_all(bytes).expect("an append");
    log.sync_data().expect("a sync");
    began.elapsed()
}

async fn alone(report: &mut Report, world: &World, card: &Pending, log: &mut std::fs::File, count: usize) {
    let (mut decisions, mut appends) = (Vec::new(), Vec::new());
    let mut bytes = Vec::new();
    for (pending, revision) in more_cards(world, card, "a", count).await {
        let id = pending.id.clone();
        let began = Instant::now();
        decide(world, pending, revision).await;
        decisions.push(began.elapsed());
        bytes = written(world, &id).await;
        appends.push(append(log, &bytes));
    }
    let (decision, append) = (micros(&decisions), micros(&appends));
    report.add(
        Row::new("durable decision, one at a time ÷ append + fdatasync", us(decision))
            .beside(format!("{} for {} bytes", us(append), bytes.len()), decision / append)
            .target("≤ 5", decision / append <= RATIO_MAX),
    );
}

async fn together(report: &mut Report, world: &World, card: &Pending, log: &mut std::fs::File, rounds: usize) {
    let (mut decisions, mut appends) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let cards = more_cards(world, card, &format!("t{round}x"), AT_ONCE).await;
        let first = cards[0].0.id.clone();
        let began = Instant::now();
        join_all(cards.into_iter().map(|(pending, revision)| decide(world, pending, revision))).await;
        decisions.push(began.elapsed() / AT_ONCE as u32);
        let bytes = written(world, &first).await;
        appends.push((0..AT_ONCE).map(|_| append(log, &bytes)).sum::<Duration>() / AT_ONCE as u32);
    }
    let (decision, append) = (micros(&decisions), micros(&appends));
    report.add(
        Row::new(format!("durable decision, {AT_ONCE} at once (group commit), each"), us(decision))
            .beside(format!("{} each", us(append)), decision / append)
            .target("≤ 5", decision / append <= RATIO_MAX),
    );
}

/// What a decision wrote: the card, its intent, its audit row of about the same size as the intent's head.
async fn written(world: &World, id: &PendingId) -> Vec<u8> {
    let key = brain_agent::ports::Key::of(&[id.as_str()]);
    let (pending, _) = world.brain.store.load::<Pending>(&key).await.expect("a read").expect("the card");
    let (run, _) =
        world.brain.store.load::<brain_agent::core::run::Run>(&key).await.expect("a read").expect("the intent");
    let audit = world.brain.audit_pending(&pending.owner, pending.created_at, &pending);
    let mut bytes = serde_json::to_vec(&pending).expect("JSON");
    bytes.extend(serde_json::to_vec(&run).expect("JSON"));
    bytes.extend(serde_json::to_vec(&audit).expect("JSON"));
    bytes
}

fn micros(times: &[Duration]) -> f64 {
    median(times).as_secs_f64() * 1e6
}
