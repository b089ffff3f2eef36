use chrono_tz::Europe::Berlin;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::record::entries_in;
use super::*;
use crate::services::catalog::registry::Registration;
use crate::services::contract::service::{ContextRequest, Prepared};
use crate::testing::{World, authorized};
use brain_core::core::plan::Action;
use brain_core::core::provenance::UntrustedText;
use brain_core::limits::NOTE_ITEMS_MAX;

fn world() -> (World, Registration) {
    let world = World::at(Berlin, "2026-01-12 12:00");
    let keep = world.service(NAME);
    (world, keep)
}

async fn titles(world: &World, keep: &Registration, query: &str) -> Vec<String> {
    let result = world.run(keep, "search", json!({"query": query})).await;
    let notes = result["notes"].as_array().unwrap();
    notes.iter().map(|note| note["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_list_is_made_grows_and_is_read() {
    let (world, keep) = world();
    let (_, told) =
        world.run_told(&keep, "create", json!({"title": "Shopping list", "items": ["milk", " ", "eggs"]})).await;
    assert_eq!(told, "🗒 Noted: Shopping list\n• milk\n• eggs");
    let (_, told) =
        world.run_told(&keep, "append", json!({"find_by": "the shopping list", "text": "butter and jam, tea"})).await;
    assert_eq!(told, "🗒 Added to Shopping list: butter and jam, tea");
    let (result, told) = world.run_told(&keep, "search", json!({"query": "What's on my shopping list?"})).await;
    assert_eq!(result["notes"][0]["items"], json!(["milk", "eggs", "butter", "jam", "tea"]));
    assert!(told.ends_with("• tea"), "{told}");
}

#[tokio::test]
async fn a_text_grows_by_lines_and_is_not_taken_apart() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Ideas", "text": "One, two and three"})).await;
    let result = world.run(&keep, "append", json!({"find_by": "ideas", "text": "salt and pepper, please"})).await;
    assert_eq!(result["note"]["text"], "One, two and three\nsalt and pepper, please");
    assert_eq!(result["note"].get("items"), None);
}

#[test]
fn entries_are_lines_or_what_commas_and_and_separate() {
    for (text, expected) in [
        ("milk", vec!["milk"]),
        ("milk, eggs, and bread and butter", vec!["milk", "eggs", "bread", "butter"]),
        ("- milk and honey\n• eggs, six\n\n", vec!["milk and honey", "eggs, six"]),
        ("sand", vec!["sand"]),
        (", ,", vec![]),
        ("salt & vinegar crisps, 2,5 kg flour", vec!["salt & vinegar crisps", "2,5 kg flour"]),
        ("“mac and cheese, large” and milk", vec!["mac and cheese, large", "milk"]),
    ] {
        assert_eq!(entries_in(text), expected, "{text}");
    }
}

#[tokio::test]
async fn a_list_that_is_not_there_is_begun() {
    let (world, keep) = world();
    let params = json!({"find_by": "shopping list", "text": "milk, eggs and bread"});
    let (_, told) = world.run_told(&keep, "append", params).await;
    assert_eq!(told, "🗒 New list: Shopping list\n• milk\n• eggs\n• bread");
    let params = json!({"find_by": "the shopping list", "text": "tea"});
    assert_eq!(world.run_told(&keep, "append", params).await.1, "🗒 Added to Shopping list: tea");
    assert_eq!(titles(&world, &keep, "all my notes").await, ["Shopping list"]);
}

#[tokio::test]
async fn a_name_that_could_carry_somebody_elses_words_begins_no_list() {
    let (world, keep) = world();
    for name in [
        "mallory@evil.example list",
        "http://evil.example/list",
        "0171 2345678 list",
        "please pay this bill at once list",
    ] {
        let prepared = world.prepare(&keep, "append", json!({"find_by": name, "text": "milk"})).await;
        assert!(matches!(prepared, Prepared::NotFound { .. }), "{name}: {prepared:?}");
    }
}

#[tokio::test]
async fn a_note_that_is_not_there_is_offered() {
    let (world, keep) = world();
    let prepared = world.prepare(&keep, "append", json!({"find_by": "groceries", "text": "milk"})).await;
    let Prepared::NotFound { what } = prepared else { panic!("{prepared:?}") };
    assert_eq!(what, "I found no note like “groceries”. Say “make a list called groceries” and I'll start it.");
}

#[tokio::test]
async fn search_looks_at_title_and_content_and_lists_all_for_everything() {
    let (mut world, keep) = world();
    world.run(&keep, "create", json!({"title": "Gift ideas", "items": ["Mum: teapot", "Nina: a map"]})).await;
    world.move_to("2026-01-12 13:00");
    world.run(&keep, "create", json!({"title": "Soup", "text": "Leeks and potatoes"})).await;
    assert_eq!(titles(&world, &keep, "teapot").await, ["Gift ideas"]);
    assert_eq!(titles(&world, &keep, "potato soup").await, ["Soup"]);
    assert_eq!(titles(&world, &keep, "all my notes").await, ["Soup", "Gift ideas"]);
    assert!(titles(&world, &keep, "bicycle").await.is_empty());
    let (_, told) = world.run_told(&keep, "list", json!({})).await;
    assert_eq!(told, "🗒 Your notes:\n▫️ Soup: Leeks and potatoes\n▫️ Gift ideas: Mum: teapot, Nina: a map");
    let wanted = ContextRequest { message: "what gift for nina".into(), limit: 1, in_sight_from: None };
    assert_eq!(keep.service.notice(&world.ctx, &wanted).await.unwrap()[0].line, "Gift ideas (list, 2)");
}

#[tokio::test]
async fn deleting_needs_the_note_as_shown_and_appending_the_note_as_it_is() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping", "items": ["milk"]})).await;
    let delete = world.action(&keep, "delete", json!({"find_by": "shopping"})).await;
    let append = world.action(&keep, "append", json!({"find_by": "shopping", "text": "tea"})).await;
    world.run(&keep, "append", json!({"find_by": "shopping", "text": "eggs"})).await;
    assert!(world.fails(&keep, delete).await.contains("changed meanwhile"));
    let performed = keep.perform(&world.ctx, &authorized(append), &world.attempt()).await;
    world.commit(&performed).await.unwrap();
    let found = world.run(&keep, "search", json!({"query": "shopping"})).await;
    assert_eq!(found["notes"][0]["items"], json!(["milk", "eggs", "tea"]));
    let (_, told) = world.run_told(&keep, "delete", json!({"find_by": "shopping"})).await;
    assert_eq!(told, "🗑 Deleted the note Shopping");
}

#[tokio::test]
async fn notes_do_not_grow_without_bounds_and_bad_input_fails_in_a_sentence() {
    let (world, keep) = world();
    let fill = "x,".repeat(NOTE_ITEMS_MAX / 2);
    world.run(&keep, "create", json!({"title": "Long", "items": ["first"]})).await;
    world.run(&keep, "append", json!({"find_by": "long", "text": fill})).await;
    let action = world.action(&keep, "append", json!({"find_by": "long", "text": fill})).await;
    assert!(world.fails(&keep, action).await.contains("too large"));
    for (command, params, why) in [
        ("create", json!({"title": "\u{0}"}), "needs a name"),
        ("append", json!({"find_by": "x", "text": "y"}), "which note"),
    ] {
        let action = Action {
            service: "keep".into(),
            command: command.into(),
            params: Value::as_object(&params).unwrap().clone(),
            ..Action::default()
        };
        let told = world.fails(&keep, action).await;
        assert!(told.contains(why), "{command}: {told}");
    }
}

#[tokio::test]
async fn an_entry_of_somebody_else_is_theirs_and_the_others_are_not() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Plumbers", "items": ["Ann"]})).await;
    let more = json!({"find_by": "plumbers", "text": "Mallory Drain and Bob"});
    world.run_of(&keep, "append", more, &UntrustedText::new("a mail from Bob", "")).await;
    world.run(&keep, "append", json!({"find_by": "plumbers", "text": "Zoe"})).await;
    let (found, noticed) = world.untrusted(&keep, "search", json!({"query": "plumbers"})).await;
    assert_eq!(found, [UntrustedText::new("a mail from Bob", "Mallory Drain\nBob").kept_in("a note")]);
    assert_eq!(noticed, found);
    let (_, told) = world.run_told(&keep, "search", json!({"query": "plumbers"})).await;
    assert_eq!(told, "🗒 Plumbers (from a mail from Bob)\n• Ann\n• Mallory Drain\n• Bob\n• Zoe");
}

#[tokio::test]
async fn an_entry_of_a_list_is_there_or_is_not() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping list", "items": ["oat milk", "eggs"]})).await;
    for (words, shown) in [
        ("eggs", Some("eggs in Shopping list")),
        ("oat milk", Some("oat milk in Shopping list")),
        ("butter", None),
        ("eggs on the shopping list", Some("eggs in Shopping list")),
    ] {
        let what = Circumstance::Exists { words: words.to_owned() };
        let evidence = keep.service.holds(&world.ctx, &what).await.unwrap().unwrap();
        assert_eq!((evidence.holds, evidence.shown.as_deref()), (shown.is_some(), shown), "{words}");
    }
}

#[tokio::test]
async fn entries_are_ticked_unticked_and_taken_off() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Groceries", "items": ["Oat milk", "eggs", "milk"]})).await;
    let shopping = |items: Value| json!({"find_by": "the shopping list", "items": items});
    let (result, told) = world.run_told(&keep, "tick", shopping(json!(["milk", "the egg"]))).await;
    assert_eq!(result["note"]["items"], json!(["Oat milk", "[x] eggs", "[x] milk"]));
    assert_eq!(told, "☑ Ticked off on Groceries: milk, eggs (1 left)");
    let (result, told) = world.run_told(&keep, "untick", shopping(json!("eggs"))).await;
    assert_eq!((&result["note"]["items"][1], told.as_str()), (&json!("eggs"), "🗒 Back on Groceries: eggs"));
    let (result, told) = world.run_told(&keep, "remove", shopping(json!(["milk"]))).await;
    assert_eq!(result["note"]["items"], json!(["Oat milk", "eggs"]));
    assert_eq!(told, "🗒 Took off Groceries: milk");
    let (_, told) = world.run_told(&keep, "tick", shopping(json!("eggs and oat milk"))).await;
    assert_eq!(told, "☑ Ticked off on Groceries: eggs, Oat milk (nothing is left)");
    let (_, told) = world.run_told(&keep, "search", json!({"query": "groceries"})).await;
    assert_eq!(told, "🗒 Groceries\n☑ Oat milk\n☑ eggs");
}

#[tokio::test]
async fn an_entry_is_looked_for_on_the_list_last_spoken_of_and_then_on_all() {
    let (world, keep) = world();
    let make = async |title: &str, items: Value| {
        let made = world.run(&keep, "create", json!({"title": title, "items": items})).await;
        made["note"]["id"].as_str().unwrap().to_owned()
    };
    let packing = make("Packing", json!(["soap", "socks"])).await;
    let party = make("Party", json!(["soap", "cake"])).await;
    let target = async |params: Value| match world.prepare(&keep, "tick", params).await {
        Prepared::Ready { target, .. } => Ok(target.unwrap().label),
        Prepared::Several { param, candidates, .. } => Err(format!("{param}? {}", candidates.len())),
        Prepared::Every { ids } => Err(format!("all {}", ids.len())),
        Prepared::NotFound { what } => Err(what),
    };
    assert_eq!(target(json!({"items": ["soap"], "near": packing})).await, Ok("Packing".to_owned()));
    assert_eq!(target(json!({"items": ["cake"], "near": packing})).await, Ok("Party".to_owned()));
    assert_eq!(target(json!({"find_by": "the list", "items": ["socks"]})).await, Ok("Packing".to_owned()));
    assert_eq!(target(json!({"items": ["soap"]})).await, Err("find_by? 2".to_owned()));
    assert_eq!(target(json!({"items": ["cak"]})).await, Err("items=cak? 1".to_owned()));
    assert_eq!(target(json!({"items": ["paint"]})).await, Err("“paint” is on none of your lists.".to_owned()));
    let nowhere = target(json!({"items": ["paint"], "near": party})).await;
    assert_eq!(nowhere, Err("“paint” is not on Party; it has: soap, cake.".to_owned()));
}

#[tokio::test]
async fn an_entry_that_was_not_there_is_added_only_where_that_was_asked_for() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping", "items": ["milk"]})).await;
    let put_back = |or_add: bool| json!({"find_by": "shopping", "items": ["tea"], "or_add": or_add});
    let prepared = world.prepare(&keep, "untick", put_back(false)).await;
    assert!(matches!(prepared, Prepared::NotFound { .. }), "{prepared:?}");
    let result = world.run(&keep, "untick", put_back(true)).await;
    assert_eq!(result["note"]["items"], json!(["milk", "tea"]));
}

#[tokio::test]
async fn an_entry_says_other_words_in_its_place() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping", "items": ["milk", "2 lemons", "tea"]})).await;
    world.run(&keep, "tick", json!({"items": ["lemons"]})).await;
    let change = |item: &str, to: &str| json!({"find_by": "shopping", "item": item, "to": to});
    let result = world.run(&keep, "change", change("lemons", "3 lemons, organic")).await;
    assert_eq!(result["note"]["items"], json!(["milk", "[x] 3 lemons, organic", "tea"]));
    let prepared = world.prepare(&keep, "change", change("lemns", "4 lemons")).await;
    assert!(matches!(&prepared, Prepared::Several { param, .. } if param == "item"), "{prepared:?}");
    let prepared = world.prepare(&keep, "change", change("butter", "ghee")).await;
    assert!(matches!(prepared, Prepared::NotFound { .. }), "{prepared:?}");
}

#[tokio::test]
async fn what_changed_meanwhile_is_left_alone() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping", "items": ["milk", "eggs"]})).await;
    let tick = world.action(&keep, "tick", json!({"find_by": "shopping", "items": ["milk"]})).await;
    world.run(&keep, "remove", json!({"find_by": "shopping", "items": ["eggs"]})).await;
    let performed = keep.perform(&world.ctx, &authorized(tick.clone()), &world.attempt()).await;
    world.commit(&performed).await.unwrap();
    assert!(world.fails(&keep, tick).await.contains("no longer on Shopping"));
}

proptest! {
    /// Every other line stays as it is, in its place.
    #[test]
    fn ticking_and_taking_off_change_no_other_line(
        items in prop::collection::vec("(\\[x\\] ){0,2}[a-zäöü\\[-][a-zäöü\\[\\] x-]{0,10}[a-z]", 1..12),
        pick in any::<prop::sample::Index>(),
        act in 0..3_u8,
    ) {
        let world = World::at(Berlin, "2026-01-12 12:00");
        let mut note = Note::called("List", &world.ctx, &world.attempt()).unwrap();
        note.items.clone_from(&items);
        let picked: &String = pick.get(&items);
        let wanted = entries::words_of(picked).to_owned();
        let done = match act {
            0 => note.tick(std::slice::from_ref(&wanted), true),
            1 => note.tick(std::slice::from_ref(&wanted), false),
            _ => note.remove(std::slice::from_ref(&wanted)),
        };
        if done.is_err() {
            prop_assert_eq!(&note.items, &items);
            return Ok(());
        }
        if act == 2 {
            let place = items.iter().position(|entry| entries::words_of(entry) == wanted).unwrap();
            let mut rest = items.clone();
            rest.remove(place);
            prop_assert_eq!(&note.items, &rest);
        } else {
            let changed: Vec<usize> = (0..items.len()).filter(|at| note.items[*at] != items[*at]).collect();
            prop_assert_eq!(changed.len(), 1);
            let (old, new) = (&items[changed[0]], &note.items[changed[0]]);
            prop_assert_eq!(entries::words_of(new), entries::words_of(old));
            prop_assert_eq!(entries::is_ticked(new), act == 0);
        }
    }
}

#[tokio::test]
async fn what_is_asked_of_the_list_is_looked_for_where_it_would_be_written() {
    let (world, keep) = world();
    world.run(&keep, "create", json!({"title": "Shopping list", "items": ["milk"]})).await;
    for query in ["milk", "butter"] {
        let found = world.run(&keep, "search", json!({"query": query, "list": "list"})).await;
        assert_eq!(found["notes"][0]["title"], "Shopping list", "{query}");
    }
    let found = world.run(&keep, "search", json!({"query": "butter"})).await;
    assert_eq!(found["notes"], json!([]), "nobody spoke of a list");
}
