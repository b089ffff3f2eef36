//! Taps: answered within a second, with words where those are enough, and right whichever copy was pressed.

use super::buttons::{noticed, noticed_at};
use super::commands::says;
use super::*;
use crate::support::bot_api::Fault;
use crate::support::smtp_server::Mode;

#[tokio::test]
async fn a_tap_is_answered_though_another_message_of_its_chat_hangs_and_its_words_come_later() {
    let (api, _smtp, model, _daemon, card) = with_card().await;
    api.fail_once("sendMessage", Fault::Hang);
    api.user_says(ANNA, "hello");
    let hangs = |api: &FakeBotApi| (api.calls("sendMessage").len() > 1).then_some(());
    api.wait_for("a message under way", SOON, hangs).await;
    let query = api.press(ANNA, card.id, &card.button("Don't").data);
    let answered = api.wait_callback_answer(&query, SOON).await;
    assert!(!answered.contains_key("text"), "{answered:?}");
    let sent = api.calls("sendMessage");
    assert!(sent.len() == 2 && sent[1].status.is_none(), "before the other one is given up\n{}", api.transcript());
    answer(&api, ANNA, "Okay, I won't send").await;
    drop(model);
}

#[tokio::test]
async fn a_decision_that_comes_too_late_is_said_over_the_button() {
    let (api, smtp, _model, _daemon, card) = with_card().await;
    let approve = card.button("Send").data;
    assert!(noticed(&api, &card, "Don't").await.starts_with("Okay, I won't send"));
    let late = noticed_at(&api, api.press(ANNA, card.id, &approve)).await;
    assert!(late.starts_with("That was already cancelled"), "{late}");
    assert_eq!(api.messages(ANNA).len(), 1, "{}", api.transcript());
    assert!(smtp.mails().is_empty());
}

#[tokio::test]
async fn what_a_notice_could_not_show_is_a_message() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let added = says(&api, ANNA, "add a task: buy milk").await;
    api.fail_once("answerCallbackQuery", Fault::Refuse(400, "Bad Request: query is too old".to_owned()));
    api.press(ANNA, added.id, &added.button("Undo").data);
    answer(&api, ANNA, "↩️ Taken back: add “Buy milk”.").await;
}

/// The first copy of a card whose sending was not confirmed, and the second.
async fn with_two_copies() -> (FakeBotApi, SmtpServer, ModelServer, Daemon, Vec<SentMessage>) {
    let (api, smtp, model) = (FakeBotApi::start().await, mail_server(), mailing());
    let daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.fail_once("sendMessage", Fault::ReplyLost);
    api.user_says(ANNA, SEND);
    let both = |api: &FakeBotApi| {
        let cards: Vec<_> = api.messages(ANNA).into_iter().filter(|m| !m.buttons.is_empty()).collect();
        (cards.len() == 2).then_some(cards)
    };
    let copies = api.wait_for("two copies", SOON, both).await;
    (api, smtp, model, daemon, copies)
}

#[tokio::test]
async fn a_press_on_either_copy_of_a_card_decides_it_once_and_leaves_no_buttons_behind() {
    for pressed in [0, 1] {
        let (api, smtp, _model, _daemon, copies) = with_two_copies().await;
        let data = copies[0].button("Send").data;
        api.press(ANNA, copies[pressed].id, &data);
        smtp.wait_mails(1, SOON).await;
        if pressed == 1 {
            // Nobody knows of the first copy until somebody presses there.
            let late = noticed_at(&api, api.press(ANNA, copies[0].id, &data)).await;
            assert!(late.contains("already"), "{late}");
        }
        let bare = |api: &FakeBotApi| api.messages(ANNA).iter().all(|m| m.buttons.is_empty()).then_some(());
        api.wait_for("no buttons", SOON, bare).await;
        assert_eq!(smtp.mails().len(), 1, "{}", api.transcript());
    }
}

#[tokio::test]
async fn an_approved_sending_waits_for_no_other_that_hangs() {
    for is_typed in [false, true] {
        let (api, smtp, model) = (FakeBotApi::start().await, mail_server(), mailing());
        let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
        api.user_says(ANNA, SEND);
        let first = card(&api, ANNA).await;
        smtp.set_mode(Mode::HangAfterData);
        if is_typed {
            api.user_says(ANNA, "yes");
        } else {
            api.press(ANNA, first.id, &first.button("Send").data);
        }
        smtp.wait_mails(1, SOON).await;
        // It hangs, and what is said and pressed meanwhile is answered.
        let began = std::time::Instant::now();
        api.user_says(ANNA, SEND);
        let second = api.wait_message(ANNA, |m| m.id > first.id && !m.buttons.is_empty(), SOON).await;
        api.press(ANNA, second.id, &second.button("Send").data);
        smtp.wait_mails(2, SOON).await;
        api.user_says(ANNA, "hold on");
        answer(&api, ANNA, "This has begun and can no longer be stopped").await;
        assert_eq!(how_many(&api, ANNA, "Sent"), 0, "both still hang\n{}", api.transcript());
        assert!(began.elapsed() < Duration::from_secs(20), "{}", api.transcript());
    }
}
