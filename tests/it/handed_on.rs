//! "Email this to …": what was just shown goes on, in whatever words it is sent, without a model.

use brain_agent::core::turn::{Along, Input, Origin, Part};
use brain_agent::pipeline::handle_turn;

use crate::rig::{Rig, Setup};

fn rig() -> Rig {
    Rig::new(Setup { demo: true, grounds_plans: true, model: false, ..Setup::default() })
}

#[tokio::test]
async fn a_mail_that_was_just_shown_is_passed_on() {
    for (said, body) in [
        ("email this to tom okafor", ""),
        ("mail this to Tom Okafor and say have a look", "ave a look"),
        ("send it over to Tom Okafor", ""),
        ("please send this to Tom Okafor saying please sign", "lease sign"),
        ("Mail das an Tom Okafor", ""),
    ] {
        let rig = rig();
        let shown = rig.says("read me the mail about the Q3 report from Priya").await;
        assert_eq!(shown.did(), ["email.read_thread succeeded"], "{}", shown.text());
        let answer = rig.says(said).await;
        assert!(answer.has_card(), "{said}: {}", answer.text());
        let text = answer.card().text();
        assert!(text.contains("Forward this") && text.contains("tom.okafor@"), "{said}: {text}");
        assert!(text.contains("Q3 report") && text.contains(body), "{said}: {text}");
    }
}

#[tokio::test]
async fn where_no_mail_was_shown_it_is_worded_and_never_says_its_own_order() {
    for before in ["what's on my calendar tomorrow?", "note: the door code is 4712"] {
        for said in ["email this to Tom Okafor", "mail this to Tom Okafor", "send this to Tom Okafor"] {
            let rig = rig();
            rig.says(before).await;
            let answer = rig.says(said).await;
            assert!(!answer.has_card() && answer.text().contains("What should it say?"), "{said}: {}", answer.text());
            let card = rig.says("here is tomorrow").await;
            assert!(card.has_card() && card.card().text().contains("tom.okafor@"), "{said}: {}", card.text());
        }
        let rig = rig();
        rig.says(before).await;
        let card = rig.says("mail this to Tom Okafor and say have a look").await.card();
        assert!(card.text().contains("ave a look") && !card.text().contains("ail this"), "{}", card.text());
    }
    let rig = rig();
    let answer = rig.says("email this week's numbers to Tom Okafor").await;
    assert!(!answer.has_card() || !answer.card().text().contains("Forward"), "{}", answer.text());
}

/// The file is what is handed over, whatever was shown before it.
#[tokio::test]
async fn what_comes_along_is_meant_and_not_the_mail_that_was_shown_before_it() {
    let rig = rig();
    rig.says("read me the mail about the Q3 report from Priya").await;
    let (text, id) = ("email this to Tom Okafor".to_owned(), rig.channel.next_id());
    let mut incoming =
        rig.me().incoming(Input::Message { text: text.clone(), origin: Origin::Caption, reply_to: None }, id);
    let file = Along::File { name: "list.txt".to_owned() };
    let words = Part::words(id, text, Origin::Caption);
    let along = Part { along: Some(file), ..Part::words(id, "Tents and ropes".to_owned(), Origin::Forwarded) };
    incoming.parts = vec![words, along];
    let done = handle_turn(&rig.brain, &incoming).await;
    assert!(done.outcomes.iter().all(|outcome| outcome.command != "forward_email"), "{:?}", done.outcomes);
}
