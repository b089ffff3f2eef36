use chrono_tz::Europe::Berlin;
use serde_json::json;

use super::record::TOLD;
use super::*;
use crate::services::catalog::registry::Registration;
use crate::services::contract::service::ContextRequest;
use crate::services::contract::service::Prepared;
use crate::testing::World;
use brain_core::core::plan::Action;
use brain_core::core::provenance::UntrustedText;

mod meaning;

fn world() -> (World, Registration) {
    let world = World::at(Berlin, "2026-01-12 12:00");
    let memory = world.service(NAME);
    (world, memory)
}

async fn learn(world: &World, memory: &Registration, category: &str, key: &str, value: &str) -> String {
    world.run_told(memory, "store", json!({"category": category, "key": key, "value": value})).await.1
}

async fn recalled(world: &World, memory: &Registration, query: &str) -> Vec<String> {
    let result = world.run(memory, "recall", json!({"query": query})).await;
    let memories = result["memories"].as_array().unwrap();
    memories.iter().map(|m| m["key"].as_str().unwrap().to_owned()).collect()
}

async fn family(world: &World, memory: &Registration) {
    for (category, key, value) in [
        ("family", "sister", "The sister is called Nina; she lived in Berlin"),
        ("travel", "seat", "Prefers window seats"),
        ("travel", "passport", "The passport is in the blue folder"),
        ("work", "home_office", "Works from home on Fridays"),
        ("health", "allergy", "Allergic to peanuts"),
    ] {
        learn(world, memory, category, key, value).await;
    }
}

#[tokio::test]
async fn questions_recall_what_answers_them_best_first() {
    let (world, memory) = world();
    family(&world, &memory).await;
    for (query, best) in [
        ("my sister", "sister"),
        ("What do you know about my sister?", "sister"),
        ("where is my passport", "passport"),
        ("which seats do I like", "seat"),
        ("alergies", "allergy"),
        ("working from home", "home_office"),
        ("Nina", "sister"),
    ] {
        assert_eq!(recalled(&world, &memory, query).await.first().map(String::as_str), Some(best), "{query}");
    }
    assert!(recalled(&world, &memory, "bicycle").await.is_empty());
    for query in ["everything", "all", "what do you remember about me?"] {
        assert_eq!(recalled(&world, &memory, query).await.len(), 5, "{query}");
    }
    let wanted = ContextRequest { message: "book me a seat".into(), limit: 5, in_sight_from: None };
    let noticed = memory.service.notice(&world.ctx, &wanted).await.unwrap();
    assert_eq!(noticed[0].line, "seat: Prefers window seats");
}

#[tokio::test]
async fn a_known_name_is_replaced_and_that_is_told() {
    let (world, memory) = world();
    assert_eq!(learn(&world, &memory, "travel", "seat", "window").await, "🧠 Remembered: seat — window");
    assert_eq!(
        learn(&world, &memory, "preference", "Seat", "aisle").await,
        "🧠 Remembered: Seat — aisle (instead of “window”)"
    );
    assert_eq!(learn(&world, &memory, "preference", "seat", "aisle").await, "🧠 Remembered: seat — aisle");
    assert_eq!(recalled(&world, &memory, "everything").await, ["seat"]);
}

#[tokio::test]
async fn facts_are_corrected_and_forgotten_by_name_or_words() {
    let (world, memory) = world();
    family(&world, &memory).await;
    let params = json!({"key": "home office", "new_value": "Works from home on Mondays"});
    let (_, told) = world.run_told(&memory, "update", params).await;
    assert_eq!(told, "🧠 Updated: home_office — Works from home on Mondays");
    let stale = world.action(&memory, "forget", json!({"find_by": "peanut allergy"})).await;
    world.run(&memory, "update", json!({"key": "allergy", "new_value": "None"})).await;
    assert!(world.fails(&memory, stale).await.contains("changed meanwhile"));
    let (_, told) = world.run_told(&memory, "forget", json!({"find_by": "allergy"})).await;
    assert_eq!(told, "🗑 Forgotten: allergy");
    assert!(recalled(&world, &memory, "allergy").await.is_empty());
    let none = world.found(&memory, "forget", "motorcycle").await;
    assert!(none.is_empty());
}

#[tokio::test]
async fn newer_facts_win_among_equally_relevant_ones() {
    let (mut world, memory) = world();
    learn(&world, &memory, "home", "old door code", "door code 1111").await;
    world.move_to("2026-06-12 12:00");
    learn(&world, &memory, "home", "new door code", "door code 2222").await;
    assert_eq!(recalled(&world, &memory, "door code").await, ["new door code", "old door code"]);
}

#[tokio::test]
async fn bad_input_fails_in_a_sentence() {
    let (world, memory) = world();
    for (command, params, why) in [
        ("store", json!({"category": "x", "key": "y", "value": "\u{0}"}), "nothing to remember"),
        (
            "store",
            json!({"category": "x", "key": " ", "value": "v"}),
            "as it stands (key is missing); nothing was changed.",
        ),
        ("store", json!({"category": "x", "key": "\u{0}", "value": "v"}), "needs a name"),
        ("update", json!({"key": "x", "new_value": "y"}), "which memory"),
    ] {
        let action = Action {
            service: "memory".into(),
            command: command.into(),
            params: params.as_object().unwrap().clone(),
            ..Action::default()
        };
        let told = world.fails(&memory, action).await;
        assert!(told.contains(why), "{command}: {told}");
    }
}

#[tokio::test]
async fn others_words_stay_theirs_until_the_person_says_it_themself() {
    let (world, memory) = world();
    let plumber = |value: &str| json!({"category": "home", "key": "plumber", "value": value});
    let note = UntrustedText::new("a mail from Bob", "").kept_in("a note");
    world.run_of(&memory, "store", plumber("Mallory Drain"), &note).await;
    let (recalled, noticed) = world.untrusted(&memory, "recall", json!({"query": "plumber"})).await;
    let words = |text: &str| UntrustedText::new("a mail from Bob", text).kept_in("a memory");
    assert_eq!(recalled, ["home", "plumber", "Mallory Drain"].map(words));
    assert_eq!(noticed, recalled);
    let Prepared::Ready { untrusted, .. } = world.prepare(&memory, "forget", json!({"find_by": "plumber"})).await
    else {
        panic!("not found");
    };
    assert_eq!(untrusted, recalled);
    let exported = &memory.service.export(&world.ctx.owner).await.unwrap()[0].1[0];
    assert_eq!(exported["source"], "a mail from Bob", "{exported}");
    // Told what stood there before, and that was somebody else's.
    let (told, noticed) = world.untrusted(&memory, "store", plumber("Ann")).await;
    assert_eq!((told.len(), noticed), (3, Vec::new()));
    assert_eq!(memory.service.export(&world.ctx.owner).await.unwrap()[0].1[0]["source"], TOLD);
}

#[tokio::test]
async fn memories_of_an_older_program_are_read() {
    let (world, memory) = world();
    learn(&world, &memory, "home", "plumber", "Ann").await;
    let exported = memory.service.export(&world.ctx.owner).await.unwrap()[0].1[0].clone();
    assert!(exported.get("others").is_none(), "{exported}");
    assert!(serde_json::from_value::<Memory>(exported).unwrap().others.is_empty());
}
