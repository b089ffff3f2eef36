//! A graph beside its ideal schedule and three other ways to do the same: one call after the other, stage after stage,
//! and a loop that reads one thing a call while its context grows.

use std::time::{Duration, Instant};

use brain_agent::ports::Usage;
use futures::{StreamExt, stream};

use crate::Effort;
use crate::graphs::{Asking, Measured};
use crate::report::{Report, Row, median, ms};
use crate::schedule::ideal_ms;
use crate::work::{AT_ONCE, Bench, Took};

pub async fn measure(report: &mut Report, effort: Effort, bench: &Bench, graph: &Measured) {
    let (mut runs, mut ideals, mut staged, mut singly, mut loops) = (vec![], vec![], vec![], vec![], vec![]);
    for _ in 0..effort.of(3, 15) {
        runs.push(bench.run(stream::iter(graph.nodes.clone())).await);
        ideals.push(ideal_ms(&graph.nodes, &bench.call_times(), AT_ONCE));
        staged.push(by_stages(bench, &graph.nodes).await);
    }
    // These take long and vary little.
    for _ in 0..effort.of(1, 3) {
        singly.push(one_by_one(bench, &graph.nodes).await);
        loops.push(in_a_loop(bench, &graph.nodes).await);
    }
    let (run, ideal) = (middle(&runs), Duration::from_secs_f64(median(&ideals) / 1_000.0));
    let name = graph.name;
    let over = run.time.as_secs_f64() / ideal.as_secs_f64();
    report.add(
        Row::new(format!("{name}: beside the ideal schedule"), ms(run.time))
            .beside(ms(ideal), over)
            .target("≤ 1.03", over <= 1.03),
    );
    let other = middle(&staged);
    report.add(
        Row::new(format!("{name}: beside stages that wait for each other"), ms(run.time))
            .beside(ms(other.time), other.time.as_secs_f64() / run.time.as_secs_f64()),
    );
    let other = middle(&singly);
    let faster = other.time.as_secs_f64() / run.time.as_secs_f64();
    let row = Row::new(format!("{name}: beside one call after the other"), ms(run.time)).beside(ms(other.time), faster);
    report.add(match graph.faster {
        Some(aim) => row.target(format!("≥ {aim}"), faster >= aim),
        None => row,
    });
    let other = middle(&loops);
    let ratio = tokens(other.usage) as f64 / tokens(run.usage) as f64;
    report.add(
        Row::new(format!("{name}: tokens, beside a loop with a growing context"), costs(run))
            .beside(format!("{}, {}", costs(other), ms(other.time)), ratio)
            .target("≤ 60,000 tokens", tokens(run.usage) <= 60_000),
    );
}

/// Of the runs, the one that took the middle time.
fn middle(all: &[Took]) -> Took {
    let time = median(&all.iter().map(|took| took.time).collect::<Vec<_>>());
    all.iter().copied().find(|took| took.time == time).expect("one of them")
}

fn tokens(usage: Usage) -> u64 {
    usage.tokens_in + usage.tokens_out
}

fn costs(took: Took) -> String {
    format!("{} tokens in {} calls", tokens(took.usage), took.usage.calls)
}

async fn timed(work: impl Future<Output = Vec<Usage>>) -> Took {
    let begun = Instant::now();
    let all = work.await;
    let mut usage = Usage::default();
    all.into_iter().for_each(|one| usage += one);
    Took { time: begun.elapsed(), usage }
}

/// Groups by depth, each waiting for the last of the one before; as many calls at once as in the graph.
async fn by_stages(bench: &Bench, nodes: &[Asking]) -> Took {
    let mut depths: Vec<usize> = Vec::new();
    for node in nodes {
        let depth_of = |on: &String| depths[nodes.iter().position(|node| node.id == *on).expect("an earlier node")] + 1;
        depths.push(node.after.iter().map(depth_of).max().unwrap_or(0));
    }
    timed(async {
        let mut all = Vec::new();
        for depth in 0..=depths.iter().copied().max().unwrap_or(0) {
            let stage = nodes.iter().zip(&depths).filter(|(_, at)| **at == depth).map(|(node, _)| node);
            let calls = stage.flat_map(|node| std::iter::repeat_n(node.stage, node.calls));
            let calls: Vec<_> = calls.map(|stage| bench.asks.ask(stage, 1)).collect();
            all.extend(stream::iter(calls).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await);
        }
        all
    })
    .await
}

async fn one_by_one(bench: &Bench, nodes: &[Asking]) -> Took {
    timed(async {
        let mut all = Vec::new();
        for node in nodes {
            for _ in 0..node.calls {
                all.push(bench.asks.ask(node.stage, 1).await);
            }
        }
        all
    })
    .await
}

/// Each call sees all that was read before it.
async fn in_a_loop(bench: &Bench, nodes: &[Asking]) -> Took {
    timed(async {
        let mut all = Vec::new();
        for node in nodes {
            for _ in 0..node.calls {
                all.push(bench.asks.ask(node.stage, all.len() + 1).await);
            }
        }
        all
    })
    .await
}
