//! The demo's questions with a scripted model: how much it is asked, of what, and in which order.
//!
//! The model writes the graphs that built-in templates have, so that each question has one of its own kind, and reads
//! what it is given without understanding any of it: what is right is measured without it ([`super::truth`]).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use brain_agent::investigate::templates;
use brain_agent::language::requests::{self, ParseInput};
use brain_agent::language::time::{DateOrder, Reference};
use brain_agent::language::work::Work;
use brain_agent::limits;
use brain_agent::services::across::filling::BUILDERS;
use serde_json::{Value, json};

use super::world::{NOW, World, demo_world, now};
use crate::support::model_server::{Call, ModelReply, ModelRequest, ModelServer};
use crate::support::program::{Program, done_of, text_of};

/// What the design allows one question.
const TOKENS_MAX: u64 = 60_000;
/// Paragraphs of this length stand in no summary.
const PARAGRAPH_CHARS: usize = limits::SNIPPET_CHARS_MAX + 20;

/// What one question took.
#[derive(Debug, Clone, Copy, Default)]
struct Took {
    questions: usize,
    calls: u64,
    tokens: u64,
    tokens_max: u64,
}

impl Took {
    fn add(&mut self, calls: u64, tokens: u64) {
        self.questions += 1;
        self.calls = self.calls.max(calls);
        self.tokens += tokens;
        self.tokens_max = self.tokens_max.max(tokens);
    }
}

#[test]
fn every_question_of_the_demo_keeps_to_its_bounds_and_its_order() {
    let world = demo_world();
    let bodies = paragraphs();
    let graph = Arc::new(Mutex::new(Value::Null));
    let written = Arc::clone(&graph);
    let model = ModelServer::start(move |request| reply(request, &written.lock().unwrap()));
    let mut by_family = BTreeMap::<String, Took>::new();
    for question in &world.questions {
        let text = &question.texts[0];
        let nodes = nodes_of(&world, text);
        let is_direct = nodes.is_none();
        *graph.lock().unwrap() = nodes.unwrap_or_default();
        model.forget_calls();
        let copy = world.copy();
        let program = Program::with_data_dir(&copy.path().join("state")).whole_plans(&model);
        let lines = program.console(&["--now", NOW, "--tz", world.zone.name()]).say(text);
        let (done, calls) = (done_of(&lines), model.calls());
        let told = format!("{text}\n{}\n{:?}", text_of(&lines), model.stages());
        assert_eq!(done["path"], "investigate", "{told}");
        assert_eq!(done["fallbacks"], json!([]), "{told}");
        let asked = done["llm_calls"].as_u64().unwrap();
        let tokens = done["tokens_in"].as_u64().unwrap() + done["tokens_out"].as_u64().unwrap();
        assert!(asked <= if is_direct { 2 } else { u64::from(limits::TURN_CALLS_MAX) }, "{told}");
        assert!(tokens <= TOKENS_MAX, "{tokens} tokens: {told}");
        check_bounds(&calls, &bodies, &told);
        check_order(&calls, &told);
        by_family.entry(question.family.clone()).or_default().add(asked, tokens);
    }
    assert!(model.most_at_once() <= limits::ENDPOINT_AT_ONCE_MAX);
    for (family, took) in by_family {
        let mean = took.tokens / took.questions as u64;
        println!(
            "{family:<18}{:>4} questions, at most {:>2} calls, {mean:>6} tokens each, at most {:>6}",
            took.questions, took.calls, took.tokens_max
        );
    }
}

/// The nodes of the template that a question fits; `None` for what one search answers.
fn nodes_of(world: &World, text: &str) -> Option<Value> {
    let reference = Reference { now: now(), zone: world.zone, order: DateOrder::DayFirst };
    let question = requests::question(&ParseInput::new(text, &reference, BUILDERS), &Work::default());
    if question.as_ref().is_some_and(|question| question.family.is_direct()) {
        return None;
    }
    let graph = match question {
        Some(question) => templates::graph(&question, &reference),
        None => templates::search(text, 0.3, &reference),
    };
    let mut nodes = serde_json::to_value(&graph.nodes).unwrap();
    // A model has some of it told apart and ranked in words of its own.
    for node in nodes.as_array_mut().unwrap() {
        match node["strategy"].as_str() {
            Some("semantic_analysis") => node["params"]["question"] = text.into(),
            Some("cross_reference") if node["id"] == "answer" => node["params"]["criteria"] = "what is urgent".into(),
            _ => {}
        }
    }
    Some(nodes)
}

fn reply(request: &ModelRequest, nodes: &Value) -> ModelReply {
    match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "investigate", "domains": ["email"], "is_followup": false})),
        "decompose" => ModelReply::json(json!({
            "classification": {"type": "investigative", "complexity": "moderate", "domains": ["email"], "why": "asked"},
            "nodes": nodes,
            "synthesis": {"goal": "say what was found", "order": "urgent first", "format": "list"},
        })),
        "extract" => ModelReply::json(json!({
            "summary": "They ask for something and say by when.",
            "waiting": "me", "about": true, "due": null, "urgency": 1,
        })),
        "rank" => ModelReply::json(json!({"order": [2, 1]})),
        "classify" => ModelReply::json(json!({"labels": [{"id": 1, "label": "waits_for_me"}]})),
        // Begun for what may be talk, and dropped.
        "chat" | "respond" => ModelReply::text("Hm."),
        "synthesize" => ModelReply::text("That is what there is [1]."),
        other => panic!("nobody asks for {other}"),
    }
}

/// Paragraphs of the demo's mails, as they stand there.
fn paragraphs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/demo/mail");
    let texts = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let all: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let long: Vec<String> = all.into_iter().filter(|line| line.chars().count() > PARAGRAPH_CHARS).collect();
    assert!(long.len() > 20, "too few to tell a summary from a body");
    long
}

/// What one call sees is bounded, and the answer is made of summaries.
fn check_bounds(calls: &[Call], bodies: &[String], told: &str) {
    let of = |stage: &str| calls.iter().filter(|call| call.stage == stage).cloned().collect::<Vec<_>>();
    // Of one node, of which no template has more than one.
    assert!(of("extract").len() <= limits::EXTRACTS_MAX, "{told}");
    for call in of("extract") {
        assert!(call.prompt_chars <= limits::EXTRACT_TOKENS_IN_MAX * 4, "{} characters: {told}", call.prompt_chars);
        assert_eq!(call.body["max_tokens"], limits::EXTRACT_TOKENS_OUT_MAX, "{told}");
    }
    let [synthesis] =
        of("synthesize").try_into().unwrap_or_else(|all: Vec<Call>| panic!("{} answers: {told}", all.len()));
    let (_, shown) = synthesis.messages.last().unwrap();
    assert!(!bodies.iter().any(|body| shown.contains(body)), "a body: {told}\n{shown}");
    let is_finding = |line: &&str| line.split_once(". [").is_some_and(|(number, _)| number.parse::<usize>().is_ok());
    for part in shown.split("\n\n") {
        assert!(part.lines().filter(is_finding).count() <= limits::SYNTHESIS_ITEMS_MAX, "{told}\n{shown}");
    }
}

/// Nothing is read before the graph is whole and its cost is known; the answer comes last.
fn check_order(calls: &[Call], told: &str) {
    let stages: Vec<&str> = calls.iter().map(|call| call.stage.as_str()).collect();
    assert_eq!(stages.last(), Some(&"synthesize"), "{told}");
    assert!(stages.iter().filter(|stage| **stage == "decompose").count() <= 1, "{told}");
    let ended =
        |stage: &str| calls.iter().filter(|call| call.stage == stage).map(|call| call.at_answered.unwrap()).max();
    let begun = |stage: &str| calls.iter().filter(|call| call.stage == stage).map(|call| call.at_received).min();
    for (before, after) in
        [("decompose", "extract"), ("extract", "classify"), ("classify", "rank"), ("rank", "synthesize")]
    {
        if let (Some(ended), Some(begun)) = (ended(before), begun(after)) {
            assert!(ended <= begun, "{after} before {before} had ended: {told}");
        }
    }
}
