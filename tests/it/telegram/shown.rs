//! How answers look: in parts, at the right pace, with signs of life before.

use super::*;
use crate::support::bot_api::Fault;

#[tokio::test]
async fn a_long_answer_is_split_and_sent_whole_and_in_order() {
    let api = FakeBotApi::start().await;
    let long: String = (0..2_200).map(|n| format!("word{n:04} ")).collect();
    let told = long.trim().to_owned();
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => ModelReply::text(long.clone()),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me a long story");
    answer(&api, ANNA, "word2199").await;
    let parts = api.messages(ANNA);
    assert!(parts.len() >= 5, "{} parts", parts.len());
    assert!(parts.iter().all(|part| part.text.encode_utf16().count() <= 4_096));
    let words: Vec<String> =
        parts.iter().flat_map(|part| part.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert_eq!(words, told.split_whitespace().collect::<Vec<_>>(), "whole, and in order");
}

/// Waits until nothing but this message is left.
async fn only(api: &FakeBotApi, message: &SentMessage) {
    let alone = |api: &FakeBotApi| api.messages(ANNA).iter().all(|other| other.id == message.id).then_some(());
    api.wait_for("no status line beside it", SOON, alone).await;
}

/// Waits until the program has heard that its status line was sent: a message takes the typing away, so it is renewed.
async fn typing_again(api: &FakeBotApi, status: &SentMessage) {
    let renewed =
        |api: &FakeBotApi| api.calls("sendChatAction").iter().any(|call| call.at > status.sent_at).then_some(());
    api.wait_for("typing again", SOON, renewed).await;
}

#[tokio::test]
async fn a_slow_turn_shows_signs_of_life_and_the_answer_takes_the_place_of_its_status() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (held)");
    let typing = &api.wait_calls("sendChatAction", 1, SOON).await[0];
    assert_eq!(typing.params["action"], "typing");
    let status = api.wait_message(ANNA, |_| true, SOON).await;
    assert!(!status.text.contains("You said"), "{}", status.text);
    model.release();
    let answer = answer(&api, ANNA, "You said: hello").await;
    assert!(answer.id > status.id && answer.earlier_texts.is_empty(), "{}", api.transcript());
    only(&api, &answer).await;
}

#[tokio::test]
async fn a_status_line_that_is_refused_is_left_out_and_the_answer_comes_as_usual() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let daemon = serve(&installed().model(&model).env("RUST_LOG", "warn"), &api).await;
    api.fail_once("sendMessage", Fault::Refuse(400, "Bad Request: TEXT_NOT_WELCOME".to_owned()));
    api.user_says(ANNA, "hello (held)");
    api.wait_for("the refusal", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(400)))
        .await;
    model.release();
    let answer = answer(&api, ANNA, "You said: hello").await;
    assert_eq!(answer.earlier_texts, Vec::<String>::new(), "{}", api.transcript());
    assert_eq!(api.all_messages(ANNA).len(), 1, "{}", api.transcript());
    assert_eq!(api.calls("sendMessage").len(), 2, "{}", api.transcript());
    assert!(daemon.stderr().contains("TEXT_NOT_WELCOME"), "{}", daemon.stderr());
}

#[tokio::test]
async fn the_status_names_what_is_looked_at_and_typing_goes_on_beside_it() {
    let api = FakeBotApi::start().await;
    let model = mailing_late();
    let _daemon = serve(&installed().whole_plans(&model), &api).await;
    api.user_says(ANNA, SEND);
    let status = api.wait_message(ANNA, |message| message.text == "Looking at your mail…", SOON).await;
    // How often is asserted in virtual time (see `slow`).
    api.wait_for("typing three times", SOON, |api| (api.calls("sendChatAction").len() >= 3).then_some(())).await;
    typing_again(&api, &status).await;
    model.release();
    card(&api, ANNA).await;
}

#[tokio::test]
async fn a_card_is_a_new_message_below_its_status() {
    let api = FakeBotApi::start().await;
    let model = mailing_late();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, SEND);
    let status = api.wait_message(ANNA, |_| true, SOON).await;
    model.release();
    let card = card(&api, ANNA).await;
    assert!(card.id > status.id && card.earlier_texts.is_empty(), "{}", api.transcript());
    api.wait_for("the status taken away", SOON, |api| {
        api.messages(ANNA).iter().all(|m| m.id != status.id).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_menu_of_commands_is_offered() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    let call = &api.wait_calls("setMyCommands", 1, SOON).await[0];
    let names: Vec<&str> =
        call.params["commands"].as_array().unwrap().iter().filter_map(|c| c["command"].as_str()).collect();
    for name in ["start", "help", "pending", "cancel"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[tokio::test]
async fn after_an_outage_the_answer_still_takes_the_place_of_the_status_line() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (held)");
    let status = api.wait_message(ANNA, |_| true, SOON).await;
    for method in ["editMessageText", "deleteMessage", "sendMessage"] {
        api.fail_until_cleared(method, Fault::ServerError(500));
    }
    model.release();
    api.wait_for("a try", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(500))).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(api.messages(ANNA).iter().any(|m| m.id == status.id), "{}", api.transcript());
    api.clear_faults();
    only(&api, &answer(&api, ANNA, "You said: hello").await).await;
}

#[cfg(feature = "failpoints")]
#[tokio::test]
async fn a_status_line_of_a_life_that_ended_before_the_answer_was_shown_goes_in_the_next() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let program = installed().model(&model);
    let daemon = serve(&program.clone().fail_at("answer-durable"), &api).await;
    api.user_says(ANNA, "hello (held)");
    let status = api.wait_message(ANNA, |_| true, SOON).await;
    // Only a program that knows of its status line can remember it.
    typing_again(&api, &status).await;
    model.release();
    tokio::task::spawn_blocking(move || daemon.kill_at("answer-durable")).await.unwrap();
    let _daemon = serve(&program.without_failpoint(), &api).await;
    only(&api, &answer(&api, ANNA, "You said: hello").await).await;
}
