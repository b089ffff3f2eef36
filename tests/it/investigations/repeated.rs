//! A question that is asked again: what has not changed is neither looked for nor asked of the model a second time.

use std::fs;

use serde_json::json;

use super::world::{World, demo_world};
use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::{Console, Program, button, done_of, text_of};

const QUESTION: &str = "hm, what would there be in my correspondence with Anna, roughly?";

fn model() -> ModelServer {
    let nodes = json!([
        {"id": "mail", "strategy": "metadata_filter", "params": {"over": ["thread"], "people": ["Anna"]}},
        {"id": "read", "strategy": "batch_thread_read", "params": {"items": "{{mail.items}}", "fields": ["waiting"]}},
    ]);
    let graph = json!({
        "classification": {"type": "investigative", "complexity": "moderate", "domains": ["email"], "why": "asked"},
        "nodes": nodes,
        "synthesis": {"goal": "say what was found", "order": "urgent first", "format": "short"},
    });
    let extract = json!({"summary": "about it", "waiting": "nobody", "due": null, "about": true, "urgency": 0});
    let script = Script::new()
        .always("route", ModelReply::json(json!({"type": "investigate", "domains": ["email"], "is_followup": false})))
        .always("decompose", ModelReply::json(graph))
        .always("extract", ModelReply::json(extract))
        .always("synthesize", ModelReply::text("That is all [1]."));
    ModelServer::scripted(script)
}

fn console(model: &ModelServer, world: &World) -> Console {
    let program = Program::with_data_dir(&world.data()).whole_plans(model);
    program.console(&["--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"])
}

/// Asks, and says how often the model was asked to take a question apart and to read.
fn asked(console: &mut Console, model: &ModelServer) -> (usize, usize) {
    model.forget_calls();
    let lines = console.say(QUESTION);
    assert!(text_of(&lines).contains("That is all [1]."), "{}", text_of(&lines));
    assert_eq!(done_of(&lines)["path"], "investigate");
    (model.calls_of("decompose").len(), model.calls_of("extract").len())
}

#[test]
fn a_question_asked_again_costs_its_answer_and_new_mail_is_read() {
    let (model, world) = (model(), demo_world());
    let mut console = console(&model, &world);
    let (decomposed, read) = asked(&mut console, &model);
    assert!(decomposed == 1 && read > 1, "{decomposed} {read}");
    assert_eq!(asked(&mut console, &model), (0, 0));
    let trace = text_of(&console.say("/trace"));
    assert!(trace.contains("found, as a while ago"), "{trace}");
    // Somebody else's message changes nothing of what was read; one of hers is read, and what she wrote before beside it.
    let folder = world.data().join("mail/me/new");
    fs::create_dir_all(&folder).unwrap();
    let receive = |name: &str, from: &str, subject: &str, text: &str| {
        let head =
            format!("From: {from}\r\nTo: alex.morgan@example.com\r\nSubject: {subject}\r\nMessage-ID: <{name}@x>");
        let mail = format!("{head}\r\nDate: Mon, 12 Jan 2026 08:59:00 +0000\r\n\r\n{text}\r\n");
        fs::write(folder.join(name), mail).unwrap();
    };
    receive("boat", "Otto Brandt <otto@brandt.example>", "The boat", "It leaks.");
    assert_eq!(asked(&mut console, &model), (0, 0));
    receive("tent", "Anna Kowalczyk <anna.kowalczyk@example.com>", "The tent", "May I borrow the tent?");
    let (decomposed, fresh) = asked(&mut console, &model);
    assert_eq!((decomposed, fresh), (0, read + 1));
    let told = model.calls_of("synthesize").last().unwrap().body.to_string();
    assert!(told.contains("The tent"), "{told}");
}

#[test]
fn what_was_kept_goes_with_what_is_forgotten_and_nobody_else_has_it() {
    let (model, world) = (model(), demo_world());
    let mut console = console(&model, &world);
    let first = asked(&mut console, &model);
    assert_eq!(asked(&mut console, &model), (0, 0));
    let card = console.say("/forget coffee");
    let told = text_of(&console.press(&button(&card, "approve")));
    assert!(told.contains("Forgotten"), "{told}");
    assert_eq!(asked(&mut console, &model), first);
}
