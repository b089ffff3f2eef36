use chrono_tz::Europe::Berlin;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::services::catalog::registry::Registration;
use crate::services::contract::capabilities::FallenDue;
use crate::services::contract::entry::ParamError;
use crate::services::contract::service::{ContextRequest, Prepared};
use crate::services::contract::show::Moment;
use crate::services::helpers::items;
use crate::services::helpers::texts;
use crate::testing::{World, authorized, local, params};
use brain_core::core::plan::Action;
use brain_core::core::provenance::UntrustedText;
use brain_core::ports::Expect;
use brain_core::ports::records::Due;

const NOON: &str = "2026-01-12 12:00";

fn at(text: &str) -> String {
    Moment::Instant(local(Berlin, text).with_timezone(&Berlin)).store()
}

fn world() -> (World, Registration) {
    let world = World::at(Berlin, NOON);
    let tasks = world.service(NAME);
    (world, tasks)
}

async fn fall_due(world: &World, tasks: &Registration, due: &Due) -> FallenDue {
    tasks.service.reminders().unwrap().fall_due(&world.ctx, due).await.unwrap()
}

async fn add(world: &World, tasks: &Registration, title: &str) -> Value {
    world.run(tasks, "create", json!({"title": title})).await["task"].clone()
}

async fn listed(world: &World, tasks: &Registration, params: Value) -> Vec<String> {
    let result = world.run(tasks, "list", params).await;
    let tasks = result["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_reminder_without_an_hour_rings_at_the_one_that_its_receipt_names() {
    let (world, tasks) = world();
    let params = json!({"title": "Water the plants", "deadline": "2026-01-13"});
    let (_, told) = world.run_told(&tasks, "create", params).await;
    assert!(told.ends_with("tomorrow (Tue 13 Jan) at 09:00"), "{told}");
    assert_eq!(world.due().await[0].at, local(Berlin, "2026-01-13 09:00"));
}

#[tokio::test]
async fn a_task_with_a_deadline_gets_one_reminder_in_the_due_index() {
    let (world, tasks) = world();
    let params = json!({"title": "Call mom", "deadline": at("2026-01-13 17:00"), "priority": "high"});
    let (result, told) = world.run_told(&tasks, "create", params).await;
    assert!(told.starts_with("⏰ Reminder set: Call mom — "), "{told}");
    let id = result["task"]["id"].as_str().unwrap();
    assert!(id.len() <= 20 && id.chars().all(|c| c.is_ascii_alphanumeric()));
    let due = world.due().await;
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].at, local(Berlin, "2026-01-13 17:00"));
    assert_eq!(due[0].chat, world.ctx.chat);
}

#[tokio::test]
async fn a_day_reminds_at_nine_and_the_past_does_not_remind() {
    let (world, tasks) = world();
    world.run(&tasks, "create", json!({"title": "Day", "deadline": "2026-03-29"})).await;
    world.run(&tasks, "create", json!({"title": "Past", "deadline": at("2026-01-12 11:59")})).await;
    world.run(&tasks, "create", json!({"title": "None"})).await;
    let due = world.due().await;
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].at.to_rfc3339(), "2026-03-29T07:00:00+00:00", "summer time has begun");
}

#[tokio::test]
async fn words_find_the_task_they_mean() {
    let (world, tasks) = world();
    for title in
        ["Call the dentist", "Call mom", "Send the Q3 report to Priya", "Buy Sunday paper", "🎂", "Zoë's café visit"]
    {
        add(&world, &tasks, title).await;
    }
    for (words, title) in [
        ("the dentist thing", "Call the dentist"),
        ("the dentist", "Call the dentist"),
        ("call dentist", "Call the dentist"),
        ("dentsit", "Call the dentist"),
        ("CALLING THE DENTISTS", "Call the dentist"),
        ("report", "Send the Q3 report to Priya"),
        ("priyas report", "Send the Q3 report to Priya"),
        ("sunday paper", "Buy Sunday paper"),
        ("🎂", "🎂"),
        ("zoe cafe", "Zoë's café visit"),
        ("mom", "Call mom"),
    ] {
        assert_eq!(world.found(&tasks, "complete", words).await, [title], "{words}");
    }
    for words in ["the plumber", "call the plumber tomorrow about taxes", "the", "\u{0}", "🎄"] {
        let prepared = tasks.prepare(&world.ctx, "complete", json!({"find_by": words})).await.unwrap();
        assert!(matches!(prepared, Prepared::NotFound { .. }), "{words:?}: {prepared:?}");
    }
    let nothing = tasks.command("complete").unwrap().check(params(&json!({"find_by": ""})));
    assert!(matches!(&nothing, Err(ParamError::Missing { param, .. }) if param == "find_by"), "{nothing:?}");
}

#[tokio::test]
async fn several_close_ones_are_asked_about_and_told_apart_by_time() {
    let (world, tasks) = world();
    world.run(&tasks, "create", json!({"title": "Call Bob", "deadline": at("2026-01-14 10:00")})).await;
    world.run(&tasks, "create", json!({"title": "Call Bob", "deadline": at("2026-01-13 10:00")})).await;
    let found = world.found(&tasks, "complete", "call bob").await;
    assert_eq!((found.len(), found[0].as_str()), (3, "?"));
    assert_ne!(found[1], found[2]);
    let long = "x".repeat(400);
    for day in ["13", "14"] {
        let deadline = at(&format!("2026-01-{day} 10:00"));
        world.run(&tasks, "create", json!({"title": long, "deadline": deadline})).await;
    }
    let labels = world.found(&tasks, "complete", &long).await;
    assert!(labels.len() == 3 && labels[1] != labels[2], "{labels:?}");
    let timed = world.prepare(&tasks, "complete", json!({"find_by": "call bob on wednesday"})).await;
    let Prepared::Ready { target: Some(target), .. } = timed else { panic!("{timed:?}") };
    assert_eq!(target.before["deadline"], at("2026-01-14 10:00"));
}

#[tokio::test]
async fn a_weak_match_is_offered_and_never_taken() {
    let (world, tasks) = world();
    add(&world, &tasks, "Call the dentist").await;
    let found = world.found(&tasks, "complete", "call the plumber").await;
    assert!(found.is_empty() || found[0] == "?", "{found:?}");
}

#[tokio::test]
async fn done_tasks_cannot_be_completed_and_open_ones_are_found_first() {
    let (world, tasks) = world();
    let first = add(&world, &tasks, "Water plants").await;
    let (_, told) = world.run_told(&tasks, "complete", json!({"find_by": "water plants"})).await;
    assert_eq!(told, "✅ Done: Water plants");
    assert!(world.found(&tasks, "complete", first["id"].as_str().unwrap()).await.is_empty());
    let second = add(&world, &tasks, "Water plants").await;
    let action = world.action(&tasks, "delete", json!({"find_by": "water plants"})).await;
    assert_eq!(action.target.unwrap().id, second["id"].as_str().unwrap());
}

#[tokio::test]
async fn moving_completing_and_deleting_take_the_reminder_along() {
    let (world, tasks) = world();
    let params = json!({"title": "Call mom", "deadline": at("2026-01-13 17:00")});
    world.run(&tasks, "create", params).await;
    let changes = json!({"deadline": at("2026-01-14 18:00"), "title": "Call mum"});
    let (result, told) = world.run_told(&tasks, "update", json!({"find_by": "call mom", "changes": changes})).await;
    assert!(told.starts_with("✏️ Changed: ▫️ Call mum — "), "{told}");
    assert_eq!(result["task"]["title"], "Call mum");
    let due = world.due().await;
    assert_eq!((due.len(), due[0].at), (1, local(Berlin, "2026-01-14 18:00")));
    world.run(&tasks, "complete", json!({"find_by": "call mum"})).await;
    assert!(world.due().await.is_empty());
    let params = json!({"title": "Other", "deadline": at("2026-01-13 17:00")});
    world.run(&tasks, "create", params).await;
    world.run(&tasks, "delete", json!({"find_by": "other"})).await;
    assert!(world.due().await.is_empty());
    assert!(listed(&world, &tasks, json!({"status": "open"})).await.is_empty());
}

#[tokio::test]
async fn what_changed_since_it_was_shown_is_left_alone() {
    let (world, tasks) = world();
    add(&world, &tasks, "Report").await;
    let shown = world.action(&tasks, "delete", json!({"find_by": "report"})).await;
    world.run(&tasks, "update", json!({"find_by": "report", "changes": {"title": "Q3 report"}})).await;
    let why = world.fails(&tasks, shown.clone()).await;
    assert!(why.contains("changed meanwhile"), "{why}");
    world.run(&tasks, "delete", json!({"find_by": "q3 report"})).await;
    assert!(world.fails(&tasks, shown).await.contains("not there any more"));
}

#[tokio::test]
async fn of_two_changes_computed_from_the_same_state_one_commits() {
    let (world, tasks) = world();
    let params = json!({"title": "Report", "deadline": at("2026-01-13 17:00")});
    world.run(&tasks, "create", params).await;
    let done = authorized(world.action(&tasks, "complete", json!({"find_by": "report"})).await);
    let delete = authorized(world.action(&tasks, "delete", json!({"find_by": "report"})).await);
    let (attempt, ctx) = (world.attempt(), &world.ctx);
    let (done, delete) = (tasks.perform(ctx, &done, &attempt).await, tasks.perform(ctx, &delete, &attempt).await);
    assert!(done.changes.iter().chain(&delete.changes).all(|change| change.expect != Expect::Any));
    world.commit(&done).await.unwrap();
    assert!(world.commit(&delete).await.is_err());
    assert_eq!(listed(&world, &tasks, json!({"status": "done"})).await, ["Report"]);
}

#[tokio::test]
async fn a_retried_attempt_makes_nothing_twice() {
    let (world, tasks) = world();
    let action = authorized(world.action(&tasks, "create", json!({"title": "Once"})).await);
    let attempt = world.attempt();
    let first = tasks.perform(&world.ctx, &action, &attempt).await;
    let second = tasks.perform(&world.ctx, &action, &attempt).await;
    assert_eq!(first, second);
    world.commit(&first).await.unwrap();
    assert!(world.commit(&second).await.is_err());
    assert_eq!(listed(&world, &tasks, json!({})).await, ["Once"]);
}

#[tokio::test]
async fn a_list_is_sorted_by_deadline_and_bounded_by_day_inclusively() {
    let (world, tasks) = world();
    for (title, deadline) in [
        ("later", Some(at("2026-01-14 00:30"))),
        ("evening", Some(at("2026-01-13 23:30"))),
        ("day", Some("2026-01-13".to_owned())),
        ("overdue", Some(at("2026-01-10 10:00"))),
        ("some time", None),
    ] {
        world.run(&tasks, "create", json!({"title": title, "deadline": deadline})).await;
    }
    let all = listed(&world, &tasks, json!({})).await;
    assert_eq!(all, ["overdue", "day", "evening", "later", "some time"]);
    let tomorrow = listed(&world, &tasks, json!({"due_before": "2026-01-13"})).await;
    assert_eq!(tomorrow, ["overdue", "day", "evening"]);
    let by_nine = listed(&world, &tasks, json!({"due_before": at("2026-01-13 09:00")})).await;
    assert_eq!(by_nine, ["overdue", "day"]);
    world.run(&tasks, "create", json!({"title": "Budget", "description": "with Luis, in review"})).await;
    assert_eq!(listed(&world, &tasks, json!({"text": "luis in review"})).await, ["Budget"]);
    assert_eq!(listed(&world, &tasks, json!({"text": "the evening one"})).await, ["evening"]);
    assert!(listed(&world, &tasks, json!({"text": "luis evening"})).await.is_empty());
    world.run(&tasks, "delete", json!({"find_by": "Budget"})).await;
    world.run(&tasks, "complete", json!({"find_by": "overdue"})).await;
    assert_eq!(listed(&world, &tasks, json!({"status": "completed"})).await, ["overdue"]);
    assert_eq!(listed(&world, &tasks, json!({"status": "all"})).await.len(), 5);
}

#[tokio::test]
async fn bad_input_fails_in_a_sentence() {
    let (world, tasks) = world();
    let fails = |command: &str, params: Value| {
        let action = Action {
            service: "task".into(),
            command: command.into(),
            params: params.as_object().unwrap().clone(),
            ..Action::default()
        };
        world.fails(&tasks, action)
    };
    for (command, params, why) in [
        ("create", json!({}), "as it stands (title is missing); nothing was changed."),
        ("create", json!({"title": "\u{0}\u{7} \n"}), "needs a name"),
        ("create", json!({"title": "x".repeat(20_000)}), "longer than 500"),
        ("create", json!({"title": "x", "deadline": "tomorrow-ish"}), "can't read the time"),
        ("create", json!({"title": "x", "repeat": "FREQ=SOMETIMES"}), "can't read the repetition"),
        ("create", json!({"title": "x", "repeat": "FREQ=SECONDLY"}), "every 5 minutes"),
        ("create", json!({"title": "x", "repeat": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}), "never comes round"),
        ("create", json!({"title": "x", "repeat": "FREQ=DAILY;INTERVAL=0"}), "never comes round"),
        ("create", json!({"title": "x", "priority": 7}), "make sense of one part of that (the priority)"),
        ("list", json!({"status": "odd"}), "(the status). Nothing was done"),
        ("complete", json!({"find_by": "x"}), "which task"),
    ] {
        let told = fails(command, params.clone()).await;
        assert!(told.contains(why), "{command} {params}: {told}");
    }
    assert!(tasks.command("explode").is_none());
}

#[tokio::test]
async fn context_shows_open_tasks_that_are_due_soonest() {
    let (world, tasks) = world();
    add(&world, &tasks, "Some time").await;
    world.run(&tasks, "create", json!({"title": "Soon", "deadline": at("2026-01-13 17:00")})).await;
    let wanted = ContextRequest { message: String::new(), limit: 1, in_sight_from: None };
    let noticed = tasks.service.notice(&world.ctx, &wanted).await.unwrap();
    assert_eq!(noticed.len(), 1);
    assert_eq!(noticed[0].line, "Soon (due Tue 2026-01-13 17:00)");
}

#[tokio::test]
async fn nobody_reaches_anothers_tasks() {
    let (mut world, tasks) = world();
    let task = add(&world, &tasks, "Secret plan").await;
    world.ctx.owner = brain_core::core::ids::UserId::new("tg:2");
    assert!(world.found(&tasks, "delete", "secret plan").await.is_empty());
    assert!(world.found(&tasks, "delete", task["id"].as_str().unwrap()).await.is_empty());
    assert!(world.found(&tasks, "delete", "tg:1\u{1}x").await.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn an_open_task_is_found_by_its_own_title(titles in prop::collection::vec("(\\PC{1,30}|[a-z]{2,6} (at 3pm|tomorrow|the [a-z]{3,8}))", 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (world, tasks) = world();
            let mut kept = Vec::new();
            for title in &titles {
                if texts::title(title, "task").is_ok() {
                    kept.push(add(&world, &tasks, title).await);
                }
            }
            for task in &kept {
                let title = task["title"].as_str().unwrap();
                let found = tasks.prepare(&world.ctx, "complete", json!({"find_by": title})).await.unwrap();
                let ids = match found {
                    Prepared::Ready { target, .. } => vec![target.unwrap().id],
                    Prepared::Several { candidates, .. } => candidates.into_iter().map(|c| c.id).collect(),
                    Prepared::Every { ids } => ids,
                    Prepared::NotFound { what } => panic!("{title:?}: {what}"),
                };
                let same = kept.iter().filter(|t| ids.contains(&t["id"].as_str().unwrap().to_owned()));
                let mut same = same.map(|t| t["title"].as_str().unwrap());
                assert!(same.any(|other| other == title), "{title:?} found others only");
            }
        });
    }
}

/// Ten thousand tasks, the most one person's search looks at.
#[tokio::test]
async fn ten_thousand_tasks_are_searched() {
    let (world, tasks) = world();
    let first = add(&world, &tasks, "Call the dentist").await;
    let (task, _) =
        items::by_id::<Task>(&world.store, &world.ctx.owner, first["id"].as_str().unwrap()).await.unwrap().unwrap();
    let mut batch = brain_core::ports::Batch::default();
    for n in 0..9_999 {
        let title = format!("Ring person number {n} about the thing of week {}", n % 53);
        batch.put(&Task { id: format!("t{n}"), title, ..task.clone() }, Expect::Absent).unwrap();
    }
    world.store.commit(batch).await.unwrap();
    for words in ["the dentist thing", "dentsit", "person 4711"] {
        let start = std::time::Instant::now();
        let found = world.found(&tasks, "complete", words).await;
        println!("{words}: {} found in {:?}", found.len(), start.elapsed());
    }
}

#[tokio::test]
async fn others_words_stay_theirs_and_a_new_title_is_ones_own() {
    let (world, tasks) = world();
    let params = json!({"title": "Mallory Drain", "description": "Call 0815 4711", "deadline": at("2026-01-13 09:00")});
    world.run_of(&tasks, "create", params, &UntrustedText::new("a mail from Bob", "")).await;
    let words = |text: &str| UntrustedText::new("a mail from Bob", text).kept_in("a task");
    let (listed, noticed) = world.untrusted(&tasks, "list", json!({})).await;
    assert_eq!(listed, [words("Mallory Drain"), words("Call 0815 4711")]);
    assert_eq!(noticed, listed);
    let own = json!({"find_by": "mallory", "changes": {"title": "Plumber", "deadline": at("2026-01-13 10:00")}});
    let (told, _) = world.untrusted(&tasks, "update", own).await;
    assert_eq!(told, [words("Call 0815 4711")]);
    let theirs = json!({"find_by": "plumber", "changes": {"title": "Mallory again"}});
    let event = UntrustedText::new("the event “Call”", "");
    let told = world.run_of(&tasks, "update", theirs, &event).await;
    assert_eq!(told[1].label(), "a task from the event “Call”");
    let due = world.due().await.pop().unwrap();
    let ring = fall_due(&world, &tasks, &due).await.notification.unwrap();
    assert_eq!(ring.untrusted.len(), 2);
    let day = chrono::Duration::days(2);
    let agenda = tasks.service.agenda(&world.ctx, world.ctx.now, world.ctx.now + day).await.unwrap();
    assert_eq!(agenda[0].untrusted, ring.untrusted);
}

#[tokio::test]
async fn a_day_whose_hour_is_over_is_not_said_to_ring_and_a_series_begins_with_the_next() {
    let mut world = World::at(chrono_tz::Europe::Berlin, "2026-01-12 22:06");
    let tasks = world.service(NAME);
    let params = json!({"title": "Essay", "deadline": "2026-01-12"});
    let (_, told) = world.run_told(&tasks, "create", params).await;
    assert!(!told.contains("09:00") && told.contains("too late in the day"), "{told}");
    assert!(world.due().await.is_empty());
    let params = json!({"title": "Pills", "deadline": "2026-01-12", "repeat": "FREQ=DAILY"});
    let (result, told) = world.run_told(&tasks, "create", params).await;
    assert_eq!(result["task"]["deadline"], "2026-01-13", "{told}");
    world.move_to("2026-01-12 08:00");
    let (_, told) = world.run_told(&tasks, "create", json!({"title": "Rent", "deadline": "2026-01-12"})).await;
    assert!(told.ends_with("09:00"), "{told}");
}

#[tokio::test]
async fn a_task_is_found_by_its_description_as_by_its_title() {
    let (world, tasks) = world();
    let params = json!({"title": "Write the summary", "description": "Quarterly backlog of the Lisbon office"});
    world.run(&tasks, "create", params).await;
    add(&world, &tasks, "Call the dentist").await;
    assert_eq!(world.found(&tasks, "complete", "the summary").await, ["Write the summary"]);
    // By its description alone it is asked about.
    for words in ["the Lisbon office task", "quarterly backlog"] {
        assert_eq!(world.found(&tasks, "complete", words).await, ["?", "Write the summary"], "{words}");
    }
}
