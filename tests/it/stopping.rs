//! `/cancel`, and a store that fails on the way: what was done is told, whatever comes after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brain_agent::core::button::Role;
use brain_agent::core::ids::ChatId;
use brain_agent::core::run::{Run, StepProgress};
use brain_agent::core::turn::{Input, Origin, Path};
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::records::InboxEntry;
use brain_agent::ports::{Batch, Change, Expect, Stage, Table};
use serde_json::{Value, json};

use crate::rig::{Answer, Card, ME, Rig, Sending, Setup, action, send};

fn task(title: &str) -> Value {
    action("task", "create", json!({"title": title}))
}

/// A plan of these actions that leaves something open.
fn plan(actions: Value) -> Value {
    json!({"actions": actions, "question": null, "open": "what is still missing"})
}

/// Adds milk, finds that bread is missing, and plans bread.
fn two_rounds(rig: &Rig) {
    rig.script.routes(json!({"type": "action", "domains": ["task"], "is_followup": false}));
    let round = AtomicUsize::new(0);
    rig.script.on(Stage::Plan, move |_| match round.fetch_add(1, Ordering::SeqCst) {
        0 => plan(json!([task("Milk")])),
        _ => json!({"actions": [task("Bread")], "question": null, "open": null}),
    });
    rig.script.on(Stage::Reflect, |_| json!({"complete": false, "missing": "bread"}));
}

async fn told_and_undone(rig: &Rig, answer: &Answer, stopped: &str) {
    let told = answer.text();
    assert!(told.contains("Milk") && told.contains(stopped), "{told}");
    assert_eq!(rig.count(Table::Runs).await, 0, "no journal is left behind");
    assert_eq!(rig.count(Table::Tasks).await, 1);
    rig.presses(&answer.button(Role::Undo).unwrap()).await;
    assert_eq!(rig.count(Table::Tasks).await, 0);
}

#[tokio::test]
async fn what_was_done_before_a_cancel_is_told_and_can_be_undone() {
    for stage in [Stage::Reflect, Stage::Plan] {
        let rig = Rig::plain();
        two_rounds(&rig);
        let brain = rig.brain.clone();
        let (rounds, cancel) = (AtomicUsize::new(0), move || brain.running.stop_turns());
        match stage {
            Stage::Reflect => rig.script.on(Stage::Reflect, move |_| {
                cancel();
                json!({"complete": false, "missing": "bread"})
            }),
            _ => rig.script.on(Stage::Plan, move |_| match rounds.fetch_add(1, Ordering::SeqCst) {
                0 => plan(json!([task("Milk")])),
                _ => {
                    cancel();
                    plan(json!([task("Bread")]))
                }
            }),
        }
        let answer = rig.says("add milk and whatever goes with it").await;
        told_and_undone(&rig, &answer, "Nothing more was done.").await;
    }
}

#[tokio::test]
async fn a_cancel_while_the_words_are_looked_for_tells_the_receipt_alone() {
    let rig = Rig::plain();
    rig.plans(json!([task("Milk")]));
    let brain = rig.brain.clone();
    rig.script.on(Stage::Respond, move |_| {
        brain.running.stop_turns();
        json!("There you are, with many words.")
    });
    let told = rig.says("add milk").await.text();
    assert!(told.contains("Milk") && !told.contains("many words"), "{told}");
}

#[tokio::test]
async fn what_was_done_before_the_store_failed_is_told_and_can_be_undone() {
    let rig = Rig::plain();
    two_rounds(&rig);
    let second = |change: &Change| change.table == Table::Runs && change.key.as_str().contains('+');
    rig.store.refuses(move |batch| batch.changes.iter().any(|change| change.put.is_some() && second(change)));
    let answer = rig.says("add milk and whatever goes with it").await;
    told_and_undone(&rig, &answer, "I could not read or save what I keep on the disk of this machine").await;
}

#[tokio::test]
async fn a_journal_whose_turn_has_ended_is_settled_and_told_at_the_next_start() {
    let rig = Rig::plain();
    // Done outside the store, so that its journal is written before it.
    let letter = json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."});
    rig.plans(json!([action("email", "create_draft", letter)]));
    let at = rig.brain.clock.now();
    let entry = InboxEntry {
        channel: "tg".into(),
        update: 7,
        received_at: at,
        raw: "{}".into(),
        done: false,
        joins: None,
        transcript: None,
        resumptions: 0,
        message: None,
    };
    rig.store.put_quietly(Batch { changes: vec![Change::put(&entry, Expect::Any).unwrap()] });
    // The outcome cannot be written, all else can: the turn ends in trouble and closes its inbox entry.
    rig.store.refuses(|batch| {
        let runs = batch.changes.iter().filter(|change| change.table == Table::Runs);
        let runs = runs.filter_map(|change| change.put.as_ref());
        let mut runs = runs.map(|(_, body)| serde_json::from_slice::<Run>(body).unwrap());
        runs.any(|run| matches!(run.steps[0].progress, StepProgress::Done { .. }))
    });
    let input = Input::Message { text: "write to zoe@example.com".into(), origin: Origin::Typed, reply_to: None };
    let mut incoming = rig.me().incoming(input, rig.channel.next_id());
    incoming.inbox = Some(entry.name());
    assert_eq!(handle_turn(&rig.brain, &incoming).await.path, Path::Error);
    assert_eq!(rig.all::<Run>().await.len(), 1);

    let rig = rig.restarts(Setup::default()).await;
    assert_eq!(rig.all::<Run>().await.len(), 0);
    let told = rig.channel.all().last().unwrap().reply.text.clone();
    assert!(told.contains("I was restarted") && told.contains("Late"), "{told}");
}

/// A card whose mail the server holds, once it is approved.
async fn held() -> (Arc<Rig>, Card) {
    let rig = Rig::new(Setup { sending: Sending::Held, ..Setup::default() });
    let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    (Arc::new(rig), card)
}

/// Approves in the background; the mail is on its way when this returns.
async fn approves(rig: &Arc<Rig>, input: Input) -> tokio::task::JoinHandle<()> {
    let incoming = rig.me().incoming(input, rig.channel.next_id());
    let brain = rig.brain.clone();
    let turn = tokio::spawn(async move {
        handle_turn(&brain, &incoming).await;
    });
    rig.log.begins().await;
    turn
}

#[tokio::test]
async fn what_is_being_executed_is_not_said_to_stop() {
    for is_typed in [false, true] {
        let (rig, card) = held().await;
        let yes = if is_typed {
            Input::Message { text: "yes".into(), origin: Origin::Typed, reply_to: None }
        } else {
            Input::Press { data: card.approve().data, message: None }
        };
        let turn = approves(&rig, yes.clone()).await;
        let told = rig.says("/cancel").await.text();
        assert!(told.contains("can no longer be stopped") && told.contains("Late"), "{yes:?}: {told}");
        assert!(!told.contains("Okay") && !told.contains("nothing to cancel"), "{yes:?}: {told}");
        rig.log.lets_go();
        turn.await.unwrap();
        assert!(rig.channel.all().last().unwrap().reply.text.contains("Sent"), "{yes:?}");
        assert!(!rig.says("/cancel").await.text().contains("Late"), "{yes:?}: it is over");
    }
}

#[tokio::test]
async fn a_word_of_stopping_after_a_yes_tells_what_has_begun_and_leaves_the_rest() {
    for word in ["hold on", "wait!", "stop", "not yet"] {
        let rig = Rig::new(Setup { sending: Sending::Held, ..Setup::default() });
        let mut second = send("yan@example.com", "Late, too", "It is late.");
        second["depends_on"] = json!([0]);
        let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late."), second])).await;
        let rig = Arc::new(rig);
        let turn = approves(&rig, Input::Press { data: card.approve().data, message: None }).await;
        let told = rig.says(word).await.text();
        let (begun, left) = told.split_once("What has not begun I leave").unwrap_or_else(|| panic!("{word}: {told}"));
        assert!(begun.contains("can no longer be stopped") && begun.contains("zoe@"), "{word}: {told}");
        assert!(left.contains("yan@"), "{word}: {told}");
        rig.log.lets_go();
        turn.await.unwrap();
        let receipt = rig.channel.all().last().unwrap().reply.text.clone();
        assert!(receipt.contains("Sent") && receipt.contains("you stopped it"), "{word}: {receipt}");
        assert_eq!(rig.effects().len(), 1, "{word}");
    }
}

#[tokio::test]
async fn a_word_that_puts_off_decides_no_card_and_is_told_what_was_done_after_a_yes() {
    let rig = Rig::plain();
    let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    for word in ["hold on", "Wait…", "ok, wait", "no, not yet"] {
        let answer = rig.says(word).await;
        assert!(answer.has_card(), "{word}: {}", answer.text());
        assert!(rig.pending(&card.id).await.state.is_open() && rig.effects().is_empty(), "{word}");
    }
    rig.says("yes").await;
    assert_eq!(rig.effects().len(), 1);
    for word in ["hold on", "wait", "stop"] {
        let told = rig.says(word).await.text();
        assert!(told.contains("already done"), "{word}: {told}");
    }
}

#[tokio::test]
async fn a_turn_is_stopped_although_something_else_is_being_executed() {
    let (rig, card) = held().await;
    let turn = approves(&rig, Input::Press { data: card.approve().data, message: None }).await;
    let brain = rig.brain.clone();
    let incoming = {
        let input = Input::Message { text: "/cancel".into(), origin: Origin::Typed, reply_to: None };
        rig.me().incoming(input, rig.channel.next_id())
    };
    rig.script.on(Stage::Route, move |_| {
        let (brain, incoming) = (brain.clone(), incoming.clone());
        let cancels = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(handle_turn(&brain, &incoming));
        });
        cancels.join().unwrap();
        json!({"type": "chat", "domains": [], "is_followup": false})
    });
    let told = rig.says("tell me something about otters").await.text();
    assert!(told.contains("Okay, stopping.") && told.contains("can no longer be stopped"), "{told}");
    assert!(told.contains("Stopped. Nothing more was done."), "{told}");
    rig.log.lets_go();
    turn.await.unwrap();
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn somebody_elses_mail_on_its_way_is_not_described() {
    let group = ChatId::new("tg:-100");
    let rig = Arc::new(Rig::new(Setup { sending: Sending::Held, ..Setup::default() }));
    rig.plans(json!([send("zoe@example.com", "Late", "It is late.")]));
    let card = rig.in_chat(ME, &group).says("please send it").await.card();
    let press = Input::Press { data: card.approve().data, message: None };
    let incoming = rig.in_chat(ME, &group).incoming(press, rig.channel.next_id());
    let brain = rig.brain.clone();
    let turn = tokio::spawn(async move { handle_turn(&brain, &incoming).await });
    rig.log.begins().await;
    let told = rig.in_chat("eve", &group).says("/cancel").await.text();
    assert!(!told.contains("Late") && !told.contains("zoe"), "{told}");
    rig.log.lets_go();
    turn.await.unwrap();
}

#[tokio::test]
async fn an_investigation_that_is_stopped_tells_what_it_had_found() {
    for stage in [Stage::Decompose, Stage::Classify, Stage::Synthesize] {
        let rig = Rig::plain();
        rig.plans(json!([task("Call Berlin about the hotel")]));
        rig.says("add a task: call Berlin about the hotel").await;
        rig.script.routes(json!({"type": "investigate", "domains": ["task"], "is_followup": false}));
        let nodes = json!([
            {"id": "tasks", "strategy": "keyword_search", "params": {"words": ["Berlin"], "over": ["task"]}},
            {"id": "best", "strategy": "semantic_analysis",
             "params": {"items": "{{tasks.items}}", "keep": ["about"], "question": "is it about the hotel?"}},
        ]);
        let graph =
            json!({"classification": {"type": "investigative", "why": "asked"}, "nodes": nodes, "synthesis": {}});
        for (of, says) in [
            (Stage::Decompose, graph),
            (Stage::Classify, json!({"labels": [{"id": 1, "label": "about"}]})),
            (Stage::Synthesize, json!("Here it is [1].")),
        ] {
            let brain = rig.brain.clone();
            rig.script.on(of, move |_| {
                if of == stage {
                    brain.running.stop_turns();
                }
                says.clone()
            });
        }
        let told = rig.says("hm, so what would there be in my things on that Berlin thing, roughly?").await;
        let text = told.text();
        assert_eq!(told.done.path, Path::Investigate, "{text}");
        match stage {
            Stage::Decompose => assert!(text.contains("Stopped before I knew where to look"), "{text}"),
            _ => assert!(!text.contains("Here it is") && text.contains("hotel"), "{stage:?}: {text}"),
        }
    }
}
