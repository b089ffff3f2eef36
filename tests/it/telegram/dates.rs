//! When something was written is told by Telegram, and need not be when it is read.

use std::time::{SystemTime, UNIX_EPOCH};

use super::*;
use crate::support::bot_api::Say;

fn unix_s() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

fn written(text: &str, date: i64) -> Say {
    Say::by(ANNA, text).field("date", json!(date))
}

#[tokio::test]
async fn minutes_count_from_when_it_was_written_and_what_has_passed_meanwhile_is_asked() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(written("remind me to stretch in 10 minutes", unix_s() - 30 * 60));
    answer(&api, ANNA, "has already passed. Which time do you mean?").await;
    api.say(written("remind me to call mom in 2 hours", unix_s() - 30 * 60));
    let told = answer(&api, ANNA, "Reminder set").await;
    let due = chrono::Utc::now() + chrono::Duration::minutes(90);
    let near = (-2..=2).map(|n| (due + chrono::Duration::minutes(n)).format("%H:%M").to_string());
    assert!(near.clone().any(|time| told.text.contains(&time)), "{} {near:?}", told.text);
}

#[tokio::test]
async fn a_date_that_cannot_be_breaks_nothing() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let year = 365 * 86_400;
    for (n, date) in [0, 1, -5, unix_s() - year, unix_s() + year, i64::MAX, i64::MIN].into_iter().enumerate() {
        api.say(written(&format!("remind me to call number{n} in 20 minutes"), date));
        let told = answer(&api, ANNA, &format!("number{n}")).await;
        assert!(told.text.contains("Reminder set"), "{date}: {}", told.text);
    }
    api.say(written("remind me to call mom in 20 minutes", 5).field("date", json!("tomorrow")));
    assert!(answer(&api, ANNA, "mom").await.text.contains("Reminder set"));
}

#[tokio::test]
async fn what_was_written_hours_apart_is_no_breath_when_it_is_read_at_once() {
    let api = FakeBotApi::start().await;
    let model = echo();
    api.open_chat(ANNA);
    api.say(written("good morning", unix_s() - 3 * 3_600));
    api.say(written("good afternoon to", unix_s() - 60));
    api.say(written("my friend", unix_s() - 59));
    let _daemon = serve(&installed().env("BRAIN_DEBOUNCE", "700ms").model(&model), &api).await;
    answer(&api, ANNA, "You said: good morning").await;
    let told = answer(&api, ANNA, "my friend").await;
    assert!(told.text.contains("You said: good afternoon to my friend"), "{}", told.text);
    assert_eq!(texts(&api, ANNA).len(), 2, "{}", api.transcript());
}

#[tokio::test]
async fn a_changed_message_keeps_its_first_date() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.say(written("hello", unix_s() - 30 * 60));
    api.wait_message(ANNA, |_| true, SOON).await;
    api.user_edits(ANNA, message, "remind me to stretch in 10 minutes");
    let offer = answer(&api, ANNA, "You changed your message").await;
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    answer(&api, ANNA, "has already passed. Which time do you mean?").await;
}

#[cfg(feature = "failpoints")]
#[tokio::test]
async fn a_message_that_a_next_life_reads_keeps_its_date() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let daemon = serve(&program.clone().fail_at("inbox-durable"), &api).await;
    api.say(written("remind me to stretch in 10 minutes", unix_s() - 30 * 60));
    tokio::task::spawn_blocking(move || daemon.kill_at("inbox-durable")).await.unwrap();
    let _daemon = serve(&program.without_failpoint(), &api).await;
    answer(&api, ANNA, "has already passed. Which time do you mean?").await;
}
