//! Undo: once, for its owner, for ten minutes, and only if nothing has changed since.

use brain_agent::core::button::Role;
use brain_agent::ports::Table;
use chrono::Duration;
use serde_json::json;

use crate::rig::{Rig, Setup, action};

async fn with_task(rig: &Rig) -> brain_agent::core::button::Button {
    rig.plans(json!([action("task", "create", json!({"title": "Milk", "deadline": "2026-01-12T18:00:00Z"}))]));
    rig.says("remind me of milk at six").await.button(Role::Undo).unwrap()
}

#[tokio::test]
async fn undo_works_once_and_takes_the_reminder_along() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    assert_eq!((rig.count(Table::Tasks).await, rig.count(Table::Due).await), (1, 1));
    rig.presses(&undo).await;
    assert_eq!((rig.count(Table::Tasks).await, rig.count(Table::Due).await), (0, 0));
    let again = rig.presses(&undo).await.text();
    assert_eq!(again, "That was already taken back at 09:00: add “Milk”.");
}

#[tokio::test]
async fn undo_restores_the_prior_state_of_a_change() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    rig.plans(json!([action("task", "update", json!({"find_by": "Buy milk", "changes": {"title": "Buy oat milk"}}))]));
    let undo = rig.says("change it").await.button(Role::Undo).unwrap();
    rig.presses(&undo).await;
    rig.plans(json!([action("task", "list", json!({}))]));
    let first = rig.says("show my tasks").await;
    let rest = rig.presses(&first.button(Role::More).unwrap()).await;
    let list = first.text() + &rest.text();
    assert!(list.contains("Buy milk") && !list.contains("oat"), "{list}");
}

#[tokio::test]
async fn undo_is_for_its_owner_and_for_ten_minutes() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    assert!(rig.as_user("eve").presses(&undo.data).await.alerts());
    assert_eq!(rig.count(Table::Tasks).await, 1);
    rig.clock.go_on(Duration::seconds(601));
    assert!(rig.presses(&undo).await.alerts());
    assert_eq!(rig.count(Table::Tasks).await, 1);
}

#[tokio::test]
async fn undo_leaves_alone_what_was_changed_since() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    rig.plans(json!([action("task", "complete", json!({"find_by": "Milk"}))]));
    rig.says("milk is done").await;
    assert!(rig.presses(&undo).await.alerts());
    assert_eq!(rig.count(Table::Tasks).await, 1);
}

#[tokio::test]
async fn used_and_late_undos_are_forgotten_after_a_day() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    rig.clock.go_on(Duration::days(2));
    rig.plans(json!([action("task", "create", json!({"title": "Bread"}))]));
    rig.says("add bread").await;
    brain_agent::upkeep::once(&rig.brain).await.unwrap();
    assert_eq!(rig.count(Table::Undo).await, 1);
    let told = rig.presses(&undo).await.text();
    assert_eq!(told, "That was too long ago to undo: it works for 10 minutes.");
}

#[tokio::test]
async fn the_undo_command_is_for_the_person_and_the_chat_it_is_written_in() {
    let rig = Rig::plain();
    with_task(&rig).await;
    rig.as_user("eve").says("/undo").await;
    assert_eq!(rig.count(Table::Tasks).await, 1);
    rig.clock.go_on(Duration::seconds(601));
    rig.says("/undo").await;
    assert_eq!(rig.count(Table::Tasks).await, 1);
}

#[tokio::test]
async fn the_undo_command_takes_back_the_later_of_what_was_done_in_the_same_instant() {
    let rig = Rig::plain();
    for title in ["One", "Two", "Three", "Four", "Five"] {
        rig.plans(json!([action("task", "create", json!({"title": title}))]));
        rig.says("add it").await;
    }
    for title in ["Five", "Four", "Three", "Two", "One"] {
        let text = rig.says("/undo").await.text();
        assert!(text.contains(&format!("“{title}”")), "{title}: {text}");
    }
}

#[tokio::test]
async fn no_plan_can_ask_for_an_undo() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    for command in ["undo", "u", undo.data.as_str()] {
        rig.plans(json!([action("task", command, json!({"find_by": undo.data}))]));
        rig.says("please do").await;
    }
    assert_eq!(rig.count(Table::Tasks).await, 1);
}
