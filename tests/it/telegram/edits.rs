//! Changed messages.

use super::buttons::noticed_at;
use super::*;
use crate::support::bot_api::Say;

const CALL: &str = "remind me to call mom tomorrow at 5pm";
const LATER: &str = "remind me to call mom tomorrow at 6pm";
const DONE_OR_OLD: &str = "I have done that already, or the offer is too old (a day). Nothing was done now.";

#[tokio::test]
async fn a_changed_message_is_offered_to_be_done_again_and_is_done_once() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    answer(&api, ANNA, "17:00").await;
    api.user_edits(ANNA, message, LATER);
    let offer = answer(&api, ANNA, "You changed your message").await;
    let button = offer.all_buttons()[0].clone();
    assert!(button.text.contains("Undo and redo"), "{}", button.text);
    assert_eq!(how_many(&api, ANNA, "18:00"), 0, "nothing is done by itself\n{}", api.transcript());

    api.press(ANNA, offer.id, &button.data);
    api.press(ANNA, offer.id, &button.data);
    answer(&api, ANNA, "↩️ Taken back: add “Call mom”.").await;
    answer(&api, ANNA, "18:00").await;
    answer(&api, ANNA, DONE_OR_OLD).await;
    assert_eq!(how_many(&api, ANNA, "18:00"), 1, "{}", api.transcript());
    assert!(api.messages(ANNA).iter().any(|m| m.id == offer.id && m.buttons.is_empty()), "{}", api.transcript());
    api.user_says(ANNA, "show my tasks");
    let list = api.wait_message(ANNA, |m| m.text.contains("mom") && m.id > offer.id + 3, SOON).await;
    assert_eq!(list.text.matches("mom").count(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_changed_request_withdraws_the_card_of_the_old_one_and_is_handled_anew() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    let message = api.user_says(ANNA, SEND);
    let first = card(&api, ANNA).await;
    api.user_edits(ANNA, message, "send an email to bob.miller@example.com saying the report is ready");
    let told = answer(&api, ANNA, "You changed your message, so the card before is withdrawn.").await;
    let second = api.wait_message(ANNA, |m| m.id > told.id && !m.buttons.is_empty(), SOON).await;
    let closed = api.wait_message(ANNA, |m| m.id == first.id && m.buttons.is_empty(), SOON).await;
    assert!(closed.text.contains("✏️ Withdrawn"), "{}", closed.text);
    let late = noticed_at(&api, api.press(ANNA, first.id, &first.button("Send").data)).await;
    assert!(late.starts_with("That card was withdrawn"), "{late}");
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
    api.press(ANNA, second.id, &second.button("Send").data);
    smtp.wait_mails(1, SOON).await;
}

#[tokio::test]
async fn a_changed_request_withdraws_the_question_about_the_old_one() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, "send an email to zoe saying I'm late");
    answer(&api, ANNA, "Which mail address should I use?").await;
    api.user_edits(ANNA, message, LATER);
    answer(&api, ANNA, "You changed your message, so I take my question back.").await;
    answer(&api, ANNA, "Reminder set").await;
    assert_eq!(how_many(&api, ANNA, "18:00"), 1, "{}", api.transcript());
}

#[tokio::test]
async fn an_edit_that_changes_no_word_or_comes_from_nowhere_is_nothing() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    answer(&api, ANNA, "17:00").await;
    api.user_edits(ANNA, message, &format!(" {CALL} "));
    api.push_raw(json!({"edited_message": {
        "message_id": 999_999, "date": 1, "edit_date": 2, "chat": {"id": ANNA, "type": "private"}, "text": LATER,
        "from": {"id": ANNA, "is_bot": false, "first_name": "A"},
    }}));
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(texts(&api, ANNA).len(), 2, "{}", api.transcript());
}

#[tokio::test]
async fn an_edit_of_a_message_that_still_waits_replaces_its_words() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().env("BRAIN_DEBOUNCE", "50ms").whole_plans(&model), &api).await;
    api.user_says(ANNA, "first (held)");
    model.wait_calls("respond", 1, SOON).await;
    // After the breath of the first one.
    tokio::time::sleep(Duration::from_millis(400)).await;
    let second = api.user_says(ANNA, "buy mlik");
    api.user_edits(ANNA, second, "buy milk");
    api.wait_acknowledged(SOON).await;
    model.release();
    answer(&api, ANNA, "You said: first").await;
    answer(&api, ANNA, "You said: buy milk").await;
    api.user_says(ANNA, "the end");
    answer(&api, ANNA, "the end").await;
    assert_eq!(how_many(&api, ANNA, "mlik"), 0, "{}", api.transcript());
    assert_eq!(texts(&api, ANNA).len(), 3, "{}", api.transcript());
}

#[tokio::test]
async fn an_edit_approves_nothing_even_when_it_is_done_again() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    let talk = api.user_says(ANNA, "hello");
    answer(&api, ANNA, "All right").await;
    api.user_says(ANNA, SEND);
    card(&api, ANNA).await;
    api.user_edits(ANNA, talk, "yes");
    let offer = answer(&api, ANNA, "You changed your message").await;
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    api.wait_for("an answer", SOON, |api| api.messages(ANNA).into_iter().find(|m| m.id > offer.id)).await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
    api.say(Say::by(BEN, "hi"));
    answer(&api, BEN, "All right").await;
    api.press(BEN, offer.id, &offer.all_buttons()[0].data);
    answer(&api, BEN, DONE_OR_OLD).await;
}

#[tokio::test]
async fn what_was_taken_back_is_not_offered_to_be_taken_back_again() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    let added = answer(&api, ANNA, "17:00").await;
    let query = api.press(ANNA, added.id, &added.button("Undo").data);
    told(&api, ANNA, &query, "↩️ Taken back: add “Call mom”.").await;
    api.user_edits(ANNA, message, LATER);
    let offer = answer(&api, ANNA, "You changed your message").await;
    assert_eq!(offer.text, "You changed your message. Shall I do it again with the new words?");
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    answer(&api, ANNA, "18:00").await;
    assert!(how_many(&api, ANNA, "Taken back") <= 1, "{}", api.transcript());
}

#[tokio::test]
async fn after_it_was_done_again_the_old_undo_says_that_it_was_used() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    let added = answer(&api, ANNA, "17:00").await;
    api.user_edits(ANNA, message, LATER);
    let offer = answer(&api, ANNA, "You changed your message").await;
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    answer(&api, ANNA, "18:00").await;
    let query = api.press(ANNA, added.id, &added.button("Undo").data);
    told(&api, ANNA, &query, "That was already taken back").await;
    api.user_says(ANNA, "/tasks");
    assert!(answer(&api, ANNA, "1 open task").await.text.contains("18:00"), "{}", api.transcript());
}

#[tokio::test]
async fn of_several_edits_one_offer_is_left_and_it_does_the_newest_words() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    answer(&api, ANNA, "17:00").await;
    let mut offers: Vec<SentMessage> = Vec::new();
    for hour in [6, 7, 8] {
        api.user_edits(ANNA, message, &format!("remind me to call mom tomorrow at {hour}pm"));
        let last = offers.last().map_or(0, |offer| offer.id);
        let is_next = |m: &SentMessage| m.id > last && m.text.contains("You changed your message");
        offers.push(api.wait_message(ANNA, is_next, SOON).await);
    }
    let replaced = |api: &FakeBotApi| {
        let now = |offer: &SentMessage| api.messages(ANNA).into_iter().find(|m| m.id == offer.id);
        let is_replaced = |m: SentMessage| m.buttons.is_empty() && m.text.contains("Replaced");
        offers[..2].iter().filter_map(now).all(is_replaced).then_some(())
    };
    api.wait_for("the older offers to be replaced", SOON, replaced).await;
    // A program may still show the first one.
    api.press(ANNA, offers[0].id, &offers[0].all_buttons()[0].data);
    answer(&api, ANNA, "20:00").await;
    api.press(ANNA, offers[2].id, &offers[2].all_buttons()[0].data);
    answer(&api, ANNA, DONE_OR_OLD).await;
    for hour in ["18:00", "19:00"] {
        assert_eq!(how_many(&api, ANNA, hour), 0, "{}", api.transcript());
    }
}

#[tokio::test]
async fn an_edit_back_to_the_first_words_takes_the_offer_back() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    answer(&api, ANNA, "17:00").await;
    api.user_edits(ANNA, message, LATER);
    let offer = answer(&api, ANNA, "You changed your message").await;
    api.user_edits(ANNA, message, CALL);
    let told = answer(&api, ANNA, "your message reads as before").await;
    assert!(told.id == offer.id && told.buttons.is_empty(), "{}", api.transcript());
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    answer(&api, ANNA, DONE_OR_OLD).await;
    assert_eq!(how_many(&api, ANNA, "18:00"), 0, "{}", api.transcript());
}

#[tokio::test]
async fn what_told_of_something_says_so_once_it_was_done_again() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let message = api.user_says(ANNA, CALL);
    let added = answer(&api, ANNA, "17:00").await;
    api.user_edits(ANNA, message, LATER);
    let offer = answer(&api, ANNA, "You changed your message").await;
    api.press(ANNA, offer.id, &offer.all_buttons()[0].data);
    let is_marked = |m: &SentMessage| m.id == added.id && m.text.contains("↩️ Taken back: add “Call mom”.");
    let marked = api.wait_message(ANNA, is_marked, SOON).await;
    assert!(marked.buttons.is_empty(), "{}", api.transcript());
}
