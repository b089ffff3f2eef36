//! 5: an older card beside the one just shown, cards that are named by number or words, and drafts.

use brain_agent::core::button::Role;
use brain_agent::core::ids::MessageId;
use brain_agent::core::pending::{Means, State};
use brain_agent::core::turn::{Origin, Path};
use serde_json::{Value, json};

use crate::rig::{Card, Rig, action, send};

fn mail(subject: &str) -> Value {
    json!([send("zoe@example.com", subject, "Words.")])
}

async fn says_something_else(rig: &Rig) {
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    rig.says("add milk to my tasks").await;
}

/// Two cards, and neither is the last message.
async fn two(rig: &Rig) -> (Card, Card) {
    let cards = (rig.card_for(mail("Dentist")).await, rig.card_for(mail("Plumber")).await);
    says_something_else(rig).await;
    cards
}

fn sent(rig: &Rig) -> Vec<String> {
    rig.effects().iter().map(|effect| effect.text("subject").to_owned()).collect()
}

#[tokio::test]
async fn invariant_05_older_open_cards_do_not_stand_in_the_way_of_the_one_just_shown() {
    let rig = Rig::plain();
    let older = rig.card_for(mail("Dentist")).await;
    let just_shown = rig.card_for(mail("Plumber")).await;
    rig.says("yes").await;
    assert_eq!(sent(&rig), ["Plumber"]);
    assert_eq!(rig.pending(&just_shown.id).await.decision.unwrap().means, Means::Text);
    assert_eq!(rig.pending(&older.id).await.state, State::Pending);
    // The next yes is about what was decided, not about the older card.
    rig.says("yes").await;
    assert_eq!(sent(&rig), ["Plumber"]);
}

#[tokio::test]
async fn invariant_05_a_yes_below_two_cards_shown_since_the_last_message_is_asked_back() {
    let rig = Rig::plain();
    let drafts = ["Dentist", "Plumber"]
        .map(|subject| json!({"to": ["zoe@example.com"], "subject": subject, "body": format!("About the {subject}.")}));
    let mut buttons = Vec::new();
    for draft in drafts {
        rig.plans(json!([action("email", "create_draft", draft)]));
        let shown = rig.says("write zoe@example.com a mail").await;
        buttons.push(shown.button(Role::Send).unwrap_or_else(|| panic!("no draft to send: {}", shown.text())));
    }
    let cards = [rig.presses(&buttons[0]).await.card(), rig.presses(&buttons[1]).await.card()];
    let asked = rig.says("yes").await.text();
    assert!(cards.iter().all(|card| asked.contains(card.id.as_str())), "{asked}");
    assert!(rig.effects().is_empty());
    // Now it is a list, and its places count.
    rig.says("1").await;
    assert_eq!(sent(&rig), ["Dentist"]);
}

#[tokio::test]
async fn invariant_05_a_number_or_words_that_fit_one_card_decide_that_one() {
    for (first, then, expected) in [
        ("yes", "2", "Plumber"),
        ("yes", "the first one", "Dentist"),
        ("yes", "the dentist one", "Dentist"),
        ("yes", "plumber", "Plumber"),
        ("/pending", "yes 1", "Dentist"),
        ("/pending", "yes, the last one", "Plumber"),
        ("/pending", "yes, the plumber one", "Plumber"),
    ] {
        let rig = Rig::plain();
        two(&rig).await;
        rig.says(first).await;
        assert!(sent(&rig).is_empty(), "{first}");
        let told = rig.says(then).await.text();
        assert_eq!(sent(&rig), [expected], "{first}, {then}: {told}");
    }
    // Without a list.
    let rig = Rig::plain();
    let (dentist, plumber) = two(&rig).await;
    rig.says("no, the plumber one").await;
    assert_eq!(rig.pending(&plumber.id).await.state, State::Denied);
    rig.says("yes, the dentist one").await;
    assert_eq!(sent(&rig), ["Dentist"]);
    assert_eq!(rig.pending(&dentist.id).await.decision.unwrap().means, Means::Text);
}

#[tokio::test]
async fn invariant_05_a_name_without_a_yes_or_no_shows_the_card_and_decides_nothing() {
    for (first, then) in [("/pending", "1"), ("/pending", "dentist"), ("hello", "the dentist one")] {
        let rig = Rig::plain();
        let (dentist, _) = two(&rig).await;
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(first).await;
        let shown = rig.says(then).await;
        assert!(rig.effects().is_empty(), "{then}");
        assert_eq!(shown.card().id, dentist.id, "{then}");
        rig.says("yes").await;
        assert_eq!(sent(&rig), ["Dentist"], "{then}: it can be decided where it stands now");
    }
}

#[tokio::test]
async fn invariant_05_a_name_that_fits_none_or_several_decides_nothing() {
    for (first, then) in [
        ("yes", "3"),
        ("yes", "0"),
        ("yes", "the zoe one"),
        ("yes", "the tax one"),
        ("yes", "both"),
        ("yes", "1 and 2"),
        ("yes", "not the dentist one"),
        ("hello", "2"),
        ("hello", "yes 2"),
        ("hello", "yes, the zoe one"),
        ("/pending", "no 2"),
        ("hello", "yes, only the dentist one"),
        ("hello", "yes, the dentist one?"),
    ] {
        let rig = Rig::plain();
        two(&rig).await;
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(first).await;
        rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
        rig.says(then).await;
        assert!(rig.effects().is_empty(), "{first}, {then}");
        let open = rig.all_pending().await.iter().filter(|card| card.state == State::Pending).count();
        assert_eq!(open, 2, "{first}, {then}");
    }
}

#[tokio::test]
async fn invariant_05_a_name_decides_only_as_a_typed_message_below_what_it_names() {
    let rig = Rig::plain();
    let (dentist, _) = two(&rig).await;
    rig.me().says_as_message("yes, the dentist one", MessageId(dentist.last().0 - 1)).await;
    for origin in
        [Origin::Forwarded, Origin::Edited, Origin::Transcript, Origin::Caption, Origin::PartialQuote, Origin::OnBehalf]
    {
        rig.me().writes("yes, the dentist one", origin, None).await;
    }
    rig.me().replies("yes, the dentist one", MessageId(999)).await;
    rig.as_user("eve").says("yes, the dentist one").await;
    assert!(rig.effects().is_empty());
    // A list that is not the last message any more has no places.
    rig.says("yes").await;
    says_something_else(&rig).await;
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.says("2").await;
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn a_yes_to_a_draft_that_was_just_shown_makes_a_card_and_sends_nothing() {
    for yes in ["yes", "send it", "ok, send it"] {
        let rig = Rig::plain();
        rig.plans(json!([action(
            "email",
            "create_draft",
            json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."})
        )]));
        let draft = rig.says("write zoe@example.com that it is late").await;
        assert!(draft.button(Role::Send).is_some(), "{}", draft.text());
        let before = rig.effects().len();
        let card = rig.says(yes).await.card();
        assert_eq!(rig.effects().len(), before, "{yes}");
        assert!(rig.pending(&card.id).await.state == State::Pending);
        rig.says("yes").await;
        assert_eq!(rig.effects().len(), before + 1, "{yes}");
    }
    let rig = Rig::plain();
    rig.plans(json!([action(
        "email",
        "create_draft",
        json!({"to": ["zoe@example.com"], "subject": "Late", "body": "It is late."})
    )]));
    rig.says("write zoe@example.com that it is late").await;
    let told = rig.says("no").await;
    assert!(told.done.path == Path::Consent && told.text().contains("stays a draft"), "{}", told.text());
    // Not just shown any more.
    says_something_else(&rig).await;
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    assert!(!rig.says("yes").await.has_card());
}

#[tokio::test]
async fn invariant_05_a_yes_to_a_place_of_a_list_that_has_gone_by_is_asked_about() {
    let rig = Rig::plain();
    let (first, second) = two(&rig).await;
    let third = rig.card_for(mail("Baker")).await;
    rig.says("/pending").await;
    rig.says("yes 1").await;
    assert_eq!(sent(&rig), ["Dentist"]);
    let asked = rig.says("yes 2").await.text();
    assert_eq!((sent(&rig), rig.pending(&first.id).await.state), (vec!["Dentist".to_owned()], State::Succeeded));
    assert!([&second, &third].iter().all(|card| asked.contains(card.id.as_str())), "{asked}");
}
