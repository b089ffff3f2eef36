//! Which messages stand alone.

use crate::services::tests::requests::BUILDERS;
use brain_language::language::continuation::*;

/// Requests as people send several of them in a row; each is complete.
const COMPLETE: [&str; 28] = [
    "buy milk",
    "call mom",
    "water the plants",
    "remind me to pay the rent on friday",
    "lunch with anna tomorrow at noon",
    "tomorrow call the bank",
    "at 5 dinner with anna",
    "on friday i have a dentist appointment at 3",
    "in 10 minutes remind me to stretch",
    "before the call send bob the slides",
    "for tomorrow's meeting prepare the slides",
    "turn the heating on",
    "remind me to put the bins out",
    "hand the report in",
    "who is the meeting with",
    "what is that for",
    "cancel that",
    "show me what i have to do",
    "what's the weather like?",
    "before lunch call bob",
    "call off date night :(",
    "add lisa to my contacts, lisa@example.com",
    "reply to hannah that we'd love to",
    "kauf milch",
    "ruf mama an",
    "mach das licht an",
    "comprar leche",
    "hello",
];

#[test]
fn a_sentence_in_parts_reads_on() {
    for (before, next) in [
        ("remind me", "to buy milk"),
        ("remind me to buy milk", "tomorrow 9am"),
        ("Remind me to buy milk", "Tomorrow at 9"),
        ("remind me to", "Call mom"),
        ("can you", "remind me to call mom"),
        ("lunch tomorrow", "with Anna"),
        ("lunch with anna and", "bob at noon"),
        ("buy milk,", "eggs"),
        ("shopping:", "milk"),
        ("email bob about the", "budget"),
        ("email bob", "about the budget"),
        ("add eggs", "on my shopping list"),
        ("add eggs", "and bread"),
        ("book a table for", "four"),
        ("email bob saying \"I'll be late", "by an hour\""),
        ("note (for myself", "only)"),
        ("meet bob in", "Berlin"),
        ("hmm...", "the new place"),
        ("remind me to call mom", "please"),
        ("remind me to call mom", "every monday"),
        ("remind me to call mom", "tomorrow please"),
        ("yes", "but to max"),
        ("erinnere mich", "morgen an den zahnarzt"),
        ("termin mit anna", "morgen um 9 uhr"),
    ] {
        assert!(reads_on(before, next, BUILDERS), "{before:?} | {next:?}");
    }
}

#[test]
fn complete_requests_never_read_on_whatever_their_order() {
    for before in COMPLETE {
        for next in COMPLETE {
            assert!(!reads_on(before, next, BUILDERS), "{before:?} | {next:?}");
        }
    }
}

#[test]
fn no_request_of_the_evaluation_is_taken_for_the_rest_of_another() {
    let lines = include_str!("../../../../../data/eval/plan_regression.jsonl").lines();
    let cases = lines.filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let alone =
        cases.filter(|case| case.get("history").is_none() && case["expect"].as_array().is_some_and(|e| !e.is_empty()));
    let texts: Vec<String> = alone.filter_map(|case| case["text"].as_str().map(str::to_owned)).collect();
    let merged: Vec<_> = texts.windows(2).step_by(4).filter(|two| reads_on(&two[0], &two[1], BUILDERS)).collect();
    println!("{} of {}", merged.len(), texts.len());
    for two in merged {
        println!("M {two:?}");
    }
}
#[test]
fn what_stands_alone_asks_for_something_and_speaks_of_nothing_before() {
    for text in ["call mom", "remind me to pay the rent", "what's on tomorrow?"] {
        assert!(stands_alone(text, BUILDERS), "{text}");
    }
    for text in ["but to max", "send it to max", "wait", "tomorrow", "make it 5pm", "remind me first to check it", ""] {
        assert!(!stands_alone(text, BUILDERS), "{text}");
    }
}
