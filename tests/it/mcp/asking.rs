//! A server that asks back in the middle of a call: the person is asked, and nobody else answers for them.

use super::hostile::{Hostile, one_of, tool};
use super::*;

/// A console with a server that offers these tools, all of them for reading.
fn reading(names: &[&str]) -> (Hostile, Program) {
    let hostile = Hostile::offering(names.iter().map(|name| tool(name, true)).collect());
    let program = hostile.program(json!({ "readOnly": names }));
    (hostile, program)
}

fn labels(lines: &Lines) -> Vec<String> {
    buttons_of(lines).iter().map(|button| button["text"].as_str().unwrap().to_owned()).collect()
}

fn press(console: &mut Console, lines: &Lines, label: &str) -> Lines {
    let pressed = buttons_of(lines).into_iter().find(|button| button["text"] == label).unwrap();
    console.press(pressed["data"].as_str().unwrap())
}

#[test]
fn the_answer_stands_on_a_card_and_goes_out_with_a_call_that_was_said_yes_to() {
    let hostile = Hostile::offering(json!([tool("ask_name", false)]));
    let mut console = hostile.program(json!({})).console(&[]);
    listed(&mut console, "Hostile");
    let card = console.say("use hostile: ask_name text=for Bob");
    let asked = console.press(&button(&card, "approve"));
    let told = text_of(&asked);
    assert_eq!(did(&asked), ["mcp:hostile.ask_name failed"]);
    assert!(told.contains("Hostile asks before it goes on:\n│ Who are you? ✅ Sent it to Bob\n│ name: "), "{told}");
    assert!(
        told.contains("What shall I tell it for “name”?") && told.contains("Never answer with a password"),
        "{told}"
    );
    let short = console.say("X");
    assert!(text_of(&short).contains("That doesn't fit"), "{}", text_of(&short));
    let card = console.say("Ana");
    let shown = text_of(&card);
    assert_eq!(did(&card), ["mcp:hostile.ask_name pending"]);
    assert!(shown.contains("Who are you?") && shown.contains("Ana") && shown.contains("for Bob"), "{shown}");
    assert_eq!(hostile.calls().len(), 1, "nothing is called before the yes");
    let done = console.press(&button(&card, "approve"));
    assert_eq!(did(&done), ["mcp:hostile.ask_name succeeded"]);
    assert!(text_of(&done).contains("action: accept") && text_of(&done).contains("Ana"), "{}", text_of(&done));
    assert_eq!(hostile.calls().len(), 2);
}

#[test]
fn choices_are_buttons_and_never_mind_ends_it() {
    let (hostile, program) = reading(&["ask_form", "look"]);
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    let asked = console.say("use hostile: ask_form");
    assert_eq!(labels(&asked), ["red", "green", "Never mind"], "{}", text_of(&asked));
    let next = press(&mut console, &asked, "green");
    assert_eq!(labels(&next), ["Yes", "No", "Never mind"], "{}", text_of(&next));
    let stale = press(&mut console, &asked, "red");
    assert!(text_of(&stale).contains("Nothing was done"), "{}", text_of(&stale));
    let done = console.say("no");
    let told = text_of(&done);
    assert_eq!(did(&done), ["mcp:hostile.ask_form succeeded"], "{told}");
    for part in ["colour: green", "sure: no", "level: 3"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    console.say("use hostile: ask_form");
    let at_once = console.say("colour=red, sure=yes, level=5");
    assert!(text_of(&at_once).contains("level: 5"), "{}", text_of(&at_once));
    for leaves in ["never mind", "no"] {
        let before = hostile.calls().len();
        console.say("use hostile: ask_form");
        assert!(text_of(&console.say(leaves)).contains("never mind"));
        assert!(!did(&console.say("green")).iter().any(|did| did.contains("ask_form")), "it is over");
        assert_eq!(hostile.calls().len(), before + 1);
    }
    assert_eq!(did(&console.say("use hostile: look")), ["mcp:hostile.look succeeded"]);
}

#[test]
fn secrets_pages_nested_and_huge_questions_reach_nobody() {
    let names = ["ask_secret", "ask_code", "ask_spelled", "ask_page", "ask_nested", "ask_big", "look"];
    let (hostile, program) = reading(&names);
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    for (name, why) in [
        ("ask_secret", "asks for a secret (“password”)"),
        ("ask_code", "asks for a secret (“tan”)"),
        ("ask_spelled", "in the servers file, or with “brain-agent mcp login”"),
        ("ask_page", "wants you to open a page of its own"),
        ("ask_nested", "no form with plain fields"),
        ("ask_big", "has more than 16 KB"),
    ] {
        let (status, said) = one_of(&console.say(&format!("use hostile: {name}")));
        assert!(status == "failed" && said.contains(why) && said.len() < 1_500, "{name}: {said}");
        assert!(!said.contains("asks before it goes on"), "{name}: {said}");
        let ignored = console.say("hunter2");
        assert!(!did(&ignored).iter().any(|did| did.contains(name)), "nothing waits for it");
    }
    assert_eq!(did(&console.say("use hostile: look")), ["mcp:hostile.look succeeded"]);
    assert_eq!(hostile.calls().len(), names.len(), "each once");
}

#[test]
fn who_asks_on_and_on_or_late_is_not_listened_to_for_ever() {
    let (hostile, program) = reading(&["ask_more", "ask_twice", "ask_late", "ask_forever", "look"]);
    let mut console = program.console(&[]).limit(Duration::from_secs(60));
    listed(&mut console, "Hostile");
    let mut said = console.say("use hostile: ask_more");
    for number in 0..3 {
        assert!(text_of(&said).contains(&format!("│ Question {number}?")), "{}", text_of(&said));
        said = console.say("okapi");
    }
    let (status, told) = one_of(&said);
    assert!(status == "failed" && told.contains("goes on asking") && told.contains("stopped at 3"), "{told}");
    let first = console.say("use hostile: ask_twice");
    assert!(text_of(&first).contains("│ First?"), "{}", text_of(&first));
    let second = console.say("alpaca");
    assert!(text_of(&second).contains("│ Second?"), "{}", text_of(&second));
    let both = text_of(&console.say("bison"));
    assert!(both.contains("alpaca") && both.contains("bison"), "{both}");
    assert_eq!(did(&console.say("use hostile: ask_late")), ["mcp:hostile.ask_late succeeded"]);
    std::thread::sleep(Duration::from_millis(500));
    assert!(!text_of(&console.say("/status")).contains("Who was that"));
    let (status, told) = one_of(&console.say("use hostile: ask_forever"));
    assert!(status == "failed" && told.contains("gave no answer"), "{told}");
    // Its questions may be those of the call before: they are asked of nobody, and it ends without them.
    let (status, told) = one_of(&console.say("use hostile: ask_twice"));
    assert!(status == "succeeded" && told.contains("cancel") && !told.contains("First?"), "{told}");
    assert_eq!(did(&console.say("use hostile: look")), ["mcp:hostile.look succeeded"]);
    assert_eq!(hostile.calls().iter().filter(|name| *name == "ask_forever").count(), 1);
}

#[test]
fn where_there_is_no_chat_a_question_is_refused() {
    let (_hostile, program) = reading(&["ask_name"]);
    let called = program.run(&["mcp", "call", "hostile", "ask_name", "{}"]);
    assert_eq!(called.code, 2, "{called:?}");
    assert!(called.stderr.contains("nobody can answer it here"), "{called:?}");
}

#[test]
fn how_far_a_call_is_stands_in_the_status_line() {
    let (_hostile, program) = reading(&["slow"]);
    let mut console = program.console(&[]);
    listed(&mut console, "Hostile");
    let lines = console.say("use hostile: slow");
    let status: Vec<&str> =
        lines.iter().filter(|line| line["type"] == "status").filter_map(|line| line["text"].as_str()).collect();
    assert!(
        status.iter().any(|text| text.starts_with("Asking Hostile… ") && text.contains(" %: copying the ⟨U+202E⟩file")),
        "{status:?}"
    );
    assert_eq!(did(&lines), ["mcp:hostile.slow succeeded"]);
}
