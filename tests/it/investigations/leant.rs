//! Questions in words that no phrase covers: what they lean to is looked up, said, and never done.

use super::ask;
use super::world::{World, demo_world};
use crate::support::program::{Console, done_of, outcomes_of, text_of};

fn console(world: &World) -> Console {
    ask::console(world, &world.data())
}

#[test]
fn a_question_never_becomes_an_entry() {
    let world = demo_world();
    let mut console = console(&world);
    for text in [
        "anything to think of before the roadmap review on Thursday night",
        "anyone to invite for dinner tomorrow at 7",
        "the boiler man is in this afternoon, remind me of everything",
        "can you answer Anna that I need the report?",
    ] {
        let lines = console.say(text);
        let told = text_of(&lines);
        assert!(outcomes_of(&lines).is_empty(), "{text}: {told}");
        for done in ["Added", "Sent", "Saved"] {
            assert!(!told.contains(done), "{text}: {told}");
        }
    }
}

#[test]
fn a_question_swallows_no_order() {
    let world = demo_world();
    for (text, done) in [
        ("which people have I still not answered? and remind me to call Bob tomorrow at 5", "call bob"),
        ("things I promised and haven't done. add milk to the shopping list", "milk"),
        ("remind me tomorrow at 9 to ask who still owes me an answer", "who still owes me an answer"),
    ] {
        let lines = console(&world).say(text);
        let told = text_of(&lines);
        assert!(told.to_lowercase().contains(done), "{text}: {told}");
        let is_asked = told.contains("Nothing is done yet");
        assert!(!outcomes_of(&lines).is_empty() || is_asked, "what was ordered is done or asked about: {told}");
    }
}

#[test]
fn a_condition_is_not_dropped_for_a_command_that_knows_none() {
    let world = demo_world();
    let told = console(&world).say("anything from last week I still havent answered");
    assert_eq!(done_of(&told)["path"], "investigate", "{}", text_of(&told));
    assert!(text_of(&told).starts_with("📭 Not answered"), "{}", text_of(&told));
}

#[test]
fn what_a_question_is_about_narrows_it_and_where_nothing_fits_it_is_said() {
    let world = demo_world();
    let told = text_of(&console(&world).say("am I the one holding up the zeppelin"));
    assert!(told.starts_with("🔎 I found nothing about “zeppelin” that waits for an answer from you."), "{told}");
    assert!(told.contains("conversations wait for an answer from you:\n1. "), "all there is comes below: {told}");
}

#[test]
fn somebody_is_known_as_whom_the_person_told_them_to_be() {
    let world = demo_world();
    let mut console = console(&world);
    let named = text_of(&console.say("what has Nina promised me?"));
    let told = text_of(&console.say("what has my sister promised me?"));
    let rows = |told: &str| told.lines().filter(|line| line.contains(". ✉️")).map(str::to_owned).collect::<Vec<_>>();
    assert!(!rows(&named).is_empty(), "{named}");
    assert_eq!(rows(&told), rows(&named), "{told}");
}
