//! What a turn commits, path by path: as few as what must be durable before something else happens allows.
//!
//! Counted is what the turn writes from its beginning until it is answered. Beside it stand what is written before it
//! (a channel's inbox, one commit for all that came together) and after it: the mark that a message has its number,
//! one commit a message, in which changes of older messages before it share.

use brain_agent::ports::Table;
use serde_json::{Value, json};

use crate::rig::{Event, Rig, Setup, action, send};

/// What the log holds: commits of the turn, and marks of delivery.
fn counted(rig: &Rig) -> (usize, usize) {
    let commits = rig.log.events().into_iter().filter_map(|event| match event {
        Event::Committed(batch) => Some(batch),
        Event::Performed { .. } | Event::Shown(_) => None,
    });
    let is_mark = |batch: &brain_agent::ports::Batch| {
        batch.changes.iter().any(|change| change.table == Table::Outbox && change.put.is_none())
    };
    let (marks, of_turn): (Vec<_>, Vec<_>) = commits.partition(is_mark);
    (of_turn.len(), marks.len())
}

fn task(title: &str) -> Value {
    action("task", "create", json!({"title": title, "deadline": "2026-01-13T17:00:00"}))
}

#[tokio::test]
async fn a_chat_commits_once() {
    let rig = Rig::plain();
    rig.says("hi there, how are you?").await;
    assert_eq!(counted(&rig), (1, 1));
}

#[tokio::test]
async fn an_action_commits_twice() {
    for model in [true, false] {
        let rig = Rig::new(Setup { model, ..Setup::default() });
        rig.plans(json!([task("Call mom")]));
        let answer = rig.says("remind me to call mom tomorrow at 5pm").await;
        assert!(answer.text().contains("Call mom"), "{}", answer.text());
        assert_eq!(counted(&rig), (2, 1), "model: {model}");
    }
}

#[tokio::test]
async fn several_actions_commit_as_often_as_one() {
    let rig = Rig::plain();
    rig.plans(json!([task("Call mom"), task("Water the plants"), task("Feed the cat")]));
    let answer = rig.says("remind me to call mom, water the plants and feed the cat tomorrow at 5pm").await;
    assert_eq!(answer.done.outcomes.len(), 3);
    assert_eq!(rig.count(Table::Tasks).await, 3);
    assert_eq!(counted(&rig), (2, 1));
}

#[tokio::test]
async fn two_actions_that_change_one_record_do_not_share_a_commit() {
    let rig = Rig::plain();
    rig.plans(json!([action("keep", "create", json!({"title": "Shopping", "items": ["milk"]}))]));
    rig.says("note a shopping list with milk").await;
    let add = |item: &str| action("keep", "append", json!({"find_by": "Shopping", "text": item}));
    rig.plans(json!([add("bread"), add("butter")]));
    let answer = rig.says("add bread and butter to the shopping list").await;
    let done = answer.done.outcomes.iter().filter(|report| report.error.is_none()).count();
    let notes = rig.bodies(Table::Notes).await;
    let there = ["bread", "butter"].iter().filter(|item| notes.contains(**item)).count();
    assert_eq!(there, done, "what was told as done is there: {notes}");
}

/// Outside the store the start is durable before the effect, and the outcome before a model is asked for words.
#[tokio::test]
async fn an_action_outside_the_store_commits_once_more_while_a_model_words_it() {
    let draft =
        action("email", "create_draft", json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is."}));
    for (model, commits) in [(true, 3), (false, 2)] {
        let rig = Rig::new(Setup { model, ..Setup::default() });
        rig.plans(json!([draft.clone()]));
        rig.says("draft an email to zoe@example.com saying it is late").await;
        assert_eq!(counted(&rig), (commits, 1), "model: {model}");
    }
}

#[tokio::test]
async fn a_card_is_asked_in_one_commit_and_shown_in_the_second() {
    let rig = Rig::plain();
    rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    assert_eq!(counted(&rig), (1, 1));
}

#[tokio::test]
async fn a_consent_commits_three_times_and_asks_no_model() {
    let rig = Rig::new(Setup { demo: true, ..Setup::default() });
    let cards = [
        json!([send("zoe@example.com", "Late", "It is late.")]),
        json!([action("task", "delete", json!({"find_by": "Buy milk"}))]),
    ];
    for actions in cards {
        let card = rig.card_for(actions).await;
        rig.log.forget();
        let answer = rig.presses(&card.approve()).await;
        assert_eq!(answer.done.llm_calls, 0);
        assert_eq!(rig.effects().len(), 1, "{}", answer.text());
        // The card that closes and the receipt below it share a mark.
        assert_eq!(counted(&rig), (3, 1), "{}", answer.text());
    }
}

#[tokio::test]
async fn a_no_commits_twice() {
    let rig = Rig::plain();
    let card = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    rig.log.forget();
    rig.presses(&card.cancel()).await;
    // Its word stands over the button and comes first; the card that closes behind it has a mark of its own.
    assert_eq!(counted(&rig), (2, 2));
}
