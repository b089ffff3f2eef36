use chrono::Duration;
use chrono_tz::America::New_York;
use chrono_tz::Europe::Berlin;
use serde_json::json;

use super::*;
use crate::services::{calendar, memory, notes, task};
use crate::testing::World;

async fn world(zone: Tz, text: &str) -> World {
    let world = World::at(zone, text);
    let ctx = &world.ctx;
    let batch = fill(&ctx.owner, &ctx.chat, ctx.now, ctx.zone).unwrap();
    world.store.commit(batch).await.unwrap();
    world
}

#[tokio::test]
async fn whatever_day_it_is_tomorrow_has_the_standup_and_the_client_call() {
    // Two weeks over each clock change, at the edges of the day too.
    for (zone, from) in
        [(Berlin, "2026-03-20"), (Berlin, "2026-10-18"), (New_York, "2026-03-01"), (Tz::UTC, "2028-02-22")]
    {
        let first: NaiveDate = from.parse().unwrap();
        for day in 0..14 {
            for clock in ["00:00", "11:30", "23:59"] {
                let today = first + Duration::days(day);
                let world = world(zone, &format!("{today} {clock}")).await;
                let calendar = world.service(calendar::NAME);
                let tomorrow = today + Duration::days(1);
                let result = world.run(&calendar, "list_events", json!({"from": tomorrow.to_string()})).await;
                let summaries: Vec<&str> =
                    result["events"].as_array().unwrap().iter().map(|e| e["summary"].as_str().unwrap()).collect();
                assert_eq!(summaries, ["Standup", "Client call with Northwind"], "{today} {clock} {zone}");
            }
        }
    }
}

#[tokio::test]
async fn no_day_has_two_standups_and_the_past_week_had_five() {
    for day in 12..19 {
        let world = world(Berlin, &format!("2026-01-{day} 12:00")).await;
        let calendar = world.service(calendar::NAME);
        let today: NaiveDate = format!("2026-01-{day}").parse().unwrap();
        let (from, to) = (today - Duration::days(6), today + Duration::days(15));
        let result = world.run(&calendar, "list_events", json!({"from": from.to_string(), "to": to.to_string()})).await;
        let events = result["events"].as_array().unwrap();
        let mut days: Vec<&str> = events
            .iter()
            .filter(|e| e["summary"] == "Standup")
            .map(|e| &e["start_time"].as_str().unwrap()[..10])
            .collect();
        let past = days.iter().filter(|d| **d <= today.to_string().as_str()).count();
        assert_eq!(past, 5, "{days:?}");
        let all = days.len();
        days.dedup();
        assert_eq!(days.len(), all);
    }
}

#[tokio::test]
async fn the_demo_holds_what_its_files_hold_and_reminds_of_what_lies_ahead() {
    let world = world(Berlin, "2026-01-12 12:00").await;
    let tasks = world.service(task::NAME);
    let result = world.run(&tasks, "list", json!({"status": "all"})).await;
    assert_eq!(result["tasks"].as_array().unwrap().len(), 15);
    let open = world.run(&tasks, "list", json!({})).await;
    assert_eq!(open["tasks"][0]["title"], "Send the Q3 report to Priya", "overdue first");
    assert_eq!(world.due().await.len(), 11);
    assert_eq!(world.found(&tasks, "complete", "the dentist").await, ["Call the dentist"]);
    assert_eq!(world.found(&tasks, "complete", "the late report").await, ["Send the Q3 report to Priya"]);
    let calendar = world.service(calendar::NAME);
    assert_eq!(world.found(&calendar, "update_event", "the dentist").await, ["Dentist appointment"]);
    assert_eq!(
        world.found(&calendar, "delete_event", "the call with northwind tomorrow").await,
        ["Client call with Northwind"]
    );
    let keep = world.service(notes::NAME);
    assert_eq!(world.run(&keep, "list", json!({})).await["notes"].as_array().unwrap().len(), 8);
    assert_eq!(world.found(&keep, "append", "packing list").await, ["Berlin packing list"]);
    let memory = world.service(memory::NAME);
    let result = world.run(&memory, "recall", json!({"query": "allergies"})).await;
    assert_eq!(result["memories"][0]["key"], "allergy");
}
