//! What was forgotten is nowhere any more: not in what is kept, not in what was said, not in a byte of the data folder.

use std::fs;
use std::path::Path;

use brain_agent::archive::{Archive, ArchiveBounds, DATA};
use serde_json::Value;

use crate::support::program::{Console, Program, button, messages_of, text_of, wait_reached};

const CANARY: &str = "4711-Canary";
/// What it was before it was corrected.
const FORMER: &str = "9034-Zebra";
const ARGS: [&str; 4] = ["--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];

/// Tells the canary in several ways; what else was said stays.
fn is_told(console: &mut Console) {
    for words in [
        "remind me to water the plants tomorrow at 5pm".to_owned(),
        format!("remember that my PIN is {FORMER}"),
        "what do you remember about my PIN?".to_owned(),
        format!("remember that my PIN is {CANARY}"),
        format!("hello, do you like {} as a number?", CANARY.to_uppercase()),
        format!("\"{CANARY}\"\n\\{CANARY}\\ was it"),
        "/memory".to_owned(),
        "/export".to_owned(),
    ] {
        console.say(&words);
    }
}

/// Where the data folder has one of these, in any case.
fn places(folder: &Path, wanted: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(places(&path, wanted));
        } else if path.is_file() {
            let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
            for wanted in wanted {
                let wanted = wanted.to_ascii_lowercase();
                // An undo keeps records as numbers.
                let numbers = wanted.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
                for form in [wanted.as_bytes(), numbers.as_bytes()] {
                    if bytes.windows(form.len()).any(|window| window == form) {
                        found.push(format!("{wanted} in {}", path.display()));
                    }
                }
            }
        }
    }
    found
}

fn forgets(console: &mut Console) -> Vec<Value> {
    let card = console.say("/forget PIN");
    console.press(&button(&card, "approve"))
}

#[test]
fn what_was_forgotten_is_in_no_byte_of_the_data_folder() {
    let program = Program::new();
    let mut console = program.console(&ARGS);
    is_told(&mut console);
    assert!(!places(program.data_dir(), &[CANARY]).is_empty() && !places(program.data_dir(), &[FORMER]).is_empty());
    let told = text_of(&forgets(&mut console));
    assert!(told.contains("Forgotten"), "{told}");
    assert_eq!(places(program.data_dir(), &[CANARY, FORMER]), Vec::<String>::new(), "while it runs");
    for command in ["/export", "/memory", "/undo", "/pending", "what do you remember about my PIN?"] {
        let shown = format!("{:?}", console.say(command)).to_lowercase();
        assert!(!shown.contains("4711") && !shown.contains("9034"), "{command}: {shown}");
    }
    let exported = exports(program.data_dir());
    assert!(exported.contains("[forgotten]") && exported.contains("Water the plants"), "{exported}");
    drop(console);
    let again = text_of(&program.console(&ARGS).say("/tasks"));
    assert!(again.contains("Water the plants"), "{again}");
    assert_eq!(places(program.data_dir(), &[CANARY, FORMER]), Vec::<String>::new(), "after another start");
}

fn exports(data: &Path) -> String {
    let files = fs::read_dir(data.join("exports")).unwrap();
    let document = |path: &Path| {
        let mut archive = Archive::open(path, ArchiveBounds::default()).unwrap();
        String::from_utf8(archive.read(DATA).unwrap()).unwrap()
    };
    files.map(|file| document(&file.unwrap().path())).collect()
}

#[test]
fn somebody_elses_words_and_what_one_keeps_on_purpose_stay() {
    let program = Program::new();
    let mut console = program.console(&ARGS);
    console.say_as("bob", &format!("remember that my code is {CANARY}"));
    console.say(&format!("remind me to change {CANARY} tomorrow at 5pm"));
    console.say(&format!("remember that my PIN is {CANARY}"));
    let told = text_of(&forgets(&mut console));
    assert!(told.contains("1 task") && told.contains("left alone"), "{told}");
    let tasks = text_of(&console.say("/tasks"));
    assert!(tasks.contains(CANARY), "{tasks}");
    let bobs = text_of(&console.say_as("bob", "/memory"));
    assert!(bobs.contains(CANARY), "{bobs}");
}

#[test]
fn a_card_that_is_still_open_is_told_and_erased_once_it_is_decided() {
    let program = Program::new();
    let mut console = program.console(&ARGS);
    console.say(&format!("remember that my PIN is {CANARY}"));
    let mail = console.say(&format!("send an email to bob.miller@example.com saying the code is {CANARY}"));
    let told = text_of(&forgets(&mut console));
    assert!(told.contains("card that waits"), "{told}");
    let shown = console.say("/pending");
    assert!(text_of(&shown).contains("bob.miller@example.com"), "{shown:?}");
    console.press(&button(&mail, "cancel"));
    assert_eq!(places(program.data_dir(), &[CANARY]), Vec::<String>::new());
}

#[test]
fn killed_while_it_forgets_it_has_forgotten_at_the_next_start() {
    for border in ["answer-durable", "erasure-marked", "rewrite-copied", "rewrite-renamed", "erasure-scrubbed", "shown"]
    {
        let program = Program::new();
        let mut first = program.console(&ARGS);
        is_told(&mut first);
        let card = first.say("/forget PIN");
        first.kill();
        let dying = program.clone().fail_at(border);
        let mut second = dying.console(&ARGS);
        let press = serde_json::json!({"press": button(&card, "approve")});
        second.start_sending(&press.to_string());
        wait_reached(&dying.reached_file(), border);
        second.kill();
        let mut third = program.clone().without_failpoint().console(&ARGS);
        let tasks = third.say("/tasks");
        assert!(text_of(&tasks).contains("Water the plants"), "{border}: {tasks:?}");
        assert!(text_of(&tasks).contains("Forgotten"), "{border}: {tasks:?}");
        assert_eq!(places(program.data_dir(), &[CANARY, FORMER]), Vec::<String>::new(), "{border}");
        let left: Vec<_> = fs::read_dir(program.data_dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().contains("rewritten")), "{border}: {left:?}");
        assert!(messages_of(&third.say("/memory"))[0]["text"].as_str().unwrap().contains("nothing"), "{border}");
    }
}

#[test]
fn what_only_ordered_to_forget_it_is_no_answer() {
    for order in ["/forget locker", "forget my locker code", "please forget my locker code"] {
        let program = Program::new();
        let mut console = program.console(&ARGS);
        console.say(&format!("remember that my locker code is {CANARY}"));
        let card = console.say(order);
        console.press(&button(&card, "approve"));
        for question in [
            "what did we say about my locker code?",
            "what do you know about my locker code?",
            "what did I say about the locker?",
        ] {
            let told = text_of(&console.say(question));
            assert!(
                !told.contains("you said") && !told.to_lowercase().contains("forget my locker"),
                "{order}: {question}: {told}"
            );
        }
    }
}
