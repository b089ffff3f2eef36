//! What one replies to is what one means, whatever was said since.

use crate::support::program::{Console, Program, text_of};
use serde_json::{Value, json};

fn open(program: &Program) -> Console {
    program.demo()
}

/// The answer and its number.
fn says(console: &mut Console, line: Value) -> (String, i64) {
    let out = console.send(line);
    let number = out.iter().filter(|out| out["type"] == "message").filter_map(|out| out["id"].as_i64()).next_back();
    (text_of(&out), number.expect("an answer"))
}

#[test]
fn a_reply_to_an_older_receipt_is_about_what_that_was_about() {
    let program = Program::new();
    let mut console = open(&program);
    let (_, stamps) = says(&mut console, json!({"text": "add a task: buy stamps"}));
    let (_, lamp) = says(&mut console, json!({"text": "add a task: fix the lamp"}));
    says(&mut console, json!({"text": "add a task: water the ferns"}));
    let (done, _) = says(&mut console, json!({"text": "I've done this", "reply_to": stamps}));
    assert!(done.to_lowercase().contains("buy stamps") && !done.contains("ferns"), "{done}");
    let (moved, _) = says(&mut console, json!({"text": "move this to Friday", "reply_to": lamp}));
    assert!(moved.to_lowercase().contains("fix the lamp"), "{moved}");
    let (gone, _) = says(&mut console, json!({"text": "delete this", "reply_to": lamp}));
    assert!(gone.to_lowercase().contains("fix the lamp"), "{gone}");
}

#[test]
fn a_quoted_row_is_what_is_meant() {
    let program = Program::new();
    let mut console = open(&program);
    says(&mut console, json!({"text": "add a task: buy stamps"}));
    says(&mut console, json!({"text": "add a task: fix the lamp"}));
    let (_, list) = says(&mut console, json!({"text": "what are my tasks?"}));
    says(&mut console, json!({"text": "add a task: water the ferns"}));
    for (said, quote) in [
        ("move this to Friday", "Fix the lamp"),
        ("delete this", "Fix the lamp"),
        ("cancel this", "▫️ Fix the lamp"),
        ("I've done this", "Fix the lamp"),
    ] {
        let (told, _) = says(&mut console, json!({"text": said, "reply_to": list, "quote": quote}));
        assert!(told.contains("Fix the lamp") && !told.contains("ferns"), "{said}: {told}");
    }
}

#[test]
fn a_word_about_a_quoted_row_ticks_it_off() {
    for (said, quote) in
        [("done", "Fix the lamp"), ("finished", "▫️ Fix the lamp"), ("✅", "the lamp"), ("erledigt", "Fix the lamp")]
    {
        let program = Program::new();
        let mut console = program.at("2026-01-12T09:00:00Z");
        says(&mut console, json!({"text": "add a task: buy stamps"}));
        says(&mut console, json!({"text": "add a task: fix the lamp"}));
        let (_, list) = says(&mut console, json!({"text": "what are my tasks?"}));
        says(&mut console, json!({"text": "add a task: water the ferns"}));
        let (told, _) = says(&mut console, json!({"text": said, "reply_to": list, "quote": quote}));
        assert!(told.contains("Done: Fix the lamp"), "{said}: {told}");
        let (left, _) = says(&mut console, json!({"text": "what are my tasks?"}));
        assert!(left.contains("stamps") && left.contains("ferns") && !left.contains("lamp"), "{said}: {left}");
        // A quote of no single row says which of them is meant no better than the list does.
        let (told, _) =
            says(&mut console, json!({"text": said, "reply_to": list, "quote": "Buy stamps\nFix the lamp"}));
        assert!(!told.contains("Done:"), "{said}: {told}");
    }
}
