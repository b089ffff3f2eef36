//! How often something takes place, changed afterwards; and who takes part, by whatever is known of them.

use super::*;

async fn spring(world: &World, calendar: &Registration) -> Vec<String> {
    starts(world, calendar, json!({"from": "2026-01-12", "to": "2026-02-14"})).await
}

async fn change(world: &World, calendar: &Registration, changes: Value) -> String {
    let params = json!({"find_by": "gym", "changes": changes});
    world.run_told(calendar, "update_event", params).await.1
}

#[tokio::test]
async fn a_single_event_comes_to_repeat_and_keeps_its_hour() {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[event("a", "Gym", "2026-01-13 18:00", Some("2026-01-13 19:30"))]).await;
    let told = change(&world, &calendar, json!({"repeat": "FREQ=WEEKLY;INTERVAL=2"})).await;
    assert!(told.ends_with("; repeats every other week"), "{told}");
    assert_eq!(
        spring(&world, &calendar).await,
        ["2026-01-13T18:00 Gym", "2026-01-27T18:00 Gym", "2026-02-10T18:00 Gym"]
    );
}

#[tokio::test]
async fn a_series_repeats_by_another_rule_and_takes_up_its_days() {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[series("a", "Gym", "2026-01-13 18:00", "2026-01-13 19:00", "FREQ=WEEKLY;BYDAY=TU")]).await;
    change(&world, &calendar, json!({"repeat": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH"})).await;
    assert_eq!(
        spring(&world, &calendar).await,
        ["2026-01-15T18:00 Gym", "2026-01-29T18:00 Gym", "2026-02-12T18:00 Gym"]
    );
    let result = world.run(&calendar, "list_events", json!({"text": "gym"})).await;
    assert_eq!(result["events"][0]["end_time"], at("2026-01-15 19:00"));
}

#[tokio::test]
async fn a_repetition_is_taken_away_and_what_was_shown_stays() {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[series("a", "Gym", "2026-01-06 18:00", "2026-01-06 19:00", "FREQ=WEEKLY;BYDAY=TU")]).await;
    let told = change(&world, &calendar, json!({"repeat": "none"})).await;
    assert!(told.ends_with("; repeats no more"), "{told}");
    assert_eq!(spring(&world, &calendar).await, ["2026-01-13T18:00 Gym"]);
}

#[tokio::test]
async fn one_time_of_a_series_has_no_repetition_of_its_own() {
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[series("a", "Gym", "2026-01-13 18:00", "2026-01-13 19:00", "FREQ=WEEKLY;BYDAY=TU")]).await;
    let params = json!({"find_by": "gym", "scope": "this", "changes": {"repeat": "FREQ=DAILY"}});
    let action = world.action(&calendar, "update_event", params).await;
    assert_eq!(action.params["scope"], "all");
}

#[tokio::test]
async fn the_day_of_a_series_follows_where_it_is_moved() {
    for (rule, becomes, expected) in [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2026-01-15 18:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH"),
        ("FREQ=MONTHLY;BYMONTHDAY=13", "2026-01-20 18:00", "FREQ=MONTHLY;BYMONTHDAY=20"),
        ("FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=13", "2026-01-20 18:00", "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=20"),
    ] {
        let (world, calendar) = world_at(MONDAY_NOON);
        put(&world, &[series("a", "Gym", "2026-01-13 18:00", "2026-01-13 19:00", rule)]).await;
        let params = json!({"find_by": "gym", "scope": "all", "changes": {"start_time": at(becomes)}});
        let result = world.run(&calendar, "update_event", params).await;
        assert_eq!(
            (&result["event"]["recurrence"], &result["event"]["start_time"]),
            (&json!(expected), &json!(at(becomes)))
        );
    }
    let (world, calendar) = world_at(MONDAY_NOON);
    put(&world, &[series("a", "Gym", "2026-01-13 18:00", "2026-01-13 19:00", "FREQ=MONTHLY;BYMONTHDAY=13")]).await;
    let params = json!({"find_by": "gym", "scope": "all", "changes": {"start_time": at("2026-01-30 18:00")}});
    let action = world.action(&calendar, "update_event", params).await;
    assert!(world.fails(&calendar, action).await.contains("fixed days"), "not every month has that day");
}

#[tokio::test]
async fn who_takes_part_is_found_by_a_first_name_a_part_of_an_address_and_through_contacts() {
    let (world, calendar) = world_at(MONDAY_NOON);
    let with = |id: &str, summary: &str, day: &str, who: &str| Event {
        attendees: vec![who.to_owned()],
        ..event(id, summary, &format!("{day} 15:00"), Some(&format!("{day} 16:00")))
    };
    let events = [
        with("a", "Budget", "2026-01-13", "amir.ali@atlas.example"),
        with("b", "Review", "2026-01-14", "kit77@home.example"),
        with("c", "Plan", "2026-01-15", "carla@atlas.example"),
    ];
    put(&world, &events).await;
    let people = world.service(crate::services::contacts::NAME);
    world.run(&people, "save", json!({"name": "Amira Noor", "email": "kit77@home.example"})).await;
    for (with, expected) in [
        ("amir", vec!["2026-01-13T15:00 Budget"]),
        ("Amir Ali", vec!["2026-01-13T15:00 Budget"]),
        ("Amira", vec!["2026-01-14T15:00 Review"]),
        ("carla", vec!["2026-01-15T15:00 Plan"]),
        ("bert", vec![]),
    ] {
        assert_eq!(starts(&world, &calendar, json!({"with": with})).await, expected, "{with}");
    }
}
