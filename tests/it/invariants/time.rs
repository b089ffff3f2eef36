//! 8: every card ends, by whichever clock is first.

use brain_agent::core::pending::State;
use brain_agent::ports::Clock;
use chrono::Duration;
use serde_json::{Value, json};

use crate::rig::{Card, Rig, Setup, send, states_in};

fn mail() -> Value {
    json!([send("zoe@example.com", "a", "b")])
}

async fn tries_everything(rig: &Rig, card: &Card) {
    rig.presses(&card.approve()).await;
    rig.says("yes").await;
    rig.me().replies("yes", card.last()).await;
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn invariant_08_every_card_expires_by_the_wall_clock_and_shows_when() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    assert_eq!(rig.pending(&card.id).await.expires_at, rig.clock.now() + Duration::hours(24));
    assert!(card.text().contains("Waits until ") && card.text().contains("09:00"), "{}", card.text());
    rig.clock.set_wall(Duration::hours(24));
    tries_everything(&rig, &card).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Expired);
    rig.clock.set_wall(-Duration::hours(24));
    tries_everything(&rig, &card).await;
}

#[tokio::test]
async fn invariant_08_every_card_expires_by_the_monotonic_clock_though_the_wall_clock_was_set_back() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.clock.set_monotonic(Duration::hours(24));
    tries_everything(&rig, &card).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Expired);

    // After a reboot only the wall clock is left, and a card that is still young can be decided.
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.clock.reboots();
    rig.presses(&card.approve()).await;
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn invariant_08_the_scheduler_closes_what_nobody_decided_and_says_so() {
    let rig = Rig::new(Setup { pending_ttl: std::time::Duration::from_secs(60), ..Setup::default() });
    let card = rig.card_for(mail()).await;
    rig.moves_clock(Duration::seconds(59)).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
    rig.moves_clock(Duration::seconds(1)).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Expired);
    assert!(rig.channel.all().last().unwrap().reply.text.contains("expired"));
    tries_everything(&rig, &card).await;
}

#[tokio::test]
async fn invariant_08_expiry_is_checked_again_at_execution() {
    for (wait, executes) in [(Duration::minutes(5), true), (Duration::minutes(11), false), (Duration::hours(30), false)]
    {
        let rig = Rig::plain();
        let card = rig.card_for(mail()).await;
        rig.store.twists(|batch| !states_in(batch).contains(&State::Executing));
        rig.presses(&card.approve()).await;
        assert_eq!(rig.pending(&card.id).await.state, State::Approved);
        rig.clock.go_on(wait);
        let rig = rig.restarts(Setup::default()).await;
        assert_eq!(rig.effects().len(), usize::from(executes), "{wait}");
        let state = if executes { State::Succeeded } else { State::Expired };
        assert_eq!(rig.pending(&card.id).await.state, state);
    }
    // Approved in its last minute, begun after its end.
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.clock.go_on(Duration::hours(24) - Duration::minutes(1));
    rig.store.twists(|batch| !states_in(batch).contains(&State::Executing));
    rig.presses(&card.approve()).await;
    rig.clock.go_on(Duration::minutes(2));
    let rig = rig.restarts(Setup::default()).await;
    assert!(rig.effects().is_empty());
    assert_eq!(rig.pending(&card.id).await.state, State::Expired);
}

#[tokio::test]
async fn invariant_08_a_card_from_the_future_cannot_be_decided() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.clock.set_wall(-Duration::hours(1));
    tries_everything(&rig, &card).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
    rig.clock.set_wall(Duration::hours(1));
    rig.presses(&card.approve()).await;
    assert_eq!(rig.effects().len(), 1);
}
