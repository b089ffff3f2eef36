//! A long conversation is being shortened, and the process ends: every message is there, and the summary comes once.

use std::time::{Duration, Instant};

use brain_agent::app;
use brain_agent::ports::RecordExt as _;
use brain_agent::ports::records::{CompressionTrace, ConversationSummary, Message, Speaker};

use serde_json::json;

use super::each;
use crate::rig::action;
use crate::support::model_server::{ModelReply, ModelRequest, ModelServer};
use crate::support::program::{Console, Program, text_of, wait_reached};

const TURNS: usize = 6;
const ARGS: [&str; 2] = ["--tz", "UTC"];
/// Long after the test is over.
const NEVER: Duration = Duration::from_secs(600);
const PATIENCE: Duration = Duration::from_secs(60);

fn asked_for(thing: usize) -> String {
    format!("remind me to buy thing {thing} at the shop around the corner tomorrow at 5pm")
}

/// As many turns as make a conversation long; the last is not waited for where something stops there.
fn talks(console: &mut Console) {
    for thing in 0..TURNS {
        let told = text_of(&console.say(&asked_for(thing)));
        assert!(told.to_lowercase().contains(&format!("thing {thing}")), "{told}");
    }
}

/// A model that plans what [`asked_for`] asks.
fn obliges(request: &ModelRequest) -> ModelReply {
    let prompt = request.prompt();
    let said = prompt.rsplit("\nRequest: ").next().unwrap_or_default();
    let thing: String =
        said.split("thing ").nth(1).unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
    match request.stage.as_str() {
        "route" => ModelReply::route("action", &["task"]),
        "plan" => {
            let title = format!("Buy thing {thing} at the shop around the corner");
            ModelReply::plan(&[action("task", "create", json!({"title": title, "deadline": "tomorrow at 5pm"}))])
        }
        _ => ModelReply::text("Fine."),
    }
}

/// Asks until there is a summary: every turn names a conversation that is too long.
fn is_shortened(console: &mut Console, border: &str) {
    let began = Instant::now();
    loop {
        let told = text_of(&console.say("/memory conversation"));
        if told.contains("older messages") {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{border}: {told}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What is in the data folder once nobody uses it.
fn books(program: &Program) -> (Vec<Message>, Vec<ConversationSummary>, Vec<CompressionTrace>) {
    app::runtime().unwrap().block_on(async {
        let store = app::open_store(program.data_dir()).await.unwrap();
        let books = (
            store.list_all::<Message>(&[]).await.unwrap(),
            store.list_all::<ConversationSummary>(&[]).await.unwrap(),
            store.list_all::<CompressionTrace>(&[]).await.unwrap(),
        );
        store.close().await;
        books
    })
}

fn check(program: &Program, border: &str) {
    let (messages, summaries, traces) = books(program);
    for thing in 0..TURNS {
        let said = messages.iter().filter(|message| message.text == asked_for(thing)).count();
        let told = |message: &&Message| {
            message.speaker == Speaker::Assistant && message.text.to_lowercase().contains(&format!("buy thing {thing}"))
        };
        assert_eq!(said, 1, "{border}: {messages:#?}");
        assert!(messages.iter().any(|message| told(&message)), "{border}: {messages:#?}");
    }
    let numbers: Vec<u64> = messages.iter().map(|message| message.number).collect();
    assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "{border}: {numbers:?}");
    let [summary] = summaries.as_slice() else { panic!("{border}: {summaries:#?}") };
    let mut made: Vec<(u64, u64)> =
        traces.iter().filter(|trace| trace.fallback.is_none()).map(|trace| trace.covers).collect();
    made.sort_unstable();
    // From the first message on, each covered once.
    assert_eq!(made[0].0, numbers[0], "{border}: {made:?}");
    assert!(made.windows(2).all(|two| two[0].1 + 1 == two[1].0), "{border}: {made:?}");
    assert_eq!(made.last().unwrap().1, summary.until, "{border}: {made:?}");
    assert_eq!(summary.messages, summary.until - numbers[0] + 1, "{border}: {summary:#?}");
    let text = &summary.summary.own().text;
    assert_eq!(text.matches("thing 0").count(), 1, "{border}: {text}");
}

#[test]
fn killed_beside_the_commit_of_a_summary_every_message_is_there_and_it_is_made_once() {
    each(&["summary-before", "summary-durable"], |border| {
        let program = Program::new();
        let dying = program.clone().fail_at(border);
        let mut first = dying.console(&ARGS);
        for thing in 0..TURNS {
            first.start_sending(&json!({"text": asked_for(thing)}).to_string());
            let told = text_of(&first.answer("a thing"));
            assert!(told.to_lowercase().contains(&format!("thing {thing}")), "{border}: {told}");
        }
        wait_reached(&dying.reached_file(), border);
        first.kill();
        let mut second = program.clone().without_failpoint().console(&ARGS);
        is_shortened(&mut second, border);
        assert_eq!(second.finish().code, 0);
        check(&program, border);
    });
}

#[test]
fn killed_while_a_model_words_a_summary_every_message_is_there_and_it_is_made_once() {
    let slow = ModelServer::start(|request| match request.stage.as_str() {
        "summarize" => ModelReply::text("They asked for thing 0.").after(NEVER),
        _ => obliges(request),
    });
    let quick = ModelServer::start(|request| match request.stage.as_str() {
        "summarize" => ModelReply::text("The person asked to be reminded to buy thing 0 and thing 1 tomorrow at 5pm."),
        _ => obliges(request),
    });
    let program = Program::new();
    let mut first = program.clone().whole_plans(&slow).console(&ARGS);
    talks(&mut first);
    let began = Instant::now();
    while slow.calls_of("summarize").is_empty() {
        assert!(began.elapsed() < PATIENCE, "{:?}", slow.stages());
        std::thread::sleep(Duration::from_millis(5));
    }
    // Nobody waits for it.
    assert!(text_of(&first.say("/help")).contains("/cancel"));
    first.kill();
    let (messages, summaries, _) = books(&program);
    assert!(summaries.is_empty() && messages.len() >= 2 * TURNS, "{summaries:#?}");
    let mut second = program.clone().whole_plans(&quick).console(&ARGS);
    is_shortened(&mut second, "by a model");
    assert_eq!(second.finish().code, 0);
    check(&program, "by a model");
    assert_eq!(quick.calls_of("summarize").len(), 1);
}
