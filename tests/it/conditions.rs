//! What a request depends on is looked up before anything is done, whatever a model planned.

use brain_agent::core::button::Role;
use brain_agent::core::turn::Path;
use brain_agent::ports::Table;
use brain_agent::services::notes::Note;
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action};

fn milk() -> Value {
    action("task", "create", json!({"title": "Buy milk", "deadline": "2026-01-13T17:00:00"}))
}

fn lunch() -> Value {
    action("calendar", "create_event", json!({"summary": "Lunch", "start_time": "2026-01-13T12:00:00"}))
}

#[tokio::test]
async fn what_a_model_does_as_if_its_condition_held_is_not_done() {
    for said in [
        "remind me to buy milk tomorrow at 5pm if it rains",
        "if Anna says yes, remind me to buy milk tomorrow at 5pm",
        "remind me to buy milk tomorrow at 5pm unless Tom has bought some",
    ] {
        let rig = Rig::plain();
        rig.plans(json!([milk()]));
        let asked = rig.says(said).await;
        assert_eq!(rig.count(Table::Tasks).await, 0, "{said}: {}", asked.text());
        assert!(asked.button(Role::Offer).is_some(), "{said}: {}", asked.text());
    }
}

#[tokio::test]
async fn whether_somebody_is_free_is_looked_up_first() {
    let rig = Rig::plain();
    rig.plans(json!([lunch()]));
    let told = rig.says("put lunch on my calendar tomorrow at noon if I'm free then").await;
    assert_eq!(told.did().last().unwrap(), "calendar.create_event succeeded", "{}", told.text());
    assert_eq!(rig.count(Table::Events).await, 1);

    rig.plans(json!([action(
        "calendar",
        "create_event",
        json!({"summary": "Gym", "start_time": "2026-01-13T12:30:00"})
    )]));
    let told = rig.says("put gym on my calendar tomorrow at 12:30 if I'm free then").await.text();
    assert!(told.contains("Lunch"), "{told}");
    assert_eq!(rig.count(Table::Events).await, 1);
}

#[tokio::test]
async fn what_is_on_the_list_is_not_added_again() {
    let rig = Rig::plain();
    rig.plans(json!([action("keep", "create", json!({"title": "Shopping list", "items": ["eggs"]}))]));
    rig.says("here is what I want").await;
    for thing in ["eggs", "butter"] {
        rig.plans(json!([action("keep", "append", json!({"find_by": "shopping list", "text": thing}))]));
        let told = rig.says(&format!("add {thing} to the shopping list if it isn't on the list yet")).await.text();
        assert!(told.contains(thing), "{told}");
        let notes: Vec<Note> = rig.all().await;
        let times = notes[0].items.iter().filter(|item| item.contains(thing)).count();
        assert_eq!((notes.len(), times), (1, 1), "{told}");
    }
}

#[tokio::test]
async fn a_plan_of_one_branch_is_not_carried_out_before_it_is_asked_which() {
    for said in [
        "if I'm free tomorrow at noon, put lunch on my calendar, otherwise remind me to cook",
        "put lunch on my calendar tomorrow at noon if I'm free then, or else remind me to cook",
        "put lunch on my calendar tomorrow at noon if I'm free then and it doesn't rain",
        "put lunch on my calendar tomorrow at noon, but only if Anna is there",
        "put lunch on my calendar tomorrow at noon if I'm free then, and if Anna is there",
        "put lunch on my calendar tomorrow at noon if I'm free on Friday",
        "put lunch on my calendar tomorrow at noon when I hear from Anna",
    ] {
        for plan in [json!([lunch()]), json!([milk()]), json!([lunch(), milk()])] {
            let rig = Rig::plain();
            rig.plans(plan.clone());
            let asked = rig.says(said).await;
            let changed = rig.count(Table::Events).await + rig.count(Table::Tasks).await;
            assert_eq!((changed, asked.path()), (0, Path::Clarify), "{said}: {plan}: {}", asked.text());
        }
    }
}

#[tokio::test]
async fn without_a_model_no_branch_is_carried_out_before_it_is_asked_which() {
    for said in [
        "if I'm free tomorrow at noon, remind me to buy milk, otherwise remind me to cook",
        "remind me tomorrow at noon to buy milk if I'm free then, or else remind me to cook",
        "if it rains, remind me to buy milk tomorrow at noon, otherwise remind me to cook tomorrow at noon",
        "remind me tomorrow at noon to buy milk if it rains and I'm free then",
        "if Anna calls, remind me to buy milk tomorrow; if Tom calls, remind me to cook tomorrow",
    ] {
        let rig = Rig::new(Setup { model: false, ..Setup::default() });
        let told = rig.says(said).await.text();
        assert_eq!(rig.count(Table::Events).await + rig.count(Table::Tasks).await, 0, "{said}: {told}");
        assert!(told.contains('?'), "{said}: {told}");
    }
}

#[tokio::test]
async fn a_condition_still_counts_when_something_else_was_asked_first() {
    let rig = Rig::plain();
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    rig.script.plans(json!({"actions": [], "question": "When shall I remind you?", "open": null}));
    rig.says("remind me to buy milk if it rains").await;
    rig.script.routes(json!({"type": "action", "domains": [], "is_followup": true}));
    rig.script.plans(json!({"actions": [milk()], "question": null, "open": null}));
    let asked = rig.says("tomorrow at 5pm").await;
    assert_eq!(rig.count(Table::Tasks).await, 0, "{}", asked.text());
    assert!(asked.button(Role::Offer).is_some(), "{}", asked.text());
}
