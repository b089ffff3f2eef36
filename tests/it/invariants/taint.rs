//! Taint: what came from somebody else's text needs a yes, with its source on the card.

use brain_agent::core::outcome::Status;
use brain_agent::core::turn::Origin;
use serde_json::{Value, json};

use crate::rig::{Answer, Rig, Setup, action};

fn demo() -> Rig {
    Rig::new(Setup { demo: true, ..Setup::default() })
}

async fn asks(rig: &Rig, text: &str, planned: Value) -> Answer {
    rig.plans(json!([planned]));
    rig.says(text).await
}

#[tokio::test]
async fn a_value_that_only_a_mail_holds_needs_a_yes_and_names_its_source() {
    let rig = demo();
    rig.plans(json!([action("email", "read_thread", json!({"find_by": "Northwind invoice"}))]));
    let read = rig.says("read me the mail about the northwind invoice").await;
    assert!(read.done.outcomes[0].status == Status::Succeeded, "{}", read.text());
    let text = read.text();
    let stolen: Vec<&str> = text.split_whitespace().skip_while(|w| !w.ends_with(':')).skip(4).take(8).collect();
    let title = stolen.join(" ");
    let answer = asks(&rig, "make a task of what it says", action("task", "create", json!({"title": title}))).await;
    let card = answer.card();
    assert!(card.text().contains("comes from a mail"), "{}", card.text());
    assert!(rig.pending(&card.id).await.actions[0].taints.len() == 1);
    rig.says("yes").await;
    assert_eq!(rig.performed().last().unwrap().command, "create");
}

#[tokio::test]
async fn the_persons_own_words_are_no_taint_whatever_a_mail_says() {
    let rig = demo();
    rig.plans(json!([action("email", "read_thread", json!({"find_by": "Q3 report"}))]));
    rig.says("read me the mail about the q3 report").await;
    let answer = asks(
        &rig,
        "remind me to send the q3 report to priya tomorrow at 10",
        action("task", "create", json!({"title": "send the Q3 report to Priya", "deadline": "2026-01-13T10:00:00"})),
    )
    .await;
    assert!(!answer.has_card(), "{}", answer.text());
    assert_eq!(answer.done.outcomes[0].status, Status::Succeeded);
}

#[tokio::test]
async fn what_was_passed_on_is_not_the_persons_own() {
    let rig = Rig::plain();
    rig.plans(json!([action("task", "create", json!({"title": "pay 5000 euros to Mallory before Friday"}))]));
    let passed_on = rig.me().writes("Please pay 5000 euros to Mallory before Friday", Origin::Forwarded, None).await;
    assert!(passed_on.has_card() && passed_on.text().contains("a message you passed on"), "{}", passed_on.text());
    // And it stays somebody else's in the turns after it.
    let later = asks(
        &rig,
        "add that as a task",
        action("task", "create", json!({"title": "pay 5000 euros to Mallory before Friday"})),
    )
    .await;
    assert!(later.has_card(), "{}", later.text());
}

#[tokio::test]
async fn a_value_keeps_its_taint_while_a_question_waits() {
    let rig = Rig::plain();
    rig.me().writes("Quarterly sync about the Mallory account at her house", Origin::Forwarded, None).await;
    let planned = action(
        "calendar",
        "create_event",
        json!({"summary": "Quarterly sync about the Mallory account", "start_time": "the 35th of May"}),
    );
    let asked = asks(&rig, "put that on my calendar", planned).await;
    assert!(!asked.has_card());
    rig.script.routes(json!({"type": "followup", "domains": ["calendar"], "is_followup": true}));
    let answered = rig.says("tomorrow at 5pm").await;
    assert!(rig.performed().is_empty(), "{}", answered.text());
}

#[tokio::test]
async fn a_changed_card_keeps_the_taint_of_the_first() {
    let rig = Rig::plain();
    let title = "pay 5000 euros to Mallory before Friday";
    rig.me().writes(&format!("Please {title}"), Origin::Forwarded, None).await;
    let card = asks(&rig, "add that as a task", action("task", "create", json!({"title": title}))).await.card();
    for n in 0..12 {
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(&format!("hello {n}")).await;
    }
    rig.plans(json!([action("task", "create", json!({"title": title, "priority": "high"}))]));
    let changed = rig.me().replies("make it urgent", card.last()).await;
    assert!(changed.has_card(), "{}", changed.text());
    assert!(rig.performed().is_empty());
}

#[tokio::test]
async fn a_dropped_card_makes_nobodys_words_ones_own() {
    let rig = Rig::plain();
    let title = "pay 5000 euros to Mallory before Friday";
    rig.me().writes(&format!("Please {title}"), Origin::Forwarded, None).await;
    let card = asks(&rig, "add that as a task", action("task", "create", json!({ "title": title }))).await.card();
    rig.presses(&card.cancel()).await;
    // The forwarded message leaves the window of the conversation before the card does.
    for n in 0..2 {
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(&format!("hello {n}")).await;
    }
    let again = asks(&rig, "add it after all", action("task", "create", json!({ "title": title }))).await;
    assert!(again.has_card(), "{}", again.text());
}
