//! One occurrence of a series, it and all after it, or all of it.

use proptest::prelude::*;

use super::*;

const WEEKLY: &str = "FREQ=WEEKLY;BYDAY=TU";

async fn yoga(rule: &str) -> (World, Registration) {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[series("a", "Yoga", "2026-01-13 18:30", "2026-01-13 19:30", rule)]).await;
    (world, calendar)
}

async fn january(world: &World, calendar: &Registration) -> Vec<String> {
    starts(world, calendar, json!({"from": "2026-01-12", "to": "2026-02-12"})).await
}

#[tokio::test]
async fn the_part_that_is_meant_is_asked_for_unless_a_day_is_named() {
    let (world, calendar) = yoga(WEEKLY).await;
    let Prepared::Several { param, question, candidates } =
        world.prepare(&calendar, "delete_event", json!({"find_by": "yoga"})).await
    else {
        panic!("a series is no single event");
    };
    assert_eq!((param.as_str(), question.as_str()), ("scope", "“Yoga” repeats. Which of it do you mean?"));
    let ids: Vec<&str> = candidates.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, ["this", "following", "all"]);
    let action = world.action(&calendar, "delete_event", json!({"find_by": "yoga on 20 January"})).await;
    assert_eq!(action.params["scope"], "this");
    assert_eq!(action.target.unwrap().before["of"], at("2026-01-20 18:30"));
}

#[tokio::test]
async fn one_occurrence_goes_and_the_others_stay() {
    let (world, calendar) = yoga(WEEKLY).await;
    let (_, told) = world.run_told(&calendar, "delete_event", json!({"find_by": "yoga on 20 January"})).await;
    assert!(told.starts_with("🗑 Cancelled: Yoga, ") && told.ends_with("; the others stay"), "{told}");
    assert_eq!(
        january(&world, &calendar).await,
        ["2026-01-13T18:30 Yoga", "2026-01-27T18:30 Yoga", "2026-02-03T18:30 Yoga", "2026-02-10T18:30 Yoga"]
    );
}

#[tokio::test]
async fn one_occurrence_moves_and_is_found_where_it_is_now() {
    let (world, calendar) = yoga(WEEKLY).await;
    let params = json!({"find_by": "yoga", "scope": "this", "changes": {"start_time": at("2026-01-15 08:00"), "location": "Studio 2"}});
    let result = world.run(&calendar, "update_event", params).await;
    assert_eq!(result["event"]["end_time"], at("2026-01-15 09:00"));
    let found = january(&world, &calendar).await;
    assert_eq!(found[..2], ["2026-01-15T08:00 Yoga", "2026-01-20T18:30 Yoga"]);
    // Moved once more, and then cancelled: it is still that one.
    let again =
        json!({"find_by": "yoga on Thursday", "scope": "this", "changes": {"start_time": at("2026-01-16 08:00")}});
    let result = world.run(&calendar, "update_event", again).await;
    assert_eq!(result["event"]["location"], "Studio 2");
    assert_eq!(january(&world, &calendar).await[0], "2026-01-16T08:00 Yoga");
    world.run(&calendar, "delete_event", json!({"find_by": "yoga on Friday", "scope": "this"})).await;
    assert_eq!(january(&world, &calendar).await[0], "2026-01-20T18:30 Yoga");
}

#[tokio::test]
async fn a_series_is_split_where_the_rest_changes() {
    for (rule, after) in [(WEEKLY, 3), ("FREQ=WEEKLY;BYDAY=TU;COUNT=4", 2)] {
        let (world, calendar) = yoga(rule).await;
        let params = json!({"find_by": "yoga on 27 January", "scope": "following", "changes": {"start_time": at("2026-01-28 07:00")}});
        world.run(&calendar, "update_event", params).await;
        let found = january(&world, &calendar).await;
        assert_eq!(found[..3], ["2026-01-13T18:30 Yoga", "2026-01-20T18:30 Yoga", "2026-01-28T07:00 Yoga"], "{rule}");
        assert_eq!(found.len(), 2 + after, "{rule}: {found:?}");
    }
    let (world, calendar) = yoga(WEEKLY).await;
    world.run(&calendar, "delete_event", json!({"find_by": "yoga on 27 January", "scope": "following"})).await;
    assert_eq!(january(&world, &calendar).await, ["2026-01-13T18:30 Yoga", "2026-01-20T18:30 Yoga"]);
}

#[tokio::test]
async fn the_last_occurrence_takes_the_series_along() {
    let (world, calendar) = yoga("FREQ=WEEKLY;BYDAY=TU;COUNT=2").await;
    for day in ["yoga on 13 January", "yoga on 20 January"] {
        world.run(&calendar, "delete_event", json!({"find_by": day, "scope": "this"})).await;
    }
    assert!(world.found(&calendar, "delete_event", "yoga").await.is_empty());
    let (world, calendar) = yoga(WEEKLY).await;
    world.run(&calendar, "delete_event", json!({"find_by": "yoga on 13 January", "scope": "following"})).await;
    assert!(world.found(&calendar, "delete_event", "yoga").await.is_empty(), "nothing was before it");
}

#[tokio::test]
async fn single_occurrences_move_along_with_their_series() {
    let (world, calendar) = yoga(WEEKLY).await;
    world.run(&calendar, "delete_event", json!({"find_by": "yoga on 20 January", "scope": "this"})).await;
    let all = json!({"find_by": "yoga", "scope": "all", "changes": {"start_time": at("2026-01-14 20:00")}});
    world.run(&calendar, "update_event", all).await;
    assert_eq!(
        january(&world, &calendar).await,
        ["2026-01-14T20:00 Yoga", "2026-01-28T20:00 Yoga", "2026-02-04T20:00 Yoga", "2026-02-11T20:00 Yoga"]
    );
}

#[tokio::test]
async fn an_hour_stays_where_it_was_when_the_clocks_change() {
    let (world, calendar) = world_at("2026-03-20 12:00");
    put(&world, &[series("a", "Yoga", "2026-03-24 18:30", "2026-03-24 19:30", WEEKLY)]).await;
    world.run(&calendar, "delete_event", json!({"find_by": "yoga on 31 March", "scope": "this"})).await;
    let params = json!({"find_by": "yoga on 7 April", "scope": "following", "changes": {"location": "Park"}});
    world.run(&calendar, "update_event", params).await;
    let found = starts(&world, &calendar, json!({"from": "2026-03-22", "to": "2026-04-16"})).await;
    assert_eq!(found, ["2026-03-24T18:30 Yoga", "2026-04-07T18:30 Yoga", "2026-04-14T18:30 Yoga"]);
}

proptest! {
    /// Whatever goes on its own, the others are where they were.
    #[test]
    fn the_others_stay(gone in prop::collection::btree_set(0usize..8, 0..8)) {
        let mut event = series("a", "Yoga", "2026-01-13 18:30", "2026-01-13 19:30", WEEKLY);
        let (from, to) = (local(Berlin, "2026-01-12 00:00"), local(Berlin, "2026-03-09 00:00"));
        let before = event.occurrences(from, to, Berlin, 100);
        prop_assert_eq!(before.len(), 8);
        for index in &gone {
            event.except(before[*index].of, None).unwrap();
        }
        let kept: Vec<_> = before.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, o)| o.clone()).collect();
        prop_assert_eq!(event.occurrences(from, to, Berlin, 100), kept);
    }
}
