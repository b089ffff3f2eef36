//! What waits for a yes: costly questions beside the cards, and both in "what needs me today?".

use serde_json::json;

use super::world::{World, demo_world};
use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Lines, Program, button, buttons_of, done_of, pending_id, text_of};

const QUESTION: &str = "hm, so what would there be in my correspondence on that Berlin thing, roughly?";
const TOPIC: &str = "that Berlin thing";
/// What the model says of what was found.
const FOUND: &str = "That is all [1].";
const SEND: &str = "send an email to bob.miller@example.com saying the report is late";
const NOW: &str = "2026-01-12T09:00:00Z";

fn route(kind: &str) -> ModelReply {
    ModelReply::route(kind, &["email"])
}

fn model() -> ModelServer {
    ModelServer::scripted(script())
}

/// Of a model whose graphs read forty conversations.
fn script() -> Script {
    let nodes = json!([
        {"id": "mail", "strategy": "metadata_filter", "params": {"over": ["thread"], "max_results": 40}},
        {"id": "read", "strategy": "batch_thread_read", "params": {"items": "{{mail.items}}", "fields": ["waiting"]}},
    ]);
    let graph = json!({
        "classification": {"type": "investigative", "complexity": "moderate", "domains": ["email"], "why": "asked"},
        "nodes": nodes,
        "synthesis": {"goal": "say what was found", "order": "urgent first", "format": "short"},
    });
    let letter = json!({"to": ["bob.miller@example.com"], "subject": "The report", "body": "the report is late"});
    let send = action("email", "send_email", letter);
    let extract = json!({"summary": "about it", "waiting": "nobody", "due": null, "about": true});
    Script::new()
        .always("route", route("investigate"))
        .always("decompose", ModelReply::json(graph))
        .always("plan", ModelReply::plan(&[send]))
        .always("extract", ModelReply::json(extract))
        .always("synthesize", ModelReply::text(FOUND))
}

fn program(model: &ModelServer, world: &World) -> Program {
    let program = Program::with_data_dir(&world.data()).whole_plans(model);
    program.env("LLM_PRICE_IN", "0.25").env("LLM_PRICE_OUT", "2").env("BRAIN_ASK_ABOVE_USD", "0.001")
}

fn console(program: &Program) -> Console {
    program.console(&["--now", NOW, "--tz", "Europe/London"])
}

fn asked(console: &mut Console) -> Lines {
    let asked = console.say(QUESTION);
    button(&asked, "offer");
    asked
}

fn is_listed(console: &mut Console) -> bool {
    text_of(&console.say("/pending")).contains(TOPIC)
}

#[test]
fn a_costly_question_that_waits_is_listed_and_decided_by_its_number() {
    let (model, world) = (model(), demo_world());
    let program = program(&model, &world);
    let mut console = console(&program);
    asked(&mut console);
    console.say("/today");
    let listed = console.say("/pending");
    let text = text_of(&listed);
    assert!(text.contains("1. look into") && text.contains(TOPIC), "{text}");
    assert!(text.contains("tokens") && text.contains('$') && text.contains("until Tue 13 Jan 09:00"), "{text}");
    let again = console.say("1");
    assert_eq!(buttons_of(&again).len(), 3);
    console.say("/pending");
    let looked = console.say("yes 1");
    assert!(text_of(&looked).contains(FOUND), "{}", text_of(&looked));
    assert!(!is_listed(&mut console), "it was taken");

    asked(&mut console);
    console.say("/pending");
    let left = console.say("no to 1");
    assert_eq!(done_of(&left)["llm_calls"], 0);
    assert!(!is_listed(&mut console), "it was left");

    asked(&mut console);
    console.say("/cancel");
    assert!(!is_listed(&mut console), "it was dropped");
}

#[test]
fn a_costly_question_waits_through_a_restart_and_is_decided_by_its_button_or_a_plain_yes() {
    let (model, world) = (model(), demo_world());
    let program = program(&model, &world);
    let mut before = console(&program);
    asked(&mut before);
    before.kill();
    let mut after = console(&program);
    let listed = after.say("/pending");
    assert!(text_of(&listed).contains(TOPIC), "{}", text_of(&listed));
    let again = after.press(&button(&listed, "show"));
    let looked = after.press(&button(&again, "offer"));
    assert!(text_of(&looked).contains(FOUND), "{}", text_of(&looked));
    let gone = after.press(&button(&again, "offer"));
    assert_eq!(done_of(&gone)["llm_calls"], 0, "taken once");

    asked(&mut after);
    after.kill();
    let mut last = console(&program);
    last.say("/today");
    last.say("/pending");
    let looked = last.say("yes");
    assert!(text_of(&looked).contains(FOUND), "{}", text_of(&looked));
}

#[test]
fn a_costly_question_is_listed_below_the_cards_and_found_by_its_words() {
    let model = ModelServer::scripted(script().then("route", route("investigate")).then("route", route("action")));
    let world = demo_world();
    let program = program(&model, &world);
    let mut console = console(&program);
    asked(&mut console);
    let card = console.say(SEND);
    let id = pending_id(&card);
    let text = text_of(&console.say("/pending"));
    let (first, second) = (text.find("1. ").unwrap(), text.find("2. look into").unwrap_or_else(|| panic!("{text}")));
    assert!(text[first..second].contains(&id), "{text}");
    let both = text_of(&console.say("/cancel"));
    assert!(both.contains(&id) && both.contains(TOPIC), "{both}");
    console.say("no, the Berlin one");
    let text = text_of(&console.say("/pending"));
    assert!(text.contains(&id) && !text.contains(TOPIC), "{text}");
}

#[test]
fn a_stranger_neither_sees_nor_decides_a_costly_question() {
    let (model, world) = (model(), demo_world());
    let program = program(&model, &world);
    let mut console = console(&program);
    let asked = asked(&mut console);
    let shown = console.say("/pending");
    let theirs = text_of(&console.say_as("eve", "/pending"));
    assert!(!theirs.contains(TOPIC), "{theirs}");
    for data in [button(&asked, "offer"), button(&shown, "show")] {
        let pressed = console.press_as("eve", &data);
        assert_eq!(done_of(&pressed)["llm_calls"], 0, "{}", text_of(&pressed));
        assert!(buttons_of(&pressed).is_empty(), "{}", text_of(&pressed));
    }
    assert!(is_listed(&mut console), "it still waits for who asked");
}

#[test]
fn the_operator_sees_and_cancels_a_costly_question_and_never_approves_it() {
    let (model, world) = (model(), demo_world());
    let program = program(&model, &world).env("BRAIN_ADMIN_MAY_APPROVE", "true");
    let mut console = console(&program);
    let asked = asked(&mut console);
    let listed = program.run(&["pending", "list", "--json"]).json_lines();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["question"], QUESTION);
    for field in ["id", "state", "user", "estimate", "created_at", "expires_at"] {
        assert!(!listed[0][field].is_null(), "{field} is missing: {listed:#?}");
    }
    let id = listed[0]["id"].as_str().unwrap();
    assert!(program.run(&["pending", "list"]).stdout.contains(TOPIC));
    assert!(program.run(&["pending", "show", id]).stdout.contains(TOPIC));
    let approved = program.run(&["pending", "approve", id, "000000000000"]);
    assert_eq!(approved.code, 1, "{approved:?}");
    let cancelled = program.run(&["pending", "cancel", id]);
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    let late = console.press(&button(&asked, "offer"));
    assert_eq!(done_of(&late)["llm_calls"], 0);
    assert!(text_of(&late).contains("admin"), "{}", text_of(&late));
    assert_eq!(program.open_cards(), [""; 0]);
}

#[test]
fn an_open_card_is_among_what_needs_somebody_today() {
    let mut console = Program::new().console(&["--demo", "--now", NOW, "--tz", "Europe/London"]);
    let before = text_of(&console.say("what needs me today?"));
    assert!(!before.contains("Waiting for your yes"), "{before}");
    let count = |text: &str| text.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
    let card = pending_id(&console.say(SEND));
    for (question, more) in [("what needs me today?", true), ("what needs me this week?", false)] {
        let told = text_of(&console.say(question));
        let section = told.split("Waiting for your yes or no").nth(1).unwrap_or_else(|| panic!("{told}"));
        assert!(section.contains(&card) && section.contains("Bob Miller"), "{told}");
        assert!(section.contains("until Tue 13 Jan 09:00") && section.contains("/pending"), "{told}");
        assert!(!told.contains("Still waiting"), "once is enough: {told}");
        assert!(!more || count(&told) == count(&before) + 1, "{before}\n{told}");
    }
    let theirs = text_of(&console.say_as("eve", "what needs me today?"));
    assert!(!theirs.contains(&card), "{theirs}");
    let other = text_of(&console.say("who is waiting for an answer from me?"));
    assert!(other.contains("⏳ Still waiting: send"), "{other}");
    console.say("/pending");
    console.say("no to 1");
    let after = text_of(&console.say("what needs me today?"));
    assert!(!after.contains("Waiting for your yes"), "{after}");
}

#[test]
fn a_card_alone_is_something_that_needs_somebody() {
    let mut console = Program::new().console(&["--now", NOW, "--tz", "Europe/London"]);
    console.say(SEND);
    let told = text_of(&console.say("what needs me today?"));
    assert!(told.starts_with("📋 1 thing needs you:") && told.contains("Waiting for your yes or no"), "{told}");
}

#[test]
fn a_costly_question_is_among_what_needs_somebody_with_a_model_too() {
    let (model, world) = (model(), demo_world());
    let program = program(&model, &world);
    let mut first = console(&program);
    asked(&mut first);
    first.kill();
    // Now nothing is costly.
    let program = program.env("BRAIN_ASK_ABOVE_USD", "5");
    let mut console = console(&program);
    let told = console.say("what needs me today?");
    let text = text_of(&told);
    assert!(text.contains(FOUND) && text.contains("Waiting for your yes or no"), "{text}");
    assert!(text.contains(TOPIC) && done_of(&told)["path"] == "investigate", "{text}");
}
