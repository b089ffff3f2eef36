//! What the person told in the chat is part of an answer about it; what they asked or ordered is not.

use super::ask;
use super::world::{World, demo_world};
use crate::support::program::{Console, done_of, messages_of, outcomes_of, text_of};

fn console(world: &World) -> Console {
    ask::console(world, &world.data())
}

fn services(lines: &[serde_json::Value]) -> Vec<String> {
    let messages = messages_of(lines);
    let sources = messages.iter().flat_map(|message| message["sources"].as_array().cloned().unwrap_or_default());
    sources.map(|source| source["service"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_was_told_is_among_what_is_known_of_it() {
    let world = demo_world();
    let mut console = console(&world);
    console.say("The garage says the car needs a new clutch before May");
    console.say("what about the clutch then, is it covered?");
    let about = console.say("tell me everything about the clutch");
    let text = text_of(&about);
    assert_eq!(done_of(&about)["path"], "investigate", "{text}");
    assert!(text.contains("You told me\n1. 💬 The garage says the car needs a new clutch before May"), "{text}");
    assert_eq!(services(&about), ["conversation"], "{text}");
    let pointed = console.say("remind me about 1");
    assert!(text_of(&pointed).contains("Number 1 is what you told me"), "{}", text_of(&pointed));
    assert!(outcomes_of(&pointed).is_empty());
    let opened = text_of(&console.say("open 1"));
    assert!(opened.contains("needs a new clutch before May"), "{opened}");
}

#[test]
fn what_reads_like_a_fraud_is_marked_where_it_is_shown() {
    let world = demo_world();
    let told = text_of(&console(&world).say("what did Northwind quote us?"));
    let rows: Vec<&str> = told.lines().filter(|line| line.contains("NW-3391")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.contains("⚠️ may be a fraud")), "{told}");
}

#[test]
fn a_question_that_finds_nothing_says_what_was_searched_for() {
    let world = demo_world();
    let mut console = console(&world);
    let lines = console.say("is there a unicorn in Patagonia?");
    let text = text_of(&lines);
    assert!(text.contains("couldn't work out that question; nothing was done"), "{text}");
    assert!(text.contains("I also searched your things for “") && text.contains("unicorn"), "{text}");
    let chat = text_of(&console.say("frobnicate the widgets"));
    assert!(!chat.contains("I also searched"), "an order asks nothing: {chat}");
}
