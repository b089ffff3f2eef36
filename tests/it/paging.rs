//! Lists that are longer than a page: nothing is cut in silence, and a page goes on where the one before it ended.

use brain_agent::app;
use brain_agent::core::button::Role;
use brain_agent::core::ids::{PendingId, UserId};
use brain_agent::core::outcome::Report;
use brain_agent::ports::records::{CARDS_BY_OWNER, Due, DueKind, PendingOpen};
use brain_agent::ports::{Batch, Change, Expect, Key, Scan, Store, Table};
use serde_json::{Value, json};

use crate::rig::{Answer, ME, Rig, action, chat_of, send};
use crate::support::program::{Lines, Program, messages_of, text_of};

/// Records of one owner in bulk, as their services keep them.
pub struct Bulk {
    pub owner: String,
    pub chat: String,
}

impl Bulk {
    fn mine() -> Self {
        Self { owner: ME.to_owned(), chat: chat_of(ME).to_string() }
    }

    fn put(&self, table: Table, id: &str, fields: &str) -> Change {
        let body = format!(r#"{{"id":"{id}","owner":"{}",{fields}}}"#, self.owner).into_bytes();
        Change { table, key: Key::of(&[&self.owner, id]), expect: Expect::Any, put: Some((1, body)) }
    }

    pub fn task(&self, n: usize, deadline: Option<&str>) -> Change {
        let deadline = deadline.map_or_else(|| "null".to_owned(), |at| format!("\"{at}\""));
        let body = format!(
            r#""chat":"{}","title":"Thing {n}","description":null,"priority":null,"deadline":{deadline},"zone":"UTC",
               "repeat":null,"anchor":null,"status":"open","created_at":"2026-01-01T00:00:00Z","done_at":null,
               "reminded_at":null"#,
            self.chat
        );
        self.put(Table::Tasks, &format!("t{n:06}"), &body)
    }

    fn event(&self, n: usize, start: &str, end: &str) -> Change {
        let body = format!(
            r#""summary":"Meeting {n}","start_time":"{start}","end_time":"{end}","zone":"UTC","location":null,
               "attendees":[],"notes":null,"recurrence":null,"created_at":"2026-01-01T00:00:00Z""#
        );
        self.put(Table::Events, &format!("e{n:06}"), &body)
    }

    fn note(&self, n: usize) -> Change {
        let at = "2026-01-01T00:00:00Z";
        let body = format!(r#""title":"Note {n}","text":"x","items":[],"created_at":"{at}","updated_at":"{at}""#);
        self.put(Table::Notes, &format!("n{n:06}"), &body)
    }

    fn fact(&self, n: usize) -> Change {
        let body = format!(
            r#""category":"things","key":"thing {n:06}","value":"x","source":"told by you",
               "at":"2026-01-01T00:00:00Z""#
        );
        self.put(Table::Memories, &format!("m{n:06}"), &body)
    }
}

pub fn batch(changes: impl IntoIterator<Item = Change>) -> Batch {
    Batch { changes: changes.into_iter().collect() }
}

/// The lines that name a thing.
fn listed(text: &str) -> Vec<String> {
    let names = |line: &&str| ["Thing", "Meeting", "Note", "thing"].iter().any(|name| line.contains(name));
    text.lines().filter(names).map(str::to_owned).collect()
}

/// Every page of a list, by its button, and what stands below the last one.
async fn pages(rig: &Rig, first: Answer) -> (Vec<Vec<String>>, String) {
    let mut pages = vec![listed(&first.text())];
    let mut answer = first;
    while let Some(more) = answer.button(Role::More) {
        answer = rig.presses(&more).await;
        pages.push(listed(&answer.text()));
    }
    (pages, answer.text().lines().last().unwrap_or_default().to_owned())
}

fn no_outcomes_failed(reports: &[Report]) -> bool {
    reports.iter().all(|report| report.error.is_none())
}

#[tokio::test]
async fn a_list_goes_on_by_button_to_its_end_and_says_so() {
    let rig = Rig::plain();
    rig.store.put_quietly(batch((0..51).map(|n| Bulk::mine().task(n, None))));
    let first = rig.says("/tasks").await;
    assert!(first.text().starts_with("📋 51 open tasks\n\n▫️ Thing 0\n"), "{}", first.text());
    assert!(first.text().ends_with("… and 31 more: say “more”."), "{}", first.text());
    assert_eq!(first.button(Role::More).unwrap().text, "Show 20 more");
    let (pages, end) = pages(&rig, first).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 11]);
    assert_eq!(end, "That was all of them.");
    let all: Vec<String> = pages.concat();
    assert_eq!(all, (0..51).map(|n| format!("▫️ Thing {n}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_page_goes_on_behind_what_was_shown_whatever_came_or_went_meanwhile() {
    let rig = Rig::plain();
    let bulk = Bulk::mine();
    rig.store.put_quietly(batch((0..60).map(|n| bulk.task(n, None))));
    let first = rig.says("/tasks").await;
    // The last one shown and one before it go; one comes that belongs on the page that was shown.
    let gone = [Key::of(&[ME, "t000019"]), Key::of(&[ME, "t000003"])]
        .map(|key| Change::delete(Table::Tasks, key, Expect::Any));
    rig.store.put_quietly(batch(gone.into_iter().chain([bulk.task(100, Some("2026-01-01T09:00:00Z"))])));
    let second = rig.presses(&first.button(Role::More).unwrap()).await;
    let expected: Vec<String> = (20..40).map(|n| format!("▫️ Thing {n}")).collect();
    assert_eq!(listed(&second.text()), expected);
}

#[tokio::test]
async fn a_list_of_a_service_goes_on_in_words_and_only_right_below_it() {
    let rig = Rig::plain();
    rig.store.put_quietly(batch((0..45).map(|n| Bulk::mine().task(n, None))));
    rig.plans(json!([action("task", "list", json!({}))]));
    let first = rig.says("show my tasks").await;
    // An answer has few rows, and a page of whoever goes on more of them.
    assert!(first.text().contains("… and 38 more: say “more”."), "{}", first.text());
    let second = rig.says("show 20 more, please").await;
    assert_eq!(listed(&second.text()).first().unwrap(), "▫️ Thing 7", "{}", second.text());
    assert!(no_outcomes_failed(&second.done.outcomes));
    let last = rig.says("More!").await;
    assert_eq!(listed(&last.text()).len(), 18, "{}", last.text());
    assert!(last.text().ends_with("That was all of them."), "{}", last.text());
    // The first page's button is gone with its use; its data still means that very page.
    let again = rig.presses(&first.button(Role::More).unwrap()).await;
    assert_eq!(listed(&again.text()), listed(&second.text()));
    // With something else in between it is no list that is gone on with.
    rig.says("/tasks").await;
    rig.says("/help").await;
    let elsewhere = rig.says("more").await;
    assert!(!listed(&elsewhere.text()).contains(&"▫️ Thing 27".to_owned()), "{}", elsewhere.text());
}

#[tokio::test]
async fn nobody_goes_on_with_somebody_elses_list() {
    let rig = Rig::plain();
    rig.store.put_quietly(batch((0..45).map(|n| Bulk::mine().task(n, None))));
    let first = rig.says("/tasks").await;
    let data = first.button(Role::More).unwrap().data;
    let other = rig.as_user("eve").presses(&data).await;
    assert!(listed(&other.text()).is_empty() && other.text().contains("too old"), "{}", other.text());
}

#[tokio::test]
async fn every_list_tells_the_true_number_of_what_it_leaves_out() {
    for size in [10_001, 50_001, 100_001] {
        let rig = Rig::plain();
        let bulk = Bulk::mine();
        let (start, end) = ("2026-01-13T10:00:00+00:00", "2026-01-13T11:00:00+00:00");
        rig.store.put_quietly(batch((0..size).map(|n| bulk.task(n, Some("2026-01-14T09:00:00+00:00")))));
        // All of a span is looked through for a page of it: three sizes of that are a long test.
        let events = if size == 100_001 { 1_001 } else { size };
        rig.store.put_quietly(batch((0..events).map(|n| bulk.event(n, start, end))));
        rig.store.put_quietly(batch((0..size).map(|n| bulk.note(n))));
        rig.store.put_quietly(batch((0..size).map(|n| bulk.fact(n))));
        let says = |text: String, rest: usize| {
            assert!(text.contains(&format!("… and {rest} more: say “more”.")), "{size}: {text}");
        };
        let tasks = rig.says("/tasks").await;
        assert!(tasks.text().starts_with(&format!("📋 {size} open tasks")), "{}", tasks.text());
        says(tasks.text(), size - 20);
        let second = rig.presses(&tasks.button(Role::More).unwrap()).await;
        says(second.text(), size - 40);
        says(rig.says("/memory").await.text(), size - 20);
        for (service, command, params) in [
            ("task", "list", json!({})),
            ("keep", "list", json!({})),
            ("calendar", "list_events", json!({"from": "2026-01-13"})),
        ] {
            rig.plans(json!([action(service, command, params)]));
            let first = rig.says("show them to me").await;
            says(first.text(), if service == "calendar" { events } else { size } - 7);
            // Each page of a span looks through all of it; once is enough for the large ones.
            if size == 10_001 {
                let second = rig.presses(&first.button(Role::More).unwrap()).await;
                says(second.text(), size - 27);
                assert_ne!(listed(&second.text()), listed(&first.text()));
            }
        }
    }
}

#[tokio::test]
async fn a_task_with_a_reminder_stays_in_reach_of_its_list_among_ten_thousand() {
    let rig = Rig::plain();
    let bulk = Bulk::mine();
    let day = |n: usize| format!("20{:02}-{:02}-{:02}T09:00:00+00:00", 26 + n / 336, 1 + n / 28 % 12, 1 + n % 28);
    rig.store.put_quietly(batch((0..10_001).map(|n| bulk.task(n, Some(&day(n))))));
    let first = rig.says("/tasks").await;
    let (pages, end) = pages(&rig, first).await;
    let mut all = pages.concat();
    assert_eq!((all.len(), end.as_str()), (10_001, "That was all of them."));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 10_001, "nothing stands twice");
    assert!(all.iter().any(|line| line.starts_with("▫️ Thing 10000 — ")));
}

#[tokio::test]
async fn cards_beyond_a_page_are_counted_and_can_be_reached() {
    let rig = Rig::plain();
    let card = rig.card_for(json!([send("bob@example.com", "Late", "It is late.")])).await;
    let first = rig.pending(&card.id).await;
    let mut changes = Vec::new();
    for n in 0..10_000 {
        let mut more = first.clone();
        more.id = PendingId::new(format!("c{n:05}"));
        more.created_at += chrono::Duration::seconds(n + 1);
        changes.push(Change::put(&more, Expect::Any).unwrap());
        changes.push(Change::put(&PendingOpen::of(&more), Expect::Any).unwrap());
    }
    rig.store.put_quietly(batch(changes));
    let listed = rig.says("/pending").await;
    assert!(listed.text().contains("… and 9981 more: say “more”."), "{}", listed.text());
    let second = rig.presses(&listed.button(Role::More).unwrap()).await;
    assert!(second.text().contains("· c00019\n") && second.text().contains("· c00038\n"), "{}", second.text());
    assert!(second.text().ends_with("… and 9961 more: say “more”."), "{}", second.text());
    let store: &dyn Store = rig.store.as_ref();
    let open = Scan::by(&CARDS_BY_OWNER, &[ME, "pending"], usize::MAX);
    assert_eq!(store.count(open).await.unwrap(), 10_001);
}

#[tokio::test]
async fn the_next_reminder_is_found_behind_those_of_a_hundred_thousand_others() {
    let rig = Rig::plain();
    let due = |owner: &str, item: &str, at: &str| Due {
        at: at.parse().unwrap(),
        owner: UserId::new(owner),
        chat: chat_of(owner),
        kind: DueKind::Item { service: "task".to_owned(), item: item.to_owned() },
        meant: None,
    };
    let others = (0..100_001).map(|n| Change::put(&due("eve", &n.to_string(), "2026-02-01T09:00:00Z"), Expect::Any));
    let mine = Change::put(&due(ME, "t000007", "2026-03-01T09:00:00Z"), Expect::Any);
    rig.store.put_quietly(batch(others.chain([mine]).map(Result::unwrap)));
    rig.store.put_quietly(batch([Bulk::mine().task(7, Some("2026-03-01T09:00:00+00:00"))]));
    let status = rig.says("/status").await.text();
    assert!(status.contains("Next reminder: Sun 1 Mar at 09:00 — Thing 7"), "{status}");
}

#[tokio::test]
async fn what_began_long_before_a_day_is_on_it() {
    let rig = Rig::plain();
    let bulk = Bulk::mine();
    let events = [
        ("2026-01-12T08:00:00+00:00", "2026-01-12T09:00:00+00:00"),
        ("2026-01-08T08:00:00+00:00", "2026-01-14T09:00:00+00:00"),
        ("2025-11-30", "2026-01-20"),
        ("2020-01-01", "2030-01-01"),
        ("2026-01-10", "2026-01-12"),
        ("2026-01-13", "2026-01-14"),
    ];
    rig.store.put_quietly(batch(events.iter().enumerate().map(|(n, (start, end))| bulk.event(n, start, end))));
    let today = rig.says("/today").await.text();
    let shown: Vec<bool> = (0..events.len()).map(|n| today.contains(&format!("Meeting {n}"))).collect();
    assert_eq!(shown, [true, true, true, true, false, false], "{today}");
}

/// The button of a role in the answer of a console, if there is one.
fn more(lines: &Lines) -> Option<Value> {
    let messages = messages_of(lines);
    let buttons = messages.iter().flat_map(|message| message["buttons"].as_array().cloned().unwrap_or_default());
    buttons.flat_map(|row| row.as_array().cloned().unwrap_or_default()).find(|button| button["role"] == "more")
}

#[tokio::test]
async fn on_the_real_program_a_list_goes_on_by_button_and_by_word() {
    let program = Program::new();
    let bulk = Bulk { owner: "me".to_owned(), chat: "console:me".to_owned() };
    let store = app::open_store(program.data_dir()).await.unwrap();
    store.commit(batch((0..55).map(|n| bulk.task(n, None)))).await.unwrap();
    store.close().await;
    drop(store);
    let mut console = program.at("2026-01-12T09:00:00Z");
    let first = console.say("/tasks");
    let button = more(&first).unwrap_or_else(|| panic!("{first:#?}"));
    assert_eq!(button["text"], "Show 20 more");
    let second = console.press(button["data"].as_str().unwrap());
    assert!(text_of(&second).starts_with("▫️ Thing 20\n"), "{second:#?}");
    assert!(second.iter().any(|line| line["type"] == "edit"), "the first page loses its button: {second:#?}");
    let third = console.say("more");
    assert!(text_of(&third).ends_with("▫️ Thing 54\nThat was all of them."), "{third:#?}");
    assert!(more(&third).is_none());
    assert_eq!(third.last().unwrap()["path"], "command");
}
