//! What is kept is found, whatever happened to the index of it: it is only ever made again.

use std::fs;

use crate::support::program::{Console, Program, text_of, wait_reached};

const ARGS: [&str; 4] = ["--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];
const ASKS: &str = "I finished the plants";

fn is_told(console: &mut Console) {
    console.say("remind me to water the plants tomorrow at 5pm");
    console.say("remind me to pay the rent on Friday at noon");
}

fn finds(console: &mut Console, when: &str) {
    let told = text_of(&console.say(ASKS));
    assert!(told.contains("Water the plants") && told.contains('✅'), "{when}: {told}");
    let left = text_of(&console.say("/tasks"));
    assert!(left.contains("Pay the rent"), "{when}: {left}");
}

#[test]
fn killed_at_any_border_of_the_index_it_finds_the_same_at_the_next_start() {
    for border in [
        "index-written",
        "index-committed",
        "index-built-page",
        "index-synced",
        "index-seal-written",
        "index-sealed",
        "index-built",
    ] {
        let program = Program::new();
        let mut first = program.console(&ARGS);
        is_told(&mut first);
        first.kill();
        let _ = fs::remove_dir_all(program.data_dir().join("search"));
        let dying = program.clone().fail_at(border);
        let mut second = dying.console(&ARGS);
        second.start_sending(&serde_json::json!({ "text": ASKS }).to_string());
        wait_reached(&dying.reached_file(), border);
        second.kill();
        let mut third = program.clone().without_failpoint().console(&ARGS);
        // Where it was killed, the request of the life before may have been carried out by now: say it anew.
        let told = text_of(&third.say("/tasks"));
        assert!(told.contains("Pay the rent"), "{border}: {told}");
        third.say("remind me to mow the lawn tomorrow at 6pm");
        let told = text_of(&third.say("I finished the lawn"));
        assert!(told.contains("Mow the lawn") && told.contains('✅'), "{border}: {told}");
    }
}

#[test]
fn an_index_that_is_gone_or_damaged_costs_nothing_else() {
    let program = Program::new();
    let mut first = program.console(&ARGS);
    is_told(&mut first);
    drop(first);
    let search = program.data_dir().join("search");
    assert!(search.exists(), "it is kept beside the store");
    let mut files = Vec::new();
    for folder in fs::read_dir(&search).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        files.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    assert!(!files.is_empty());
    for file in files {
        fs::write(file, b"not what it was").unwrap();
    }
    finds(&mut program.console(&ARGS), "damaged");
}
