//! What is asked of the assistant itself in a conversation with a model: to undo, to set, to snooze, to go on, to tell.

use brain_agent::core::button::Role;
use brain_agent::core::outcome::Status;
use brain_agent::core::settings::Tone;
use brain_agent::ports::records::User;
use brain_agent::ports::{Planning, Stage, Table};
use serde_json::{Value, json};

use crate::rig::{Rig, Setup, action};

fn rig() -> Rig {
    let planning = Planning::Conversation;
    Rig::new(Setup { grounds_plans: true, planning, model: true, ..Setup::default() })
}

fn says(actions: Value) -> Value {
    json!({"actions": actions, "instead_of": null, "question": null, "open": null, "reply": null})
}

async fn user(rig: &Rig) -> User {
    rig.all::<User>().await.remove(0)
}

/// A task of this title, made by the model.
async fn makes(rig: &Rig, title: &str) {
    rig.script.converses(&["task"], vec![says(json!([action("task", "create", json!({"title": title}))]))]);
    let answer = rig.says(&format!("would you put “{title}” on my list of things to do, please")).await;
    assert_eq!(answer.succeeded(), ["task.create"], "{}", answer.text());
}

#[tokio::test]
async fn what_was_done_last_is_taken_back_in_any_words() {
    let rig = rig();
    makes(&rig, "Take the pills").await;
    rig.script.converses(&["assistant"], vec![says(json!([action("assistant", "undo", json!({}))]))]);
    let answer = rig.says("hm, scrap what you've made there").await;
    assert!(answer.text().contains("↩️ Taken back"), "{}", answer.text());
    assert_eq!(rig.open_tasks().await, [""; 0]);
    assert_eq!(rig.script.stages().last(), Some(&Stage::Converse), "its receipt is all there is to say");
}

#[tokio::test]
async fn of_several_things_the_one_that_is_named_is_taken_back_and_nothing_in_its_place() {
    let rig = rig();
    makes(&rig, "Take the pills").await;
    makes(&rig, "Buy bread").await;
    let undo = |what: &str| says(json!([action("assistant", "undo", json!({"what": what}))]));
    rig.script.converses(&["assistant"], vec![undo("dentist")]);
    let answer = rig.says("scrap the dentist thing from before").await;
    assert!(answer.text().contains("Nothing that I can take back is called “dentist”"), "{}", answer.text());
    assert!(answer.button(Role::Undo).is_some(), "what there is, is offered");
    assert_eq!(rig.open_tasks().await.len(), 2);
    rig.script.converses(&["assistant"], vec![undo("the pills")]);
    let answer = rig.says("scrap the one with the pills from before").await;
    assert!(answer.text().contains("Taken back") && answer.text().contains("pills"), "{}", answer.text());
    assert_eq!(rig.open_tasks().await, ["Buy bread"]);
}

#[tokio::test]
async fn a_setting_is_changed_by_whoever_asks_for_it_and_offered_to_whoever_only_says_something() {
    let rig = rig();
    let set = |setting: &str, value: &str| says(json!([action("assistant", "settings", json!({setting: value}))]));
    rig.script.converses(&["assistant"], vec![set("tone", "brief")]);
    let answer = rig.says("could you please answer in a brief tone from here on").await;
    assert!(answer.text().contains("My tone is brief from now on"), "{}", answer.text());
    assert_eq!(user(&rig).await.settings.tone, Tone::Brief);
    rig.script.converses(&["assistant"], vec![set("place", "Tokyo")]);
    let answer = rig.says("I have landed in Tokyo, long flight").await;
    assert_eq!(user(&rig).await.zone, None, "{}", answer.text());
    assert!(answer.button(Role::Set).is_some(), "{}", answer.text());
    let taken = rig.presses(&answer.button(Role::Set).unwrap()).await;
    assert_eq!(user(&rig).await.zone.map(|zone| zone.name()), Some("Asia/Tokyo"), "{}", taken.text());
}

#[tokio::test]
async fn nothing_of_it_is_changed_where_the_words_were_routed_elsewhere() {
    let rig = rig();
    makes(&rig, "Take the pills").await;
    rig.script.converses(&["task"], vec![says(json!([action("assistant", "undo", json!({}))]))]);
    let answer = rig.says("and how do I get through all of that today").await;
    assert_eq!(rig.open_tasks().await.len(), 1, "{}", answer.text());
}

#[tokio::test]
async fn what_waits_and_what_was_done_is_told_without_a_call_more() {
    let rig = rig();
    makes(&rig, "Take the pills").await;
    rig.script.converses(&["assistant"], vec![says(json!([action("assistant", "done", json!({}))]))]);
    let answer = rig.says("so what is it that you did there, in a word").await;
    assert!(answer.text().contains("✅ Done at"), "{}", answer.text());
    rig.script.converses(&["assistant"], vec![says(json!([action("assistant", "waiting", json!({}))]))]);
    let answer = rig.says("is there something you still need a word of mine for").await;
    assert!(answer.text().contains("Nothing is waiting for your yes or no."), "{}", answer.text());
    assert_eq!(rig.count(Table::Pending).await, 0);
}

/// What the next page of a list shows is somebody else's words for what is planned after it.
#[tokio::test]
async fn what_a_further_page_shows_is_nobodys_own_word_in_a_later_round() {
    let rig = Rig::new(Setup {
        demo: true,
        grounds_plans: true,
        planning: Planning::Conversation,
        model: true,
        ..Setup::default()
    });
    let look = says(json!([action("email", "search", json!({"text": "a"}))]));
    rig.script.converses(&["email"], vec![look, says(json!([]))]);
    let listed = rig.says("look for mails with an a in them, all there are").await;
    assert!(listed.button(Role::More).is_some(), "{}", listed.text());
    rig.script.routes(json!({"type": "action", "domains": ["email"], "is_followup": false}));
    rig.script.on(Stage::Converse, |call| match call.user.split_once("assistant.more came to: ") {
        None => says(json!([action("assistant", "more", json!({}))])),
        Some((_, page)) => {
            let row = page.lines().find(|line| line.contains(" — ")).unwrap();
            says(json!([action(
                "email",
                "create_draft",
                json!({"to": ["bob.miller@example.com"], "subject": "This", "body": row})
            )]))
        }
    });
    let answer = rig.says("go on with those, and write a draft to bob.miller@example.com with the first of them").await;
    let drafted = answer.done.outcomes.iter().find(|report| report.command == "create_draft");
    assert_eq!(drafted.unwrap().status, Status::Pending, "{}", answer.text());
}

#[tokio::test]
async fn a_model_that_plans_in_steps_is_offered_none_of_it() {
    let rig = Rig::new(Setup { planning: Planning::Steps, model: true, ..Setup::default() });
    rig.says("hm, scrap what you've made there").await;
    let calls = rig.script.taken();
    assert!(!calls.is_empty());
    assert!(calls.iter().all(|call| !call.system.contains("assistant.undo")), "{calls:?}");
}
