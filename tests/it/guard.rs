//! The policy of whoever runs this: what it clearly rules out is refused beside the router, before anything is planned.

use std::sync::Arc;
use std::time::Duration;

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::core::turn::Path;
use brain_agent::ports::Stage;
use serde_json::{Value, json};

use crate::looks::Elsewhere;
use crate::rig::{Rig, Setup, action, send};

const POLICY: &str = "Only work of the office. No homework.";

fn rig(verdict: Value) -> Rig {
    let rig = Rig::new(Setup { topics: Some(POLICY.to_owned()), ..Setup::default() });
    rig.script.on(Stage::Guard, move |_| verdict.clone());
    rig.plans(json!([action("task", "create", json!({"title": "Write the essay on Rome"}))]));
    rig
}

#[tokio::test]
async fn what_the_policy_rules_out_is_refused_before_anything_is_planned() {
    let rig = rig(json!({"verdict": "blocked"}));
    let told = rig.says("put writing my essay on Rome on the list").await;
    assert_eq!((told.done.path, told.done.outcomes.len()), (Path::Blocked, 0));
    assert!(told.text().contains(POLICY) && told.text().contains("nothing was done"), "{}", told.text());
    let guard = rig.script.asked(Stage::Guard);
    assert_eq!((guard.len(), rig.script.asked(Stage::Plan).len()), (1, 0));
    let tokens = (guard[0].system.len() + guard[0].user.len()) / 4;
    assert!(guard[0].system.contains(POLICY) && tokens <= 200, "{tokens}");
    let status = rig.as_user("root").says("/status").await.text();
    assert!(status.contains("🚧 Outside the policy in those turns: 1"), "{status}");
}

#[tokio::test]
async fn what_is_unclear_passes_and_so_does_everything_while_the_model_is_silent() {
    for (verdict, fell_back) in [("ambiguous", false), ("allowed", false), ("perhaps", true), ("", true)] {
        let answer = if verdict.is_empty() { Value::Null } else { json!({ "verdict": verdict }) };
        let told = rig(answer).says("put writing my essay on Rome on the list").await;
        assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{verdict}: {}", told.text());
        assert_eq!(told.done.fallbacks.iter().any(|stage| stage == "guard"), fell_back, "{verdict}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_beside_the_router_and_costs_no_time_of_its_own() {
    let rig = rig(json!({"verdict": "allowed"}));
    for stage in [Stage::Guard, Stage::Route] {
        rig.script.takes(stage, Duration::from_secs(5));
    }
    let began = tokio::time::Instant::now();
    rig.says("put writing my essay on Rome on the list").await;
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
}

#[tokio::test]
async fn small_talk_that_was_already_being_written_is_not_shown_and_a_yes_is_nobodys_topic() {
    let rig = rig(json!({"verdict": "blocked"}));
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.script.on(Stage::Chat, |_| json!("Good morning to you!"));
    let told = rig.says("good morning").await;
    assert_eq!(told.done.path, Path::Blocked, "{}", told.text());
    assert!(!told.text().contains("Good morning"), "{}", told.text());
    let rig = Rig::new(Setup { topics: Some(POLICY.to_owned()), ..Setup::default() });
    rig.script.on(Stage::Guard, |_| json!({"verdict": "allowed"}));
    rig.plans(json!([action("task", "create", json!({"title": "Pay the rent"}))]));
    rig.says("add a task: pay the rent").await;
    rig.plans(json!([action("task", "delete", json!({"find_by": "pay the rent"}))]));
    let card = rig.says("delete the task pay the rent").await.card();
    rig.script.on(Stage::Guard, |_| json!({"verdict": "blocked"}));
    let told = rig.presses(&card.button(Role::Approve)).await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());
    assert_eq!(rig.says("/today").await.done.path, Path::Command);
}

#[tokio::test]
async fn without_a_policy_nobody_is_asked() {
    let rig = Rig::new(Setup::default());
    rig.plans(json!([action("task", "create", json!({"title": "Write the essay on Rome"}))]));
    rig.says("put writing my essay on Rome on the list").await;
    assert!(rig.script.asked(Stage::Guard).is_empty());
}

#[tokio::test]
async fn nothing_that_acts_by_words_stands_before_it() {
    let blocks = |rig: &Rig, verdict: &'static str| rig.script.on(Stage::Guard, move |_| json!({ "verdict": verdict }));
    for said in [
        "use brakes: look_up query=the essay on Rome",
        "my time zone is Lisbon",
        "always cc Tom",
        "I have bought the milk",
        "snooze until tomorrow",
    ] {
        let rig = Rig::new(Setup { topics: Some(POLICY.to_owned()), demo: true, ..Setup::default() });
        let elsewhere = Arc::new(Elsewhere::default());
        elsewhere.moves_into(&rig, &["Brakes"]);
        blocks(&rig, "blocked");
        rig.plans(json!([]));
        let told = rig.says(said).await;
        assert_eq!(told.path(), Path::Blocked, "{said}: {}", told.text());
        assert_eq!((told.done.outcomes.len(), elsewhere.told().len()), (0, 0), "{said}: {}", told.text());
        assert_eq!(rig.script.asked(Stage::Guard).len(), 1, "{said}: it is asked once");
        blocks(&rig, "allowed");
        assert_ne!(rig.says(said).await.path(), Path::Blocked, "{said}");
    }
}

#[tokio::test]
async fn an_answer_and_a_change_of_a_card_are_held_against_the_policy_and_what_was_open_stays_open() {
    let rig = Rig::new(Setup { topics: Some(POLICY.to_owned()), ..Setup::default() });
    rig.script.on(Stage::Guard, |_| json!({"verdict": "allowed"}));
    rig.plans(json!([send("zoe@example.com", "Late", "I am late.")]));
    let card = rig.says("send zoe@example.com a mail that I am late").await.card();
    rig.script.on(Stage::Guard, |_| json!({"verdict": "blocked"}));
    let plans = rig.script.asked(Stage::Plan).len();
    let told = rig.says("yes, but write the essay on Rome instead").await;
    assert_eq!((told.path(), rig.script.asked(Stage::Plan).len()), (Path::Blocked, plans), "{}", told.text());
    assert_eq!(rig.pending(&card.id).await.state, State::Pending, "the card waits as it was");
    let told = rig.presses(&card.button(Role::Approve)).await;
    assert_eq!(told.done.outcomes[0].status, Status::Succeeded, "{}", told.text());

    rig.script.on(Stage::Guard, |_| json!({"verdict": "allowed"}));
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    rig.script.plans(json!({"actions": [], "question": "What shall the task be called?", "open": null}));
    rig.says("add a task").await;
    rig.script.on(Stage::Guard, |_| json!({"verdict": "blocked"}));
    let plans = rig.script.asked(Stage::Plan).len();
    let told = rig.says("write the essay on Rome").await;
    assert_eq!((told.path(), rig.script.asked(Stage::Plan).len()), (Path::Blocked, plans), "{}", told.text());
}
