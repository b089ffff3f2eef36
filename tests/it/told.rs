//! What a person tells in passing: it is found when it bears on a message, and proposed to be remembered where they
//! want that.

use brain_agent::core::button::Role;
use brain_agent::core::turn::Origin;
use brain_agent::ports::Stage;
use chrono::Duration;
use serde_json::json;

use crate::rig::{Rig, Setup, action};
use crate::support::program::{Console, Program, text_of};

const TOLD: &str = "the code of the Barik locker is 730018, they told me at the desk";

async fn talks(rig: &Rig, user: &str, text: &str) {
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.as_user(user).says(text).await;
}

/// Puts it far behind.
async fn much_later(rig: &Rig, user: &str) {
    for day in 0..12 {
        rig.moves_clock(Duration::days(1)).await;
        talks(rig, user, &format!("lovely weather on the day number {day}")).await;
    }
}

/// What a planner was told when the code was needed.
async fn known_to_the_planner(rig: &Rig, user: &str) -> String {
    rig.script.taken();
    rig.plans(json!([action("task", "create", json!({"title": "the code of the Barik locker"}))]));
    rig.as_user(user).says("please put the code of the Barik locker on my list").await;
    let plans: Vec<String> = rig.script.asked(Stage::Plan).into_iter().map(|call| call.user.to_string()).collect();
    assert_eq!(plans.len(), 1);
    plans.concat()
}

#[tokio::test(start_paused = true)]
async fn what_was_told_in_passing_is_in_a_planners_sight_when_an_order_is_about_it() {
    let rig = Rig::new(Setup::default());
    talks(&rig, "alex", TOLD).await;
    much_later(&rig, "alex").await;
    let known = known_to_the_planner(&rig, "alex").await;
    assert!(known.contains("the person said: “the code of the Barik locker is 730018"), "{known}");
    assert!(!known_to_the_planner(&rig, "bob").await.contains("730018"), "only whoever said it");
}

#[tokio::test(start_paused = true)]
async fn requests_and_questions_tell_nothing_and_neither_do_others() {
    let rig = Rig::new(Setup::default());
    talks(&rig, "alex", "what is the code of the Barik locker, 730018?").await;
    let passed_on = "the code of the Barik locker is 999111, says the desk";
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.as_user("alex").writes(passed_on, Origin::Forwarded, None).await;
    rig.plans(json!([action("task", "create", json!({"title": "the code 730018 of the Barik locker"}))]));
    rig.as_user("alex").says("remind me of the code 730018 of the Barik locker").await;
    much_later(&rig, "alex").await;
    let known = known_to_the_planner(&rig, "alex").await;
    assert!(!known.contains("the person said"), "{known}");
}

#[tokio::test(start_paused = true)]
async fn what_was_told_and_forgotten_is_not_known_any_more() {
    let rig = Rig::new(Setup::default());
    talks(&rig, "alex", TOLD).await;
    let fact = json!({"category": "fact", "key": "Barik locker", "value": "730018"});
    rig.plans(json!([action("memory", "store", fact)]));
    rig.as_user("alex").says("remember that the Barik locker has 730018").await;
    much_later(&rig, "alex").await;
    assert!(known_to_the_planner(&rig, "alex").await.contains("730018"));
    let card = rig.as_user("alex").says("/forget Barik").await.card();
    rig.presses(&card.approve()).await;
    let known = known_to_the_planner(&rig, "alex").await;
    assert!(!known.contains("730018"), "{known}");
}

fn learner() -> Program {
    Program::new().env("BRAIN_LEARN", "true")
}

fn says(console: &mut Console, text: &str) -> String {
    text_of(&console.say(text))
}

#[test]
fn what_is_told_of_oneself_is_proposed_and_kept_by_a_yes_alone() {
    let program = learner();
    let mut console = program.at("2026-03-10T09:00:00Z");
    let told = says(&mut console, "my sister is called Nina");
    assert!(told.contains("Shall I remember that? “my sister is called Nina”"), "{told}");
    assert!(!says(&mut console, "/memory").contains("Nina"), "nothing without a yes");
    // The question is still there.
    let kept = says(&mut console, "yes");
    assert!(kept.contains("🧠 Remembered: sister — Nina"), "{kept}");
    // What is known is not proposed again.
    console.now("2026-06-10T09:00:00Z");
    for said in 0..12 {
        says(&mut console, &format!("lovely weather on the day number {said}"));
    }
    assert!(!says(&mut console, "my sister is called Nina").contains("Shall I remember"));
    console.finish();
}

#[test]
fn news_talk_and_others_words_are_not_proposed_and_nothing_is_where_it_is_off() {
    let program = learner();
    let mut console = program.at("2026-03-10T09:00:00Z");
    for said in [
        "what a day it was",
        "my train is late today",
        "the neighbours are loud",
        "remind me to call mom tomorrow",
        "hello",
    ] {
        let told = says(&mut console, said);
        assert!(!told.contains("Shall I remember"), "{said}: {told}");
    }
    console.finish();
    let off = Program::new();
    let mut console = off.at("2026-03-10T09:00:00Z");
    assert!(!says(&mut console, "my sister is called Nina").contains("Shall I remember"));
    console.finish();
}

#[tokio::test(start_paused = true)]
async fn a_forward_is_never_proposed_and_one_proposal_stands_at_a_time() {
    let rig = Rig::new(Setup { learns: true, ..Setup::default() });
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    let answer = rig.as_user("alex").writes("my sister is called Nina", Origin::Forwarded, None).await;
    assert!(!answer.text().contains("Shall I remember"), "{}", answer.text());
    let proposals = |text: String| text.matches("Shall I remember").count();
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    let first = rig.as_user("alex").says("my sister is called Nina").await;
    assert_eq!(proposals(first.text()), 1);
    assert!(first.button(Role::Approve).is_none(), "a proposal is no card");
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    let second = rig.as_user("alex").says("my brother is called Ben").await;
    assert_eq!(proposals(second.text()), 0, "{}", second.text());
}

#[test]
fn a_season_is_a_time_that_is_asked_for() {
    let program = Program::new();
    let mut console = program.at("2026-04-10T09:00:00Z");
    says(&mut console, "the boiler man says that the boiler needs a new pump");
    console.now("2026-09-10T09:00:00Z");
    says(&mut console, "the boiler sounds fine with the new pump, the boiler man was right");
    console.now("2026-11-10T09:00:00Z");
    let told = says(&mut console, "what did I tell you about the boiler in spring?");
    assert!(told.contains("10 Apr") && !told.contains("10 Sep"), "{told}");
    let told = says(&mut console, "what did I tell you about the boiler in autumn?");
    assert!(told.contains("10 Sep") && !told.contains("10 Apr"), "{told}");
    console.finish();
}
