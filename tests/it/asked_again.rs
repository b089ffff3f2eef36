//! Questions asked again, and how an answer came about: what is kept saves calls and never shows what is no longer so;
//! every node of a turn is told, afterwards and while it takes long.

use std::time::Duration;

use brain_agent::core::outcome::Status;
use brain_agent::ports::{Planning, Stage};
use serde_json::json;
use tokio::time::Instant;

use crate::rig::{Answer, Person, Rig, Setup};

const QUESTION: &str = "which of my errands are still open?";

fn rig() -> Rig {
    let rig =
        Rig::new(Setup { grounds_plans: true, planning: Planning::Auto, keeps_answers: true, ..Setup::default() });
    rig.script.selects("question", json!(["task.list"]));
    rig.script.fills(json!({"status": "open"}));
    rig.script.says("Just the one errand.");
    rig
}

async fn adds(person: &Person<'_>, rig: &Rig, title: &str) -> Answer {
    rig.script.selects("order", json!(["task.create"]));
    rig.script.fills(json!({"title": title}));
    let added = person.says(&format!("add a task: {title}")).await;
    rig.script.selects("question", json!(["task.list"]));
    rig.script.fills(json!({"status": "open"}));
    added
}

/// The answer, and what was asked of the model for it.
async fn asks(person: &Person<'_>, rig: &Rig, text: &str) -> (String, Vec<Stage>) {
    rig.script.taken();
    let answer = person.says(text).await;
    assert!(answer.done.outcomes.iter().all(|report| report.status == Status::Succeeded), "{}", answer.text());
    (answer.text(), rig.script.taken().into_iter().map(|call| call.stage).collect())
}

#[tokio::test]
async fn what_is_asked_again_is_looked_up_anew_and_costs_no_call_while_nothing_changed() {
    let rig = rig();
    let person = rig.me();
    adds(&person, &rig, "Buy stamps").await;
    let (first, calls) = asks(&person, &rig, QUESTION).await;
    assert!(first.contains("Buy stamps") && calls.contains(&Stage::Select) && calls.len() >= 2, "{first} {calls:?}");
    let (again, calls) = asks(&person, &rig, "Which of my errands  are still open").await;
    assert_eq!((again.as_str(), calls.as_slice()), (first.as_str(), &[][..]));
    // What changed is seen, and worded anew; only the choice is kept.
    adds(&person, &rig, "Return the drill").await;
    rig.script.says("Two of them by now.");
    let (changed, calls) = asks(&person, &rig, QUESTION).await;
    assert!(changed.contains("Return the drill") && changed.contains("Two of them"), "{changed}");
    assert_eq!(calls, [Stage::Respond]);
    let status = rig.as_user("root").says("/status").await.text();
    assert!(status.contains("♻️ Questions asked again in those turns: 2"), "{status}");
}

#[tokio::test]
async fn it_is_kept_for_nobody_else_and_for_no_other_day() {
    let rig = rig();
    asks(&rig.me(), &rig, QUESTION).await;
    let (_, others) = asks(&rig.as_user("sam"), &rig, QUESTION).await;
    assert!(others.contains(&Stage::Select), "{others:?}");
    rig.moves_clock(chrono::Duration::hours(24)).await;
    let (_, next_day) = asks(&rig.me(), &rig, QUESTION).await;
    assert!(next_day.contains(&Stage::Select), "{next_day:?}");
}

#[tokio::test]
async fn what_acts_and_what_leans_on_the_conversation_is_never_kept() {
    let rig = rig();
    let person = rig.me();
    rig.script.taken();
    for _ in 0..2 {
        let added = adds(&person, &rig, "Water the plants").await;
        assert_eq!(added.done.outcomes.len(), 1, "{}", added.text());
    }
    let selected = rig.script.taken().iter().filter(|call| call.stage == Stage::Select).count();
    assert_eq!(selected, 2);
    for text in ["and that one, is it still open?", "and on friday?"] {
        for _ in 0..2 {
            let (_, calls) = asks(&person, &rig, text).await;
            assert!(calls.contains(&Stage::Select), "{text} {calls:?}");
        }
    }
}

#[tokio::test]
async fn what_was_forgotten_is_not_in_what_is_kept() {
    let rig = rig();
    let person = rig.me();
    adds(&person, &rig, "Buy stamps").await;
    asks(&person, &rig, QUESTION).await;
    rig.brain.evidence.forget(&brain_agent::core::ids::UserId::new(crate::rig::ME));
    let (_, calls) = asks(&person, &rig, QUESTION).await;
    assert!(calls.contains(&Stage::Select), "{calls:?}");
}

#[tokio::test]
async fn the_trace_shows_every_node_of_any_turn_and_no_word_of_anybody() {
    let rig = rig();
    let person = rig.me();
    adds(&person, &rig, "Buy stamps").await;
    rig.moves_clock(chrono::Duration::minutes(1)).await;
    let answer = person.says(QUESTION).await;
    let last = person.says("/trace").await.text();
    for part in ["guard", "select", "action: task", "build_params", "task.list", "gate: 1 run, 0 wait", "execute", "ms"]
    {
        assert!(last.contains(part), "{part}: {last}");
    }
    assert!(!last.contains("stamps") && !last.contains("errands"), "{last}");
    assert_eq!(person.says("/trace").await.text(), last, "to look at it is no answer to explain");
    let before = person.says("/trace 2").await.text();
    assert!(before.contains("task.create") && !before.contains("task.list"), "{before}");
    rig.moves_clock(chrono::Duration::minutes(1)).await;
    adds(&person, &rig, "Return the drill").await;
    let replied = person.replies("/trace", answer.shown.last().unwrap().id).await.text();
    assert!(replied.contains("task.list"), "{replied}");
    assert!(person.says("/trace 99").await.text().contains("no longer know"));
    assert!(person.says("/trace why").await.text().contains("/trace 3"));
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_tells_which_of_its_nodes_are_over() {
    let rig = rig();
    rig.script.takes(Stage::Select, Duration::from_secs(9));
    rig.script.takes(Stage::BuildParams, Duration::from_secs(7));
    let began = Instant::now();
    rig.says(QUESTION).await;
    let told = rig.channel.statuses(began);
    let at = |part: &str| told.iter().find(|(_, text)| text.contains(part)).map(|(at, _)| at.as_secs());
    assert!(at("✓ understood 9 s").is_some_and(|at| (9..=11).contains(&at)), "{told:#?}");
}
