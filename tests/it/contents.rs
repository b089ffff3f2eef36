//! What the nodes of a turn got and gave is kept where that is switched on, of whoever agreed, of their last turns.

use brain_agent::core::ids::{ChatId, UserId};
use brain_agent::core::turn::Path;
use brain_agent::limits;
use brain_agent::limits::kept::Kept;
use brain_agent::ports::records::{Erasure, NodeContents, TurnContents, TurnTrace, User};
use brain_agent::ports::{Batch, Change, Clock, Expect, Key, RecordExt, Scan, Stage};
use brain_agent::queries::turns;
use brain_agent::queries::turns::TurnsPage;
use brain_agent::upkeep;
use chrono::Duration;
use serde_json::{Value, json};

use crate::rig::{ME, Person, Rig, Setup, action, send};

/// Somebody who is not of this machine.
const ANN: &str = "tg:7";

fn keeping(contents_kept: usize) -> Rig {
    Rig::new(Setup { contents_kept, ..Setup::default() })
}

fn in_private<'r>(rig: &'r Rig, user: &str) -> Person<'r> {
    rig.in_chat(user, &ChatId::alone_with(&UserId::new(user)))
}

async fn kept_of(rig: &Rig, user: &str) -> Vec<TurnContents> {
    rig.brain.store.list_all::<TurnContents>(&[user]).await.unwrap()
}

fn node<'c>(contents: &'c TurnContents, name: &str) -> &'c NodeContents {
    let found = contents.nodes.iter().find(|node| node.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {contents:#?}"))
}

#[tokio::test]
async fn each_node_of_a_turn_is_kept_with_what_it_got_and_gave() {
    let rig = keeping(20);
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    let told = rig.says("see to it that I ring the plumber").await.text();
    let [contents] = &kept_of(&rig, ME).await[..] else { panic!("one turn") };
    assert_eq!(contents.message, "see to it that I ring the plumber");
    assert!(!told.is_empty() && told.contains(&contents.answer), "{told}: {}", contents.answer);
    let plan = node(contents, "plan");
    assert_eq!((plan.model.as_deref(), plan.usage.calls, plan.is_substitute), (Some("scripted"), 1, false));
    assert!(plan.got.contains("ring the plumber") && plan.gave.contains("Ring the plumber"), "{plan:?}");
    let call = &rig.script.asked(Stage::Plan)[0];
    assert_eq!((plan.system_bytes, plan.got.as_str()), (call.system.len(), &*call.user));
    assert_eq!(plan.system_begins, call.system.lines().next().unwrap());
    let gate = node(contents, "gate");
    assert!(gate.got.contains("task.create") && gate.gave.contains("run:\ntask.create"), "{gate:?}");
    let create = node(contents, "task.create");
    assert!(
        create.got.contains("Ring the plumber") && create.failed.is_none() && !create.gave.is_empty(),
        "{create:?}"
    );
    assert_eq!(contents.nodes.iter().filter(|node| node.name == "task.create").count(), 1);
    assert!(contents.nodes.is_sorted_by_key(|node| node.start_us) && !contents.is_cut);
}

#[tokio::test]
async fn what_a_card_came_to_is_kept_with_the_turn_that_said_yes() {
    let rig = keeping(20);
    let card = rig.card_for(json!([send("bob@example.com", "Plumber", "Please ring him.")])).await;
    rig.presses(&card.approve()).await;
    let contents = kept_of(&rig, ME).await.pop().expect("a turn");
    let sent = node(&contents, "email.send_email");
    assert!(sent.got.contains("Please ring him.") && sent.failed.is_none(), "{sent:?}");
    let result: Value = serde_json::from_str(&sent.gave).expect("its result");
    assert!(result.is_object(), "{result}");
}

#[tokio::test]
async fn nothing_is_kept_where_it_is_not_switched_on() {
    let rig = keeping(0);
    let told = rig.says("/trace keep").await.text();
    assert!(told.contains("BRAIN_KEEP_CONTENTS"), "{told}");
    rig.says("how do you like the weather?").await;
    let told = rig.says("/trace").await.text();
    assert!(!told.contains("got and gave"), "{told}");
    assert!(kept_of(&rig, ME).await.is_empty());
}

#[tokio::test]
async fn an_admin_need_not_agree_and_everybody_else_has_to() {
    let rig = keeping(20);
    let (ann, admin) = (in_private(&rig, ANN), in_private(&rig, "tg:9"));
    admin.says("hello there").await;
    assert!(kept_of(&rig, "tg:9").await.is_empty());
    let user = rig.brain.user(&UserId::new("tg:9"), &admin.chat).await.unwrap();
    let user = User { admin: true, ..user };
    rig.store.put_quietly(Batch { changes: vec![Change::put(&user, Expect::Any).unwrap()] });
    admin.says("how do you like the weather?").await;
    assert_eq!(kept_of(&rig, "tg:9").await.len(), 1);

    ann.says("how do you like the weather?").await;
    let told = ann.says("/trace").await.text();
    assert!(told.contains("is not kept. “/trace keep” keeps it of your last 20 requests"), "{told}");
    assert!(kept_of(&rig, ANN).await.is_empty());
    let told = ann.says("/trace keep").await.text();
    assert!(told.contains("is kept of your last 20 requests") && told.contains("/trace stop"), "{told}");
    ann.says("how do you like the sun?").await;
    let kept = kept_of(&rig, ANN).await;
    assert_eq!(kept.iter().map(|kept| kept.message.as_str()).collect::<Vec<_>>(), ["how do you like the sun?"]);
    let told = ann.says("/trace").await.text();
    assert!(told.contains("is kept of your last 20 requests"), "{told}");

    let told = ann.says("/trace stop").await.text();
    assert!(told.contains("erased"), "{told}");
    ann.says("how do you like the moon?").await;
    assert!(kept_of(&rig, ANN).await.is_empty());
    let left = rig.brain.store.list::<Erasure>(Scan::of::<Erasure>(&[], 10)).await.unwrap();
    assert!(left.is_empty(), "its bytes are gone as well: {left:?}");
    assert_eq!(kept_of(&rig, "tg:9").await.len(), 1, "somebody else's stay");
    admin.says("/trace stop").await;
    admin.says("how do you like the moon?").await;
    assert!(kept_of(&rig, "tg:9").await.is_empty(), "whoever runs this may refuse as well");
}

#[tokio::test]
async fn what_is_said_in_a_group_is_not_kept() {
    let rig = keeping(20);
    rig.in_chat(ME, &ChatId::new("tg:-5")).says("how do you like the weather?").await;
    assert!(kept_of(&rig, ME).await.is_empty());
}

#[tokio::test]
async fn of_a_person_only_the_last_turns_are_kept() {
    let rig = keeping(3);
    let messages = |kept: Vec<TurnContents>| kept.into_iter().map(|kept| kept.message).collect::<Vec<_>>();
    for number in 0..6 {
        rig.says(&format!("how do you like part {number}?")).await;
        rig.as_user("bob").says(&format!("and part {number}?")).await;
        rig.moves_clock(Duration::minutes(1)).await;
    }
    let last = |words: &str| [3, 4, 5].map(|number| format!("{words} part {number}?"));
    assert_eq!(messages(kept_of(&rig, ME).await), last("how do you like"));
    assert_eq!(messages(kept_of(&rig, "bob").await), last("and"));
}

#[tokio::test]
async fn a_long_text_is_cut_and_says_so() {
    let rig = keeping(3);
    let long = format!("how do you like {}this?", "very ".repeat(5_000));
    rig.says(&long).await;
    let [contents] = &kept_of(&rig, ME).await[..] else { panic!("one turn") };
    assert!(contents.is_cut && contents.message.len() <= limits::CONTENTS_TEXT_BYTES_MAX);
    assert!(contents.message.starts_with("how do you like very") && contents.message.ends_with("very this?"));
    assert!(contents.message.contains("left out here"));
}

#[tokio::test]
async fn a_call_that_fails_is_kept_with_why() {
    let rig = keeping(3);
    rig.script.on(Stage::Chat, |_| Value::Null);
    rig.says("how do you like the weather?").await;
    let [contents] = &kept_of(&rig, ME).await[..] else { panic!("one turn") };
    let chat = node(contents, "chat");
    assert!(chat.got.contains("the weather") && chat.gave.is_empty(), "{chat:?}");
    assert!(chat.failed.as_ref().is_some_and(|why| why.contains("the script has no answer")), "{chat:?}");
}

#[tokio::test]
async fn what_was_not_done_is_kept_with_why() {
    let rig = Rig::new(Setup { contents_kept: 3, grounds_plans: true, ..Setup::default() });
    rig.plans(json!([action("task", "create", json!({"title": "Ring the plumber"}))]));
    rig.says("was the plumber lovely?").await;
    rig.moves_clock(Duration::minutes(1)).await;
    rig.says("should I ring the plumber?").await;
    let [said, asked] = &kept_of(&rig, ME).await[..] else { panic!("two turns") };
    let grounding = node(said, "grounding");
    assert!(grounding.got.contains("task.create") && grounding.gave.starts_with("not done"), "{grounding:?}");
    let doubt = node(asked, "not planned");
    assert!(doubt.gave.contains("Nothing is done yet.") && doubt.gave.contains("Ring the plumber"), "{doubt:?}");

    rig.moves_clock(Duration::minutes(1)).await;
    rig.plans(json!([action("task", "complete", json!({"task_id": "no such task"}))]));
    rig.says("tick off the task with the id no such task").await;
    let kept = kept_of(&rig, ME).await;
    let last = kept.last().unwrap();
    assert_eq!(node(last, "gate").gave, format!("wait:\ntask.complete: {}", last.answer));

    rig.moves_clock(Duration::minutes(1)).await;
    rig.says("the one that is no task").await;
    let kept = kept_of(&rig, ME).await;
    let refused = node(kept.last().unwrap(), "task.complete");
    assert!(refused.failed.is_some() && refused.gave.starts_with("failed: "), "{refused:?}");
}

/// And talks from then on.
async fn knows_the_pin(rig: &Rig) {
    let fact = json!({"category": "fact", "key": "PIN", "value": "4711-Canary"});
    rig.plans(json!([action("memory", "store", fact)]));
    let answer = rig.says("remember that my PIN is 4711-Canary").await;
    assert_eq!(answer.succeeded(), ["memory.store"], "{}", answer.text());
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
}

#[tokio::test]
async fn whatever_is_forgotten_takes_all_of_it_along() {
    let rig = keeping(20);
    rig.as_user("bob").says("how do you like the weather?").await;
    rig.says("how do you like the weather?").await;
    knows_the_pin(&rig).await;
    assert!(kept_of(&rig, ME).await.iter().any(|kept| kept.message.contains("4711-Canary")));
    let card = rig.says("/forget PIN").await.card();
    let told = rig.presses(&card.approve()).await.text();
    assert!(told.contains("Forgotten"), "{told}");
    assert!(kept_of(&rig, ME).await.is_empty());
    assert_eq!(kept_of(&rig, "bob").await.len(), 1, "somebody else's stay");
    rig.moves_clock(Duration::minutes(1)).await;
    rig.says("how do you like the sun?").await;
    assert_eq!(kept_of(&rig, ME).await.len(), 1);
}

#[tokio::test]
async fn a_turn_that_began_before_something_was_forgotten_leaves_nothing() {
    let rig = keeping(20);
    knows_the_pin(&rig).await;
    let card = rig.says("/forget PIN").await.card();
    let (me, button) = (rig.me(), card.approve());
    rig.script.takes(Stage::Chat, std::time::Duration::from_millis(50));
    let (answer, forgotten) = tokio::join!(me.says("how do you like 4711-Canary?"), me.presses(&button.data));
    assert!(!answer.text().is_empty() && forgotten.text().contains("Forgotten"));
    assert!(kept_of(&rig, ME).await.is_empty());
}

#[tokio::test]
async fn it_goes_with_the_traces_and_once_it_is_switched_off() {
    let rig = keeping(20);
    rig.says("how do you like the weather?").await;
    rig.clock.go_on(Duration::days(1));
    upkeep::once(&rig.brain).await.unwrap();
    assert_eq!(kept_of(&rig, ME).await.len(), 1);
    upkeep::once(&rig.replica(Setup::default())).await.unwrap();
    assert!(kept_of(&rig, ME).await.is_empty());

    rig.says("how do you like the weather?").await;
    rig.clock.go_on(Duration::seconds(rig.brain.policy.keep.secs(Kept::Traces) + 60));
    upkeep::once(&rig.brain).await.unwrap();
    assert!(kept_of(&rig, ME).await.is_empty());
}

#[tokio::test]
async fn turns_are_paged_newest_first_and_each_leads_to_its_contents() {
    let rig = keeping(20);
    for number in 0..5 {
        rig.says(&format!("how do you like part {number}?")).await;
        rig.moves_clock(Duration::minutes(1)).await;
    }
    let view = rig.brain.view().await.unwrap();
    let (mut seen, mut before): (Vec<TurnTrace>, Option<Key>) = (Vec::new(), None);
    let mut pages = 0;
    loop {
        let TurnsPage { turns, next } = turns::page(&view, before, 2).await.unwrap();
        assert!(turns.len() <= 2);
        pages += 1;
        seen.extend(turns);
        before = next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!((seen.len(), pages), (5, 3));
    assert!(seen.is_sorted_by(|newer, older| newer.at > older.at));
    let messages: Vec<String> = {
        let mut messages = Vec::new();
        for trace in &seen {
            let one = turns::one(&view, trace.at, &trace.id).await.unwrap().expect("it is there");
            assert_eq!((&one, one.done.path), (trace, Path::Chat));
            let contents = turns::contents(&view, &trace.user, trace.at, &trace.id).await.unwrap();
            messages.push(contents.expect("they are kept").message);
        }
        messages
    };
    assert_eq!(messages, [4, 3, 2, 1, 0].map(|number| format!("how do you like part {number}?")));
    let nobody = turns::contents(&view, &UserId::new("bob"), seen[0].at, &seen[0].id).await.unwrap();
    assert_eq!(nobody, None);
    assert_eq!(turns::one(&view, rig.clock.now(), "turn99").await.unwrap(), None);
}
