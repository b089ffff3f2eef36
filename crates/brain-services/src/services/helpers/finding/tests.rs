use chrono_tz::Europe::Berlin;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::services::contract::service::Prepared;
use crate::services::task::Task;
use crate::testing::World;
use brain_core::core::ids::UserId;
use brain_core::ports::{Batch, Candidates, Change, Expect, Key, Scan, Table, WordMatch, from_stored};
use brain_language::language::terms;

fn world() -> World {
    World::at(Berlin, "2026-01-12 12:00")
}

/// Makes more of the only record of a table: `change` makes another of it.
async fn multiply(world: &World, table: Table, count: usize, change: impl Fn(usize, &mut Value)) {
    let owner = world.ctx.owner.as_str();
    let scan = Scan { table, ..Scan::of::<Task>(&[owner], 1) };
    let (_, first) = world.store.scan(scan).await.unwrap().remove(0);
    let record: Value = serde_json::from_slice(&first.body).unwrap();
    let another = |n: usize| {
        let (mut record, id) = (record.clone(), format!("n{n:06}"));
        record["id"] = id.clone().into();
        change(n, &mut record);
        let put = Some((first.version, serde_json::to_vec(&record).unwrap()));
        Change { table, key: Key::of(&[owner, &id]), expect: Expect::Absent, put }
    };
    world.store.commit(Batch { changes: (0..count).map(another).collect() }).await.unwrap();
}

/// One of each kind, and how more of them are called.
const KINDS: [(&str, &str, Table, &str); 4] = [
    ("task", "create", Table::Tasks, "title"),
    ("calendar", "create_event", Table::Events, "summary"),
    ("keep", "create", Table::Notes, "title"),
    ("memory", "store", Table::Memories, "key"),
];

fn made(name: &str, title: &str) -> Value {
    match name {
        "calendar" => json!({"summary": title, "start_time": "2026-01-20T15:00:00+01:00"}),
        "memory" => json!({"category": "home", "key": title, "value": "blue"}),
        _ => json!({"title": title}),
    }
}

fn changing(name: &str) -> (&'static str, &'static str) {
    match name {
        "calendar" => ("delete_event", "find_by"),
        "memory" => ("forget", "find_by"),
        _ => ("delete", "find_by"),
    }
}

#[tokio::test]
async fn among_ten_thousand_the_one_that_is_meant_is_found_and_no_other() {
    for (name, create, table, title) in KINDS {
        let world = world();
        let service = world.service(name);
        world.run(&service, create, made(name, "Errand in town")).await;
        multiply(&world, table, 10_000, |n, record| record[title] = format!("Errand in town {n}").into()).await;
        world.run(&service, create, made(name, "Renew the passport")).await;
        let (command, _) = changing(name);
        for words in ["passport", "the passport thing", "pasport", "Renew the passport"] {
            assert_eq!(world.found(&service, command, words).await, ["Renew the passport"], "{name}: {words}");
        }
        assert_eq!(world.found(&service, command, "errand in town").await, ["Errand in town"], "{name}");
        assert_eq!(world.found(&service, command, "errand in town 9999").await, ["Errand in town 9999"], "{name}");
        assert!(world.found(&service, command, "the plumber").await.is_empty(), "{name}");

        let Prepared::Several { question, candidates, .. } =
            world.prepare(&service, command, json!({"find_by": "my errands"})).await
        else {
            panic!("{name}: all of them fit");
        };
        assert_eq!(candidates.len(), CANDIDATES_MAX);
        let more = "There are 9993 more that fit as well";
        assert!(question.contains(more), "{name}: {question}");
    }
}

#[tokio::test]
async fn searches_say_truly_how_many_more_there_are() {
    for (name, search, table, title, rows) in
        [("keep", "search", Table::Notes, "title", "notes"), ("memory", "recall", Table::Memories, "key", "memories")]
    {
        let world = world();
        let service = world.service(name);
        let create = if name == "keep" { "create" } else { "store" };
        world.run(&service, create, made(name, "Garden")).await;
        multiply(&world, table, 10_000, |n, record| record[title] = format!("Garden {n}").into()).await;
        world.run(&service, create, made(name, "Cellar")).await;
        let answer = world.run(&service, search, json!({"query": "garden"})).await;
        let shown = answer[rows].as_array().unwrap().len();
        assert_eq!(shown + answer["more"].as_u64().unwrap() as usize, 10_001, "{name}");
        let answer = world.run(&service, search, json!({"query": "everything"})).await;
        let shown = answer[rows].as_array().unwrap().len();
        assert_eq!(shown + answer["more"].as_u64().unwrap() as usize, 10_002, "{name}");
        let answer = world.run(&service, search, json!({"query": "cellar"})).await;
        assert_eq!((answer[rows].as_array().unwrap().len(), &answer["more"]), (1, &json!(0)), "{name}");
    }
}

#[tokio::test]
async fn an_open_task_comes_before_a_thousand_done_ones_and_a_coming_event_before_those_that_were() {
    let world = world();
    let tasks = world.service("task");
    world.run(&tasks, "create", made("task", "Water the plants")).await;
    let done = |n: usize, record: &mut Value| {
        record["status"] = "done".into();
        record["title"] = format!("Water the plants {n}").into();
    };
    multiply(&world, Table::Tasks, 1_000, done).await;
    assert_eq!(world.found(&tasks, "complete", "plants").await, ["Water the plants"]);

    let calendar = world.service("calendar");
    world.run(&calendar, "create_event", made("calendar", "Choir")).await;
    let past = |n: usize, record: &mut Value| {
        let day = chrono::NaiveDate::from_ymd_opt(2026, 1, 11).unwrap() - chrono::Days::new(n as u64);
        record["start_time"] = format!("{day}T15:00:00+01:00").into();
        record["end_time"] = format!("{day}T16:00:00+01:00").into();
    };
    multiply(&world, Table::Events, 1_000, past).await;
    let prepared = world.prepare(&calendar, "delete_event", json!({"find_by": "choir"})).await;
    let Prepared::Ready { target: Some(target), .. } = prepared else { panic!("{prepared:?}") };
    assert!(target.starts.unwrap().starts_with("2026-01-20"));
    assert_eq!(world.found(&calendar, "delete_event", "what I have on 20 January at 3pm").await, ["Choir"]);
}

#[tokio::test]
async fn nothing_of_another_person_is_found_by_the_same_words() {
    let mut world = world();
    for (name, create, ..) in KINDS {
        let service = world.service(name);
        world.run(&service, create, made(name, "Secret recipe")).await;
        world.ctx.owner = UserId::new("tg:2");
        let (command, _) = changing(name);
        assert!(world.found(&service, command, "secret recipe").await.is_empty(), "{name}");
        world.run(&service, create, made(name, "Secret recipe")).await;
        assert_eq!(world.found(&service, command, "the secret recipe").await, ["Secret recipe"], "{name}");
        world.ctx.owner = UserId::new("tg:1");
    }
}

/// What a description comes to when everything there is was looked at.
async fn over_everything(world: &World, words: &str) -> Choice<Task> {
    let stored = world.store.scan(Scan::of::<Task>(&[world.ctx.owner.as_str()], usize::MAX)).await.unwrap();
    let held: Vec<RevisedItem<Task>> =
        stored.iter().map(|(_, stored)| (from_stored(stored).unwrap(), stored.revision)).collect();
    let texts: Vec<HashSet<String>> = held
        .iter()
        .map(|(task, _)| [task.title.clone(), task.body()].iter().flat_map(|t| terms::stems(&terms::fold(t))).collect())
        .collect();
    let known: HashSet<&str> = texts.iter().flatten().map(String::as_str).collect();
    let sought = ItemQuery::new(words, &world.ctx);
    let asked: Vec<String> = sought.looks().concat();
    let matched = |word: &String| {
        let stems = terms::matching(&terms::stem(word), known.iter().copied());
        let holds = |text: &&HashSet<String>| stems.iter().any(|(stem, _)| text.contains(stem));
        WordMatch { documents: texts.iter().filter(holds).count(), stems: stems.clone() }
    };
    let found =
        Candidates { words: asked.iter().map(matched).collect(), documents: held.len(), ..Candidates::default() };
    let mut statistics = Statistics::default();
    statistics.add(&asked, &found);
    choose(&Looked { held, statistics, is_part: false }, &sought, &|_| true, &world.ctx)
}

/// What can be told of a choice, whatever way it came about.
fn told(choice: Choice<Task>) -> (Vec<String>, bool, usize) {
    match choice {
        Choice::One((task, _)) => (vec![task.id], true, 1),
        Choice::Several { items, sure, more } => {
            let count = items.len() + more;
            (items.into_iter().map(|task| task.id).collect(), sure, count)
        }
        Choice::None => (Vec::new(), false, 0),
    }
}

#[tokio::test]
async fn first_and_last_are_picked_by_time() {
    let world = world();
    let calendar = world.service("calendar");
    for (summary, start) in [
        ("Budget review", "2026-01-11T10:00:00+01:00"),
        ("Standup", "2026-01-13T09:00:00+01:00"),
        ("Call with Sarah", "2026-01-13T11:00:00+01:00"),
        ("Sprint review", "2026-01-13T16:00:00+01:00"),
        ("Call with Sarah", "2026-01-15T11:00:00+01:00"),
    ] {
        world.run(&calendar, "create_event", json!({"summary": summary, "start_time": start})).await;
    }
    for (words, label) in [
        ("my next meeting", "Standup"),
        ("next review", "Sprint review"),
        ("last review", "Budget review"),
        ("the first meeting tomorrow", "Standup"),
        ("my last meeting tomorrow", "Sprint review"),
    ] {
        assert_eq!(world.found(&calendar, "delete_event", words).await, [label], "{words}");
    }
    let notes = world.service("keep");
    for title in ["Recipe", "Packing list", "Ideas"] {
        world.run(&notes, "create", json!({"title": title, "text": "x"})).await;
    }
    assert_eq!(world.found(&notes, "delete", "latest note").await.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn what_the_index_offers_is_enough_to_choose_as_if_all_was_looked_at(
        titles in prop::collection::vec((prop::collection::vec(0..12usize, 1..4), any::<bool>(), 0..40i64), 1..160),
        asked in prop::collection::vec(prop::collection::vec(0..16usize, 1..4), 4),
    ) {
        const WORDS: [&str; 16] = [
            "call", "dentist", "report", "quarterly", "mum", "buy", "milk", "book", "flight", "Berlin", "garden", "tax",
            "dentits", "rep", "the", "plumber",
        ];
        let phrase = |words: &[usize]| words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let world = world();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let tasks = world.service("task");
            world.run(&tasks, "create", made("task", "Something")).await;
            multiply(&world, Table::Tasks, titles.len(), |n, record| {
                let (title, done, days) = &titles[n];
                record["title"] = phrase(title).into();
                record["status"] = if *done { "done" } else { "open" }.into();
                record["deadline"] = (chrono::NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
                    + Duration::days(*days)).to_string().into();
            }).await;
            for words in asked.iter().map(|asked| phrase(asked)) {
                let finder = Finder { store: &world.store, index: &world.index, ctx: &world.ctx };
                let found = told(finder.find::<Task>(&words, |_| true).await.unwrap());
                let (ids, sure, count) = told(over_everything(&world, &words).await);
                // Of more than are looked at, others may be shown; as many fit, and as well.
                if count <= CANDIDATES_MAX {
                    assert_eq!(found, (ids, sure, count), "{words}");
                } else {
                    assert_eq!((found.0.len(), found.1), (ids.len(), sure), "{words}");
                }
            }
        });
    }
}
