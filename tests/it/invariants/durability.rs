//! 9, 10, 11, 13 and 14: what is durable before what, and what a restart finds.

use brain_agent::core::ids::ChatId;
use brain_agent::core::outcome::Status;
use brain_agent::core::pending::{End, State, Transition, next};
use brain_agent::core::run::{Run, StepProgress};
use brain_agent::ports::{Batch, Table};
use serde_json::{Value, json};

use crate::rig::{Event, Fate, ME, Rig, Sending, Setup, action, chat_of, send, states_in};

fn mail() -> Value {
    json!([send("zoe@example.com", "Late", "A secret body.")])
}

fn touches(batch: &Batch, table: Table) -> bool {
    batch.changes.iter().any(|change| change.table == table && change.put.is_some())
}

fn position(events: &[Event], wanted: impl Fn(&Event) -> bool) -> usize {
    events.iter().position(wanted).unwrap()
}

#[tokio::test]
async fn invariant_09_decision_audit_and_intent_are_one_commit_before_any_acknowledgement() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.log.forget();
    rig.presses(&card.approve()).await;
    let events = rig.log.events();
    let decided = position(&events, |e| matches!(e, Event::Committed(b) if states_in(b) == [State::Approved]));
    let Event::Committed(batch) = &events[decided] else { unreachable!() };
    assert!(touches(batch, Table::Audit) && touches(batch, Table::Runs));
    assert!(batch.changes.iter().any(|c| c.table == Table::PendingOpen && c.put.is_none()));
    assert!(decided < position(&events, |e| matches!(e, Event::Performed { .. })));
    assert!(decided < position(&events, |e| matches!(e, Event::Shown(_))));

    // When that commit fails, nothing happened, and nothing says it did.
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.store.breaks();
    let told = rig.presses(&card.approve()).await.text();
    assert!(!told.contains("Sent"), "{told}");
    let rig = rig.restarts(Setup::default()).await;
    assert!(rig.effects().is_empty());
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
    rig.presses(&card.approve()).await;
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn invariant_10_executing_is_durable_before_the_side_effect() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.log.forget();
    rig.presses(&card.approve()).await;
    let events = rig.log.events();
    let executing = position(&events, |e| matches!(e, Event::Committed(b) if states_in(b) == [State::Executing]));
    let started = position(&events, |e| match e {
        Event::Committed(batch) => runs_in(batch).iter().any(|r| r.steps[0].progress == StepProgress::Started),
        Event::Performed { .. } | Event::Shown(_) => false,
    });
    let effect = position(&events, |e| matches!(e, Event::Performed { .. }));
    // In one commit.
    assert!(executing == started && started < effect);
}

fn runs_in(batch: &Batch) -> Vec<Run> {
    let runs = batch.changes.iter().filter(|c| c.table == Table::Runs);
    let bodies = runs.filter_map(|change| change.put.as_ref());
    bodies.map(|(_, body)| serde_json::from_slice(body).unwrap()).collect()
}

#[tokio::test]
async fn invariant_10_an_effect_that_was_begun_and_never_answered_is_unknown_told_and_not_tried_again() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    // The machine stops after the mail went out, before that is written down.
    rig.store.twists(|batch| !states_in(batch).contains(&State::Succeeded));
    rig.presses(&card.approve()).await;
    assert_eq!(rig.effects().len(), 1);
    let rig = rig.restarts(Setup::default()).await;
    // An account where it went out can tell.
    let (state, told) =
        if rig.has_real_mail() { (State::Succeeded, "Sent to") } else { (State::Unknown, "can't tell") };
    assert_eq!(rig.pending(&card.id).await.state, state);
    let said = rig.channel.all().last().unwrap().reply.text.clone();
    assert!(said.contains(told), "{said}");
    let rig = rig.restarts(Setup::default()).await;
    rig.presses(&card.approve()).await;
    assert_eq!(rig.effects().len(), 1);

    // The same without a crash: a server that went silent.
    let rig = Rig::new(Setup { sending: Sending::Doubtful, ..Setup::default() });
    let card = rig.card_for(mail()).await;
    let answer = rig.presses(&card.approve()).await;
    assert_eq!(answer.done.outcomes[0].status, Status::Unknown);
    rig.presses(&card.approve()).await;
    assert_eq!((rig.effects().len(), rig.pending(&card.id).await.state), (1, State::Unknown));
}

#[tokio::test]
async fn invariant_10_effects_in_the_store_commit_together_with_their_outcome() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    let card = rig.card_for(json!([action("task", "delete", json!({"find_by": "Buy milk"}))])).await;
    rig.log.forget();
    rig.presses(&card.approve()).await;
    let events = rig.log.events();
    let at =
        position(&events, |e| matches!(e, Event::Committed(b) if b.changes.iter().any(|c| c.table == Table::Tasks)));
    let Event::Committed(batch) = &events[at] else { unreachable!() };
    assert!(runs_in(batch).iter().any(|r| matches!(r.steps[0].progress, StepProgress::Done { .. })));
}

#[tokio::test]
async fn invariant_10_every_try_of_one_action_has_the_same_key_and_no_other_action_has_it() {
    let rig = Rig::plain();
    let two = json!([send("zoe@example.com", "a", "b"), send("max@example.com", "a", "b")]);
    for _ in 0..3 {
        let card = rig.card_for(two.clone()).await;
        rig.presses(&card.approve()).await;
    }
    let keys: std::collections::BTreeSet<String> = rig
        .log
        .events()
        .into_iter()
        .filter_map(|e| match e {
            Event::Performed { key, .. } => Some(key),
            Event::Committed(_) | Event::Shown(_) => None,
        })
        .collect();
    assert_eq!(keys.len(), 6);
}

#[tokio::test]
async fn invariant_10_reflect_never_plans_a_failed_write_again() {
    let rig = Rig::plain();
    let again = json!({"actions": [action("keep", "append", json!({"find_by": "Groceries", "text": "milk"})),
        action("task", "create", json!({"title": "Milk", "repeat": "FREQ=SECONDLY"}))], "question": null, "open": "the rest"});
    rig.script.routes(json!({"type": "action", "domains": ["task", "keep"], "is_followup": false}));
    rig.script.plans(again);
    rig.script.on(brain_agent::ports::Stage::Reflect, |_| json!({"complete": false, "missing": "all of it"}));
    rig.says("put milk on my list every second").await;
    assert!(rig.performed().len() <= 1, "{:?}", rig.performed());
}

#[tokio::test]
async fn invariant_10_reflect_never_does_twice_what_was_done() {
    let rig = Rig::plain();
    let again = json!({"actions": [action("calendar", "create_event", json!({"summary": "Lunch", "start_time": "tomorrow at noon"}))],
        "question": null, "open": "the rest"});
    rig.script.routes(json!({"type": "action", "domains": ["calendar"], "is_followup": false}));
    rig.script.plans(again);
    rig.script.on(brain_agent::ports::Stage::Reflect, |_| json!({"complete": false, "missing": "all of it"}));
    rig.says("lunch tomorrow at noon").await;
    assert_eq!(rig.performed().len(), 1);
}

#[tokio::test]
async fn invariant_11_a_card_never_blocks_the_chat_is_listed_and_survives_a_restart() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    let other = rig.says("add milk to my tasks").await;
    assert_eq!(other.done.outcomes[0].status, Status::Succeeded);
    assert!(rig.says("/pending").await.text().contains(card.id.as_str()));
    let rig = rig.restarts(Setup::default()).await;
    assert!(rig.says("/pending").await.text().contains(card.id.as_str()));
    rig.me().replies("yes", card.last()).await;
    assert_eq!(rig.effects().len(), 1);
    assert!(rig.says("/pending").await.text().contains("Nothing is waiting"));
}

#[tokio::test]
async fn invariant_11_a_card_that_was_not_shown_before_a_restart_is_shown_after_it_with_the_same_id() {
    let rig = Rig::plain();
    rig.channel.fate(Fate::LostAfter(0));
    rig.plans(mail());
    rig.says("send it").await;
    let id = rig.all_pending().await[0].id.clone();
    rig.channel.fate(Fate::Arrives);
    let rig = rig.restarts(Setup::default()).await;
    let shown = rig.channel.all();
    assert_eq!(shown.last().unwrap().reply.card.as_ref().unwrap().pending, id);
    rig.says("yes").await;
    assert_eq!(rig.effects().len(), 1);
}

#[test]
fn invariant_13_what_waits_becomes_superseded_and_what_ran_unknown() {
    // The machine's part of import and restore, which do not exist yet.
    assert_eq!(next(State::Pending, Transition::Supersede), Ok(State::Superseded));
    assert_eq!(next(State::Approved, Transition::Supersede), Ok(State::Superseded));
    assert_eq!(next(State::Executing, Transition::Finish(End::Unknown)), Ok(State::Unknown));
    assert!(next(State::Executing, Transition::Supersede).is_err());
}

#[tokio::test]
async fn invariant_14_in_a_group_only_the_asker_decides_and_the_audit_keeps_no_contents() {
    let rig = Rig::plain();
    let group = ChatId::new("tg:-100");
    rig.plans(mail());
    let card = rig.in_chat(ME, &group).says("please send it").await.card();
    let eve = rig.in_chat("eve", &group);
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    for told in [
        eve.presses(&card.approve().data).await,
        eve.says("yes").await,
        eve.replies("yes", card.last()).await,
        eve.replies("no", card.last()).await,
        eve.replies("send it to eve@evil.example", card.last()).await,
        eve.says("/pending").await,
        eve.says("/cancel").await,
    ] {
        assert!(!told.text().contains("secret") && !told.text().contains("zoe@"), "{}", told.text());
    }
    assert_eq!(rig.pending(&card.id).await.state, State::Pending);
    rig.in_chat(ME, &chat_of(ME)).presses(&card.approve().data).await;
    assert!(rig.effects().is_empty(), "another chat");
    rig.in_chat(ME, &group).presses(&card.approve().data).await;
    assert_eq!(rig.effects().len(), 1);
    let rows = serde_json::to_string(&rig.audit().await).unwrap();
    assert!(rows.contains(card.id.as_str()));
    assert!(!rows.contains("secret") && !rows.contains("zoe@") && !rows.contains("Late"));
}
