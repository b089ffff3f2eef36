//! Two processes over one store, taking turns at every use of it: what must happen once is guarded by what a change
//! expects to find, not by locks of one process. Messages are at least once; actions and decisions exactly once.

use std::collections::BTreeSet;
use std::sync::Arc;

use brain_agent::core::button::{Button, Role};
use brain_agent::core::ids::MessageId;
use brain_agent::core::pending::State;
use brain_agent::core::turn::{Done, Incoming, Input, Origin};
use brain_agent::pipeline::brain::Brain;
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::records::{ChatState, Message, OutboxEntry, Show, Shown, User};
use brain_agent::ports::{Key, RecordExt, Scan, Store, Table};
use brain_agent::scheduler;
use chrono::Duration;
use futures::future::join_all;
use serde_json::json;

use crate::rig::real_collections::RealCollections;
use crate::rig::{Event, Fate, ME, Rig, Setup, action, chat_of, key, send};

/// Ways in which the two meet.
const ORDERS: u64 = 25;

/// The first process, with everything that watches it, and a second one.
struct Two {
    rig: Rig,
    other: Arc<Brain>,
}

impl Two {
    fn new() -> Self {
        let rig = Rig::plain();
        let other = rig.replica(Setup::default());
        Self { rig, other }
    }

    /// All of these at once, every second one in the other process.
    async fn handle(&self, seed: u64, incoming: &[Incoming]) -> Vec<Done> {
        self.rig.store.interleaves(seed);
        let turns = incoming.iter().enumerate().map(|(at, incoming)| {
            let brain = if at % 2 == 0 { &self.rig.brain } else { &self.other };
            handle_turn(brain, incoming)
        });
        join_all(turns).await
    }

    fn typed(&self, text: &str) -> Incoming {
        let input = Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None };
        self.rig.me().incoming(input, self.rig.channel.next_id())
    }

    fn press(&self, button: &Button, message: MessageId) -> Incoming {
        let input = Input::Press { data: button.data.clone(), message: Some(message) };
        self.rig.me().incoming(input, self.rig.channel.next_id())
    }

    fn store(&self) -> &(dyn Store + 'static) {
        self.rig.store.as_ref()
    }

    async fn outbox_is_empty(&self) -> bool {
        self.rig.count(Table::Outbox).await == 0
    }

    /// What was put into the outbox of my chat, by number; a number that was given twice is told.
    fn enqueued(&self) -> Vec<OutboxEntry> {
        let committed = self.rig.log.events().into_iter().filter_map(|event| match event {
            Event::Committed(batch) => Some(batch.changes),
            Event::Performed { .. } | Event::Shown(_) => None,
        });
        let put = committed.flatten().filter(|change| change.table == Table::Outbox);
        let entries: Vec<OutboxEntry> = put.filter_map(|change| serde_json::from_slice(&change.put?.1).ok()).collect();
        let numbers: BTreeSet<u64> = entries.iter().map(|entry| entry.number).collect();
        assert_eq!(numbers.len(), entries.len(), "a number was given twice");
        assert!(numbers.iter().copied().eq(1..=entries.len() as u64), "a number was left out: {numbers:?}");
        entries
    }
}

/// The words of a message to be shown.
fn words(show: &Show) -> &str {
    match show {
        Show::Send(reply) => &reply.text,
        Show::Edit(edit) => edit.text.as_deref().unwrap_or_default(),
    }
}

#[tokio::test]
async fn answers_of_two_processes_in_one_chat_are_all_kept_numbered_and_shown_in_order() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        // Each has an answer of its own.
        let said: Vec<Incoming> = (0..8).map(|n| two.typed(&format!("/frobnicate{n}"))).collect();
        two.handle(seed, &said).await;
        assert!(two.outbox_is_empty().await);

        let enqueued = two.enqueued();
        assert_eq!(enqueued.len(), said.len());
        let mut shown: Vec<String> = Vec::new();
        for one in two.rig.channel.all() {
            if !shown.contains(&one.reply.text) {
                shown.push(one.reply.text);
            }
        }
        assert!(shown.iter().map(String::as_str).eq(enqueued.iter().map(|entry| words(&entry.show))), "{shown:?}");

        let kept = two.store().list::<Message>(Scan::of::<Message>(&[chat_of(ME).as_str()], 100)).await.unwrap();
        let numbers: Vec<u64> = kept.iter().map(|(message, _)| message.number).collect();
        assert_eq!(numbers, (1..=2 * said.len() as u64).collect::<Vec<_>>(), "what was said, and each answer");
        let state = two.store().load::<ChatState>(&key(chat_of(ME).as_str())).await.unwrap().unwrap().0;
        assert_eq!((state.next_message, state.next_outbox), (2 * said.len() as u64 + 1, said.len() as u64 + 1));
    }
}

#[tokio::test]
async fn a_card_decided_in_two_processes_at_once_is_decided_once() {
    let mut ends: BTreeSet<String> = BTreeSet::new();
    for seed in 1..=ORDERS {
        let two = Two::new();
        let card = two.rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
        let press = |button: Button| two.press(&button, card.last());
        let presses = [press(card.approve()), press(card.cancel()), press(card.cancel()), press(card.approve())];
        two.handle(seed, &presses).await;

        let decisions = two.rig.audit().await.into_iter().filter(|row| ["approved", "denied"].contains(&&*row.what));
        let decisions: Vec<String> = decisions.map(|row| row.what).collect();
        let state = two.rig.pending(&card.id).await.state;
        match decisions.as_slice() {
            [only] if only == "approved" => assert_eq!((state, two.rig.effects().len()), (State::Succeeded, 1)),
            [_denied] => assert_eq!((state, two.rig.effects().len()), (State::Denied, 0)),
            _ => panic!("decided {decisions:?}"),
        }
        assert_eq!((two.rig.count(Table::Runs).await, two.rig.count(Table::PendingOpen).await), (0, 0));
        assert!(two.outbox_is_empty().await);
        ends.extend(decisions);
    }
    assert_eq!(ends.len(), 2, "the orders that were tried let either of them win");
}

#[tokio::test]
async fn a_card_that_is_shown_twice_while_it_is_approved_is_approved_and_told() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        two.rig.channel.fate(Fate::LostAfter(0));
        two.rig.plans(json!([send("zoe@example.com", "Late", "It is late.")]));
        two.rig.says("tell zoe it is late").await;
        two.rig.channel.fate(Fate::Arrives);
        two.rig.store.interleaves(seed);
        let chat = chat_of(ME);
        // Both show it; its approval comes while the second showing is noted.
        futures::join!(two.rig.brain.deliver(&chat), two.other.deliver(&chat));
        let card = two.rig.all_pending().await.remove(0);
        let shown = two.rig.channel.all();
        let last = shown.iter().rev().find(|shown| shown.reply.card.is_some()).unwrap();
        let approve = last.reply.buttons.concat().into_iter().find(|button| button.role == Role::Approve).unwrap();
        let approval = two.press(&approve, last.id);
        let (done, ()) = futures::join!(handle_turn(&two.rig.brain, &approval), two.other.deliver(&chat));
        let state = two.rig.pending(&card.id).await.state;
        assert_eq!((state, two.rig.effects().len()), (State::Succeeded, 1), "{done:?}");
        assert!(two.rig.channel.all().iter().any(|shown| shown.reply.text.contains("Sent to")), "{seed}");
    }
}

#[tokio::test]
async fn one_message_that_two_processes_handle_is_carried_out_once() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        two.rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
        let said = two.typed("put milk on my list");
        two.handle(seed, &[said.clone(), said]).await;
        let all: Vec<String> = two.rig.channel.all().iter().map(|shown| shown.reply.text.clone()).collect();
        let done = two.rig.count(Table::Tasks).await;
        // While a server is waited for, the other process may end the turn first. This one stops then, and says that nothing
        // more was done, also where its write has arrived: a defect, which takes two processes over one store.
        let is_stopped = all.iter().any(|text| text.contains("Please try again"));
        let there = two.rig.real_collections().map(RealCollections::tasks);
        let is_fine = done == 1 && there.is_none_or(|there| there == 1) || done == 0 && is_stopped && there.is_some();
        assert!(there.is_none_or(|there| there <= 1), "never twice");
        assert!(is_fine, "{done} {there:?}: {all:?}");
        assert!(two.outbox_is_empty().await);
        let told = all.iter().filter(|text| text.contains("Milk")).count();
        assert!(told >= done, "{seed}");
    }
}

#[tokio::test]
async fn two_undos_of_one_message_pressed_in_two_processes_both_work_once_and_leave_no_button() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        let task = |title: &str| action("task", "create", json!({"title": title}));
        two.rig.plans(json!([task("Milk"), task("Bread")]));
        let told = two.rig.says("milk and bread, please").await;
        let receipt = &told.shown[0];
        let undos: Vec<Button> = receipt.reply.buttons.concat();
        assert_eq!(undos.len(), 2);
        // Each twice.
        let presses: Vec<Incoming> = [0, 1, 1, 0].map(|at: usize| two.press(&undos[at], receipt.id)).into();
        two.handle(seed, &presses).await;
        assert_eq!(two.rig.count(Table::Tasks).await, 0);
        let all = two.rig.channel.all();
        for title in ["Milk", "Bread"] {
            let said = |begin: &str| {
                all.iter().filter(|one| one.reply.text.starts_with(begin) && one.reply.text.contains(title)).count()
            };
            let texts: Vec<&str> = all.iter().map(|one| one.reply.text.as_str()).collect();
            // Of what was taken back elsewhere at that moment the other process finds that it is gone.
            let again = if two.rig.has_real_collections() { "❗" } else { "That was already taken back" };
            let is_told = said("↩️ Taken back") >= 1 && said("That was already taken back") + said(again) >= 1;
            assert!(is_told, "{seed}: {texts:?}");
        }
        let record = two.store().load::<Shown>(&Shown::key_of(&chat_of(ME), receipt.id)).await.unwrap().unwrap().0;
        assert!(record.buttons.is_empty(), "{:?}", record.buttons);
        // While a server is waited for, one process may send its edit after the later one of the other: a defect as above.
        let last = two.rig.channel.last_edit_of(receipt.id).unwrap();
        let overtaken = usize::from(two.rig.has_real_collections());
        assert!(last.buttons.concat().len() <= overtaken, "{last:?}");
    }
}

#[tokio::test]
async fn a_reminder_that_falls_due_in_two_processes_is_put_into_the_outbox_once() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        for (title, deadline) in [("Milk", "2026-01-12T10:00:00Z"), ("Bread", "2026-01-12T10:00:30Z")] {
            two.rig.plans(json!([action("task", "create", json!({"title": title, "deadline": deadline}))]));
            two.rig.says("remind me").await;
        }
        let before = two.enqueued().len();
        two.rig.clock.go_on(Duration::minutes(61));
        two.rig.store.interleaves(seed);
        let (one, other) = futures::join!(scheduler::run_due(&two.rig.brain), scheduler::run_due(&two.other));
        one.and(other).unwrap();
        assert!(two.outbox_is_empty().await);
        let reminders = two.enqueued().split_off(before);
        let all = reminders.iter().flat_map(|entry| match &entry.show {
            Show::Send(reply) => reply.notifications.clone(),
            Show::Edit(_) => Vec::new(),
        });
        let mut titles: Vec<String> = all.map(|one| one.title).collect();
        titles.sort();
        assert_eq!(titles, ["Bread", "Milk"]);
        for title in titles {
            let told =
                two.rig.channel.all().iter().filter(|one| one.reply.text.contains(&format!("⏰ {title}"))).count();
            assert!(told >= 1, "{title}");
        }
    }
}

#[tokio::test]
async fn settings_chosen_in_two_processes_at_once_are_all_kept() {
    for seed in 1..=ORDERS {
        let two = Two::new();
        let said =
            ["/settings zone Paris", "/settings quiet 22:00-07:00", "/settings tone brief", "/settings briefing 8:00"];
        let said: Vec<Incoming> = said.iter().map(|text| two.typed(text)).collect();
        two.handle(seed, &said).await;
        let user = two.store().load::<User>(&Key::of(&[ME])).await.unwrap().unwrap().0;
        assert_eq!(user.zone, Some(chrono_tz::Europe::Paris));
        assert!(user.settings.quiet.is_some() && user.settings.briefing.is_some(), "{:?}", user.settings);
        assert_eq!(two.rig.count(Table::Due).await, 1, "the one briefing that comes next");
        assert!(two.outbox_is_empty().await);
    }
}
