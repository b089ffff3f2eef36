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
    assert!(again.contains("can't be undone"), "{again}");
}

#[tokio::test]
async fn undo_restores_the_prior_state_of_a_change() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    rig.plans(json!([action("task", "update", json!({"find_by": "Buy milk", "changes": {"title": "Buy oat milk"}}))]));
    let undo = rig.says("change it").await.button(Role::Undo).unwrap();
    rig.presses(&undo).await;
    rig.plans(json!([action("task", "list", json!({}))]));
    let list = rig.says("show my tasks").await.text();
    assert!(list.contains("Buy milk") && !list.contains("oat"), "{list}");
}

#[tokio::test]
async fn undo_is_for_its_owner_and_for_ten_minutes() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    rig.as_user("eve").presses(&undo.data).await;
    assert_eq!(rig.count(Table::Tasks).await, 1);
    rig.clock.go_on(Duration::seconds(601));
    let late = rig.presses(&undo).await.text();
    assert!(late.contains("Too late"), "{late}");
    assert_eq!(rig.count(Table::Tasks).await, 1);
}

#[tokio::test]
async fn undo_leaves_alone_what_was_changed_since() {
    let rig = Rig::plain();
    let undo = with_task(&rig).await;
    rig.plans(json!([action("task", "complete", json!({"find_by": "Milk"}))]));
    rig.says("milk is done").await;
    let told = rig.presses(&undo).await.text();
    assert!(told.contains("changed since"), "{told}");
    assert_eq!(rig.count(Table::Tasks).await, 1);
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
