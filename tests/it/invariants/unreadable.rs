//! One record that cannot be read stops nothing else, is told once, and is never taken for a decision.

use brain_agent::core::pending::State;
use brain_agent::core::run::Run;
use brain_agent::ports::records::Aside;
use brain_agent::ports::{Batch, Change, Expect, Key, Order, Reader, RecordExt, Scan, Store, Stored, Table};
use brain_agent::upkeep;
use chrono::Duration;
use serde_json::{Value, json};

use crate::rig::{Rig, Sending, Setup, action, send};

const SECRET: &str = "4711-canary";

async fn records(rig: &Rig, table: Table) -> Vec<(Key, Stored)> {
    let scan = Scan { table, by: None, prefix: None, before: None, after: None, order: Order::Ascending, limit: 1_000 };
    rig.store.scan(scan).await.unwrap()
}

fn puts(rig: &Rig, table: Table, key: Key, version: u8, body: &str) {
    let put = Some((version, body.as_bytes().to_vec()));
    rig.store.put_quietly(Batch { changes: vec![Change { table, key, expect: Expect::Any, put }] });
}

/// Makes the first record of a table into something that is none.
async fn breaks_first(rig: &Rig, table: Table) -> Key {
    let (key, _) = records(rig, table).await.remove(0);
    puts(rig, table, key.clone(), 1, &format!("{{\"{SECRET}\": 1}}"));
    key
}

async fn asides(rig: &Rig) -> Vec<Aside> {
    let store: &dyn Store = rig.store.as_ref();
    let found = store.list::<Aside>(Scan::of::<Aside>(&[], 100)).await.unwrap();
    found.into_iter().map(|(aside, _)| aside).collect()
}

fn heard(rig: &Rig, words: &str) -> usize {
    rig.channel.since(0, 0).0.iter().filter(|shown| shown.reply.text.contains(words)).count()
}

fn mail() -> Value {
    json!([send("zoe@example.com", "Late", "A secret body.")])
}

async fn reminds(rig: &Rig, user: &str, title: &str, at: &str) {
    rig.plans(json!([action("task", "create", json!({"title": title, "deadline": at}))]));
    rig.as_user(user).says(&format!("remind me: {title}")).await;
}

#[tokio::test]
async fn an_entry_of_the_due_index_that_cannot_be_read_silences_nobody() {
    let rig = Rig::plain();
    reminds(&rig, "alex", "Call mom", "2026-01-12T10:00:00Z").await;
    reminds(&rig, "bea", "Water plants", "2026-01-12T10:05:00Z").await;
    breaks_first(&rig, Table::Due).await;
    // Too few bytes for a record at all, and one in a key nobody would write.
    puts(&rig, Table::Due, Key::of(&["00000000000000000001", "expiry"]), 1, "");
    rig.moves_clock(Duration::hours(2)).await;
    assert_eq!((heard(&rig, "Water plants, "), records(&rig, Table::Due).await.len()), (1, 0));
    assert_eq!(asides(&rig).await.len(), 2);
}

#[tokio::test]
async fn a_broken_card_holds_up_no_reminder() {
    let rig = Rig::new(Setup { pending_ttl: std::time::Duration::from_secs(600), ..Setup::default() });
    rig.card_for(mail()).await;
    breaks_first(&rig, Table::Pending).await;
    reminds(&rig, "bea", "Water plants", "2026-01-12T10:05:00Z").await;
    rig.moves_clock(Duration::hours(2)).await;
    assert_eq!(heard(&rig, "Water plants, "), 1);
}

#[tokio::test]
async fn what_is_told_once_is_where_it_was_and_never_what_it_held() {
    let rig = Rig::plain();
    for title in ["One", "Two", "Three"] {
        rig.plans(json!([action("task", "create", json!({"title": title}))]));
        rig.says(&format!("add {title}")).await;
    }
    let key = breaks_first(&rig, Table::Tasks).await;
    for _ in 0..2 {
        rig.plans(json!([action("task", "list", json!({}))]));
        let listed = rig.says("show my tasks").await.text();
        assert_eq!(listed.matches('▫').count(), 2, "{listed}");
        upkeep::once(&rig.brain).await.unwrap();
    }
    assert_eq!(heard(&rig, "One record of “tasks” could not be read. I set it aside."), 1);
    assert_eq!(heard(&rig, SECRET), 0);
    assert_eq!(records(&rig, Table::Tasks).await.len(), 2);
    let [aside] = asides(&rig).await.try_into().unwrap();
    assert!(aside.told.is_some() && !aside.why.contains(SECRET));
    assert_eq!(Key::of(&aside.key.iter().map(String::as_str).collect::<Vec<_>>()), key);
    let handed_over = rig.says("/export").await;
    assert!(handed_over.text().contains("1 could not be read"), "{}", handed_over.text());
}

#[tokio::test]
async fn what_a_newer_program_wrote_stays_and_hides_nothing_behind_it() {
    let rig = Rig::plain();
    rig.plans(json!([action("task", "create", json!({"title": "Mine"}))]));
    rig.says("add it").await;
    let (_, mine) = records(&rig, Table::Tasks).await.remove(0);
    for n in 0..3 {
        puts(&rig, Table::Tasks, Key::of(&["alex", &format!("!{n}")]), mine.version + 1, "{}");
    }
    let store: &dyn Store = rig.store.as_ref();
    let page = Scan::of::<brain_agent::services::task::Task>(&["alex"], 1);
    assert_eq!(store.list::<brain_agent::services::task::Task>(page).await.unwrap().len(), 1);
    assert_eq!((records(&rig, Table::Tasks).await.len(), asides(&rig).await.len()), (4, 0));
}

#[tokio::test]
async fn a_card_that_cannot_be_read_is_withdrawn_and_nothing_of_it_is_done() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    let broken = breaks_first(&rig, Table::Pending).await;
    let pressed = rig.presses(&card.approve()).await.text();
    assert!(pressed.contains("no longer read that card") && pressed.contains("nothing of it was done"), "{pressed}");
    assert_eq!(heard(&rig, "it is withdrawn: nothing of it was done"), 1);
    let replied = rig.me().replies("yes", card.last()).await.text();
    assert!(replied.contains("no longer read that card"), "{replied}");
    rig.says("yes").await;
    assert!(rig.effects().is_empty());
    let kept = rig.store.get(Table::Pending, &broken).await.unwrap();
    assert!(kept.is_some(), "what belongs to a decision stays where it is");
    assert_eq!(heard(&rig, "it is withdrawn"), 1);
}

#[tokio::test]
async fn a_bare_yes_beside_a_card_that_cannot_be_read_is_asked_back() {
    let rig = Rig::plain();
    rig.card_for(mail()).await;
    let broken = records(&rig, Table::Pending).await.remove(0).0;
    rig.card_for(json!([send("bob@example.com", "Hi", "Hello.")])).await;
    puts(&rig, Table::Pending, broken, 1, "{");
    rig.says("yes").await;
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn a_card_whose_journal_cannot_be_read_ends_as_unknown() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    // The decision is durable, and the process dies before anything more is.
    rig.store.twists(|batch| {
        !batch.changes.iter().any(|change| change.table == Table::Runs && change.expect != Expect::Absent)
    });
    rig.presses(&card.approve()).await;
    breaks_first(&rig, Table::Runs).await;
    let rig = rig.restarts(Setup { sending: Sending::Accepted, ..Setup::default() }).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Unknown);
    assert!(rig.effects().is_empty());
    assert_eq!(heard(&rig, "I don't know whether it was done"), 1);
    let store: &dyn Store = rig.store.as_ref();
    assert!(store.load::<Run>(&Key::of(&[card.id.as_str()])).await.is_err(), "it is not taken for absent");
}

#[tokio::test]
async fn a_chat_whose_state_cannot_be_read_goes_on_after_what_was_said() {
    let rig = Rig::plain();
    let remembers = |n: u32| json!([action("task", "create", json!({"title": format!("Thing {n}")}))]);
    rig.plans(remembers(1));
    rig.says("add one").await;
    let said = records(&rig, Table::Messages).await.len();
    breaks_first(&rig, Table::Chats).await;
    rig.plans(remembers(2));
    let told = rig.says("add another").await.text();
    assert!(told.contains("Thing 2"), "{told}");
    assert_eq!(records(&rig, Table::Messages).await.len(), 2 * said);
}
