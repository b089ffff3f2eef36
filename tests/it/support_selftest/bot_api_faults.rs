//! The faults of the fake Bot API, as teloxide-core sees them.

use std::time::{Duration, Instant};

use teloxide::payloads::SendMessageSetters;
use teloxide::requests::Requester;
use teloxide::types::{ChatId, MessageEntity, MessageEntityKind};
use teloxide::{ApiError, RequestError};

use super::SOON;
use super::bot_api::bot;
use crate::support::bot_api::{FakeBotApi, Fault};

async fn with_chat() -> FakeBotApi {
    let api = FakeBotApi::start().await;
    api.open_chat(7);
    api
}

#[tokio::test]
async fn a_flood_is_met_once_and_says_how_long_to_wait() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.fail_once("sendMessage", Fault::Flood(3));
    let err = bot.send_message(ChatId(7), "hi").await.unwrap_err();
    let RequestError::RetryAfter(wait) = err else { panic!("{err}") };
    assert_eq!(wait.seconds(), 3);
    assert!(api.messages(7).is_empty());
    bot.send_message(ChatId(7), "hi").await.unwrap();
    assert_eq!(api.calls("sendMessage").iter().map(|c| c.status).collect::<Vec<_>>(), [Some(429), Some(200)]);
}

#[tokio::test]
async fn refusals_map_to_the_errors_of_the_real_one() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.fail_once("getMe", Fault::Unauthorized);
    let err = bot.get_me().await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::InvalidToken)), "{err}");
    api.fail_once("getUpdates", Fault::Conflict);
    let err = bot.get_updates().await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::TerminatedByOtherGetUpdates)), "{err}");
    api.fail_once("sendMessage", Fault::Blocked);
    let err = bot.send_message(ChatId(7), "hi").await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::BotBlocked)), "{err}");
}

#[tokio::test]
async fn refused_entities_let_plain_text_pass() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.fail_once("sendMessage", Fault::RefuseEntities);
    bot.send_message(ChatId(7), "plain").await.unwrap();
    let bold = || [MessageEntity::new(MessageEntityKind::Bold, 0, 2)];
    let err = bot.send_message(ChatId(7), "hi").entities(bold()).await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::CantParseEntities(_))), "{err}");
    bot.send_message(ChatId(7), "hi").entities(bold()).await.unwrap();
}

#[tokio::test]
async fn a_lost_reply_has_its_effect_and_a_closed_connection_has_none() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.fail_once("sendMessage", Fault::ReplyLost);
    let err = bot.send_message(ChatId(7), "lost").await.unwrap_err();
    assert!(matches!(err, RequestError::Network(_)), "{err}");
    assert_eq!(api.messages(7).len(), 1);

    api.fail_until_cleared("*", Fault::ClosedBeforeEffect);
    assert!(bot.send_message(ChatId(7), "never").await.is_err());
    assert!(bot.get_me().await.is_err());
    assert_eq!(api.messages(7).len(), 1);
    api.clear_faults();
    bot.get_me().await.unwrap();
}

#[tokio::test]
async fn a_reply_lost_on_a_connection_in_use_has_its_effect_once() {
    let api = with_chat().await;
    let bot = bot(&api);
    bot.send_message(ChatId(7), "one").await.unwrap();
    api.fail_once("sendMessage", Fault::ReplyLost);
    assert!(bot.send_message(ChatId(7), "two").await.is_err());
    assert_eq!(api.messages(7).len(), 2);
    assert_eq!(api.calls("sendMessage").len(), 2, "the client did not send it again by itself");
}

#[tokio::test]
async fn lost_updates_come_again() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.user_says(7, "hello");
    api.fail_once("getUpdates", Fault::ReplyLost);
    assert!(bot.get_updates().await.is_err());
    assert_eq!(bot.get_updates().await.unwrap().len(), 1);
}

#[tokio::test]
async fn one_chat_may_hang_while_others_go_on() {
    let api = with_chat().await;
    api.open_chat(8);
    let bot = bot(&api);
    api.fail_in_chat(7, "sendMessage", Fault::Hang);
    let hanging = bot.send_message(ChatId(7), "hi").await_for(Duration::from_millis(200));
    assert!(hanging.await.is_none());
    bot.send_message(ChatId(8), "hi").await.unwrap();
    api.clear_faults();
    api.fail_once("sendMessage", Fault::HangAfterEffect);
    let sending = tokio::spawn(async move { bot.send_message(ChatId(7), "done").await });
    assert_eq!(api.wait_message(7, |_| true, SOON).await.text, "done");
    assert!(!sending.is_finished());
    sending.abort();
    assert_eq!(api.calls("sendMessage")[0].status, None);
}

#[tokio::test]
async fn slow_calls_are_late_and_gateways_send_pages() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.fail_once("sendMessage", Fault::Slow(Duration::from_millis(150)));
    let started = Instant::now();
    bot.send_message(ChatId(7), "hi").await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(150));

    api.fail_once("getMe", Fault::GatewayPage);
    api.fail_once("getMe", Fault::ServerError(500));
    let url = format!("{}/bot{}/getMe", api.url(), api.token());
    let page = reqwest::get(&url).await.unwrap();
    assert_eq!(page.status(), 502);
    assert!(page.text().await.unwrap().starts_with("<html>"));
    assert_eq!(reqwest::get(&url).await.unwrap().status(), 500);
    assert_eq!(reqwest::get(&url).await.unwrap().status(), 200);
}

#[tokio::test]
#[should_panic(expected = "a fitting message in chat 7")]
async fn waiting_in_vain_shows_the_conversation() {
    let api = with_chat().await;
    api.user_says(7, "are you there?");
    api.wait_message(7, |_| true, Duration::from_millis(50)).await;
}

#[tokio::test]
async fn a_stopped_server_refuses_connections() {
    let api = with_chat().await;
    let url = format!("{}/bot{}/getMe", api.url(), api.token());
    assert!(reqwest::get(&url).await.is_ok());
    drop(api);
    let err = reqwest::get(&url).await.unwrap_err();
    assert!(err.is_connect(), "{err}");
}

#[tokio::test]
async fn the_transcript_tells_what_happened() {
    let api = with_chat().await;
    let bot = bot(&api);
    api.user_says(7, "are you there?");
    api.fail_once("sendMessage", Fault::Flood(1));
    let _ = bot.send_message(ChatId(7), "Yes.").await;
    bot.send_message(ChatId(7), "Yes.").await.unwrap();
    api.wait_calls("sendMessage", 2, SOON).await;
    let transcript = api.transcript();
    for part in ["are you there?", "bot  Yes.", "sendMessage → 429", "sendMessage → 200"] {
        assert!(transcript.contains(part), "{part} is missing in\n{transcript}");
    }
}

trait AwaitFor: IntoFuture + Sized {
    /// The outcome, if it comes in time.
    async fn await_for(self, limit: Duration) -> Option<Self::Output> {
        tokio::time::timeout(limit, self.into_future()).await.ok()
    }
}

impl<T: IntoFuture> AwaitFor for T {}
