//! The promises one by one, told in words.

use brain_agent::core::button::Role;
use brain_agent::core::settings::{Quiet, Settings};
use brain_agent::ports::records::{Due, DueKind, OutboxEntry};
use chrono::{DateTime, Duration, Utc};
use chrono_tz::{America, Asia, Europe, Tz};
use serde_json::json;

use super::world::{Told, World};
use crate::rig::Fate;

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A Monday noon in Berlin.
fn world() -> World {
    World::new(utc("2026-01-12T11:00:00Z"), Europe::Berlin)
}

fn quiet_nights() -> Settings {
    let time = |text: &str| text.parse().unwrap();
    Settings { quiet: Some(Quiet { from: time("22:00:00"), to: time("07:00:00") }), ..Settings::default() }
}

async fn once(world: &World, title: &str, at: &str) {
    world.does("create", json!({"title": title, "deadline": at})).await;
}

async fn daily(world: &World, title: &str, at: &str) {
    world.does("create", json!({"title": title, "repeat": "FREQ=DAILY", "deadline": at})).await;
}

#[tokio::test]
async fn a_reminder_that_waits_for_the_network_says_how_late_it_comes() {
    let world = world();
    once(&world, "Call mom", "2026-01-12T17:00:00+01:00").await;
    world.fate(Fate::LostAfter(0));
    world.live_until(utc("2026-01-12T19:30:00Z")).await;
    world.fate(Fate::Arrives);
    world.redelivers().await;
    assert_eq!(world.heard(), ["⏰ Call mom, late by 3 h"]);
}

#[tokio::test]
async fn after_downtime_many_become_one_message_and_few_do_not() {
    for (count, messages) in [(3, 3), (4, 1), (40, 1)] {
        let mut world = world();
        for n in 0..count {
            once(&world, &format!("Thing {n}"), &format!("2026-01-12T1{}:{:02}:00+01:00", 3 + n / 20, n % 20)).await;
        }
        world.go_to(utc("2026-01-12T16:00:00Z"));
        world.restart().await;
        let heard = world.heard();
        assert_eq!(heard.len(), messages, "{heard:#?}");
        if messages == 1 {
            let first =
                "While I was away, these fell due:\n1. ⏰ Thing 0, due 13:00, late by 4 h\n2. ⏰ Thing 1, due 13:01, ";
            assert!(heard[0].starts_with(first), "{heard:?}");
        }
        assert_eq!(heard[0].contains("\n… and 25 more: /tasks"), count == 40, "{heard:?}");
        assert!(world.dues().await.is_empty());
    }
}

#[tokio::test]
async fn what_waits_while_the_network_is_down_becomes_one_message_too() {
    let world = world();
    for n in 0..6 {
        once(
            &world,
            &format!("Thing {n}"),
            &format!("2026-01-12T1{n}:30:00+01:00").replace("T10", "T16").replace("T11", "T17"),
        )
        .await;
    }
    daily(&world, "Pills", "2026-01-12T13:00:00+01:00").await;
    world.fate(Fate::LostAfter(0));
    world.live_until(utc("2026-01-14T16:00:00Z")).await;
    world.fate(Fate::Arrives);
    world.redelivers().await;
    let heard = world.heard();
    assert_eq!(heard.len(), 1, "{heard:#?}");
    let lines: Vec<&str> = heard[0].lines().collect();
    assert_eq!((lines[0], lines.len()), ("While I was away, these fell due:", 8));
    assert_eq!(lines[7], "7. ⏰ Pills, due 13:00, late by 4 h; 2 earlier ones were missed");
}

#[tokio::test]
async fn a_group_stays_until_its_message_has_a_number() {
    let mut world = world();
    for n in 0..5 {
        once(&world, &format!("Thing {n}"), "2026-01-12T13:00:00+01:00").await;
    }
    world.fate(Fate::AnswerLost);
    world.live_until(utc("2026-01-12T12:00:00Z")).await;
    world.restart().await;
    world.fate(Fate::Arrives);
    world.restart().await;
    let told = world.told();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|one| one.reply.notifications.len() == 5 && one.reply.reminder == told[0].reply.reminder));
    world.restart().await;
    assert_eq!(world.told().len(), 3, "it was delivered");
}

#[tokio::test]
async fn quiet_hours_hold_what_repeats_and_let_through_what_was_asked_for() {
    let world = world();
    world.chooses(None, quiet_nights()).await;
    daily(&world, "Journal", "2026-01-12T23:30:00+01:00").await;
    let made = world.does("create", json!({"title": "Night bus", "deadline": "2026-01-13T00:15:00+01:00"})).await;
    assert_eq!(made["quiet"], "rings");
    world.live_until(utc("2026-01-12T23:30:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Night bus"]);
    world.live_until(utc("2026-01-13T06:00:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Journal, meant for 23:30, held by your quiet hours"]);
    // It goes on the next night, and a snooze rings when it was asked to.
    world.live_until(utc("2026-01-14T06:00:00Z")).await;
    let told = world.told().pop().unwrap();
    assert_eq!(told.reply.text, "⏰ Journal, meant for 23:30, held by your quiet hours");
    world.presses(&told.reply, Role::Snooze).await;
    world.heard();
    world.live_until(utc("2026-01-14T06:30:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Journal"]);
}

#[tokio::test]
async fn what_is_late_at_night_waits_for_the_morning() {
    let mut world = world();
    world.chooses(None, quiet_nights()).await;
    once(&world, "Call mom", "2026-01-12T17:00:00+01:00").await;
    world.go_to(utc("2026-01-12T22:00:00Z"));
    world.restart().await;
    assert!(world.heard().is_empty());
    world.live_until(utc("2026-01-13T06:00:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Call mom, late by 14 h"]);
    // The same when it was already on its way.
    once(&world, "Call dad", "2026-01-13T17:00:00+01:00").await;
    world.fate(Fate::LostAfter(0));
    world.live_until(utc("2026-01-13T23:00:00Z")).await;
    world.fate(Fate::Arrives);
    world.redelivers().await;
    assert!(world.heard().is_empty());
    world.live_until(utc("2026-01-14T06:00:00Z")).await;
    assert_eq!(world.heard(), ["⏰ Call dad, late by 14 h"]);
}

#[tokio::test]
async fn many_held_by_quiet_hours_are_one_message_in_the_morning() {
    let world = world();
    world.chooses(None, quiet_nights()).await;
    for n in 0..5 {
        daily(&world, &format!("Thing {n}"), &format!("2026-01-12T23:0{n}:00+01:00")).await;
    }
    world.live_until(utc("2026-01-13T06:00:00Z")).await;
    let heard = world.heard();
    assert_eq!(heard.len(), 1, "{heard:#?}");
    let begin = "Your quiet hours are over. These waited:\n1. ⏰ Thing 0, meant for 23:00, held by your quiet hours\n";
    assert!(heard[0].starts_with(begin), "{heard:?}");
}

#[tokio::test]
async fn what_was_done_moved_or_deleted_while_quiet_hours_held_it_stays_silent() {
    for (command, params) in [
        ("complete", json!({"find_by": "journal"})),
        ("update", json!({"find_by": "journal", "changes": {"deadline": "2026-01-15T12:00:00+01:00"}})),
        ("delete", json!({"find_by": "journal"})),
    ] {
        let world = world();
        world.chooses(None, quiet_nights()).await;
        daily(&world, "Journal", "2026-01-12T23:30:00+01:00").await;
        world.live_until(utc("2026-01-13T00:00:00Z")).await;
        world.does(command, params).await;
        world.live_until(utc("2026-01-13T12:00:00Z")).await;
        assert!(world.heard().is_empty(), "{command}");
    }
}

#[tokio::test]
async fn a_series_keeps_its_times_whatever_is_snoozed() {
    let world = world();
    daily(&world, "Pills", "2026-01-12T13:00:00+01:00").await;
    world.live_until(utc("2026-01-12T12:00:00Z")).await;
    let told = world.told().pop().unwrap();
    // Till tomorrow morning: the reminder of tomorrow noon must come, too.
    let tomorrow = told.reply.buttons[1][0].clone();
    world.sends(brain_agent::core::turn::Input::Press { data: tomorrow.data, message: None }).await;
    world.heard();
    world.live_until(utc("2026-01-14T12:00:00Z")).await;
    let times: Vec<String> = world.told().iter().map(|told| told.at.format("%d %H:%M").to_string()).collect();
    assert_eq!(times, ["13 08:00", "13 12:00", "14 12:00"]);
}

#[tokio::test]
async fn a_briefing_comes_every_morning_by_the_clock_on_the_wall() {
    let world = World::new(utc("2026-03-27T12:00:00Z"), Europe::Berlin);
    let briefing = Some("07:30:00".parse().unwrap());
    world.chooses(None, Settings { briefing, ..Settings::default() }).await;
    once(&world, "Call mom", "2026-03-29T17:00:00+02:00").await;
    world.live_until(utc("2026-03-30T12:00:00Z")).await;
    let told = world.told();
    let times: Vec<String> =
        told.iter().map(|told| told.at.with_timezone(&Europe::Berlin).format("%d %H:%M").to_string()).collect();
    assert_eq!(times, ["28 07:30", "29 07:30", "29 17:00", "30 07:30"]);
    assert_eq!(told[0].reply.text, "☀️ Good morning! Nothing on your calendar and nothing due today.");
    assert_eq!(told[1].reply.text, "☀️ Good morning! Sun 29 Mar:\n▫️ 17:00 Call mom");
    assert_eq!(told[3].reply.text, "☀️ Good morning! Mon 30 Mar:\n❗ Call mom — since Sun 29 Mar");
}

#[tokio::test]
async fn all_that_fell_due_while_the_machine_slept_is_told_once_and_says_how_late_it_is() {
    let mut world = World::new(utc("2026-03-27T12:00:00Z"), Europe::Berlin);
    let briefing = Some("07:30:00".parse().unwrap());
    world.chooses(None, Settings { briefing, ..Settings::default() }).await;
    once(&world, "Call mom", "2026-03-27T17:00:00+01:00").await;
    // Twenty-five hours later, and again, with nothing in between.
    world.go_to(utc("2026-03-28T13:00:00Z"));
    world.restart().await;
    let told = |world: &World| world.told().into_iter().map(|told| told.reply.text).collect::<Vec<_>>();
    let first = told(&world);
    assert!(first.iter().any(|text| text.contains("Call mom") && text.contains("late by 21 h")), "{first:?}");
    assert!(first.iter().any(|text| text.starts_with("☀️ Your briefing, late by 6 h.")), "{first:?}");
    assert_eq!(first.len(), 2, "{first:?}");
    world.go_to(utc("2026-03-31T09:31:00Z"));
    world.restart().await;
    let second = told(&world).split_off(2);
    assert!(second.len() == 1 && second[0].starts_with("☀️ Your briefing, late by 4 h."), "the latest: {second:?}");
    world.live_until(utc("2026-04-01T05:30:00Z")).await;
    assert!(told(&world)[3..].iter().all(|text| text.starts_with("☀️ Good morning!")), "{:?}", told(&world));
    assert_eq!(told(&world).len(), 4);
}

#[tokio::test]
async fn a_briefing_moves_with_its_time_and_zone_and_ends_when_it_is_switched_off() {
    let world = world();
    let at = |text: &str| Settings { briefing: Some(text.parse().unwrap()), ..Settings::default() };
    let next = |dues: Vec<Due>| -> Vec<String> {
        let briefings = dues.into_iter().filter(|due| due.kind == DueKind::Briefing);
        briefings.map(|due| due.at.format("%d %H:%M").to_string()).collect()
    };
    world.chooses(None, at("07:30:00")).await;
    assert_eq!(next(world.dues().await), ["13 06:30"]);
    world.chooses(None, at("08:00:00")).await;
    assert_eq!(next(world.dues().await), ["13 07:00"]);
    world.chooses(Some(America::New_York), at("08:00:00")).await;
    assert_eq!(next(world.dues().await), ["12 13:00"]);
    world.chooses(None, Settings::default()).await;
    assert!(next(world.dues().await).is_empty());
}

#[tokio::test]
async fn a_briefing_goes_on_when_the_operator_sets_another_zone() {
    let mut world = world();
    world.chooses(None, Settings { briefing: Some("07:30:00".parse().unwrap()), ..Settings::default() }).await;
    world.restart_in(America::New_York).await;
    world.live_until(utc("2026-01-15T20:00:00Z")).await;
    let told = world.told();
    let times: Vec<String> = told.iter().map(|told| told.at.format("%d %H:%M").to_string()).collect();
    assert_eq!(times, ["13 12:30", "14 12:30", "15 12:30"]);
}

#[tokio::test]
async fn who_moves_takes_what_repeats_along() {
    let world = world();
    daily(&world, "Pills", "2026-01-12T13:00:00+01:00").await;
    once(&world, "Call mom", "2026-01-13T17:00:00+01:00").await;
    world.chooses(Some(America::New_York), Settings::default()).await;
    world.live_until(utc("2026-01-13T20:00:00Z")).await;
    let told = world.told();
    let times: Vec<String> = told.iter().map(|told| told.at.format("%d %H:%M").to_string()).collect();
    assert_eq!(times, ["12 18:00", "13 16:00", "13 18:00"]);
}

/// Journal has rung in Berlin and could not be delivered; meanwhile the person chooses something else. Gives what
/// is told when messages arrive again at `arrives`, and the clock at which it is.
async fn told_after(zone: Option<Tz>, settings: Settings, rang: &str, arrives: &str) -> Vec<(String, String)> {
    let world = world();
    world.chooses(None, quiet_nights()).await;
    daily(&world, "Journal", &format!("2026-01-12T{rang}:00+01:00")).await;
    world.fate(Fate::LostAfter(0));
    world.live_until(utc("2026-01-12T20:00:00Z")).await;
    world.chooses(zone, settings).await;
    world.live_until(utc(arrives)).await;
    world.fate(Fate::Arrives);
    world.redelivers().await;
    world.live_until(utc("2026-01-13T09:00:00Z")).await;
    let clock = |told: &Told| told.at.format("%d %H:%M").to_string();
    world.told().iter().map(|told| (clock(told), told.reply.text.clone())).collect()
}

#[tokio::test]
async fn who_moves_or_chooses_other_hours_while_a_reminder_waits_has_the_night_that_counts() {
    // In Bangkok 21:30 UTC is 04:30, in New York it is 16:30; 22:30 in Berlin is night.
    let late = |hours: i64| format!("⏰ Journal, late by {hours} h");
    let told = told_after(Some(Asia::Bangkok), quiet_nights(), "17:00", "2026-01-12T21:30:00Z").await;
    assert_eq!(told, [("13 00:00".to_owned(), late(8))]);
    let told = told_after(Some(America::New_York), quiet_nights(), "17:00", "2026-01-12T21:30:00Z").await;
    assert_eq!(told, [("12 21:30".to_owned(), late(5))]);
    let told = told_after(None, Settings::default(), "17:00", "2026-01-12T21:30:00Z").await;
    assert_eq!(told, [("12 21:30".to_owned(), late(5))]);
}

#[tokio::test]
async fn a_machine_that_stops_between_commit_and_delivery_loses_nothing() {
    for commits in 0..4 {
        let mut world = world();
        once(&world, "Call mom", "2026-01-12T17:00:00+01:00").await;
        world.store.dies_after(commits);
        world.go_to(utc("2026-01-12T16:00:00Z"));
        world.works().await;
        world.go_to(utc("2026-01-12T16:30:00Z"));
        world.restart().await;
        let told = world.told();
        let certain = told.iter().filter(|told| !told.doubtful).count();
        assert_eq!(certain, 1, "after {commits} commits");
        assert!(told.iter().all(|one| one.reply.reminder == told[0].reply.reminder));
        assert!(world.dues().await.is_empty());
        assert!(world.all::<OutboxEntry>().await.is_empty());
        assert!(told.len() == 1 || told.last().unwrap().at - told[0].at == Duration::minutes(30));
    }
}

#[tokio::test]
async fn an_agenda_goes_day_by_day_and_begins_with_what_is_overdue() {
    let world = world();
    once(&world, "Taxes", "2026-01-12T12:30:00+01:00").await;
    daily(&world, "Pills", "2026-01-12T18:00:00+01:00").await;
    world.does("create", json!({"title": "Passport", "deadline": "2026-01-14"})).await;
    for (summary, from, to) in [("Standup", "09:30", "09:45"), ("Lunch with Ann", "12:00", "13:00")] {
        let at = |clock: &str| format!("2026-01-14T{clock}:00+01:00");
        let event = json!({"summary": summary, "start_time": at(from), "end_time": at(to), "location": "Room 4"});
        world.acts("calendar", "create_event", event).await;
    }
    world.live_until(utc("2026-01-13T20:00:00Z")).await;
    let ctx = world.brain.request_context(&world.user().await, &super::world::my_chat());
    let day = |text: &str| text.parse().unwrap();
    let lines = brain_agent::pipeline::stages::assistant::agenda::agenda(
        &world.brain,
        &ctx,
        day("2026-01-13"),
        day("2026-01-16"),
        None,
    )
    .await
    .lines;
    assert_eq!(
        lines.join("\n"),
        "❗ Taxes — since Mon 12 Jan\n\n\
         Today (Tue 13 Jan)\n▫️ 18:00 Pills\n\n\
         Tomorrow (Wed 14 Jan)\n▫️ Passport\n🗓 09:30–09:45 Standup, Room 4\n🗓 12:00–13:00 Lunch with Ann, Room 4\n\
         ▫️ 18:00 Pills\n\nThu 15 Jan\n▫️ 18:00 Pills"
    );
    world.does("complete", json!({"find_by": "pills"})).await;
    let lines = brain_agent::pipeline::stages::assistant::agenda::agenda(
        &world.brain,
        &ctx,
        day("2026-01-13"),
        day("2026-01-14"),
        None,
    )
    .await
    .lines;
    assert_eq!(lines, ["❗ Taxes — since Mon 12 Jan"], "today's is done");
}
