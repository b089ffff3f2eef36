//! 4, 5 and 7: who decides, what a message decides, and that the first decision wins.

use std::sync::Arc;

use brain_agent::admin::{self, Request};
use brain_agent::core::ids::{ChatId, MessageId};
use brain_agent::core::pending::{Means, State};
use brain_agent::core::turn::Input;
use brain_agent::pipeline::handle_turn;
use serde_json::{Value, json};

use crate::rig::{Fate, ME, Rig, Setup, action, chat_of, send};

fn mail(subject: &str) -> Value {
    json!([send("zoe@example.com", subject, "body")])
}

#[tokio::test]
async fn invariant_04_only_the_owner_in_the_same_chat_may_decide_and_who_did_is_recorded() {
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    let data = card.approve().data;
    let family = ChatId::new("tg:-100");
    for stranger in [rig.as_user("eve"), rig.in_chat("eve", &chat_of(ME)), rig.in_chat(ME, &family)] {
        for press in [&data, &card.cancel().data, &data.replacen('y', "e", 1)] {
            let told = stranger.presses(press).await.text();
            assert!(stranger.user.as_str() == ME || !told.contains("zoe"), "{told}");
        }
        stranger.says("yes").await;
        stranger.replies("yes", card.last()).await;
        stranger.replies("make it friendlier", card.last()).await;
        assert!(rig.effects().is_empty());
        assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{}", stranger.user);
    }
    rig.presses(&card.approve()).await;
    let decision = rig.pending(&card.id).await.decision.unwrap();
    assert_eq!((decision.by.as_str(), decision.means), (ME, Means::Button));
    assert!(rig.audit().await.iter().any(|row| row.what == "approved" && row.by.as_str() == ME));
}

#[tokio::test]
async fn invariant_04_an_admin_may_cancel_and_approves_only_where_the_configuration_says_so() {
    for may in [false, true] {
        let rig = Rig::new(Setup { admin_may_approve: may, ..Setup::default() });
        let card = rig.card_for(mail("a")).await;
        let digest = rig.pending(&card.id).await.digest.prefix().to_owned();
        let approve = |digest: Option<String>| Request::Approve { id: card.id.to_string(), digest };
        for wrong in [None, Some("000000000000".to_owned()), Some(digest[..6].to_owned())] {
            assert!(!admin::handle(&rig.brain, &approve(wrong)).await.ok);
        }
        assert!(rig.effects().is_empty());
        let done = admin::handle(&rig.brain, &approve(Some(digest))).await;
        assert_eq!((done.ok, rig.effects().len()), (may, usize::from(may)));
        if may {
            let decision = rig.pending(&card.id).await.decision.unwrap();
            assert_eq!((decision.by.as_str(), decision.means), ("operator", Means::Admin));
        }
        let other = rig.card_for(mail("b")).await;
        let cancelled = admin::handle(&rig.brain, &Request::Cancel { id: other.id.to_string() }).await;
        assert!(cancelled.ok);
        assert_eq!(rig.pending(&other.id).await.state, State::Denied);
        assert!(rig.channel.all().last().unwrap().reply.text.contains("admin"));
    }
}

#[tokio::test]
async fn invariant_05_a_button_decides_the_id_it_carries_and_a_reply_the_card_it_replies_to() {
    let rig = Rig::plain();
    let first = rig.card_for(mail("first")).await;
    let second = rig.card_for(mail("second")).await;
    let third = rig.card_for(mail("third")).await;
    rig.presses(&first.approve()).await;
    assert_eq!(rig.effects()[0].text("subject"), "first");
    rig.me().replies("no", third.last()).await;
    assert_eq!(rig.pending(&third.id).await.state, State::Denied);
    rig.me().replies("yes", second.last()).await;
    assert_eq!(rig.effects().len(), 2);
    assert_eq!(rig.effects()[1].text("subject"), "second");
    // A reply to a card that is decided is told the truth and does nothing.
    assert_eq!(rig.me().replies("yes", third.last()).await.did(), ["email.send_email denied"]);
    assert_eq!(rig.effects().len(), 2);
}

#[tokio::test]
async fn invariant_05_a_bare_yes_counts_when_the_only_card_was_shown_last() {
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    rig.says("yes").await;
    assert_eq!(rig.effects().len(), 1);
    assert_eq!(rig.pending(&card.id).await.decision.unwrap().means, Means::Text);
    let card = rig.card_for(mail("b")).await;
    rig.says("no").await;
    assert_eq!(rig.pending(&card.id).await.state, State::Denied);
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn invariant_05_a_yes_that_could_mean_something_else_is_asked_back() {
    // Several wait, and none of them was shown last.
    let rig = Rig::plain();
    let (a, b) = (rig.card_for(mail("a")).await, rig.card_for(mail("b")).await);
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    rig.says("add milk to my tasks").await;
    let asked = rig.says("yes").await.text();
    assert!(asked.contains(a.id.as_str()) && asked.contains(b.id.as_str()), "{asked}");
    assert!(rig.effects().is_empty());

    // The card is not the last message.
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    rig.says("add milk to my tasks").await;
    let asked = rig.says("yes").await.text();
    assert!(asked.contains(card.id.as_str()), "{asked}");
    assert!(rig.effects().is_empty());

    // Written before the card was complete.
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    rig.me().says_as_message("yes", MessageId(card.last().0 - 1)).await;
    rig.me().says_as_message("yes", card.last()).await;
    assert!(rig.effects().is_empty());

    // A reply to something else.
    let rig = Rig::plain();
    rig.card_for(mail("a")).await;
    rig.me().replies("yes", MessageId(1)).await;
    rig.me().replies("yes", MessageId(999)).await;
    assert!(rig.effects().is_empty());

    // Another person's card waits in the same chat.
    let rig = Rig::plain();
    let family = ChatId::new("tg:-100");
    for user in ["eve", ME] {
        rig.plans(mail(user));
        assert!(rig.in_chat(user, &family).says("please send it").await.has_card());
    }
    rig.in_chat(ME, &family).says("yes").await;
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn invariant_05_a_card_that_was_shown_in_part_cannot_be_decided() {
    let rig = Rig::plain();
    let body = "many words ".repeat(1_500);
    rig.channel.fate(Fate::LostAfter(1));
    rig.plans(json!([send("zoe@example.com", "Long", &body)]));
    rig.says("send it").await;
    let pending = rig.all_pending().await.remove(0);
    assert!(pending.card_parts > 1 && pending.card_messages.len() == 1);
    let press = format!("y:{}:{}", pending.id, pending.digest.prefix());
    rig.me().presses(&press).await;
    rig.says("yes").await;
    rig.me().replies("yes", pending.card_messages[0]).await;
    assert!(rig.effects().is_empty());
    rig.channel.fate(Fate::Arrives);
    rig.brain.deliver(&chat_of(ME)).await;
    rig.me().presses(&press).await;
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn invariant_05_only_a_whole_yes_is_a_yes() {
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    for other in [
        "yes?",
        "“yes”",
        "yes if Bob agrees",
        "yes and no",
        "not yet",
        "yesterday",
        "yes\nno",
        "ye\u{200B}s",
        "yes, send it to everyone in the company as well",
        "I would say yes but ask mum",
        "👀",
        "oui ou non",
    ] {
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(other).await;
        assert!(rig.effects().is_empty(), "{other:?}");
    }
    assert_ne!(rig.pending(&card.id).await.state, State::Succeeded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn invariant_07_of_fifty_presses_at_once_one_executes_and_the_others_are_told_the_result() {
    let rig = Arc::new(Rig::plain());
    let card = rig.card_for(mail("a")).await;
    let presses = (0..50).map(|n| {
        let verb = if n % 2 == 0 { card.approve().data } else { card.cancel().data };
        let incoming = rig.me().incoming(Input::Press { data: verb, message: None }, rig.channel.next_id());
        let brain = rig.brain.clone();
        tokio::spawn(async move { handle_turn(&brain, &incoming).await })
    });
    for press in presses.collect::<Vec<_>>() {
        press.await.unwrap();
    }
    let pending = rig.pending(&card.id).await;
    let yes = pending.state == State::Succeeded;
    assert!(yes || pending.state == State::Denied);
    assert_eq!(rig.effects().len(), usize::from(yes));
    let decisions = rig.audit().await;
    assert_eq!(decisions.iter().filter(|row| ["approved", "denied"].contains(&row.what.as_str())).count(), 1);
    assert_eq!(rig.count(brain_agent::ports::Table::Runs).await, 0);
    let status = if yes { "succeeded" } else { "denied" };
    assert_eq!(rig.presses(&card.approve()).await.did(), [format!("email.send_email {status}")]);
    assert_eq!(rig.effects().len(), usize::from(yes));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn invariant_07_fifty_equal_presses_execute_once() {
    for round in 0..5 {
        let rig = Arc::new(Rig::plain());
        let card = rig.card_for(mail(&format!("{round}"))).await;
        let presses: Vec<_> = (0..50)
            .map(|_| {
                let press = Input::Press { data: card.approve().data, message: None };
                let incoming = rig.me().incoming(press, rig.channel.next_id());
                let brain = rig.brain.clone();
                tokio::spawn(async move { handle_turn(&brain, &incoming).await })
            })
            .collect();
        for press in presses {
            press.await.unwrap();
        }
        assert_eq!(rig.effects().len(), 1);
        assert_eq!(rig.pending(&card.id).await.state, State::Succeeded);
    }
}

#[tokio::test]
async fn invariant_07_a_change_that_comes_after_the_yes_withdraws_nothing() {
    let rig = Rig::plain();
    let card = rig.card_for(mail("a")).await;
    rig.presses(&card.approve()).await;
    rig.me().replies("make it friendlier", card.last()).await;
    assert_eq!(rig.pending(&card.id).await.state, State::Succeeded);
    assert_eq!(rig.effects().len(), 1);
}
