//! Reminders of events: said, told, moved along, put off, and gone with what they are of.

use brain_agent::core::button::Role;
use brain_agent::ports::records::{Due, DueKind};
use brain_agent::services::calendar;
use chrono::{DateTime, Utc};
use chrono_tz::{America, Europe};
use serde_json::json;

use super::world::World;

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A Monday noon in Berlin.
fn world() -> World {
    World::new(utc("2026-01-12T11:00:00Z"), Europe::Berlin)
}

async fn dentist(world: &World) {
    let dentist = json!({"summary": "Dentist", "start_time": "2026-01-13T15:00:00+01:00", "location": "Main St 1",
        "remind_before": ["15 minutes"]});
    world.acts("calendar", "create_event", dentist).await;
}

async fn rings(world: &World) -> Vec<DateTime<Utc>> {
    let is_event = |due: &Due| matches!(&due.kind, DueKind::Item { service, .. } if service == calendar::NAME);
    world.dues().await.into_iter().filter(is_event).map(|due| due.at).collect()
}

#[tokio::test]
async fn an_event_is_told_ahead_with_its_time_and_place_and_can_be_put_off_but_not_ticked() {
    let world = world();
    dentist(&world).await;
    world.live_until(utc("2026-01-13T13:50:00Z")).await;
    let told = world.told();
    let reply = &told.last().unwrap().reply;
    assert_eq!(reply.text, "⏰ Dentist — today (Tue 13 Jan) at 15:00\nMain St 1");
    assert!(reply.buttons.iter().flatten().all(|button| button.role == Role::Snooze), "{:?}", reply.buttons);
    world.heard();
    world.presses(reply, Role::Snooze).await;
    let answer = world.heard().join("\n");
    assert!(answer.contains("Snoozed until today (Tue 13 Jan) at 15:00: Dentist"), "{answer}");
    world.live_until(utc("2026-01-13T18:00:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Dentist\nMain St 1"]);
    assert!(rings(&world).await.is_empty());
}

#[tokio::test]
async fn a_series_tells_each_time_and_after_a_long_sleep_the_last_one() {
    let mut world = world();
    let standup = json!({"summary": "Standup", "start_time": "2026-01-13T10:00:00+01:00", "repeat": "FREQ=DAILY",
        "remind_before": ["10 minutes"]});
    world.acts("calendar", "create_event", standup).await;
    world.live_until(utc("2026-01-15T12:00:00Z")).await;
    let told = |day: u32, of: &str| format!("⏰ Standup — today ({of} {day} Jan) at 10:00");
    assert_eq!(world.heard(), [told(13, "Tue"), told(14, "Wed"), told(15, "Thu")]);
    world.go_to(utc("2026-01-20T12:00:00Z"));
    world.restart().await;
    assert_eq!(world.heard(), ["⏰ Standup — today (Tue 20 Jan) at 10:00, late by 3 h; 4 earlier ones were missed"]);
    assert_eq!(rings(&world).await, [utc("2026-01-21T08:50:00Z")]);
}

#[tokio::test]
async fn what_is_moved_rings_at_its_new_time_alone_and_what_is_cancelled_never() {
    let world = world();
    dentist(&world).await;
    let moved = json!({"find_by": "dentist", "changes": {"start_time": "2026-01-14T09:00:00+01:00"}});
    world.acts("calendar", "update_event", moved).await;
    assert_eq!(rings(&world).await, [utc("2026-01-14T07:45:00Z")]);
    world.live_until(utc("2026-01-13T20:00:00Z")).await;
    assert_eq!(world.heard(), Vec::<String>::new());
    world.acts("calendar", "delete_event", json!({"find_by": "dentist"})).await;
    assert!(rings(&world).await.is_empty());
    world.live_until(utc("2026-01-14T20:00:00Z")).await;
    assert_eq!(world.heard(), Vec::<String>::new());
}

#[tokio::test]
async fn a_whole_day_rings_in_the_morning_wherever_the_person_is() {
    let world = world();
    let birthday = json!({"summary": "Ana's birthday", "start_time": "2026-01-16", "remind_before": ["1 day"]});
    world.acts("calendar", "create_event", birthday).await;
    assert_eq!(rings(&world).await, [utc("2026-01-15T08:00:00Z")]);
    world.chooses(Some(America::New_York), world.user().await.settings).await;
    assert_eq!(rings(&world).await, [utc("2026-01-15T14:00:00Z")]);
    world.live_until(utc("2026-01-15T20:00:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Ana's birthday"]);
}

#[tokio::test]
async fn a_reminder_is_said_in_words_and_taken_back() {
    let world = world();
    dentist(&world).await;
    world.me().says("remind me 2 hours before the dentist").await;
    let told = world.told();
    let set = &told.last().unwrap().reply;
    assert!(
        set.text.starts_with("⏰ Reminder 2 h before and 15 min before: ") && set.text.contains("Dentist"),
        "{}",
        set.text
    );
    assert_eq!(rings(&world).await, [utc("2026-01-13T12:00:00Z")]);
    world.presses(set, Role::Undo).await;
    assert_eq!(rings(&world).await, [utc("2026-01-13T13:45:00Z")]);
}
