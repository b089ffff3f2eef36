//! Questions and scopes of the calendar as a model plans them, on the real program: code decides which part of a series is
//! meant, and what is found.

use serde_json::{Value, json};

use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Program, did, params_of, path_of, text_of};

const TO_DELETE: &str = "calendar.delete_event pending";

fn plan(command: &str, params: Value) -> ModelReply {
    ModelReply::plan(&[action("calendar", command, params)])
}

fn console(model: &ModelServer) -> Console {
    let program = Program::new().whole_plans(model).env("BRAIN_SKIP_ROUTER", "false");
    program.demo()
}

#[test]
fn a_model_that_names_no_scope_is_asked_back_and_one_that_names_all_cannot_skip_the_card() {
    let script = Script::new()
        .always("route", ModelReply::route("action", &["calendar"]))
        .then("plan", plan("delete_event", json!({"find_by": "yoga"})))
        .then("plan", plan("delete_event", json!({"find_by": "yoga", "scope": "all"})))
        .always("respond", ModelReply::text("Done, all gone!"));
    let model = ModelServer::scripted(script);
    let mut console = console(&model);
    assert_eq!(path_of(&console.say("please get rid of that yoga thing somehow")), "clarify");
    let card = console.say("1");
    assert_eq!(did(&card), [TO_DELETE]);
    assert_ne!(params_of(&card)["scope"], "all", "only this one goes");
    console.say("no");
    let card = console.say("well then, all of that yoga should vanish for ever");
    assert_eq!((did(&card), &params_of(&card)["scope"]), (vec![TO_DELETE.to_owned()], &json!("all")));
}

#[test]
fn what_a_model_looks_for_is_told_by_code() {
    let script = Script::new()
        .always("route", ModelReply::route("action", &["calendar"]))
        .then("plan", plan("list_events", json!({"text": "dentist"})))
        .then("plan", plan("list_events", json!({"from": "tomorrow afternoon", "whether": "free"})))
        .always("respond", ModelReply::text(""));
    let model = ModelServer::scripted(script);
    let mut console = console(&model);
    let found = text_of(&console.say("hm, that appointment for my teeth, when would it be again?"));
    assert!(found.contains("Thu 15 Jan at 09:30–10:00 — Dentist appointment"), "{found}");
    let free = text_of(&console.say("could I squeeze something in after lunch the day after today, you think?"));
    assert!(free.contains("you're free 12:00–14:00 and 15:00–18:00"), "{free}");
}
