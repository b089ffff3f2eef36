//! What is kept is found, whatever happened to the index of it: it is only ever made again.

use std::fs;

use crate::support::program::{Console, Program, text_of, wait_reached};

const ARGS: [&str; 4] = ["--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];
const ASKS: &str = "I finished the plants";
/// Whoever has mails has an index, whatever else there is.
const READS: &str = "show my unread emails";

fn is_told(program: &Program) -> Console {
    let folder = program.data_dir().join("mail/me/new");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("1768000001.mail"), "From: Bob <bob@example.com>\nSubject: Letter\n\nHello\n").unwrap();
    let mut console = program.console(&ARGS);
    console.say("remind me to water the plants tomorrow at 5pm");
    console.say("remind me to pay the rent on Friday at noon");
    assert!(text_of(&console.say(READS)).contains("Letter"));
    console
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
        "mails-brought",
        "index-before-trim",
    ] {
        let program = Program::new();
        is_told(&program).kill();
        let _ = fs::remove_dir_all(program.data_dir().join("search"));
        let dying = program.clone().fail_at(border);
        let mut second = dying.console(&ARGS);
        second.start_sending(&serde_json::json!({ "text": READS }).to_string());
        wait_reached(&dying.reached_file(), border);
        second.kill();
        let mut third = program.clone().without_failpoint().console(&ARGS);
        let told = text_of(&third.say("/tasks"));
        assert!(told.contains("Pay the rent"), "{border}: {told}");
        third.say("remind me to mow the lawn tomorrow at 6pm");
        let told = text_of(&third.say("I finished the lawn"));
        assert!(told.contains("Mow the lawn") && told.contains('✅'), "{border}: {told}");
        assert!(text_of(&third.say(READS)).contains("Letter"), "{border}");
    }
}

#[test]
fn an_index_that_is_gone_or_damaged_costs_nothing_else() {
    let program = Program::new();
    drop(is_told(&program));
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

#[test]
fn whatever_is_kept_is_its_owners_alone_whatever_the_shell_allows_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::new();
    drop(is_told(&program));
    let mut folders = vec![program.data_dir().to_owned()];
    let mut seals = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let about = entry.metadata().unwrap();
            // A mailbox of the test's own is not ours.
            let is_ours = !entry.path().starts_with(program.data_dir().join("mail"));
            assert!(!is_ours || about.permissions().mode() & 0o077 == 0, "{}", entry.path().display());
            seals += usize::from(entry.file_name() == "seal");
            if about.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    assert!(seals > 0);
}
