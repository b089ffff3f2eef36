//! What a request depends on is looked up before anything is done, whatever a model planned.

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
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

/// Every order, with each form of a condition before it and behind it.
fn depending() -> Vec<(String, &'static str)> {
    const ORDERS: [&str; 9] = [
        "delete the task tax",
        "mark the task tax as done",
        "move the task tax to Friday",
        "rename the task tax to taxes",
        "add a task: call Bob",
        "remind me to call Bob",
        "add milk to my shopping list",
        "put lunch on my calendar tomorrow at noon",
        "cancel my dentist appointment",
    ];
    const CONDITIONS: [&str; 14] = [
        "when Anna has answered",
        "once Anna has answered",
        "as soon as Anna has answered",
        "after Anna has answered",
        "when Anna answers",
        "once the report is in",
        "as soon as the rent is paid",
        "when the parcel arrives",
        "after the parcel has come",
        "until Anna has answered",
        "if Anna has answered",
        "unless Anna has answered",
        "the moment Anna answers",
        "provided Anna agrees",
    ];
    const GERMAN_ORDERS: [&str; 3] =
        ["lösche die Aufgabe tax", "erinnere mich, Bob anzurufen", "setz Milch auf die Einkaufsliste"];
    const GERMAN_CONDITIONS: [&str; 5] = [
        "wenn Anna geantwortet hat",
        "sobald Anna geantwortet hat",
        "falls Anna antwortet",
        "nachdem Anna geantwortet hat",
        "sofern Anna zustimmt",
    ];
    let said = |order: &str, condition: &'static str| {
        [format!("{condition}, {order}"), format!("{order} {condition}")].map(|text| (text, condition))
    };
    let english = ORDERS.iter().flat_map(|order| CONDITIONS.iter().flat_map(move |condition| said(order, condition)));
    let german = GERMAN_ORDERS
        .iter()
        .flat_map(|order| GERMAN_CONDITIONS.iter().flat_map(move |condition| said(order, condition)));
    english.chain(german).collect()
}

/// It is asked about, refused, or said in what is kept.
#[tokio::test]
async fn no_condition_of_an_order_is_left_out_of_what_is_done() {
    for (said, condition) in depending() {
        let rig = Rig::new(Setup { model: false, grounds_plans: true, ..Setup::default() });
        for text in ["add a task: tax", "make a shopping list with eggs", "dentist appointment on Friday at 3pm"] {
            rig.says(text).await;
        }
        let told = rig.says(&said).await;
        let open = told.done.outcomes.iter().filter(|report| !matches!(report.status, Status::Failed));
        for report in open {
            let params = serde_json::to_string(&report.params).unwrap().to_lowercase();
            let kept = matches!(report.command.as_str(), "create") && params.contains(&condition.to_lowercase());
            assert!(kept || report.command == "watch", "{said}: {params}: {}", told.text());
        }
    }
}

/// The same of what a model planned as if there were none.
#[tokio::test]
async fn a_model_that_leaves_out_a_condition_of_time_is_asked_back() {
    for said in [
        "when Anna has answered, delete the task tax",
        "delete the task tax once the report is in",
        "as soon as the rent is paid, mark the task tax as done",
        "lösche die Aufgabe tax, sobald Anna geantwortet hat",
    ] {
        for command in ["delete", "complete"] {
            let rig = Rig::plain();
            rig.plans(json!([action("task", "create", json!({"title": "Tax"}))]));
            rig.says("add a task: tax").await;
            rig.plans(json!([action("task", command, json!({"find_by": "tax"}))]));
            let told = rig.says(said).await;
            let is_done = told.done.outcomes.iter().any(|report| report.command == command);
            assert!(!is_done && told.path() == Path::Clarify, "{said}: {}", told.text());
        }
    }
}

/// What says when it is to be is no condition, and what is asked for before something happens can be done at once.
#[tokio::test]
async fn a_time_is_no_condition() {
    for said in [
        "remind me to call Bob after lunch tomorrow",
        "remind me once a week to water the plants",
        "add a task: buy milk before I forget",
        "remind me to call Bob as soon as possible tomorrow at 5pm",
        "add milk to my shopping list as soon as possible",
        "now that Anna has answered, add milk to my shopping list",
    ] {
        let rig = Rig::new(Setup { model: false, grounds_plans: true, ..Setup::default() });
        rig.says("make a shopping list with eggs").await;
        let told = rig.says(said).await;
        let is_done = told.done.outcomes.iter().any(|report| matches!(report.status, Status::Succeeded));
        assert!(
            is_done || told.text().contains("When") || told.text().contains("what time"),
            "{said}: {}",
            told.text()
        );
    }
}
