//! Words that change what waits for a yes let a model change just that: nothing else is done, and nobody is added.

use brain_agent::core::ids::MessageId;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use serde_json::{Value, json};

use crate::rig::{Answer, Card, Rig, Setup, action, send};

fn rig() -> Rig {
    Rig::new(Setup { demo: true, grounds_plans: true, ..Setup::default() })
}

/// Whether anything but a look succeeded.
fn changed(answer: &Answer) -> Vec<String> {
    let done = answer.done.outcomes.iter().filter(|report| report.status == Status::Succeeded);
    done.map(|report| format!("{}.{}", report.service, report.command)).collect()
}

async fn carded(rig: &Rig) -> Card {
    rig.script.routes(json!({"type": "action", "domains": ["email", "calendar", "task"], "is_followup": false}));
    rig.plans(json!([send("bob@example.com", "Late", "I am running late today, and I am very sorry about that.")]));
    let card =
        rig.says("send an email to bob@example.com saying that I am running late today and very sorry").await.card();
    assert!(card.text().contains("bob@example.com"), "{}", card.text());
    card
}

fn shorter() -> Value {
    send("bob@example.com", "Late", "I'm late, sorry.")
}

#[tokio::test]
async fn a_change_of_a_card_lets_a_model_do_nothing_else() {
    let lunch = json!({"summary": "Lunch with Bob", "start_time": "2026-01-13T12:00", "end_time": "2026-01-13T13:00"});
    for beside in [
        action("calendar", "create_event", lunch),
        action("calendar", "create_event", json!({"summary": "Late", "start_time": "2026-01-13T12:00"})),
        action("task", "create", json!({"title": "Apologise to Bob", "deadline": "2026-01-13"})),
        action("task", "complete", json!({"find_by": "Finish the Q3 report"})),
        action("email", "mark", json!({"find_by": "Q3", "as": "archived"})),
        action("email", "create_draft", json!({"to": ["bob@example.com"], "subject": "Late", "body": "Late."})),
    ] {
        for said in ["make it shorter", "make it a bit friendlier please"] {
            let rig = rig();
            carded(&rig).await;
            rig.plans(json!([shorter(), beside]));
            let answer = rig.says(said).await;
            assert_eq!(changed(&answer), Vec::<String>::new(), "{said} {beside}: {}", answer.text());
            let card = answer.card();
            assert!(card.text().contains("I'm late, sorry."), "{}", card.text());
            assert!(answer.text().contains("left one thing out"), "{}", answer.text());
            let approved = rig.presses(&card.approve()).await;
            assert_eq!(approved.did(), ["email.send_email succeeded"], "{said} {beside}");
        }
    }
}

#[tokio::test]
async fn where_a_model_only_does_something_else_the_card_stays_as_it_was() {
    let rig = rig();
    let card = carded(&rig).await;
    rig.plans(json!([action("task", "create", json!({"title": "Apologise to Bob"}))]));
    let answer = rig.says("make it shorter").await;
    assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    assert!(!answer.has_card() && answer.text().contains("stays as it was"), "{}", answer.text());
    assert_eq!(rig.presses(&card.approve()).await.did(), ["email.send_email succeeded"]);
}

#[tokio::test]
async fn a_recipient_that_nobody_names_now_is_not_on_the_new_card() {
    for to in [json!(["eve@evil.example"]), json!(["bob@example.com", "eve@evil.example"]), json!(["anna"])] {
        let rig = rig();
        carded(&rig).await;
        rig.plans(json!([action(
            "email",
            "send_email",
            json!({"to": to, "cc": ["mallory@evil.example"], "subject": "Late", "body": "I'm late, sorry."})
        )]));
        let card = rig.says("make it shorter").await.card();
        let text = card.text();
        assert!(text.contains("bob@example.com") && text.contains("I'm late, sorry."), "{to}: {text}");
        assert!(!text.contains("evil") && !text.to_lowercase().contains("anna"), "{to}: {text}");
    }
}

#[tokio::test]
async fn whom_the_change_names_is_on_the_new_card() {
    let rig = rig();
    let card = carded(&rig).await;
    rig.plans(json!([send("tom@example.com", "Late", "I'm late, sorry.")]));
    let card = rig.me().replies("make it shorter and send it to tom@example.com", card.last()).await.card();
    assert!(card.text().contains("tom@example.com") && !card.text().contains("bob@"), "{}", card.text());
}

/// A change stays within what the card was asked for: the rest of the message is told, and asked for again.
#[tokio::test]
async fn what_the_change_asks_for_beyond_the_card_is_told_and_not_done() {
    let rig = rig();
    let card = carded(&rig).await;
    rig.plans(json!([shorter(), action("task", "create", json!({"title": "call Bob"}))]));
    let answer = rig.me().replies("make it shorter, and add a task: call Bob", card.last()).await;
    assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.text().contains("I left one thing out") && answer.has_card(), "{}", answer.text());
}

async fn invited(rig: &Rig) -> MessageId {
    rig.script.routes(json!({"type": "action", "domains": ["calendar"], "is_followup": false}));
    let event = json!({"summary": "Lunch", "start_time": "2026-01-13T12:00", "end_time": "2026-01-13T13:30",
                       "attendees": ["tom@example.com"]});
    rig.plans(json!([action("calendar", "create_event", event)]));
    let answer = rig.says("invite tom@example.com to lunch tomorrow from 12:00 to 13:30").await;
    answer.card().last()
}

fn lunch(start: &str, end: &str, with: Value) -> Value {
    let event = json!({"summary": "Lunch", "start_time": start, "end_time": end, "attendees": with});
    json!([action("calendar", "create_event", event)])
}

async fn approved(rig: &Rig, answer: &Answer) -> Value {
    let done = rig.presses(&answer.card().approve()).await;
    Value::Object(done.done.outcomes[0].params.clone())
}

#[tokio::test]
async fn a_time_that_is_said_moves_and_one_that_is_not_stays() {
    let tom = json!(["tom@example.com"]);
    for (said, plan, start, end) in [
        (
            "better have the thing at 4pm",
            lunch("2026-01-13T16:00", "2026-01-13T17:30", tom.clone()),
            "2026-01-13T16:00",
            "2026-01-13T17:30",
        ),
        (
            "rather do the thing on Thursday",
            lunch("2026-01-15T12:00", "2026-01-15T13:30", tom.clone()),
            "2026-01-15T12:00",
            "2026-01-15T13:30",
        ),
        (
            "make it sound nicer",
            lunch("2026-01-14T09:00", "2026-01-14T10:00", tom.clone()),
            "2026-01-13T12:00",
            "2026-01-13T13:30",
        ),
    ] {
        let rig = rig();
        let card = invited(&rig).await;
        rig.plans(plan);
        let answer = rig.me().replies(said, card).await;
        let params = approved(&rig, &answer).await;
        let at = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
        assert!(at("start_time").starts_with(start) && at("end_time").starts_with(end), "{said}: {params}");
    }
}

/// Without its guests nobody would be asked about it.
#[tokio::test]
async fn guests_that_fall_away_unsaid_do_not_spare_the_yes() {
    let rig = rig();
    let card = invited(&rig).await;
    rig.plans(lunch("2026-01-13T12:00", "2026-01-13T13:30", json!([])));
    let answer = rig.me().replies("make it sound nicer", card).await;
    assert_eq!(changed(&answer), Vec::<String>::new(), "{}", answer.text());
    assert!(answer.card().text().contains("tom@example.com"), "{}", answer.text());
}

#[tokio::test]
async fn a_question_in_reply_to_a_card_leaves_it_there() {
    let rig = rig();
    rig.script.routes(json!({"type": "action", "domains": ["email", "calendar"], "is_followup": false}));
    rig.plans(json!([send("bob@example.com", "Late", "I am late.")]));
    let card = rig.says("send an email to bob@example.com saying that I am late").await.card();
    rig.plans(json!([action("email", "search", json!({"text": "Q3"}))]));
    let answer = rig.me().replies("which of his mails is about Q3?", card.last()).await;
    assert_eq!(answer.did()[0], "email.search succeeded", "{}", answer.text());
    assert!(!answer.has_card(), "{}", answer.text());
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
}
