//! Reminders: when they ring, what they say, and what repeats.

use std::sync::Arc;

use chrono_tz::Europe::Berlin;
use serde_json::json;

use super::*;
use crate::testing::{World, local};
use brain_core::core::button::Role;
use brain_core::ports::Expect;
use brain_core::ports::Record as _;
use brain_core::ports::records::Due;
use brain_services::services::catalog::registry::Registration;
use brain_services::services::contract::capabilities::FallenDue;
use brain_services::services::contract::show::Moment;
use brain_services::services::task::{NAME, Task, TaskService};

const NOON: &str = "2026-01-12 12:00";

fn at(text: &str) -> String {
    Moment::Instant(local(Berlin, text).with_timezone(&Berlin)).store()
}

fn world() -> (World, Registration) {
    let world = World::at(Berlin, NOON);
    let tasks = world.service(NAME);
    (world, tasks)
}

/// What rings, in words.
fn said(world: &World, fallen: &FallenDue) -> brain_core::core::turn::Reply {
    let told = vec![fallen.notification.clone().expect("a notification")];
    notification_messages(told, "key", world.ctx.now).remove(0)
}
async fn fall_due(world: &World, tasks: &Registration, due: &Due) -> FallenDue {
    tasks.service.reminders().unwrap().fall_due(&world.ctx, due).await.unwrap()
}
async fn fire(world: &World, tasks: &Registration, due: &Due) -> FallenDue {
    let fallen = fall_due(world, tasks, due).await;
    let mut batch = brain_core::ports::Batch { changes: fallen.changes.clone() };
    batch.delete(Due::TABLE, due.key(), Expect::Any);
    world.store.commit(batch).await.unwrap();
    fallen
}
#[tokio::test]
async fn a_reminder_has_its_words_and_buttons() {
    let (mut world, tasks) = world();
    let params = json!({"title": "Call mom", "deadline": at("2026-01-13 17:00")});
    let task = world.run(&tasks, "create", params).await["task"].clone();
    let due = world.due().await.remove(0);
    world.move_to("2026-01-13 17:01");
    let reply = said(&world, &fall_due(&world, &tasks, &due).await);
    assert_eq!(reply.text, "⏰ Call mom");
    let roles: Vec<Role> = reply.buttons.iter().flatten().map(|button| button.role).collect();
    assert_eq!(roles, [Role::Snooze, Role::Snooze, Role::Snooze, Role::Snooze, Role::Done]);
    let id = task["id"].as_str().unwrap();
    let data: Vec<&str> = reply.buttons.iter().flatten().map(|button| button.data.as_str()).collect();
    let snooze = |until: &str| format!("z:{id}:{until}");
    assert_eq!(data, [snooze("10"), snooze("60"), snooze("t"), snooze("a"), format!("k:{id}")]);
    for (now, text) in [
        ("2026-01-13 17:12", "⏰ Call mom, late by 12 min"),
        ("2026-01-13 20:30", "⏰ Call mom, late by 3 h"),
        ("2026-01-17 17:00", "⏰ Call mom, late by 4 days"),
    ] {
        world.move_to(now);
        assert_eq!(said(&world, &fall_due(&world, &tasks, &due).await).text, text);
    }
    world.run(&tasks, "complete", json!({"find_by": "call mom"})).await;
    assert_eq!(fall_due(&world, &tasks, &due).await, FallenDue::default());
}
#[tokio::test]
async fn a_snoozed_reminder_comes_unless_the_task_was_done_moved_or_deleted() {
    for (command, params) in [
        ("complete", json!({"find_by": "call mom"})),
        ("update", json!({"find_by": "call mom", "changes": {"deadline": at("2026-01-14 18:00")}})),
        ("delete", json!({"find_by": "call mom"})),
    ] {
        let (mut world, tasks) = world();
        let params_of_call = json!({"title": "Call mom", "deadline": at("2026-01-13 17:00")});
        world.run(&tasks, "create", params_of_call).await;
        let due = world.due().await.remove(0);
        world.move_to("2026-01-13 17:01");
        fire(&world, &tasks, &due).await;
        let changes = json!({"snooze": at("2026-01-13 17:11")});
        let (_, told) = world.run_told(&tasks, "update", json!({"find_by": "call mom", "changes": changes})).await;
        assert!(told.starts_with("💤 I'll remind you again: Call mom — today"), "{told}");
        let snoozed = world.due().await.remove(0);
        assert_eq!(snoozed.at, local(Berlin, "2026-01-13 17:11"));
        world.move_to("2026-01-13 17:11");
        assert!(fall_due(&world, &tasks, &snoozed).await.notification.is_some());
        world.run(&tasks, command, params).await;
        assert_eq!(fall_due(&world, &tasks, &snoozed).await, FallenDue::default(), "{command}");
    }
}
#[tokio::test]
async fn what_is_done_and_is_to_be_reminded_of_again_is_open_again() {
    for changes in [json!({"snooze": at("2026-01-13 18:00")}), json!({"deadline": at("2026-01-13 18:00")})] {
        let (world, tasks) = world();
        world.run(&tasks, "create", json!({"title": "Call mom", "deadline": at("2026-01-13 17:00")})).await;
        world.run(&tasks, "complete", json!({"find_by": "call mom"})).await;
        assert!(world.due().await.is_empty());
        let (_, told) = world.run_told(&tasks, "update", json!({"find_by": "call mom", "changes": changes})).await;
        let rings: Vec<_> = world.due().await.into_iter().map(|due| due.at).collect();
        assert!(rings.contains(&local(Berlin, "2026-01-13 18:00")), "{told}: {rings:?}");
    }
    let (world, tasks) = world();
    world.run(&tasks, "create", json!({"title": "Call mom", "deadline": at("2026-01-13 17:00")})).await;
    world.run(&tasks, "complete", json!({"find_by": "call mom"})).await;
    world.run(&tasks, "update", json!({"find_by": "call mom", "changes": {"title": "Call dad"}})).await;
    assert!(world.due().await.is_empty(), "a new name opens nothing");
}
#[tokio::test]
async fn a_repeating_reminder_stays_at_its_local_time_over_both_clock_changes() {
    for (first, days) in [
        ("2026-03-27 09:00", ["2026-03-28", "2026-03-29", "2026-03-30"]),
        ("2026-10-23 09:00", ["2026-10-24", "2026-10-25", "2026-10-26"]),
    ] {
        let mut world = World::at(Berlin, &first.replace("09:00", "08:00"));
        let tasks = Arc::new(TaskService::new(world.store.clone(), world.index.clone())).registration();
        let rule = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0";
        world.run(&tasks, "create", json!({"title": "Pills", "repeat": rule, "deadline": at(first)})).await;
        for day in days {
            let due = world.due().await;
            assert_eq!(due.len(), 1);
            world.ctx.now = due[0].at;
            let fallen = fire(&world, &tasks, &due[0]).await;
            assert_eq!(said(&world, &fallen).text, "⏰ Pills");
            assert_eq!(world.due().await[0].at, local(Berlin, &format!("{day} 09:00")));
        }
    }
}
#[tokio::test]
async fn done_after_a_reminder_means_the_time_it_reminded_of() {
    let (mut world, tasks) = world();
    let rule = "FREQ=DAILY;BYHOUR=18;BYMINUTE=0";
    let params = json!({"title": "Water plants", "repeat": rule, "deadline": at("2026-01-12 18:00")});
    world.run(&tasks, "create", params).await;
    let due = world.due().await.remove(0);
    world.ctx.now = due.at;
    fire(&world, &tasks, &due).await;
    world.move_to("2026-01-12 18:05");
    let (result, told) = world.run_told(&tasks, "complete", json!({"find_by": "water plants"})).await;
    assert_eq!(result["task"]["deadline"], at("2026-01-13 18:00"));
    assert!(told.starts_with("✅ Done: Water plants — next "), "{told}");
    // The same press twice, then tomorrow's done early.
    let again = world.run(&tasks, "complete", json!({"find_by": "water plants"})).await;
    assert_eq!(again["task"]["deadline"], at("2026-01-13 18:00"));
    world.move_to("2026-01-13 09:00");
    let early = world.run(&tasks, "complete", json!({"find_by": "water plants"})).await;
    assert_eq!(early["task"]["deadline"], at("2026-01-14 18:00"));
    let due = world.due().await;
    assert_eq!((due.len(), due[0].at), (1, local(Berlin, "2026-01-14 18:00")));
}
#[tokio::test]
async fn putting_off_a_reminder_leaves_the_repetition_as_it_is() {
    for is_done_before in [false, true] {
        let (mut world, tasks) = world();
        let rule = "FREQ=DAILY;BYHOUR=18;BYMINUTE=0";
        let params = json!({"title": "Pills", "repeat": rule, "deadline": at("2026-01-12 18:00")});
        world.run(&tasks, "create", params).await;
        let due = world.due().await.remove(0);
        world.ctx.now = due.at;
        fire(&world, &tasks, &due).await;
        let changes = json!({"deadline": at("2026-01-12 18:10")});
        world.run(&tasks, "update", json!({"find_by": "pills", "changes": changes})).await;
        let due = world.due().await;
        let times: Vec<_> = due.iter().map(|due| due.at).collect();
        assert_eq!(times, [local(Berlin, "2026-01-12 18:10"), local(Berlin, "2026-01-13 18:00")]);
        if is_done_before {
            world.move_to("2026-01-12 18:05");
            world.run(&tasks, "complete", json!({"find_by": "pills"})).await;
        } else {
            world.ctx.now = due[0].at;
            let fallen = fire(&world, &tasks, &due[0]).await;
            assert_eq!(said(&world, &fallen).text, "⏰ Pills");
        }
        let due = world.due().await;
        assert_eq!((due.len(), due[0].at), (1, local(Berlin, "2026-01-13 18:00")));
        let result = world.run(&tasks, "list", json!({})).await;
        assert_eq!(result["tasks"][0]["repeat"], rule);
    }
}
#[tokio::test]
async fn missed_times_are_told_once_and_the_last_time_ends_a_repetition() {
    let (mut world, tasks) = world();
    let rule = "FREQ=DAILY;COUNT=5;BYHOUR=18;BYMINUTE=0";
    let params = json!({"title": "Drops", "repeat": rule, "deadline": at("2026-01-12 18:00")});
    world.run(&tasks, "create", params).await;
    let due = world.due().await.remove(0);
    world.move_to("2026-01-15 20:00");
    let fallen = fire(&world, &tasks, &due).await;
    assert_eq!(said(&world, &fallen).text, "⏰ Drops, late by 2 h; 3 earlier ones were missed");
    let due = world.due().await.remove(0);
    assert_eq!(due.at, local(Berlin, "2026-01-16 18:00"));
    world.ctx.now = due.at;
    fire(&world, &tasks, &due).await;
    assert!(world.due().await.is_empty());
    let (result, told) = world.run_told(&tasks, "complete", json!({"find_by": "drops"})).await;
    assert_eq!((result["task"]["status"].as_str(), told.as_str()), (Some("done"), "✅ Done: Drops"));
}
#[tokio::test]
async fn a_repetition_without_a_first_time_begins_at_its_next_one() {
    let (world, tasks) = world();
    let result = world.run(&tasks, "create", json!({"title": "Bins", "repeat": "FREQ=WEEKLY;BYDAY=TH"})).await;
    assert_eq!(result["task"]["deadline"], at("2026-01-15 09:00"));
    let changes = json!({"deadline": at("2026-01-15 20:00")});
    let result = world.run(&tasks, "update", json!({"find_by": "bins", "changes": changes})).await;
    assert_eq!(result["task"]["deadline"], at("2026-01-15 20:00"));
    let done = world.run(&tasks, "complete", json!({"find_by": "bins"})).await;
    assert_eq!(done["task"]["deadline"], at("2026-01-22 20:00"));
}
#[tokio::test]
async fn a_task_reminds_before_its_deadline_and_at_further_times() {
    let (mut world, tasks) = world();
    let params = json!({"title": "Dentist", "deadline": at("2026-01-15 10:00"),
        "remind_before": ["a day", "1 hour"], "remind_at": at("2026-01-15 09:30")});
    let (result, told) = world.run_told(&tasks, "create", params).await;
    assert_eq!(
        told,
        "⏰ Reminder set: Dentist — Thu 15 Jan at 10:00; also 1 day before and 1 h before and Thu 15 Jan at 09:30"
    );
    assert_eq!(result["task"]["remind_before"], json!(["PT1H", "P1D"]));
    let times = |due: &[Due]| -> Vec<String> {
        due.iter().map(|due| due.at.with_timezone(&Berlin).format("%d %H:%M").to_string()).collect()
    };
    assert_eq!(times(&world.due().await), ["14 10:00", "15 09:00", "15 09:30", "15 10:00"]);
    let due = world.due().await.remove(0);
    world.move_to("2026-01-14 10:00");
    let fallen = fire(&world, &tasks, &due).await;
    assert_eq!(said(&world, &fallen).text, "⏰ Dentist — tomorrow (Thu 15 Jan) at 10:00");
    // Snoozing the early one leaves the deadline where it is.
    let changes = json!({"snooze": at("2026-01-14 10:10")});
    let result = world.run(&tasks, "update", json!({"find_by": "dentist", "changes": changes})).await;
    assert_eq!(result["task"]["deadline"], at("2026-01-15 10:00"));
    assert_eq!(times(&world.due().await), ["14 10:10", "15 09:00", "15 09:30", "15 10:00"]);
    // A new deadline takes those before it along.
    let changes = json!({"deadline": at("2026-01-16 12:00"), "remind_at": ["none"]});
    world.run(&tasks, "update", json!({"find_by": "dentist", "changes": changes})).await;
    assert_eq!(times(&world.due().await), ["15 12:00", "16 11:00", "16 12:00"]);
    world.run(&tasks, "complete", json!({"find_by": "dentist"})).await;
    assert!(world.due().await.is_empty());
}
#[tokio::test]
async fn a_change_of_other_things_loses_no_reminder_that_is_just_due() {
    let (mut world, tasks) = world();
    let params = json!({"title": "Call mom", "deadline": at("2026-01-12 12:10")});
    world.run(&tasks, "create", params).await;
    world.move_to("2026-01-12 12:11");
    let changes = json!({"description": "about Sunday"});
    world.run(&tasks, "update", json!({"find_by": "call mom", "changes": changes})).await;
    let due = world.due().await.remove(0);
    assert_eq!(said(&world, &fire(&world, &tasks, &due).await).text, "⏰ Call mom\nabout Sunday");
}
#[tokio::test]
async fn a_task_stored_before_there_were_several_reminders_is_still_read() {
    let (mut world, tasks) = world();
    let old = json!({"id": "old1", "owner": "tg:1", "chat": "tg:1", "title": "Old", "description": null,
        "priority": null, "deadline": at("2026-01-13 09:00"), "zone": "Europe/Berlin", "repeat": null, "anchor": null,
        "status": "open", "created_at": "2026-01-01T00:00:00Z", "done_at": null, "reminded_at": null});
    let task: Task = serde_json::from_value(old).unwrap();
    let due = json!({"at": "2026-01-13T08:00:00Z", "owner": "tg:1", "chat": "tg:1",
        "kind": {"is": "item", "service": "task", "item": "old1"}});
    let due: Due = serde_json::from_value(due).unwrap();
    let mut batch = brain_core::ports::Batch::default();
    batch.put(&task, Expect::Absent).unwrap().put(&due, Expect::Absent).unwrap();
    world.store.commit(batch).await.unwrap();
    world.move_to("2026-01-13 09:00");
    assert_eq!(said(&world, &fire(&world, &tasks, &due).await).text, "⏰ Old");
}
#[tokio::test]
async fn what_repeats_follows_the_person_to_another_zone_and_what_was_set_once_stays() {
    let (mut world, tasks) = world();
    let new_york = chrono_tz::America::New_York;
    let rule = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0";
    world.run(&tasks, "create", json!({"title": "Pills", "repeat": rule, "deadline": at("2026-01-13 09:00")})).await;
    world.run(&tasks, "create", json!({"title": "Call", "deadline": at("2026-01-13 17:00")})).await;
    world.run(&tasks, "create", json!({"title": "Taxes", "deadline": "2026-01-20"})).await;
    let hourly = json!({"title": "Water", "repeat": "FREQ=HOURLY;INTERVAL=6", "deadline": at("2026-01-12 18:00")});
    world.run(&tasks, "create", hourly).await;
    let rezoned = tasks.service.rezone(&world.ctx, new_york).await.unwrap();
    assert_eq!(rezoned.moved, 2);
    world.store.commit(brain_core::ports::Batch { changes: rezoned.changes }).await.unwrap();
    world.ctx.zone = new_york;
    let mut times: Vec<String> = world.due().await.iter().map(|due| due.at.to_rfc3339()).collect();
    times.sort();
    let expected = ["2026-01-12T17:00:00", "2026-01-13T14:00:00", "2026-01-13T16:00:00", "2026-01-20T14:00:00"];
    assert_eq!(times, expected.map(|at| format!("{at}+00:00")));
    // And the next one is at nine over there, too.
    let due = world.due().await.remove(1);
    world.ctx.now = due.at;
    fire(&world, &tasks, &due).await;
    assert!(world.due().await.iter().any(|due| due.at.to_rfc3339() == "2026-01-14T14:00:00+00:00"));
    // A second time to the same zone changes nothing.
    assert!(tasks.service.rezone(&world.ctx, new_york).await.unwrap().changes.is_empty());
}
