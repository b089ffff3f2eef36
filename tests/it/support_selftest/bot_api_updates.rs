//! How updates reach the bot: acknowledging, long polling, and every shape a message can have.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;
use teloxide::payloads::{GetUpdatesSetters, SendMessageSetters, SetWebhookSetters};
use teloxide::requests::Requester;
use teloxide::types::{
    AllowedUpdate, ChatId, MaybeInaccessibleMessage, MessageEntityKind, MessageKind, MessageOrigin, UpdateKind,
};
use teloxide::{ApiError, RequestError};

use super::SOON;
use super::bot_api::{bot, keyboard, updates};
use crate::support::bot_api::{FakeBotApi, Say};

#[tokio::test]
async fn updates_come_again_until_they_are_acknowledged() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    for text in ["one", "two", "three"] {
        api.user_says(7, text);
    }
    let first = updates(&bot, 0).await;
    assert_eq!(first.len(), 3);
    assert_eq!(updates(&bot, 0).await.len(), 3, "nothing was acknowledged");

    let second = i32::try_from(first[1].id.0).unwrap();
    assert_eq!(updates(&bot, second).await.len(), 2);
    assert_eq!(updates(&bot, 0).await.len(), 2, "what an offset acknowledged is forgotten");
    assert_eq!(bot.get_updates().limit(1).await.unwrap().len(), 1);
    assert_eq!(updates(&bot, -1).await[0].id, first[2].id);
    assert_eq!(updates(&bot, second + 2).await.len(), 0);
    assert_eq!(api.unacknowledged(), 0);
}

#[tokio::test]
async fn a_duplicate_comes_once_more_even_when_it_was_acknowledged() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.user_says(7, "one");
    let id = api.last_update_id();
    let after = i32::try_from(id + 1).unwrap();
    assert!(updates(&bot, after).await.is_empty());

    api.push_again(id);
    assert_eq!(i64::from(updates(&bot, after).await[0].id.0), id);
    assert!(updates(&bot, after).await.is_empty());
}

#[tokio::test]
async fn an_offset_of_an_older_numbering_loses_nothing() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.user_says(7, "before the silence");
    let after = i32::try_from(api.last_update_id() + 1).unwrap();
    assert!(updates(&bot, after).await.is_empty());
    api.renumber_updates(500);
    api.user_says(7, "after it");
    assert_eq!(updates(&bot, after).await[0].id.0, 500);
}

#[tokio::test]
async fn long_polling_answers_when_something_comes_and_is_ended_by_a_second_poller() {
    let api = FakeBotApi::start().await;
    let (one, two) = (bot(&api), bot(&api));
    let waiting = tokio::spawn(async move { one.get_updates().timeout(600).await });
    api.wait_calls("getUpdates", 1, SOON).await;
    api.user_says(7, "wake up");
    let woken = tokio::time::timeout(SOON, waiting).await.expect("an answer before its time is out");
    assert_eq!(woken.unwrap().unwrap().len(), 1);

    assert!(updates(&two, i32::try_from(api.last_update_id() + 1).unwrap()).await.is_empty());
    let older = bot(&api);
    let waiting = tokio::spawn(async move { older.get_updates().timeout(10).await });
    api.wait_calls("getUpdates", 3, SOON).await;
    assert!(two.get_updates().await.unwrap().is_empty());
    let ended = waiting.await.unwrap().unwrap_err();
    assert!(matches!(ended, RequestError::Api(ApiError::TerminatedByOtherGetUpdates)), "{ended}");

    let started = Instant::now();
    assert!(two.get_updates().timeout(1).await.unwrap().is_empty());
    assert!(started.elapsed() >= Duration::from_millis(950), "it waited out its time");
}

#[tokio::test]
async fn kinds_of_updates_that_were_not_asked_for_stay_away() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    bot.get_updates().allowed_updates([AllowedUpdate::CallbackQuery]).await.unwrap();
    let id = api.user_says(7, "not wanted");
    api.press(7, id, "wanted");
    let got = updates(&bot, 0).await;
    assert_eq!(got.len(), 1);
    assert!(matches!(got[0].kind, UpdateKind::CallbackQuery(_)));
}

#[tokio::test]
async fn every_way_to_say_something_arrives_as_what_it_is() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.user_says(7, "/start now");
    let card = api.bot_said_earlier(7, "Send this mail to Bob?");
    api.user_replies(7, card, "yes");
    api.say(Say::by(7, "yes").reply_to(card).quoting("mail"));
    api.say(Say::by(7, "yes").forwarded_from(9));
    api.say(Say::by(7, "yes").under_photo());
    api.say(Say::by(7, "yes").via_bot());
    api.say(Say::by(7, "yes").in_group(-100).on_behalf_of_chat(-200));
    api.say(Say::by(7, "what is on?").in_group(-100).mentioning_bot());
    api.say(Say::by(7, "").spoken(b"OggS"));
    api.user_edits(7, 1, "/start later");

    let got = updates(&bot, 0).await;
    let messages: Vec<_> = got
        .iter()
        .map(|update| match &update.kind {
            UpdateKind::Message(message) | UpdateKind::EditedMessage(message) => message,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(messages[0].entities().unwrap()[0].kind, MessageEntityKind::BotCommand);
    assert_eq!(messages[0].entities().unwrap()[0].length, 6);
    assert_eq!(messages[1].reply_to_message().unwrap().text(), Some("Send this mail to Bob?"));
    assert_eq!(messages[2].quote().unwrap().text, "mail");
    assert_eq!(messages[2].quote().unwrap().position, 10);
    assert!(matches!(messages[3].forward_origin(), Some(MessageOrigin::User { .. })));
    assert_eq!((messages[4].text(), messages[4].caption()), (None, Some("yes")));
    assert!(messages[5].via_bot.is_some());
    assert_eq!(messages[6].sender_chat.as_ref().unwrap().id, ChatId(-200));
    assert_eq!(messages[7].entities().unwrap()[0].kind, MessageEntityKind::Mention);
    assert!(messages[7].chat.is_supergroup());
    assert!(matches!(got[9].kind, UpdateKind::EditedMessage(_)));
    assert_eq!(messages[9].text(), Some("/start later"));
    assert!(matches!(messages[9].kind, MessageKind::Common(_)));

    let voice = messages[8].voice().unwrap();
    let file = bot.get_file(voice.file.id.clone()).await.unwrap();
    let url = format!("{}/file/bot{}/{}", api.url(), api.token(), file.path);
    assert_eq!(reqwest::get(url).await.unwrap().bytes().await.unwrap().as_ref(), b"OggS");
}

#[tokio::test]
async fn a_press_under_a_deleted_message_comes_as_inaccessible() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    let card = bot.send_message(ChatId(7), "Send it?").reply_markup(keyboard("a:1")).await.unwrap();
    bot.delete_message(ChatId(7), card.id).await.unwrap();
    assert!(api.messages(7).is_empty());
    assert!(api.all_messages(7)[0].deleted);
    api.press(7, i64::from(card.id.0), "a:1");
    let got = updates(&bot, 0).await;
    let UpdateKind::CallbackQuery(press) = &got[0].kind else { panic!("{got:?}") };
    assert!(matches!(press.message, Some(MaybeInaccessibleMessage::Inaccessible(_))));
}

#[tokio::test]
async fn a_webhook_gets_every_update_in_order_until_it_takes_it() {
    let (seen, mut received) = tokio::sync::mpsc::unbounded_channel();
    let hook = post(move |headers: HeaderMap, Json(update): Json<Value>| async move {
        let secret = headers["x-telegram-bot-api-secret-token"].to_str().unwrap().to_owned();
        let text = update["message"]["text"].as_str().unwrap().to_owned();
        let busy = text == "one" && !SEEN_ONE.swap(true, Ordering::SeqCst);
        seen.send((secret, text)).unwrap();
        if busy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
    });
    static SEEN_ONE: AtomicBool = AtomicBool::new(false);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let router = Router::new().route("/hook", hook);
    tokio::spawn(async move { axum::serve(listener, router).await });

    let api = FakeBotApi::start().await;
    let url = reqwest::Url::parse(&url).unwrap();
    bot(&api).set_webhook(url).secret_token("s3cret").await.unwrap();
    api.user_says(7, "one");
    api.user_says(7, "two");
    for expected in ["one", "one", "two"] {
        let got = tokio::time::timeout(SOON, received.recv()).await.unwrap().unwrap();
        assert_eq!(got, ("s3cret".to_owned(), expected.to_owned()));
    }
    api.wait_acknowledged(SOON).await;
}
