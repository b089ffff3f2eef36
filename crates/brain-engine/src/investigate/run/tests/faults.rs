//! Nodes that fail, hang, panic or give too much; lanes that rest; runs that are stopped.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::attempt::pause;
use super::super::running::node_seed;
use super::*;

fn pause_ms(at: usize, failed: u32) -> u64 {
    pause(&RunLimits::default(), node_seed(SEED, at), failed).as_millis() as u64
}

#[tokio::test(start_paused = true)]
async fn what_may_go_better_is_tried_three_times_with_growing_pauses() {
    let better = node("a", &[], 0).ending(&[(10, Ends::Retryable), (10, Ends::Retryable), (10, Ends::Well)]);
    let worse = node("b", &[], 0).ending(&[(10, Ends::Retryable)]);
    let run = World::default().run(whole(vec![better, worse])).await;
    let end = |at| 30 + pause_ms(at, 1) + pause_ms(at, 2);
    expect(
        &run,
        &[&format!("a 0..{} x3 done", end(0)), &format!("b 0..{} x3 no connection, 3 times in a row", end(1))],
    );
    for at in 0..50 {
        assert!((100..=200).contains(&pause_ms(at, 1)) && (200..=400).contains(&pause_ms(at, 2)));
        assert!((1_000..=2_000).contains(&pause_ms(at, 9)) && (1_000..=2_000).contains(&pause_ms(at, 90)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_stops_what_cannot_do_without_and_nothing_else() {
    let specs = vec![
        node("broken", &[], 0).ending(&[(10, Ends::Final)]),
        node("fine", &[], 30),
        node("needs", &["broken"], 10),
        node("needs that", &["needs"], 10),
        node("misses", &["fine"], 10).without("broken").without("needs"),
    ];
    let world = World::default();
    let run = world.run(whole(specs)).await;
    expect(
        &run,
        &[
            "broken 0..10 x1 no such folder",
            "fine 0..30 x1 done",
            "needs -..10 x0 it needs broken, which is missing",
            "needs that -..10 x0 it needs needs, which is missing",
            "misses 30..40 x1 done",
        ],
    );
    let missed = |node: &str, why: &str| NodeGap { node: node.to_owned(), why: why.to_owned() };
    assert_eq!(
        run.nodes[4].gaps,
        [missed("broken", "no such folder"), missed("needs", "it needs broken, which is missing")]
    );
    let (_, _, inputs, gaps) = world.script.tries.lock().unwrap().last().cloned().unwrap();
    assert_eq!((inputs, gaps), (vec!["fine".to_owned()], vec!["broken".to_owned(), "needs".to_owned()]));
    assert_eq!((run.end.clone(), run.failed(), run.gaps().len()), (RunEnd::Complete, 1, 3));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failed_node() {
    let specs = vec![
        node("faulty", &[], 0).ending(&[(10, Ends::Panic)]),
        node("fine", &[], 20),
        node("last", &["fine"], 10).without("faulty"),
    ];
    let run = World::default().run(whole(specs)).await;
    expect(&run, &["faulty 0..10 x1 a fault of the program stopped it", "fine 0..20 x1 done", "last 20..30 x1 done"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_hangs_is_left_and_so_is_one_that_gives_too_much() {
    let mut world = World::default();
    (world.bounds.limits.node_ms, world.bounds.limits.output_bytes) = (500, 1_000);
    let specs = vec![
        node("hangs", &[], 0).ending(&[(0, Ends::Never)]),
        node("talks", &[], 0).ending(&[(10, Ends::Huge(1_001))]),
        node("fits", &[], 0).ending(&[(10, Ends::Huge(1_000))]),
        node("slow", &[], 0).ending(&[(450, Ends::Retryable)]),
    ];
    expect(
        &world.run(whole(specs)).await,
        &[
            "hangs 0..500 x1 it took longer than 500 ms",
            "talks 0..10 x1 it gave 1001 bytes; at most 1000 are kept",
            "fits 0..10 x1 done",
            "slow 0..450 x1 no connection",
        ],
    );
}

// Breakers.

#[tokio::test(start_paused = true)]
async fn a_lane_that_keeps_failing_is_left_alone_and_probed_once_after_its_rest() {
    let mut world = World::in_lanes(LaneLimits { failures: 2, rest_ms: 1_000, ..LaneLimits::default() });
    world.bounds.limits.attempts = 1;
    let at = |id| node(id, &[], 10).at(source("mail"));
    let fails = |id| at(id).ending(&[(10, Ends::Retryable)]);
    let run = world
        .run(arriving(vec![
            (0, one(fails("a"))),
            (20, one(fails("b"))),
            (20, one(at("rests"))),
            (0, one(node("elsewhere", &[], 10).at(source("calendar")))),
            (1_000, one(at("probe"))),
            (5, one(at("beside it"))),
            (10, one(at("later"))),
        ]))
        .await;
    expect(
        &run,
        &[
            "a 0..10 x1 no connection",
            "b 20..30 x1 no connection",
            "rests 40..40 x0 mail is left alone for 990 ms: no connection",
            "elsewhere 40..50 x1 done",
            "probe 1040..1050 x1 done",
            "beside it 1045..1045 x0 mail is left alone for 1000 ms: no connection",
            "later 1055..1065 x1 done",
        ],
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_is_an_answer_leaves_its_lane_open() {
    let world = World::in_lanes(LaneLimits { failures: 1, ..LaneLimits::default() });
    let at = |id, after: &[&str]| node(id, after, 10).at(source("mail"));
    let specs = vec![at("a", &[]).ending(&[(10, Ends::Final)]), at("b", &[]).ending(&[(20, Ends::Panic)])];
    let last = node("c", &[], 10).at(source("mail")).without("a").without("b");
    let run = world.run(whole(specs.into_iter().chain([last]).collect())).await;
    assert_eq!(drawn(&run).lines().last(), Some("c 20..30 x1 done"));
}

/// Reads several things side by side within one node.
#[derive(Debug)]
struct Reads {
    at_once: AtomicUsize,
    most: AtomicUsize,
    fails: bool,
}

#[async_trait]
impl Worker for Reads {
    type Spec = String;
    type Output = Vec<Result<(), NodeFailure>>;
    type Type = ();

    fn node(&self, spec: &String) -> Node<String> {
        Node::new(spec.clone())
    }

    fn lanes(&self, _spec: &String) -> Vec<WorkLane> {
        Vec::new()
    }

    fn bytes(&self, _output: &Self::Output) -> usize {
        0
    }

    async fn attempt(
        &self,
        _spec: &String,
        _inputs: NodeInputs<'_, Self::Output>,
        attempting: &Attempting<'_>,
    ) -> Result<Self::Output, NodeFailure> {
        let lane = WorkLane::Endpoint("model".to_owned());
        let reads = (0..20).map(|_| {
            attempting.in_lane(&lane, async {
                self.most.fetch_max(self.at_once.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                sleep(Duration::from_millis(10)).await;
                self.at_once.fetch_sub(1, Ordering::Relaxed);
                if self.fails { Err(NodeFailure::Retryable { why: "no answer".to_owned() }) } else { Ok(()) }
            })
        });
        Ok(futures::future::join_all(reads).await)
    }
}

#[tokio::test(start_paused = true)]
async fn calls_within_nodes_share_the_places_and_the_breaker_of_their_lane() {
    for (fails, ms, came_through) in [(false, 50, 40), (true, 10, 0)] {
        let worker = Reads { at_once: AtomicUsize::new(0), most: AtomicUsize::new(0), fails };
        let run = RunBounds::default().run(&worker, whole(vec!["a".to_owned(), "b".to_owned()])).await;
        let (read, failed): (Vec<_>, Vec<_>) =
            run.outputs().flat_map(|(_, reads)| reads).partition(|read| read.is_ok());
        assert_eq!((run.us, read.len()), (ms * 1_000, came_through));
        assert_eq!(worker.most.into_inner(), 8);
        let tried = failed.iter().filter(|read| matches!(read, Err(NodeFailure::Retryable { .. }))).count();
        assert_eq!(tried, if fails { 8 } else { 0 }, "the others are told that the lane rests");
    }
}

// Stopping.

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_stops_at_once_and_gives_what_was_found() {
    let world = World::default();
    let specs = vec![node("a", &[], 10), node("b", &["a"], 100), node("c", &["b"], 10)];
    let (run, ()) = tokio::join!(world.run(whole(specs)), async {
        sleep(Duration::from_millis(50)).await;
        world.bounds.cancel.cancel();
    });
    expect(&run, &["a 0..10 x1 done", "b 10..- x1 there was no time for it", "c -..- x0 there was no time for it"]);
    assert_eq!((run.end, run.us), (RunEnd::Cancelled, 50_000));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_before_starts_nothing_that_matters() {
    let world = World::default();
    world.bounds.cancel.cancel();
    let run = world.run(whole(vec![node("a", &[], 10)])).await;
    assert_eq!((run.end, run.us), (RunEnd::Cancelled, 0));
    assert!(world.script.tries.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_with_its_time_even_if_nodes_never_stop_coming() {
    let budget = BudgetLimits { time_ms: 1_000, ..BudgetLimits::default() };
    let world = World::within(budget);
    let specs = stream::iter([one(node("a", &[], 10)), one(node("b", &[], 5_000))]);
    let run = world.run(specs.chain(stream::pending())).await;
    expect(&run, &["a 0..10 x1 done", "b 0..- x1 there was no time for it"]);
    assert_eq!((run.end, run.us), (RunEnd::OutOfTime, 1_000_000));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_dropped_gives_its_places_back() {
    let world = World::in_lanes(LaneLimits { source_at_once: 1, ..LaneLimits::default() });
    let at = |id, ms| whole(vec![node(id, &[], ms).at(source("mail"))]);
    let dropped = tokio::time::timeout(Duration::from_millis(50), world.run(at("a", 5_000)));
    let (dropped, run) = tokio::join!(dropped, world.run(at("b", 10)));
    assert!(dropped.is_err());
    expect(&run, &["b 50..60 x1 done"]);
}
