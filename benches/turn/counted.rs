//! What it costs a turn that its calls are counted, and that what its nodes got and gave is kept: the same turn without,
//! one after the other, so that whatever else the machine does falls on all of them alike.

use std::sync::Arc;

use brain_agent::app;
use brain_agent::llm::{ClientSettings, Endpoint as ModelPlace, OpenAiClient};
use brain_agent::ports::{Model, Stage};

use crate::Effort;
use crate::endpoint::{Endpoint, Latency};
use crate::paths::{Path, unavoidable, within};
use crate::report::{Report, Row, median, ms, us};
use crate::world::{Keeping, Timed, World};

/// What is taken of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    Calls,
    Contents,
}

pub fn measure(report: &mut Report, effort: Effort) {
    let runtime = app::runtime().expect("a runtime");
    runtime.block_on(async {
        for path in [Path::Chat, Path::Action] {
            of_path(report, effort, path).await;
        }
    });
}

async fn of_path(report: &mut Report, effort: Effort, path: Path) {
    let latency = Latency { route_ms: 200, plan_ms: 800, respond_ms: 400 };
    let endpoint = Endpoint::start(latency);
    let mut world = World::new(&endpoint.url, Keeping::Disk).await;
    let counted = world.brain.model.clone();
    let bare = uncounted(&endpoint.url);
    let mut own: [Vec<f64>; 3] = Default::default();
    let mut shown = Vec::new();
    let rounds = effort.of(12, 60);
    // Connections and lexicons are there from the second turn on.
    for round in 0..=rounds {
        let order = [Kept::Nothing, Kept::Calls, Kept::Contents];
        for place in 0..order.len() {
            let kept = order[(place + round) % order.len()];
            world.brain.model = if kept == Kept::Nothing { bare.clone() } else { counted.clone() };
            world.brain.policy.contents_kept = if kept == Kept::Contents { 50 } else { 0 };
            let turn = path.walk(&world, round + 8).await;
            if round > 0 {
                own[kept as usize].push(own_us(&endpoint, path, &turn));
                shown.push(turn.shown);
            }
        }
    }
    let turn = median(&shown);
    let [nothing, calls, contents] = &own;
    let added =
        |more: &[f64], less: &[f64]| median(&more.iter().zip(less).map(|(more, less)| more - less).collect::<Vec<_>>());
    for (what, more, less, most) in
        [("its calls counted", calls, nothing, 0.2), ("its contents kept as well", contents, calls, 2.0)]
    {
        let added = added(more, less);
        let share = added / (turn.as_secs_f64() * 1e6) * 100.0;
        report.add(
            Row::new(format!("{} turn, {what}: added, commits included", path.name()), us(added.max(0.0)))
                .beside(format!("{} the turn, {} of it ours without", ms(turn), us(median(less))), share / 100.0)
                .target(format!("≤ {most} % of the turn"), share <= most),
        );
    }
}

/// What a turn took beyond its calls: from the message to its answer on the screen, in µs.
fn own_us(endpoint: &Endpoint, path: Path, turn: &Timed) -> f64 {
    let calls = within(&endpoint.calls(), turn.from_us, turn.to_us);
    (turn.shown.as_secs_f64() - unavoidable(path, &calls).as_secs_f64()) * 1e6
}

/// The same endpoint, asked by a client that nobody counts.
fn uncounted(url: &str) -> Option<Arc<dyn Model>> {
    let place = || ModelPlace {
        base_url: url.to_owned(),
        api_key: Some("bench".to_owned().into()),
        model: "simulated".to_owned(),
    };
    let settings = ClientSettings {
        stages: Stage::ALL.into_iter().map(|stage| (stage, place())).collect(),
        fallback: None,
        learns_size: false,
        found_small: Default::default(),
        timeout: Default::default(),
    };
    Some(Arc::new(OpenAiClient::new(settings).expect("a client")))
}
