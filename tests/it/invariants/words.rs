//! 6: a change supersedes; what was not typed as it stands never approves.

use brain_agent::core::pending::State;
use brain_agent::core::turn::Origin;
use brain_agent::ports::Stage;
use serde_json::json;

use crate::rig::{ME, Rig, Setup, action, send};

#[tokio::test]
async fn invariant_06_a_change_supersedes_the_card_and_goes_to_the_planner_with_it() {
    let rig = Rig::plain();
    let old = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    rig.plans(json!([send("zoe@example.com", "Late", "It is late, sorry.")]));
    let newer = rig.says("yes, but add that I am sorry").await.card();
    assert!(rig.effects().is_empty());
    assert_eq!(rig.pending(&old.id).await.state, State::Superseded);
    let prompt = rig.script.asked(Stage::Plan).pop().unwrap().user;
    assert!(prompt.contains("waits for their yes") && prompt.contains("It is late."), "{prompt}");
    rig.presses(&old.approve()).await;
    assert!(rig.effects().is_empty(), "the older card still worked");
    rig.presses(&newer.approve()).await;
    assert_eq!(rig.effects().len(), 1);
    assert_eq!(rig.effects()[0].text("body"), "It is late, sorry.");
    assert_eq!(rig.pending(&newer.id).await.state, State::Succeeded);
}

#[tokio::test]
async fn invariant_06_a_change_works_without_a_model() {
    let rig = Rig::new(Setup { model: false, demo: true, ..Setup::default() });
    let old = rig.says("send an email to bob.miller@example.com saying the report is late").await.card();
    let newer = rig.says("change the subject to Late report").await.card();
    assert_eq!(rig.pending(&old.id).await.state, State::Superseded);
    assert!(
        newer.text().contains("Late report") && newer.text().contains("bob.miller@example.com"),
        "{}",
        newer.text()
    );
    assert!(rig.effects().is_empty());
    rig.says("yes").await;
    assert_eq!(rig.effects()[0].text("subject"), "Late report");
}

#[tokio::test]
async fn invariant_06_when_the_change_cannot_be_planned_the_card_waits_as_it_was() {
    for failing in [
        json!("no JSON at all"),
        json!({"actions": [action("email", "explode", json!({}))], "question": null, "open": null}),
    ] {
        let rig = Rig::plain();
        let old = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
        rig.script.on(Stage::Plan, move |_| failing.clone());
        let before = rig.pending(&old.id).await;
        let told = rig.me().replies("make it sound like a pirate", old.last()).await;
        assert!(!told.has_card() && told.text().contains("stays as it was"), "{}", told.text());
        assert_eq!((rig.pending(&old.id).await, before.state), (before.clone(), State::Pending));
        assert!(rig.effects().is_empty());
        rig.me().replies("yes", old.last()).await;
        assert_eq!(rig.effects().len(), 1);
    }
}

#[tokio::test]
async fn invariant_06_the_edit_button_makes_the_next_message_a_change() {
    let rig = Rig::plain();
    let old = rig.card_for(json!([send("zoe@example.com", "Late", "It is late.")])).await;
    rig.presses(&old.button(brain_agent::core::button::Role::Edit)).await;
    assert_eq!(rig.pending(&old.id).await.state, State::Pending);
    rig.plans(json!([send("max@example.com", "Late", "It is late.")]));
    let newer = rig.says("max@example.com").await.card();
    assert_eq!(rig.pending(&old.id).await.state, State::Superseded);
    assert!(newer.text().contains("max@example.com"));
}

#[tokio::test]
async fn invariant_06_what_was_not_typed_as_it_stands_never_approves() {
    let origins = [
        Origin::PartialQuote,
        Origin::Edited,
        Origin::Forwarded,
        Origin::Caption,
        Origin::Transcript,
        Origin::OnBehalf,
    ];
    for origin in origins {
        let rig = Rig::plain();
        let card = rig.card_for(json!([send("zoe@example.com", "a", "b")])).await;
        for (text, reply_to) in
            [("yes", None), ("yes", Some(card.last())), ("👍", None), ("no", None), ("no", Some(card.last()))]
        {
            rig.me().writes(text, origin, reply_to).await;
            assert!(rig.effects().is_empty(), "{origin:?} {text}");
            assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{origin:?} {text}");
        }
        for (text, reply_to) in [("yes, but to max@example.com", None), ("make it shorter", Some(card.last()))] {
            rig.me().writes(text, origin, reply_to).await;
            assert_eq!(rig.pending(&card.id).await.state, State::Pending, "{origin:?} {text}");
        }
        rig.presses(&card.approve()).await;
        assert_eq!(rig.effects().len(), 1, "{ME} can still decide it");
    }
}
