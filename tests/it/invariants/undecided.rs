//! 5 and 7: what is said after a decision, and below a card without deciding it.

use brain_agent::core::button::Role;
use brain_agent::core::pending::State;
use brain_agent::core::turn::Path;
use brain_agent::limits;
use brain_agent::ports::Stage;
use chrono::Duration;
use serde_json::{Value, json};

use crate::rig::{Answer, Card, Rig, action, send};

fn mail() -> Value {
    json!([send("zoe@example.com", "Late", "It is late.")])
}

/// The router takes everything for talk, and the model lies in it.
fn talks(rig: &Rig) {
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    rig.script.says("Okay, I stopped it.");
}

async fn decided(rig: &Rig, yes: bool) -> Card {
    let card = rig.card_for(mail()).await;
    rig.presses(&if yes { card.approve() } else { card.cancel() }).await;
    talks(rig);
    card
}

async fn says_without_a_model(rig: &Rig, text: &str) -> Answer {
    let answer = rig.says(text).await;
    assert_eq!((answer.done.llm_calls, answer.done.path), (0, Path::Consent), "{text}: {}", answer.text());
    answer
}

#[tokio::test]
async fn invariant_05_any_yes_or_no_after_a_decision_is_answered_with_the_recorded_result() {
    for yes in [true, false] {
        let rig = Rig::plain();
        let card = decided(&rig, yes).await;
        let sent = rig.effects().len();
        for text in ["no", "don't send it", "stop it", "yes send it", "yes", "please do", "No!", "👍"] {
            let told = says_without_a_model(&rig, text).await.text();
            let result = if yes { "already done at 09:00: send “Late”" } else { "already cancelled at 09:00" };
            assert!(told.contains(result), "{text}: {told}");
        }
        assert_eq!(rig.effects().len(), sent, "nothing more was done");
        let state = rig.pending(&card.id).await.state;
        assert_eq!(state, if yes { State::Succeeded } else { State::Denied });
    }
}

#[tokio::test]
async fn invariant_05_what_was_sent_is_not_said_to_be_stopped_and_what_was_cancelled_may_be_asked_for_again() {
    let rig = Rig::plain();
    decided(&rig, true).await;
    let told = rig.says("no").await.text();
    assert!(told.contains("can't take that back") && !told.contains("stopped"), "{told}");
    let told = rig.says("undo").await.text();
    assert!(told.contains("already done at 09:00"), "{told}");
    let rig = Rig::plain();
    decided(&rig, false).await;
    let told = rig.says("yes send it").await.text();
    assert!(told.contains("Ask for it again if you want it after all"), "{told}");
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn invariant_05_a_card_that_nobody_decided_in_time_is_a_decided_card() {
    let rig = Rig::plain();
    rig.card_for(mail()).await;
    rig.moves_clock(Duration::hours(25)).await;
    talks(&rig);
    let told = says_without_a_model(&rig, "yes").await.text();
    assert!(told.contains("has expired"), "{told}");
    assert!(rig.effects().is_empty());
}

#[tokio::test]
async fn invariant_05_a_yes_or_no_to_something_later_is_not_about_the_decided_card() {
    // Something was done since.
    let rig = Rig::plain();
    decided(&rig, true).await;
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    rig.says("add milk to my tasks").await;
    talks(&rig);
    assert_eq!(rig.says("no").await.done.path, Path::Chat);
    // We asked something since.
    let rig = Rig::plain();
    decided(&rig, true).await;
    rig.script.says("How was your day?");
    rig.says("hello there").await;
    talks(&rig);
    assert_eq!(rig.says("no").await.done.path, Path::Chat);
    // It was long ago.
    let rig = Rig::plain();
    decided(&rig, true).await;
    rig.moves_clock(Duration::hours(2)).await;
    assert_eq!(rig.says("no").await.done.path, Path::Chat);
    // Talk in between changes nothing.
    let rig = Rig::plain();
    decided(&rig, true).await;
    rig.script.says("You are welcome.");
    rig.says("thanks").await;
    says_without_a_model(&rig, "no").await;
    // Somebody else decided nothing.
    let rig = Rig::plain();
    decided(&rig, true).await;
    let eve = rig.in_chat("eve", &crate::rig::chat_of(crate::rig::ME)).says("no").await;
    assert_eq!(eve.done.path, Path::Chat);
}

#[tokio::test]
async fn invariant_05_what_is_said_below_a_card_without_deciding_it_shows_the_card_again() {
    let like_answers = ["Yes, that would be perfect for her.", "yes?", "ok whatever you think is best", "no idea"];
    let short = ["perfect", "great!", "I guess so", "hmm, not sure", "if you must", "maybe", "👀", "well, yes", "wait"];
    for (text, routed) in like_answers.map(|text| (text, 0)).into_iter().chain(short.map(|text| (text, 1))) {
        let rig = Rig::plain();
        let first = rig.card_for(mail()).await;
        talks(&rig);
        let answer = rig.says(text).await;
        assert!(answer.text().contains("nothing was done"), "{text}: {}", answer.text());
        assert!(answer.done.llm_calls <= routed && answer.done.path == Path::Consent, "{text}: {:?}", answer.done);
        let again = answer.card();
        assert_eq!((&again.id, again.approve().data), (&first.id, first.approve().data.clone()), "{text}");
        assert!(answer.edits.iter().any(|edit| edit.message == first.last() && edit.buttons.is_empty()), "{text}");
        assert!(rig.effects().is_empty(), "{text}");
        rig.says("yes").await;
        assert_eq!(rig.effects().len(), 1, "{text}: the card that was shown again can be decided");
    }
}

#[tokio::test]
async fn invariant_05_a_yes_that_is_asked_back_counts_once_the_card_was_shown_again() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    rig.says("add milk to my tasks").await;
    let again = says_without_a_model(&rig, "yes").await;
    assert!(rig.effects().is_empty());
    assert_eq!(again.card().id, card.id);
    rig.says("yes").await;
    assert_eq!(rig.effects().len(), 1);
}

#[tokio::test]
async fn invariant_11_a_card_that_has_left_the_screen_is_named_in_one_line_once_a_screen() {
    let rig = Rig::plain();
    let card = rig.card_for(mail()).await;
    rig.plans(json!([action("task", "create", json!({"title": "Milk"}))]));
    let ends = "⏳ Still waiting: send “Late” to zoe@example.com";
    assert!(ends.chars().count() <= limits::FOOTER_CHARS_MAX);
    let done = rig.says("add milk to my tasks").await;
    assert!(done.text().contains("Milk") && !done.text().contains("waiting"), "{}", done.text());
    assert!(done.button(Role::Undo).is_some());
    let long = "a line of talk that fills the whole width of a phone\n".repeat(limits::SCREEN_LINES);
    rig.script.on(Stage::Chat, move |_| json!(long));
    rig.script.routes(json!({"type": "chat", "domains": [], "is_followup": false}));
    let talked = rig.says("good morning, how are you doing today?").await;
    assert!(talked.done.path == Path::Chat && talked.text().ends_with(ends), "{}", talked.text());
    rig.script.on(Stage::Chat, |_| json!("Well, thanks."));
    let next = rig.says("good morning, how are you doing today?").await.text();
    assert!(!next.contains("waiting"), "it is named just above: {next}");
    rig.presses(&card.cancel()).await;
    let long = "a line of talk that fills the whole width of a phone\n".repeat(limits::SCREEN_LINES);
    rig.script.on(Stage::Chat, move |_| json!(long));
    let later = rig.says("good morning, how are you doing today?").await.text();
    assert!(!later.contains("waiting"), "{later}");
}
