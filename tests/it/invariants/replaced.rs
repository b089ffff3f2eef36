//! 6, 7 and 12 where they meet: a card that is replaced while somebody decides it, and when many wait.

use std::sync::atomic::{AtomicBool, Ordering};

use brain_agent::core::button::{Button, Role};
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::State;
use brain_agent::core::turn::{Input, Path};
use brain_agent::limits;
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::{Batch, Change, Expect};
use serde_json::{Value, json};

use crate::rig::{Card, Rig, send, states_in};

fn two_mails() -> Value {
    json!([send("zoe@example.com", "First", "body one"), send("max@example.com", "Second", "body two")])
}

fn drop_of(card: &Card, index: usize) -> Button {
    card.buttons.iter().filter(|button| button.role == Role::Drop).nth(index).unwrap().clone()
}

/// Presses `second` while `first` is under way: after so many reads of cards. What each was told.
async fn both(rig: &Rig, first: &Button, second: &Button, reads: usize) -> (String, Path) {
    let brain = rig.brain.clone();
    let press = Input::Press { data: second.data.clone(), message: None };
    let incoming = rig.me().incoming(press, rig.channel.next_id());
    rig.store.meanwhile(reads, move || {
        let other = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(handle_turn(&brain, &incoming));
        });
        other.join().unwrap();
    });
    let answer = rig.presses(first).await;
    rig.store.meanwhile(usize::MAX, || {});
    (answer.text(), answer.done.path)
}

/// A press reads its card so often before it is committed; later reads stand under the chat's lock.
const READS: usize = 3;

async fn open(rig: &Rig) -> Vec<brain_agent::core::pending::Pending> {
    rig.all_pending().await.into_iter().filter(|pending| pending.state == State::Pending).collect()
}

#[tokio::test]
async fn invariant_07_a_yes_and_a_drop_at_once_do_not_both_count() {
    for reads in 0..READS {
        let rig = Rig::plain();
        let card = rig.card_for(two_mails()).await;
        let (told, path) = both(&rig, &drop_of(&card, 1), &card.approve(), reads).await;
        let (sent, waiting) = (rig.effects().len(), open(&rig).await.len());
        assert!([(2, 0), (0, 1)].contains(&(sent, waiting)), "{reads}: {sent} sent, {waiting} open: {told}");
        assert_ne!(path, Path::Error, "{reads}: {told}");
        assert!(sent == 0 || told.contains("already"), "{reads}: {told}");
    }
}

#[tokio::test]
async fn invariant_07_a_drop_that_is_tapped_twice_makes_one_newer_card() {
    for reads in 0..READS {
        let rig = Rig::plain();
        let card = rig.card_for(two_mails()).await;
        let (told, path) = both(&rig, &drop_of(&card, 1), &drop_of(&card, 1), reads).await;
        let waiting = open(&rig).await;
        assert_eq!(waiting.len(), 1, "{reads}: {told}");
        assert_eq!(rig.pending(&card.id).await.superseded_by.as_ref(), Some(&waiting[0].id), "{reads}");
        assert_ne!(path, Path::Error, "{reads}: {told}");
        let approve = format!("y:{}:{}", waiting[0].id, waiting[0].digest.prefix());
        rig.me().presses(&approve).await;
        assert_eq!(rig.effects().len(), 1, "{reads}: the newer card can be decided");
    }
}

#[tokio::test]
async fn invariant_07_a_no_and_a_drop_at_once_leave_one_word_standing() {
    for reads in 0..READS {
        let rig = Rig::plain();
        let card = rig.card_for(two_mails()).await;
        let (told, path) = both(&rig, &drop_of(&card, 0), &card.cancel(), reads).await;
        let state = rig.pending(&card.id).await.state;
        let waiting = open(&rig).await.len();
        assert!([(State::Denied, 0), (State::Superseded, 1)].contains(&(state, waiting)), "{reads}: {state} {told}");
        assert_ne!(path, Path::Error, "{reads}: {told}");
    }
}

#[tokio::test]
async fn invariant_07_a_card_that_is_decided_just_before_its_replacement_is_written_stays_decided() {
    let rig = Rig::plain();
    let card = rig.card_for(two_mails()).await;
    let mut denied = rig.pending(&card.id).await;
    denied.state = State::Denied;
    let (store, first) = (rig.store.clone(), AtomicBool::new(true));
    rig.store.twists(move |batch| {
        if states_in(batch).contains(&State::Superseded) && first.swap(false, Ordering::SeqCst) {
            store.put_quietly(Batch { changes: vec![Change::put(&denied, Expect::Any).unwrap()] });
        }
        true
    });
    let answer = rig.presses(&drop_of(&card, 1)).await;
    assert!(answer.text().contains("already cancelled"), "{}", answer.text());
    assert_eq!((rig.pending(&card.id).await.state, open(&rig).await.len()), (State::Denied, 0));
    assert_ne!(answer.done.path, Path::Error);
    assert!(answer.done.outcomes.iter().all(|report| report.status == Status::Denied), "{:?}", answer.done);
}

/// A card of two mails among as many as may wait.
async fn crowded() -> (Rig, Card) {
    let rig = Rig::plain();
    for n in 1..limits::PENDING_OPEN_MAX {
        rig.card_for(json!([send("zoe@example.com", &n.to_string(), "body")])).await;
    }
    let card = rig.card_for(two_mails()).await;
    assert_eq!(open(&rig).await.len(), limits::PENDING_OPEN_MAX);
    (rig, card)
}

#[tokio::test]
async fn invariant_12_a_part_can_be_dropped_however_many_cards_wait() {
    let (rig, card) = crowded().await;
    let newer = rig.presses(&drop_of(&card, 1)).await.card();
    assert_eq!(rig.pending(&newer.id).await.state, State::Pending);
    assert_eq!(rig.pending(&card.id).await.state, State::Superseded);
    assert_eq!(open(&rig).await.len(), limits::PENDING_OPEN_MAX);
}

#[tokio::test]
async fn invariant_06_a_change_loses_no_card_however_many_wait() {
    // One that works out, one that does not: the changed card, or the one that was there.
    for plan in [json!({"actions": two_mails()}), json!({"actions": [], "question": null})] {
        let (rig, card) = crowded().await;
        rig.script.plans(plan.clone());
        let changed = rig.me().replies("yes, but make it friendlier", card.last()).await;
        let waits = if changed.has_card() { changed.card().id } else { card.id.clone() };
        assert_eq!(changed.has_card(), plan["actions"] == two_mails(), "{plan}");
        assert_eq!(rig.pending(&waits).await.state, State::Pending, "{plan}");
        assert_eq!(open(&rig).await.len(), limits::PENDING_OPEN_MAX, "{plan}");
    }
}
