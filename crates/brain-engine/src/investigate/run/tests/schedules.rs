//! When each node runs: small graphs with their schedules, nodes that arrive while others run, what is told on the way.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_chain_runs_one_after_the_other() {
    let run = World::default().run(whole(vec![node("a", &[], 10), node("b", &["a"], 20), node("c", &["b"], 5)])).await;
    expect(&run, &["a 0..10 x1 done", "b 10..30 x1 done", "c 30..35 x1 done"]);
    assert_eq!((run.end.clone(), run.us, run.stages(), run.failed()), (RunEnd::Complete, 35_000, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_node_starts_the_moment_its_own_inputs_are_there() {
    // With stages, "d" would wait for "b" as well.
    let specs = vec![node("a", &[], 10), node("b", &[], 50), node("c", &["a", "b"], 10), node("d", &["a"], 20)];
    let world = World::default();
    expect(
        &world.run(whole(specs)).await,
        &["a 0..10 x1 done", "b 0..50 x1 done", "c 50..60 x1 done", "d 10..30 x1 done"],
    );
    let tries = world.script.tries.lock().unwrap();
    let inputs = tries.iter().find(|(id, ..)| id == "c").map(|(_, _, inputs, _)| inputs.clone());
    assert_eq!(inputs.unwrap(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_whole_graph_may_come_in_any_order() {
    let run = World::default().run(whole(vec![node("late", &["early"], 10), node("early", &[], 10)])).await;
    expect(&run, &["late 10..20 x1 done", "early 0..10 x1 done"]);
    assert_eq!(run.nodes[0].depth, 1);
}

#[tokio::test(start_paused = true)]
async fn twenty_at_eight_at_once_take_three_rounds() {
    let endpoint = WorkLane::Endpoint("model".to_owned());
    let world = World::in_lanes(LaneLimits { endpoint_at_once: 8, ..LaneLimits::default() });
    let specs: Vec<_> = (0..20).map(|index| node(&index.to_string(), &[], 10).at(endpoint.clone())).collect();
    let run = world.run(whole(specs)).await;
    assert_eq!(run.us, 30_000);
    assert_eq!(most_at_once(run.nodes.iter().filter_map(|node| Some((node.started_us?, node.ended_us?)))), 8);
}

#[tokio::test(start_paused = true)]
async fn a_full_lane_holds_up_nobody_else() {
    let mut world = World::in_lanes(LaneLimits { source_at_once: 1, ..LaneLimits::default() });
    world.bounds.limits.graph.width = 2;
    let at = |id, lane| node(id, &[], 10).at(source(lane));
    let run = world.run(whole(vec![at("m1", "mail"), at("m2", "mail"), at("m3", "mail"), at("c", "calendar")])).await;
    expect(&run, &["m1 0..10 x1 done", "m2 10..20 x1 done", "m3 20..30 x1 done", "c 0..10 x1 done"]);
}

#[tokio::test(start_paused = true)]
async fn runs_share_the_places_of_a_lane() {
    let world = World::in_lanes(LaneLimits { source_at_once: 1, ..LaneLimits::default() });
    let alone = |id| whole(vec![node(id, &[], 10).at(source("mail"))]);
    let (first, second) = tokio::join!(world.run(alone("a")), world.run(alone("b")));
    expect(&first, &["a 0..10 x1 done"]);
    expect(&second, &["b 10..20 x1 done"]);
}

#[tokio::test(start_paused = true)]
async fn nodes_run_while_others_arrive() {
    let specs = vec![(100, one(node("a", &[], 150))), (100, one(node("b", &[], 10))), (0, one(node("c", &["a"], 10)))];
    let run = World::default().run(arriving(specs)).await;
    expect(&run, &["a 100..250 x1 done", "b 200..210 x1 done", "c 250..260 x1 done"]);
    assert_eq!(run.nodes[2].arrived_us, 200_000);
}

#[tokio::test(start_paused = true)]
async fn a_part_that_breaks_ends_the_run_and_what_was_found_is_given_back() {
    let why = "the rest is no JSON".to_owned();
    let broken = Arriving::Broken { why: why.clone() };
    let specs = vec![(0, one(node("a", &[], 10))), (0, one(node("b", &[], 100))), (50, broken)];
    let run = World::default().run(arriving(specs)).await;
    expect(&run, &["a 0..10 x1 done", "b 0..- x1 there was no time for it"]);
    assert_eq!((run.end, run.us), (RunEnd::Broken(BrokenGraph::Unwritten { why }), 50_000));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_does_not_validate_ends_the_run_with_all_that_is_wrong() {
    let specs = vec![(0, one(node("a", &[], 100))), (10, one(node("a", &["b"], 10)))];
    let run = World::default().run(arriving(specs)).await;
    let RunEnd::Broken(BrokenGraph::Invalid(errors)) = &run.end else { panic!("{:?}", run.end) };
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["a is there twice", "a depends on b, which is not there"]);
    assert_eq!((run.us, run.nodes.len()), (10_000, 1));
}

#[tokio::test(start_paused = true)]
async fn a_graph_that_never_stops_growing_is_wrong() {
    let mut world = World::default();
    world.bounds.limits.graph.nodes = 30;
    let endless = stream::iter(0..).map(|index: u32| one(node(&index.to_string(), &[], 10)));
    let run = world.run(endless).await;
    assert!(matches!(run.end, RunEnd::Broken(BrokenGraph::Invalid(_))) && run.nodes.len() == 30, "{:?}", run.end);
    let empty = world.run(stream::repeat_with(|| Arriving::Nodes(Vec::new()))).await;
    assert!(matches!(empty.end, RunEnd::Broken(BrokenGraph::Unwritten { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_graph_without_nodes_is_over() {
    let run = World::default().run(whole(Vec::new())).await;
    assert_eq!((run.end, run.us, run.nodes.len()), (RunEnd::Complete, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_told_of_each_node_and_of_its_parts() {
    let world = World::default();
    world.run(whole(vec![node("a", &[], 10), node("b", &["a"], 10)])).await;
    let told: Vec<String> = world.told.lock().unwrap().iter().map(shown).collect();
    assert_eq!(told, ["0/2 a: a 1/2", "1/2", "1/2 b: b 1/2", "2/2"]);
}

fn shown(progress: &RunProgress) -> String {
    let part = progress.part.as_ref().map(|(id, part)| format!(" {id}: {part}")).unwrap_or_default();
    format!("{}/{}{part}", progress.done, progress.of)
}
