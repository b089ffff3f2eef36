//! Questions with a scripted model: the graph that it writes, what it costs, and what is done where it fails.

use serde_json::{Value, json};

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Program, button, done_of, outcomes_of, text_of};

/// What the model says of what was found.
const FOUND: &str = "That is all [1].";

fn route(kind: &str) -> ModelReply {
    ModelReply::route(kind, &["email", "calendar"])
}

fn graph(kind: &str, nodes: Value) -> ModelReply {
    ModelReply::json(json!({
        "classification": {"type": kind, "complexity": "moderate", "domains": ["email"], "why": "asked"},
        "nodes": nodes,
        "synthesis": {"goal": "say what was found", "order": "urgent first", "format": "short"},
    }))
}

fn nodes() -> Value {
    json!([
        {"id": "mail", "description": "mail about Berlin", "strategy": "keyword_search",
         "params": {"words": ["Berlin"], "over": ["thread"]}},
        {"id": "best", "description": "the best of it", "strategy": "cross_reference",
         "params": {"sources": ["{{mail.items}}"], "rank_by": "newest", "take_top": 5}},
    ])
}

fn console(model: &ModelServer, env: &[(&str, &str)]) -> Console {
    let program = Program::new().whole_plans(model).env("BRAIN_SKIP_ROUTER", "false");
    let program = env.iter().fold(program, |program, (name, value)| program.env(name, value));
    program.console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"])
}

const QUESTION: &str = "hm, so what would there be in my correspondence on that Berlin thing, roughly?";

#[test]
fn a_models_graph_is_run_and_its_words_name_only_what_is_there() {
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("investigative", nodes()))
        .always("synthesize", ModelReply::text("Anna waits for the receipt [1], and a dragon [42] sleeps."));
    let model = ModelServer::scripted(script);
    let mut console = console(&model, &[]);
    let lines = console.say(QUESTION);
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    assert_eq!(done_of(&lines)["llm_calls"], 3, "route, decompose, synthesize");
    let text = text_of(&lines);
    assert!(text.contains("[1]") && !text.contains("[42]"), "{text}");
    let message = lines.iter().find(|line| line["type"] == "message").unwrap();
    assert_eq!(message["sources"][0]["n"], 1);
    assert_eq!(message["sources"][0]["service"], "email");
    assert!(outcomes_of(&lines).is_empty());
}

#[test]
fn a_graph_that_cannot_be_used_is_asked_for_once_more_and_then_searched_by_words() {
    let wrong = json!([{"id": "read", "strategy": "batch_thread_read", "params": {"items": "{{nothing.items}}"}}]);
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("investigative", wrong))
        .always("template", ModelReply::json(json!({"kind": "none"})))
        .always("synthesize", ModelReply::text("Nothing."));
    let model = ModelServer::scripted(script);
    let mut console = console(&model, &[]);
    let lines = console.say(QUESTION);
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    assert_eq!(done_of(&lines)["fallbacks"], json!(["decompose"]));
    assert_eq!(done_of(&lines)["llm_calls"], 4, "route, decompose twice, and no template");
}

#[test]
fn what_is_to_be_done_is_planned_and_not_investigated() {
    let action = json!({"service": "email", "command": "search", "params": {"text": "Berlin"}});
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("write_command", json!([])))
        .always("plan", ModelReply::json(json!({"actions": [action], "question": null, "open": null})))
        .always("reflect", ModelReply::json(json!({"complete": true, "missing": null})))
        .always("respond", ModelReply::text("Here they are."));
    let model = ModelServer::scripted(script);
    let mut console = console(&model, &[]);
    let lines = console.say(QUESTION);
    assert_eq!(done_of(&lines)["path"], "action", "{}", text_of(&lines));
}

#[test]
fn a_costly_question_is_asked_about_before_anything_is_read() {
    let reads = json!([
        {"id": "mail", "strategy": "metadata_filter", "params": {"over": ["thread"], "max_results": 40}},
        {"id": "read", "strategy": "batch_thread_read", "params": {"items": "{{mail.items}}", "fields": ["waiting"]}},
    ]);
    let extract = json!({"summary": "about it", "waiting": "nobody", "due": null, "about": true});
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("investigative", reads))
        .always("extract", ModelReply::json(extract))
        .always("synthesize", ModelReply::text(FOUND));
    let model = ModelServer::scripted(script);
    // A model on this machine costs what somebody says that it costs.
    let prices = [("LLM_PRICE_IN", "0.25"), ("LLM_PRICE_OUT", "2"), ("BRAIN_ASK_ABOVE_USD", "0.001")];
    let mut console = console(&model, &prices);
    let asked = console.say(QUESTION);
    button(&asked, "offer");
    assert_eq!(done_of(&asked)["llm_calls"], 2, "route and decompose");
    let looked = console.say("yes");
    assert!(text_of(&looked).contains(FOUND), "{}", text_of(&looked));
    assert!(done_of(&looked)["llm_calls"].as_u64().unwrap() > 5);
    button(&console.say(QUESTION), "offer");
    let smaller = console.say("only the last month");
    assert!(text_of(&smaller).contains(FOUND), "{}", text_of(&smaller));
    let planned = model.calls_of("decompose");
    let said = planned.last().unwrap().body.to_string();
    assert!(said.contains("only what came since 2025-12-13"), "{said}");
    let explained = text_of(&console.say("/trace"));
    assert!(explained.contains("expected at most $") && explained.contains("Taking it apart"), "{explained}");
    console.say(QUESTION);
    let left = console.say("no");
    assert_eq!(done_of(&left)["llm_calls"], 0);
}

#[test]
fn a_direct_look_up_takes_two_calls_at_most() {
    let script = Script::new()
        .always("route", route("investigate"))
        .always("synthesize", ModelReply::text("The deposit was 100 € [1]."));
    let model = ModelServer::scripted(script);
    let mut console = console(&model, &[]);
    let lines = console.say("how much was the hotel deposit?");
    assert!(text_of(&lines).contains("100 €"), "{}", text_of(&lines));
    assert!(done_of(&lines)["llm_calls"].as_u64().unwrap() <= 2);
}

#[test]
fn a_question_that_is_read_exactly_has_its_graph_without_a_model() {
    let model = ModelServer::scripted(Script::new().always("synthesize", ModelReply::text(FOUND)));
    let mut console = console(&model, &[("BRAIN_SKIP_PLANNER", "true")]);
    let lines = console.say("What emails am I blocking people on?");
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    assert_eq!(done_of(&lines)["llm_calls"], 1, "only to word the answer");
    assert!(text_of(&lines).contains(FOUND), "{}", text_of(&lines));
}

#[test]
fn a_graph_that_cannot_be_used_gives_way_to_a_template_that_the_model_can_name() {
    let wrong = json!([{"id": "read", "strategy": "batch_thread_read", "params": {"items": "{{nothing.items}}"}}]);
    let named = json!({"kind": "waiting_on_me", "who": "Mr Smith", "topic": null, "when": null, "only": "all"});
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("investigative", wrong))
        .always("template", ModelReply::json(named))
        .always("synthesize", ModelReply::text(FOUND));
    let model = ModelServer::scripted(script);
    let mut console = console(&model, &[]);
    let lines = console.say(QUESTION);
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    assert_eq!(done_of(&lines)["llm_calls"], 5, "route, two graphs, a template, and words");
    assert!(text_of(&lines).contains(FOUND), "{}", text_of(&lines));
    let sources = &lines.iter().find(|line| line["type"] == "message").unwrap()["sources"];
    assert_eq!(sources.as_array().map(Vec::len), Some(1), "nobody said Mr Smith: {sources}");
}

/// A capable model, which holds conversations.
fn conversing(model: &ModelServer) -> Console {
    let program = Program::new().model(model).env("BRAIN_PLANNING", "conversation").env("BRAIN_SKIP_ROUTER", "false");
    program.console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"])
}

fn reading(from: &str) -> Value {
    json!([{"id": "read", "description": "who waits", "strategy": "batch_thread_read",
            "params": {"items": from, "fields": ["waiting", "promises"], "max_items": 3}}])
}

#[test]
fn a_capable_model_reads_what_code_found_meanwhile_and_what_it_leaves_out_stays_out() {
    let extract = json!({"summary": "wants the report", "waiting": "me", "promised": "nobody", "about": true,
                         "since": "2026-01-09", "due": null, "urgency": 2});
    let script = Script::new()
        .always("route", route("investigate"))
        .always("decompose", graph("investigative", reading("{{known_answer.items}}")))
        .always("extract", ModelReply::json(extract))
        .always("synthesize", ModelReply::text("Two wait: [1] and [2]."));
    let model = ModelServer::scripted(script);
    let mut console = conversing(&model);
    let lines = console.say("What emails am I blocking people on?");
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    let asked = model.calls_of("decompose")[0].body.to_string();
    assert!(asked.contains("{{known_answer.items}}: mail in which somebody waits for the person"), "{asked}");
    assert_eq!(model.calls_of("extract").len(), 3, "the best three of them are read");
    let answer = lines.iter().rfind(|line| line["type"] == "message" || line["type"] == "edit").unwrap();
    assert_eq!(answer["sources"].as_array().map(Vec::len), Some(2), "{answer}");
    // The rest of what was found is behind the button, under the numbers that the words have.
    button(&lines, "more");
    let more = text_of(&console.say("more"));
    assert!(more.starts_with("3. ") && more.contains("\n4. "), "{more}");
    let opened = console.say("open 2");
    assert_eq!(done_of(&opened)["path"], "action", "{}", text_of(&opened));
}

#[test]
fn a_question_that_no_single_look_answers_is_looked_into_by_the_models_own_choice() {
    let look = json!({"actions": [{"service": "assistant", "command": "look_into", "params": {}}], "instead_of": null,
                      "question": null, "open": null, "unmet": null, "reply": null});
    let script = Script::new()
        .always("route", route("action"))
        .always("plan", ModelReply::json(look))
        .always("decompose", graph("investigative", nodes()))
        .always("synthesize", ModelReply::text(FOUND));
    let model = ModelServer::scripted(script);
    let mut console = conversing(&model);
    let lines = console.say(QUESTION);
    assert_eq!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
    assert!(text_of(&lines).contains(FOUND), "{}", text_of(&lines));
}
