//! What each button does, and what its message says afterwards.

use super::commands::{changed, says, timeless};
use super::*;
use crate::support::bot_api::Call;

pub(super) async fn press(api: &FakeBotApi, message: &SentMessage, part: &str) -> i64 {
    let newest = api.messages(ANNA).last().unwrap().id;
    api.press(ANNA, message.id, &message.button(part).data);
    newest
}

/// The next message after `newest`.
pub(super) async fn next(api: &FakeBotApi, newest: i64) -> SentMessage {
    api.wait_message(ANNA, |message| message.id > newest && !message.text.ends_with('…'), SOON).await
}

/// Presses a button, and gives what is shown over it.
pub(super) async fn noticed(api: &FakeBotApi, message: &SentMessage, part: &str) -> String {
    noticed_at(api, api.press(ANNA, message.id, &message.button(part).data)).await
}

/// What is shown over a button that was just pressed; on a machine too busy to be in time it is a message.
pub(super) async fn noticed_at(api: &FakeBotApi, query: String) -> String {
    let newest = api.messages(ANNA).last().map_or(0, |message| message.id);
    let answer = api.wait_callback_answer(&query, SOON).await;
    match answer.get("text").and_then(|text| text.as_str()) {
        Some(text) => text.to_owned(),
        None => next(api, newest).await.text,
    }
}

/// What a card says without its question, which a decided one no longer asks.
fn asked_nothing(card: &SentMessage) -> String {
    let text = timeless(&card.text);
    let question = "\n\nReply yes or no, or say what to change.\nWaits until tomorrow (DAY) at TIME · ID";
    text.strip_suffix(question).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[tokio::test]
async fn an_approved_card_keeps_its_words_and_says_who_decided_and_when() {
    let (api, smtp, _model, _daemon, card) = with_card().await;
    press(&api, &card, "Send").await;
    smtp.wait_mails(1, SOON).await;
    let closed = changed(&api, ANNA, &card).await;
    assert_eq!(timeless(&closed.text), format!("{}\n\n✅ Sent — you, DAY TIME", asked_nothing(&card)));
}

#[tokio::test]
async fn a_cancelled_card_says_that_you_said_no() {
    let (api, smtp, _model, _daemon, card) = with_card().await;
    assert!(noticed(&api, &card, "Don't").await.starts_with("Okay, I won't send"));
    let closed = changed(&api, ANNA, &card).await;
    assert_eq!(timeless(&closed.text), format!("{}\n\n✖️ You said no · DAY TIME", asked_nothing(&card)));
    assert!(smtp.mails().is_empty());
}

#[tokio::test]
async fn an_edited_card_says_that_it_was_changed_and_a_new_one_takes_its_place() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    let newest = press(&api, &card, "Edit").await;
    let below = |call: &Call| call.params.get("reply_markup").map(ToString::to_string).unwrap_or_default();
    let asks =
        |api: &FakeBotApi| api.calls("sendMessage").iter().map(below).find(|below| below.contains("force_reply"));
    let question = api.wait_for("a field to answer in", SOON, asks).await;
    assert!(question.contains("input_field_placeholder"), "{question}");
    assert_eq!(
        next(&api, newest).await.text,
        "What should I change? Write it as you would say it, for example “at 4pm instead”."
    );
    let id = api.user_says(ANNA, "change the subject to Delay");
    let newer = api.wait_message(ANNA, |m| m.id > id && m.text.contains("Subject: “Delay”"), SOON).await;
    assert!(!newer.buttons.is_empty());
    let closed = changed(&api, ANNA, &card).await;
    assert!(closed.text.ends_with("✏️ Withdrawn · you changed it"), "{}", closed.text);
}

#[tokio::test]
async fn a_part_dropped_from_a_card_makes_a_newer_card() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    for words in ["remember that my coffee order is a flat white", "remember that my coffee cup is blue"] {
        says(&api, ANNA, words).await;
    }
    let card = says(&api, ANNA, "/forget coffee").await;
    let drop = card.all_buttons().into_iter().find(|button| button.data.starts_with("d:")).unwrap();
    api.press(ANNA, card.id, &drop.data);
    let newer = api.wait_message(ANNA, |m| m.id > card.id && !m.buttons.is_empty(), SOON).await;
    assert!(newer.text.contains("flat white") != newer.text.contains("blue"), "{}", newer.text);
    let closed = changed(&api, ANNA, &card).await;
    assert!(timeless(&closed.text).ends_with("✏️ Replaced by a newer card · DAY TIME"), "{}", closed.text);
}

#[tokio::test]
async fn undo_by_button_works_once_and_each_later_press_is_told_the_truth() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let added = says(&api, ANNA, "add a task: buy milk").await;
    let undo = added.button("Undo");
    assert_eq!(noticed(&api, &added, "Undo").await, "↩️ Taken back: add “Buy milk”.");
    api.wait_message(ANNA, |m| m.id == added.id && m.buttons.is_empty(), SOON).await;
    let again = noticed_at(&api, api.press(ANNA, added.id, &undo.data)).await;
    assert_eq!(timeless(&again), "That was already taken back at TIME: add “Buy milk”.");
    assert_eq!(api.messages(ANNA).len(), 1, "no message beside it: {}", api.transcript());
}

#[tokio::test]
async fn a_draft_has_a_send_button_that_makes_a_card() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let draft = says(&api, ANNA, "write an email to bob.miller@example.com saying the report is late").await;
    let newest = press(&api, &draft, "Send").await;
    let card = next(&api, newest).await;
    assert!(card.text.starts_with("Send this email?") && card.text.contains("bob.miller@example.com"), "{}", card.text);
}

#[tokio::test]
async fn settings_change_in_their_own_message() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let page = says(&api, ANNA, "/settings").await;
    press(&api, &page, "Quiet hours").await;
    let choices = api.wait_message(ANNA, |m| m.id == page.id && m.text.starts_with("🌙 When"), SOON).await;
    assert_eq!(choices.button("✓").text, "✓ Off");
    press(&api, &choices, "23:00").await;
    let told = api.wait_message(ANNA, |m| m.id == page.id && m.text.contains("⚙️"), SOON).await;
    assert!(told.text.starts_with("🌙 Quiet hours 23:00–07:00: reminders wait until 07:00."), "{}", told.text);
    assert_eq!(api.messages(ANNA).len(), 1, "no message beside it: {}", api.transcript());
}

#[tokio::test]
async fn being_somewhere_is_offered_as_a_zone_and_changes_nothing_by_itself() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let offer = says(&api, ANNA, "I'm in Tokyo now").await;
    assert_eq!(
        timeless(&offer.text),
        "It's TIME in Tokyo. Shall I use that as your time zone from now on? It stays UTC unless you press this."
    );
    assert!(says(&api, ANNA, "/settings").await.text.contains("Time zone: UTC"));
    press(&api, &offer, "Asia/Tokyo").await;
    api.wait_message(ANNA, |m| m.id == offer.id && m.text.contains("Your time zone is now Asia/Tokyo"), SOON).await;
    assert!(says(&api, ANNA, "/settings").await.text.contains("Time zone: Asia/Tokyo"));
}

/// A reminder that comes within seconds.
pub(super) async fn reminded(api: &FakeBotApi) -> SentMessage {
    says(api, ANNA, "remind me to stretch in 2 seconds").await;
    api.wait_message(ANNA, |m| m.text.starts_with("⏰ Stretch"), SOON).await
}

#[tokio::test]
async fn a_reminder_is_done_by_its_button_and_says_so() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let reminder = reminded(&api).await;
    let newest = press(&api, &reminder, "Done").await;
    let receipt = next(&api, newest).await;
    assert_eq!(receipt.text, "✅ Done: Stretch");
    let closed = changed(&api, ANNA, &reminder).await;
    assert_eq!(timeless(&closed.text), "⏰ Stretch — done TIME");
    assert!(says(&api, ANNA, "/tasks").await.text.starts_with("Nothing on your list"));

    // Undone, the reminder is as it was, with its buttons.
    press(&api, &receipt, "Undo").await;
    let back = api.wait_message(ANNA, |m| m.id == reminder.id && m.text == reminder.text, SOON).await;
    assert_eq!(back.buttons, reminder.buttons);
    assert!(says(&api, ANNA, "/tasks").await.text.contains("Stretch"));
}

#[tokio::test]
async fn a_reminder_is_snoozed_by_its_buttons_and_says_until_when() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let reminder = reminded(&api).await;
    let labels: Vec<String> = reminder.all_buttons().into_iter().map(|button| button.text).collect();
    assert_eq!(labels, ["💤 10 min", "💤 1 h", "💤 Tomorrow", "💤 Until…", "✅ Done"]);
    let newest = press(&api, &reminder, "Tomorrow").await;
    let receipt = next(&api, newest).await;
    assert_eq!(timeless(&receipt.text), "💤 Snoozed until tomorrow (DAY) at TIME: Stretch");
    assert!(receipt.text.contains("at 09:00"), "{}", receipt.text);
    let closed = changed(&api, ANNA, &reminder).await;
    assert_eq!(timeless(&closed.text), "⏰ Stretch — snoozed until DAY TIME");

    // Undone and put off by an hour instead.
    press(&api, &receipt, "Undo").await;
    let back = api.wait_message(ANNA, |m| m.id == reminder.id && !m.buttons.is_empty(), SOON).await;
    press(&api, &back, "1 h").await;
    changed(&api, ANNA, &back).await;
}

#[tokio::test]
async fn a_reminder_waits_until_whatever_is_answered() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let reminder = reminded(&api).await;
    let newest = press(&api, &reminder, "Until").await;
    let question = next(&api, newest).await;
    assert_eq!(question.text, "Until when? Say it as you would, for example “friday 9am” or “in 3 hours”.");
    let receipt = says(&api, ANNA, "tomorrow at 8:15").await;
    assert_eq!(timeless(&receipt.text), "💤 Snoozed until tomorrow (DAY) at TIME: Stretch");
    let closed = changed(&api, ANNA, &reminder).await;
    assert!(
        closed.text.ends_with(" 08:15") && closed.text.starts_with("⏰ Stretch — snoozed until"),
        "{}",
        closed.text
    );
}

#[tokio::test]
async fn a_double_tap_does_it_once_and_the_second_is_told_so() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let reminder = reminded(&api).await;
    let data = reminder.button("Done").data;
    let newest = api.messages(ANNA).last().unwrap().id;
    let taps: Vec<String> = (0..3).map(|_| api.press(ANNA, reminder.id, &data)).collect();
    assert_eq!(next(&api, newest).await.text, "✅ Done: Stretch");
    for tap in taps.into_iter().skip(1) {
        assert_eq!(noticed_at(&api, tap).await, "“Stretch” is done already.");
    }
}

#[tokio::test]
async fn a_second_snooze_takes_the_place_of_the_first() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let reminder = reminded(&api).await;
    let (minutes, tomorrow) = (reminder.button("10 min").data, reminder.button("Tomorrow").data);
    api.press(ANNA, reminder.id, &minutes);
    api.press(ANNA, reminder.id, &tomorrow);
    let told = api.wait_message(ANNA, |m| m.id == reminder.id && m.text.contains(" 09:00"), SOON).await;
    answer(&api, ANNA, "💤 Snoozed until tomorrow").await;
    assert_eq!(timeless(&told.text), "⏰ Stretch — snoozed until DAY TIME", "{}", api.transcript());
}

#[tokio::test]
async fn what_told_of_something_says_that_it_was_taken_back() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    for by in ["button", "word"] {
        api.user_says(ANNA, "remind me to call mom tomorrow at 5pm");
        let is_new = |m: &SentMessage| m.text.contains("Reminder set") && !m.text.contains("Taken back");
        let set = api.wait_message(ANNA, is_new, SOON).await;
        match by {
            "button" => drop(noticed(&api, &set, "Undo").await),
            _ => drop(says(&api, ANNA, "/undo").await),
        }
        let is_marked = |m: &SentMessage| m.id == set.id && m.text.ends_with("\n↩️ Taken back: add “Call mom”.");
        let marked = api.wait_message(ANNA, is_marked, SOON).await;
        assert!(marked.text.starts_with(&set.text) && marked.buttons.is_empty(), "{by}: {}", marked.text);
    }
}

#[tokio::test]
async fn presses_on_a_decided_card_ask_for_no_change_that_telegram_refuses() {
    let (api, smtp, _model, _daemon, card) = with_card().await;
    press(&api, &card, "Send").await;
    smtp.wait_mails(1, SOON).await;
    changed(&api, ANNA, &card).await;
    for _ in 0..3 {
        let told = noticed_at(&api, api.press(ANNA, card.id, &card.button("Send").data)).await;
        assert!(told.contains("already done"), "{told}");
    }
    let refused = |call: &&Call| call.method.starts_with("editMessage") && call.status != Some(200);
    assert_eq!(api.all_calls().iter().filter(refused).count(), 0, "{}", api.transcript());
}
