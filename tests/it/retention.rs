//! Nothing grows for ever: what has had its time goes, and nothing else does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::{Done, Path};
use brain_agent::limits::kept::{Keep, Kept, RETENTION};
use brain_agent::ports::records::{InboxEntry, OutboxEntry, Show, StageSpan, TurnTrace, Undo};
use brain_agent::ports::{Batch, Change, Clock, Expect, Key, Order, Reader, Record, Scan, Store, Table};
use brain_agent::{scheduler, upkeep};
use chrono::Duration;
use serde_json::json;

use crate::rig::{Rig, Setup, action, send};
use crate::support::program::{Program, text_of, wait_reached};

async fn keys(rig: &Rig, table: Table) -> Vec<Key> {
    let (prefix, limit) = (None, 100_000);
    let scan = Scan { table, by: None, prefix, before: None, after: None, order: Order::Ascending, limit };
    rig.store.scan(scan).await.unwrap().into_iter().map(|(key, _)| key).collect()
}

async fn all(rig: &Rig) -> BTreeMap<Table, Vec<Key>> {
    let mut found = BTreeMap::new();
    for table in Table::ALL {
        found.insert(table, keys(rig, table).await);
    }
    found
}

fn puts<R: Record>(rig: &Rig, record: &R) {
    rig.store.put_quietly(Batch { changes: vec![Change::put(record, Expect::Any).unwrap()] });
}

fn update(rig: &Rig, update: u64, done: bool) -> InboxEntry {
    InboxEntry {
        channel: "tg".to_owned(),
        update,
        received_at: rig.clock.now(),
        raw: if done { String::new() } else { "words".to_owned() },
        done,
        joins: None,
        transcript: None,
        resumptions: 0,
        message: None,
    }
}

/// A month for everything.
fn a_month() -> Setup {
    let keep = RETENTION.iter().fold(Keep::default(), |keep, row| keep.with(row.of, 30 * 86_400));
    Setup { keep, pending_ttl: std::time::Duration::from_secs(3_600), ..Setup::default() }
}

async fn a_day(rig: &Rig, number: u64) {
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.says("how are you").await;
    rig.plans(json!([action("task", "create", json!({"title": format!("Thing {number}")}))]));
    rig.says("note that").await;
    let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    rig.presses(&if number.is_multiple_of(2) { card.approve() } else { card.cancel() }).await;
    puts(rig, &update(rig, number, true));
    rig.moves_clock(Duration::days(1)).await;
    if number.is_multiple_of(10) {
        upkeep::once(&rig.brain).await.unwrap();
    }
}

#[tokio::test]
async fn a_year_of_turns_leaves_no_more_than_its_last_month() {
    let rig = Rig::new(a_month());
    let mut after = Vec::new();
    for day in 1..=360 {
        a_day(&rig, day).await;
        if day % 120 == 0 {
            let found = all(&rig).await;
            after.push(found.iter().map(|(table, keys)| (*table, keys.len())).collect::<BTreeMap<_, _>>());
        }
    }
    let growing = |before: &BTreeMap<Table, usize>, later: &BTreeMap<Table, usize>| {
        // What a person keeps stays.
        let tables = Table::ALL.into_iter().filter(|table| *table != Table::Tasks && *table != Table::Contacts);
        tables.filter(|table| later[table] > before[table]).map(|table| (table, later[&table])).collect::<Vec<_>>()
    };
    assert_eq!(growing(&after[0], &after[2]), []);
    assert_eq!(after[2][&Table::Tasks], 360);
    assert!(after[2][&Table::Turns] >= 30, "the last month is there");
}

#[tokio::test]
async fn what_is_open_stays_whatever_its_age() {
    let rig = Rig::new(a_month());
    let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    rig.plans(json!([action("task", "create", json!({"title": "Call mom", "deadline": "2026-06-01T10:00:00Z"}))]));
    rig.says("remind me").await;
    puts(&rig, &update(&rig, 7, false));
    let open = [Table::Pending, Table::PendingOpen, Table::Cards, Table::Due, Table::Inbox, Table::Tasks];
    let before = all(&rig).await;
    // Three years without the program; nothing was told yet when it looks.
    rig.clock.go_on(Duration::days(3 * 365));
    upkeep::once(&rig.brain).await.unwrap();
    let after = all(&rig).await;
    for table in open {
        assert_eq!(after[&table], before[&table], "{table:?}");
    }
    assert!(after[&Table::Messages].is_empty() && after[&Table::Turns].is_empty());
    assert!(rig.pending(&card.id).await.state.is_open());
    // What the card is told of when it expires goes with its time, as everything else.
    scheduler::run_due(&rig.brain).await.unwrap();
    rig.moves_clock(Duration::days(31)).await;
    upkeep::once(&rig.brain).await.unwrap();
    let left = all(&rig).await;
    assert_eq!((left[&Table::Pending].len(), left[&Table::Cards].len()), (0, 0));
}

#[tokio::test]
async fn an_undo_stays_as_long_as_it_works_and_an_update_as_long_as_it_may_come_again() {
    let rig = Rig::plain();
    let undo = Undo {
        id: Undo::id_at(rig.clock.now(), "u"),
        owner: UserId::new("alex"),
        chat: None,
        until: rig.clock.now() + Duration::minutes(10),
        order: 0,
        label: "x".to_owned(),
        changes: Vec::new(),
        reversal: None,
        card: None,
        used: None,
        prior: Vec::new(),
    };
    puts(&rig, &undo);
    puts(&rig, &update(&rig, 1, true));
    for (hours, undos, updates) in [(0, 1, 1), (23, 1, 1), (2, 0, 1), (22, 0, 1), (2, 0, 0)] {
        rig.clock.go_on(Duration::hours(hours));
        upkeep::once(&rig.brain).await.unwrap();
        let found = (keys(&rig, Table::Undo).await.len(), keys(&rig, Table::Inbox).await.len());
        assert_eq!(found, (undos, updates), "{hours} h later");
    }
}

#[tokio::test]
async fn what_was_cut_short_is_taken_up_again_and_nothing_that_must_stay_is_lost() {
    let rig = Rig::new(a_month());
    for day in 1..=5 {
        a_day(&rig, day).await;
    }
    let chat = ChatId::new("console:bea");
    for number in 1..=700 {
        let show = Show::Send(format!("message {number}").into());
        puts(&rig, &OutboxEntry { chat: chat.clone(), number, show, at: rig.clock.now() });
    }
    rig.clock.go_on(Duration::days(40));
    let waits = rig.card_for(json!([send("bob@example.com", "Hi", "Hello.")])).await;
    // Every commit of the walk may be the last one.
    for allowed in 0.. {
        let left = Arc::new(AtomicUsize::new(allowed));
        let counted = Arc::clone(&left);
        rig.store.twists(move |_| {
            counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        });
        let ended = upkeep::once(&rig.brain).await;
        rig.store.works();
        assert!(rig.pending(&waits.id).await.state.is_open());
        assert_eq!(keys(&rig, Table::Tasks).await.len(), 5);
        if ended.is_ok() {
            break;
        }
    }
    assert_eq!(keys(&rig, Table::Outbox).await.len(), 0);
    assert_eq!(keys(&rig, Table::Pending).await.len(), 1);
}

#[tokio::test]
async fn a_setting_of_one_thing_changes_that_thing_alone() {
    let rig = Rig::new(Setup { keep: Keep::default().with(Kept::Traces, 7 * 86_400), ..Setup::default() });
    a_day(&rig, 1).await;
    rig.clock.go_on(Duration::days(8));
    upkeep::once(&rig.brain).await.unwrap();
    let found = all(&rig).await;
    assert!(found[&Table::Turns].is_empty() && !found[&Table::Messages].is_empty());
}

const ARGS: [&str; 4] = ["--now", "2026-01-12T09:00:00Z", "--tz", "UTC"];

/// Traces of long ago, as many as make a file that is worth writing anew.
fn fill(program: &Program) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = brain_agent::app::open_store(program.data_dir()).await.unwrap();
        for part in 0..20 {
            let mut batch = Batch::default();
            for n in 0..1_000 {
                let span = StageSpan {
                    name: "plan".to_owned(),
                    start_us: 0,
                    us: 1,
                    input_bytes: 0,
                    tokens: (0, 0),
                    tokens_cached: 0,
                    gives: String::new(),
                    outcome: "x".repeat(1_000).into(),
                };
                let trace = TurnTrace {
                    id: format!("{part}-{n}"),
                    user: UserId::new("console"),
                    chat: ChatId::new("console:console"),
                    at: "2025-01-01T00:00:00Z".parse().unwrap(),
                    done: Done::quiet(Path::Chat),
                    spans: vec![span],
                    investigation: None,
                };
                batch.put(&trace, Expect::Any).unwrap();
            }
            store.commit(batch).await.unwrap();
        }
        store.close().await;
    });
}

#[test]
fn killed_while_the_file_is_written_anew_nothing_is_lost_and_it_is_smaller_after_the_next_look() {
    let program = Program::new();
    let mut first = program.console(&ARGS);
    first.say("remind me to water the plants tomorrow at 5pm");
    first.finish();
    fill(&program);
    let file = program.data_dir().join("brain.redb");
    let full = std::fs::metadata(&file).unwrap().len();
    let look = r#"{"now":"2026-01-12T09:30:00Z"}"#;
    for border in ["rewrite-copied", "rewrite-renamed"] {
        let trial = Program::new();
        std::fs::create_dir_all(trial.data_dir()).unwrap();
        std::fs::copy(&file, trial.data_dir().join("brain.redb")).unwrap();
        let dying = trial.clone().fail_at(border);
        let mut second = dying.console(&ARGS);
        second.start_sending(look);
        wait_reached(&dying.reached_file(), border);
        second.kill();
        let mut third = trial.clone().without_failpoint().console(&ARGS);
        third.send_raw(look);
        let tasks = text_of(&third.say("/tasks"));
        assert!(tasks.contains("Water the plants"), "{border}: {tasks}");
        third.finish();
        let now = std::fs::metadata(trial.data_dir().join("brain.redb")).unwrap().len();
        assert!(now < full / 4, "{border}: {full} bytes, then {now}");
        let names: Vec<_> =
            std::fs::read_dir(trial.data_dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("rewritten")), "{names:?}");
    }
}
