//! Deliveries beside the clock: a chat whose messages hang delays nobody else's, and loses none of its own.

use brain_agent::core::turn::Path;
use brain_agent::limits::DELIVER_CHATS_MAX;
use brain_agent::ports::Table;
use brain_agent::scheduler;
use chrono::Duration;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, Setup, action, chat_of};

/// A Monday at nine; each of these people has asked for these reminders.
async fn reminded(asked: &[(&str, &str, &str)]) -> Rig {
    let rig = Rig::plain();
    for (user, title, at) in asked {
        rig.plans(json!([action(
            "task",
            "create",
            json!({"title": title, "deadline": format!("2026-01-12T{at}:00Z")})
        )]));
        rig.as_user(user).says("remind me, please").await;
    }
    rig
}

/// What a person was reminded of, in order.
fn told(rig: &Rig, user: &str) -> Vec<String> {
    let shown = rig.channel.all().into_iter().filter(|shown| shown.chat == chat_of(user));
    shown.map(|shown| shown.reply).filter(|reply| reply.reminder.is_some()).map(|reply| reply.text).collect()
}

/// The program keeps time until the test ends it.
fn lives(rig: &Rig) -> JoinHandle<()> {
    lives_until(rig, &CancellationToken::new())
}

/// The same until it is told to stop.
fn lives_until(rig: &Rig, stop: &CancellationToken) -> JoinHandle<()> {
    let (brain, stop) = (rig.brain.clone(), stop.clone());
    tokio::spawn(async move { scheduler::run(&brain, &stop).await })
}

/// An hour goes by, and the program notices.
fn an_hour_later(rig: &Rig) {
    rig.clock.go_on(Duration::hours(1));
    rig.brain.due_changed.notify_one();
}

/// How many messages wait in all outboxes.
fn waiting(rig: &Rig) -> usize {
    futures::executor::block_on(rig.count(Table::Outbox))
}

/// Lets everybody else do whatever they can.
async fn others_work() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// Lets everybody else work until this is so.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("in vain: {what}");
}

#[tokio::test]
async fn a_chat_that_hangs_delays_no_other_chats_reminders_and_gets_its_own_once_in_order() {
    let rig = reminded(&[
        ("anna", "Stretch", "10:00"),
        ("ben", "Milk", "10:00"),
        ("anna", "Dentist", "11:00"),
        ("ben", "Bread", "11:00"),
    ])
    .await;
    rig.channel.hangs_in(&chat_of("anna"));
    let life = lives(&rig);
    an_hour_later(&rig);
    until("Ben's first", || told(&rig, "ben") == ["⏰ Milk"]).await;
    an_hour_later(&rig);
    until("Ben's second", || told(&rig, "ben") == ["⏰ Milk", "⏰ Bread"]).await;
    assert_eq!((told(&rig, "anna").len(), rig.channel.on_their_way()), (0, 1), "one message of a chat at a time");

    rig.channel.lets_through(&chat_of("anna"));
    until("Anna's both", || told(&rig, "anna").len() == 2).await;
    assert_eq!(told(&rig, "anna"), ["⏰ Stretch", "⏰ Dentist"]);
    until("the record of it", || waiting(&rig) == 0).await;
    an_hour_later(&rig);
    others_work().await;
    assert_eq!((told(&rig, "anna").len(), told(&rig, "ben").len()), (2, 2));
    life.abort();
}

#[tokio::test]
async fn a_reminder_whose_delivery_was_killed_comes_after_the_restart_and_only_that() {
    let rig = reminded(&[("anna", "Stretch", "10:00"), ("ben", "Milk", "10:00")]).await;
    rig.channel.hangs_in(&chat_of("anna"));
    let life = lives(&rig);
    an_hour_later(&rig);
    until("Ben's", || !told(&rig, "ben").is_empty()).await;
    life.abort();
    assert!(life.await.unwrap_err().is_cancelled());
    assert_eq!(rig.channel.on_their_way(), 0, "nothing goes on behind its back");

    rig.channel.lets_through(&chat_of("anna"));
    let rig = rig.restarts(Setup::default()).await;
    assert_eq!((told(&rig, "anna"), told(&rig, "ben")), (vec!["⏰ Stretch".to_owned()], vec!["⏰ Milk".to_owned()]));
    assert_eq!(waiting(&rig), 0);
}

#[tokio::test]
async fn a_delivery_that_breaks_ends_nobody_elses_and_is_tried_again() {
    let rig = reminded(&[
        ("anna", "Stretch", "10:00"),
        ("ben", "Milk", "10:00"),
        ("anna", "Dentist", "11:00"),
        ("ben", "Bread", "11:00"),
    ])
    .await;
    rig.channel.breaks_in(&chat_of("anna"));
    let life = lives(&rig);
    an_hour_later(&rig);
    until("Ben's first", || told(&rig, "ben") == ["⏰ Milk"]).await;
    an_hour_later(&rig);
    until("Ben's second", || told(&rig, "ben") == ["⏰ Milk", "⏰ Bread"]).await;
    assert_eq!((told(&rig, "anna").len(), waiting(&rig)), (0, 2), "hers are kept, in order");
    // A turn of hers ends as any does whose answer cannot be delivered.
    let chat = rig.as_user("anna").says("/help").await;
    assert_eq!((chat.done.path, waiting(&rig)), (Path::Command, 3));

    rig.channel.mended_in(&chat_of("anna"));
    assert_eq!(
        rig.channel.to_be_tried_again(),
        [chat_of("anna")],
        "the channel comes back to it, as to what it could not send"
    );
    rig.brain.deliver(&chat_of("anna")).await;
    assert_eq!(
        (told(&rig, "anna"), waiting(&rig)),
        (vec!["⏰ Stretch, late by 1 h".to_owned(), "⏰ Dentist".to_owned()], 0)
    );
    life.abort();
}

#[tokio::test]
async fn whoever_moves_the_clock_by_hand_sees_everything_delivered() {
    let rig = reminded(&[("anna", "Stretch", "10:00"), ("ben", "Milk", "10:00")]).await;
    rig.channel.hangs_in(&chat_of("anna"));
    rig.clock.go_on(Duration::hours(1));
    let brain = rig.brain.clone();
    let due = tokio::spawn(async move { scheduler::run_due(&brain).await });
    until("Ben's", || !told(&rig, "ben").is_empty()).await;
    assert!(!due.is_finished());
    rig.channel.lets_through(&chat_of("anna"));
    due.await.unwrap().unwrap();
    assert_eq!((told(&rig, "anna").len(), waiting(&rig)), (1, 0));
}

#[tokio::test]
async fn only_so_many_chats_are_delivered_in_at_once_and_each_holds_one_place() {
    let users: Vec<String> = (0..=DELIVER_CHATS_MAX).map(|n| format!("user{n:03}")).collect();
    let asked = users.iter().flat_map(|user| [(user.as_str(), "Stretch", "10:00"), (user.as_str(), "Milk", "11:00")]);
    let rig = reminded(&asked.collect::<Vec<_>>()).await;
    users.iter().for_each(|user| rig.channel.hangs_in(&chat_of(user)));
    let life = lives(&rig);
    for _ in 0..2 {
        an_hour_later(&rig);
        others_work().await;
        assert_eq!(rig.channel.on_their_way(), DELIVER_CHATS_MAX);
    }
    let (last, first) = users.split_last().unwrap();
    rig.channel.lets_through(&chat_of(last));
    assert!(told(&rig, last).is_empty(), "nobody has made room");
    rig.channel.lets_through(&chat_of(&first[0]));
    until("the one who waited for a place", || told(&rig, last).len() == 2).await;
    users.iter().for_each(|user| rig.channel.lets_through(&chat_of(user)));
    until("everybody's", || waiting(&rig) == 0).await;
    assert!(users.iter().all(|user| told(&rig, user).len() == 2));
    life.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_arrive_what_is_under_way_and_begins_nothing_more() {
    for arrives in [true, false] {
        let rig = reminded(&[("anna", "Stretch", "10:00"), ("ben", "Milk", "11:00")]).await;
        rig.channel.hangs_in(&chat_of("anna"));
        let stop = CancellationToken::new();
        let life = lives_until(&rig, &stop);
        an_hour_later(&rig);
        until("Anna's on its way", || rig.channel.on_their_way() == 1).await;
        stop.cancel();
        others_work().await;
        an_hour_later(&rig);
        others_work().await;
        assert!(!life.is_finished(), "it waits for what is under way");
        if arrives {
            rig.channel.lets_through(&chat_of("anna"));
        }
        // The clock of the test goes on by itself while nobody has anything to do.
        life.await.unwrap();
        assert_eq!((told(&rig, "anna").len(), waiting(&rig)), if arrives { (1, 0) } else { (0, 1) });
        assert_eq!((told(&rig, "ben").len(), rig.count(Table::Due).await), (0, 1), "it falls due in the next life");
    }
}
