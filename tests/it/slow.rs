//! Models on machines without a GPU: a minute for a plan. Something true is on the screen after two seconds, nothing is
//! lost meanwhile, and what needs no model waits for none. In virtual time; the endpoint's side is in `llm`'s tests.

use std::time::Duration;

use brain_agent::core::outcome::Status;
use brain_agent::limits::{PLAN_PROMPT_TOKENS_MAX, TYPING_EVERY_MS};
use brain_agent::ports::Stage;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::rig::{Answer, Rig, Setup, action};

const SECOND: Duration = Duration::from_secs(1);
/// Nobody is sure of that without a model.
const HARD: &str = "could you maybe see to it that the thing with the plumber is somewhere on my list";
const REMIND: &str = "remind me to call mom tomorrow at 5pm";

/// A model that takes 40 s for a plan, and 20 s for words.
fn slow(rig: &Rig) {
    rig.plans(json!([action("task", "create", json!({"title": "The thing with the plumber"}))]));
    rig.script.says("It is on your list.");
    rig.script.takes(Stage::Route, 4 * SECOND);
    rig.script.takes(Stage::Plan, 40 * SECOND);
    rig.script.takes(Stage::Respond, 20 * SECOND);
}

fn statuses(answer: &Answer) -> Vec<Status> {
    answer.done.outcomes.iter().map(|outcome| outcome.status).collect()
}

#[tokio::test(start_paused = true)]
async fn after_two_seconds_there_is_something_true_and_nothing_is_lost() {
    let rig = Rig::plain();
    slow(&rig);
    let began = Instant::now();
    let answer = rig.says(HARD).await;
    assert_eq!(statuses(&answer), [Status::Succeeded], "{}", answer.text());
    assert!(answer.text().contains("The thing with the plumber"), "{}", answer.text());
    let told = rig.channel.statuses(began);
    let (first, text) = &told[0];
    assert!(*first <= 2 * SECOND + SECOND / 10 && text == "Thinking…", "{told:#?}");
    let at = |part: &str| told.iter().find(|(_, text)| text.contains(part)).map(|(at, _)| at.as_secs());
    assert_eq!(at("your tasks"), Some(4), "{told:#?}");
    assert_eq!(at("10 s so far"), Some(14), "slow is said to be slow: {told:#?}");
    assert_eq!(at("30 s so far"), Some(34), "{told:#?}");
    // What was done is told before the words about it.
    let receipt = at("The thing with the plumber");
    assert!(receipt.is_some_and(|at| (44..=46).contains(&at)), "{told:#?}");
    let steps: Vec<&String> = told.iter().map(|(_, text)| text).collect();
    assert!(steps.windows(2).all(|two| two[0] != two[1]) && steps.len() < 12, "{told:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_gives_up_after_a_minute_leaves_the_rest_to_built_in_understanding() {
    let rig = Rig::plain();
    slow(&rig);
    rig.script.on(Stage::Plan, |_| Value::Null);
    rig.script.takes(Stage::Plan, 60 * SECOND);
    let answer = rig.says(REMIND).await;
    assert_eq!(statuses(&answer), [Status::Succeeded], "{}", answer.text());
    assert!(
        answer.text().contains("built-in understanding") && answer.text().contains("Call mom"),
        "{}",
        answer.text()
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_sure_waits_for_no_model_that_is_known_to_be_slow() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    slow(&rig);
    rig.script.is_known_to_be_slow(true);
    for (text, part) in
        [(REMIND, "Call mom"), ("what is in my calendar tomorrow?", "Standup"), ("hello", ""), ("thanks!", "")]
    {
        let began = Instant::now();
        let answer = rig.says(text).await;
        assert!(began.elapsed() < SECOND, "{text}: {:?}", began.elapsed());
        assert!(!answer.text().is_empty() && answer.text().contains(part), "{text}: {}", answer.text());
        assert_eq!((answer.done.llm_calls, answer.done.fallbacks.len()), (0, 0), "{text}");
    }
    // What is not sure is asked, however long it takes.
    let answer = rig.says(HARD).await;
    assert_eq!(rig.script.asked(Stage::Plan).len(), 1);
    assert_eq!(statuses(&answer), [Status::Succeeded], "{}", answer.text());
}

const OVER_THINGS: &str = "hm, so what would there be in my correspondence on that Berlin thing, roughly?";

fn investigates(rig: &Rig, time: Duration) {
    rig.script.selects("question", json!(["investigate"]));
    rig.script.routes(json!({"type": "investigate", "domains": ["email"], "is_followup": false}));
    let graph = json!({
        "classification": {"type": "investigative", "complexity": "simple", "domains": ["email"], "why": "asked"},
        "nodes": [{"id": "mail", "description": "mail about Berlin", "strategy": "keyword_search",
                   "params": {"words": ["Berlin"], "over": ["thread"]}}],
        "synthesis": {"goal": "say what was found", "order": "newest first", "format": "short"},
    });
    rig.script.on(Stage::Decompose, move |_| graph.clone());
    let none = json!({"kind": "none", "who": null, "topic": null, "when": null, "only": "all"});
    rig.script.on(Stage::Template, move |_| none.clone());
    rig.script.on(Stage::Synthesize, |_| json!("It is all about the trip [1]."));
    rig.script.takes(Stage::Decompose, time);
}

#[tokio::test(start_paused = true)]
async fn a_graph_that_comes_too_late_leaves_the_question_to_code() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    investigates(&rig, 90 * SECOND);
    let began = Instant::now();
    let answer = rig.says(OVER_THINGS).await;
    assert!(answer.text().contains("Berlin") && !answer.text().contains("Stopped"), "{}", answer.text());
    assert!(began.elapsed() < 100 * SECOND, "{:?}", began.elapsed());
    assert_eq!(answer.done.fallbacks, ["decompose"]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_known_to_be_slow_has_minutes() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    investigates(&rig, 90 * SECOND);
    rig.script.is_known_to_be_slow(true);
    let answer = rig.says(OVER_THINGS).await;
    assert!(answer.text().contains("It is all about the trip"), "{}", answer.text());
    assert!(answer.done.fallbacks.is_empty(), "{:?}", answer.done.fallbacks);
}

/// In real time: mail is read beside the runtime, which virtual time does not wait for.
#[tokio::test]
async fn what_code_found_is_shown_while_a_slow_model_works() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    investigates(&rig, 6 * SECOND);
    rig.script.is_known_to_be_slow(true);
    let began = Instant::now();
    let answer = rig.says(OVER_THINGS).await;
    assert!(answer.text().contains("It is all about the trip"), "{}", answer.text());
    let told = rig.channel.statuses(began);
    let found = told.iter().any(|(_, text)| text.contains("Found so far") && text.contains("Berlin"));
    assert!(found, "{told:#?}");
}

/// Telegram shows "typing" for five seconds. A turn renews it, and the channel passes that on at most every
/// [`TYPING_EVERY_MS`].
#[tokio::test(start_paused = true)]
async fn while_a_turn_works_it_never_looks_as_if_nobody_were_there() {
    let rig = Rig::plain();
    slow(&rig);
    let began = Instant::now();
    rig.says(HARD).await;
    let typed = rig.channel.typed();
    let least = Duration::from_secs(5) - Duration::from_millis(TYPING_EVERY_MS);
    assert!(typed.len() > 30 && typed[0] - began < least, "{typed:?}");
    assert!(typed.windows(2).all(|two| two[1] - two[0] < least), "{typed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_grows_once_a_second() {
    let rig = Rig::plain();
    rig.channel.grows_answers();
    let story: Vec<String> = (0..60).map(|n| format!("word{n:03}")).collect();
    rig.script.says(&story.join(" "));
    rig.script.speaks_word_by_word(Duration::from_millis(70));
    let answer = rig.says("tell me a long story please").await;
    assert!(answer.text().contains("word059"), "{}", answer.text());
    let drafts = rig.channel.drafts();
    assert!((3..=4).contains(&drafts.len()), "{drafts:?}");
    assert!(
        drafts.windows(2).all(|two| two[1].0 - two[0].0 >= SECOND && two[1].1.len() > two[0].1.len()),
        "{drafts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_fast_model_is_asked_as_ever() {
    let rig = Rig::plain();
    rig.plans(json!([action("task", "create", json!({"title": "Call mom"}))]));
    rig.says("add call mom to my tasks").await;
    assert_eq!(rig.script.asked(Stage::Plan).len(), 1);
    assert_eq!(rig.script.asked(Stage::Respond).len(), 1);
}

#[tokio::test]
async fn a_request_in_one_service_tells_a_model_no_more_than_it_reads_in_a_minute() {
    let rig = Rig::plain();
    let mut sizes = Vec::new();
    for (service, text) in [
        ("task", "remind me to call mom tomorrow at 5pm"),
        ("calendar", "put lunch with Sarah into my calendar on Friday at noon"),
        ("email", "send an email to bob@example.com saying the report is late"),
        ("memory", "remember that I am allergic to nuts"),
        ("keep", "make a shopping list with milk and eggs"),
        ("contacts", "save Bob's number, it is 555 0100"),
    ] {
        rig.plans(json!([{"service": service, "command": "nothing", "params": {}}]));
        rig.says(text).await;
        let call = rig.script.asked(Stage::Plan).pop().unwrap();
        assert!(call.user.contains(text), "{}", call.user);
        sizes.push((service, (call.system.len() + call.user.len()).div_ceil(4), call.system.len().div_ceil(4)));
    }
    println!("tokens of a plan's prompt, whole and fixed: {sizes:?}");
    assert!(sizes.iter().all(|(_, whole, _)| *whole <= PLAN_PROMPT_TOKENS_MAX), "{sizes:?}");
}
