//! A model server that is killed in the middle of a turn: what was done is told, the rest is done without it or told.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Program, did, params_of, text_of};

const CREATED: &str = "task.create succeeded";
const REMIND: &str = "remind me to call mom tomorrow at 5pm";
/// Long after the test is over.
const NEVER: Duration = Duration::from_secs(600);

fn console(model: &ModelServer) -> Console {
    let program = Program::new().whole_plans(model).env("BRAIN_SKIP_ROUTER", "false");
    program.at("2026-01-12T09:00:00Z")
}

fn planned() -> ModelReply {
    ModelReply::plan(&[action("task", "create", json!({"title": "Call mom", "deadline": "2026-01-13T17:00"}))])
}

/// Says something, and kills the server once `stage` is being answered.
fn killed_in(stage: &str, script: Script, said: &str) -> Vec<Value> {
    let model = ModelServer::scripted(script);
    let mut console = console(&model);
    let line = json!({"text": said}).to_string();
    console.start_sending(&line);
    let began = Instant::now();
    while model.calls_of(stage).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "{stage} was never asked: {:?}", model.stages());
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(model);
    let lines = console.answer(&line);
    // The program goes on, and says how the model is.
    let status = text_of(&console.say("/status"));
    assert!(status.contains("🧠 Model: no answer just now"), "{status}");
    lines
}

#[test]
fn killed_while_it_plans_the_request_is_done_without_it_and_that_is_said() {
    let script =
        Script::new().then("route", ModelReply::route("action", &["task"])).always("plan", planned().after(NEVER));
    let lines = killed_in("plan", script, REMIND);
    assert_eq!((did(&lines), &params_of(&lines)["title"]), (vec![CREATED.to_owned()], &json!("Call mom")));
    assert!(text_of(&lines).contains("language model"), "{lines:#?}");
}

#[test]
fn killed_while_it_phrases_what_was_done_the_receipt_stands() {
    let words = ModelReply::text("All set, I'll remind you to call mom.").chunks(4, Duration::from_secs(5));
    let script = Script::new()
        .then("route", ModelReply::route("action", &["task"]))
        .then("plan", planned())
        .always("respond", words);
    let lines = killed_in("respond", script, "please see that mom gets a call tomorrow at five in the afternoon");
    assert_eq!(did(&lines), [CREATED]);
    assert!(text_of(&lines).contains("Call mom"), "{}", text_of(&lines));
}

#[test]
fn killed_in_the_middle_of_small_talk_nothing_is_left_half_said() {
    let words = ModelReply::text("Oh, I am well, thank you for asking; and how are you?").chunks(4, NEVER);
    let talk = ModelReply::route("chat", &[]);
    let script = Script::new().always("route", talk).always("respond", words);
    let lines = killed_in("respond", script, "how was your weekend, dear assistant of mine?");
    assert!(did(&lines).is_empty());
    let text = text_of(&lines);
    assert!(!text.is_empty() && !text.ends_with("Oh,"), "{text}");
}
