//! What is said below a card that waits, without a model: who it is for is changed, it is left as it is, or something
//! else is asked.

use brain_agent::core::pending::State;
use serde_json::Value;

use crate::rig::{Answer, Card, Rig, Setup};

fn rig() -> Rig {
    Rig::new(Setup { demo: true, grounds_plans: true, model: false, ..Setup::default() })
}

async fn approved(rig: &Rig, card: &Card) -> Value {
    let done = rig.presses(&card.approve()).await;
    Value::Object(done.done.outcomes[0].params.clone())
}

#[tokio::test]
async fn somebody_who_is_known_takes_the_place_of_whoever_the_card_is_for() {
    for said in ["change it to Tom Okafor", "to Tom Okafor instead", "no, make that to tom okafor please"] {
        for (asked, who) in [
            ("send an email to bob.miller@example.com saying I'm late", "to"),
            ("invite bob.miller@example.com to lunch tomorrow at 1pm", "attendees"),
        ] {
            let rig = rig();
            let before = rig.says(asked).await.card();
            let answer = rig.says(said).await;
            let card = answer.card();
            assert!(card.text().contains("Tom Okafor"), "{asked}, {said}: {}", answer.text());
            assert!(!card.text().contains("bob.miller"), "{asked}, {said}: {}", card.text());
            assert_eq!(rig.pending(&before.id).await.state, State::Superseded, "{asked}, {said}");
            let params = approved(&rig, &card).await;
            assert!(params[who].to_string().contains("tom.okafor@"), "{asked}, {said}: {params}");
        }
    }
}

#[tokio::test]
async fn what_is_nobody_takes_nobodys_place_and_the_card_stays() {
    for said in ["change it to something nicer", "change it to the other one", "change it to Running Late"] {
        let rig = rig();
        let card = rig.says("send an email to bob.miller@example.com saying I'm late").await.card();
        let answer = rig.says(said).await;
        assert!(!answer.has_card() || answer.card().text().contains("bob.miller"), "{said}: {}", answer.text());
        assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{said}: {}", answer.text());
    }
    let rig = rig();
    rig.says("invite bob.miller@example.com and anna.kowalczyk@example.com to lunch tomorrow at 1pm").await.card();
    let answer = rig.says("change it to Tom Okafor").await;
    assert!(!answer.text().contains("Tom Okafor"), "{}", answer.text());
}

fn shows_mails(answer: &Answer) -> bool {
    answer.did() == ["email.search succeeded"]
}

#[tokio::test]
async fn mails_of_a_time_are_shown_and_the_card_stays_open() {
    for (said, is_of_today) in [
        ("mails from last week", false),
        ("emails of last week", false),
        ("messages from yesterday", false),
        ("mails since yesterday", true),
        ("Mails von gestern", false),
    ] {
        let rig = rig();
        let card = rig.says("send an email to bob.miller@example.com saying I'm late").await.card();
        let answer = rig.says(said).await;
        assert!(shows_mails(&answer), "{said}: {:?} {}", answer.did(), answer.text());
        assert_eq!(answer.text().contains("Ellie tomorrow?"), is_of_today, "{said}: {}", answer.text());
        assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{said}");
        assert!(answer.text().contains("Still waiting"), "{said}: {}", answer.text());
    }
    for said in ["mail Tom tomorrow at 5", "letters"] {
        let rig = rig();
        rig.says("send an email to bob.miller@example.com saying I'm late").await.card();
        assert!(!shows_mails(&rig.says(said).await), "{said}");
    }
}

#[tokio::test]
async fn what_was_told_last_is_kept_after_all() {
    for forget in ["forget what I said", "forget what I just told you", "please forget the thing I said"] {
        for keep in ["no wait, keep it", "wait, keep that please", "no, leave it as it is"] {
            let rig = rig();
            rig.says("remember that my locker code is 4711").await;
            let card = rig.says(forget).await.card();
            assert!(card.text().contains("4711"), "{forget}: {}", card.text());
            let answer = rig.says(keep).await;
            assert!(answer.text().contains("won't forget"), "{forget}, {keep}: {}", answer.text());
            assert_eq!(rig.pending(&card.id).await.state, State::Denied, "{forget}, {keep}");
            assert!(rig.says("what is my locker code?").await.text().contains("4711"));
        }
    }
    for beside in ["hold on", "no wait"] {
        let rig = rig();
        rig.says("remember that my locker code is 4711").await;
        let card = rig.says("forget what I said").await.card();
        rig.says(beside).await;
        assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{beside}");
    }
    // What was told since is another thing.
    let rig = rig();
    rig.says("remember that my locker code is 4711").await;
    rig.says("note: the boiler is fine").await;
    assert!(!rig.says("forget what I said").await.has_card());
}
