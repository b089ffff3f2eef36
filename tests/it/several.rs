//! All of several things, and one of them by its place in time: without a model, on the real program.

use brain_agent::core::outcome::Status;
use serde_json::json;

use crate::paging::{Bulk, batch};
use crate::rig::{ME, Rig, action, chat_of};
use crate::support::program::{Console, Program, did, outcomes_of, text_of};

const CANCELLED: &str = "calendar.delete_event succeeded";

fn open(program: &Program) -> Console {
    program.demo()
}

fn told(console: &mut Console, said: &str) -> String {
    text_of(&console.say(said))
}

#[test]
fn all_of_a_day_are_on_one_card_and_a_series_loses_that_day_alone() {
    let program = Program::new();
    let mut console = open(&program);
    console.say("gym every Tuesday and Thursday at 6pm");
    let card = told(&mut console, "cancel all my meetings tomorrow");
    for what in ["Standup", "Client call with Northwind", "Gym", "only this one goes"] {
        assert!(card.contains(what), "{what}: {card}");
    }
    assert!(told(&mut console, "what do I have tomorrow?").contains("Client call with Northwind"), "nothing yet");
    let listed = told(&mut console, "/pending");
    assert!(listed.contains("Gym"), "{listed}");
    assert_eq!(did(&console.say("yes 1")), [CANCELLED; 3]);
    let tomorrow = told(&mut console, "what do I have tomorrow?");
    assert!(!["Standup", "Client call", "Gym"].iter().any(|what| tomorrow.contains(what)), "{tomorrow}");
    assert!(told(&mut console, "what do I have on thursday?").contains("Gym"));
}

#[test]
fn all_of_what_is_not_there_or_is_too_much_is_refused_in_words() {
    let program = Program::new();
    let mut console = open(&program);
    assert_eq!(did(&console.say("cancel all my flights tomorrow")), ["calendar.delete_event failed"]);
    for n in 0..25 {
        console.say(&format!("add a note called Idea {n}: text {n}"));
    }
    let many = console.say("delete all my notes");
    let text = text_of(&many);
    assert_eq!(did(&many), ["keep.delete failed"]);
    assert!(text.contains("20 at once at most"), "{text}");
}

#[test]
fn two_days_are_two_events_and_the_last_one_is_found_by_its_place() {
    let program = Program::new();
    let mut console = open(&program);
    let lines = console.say("lunch with Sam on Tuesday and Thursday at noon");
    let starts: Vec<String> =
        outcomes_of(&lines).iter().map(|o| o["params"]["start_time"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(starts.len(), 2, "{lines:#?}");
    assert!(starts[0].starts_with("2026-01-13T12:00") && starts[1].starts_with("2026-01-15T12:00"), "{starts:?}");
    let card = told(&mut console, "cancel my first lunch with Sam");
    assert!(card.contains("tomorrow (Tue 13 Jan) at 12:00"), "{card}");
    assert_eq!(did(&console.say("yes")), [CANCELLED]);
    assert!(told(&mut console, "when is the lunch with Sam?").contains("Thu 15 Jan at 12:00"));
}

#[tokio::test]
async fn several_alls_of_one_plan_stay_within_what_a_plan_may_hold() {
    let rig = Rig::plain();
    let bulk = Bulk { owner: ME.to_owned(), chat: chat_of(ME).to_string() };
    rig.store.put_quietly(batch((0..15).map(|n| bulk.task(n, None))));
    let all = || action("task", "complete", json!({"find_by": "all tasks"}));
    rig.plans(json!([all(), all()]));
    let answer = rig.says("do all of it, twice").await;
    let count = |status| answer.done.outcomes.iter().filter(|outcome| outcome.status == status).count();
    assert_eq!((count(Status::Succeeded), count(Status::Failed)), (15, 1), "{}", answer.text());
    assert!(answer.text().contains("more than the 20 things I take on at once"), "{}", answer.text());
}
