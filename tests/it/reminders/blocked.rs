//! A person blocks the bot, and lets it in again: nothing is lost, and nothing is tried in vain.

use brain_agent::core::turn::{Input, Origin};
use chrono::{DateTime, Utc};
use chrono_tz::Europe;
use serde_json::json;

use super::world::{World, my_chat};
use crate::rig::Fate;

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

async fn blocked_for_a_week() -> World {
    let world = World::new(utc("2026-01-12T11:00:00Z"), Europe::Berlin);
    for (title, day) in [("Call mom", 13), ("Taxes", 14), ("Dentist", 15)] {
        let deadline = format!("2026-01-{day}T10:00:00+01:00");
        world.does("create", json!({"title": title, "deadline": deadline})).await;
    }
    let pills = json!({"title": "Pills", "repeat": "FREQ=DAILY", "deadline": "2026-01-12T18:00:00+01:00"});
    world.does("create", pills).await;
    world.fate(Fate::Blocked);
    world.live_until(utc("2026-01-19T11:00:00Z")).await;
    world
}

fn told_of_the_week(heard: &[String]) {
    let lines: Vec<&str> = heard[0].lines().collect();
    assert_eq!(
        lines,
        [
            "While I was away, these fell due:",
            "1. ⏰ Call mom, due Tue 13 Jan 10:00, late by 6 days",
            "2. ⏰ Taxes, due Wed 14 Jan 10:00, late by 5 days",
            "3. ⏰ Dentist, due Thu 15 Jan 10:00, late by 4 days",
            "4. ⏰ Pills, due Sun 18 Jan 18:00, late by 18 h; 6 earlier ones were missed",
        ]
    );
}

#[tokio::test]
async fn what_fell_due_while_the_bot_was_blocked_is_told_when_it_is_let_in_again() {
    let mut world = blocked_for_a_week().await;
    assert_eq!(world.channel.tries(), 1, "one try tells that it is blocked");
    // A restart knows it, too.
    world.restart().await;
    assert_eq!(world.channel.tries(), 1);
    world.fate(Fate::Arrives);
    world.brain.unblocked(&my_chat()).await.unwrap();
    let heard = world.heard();
    assert_eq!(heard.len(), 1, "{heard:#?}");
    told_of_the_week(&heard);
    world.brain.unblocked(&my_chat()).await.unwrap();
    assert!(world.heard().is_empty());
}

#[tokio::test]
async fn whoever_writes_again_hears_what_was_held_for_them() {
    let world = blocked_for_a_week().await;
    world.fate(Fate::Arrives);
    let text = "/help".to_owned();
    world.sends(Input::Message { text, origin: Origin::Typed, reply_to: None }).await;
    let heard = world.heard();
    assert_eq!(heard.len(), 2, "{heard:#?}");
    told_of_the_week(&heard);
}
