//! Only the owner's own, typed, later yes approves.

use super::*;
use crate::support::bot_api::{Fault, Say};

#[tokio::test]
async fn a_typed_yes_after_the_card_sends_and_a_second_one_sends_nothing() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    assert!(card.text.contains("the report is late"), "the whole body is shown: {}", card.text);
    api.user_says(ANNA, "yes");
    assert_eq!(smtp.wait_mails(1, SOON).await[0].to, ["bob.miller@example.com"]);
    api.wait_for("the card without buttons", SOON, |api| {
        api.messages(ANNA).into_iter().find(|m| m.id == card.id && m.buttons.is_empty())
    })
    .await;
    api.user_replies(ANNA, card.id, "yes");
    answer(&api, ANNA, "already").await;
    assert_eq!(smtp.mails().len(), 1);
}

#[tokio::test]
async fn words_that_are_not_typed_afresh_do_not_approve() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    let early = api.user_says(ANNA, "hello");
    answer(&api, ANNA, "All right.").await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    let others = [
        Say::by(ANNA, "yes").forwarded_from(EVE),
        Say::by(ANNA, "yes").reply_to(card.id).quoting("report"),
        Say::by(ANNA, "yes").reply_to(card.id).forwarded_from(BEN),
        Say::by(ANNA, "yes").reply_to(card.id).under_photo(),
        Say::by(ANNA, "yes").reply_to(card.id).via_bot(),
        Say::by(ANNA, "yes").reply_to(card.id).on_behalf_of_chat(-100_700),
        Say::by(ANNA, "yes").reply_to(card.id).spoken(b"ogg"),
    ];
    let answers_before = api.messages(ANNA).len();
    let count = others.len();
    for other in others {
        api.say(other);
    }
    api.user_edits(ANNA, early, "yes");
    api.wait_for("an answer to each", SOON, |api| (api.messages(ANNA).len() > answers_before + count).then_some(()))
        .await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
    assert!(api.messages(ANNA).iter().any(|m| m.id == card.id && !m.buttons.is_empty()), "the card is still open");

    api.user_replies(ANNA, card.id, "yes");
    smtp.wait_mails(1, SOON).await;
}

#[tokio::test]
async fn words_of_somebody_else_answer_no_question_of_ours() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.user_says(ANNA, "send an email to zoe saying I'm late");
    answer(&api, ANNA, "Which mail address should I use?").await;
    let before = api.messages(ANNA).len();
    api.say(Say::by(ANNA, "eve@evil.example").forwarded_from(EVE));
    api.wait_for("an answer to the forward", SOON, |api| (api.messages(ANNA).len() > before).then_some(())).await;
    assert_eq!(how_many(&api, ANNA, "eve@evil"), 0, "{}", api.transcript());
}

#[tokio::test]
async fn a_yes_sent_before_the_card_was_there_does_not_approve() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing_late();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    api.user_says(ANNA, "yes");
    api.wait_acknowledged(SOON).await;
    model.release();
    let card = card(&api, ANNA).await;
    let shown_again = |api: &FakeBotApi| {
        let with_buttons: Vec<_> = api.messages(ANNA).into_iter().filter(|m| !m.buttons.is_empty()).collect();
        (with_buttons.len() == 1 && with_buttons[0].id > card.id).then_some(())
    };
    api.wait_for("the card again, in place of the first copy", SOON, shown_again).await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
    api.user_says(ANNA, "yes");
    api.wait_for("the mail, once", SOON, |_| (smtp.mails().len() == 1).then_some(())).await;
}

#[tokio::test]
async fn forged_foreign_and_replayed_presses_do_nothing() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    let data = card.all_buttons()[0].data.clone();
    assert!(data.starts_with("y:"), "{data}");

    // Somebody who is served, somebody who is not, and a group.
    api.open_chat(BEN);
    for query in [
        api.press(BEN, 1, &data),
        api.press_in(ANNA, EVE, card.id, &data),
        api.press_in(-100_600, ANNA, 1, &data),
        api.press(ANNA, card.id, "y:nosuchcard:000000000000"),
        api.press(ANNA, card.id, &format!("{}x", &data[..data.len() - 1])),
        api.press(ANNA, card.id, "complete nonsense"),
        api.press(ANNA, card.id, ""),
        api.press(ANNA, 999_999, "d:a:b:99999999999999999999"),
    ] {
        api.wait_callback_answer(&query, SOON).await;
    }
    assert!(smtp.mails().is_empty(), "{}", api.transcript());

    // The real one works once, however often it is pressed.
    let presses: Vec<String> = (0..3).map(|_| api.press(ANNA, card.id, &data)).collect();
    smtp.wait_mails(1, SOON).await;
    for query in presses.iter().skip(1) {
        // The sending itself may still be under way.
        told(&api, ANNA, query, "already").await;
    }
    assert_eq!(smtp.mails().len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_card_that_telegram_does_not_take_is_withdrawn() {
    let api = FakeBotApi::start().await;
    let model = mailing();
    let _daemon = serve(&installed().model(&model), &api).await;
    // A program that has just begun may be slow enough for a status line, and that is not what is refused here.
    api.user_says(ANNA, "hello");
    answer(&api, ANNA, "All right.").await;
    // With its frame, and without.
    for _ in 0..2 {
        api.fail_once("sendMessage", Fault::Refuse(400, "Bad Request: not like this".to_owned()));
    }
    api.user_says(ANNA, SEND);
    answer(&api, ANNA, "Telegram would not show it").await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    api.user_says(ANNA, SEND);
    card(&api, ANNA).await;
}
