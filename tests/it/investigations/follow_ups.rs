//! What is asked of an answer: narrowed, opened, pointed at, explained; on the real binary, without a model.

use serde_json::Value;

use crate::support::program::{Console, Program, done_of, outcomes_of, text_of};

fn console() -> Console {
    Program::new().console(&["--demo", "--now", "2026-01-12T09:00:00Z", "--tz", "Europe/London"])
}

fn sources(lines: &[Value]) -> Vec<(u64, String, String)> {
    let messages = lines.iter().filter(|line| line["type"] == "message");
    let all = messages.flat_map(|message| message["sources"].as_array().cloned().unwrap_or_default());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    all.map(|source| (source["n"].as_u64().unwrap(), text(&source["service"]), text(&source["id"]))).collect()
}

#[test]
fn an_answer_has_numbered_sources_a_path_and_goes_on_with_more() {
    let mut console = console();
    let lines = console.say("what mails am I blocking people on?");
    assert_eq!(done_of(&lines)["path"], "investigate");
    assert_eq!(done_of(&lines)["llm_calls"], 0);
    let first = sources(&lines);
    assert_eq!(first.iter().map(|(n, ..)| *n).collect::<Vec<_>>(), (1..=10).collect::<Vec<u64>>());
    assert!(text_of(&lines).contains("… and 2 more."), "{}", text_of(&lines));
    let more = sources(&console.say("more"));
    assert_eq!(more.iter().map(|(n, ..)| *n).collect::<Vec<_>>(), [11, 12]);
    assert!(more.iter().all(|(.., id)| !first.iter().any(|(.., known)| known == id)));
}

#[test]
fn rows_are_narrowed_without_starting_over_and_can_be_explained() {
    let mut console = console();
    console.say("who is waiting for an answer from me?");
    let annas = text_of(&console.say("only from Anna"));
    assert!(annas.starts_with("🔎 2 of 12 from Anna:"), "{annas}");
    let why = text_of(&console.say("why?"));
    assert!(why.contains("metadata_filter") && why.contains("semantic_analysis"), "{why}");
    let met = text_of(&console.say("and of those, who do I meet tomorrow?"));
    assert!(met.contains("Standup") && !met.contains("Northwind"), "{met}");
    let trace = text_of(&console.say("/trace"));
    assert!(trace.contains("How I got there"), "{trace}");
}

#[test]
fn a_number_opens_a_row_and_what_is_done_with_it_passes_the_gate() {
    let mut console = console();
    console.say("what mails am I blocking people on?");
    console.say("only from Anna");
    let opened = text_of(&console.say("open 2"));
    assert!(opened.contains("Receipts for Berlin") && opened.contains("the receipt for the hotel deposit"), "{opened}");
    console.say("what mails am I blocking people on?");
    console.say("only from Anna");
    let card = console.say("reply to 2 that the fee belongs to the trip");
    let outcome = &outcomes_of(&card)[0];
    assert_eq!((outcome["command"].as_str(), outcome["status"].as_str()), (Some("reply_to_email"), Some("pending")));
    assert!(text_of(&card).contains("anna.kowalczyk@example.com"), "{}", text_of(&card));
    console.say("no");
    console.say("what mails am I blocking people on?");
    let nothing = text_of(&console.say("reply to 99 that I'm late"));
    assert!(nothing.contains("There is no number 99"), "{nothing}");
}

#[test]
fn the_words_of_a_mail_stay_somebody_elses_when_a_number_brings_them_in() {
    let mut console = console();
    console.say("what mails am I blocking people on?");
    console.say("only from Dana");
    let lines = console.say("remind me about the first tomorrow at 9");
    let outcome = &outcomes_of(&lines)[0];
    assert_eq!(outcome["status"], "pending", "a subject is not the person's own words: {}", text_of(&lines));
    assert!(text_of(&lines).contains("Our call about the pilot"), "{}", text_of(&lines));
}

#[test]
fn nothing_that_stands_in_a_mail_becomes_an_action() {
    let mut console = console();
    for question in [
        "everything about Leadspark",
        "find the invoice from Northwind",
        "what mails am I blocking people on?",
        "what needs me this week?",
    ] {
        let lines = console.say(question);
        assert!(outcomes_of(&lines).is_empty(), "{question}: {}", text_of(&lines));
    }
    let pending = text_of(&console.say("/pending"));
    assert!(pending.contains("Nothing"), "{pending}");
}

#[test]
fn a_question_that_no_template_fits_is_searched_and_said_to_be() {
    let mut console = console();
    let lines = console.say("is the parcel with the pottery at the corner shop?");
    assert_eq!(done_of(&lines)["path"], "investigate");
    assert!(text_of(&lines).contains("a search for"), "{}", text_of(&lines));
    assert!(!sources(&lines).is_empty());
    let lines = console.say("what is the tallest mountain of Bolivia?");
    assert_ne!(done_of(&lines)["path"], "investigate", "{}", text_of(&lines));
}

#[test]
fn two_questions_in_one_breath_have_an_answer_each() {
    let mut console = console();
    let told = text_of(&console.say("what did Anna promise me and what do I owe her?"));
    assert!(told.starts_with("🤝 I found no promise"), "nothing is promised that is not: {told}");
    assert!(told.contains("\n\n📬 2 conversations wait for an answer from you about “Anna”:\n1. ✉️ Anna"), "{told}");
    let told = text_of(&console.say("who owes me an answer, and what did Anna promise me?"));
    assert!(told.starts_with("⏳ You wait for others in 7 conversations:\n1. "), "{told}");
    assert!(told.contains("🤝 I found no promise"), "{told}");
    let told = text_of(&console.say("everything about the Berlin trip and what of it is open"));
    assert!(told.starts_with("🔎 About Berlin, 16 things:"), "{told}");
    let mut rest = told;
    while !rest.contains("📌 Still open about Berlin, ") {
        rest = text_of(&console.say("more"));
        assert!(rest.contains("💬") || rest.contains("✉️") || rest.contains("📅"), "what is open was dropped: {rest}");
    }
}

#[test]
fn a_heading_counts_what_it_speaks_of() {
    let mut console = console();
    let question = "who have I not answered since Friday and do I meet them this week?";
    let mut told = text_of(&console.say(question));
    let heading = told.lines().next().unwrap().to_owned();
    let mut rows = 0;
    // Each page has the rows of the first part, until the second begins.
    loop {
        let first = told.split("You meet").next().unwrap();
        rows += first.lines().filter(|line| line.contains(". ✉️")).count();
        if told.contains("You meet") {
            break;
        }
        told = text_of(&console.say("more"));
    }
    assert_eq!(heading, format!("📭 Not answered, {rows} things:"));
}
