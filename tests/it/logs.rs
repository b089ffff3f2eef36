//! Logs as objects: every line is one, each line of a turn carries its id, and none what somebody said.

use std::time::Duration;

use serde_json::Value;

use crate::support::bot_api::FakeBotApi;
use crate::support::program::Program;

const ANNA: i64 = 1_001;

fn lines(stderr: &str) -> Vec<Value> {
    stderr.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect()
}

/// The turn that a line belongs to.
fn turn(line: &Value) -> Option<&str> {
    line["spans"].as_array()?.iter().find_map(|span| span["turn"].as_str())
}

#[test]
fn every_line_is_an_object_and_each_of_a_turn_carries_its_id_and_no_word_of_it() {
    let api = FakeBotApi::start_blocking();
    // No model answers there, so that there is something to warn about.
    let program = Program::new()
        .env("BRAIN_ADMINS", &ANNA.to_string())
        .env("BRAIN_ADMIN_ADDR", "127.0.0.1:0")
        .env("BRAIN_LOG_FORMAT", "json")
        .env("RUST_LOG", "info")
        .env("LLM_BASE_URL", "http://127.0.0.1:1/v1")
        .env("LLM_MODEL", "small");
    let mut daemon = program.daemon(&api);
    for _ in 0..600 {
        if !api.calls("getUpdates").is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    api.open_chat(ANNA);
    api.user_says(ANNA, "tell me a story about the quokka");
    for _ in 0..600 {
        if !api.messages(ANNA).is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!api.messages(ANNA).is_empty(), "{}", daemon.stderr());
    assert!(daemon.is_running());
    let stderr = daemon.stderr();
    assert_eq!(daemon.terminate(), 0);
    assert!(!stderr.contains("quokka"), "{stderr}");
    let lines = lines(&stderr);
    let says = |words: &str| lines.iter().any(|line| line["message"].as_str().is_some_and(|said| said.contains(words)));
    assert!(says("Serving Telegram as @") && says("The operator's page is at"), "{stderr}");
    let told = program.run(&["turns", "--json"]).json_lines();
    let id = told[0]["id"].as_str().unwrap();
    let nodes: Vec<&Value> = lines.iter().filter(|line| line["message"] == "node").collect();
    assert!(!nodes.is_empty() && nodes.iter().all(|line| turn(line) == Some(id)), "{id}: {stderr}");
    // The endpoint that does not answer was asked for this turn alone.
    let warnings: Vec<&Value> = lines.iter().filter(|line| line["level"] == "WARN").collect();
    assert!(!warnings.is_empty() && warnings.iter().all(|line| turn(line) == Some(id)), "{id}: {stderr}");
}

#[test]
fn the_end_of_a_process_that_cannot_start_is_an_object_as_well_and_text_stays_as_it_was() {
    let ended = Program::new().env("BRAIN_LOG_FORMAT", "json").env("BRAIN_TIMEZONE", "Mars/Base").run(&["serve"]);
    assert_eq!((ended.code, lines(&ended.stderr).len()), (2, 1), "{}", ended.stderr);
    assert!(lines(&ended.stderr)[0]["message"].as_str().unwrap().contains("BRAIN_TIMEZONE"), "{}", ended.stderr);
    // The file of settings says it as well as the environment.
    let program = Program::new();
    std::fs::write(program.cwd().join(".env"), "BRAIN_LOG_FORMAT=json\n").unwrap();
    let ended = program.run(&["serve"]);
    assert!(lines(&ended.stderr).iter().any(|line| line["level"] == "ERROR"), "{}", ended.stderr);
    let ended = Program::new().run(&["serve"]);
    assert!(ended.stderr.starts_with("brain-agent: TELEGRAM_BOT_TOKEN is not set"), "{}", ended.stderr);
}
