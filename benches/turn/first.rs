//! The first message of a process: its own work, and what somebody waits who writes at the same moment. Each sample is a
//! process of its own (this binary, started again), without a model and with a store that keeps nothing on disk.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_agent::app;
use brain_agent::pipeline::handle_turn;
use serde_json::{Value, json};

use crate::Effort;
use crate::report::{Report, Row, median, ms, quantile};
use crate::world::{Keeping, World};

pub const ROLE: &str = "as-newcomer";

const MESSAGE: &str = "remind me to call mom tomorrow at 5pm";

pub fn measure(report: &mut Report, effort: Effort) {
    let (mut first, mut later, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.of(5, 20) {
        let told = child("alone");
        first.push(told[0]);
        later.push(told[1]);
        beside.push(child("beside")[1]);
    }
    let figure = |times: &[Duration]| format!("{}, slowest {}", ms(median(times)), ms(quantile(times, 1.0)));
    let later = median(&later);
    let row = |what: &str, times: &[Duration]| {
        Row::new(what, figure(times))
            .beside(format!("{} the second message", ms(later)), median(times).as_secs_f64() / later.as_secs_f64())
            .target("≤ 50 ms", median(times) <= Duration::from_millis(50))
    };
    report.add(row("first message after start, built-in", &first));
    report.add(row("another chat's message beside the first one", &beside));
}

/// Two turns: one after the other, or at the same time.
fn child(how: &str) -> [Duration; 2] {
    let output = Command::new(std::env::current_exe().expect("this binary"))
        .args([ROLE, how])
        .stderr(std::process::Stdio::inherit())
        .output()
        .expect("a newcomer");
    let told: Value = serde_json::from_slice(&output.stdout).expect("two times");
    [0, 1].map(|at| Duration::from_secs_f64(told[at].as_f64().expect("seconds")))
}

/// The process of the newcomer.
pub fn run(args: &[&str]) {
    let [how] = args else { panic!("{ROLE} alone|beside") };
    let times = app::runtime().expect("a runtime").block_on(async {
        let mut world = World::new("http://127.0.0.1:9/v1", Keeping::Memory).await;
        world.brain.model = None;
        let world = Arc::new(world);
        let turn = |user: &str| {
            let (world, message) = (world.clone(), world.message(user, MESSAGE));
            let began = Instant::now();
            tokio::spawn(async move {
                let done = handle_turn(&world.brain, &message).await;
                assert_eq!(done.outcomes.len(), 1, "the reminder was set");
                began.elapsed().as_secs_f64()
            })
        };
        match *how {
            "alone" => [turn("anna").await, turn("ben").await],
            _ => {
                let (anna, ben) = (turn("anna"), turn("ben"));
                [anna.await, ben.await]
            }
        }
    });
    println!("{}", json!(times.map(|time| time.expect("a turn"))));
}
