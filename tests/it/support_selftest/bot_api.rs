//! The fake Bot API against teloxide-core.

use serde_json::{Value, json};
use teloxide::payloads::{
    AnswerCallbackQuerySetters, EditMessageTextSetters, GetUpdatesSetters, SendMessageSetters, SetWebhookSetters,
};
use teloxide::requests::Requester;
use teloxide::types::{
    BotCommand, CallbackQueryId, ChatAction, ChatId, ChatKind, InlineKeyboardButton, InlineKeyboardMarkup,
    MessageEntity, MessageEntityKind, MessageId, ReplyParameters, Update, UpdateKind,
};
use teloxide::{ApiError, Bot, RequestError};

use super::SOON;
use crate::support::bot_api::{BOT_ID, FakeBotApi};

pub fn bot(api: &FakeBotApi) -> Bot {
    Bot::new(api.token()).set_api_url(reqwest::Url::parse(&api.url()).unwrap())
}

pub fn keyboard(data: &str) -> InlineKeyboardMarkup {
    InlineKeyboardMarkup::new([[InlineKeyboardButton::callback("Yes", data)]])
}

pub async fn updates(bot: &Bot, offset: i32) -> Vec<Update> {
    bot.get_updates().offset(offset).await.unwrap()
}

async fn raw(api: &FakeBotApi, method: &str, params: Value) -> Value {
    let url = format!("{}/bot{}/{method}", api.url(), api.token());
    reqwest::Client::new().post(url).json(&params).send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn a_person_s_message_reaches_the_bot_and_the_answer_is_seen() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    let asked = api.user_says(7, "hello");

    let me = bot.get_me().await.unwrap();
    assert_eq!(me.id.0, u64::try_from(BOT_ID).unwrap());
    let got = updates(&bot, 0).await;
    let UpdateKind::Message(message) = &got[0].kind else { panic!("{got:?}") };
    assert_eq!((message.text(), message.chat.id, message.id.0), (Some("hello"), ChatId(7), 1));
    assert_eq!(message.from.as_ref().unwrap().id.0, 7);
    assert!(matches!(message.chat.kind, ChatKind::Private(_)));

    let bold = MessageEntity::new(MessageEntityKind::Bold, 3, 2);
    let reply = ReplyParameters::new(MessageId(i32::try_from(asked).unwrap()));
    let sending = bot.send_message(ChatId(7), "👋 hi").entities([bold]);
    let sent = sending.reply_markup(keyboard("ok")).reply_parameters(reply).await.unwrap();
    assert_eq!(sent.id.0, 2);
    assert_eq!(sent.reply_to_message().unwrap().text(), Some("hello"));

    let seen = api.wait_message(7, |m| m.text.contains("hi"), SOON).await;
    assert_eq!((seen.id, seen.reply_to, seen.entities.len()), (2, Some(1), 1));
    assert_eq!(seen.button("Yes").data, "ok");
    assert_eq!(api.calls("sendMessage").len(), 1);
    assert_eq!(api.calls("sendMessage")[0].status, Some(200));
}

#[tokio::test]
async fn a_button_is_pressed_and_answered() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    let card = bot.send_message(ChatId(7), "Send it?").reply_markup(keyboard("a:1")).await.unwrap();
    let query = api.press(7, i64::from(card.id.0), "a:1");

    let got = updates(&bot, 0).await;
    let UpdateKind::CallbackQuery(press) = &got[0].kind else { panic!("{got:?}") };
    assert_eq!((press.data.as_deref(), press.from.id.0), (Some("a:1"), 7));
    assert_eq!(press.message.as_ref().unwrap().id(), card.id);
    assert!(api.callback_answer(&query).is_none());
    bot.answer_callback_query(press.id.clone()).text("On its way").await.unwrap();
    assert_eq!(api.wait_callback_answer(&query, SOON).await["text"], "On its way");

    let unknown = bot.answer_callback_query(CallbackQueryId("5".to_owned())).await.unwrap_err();
    assert!(matches!(unknown, RequestError::Api(ApiError::InvalidQueryId)), "{unknown}");
}

#[tokio::test]
async fn edits_replace_text_and_keyboard_and_refuse_to_change_nothing() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    let theirs = api.user_says(7, "mine");
    let sent = bot.send_message(ChatId(7), "…").reply_markup(keyboard("x")).await.unwrap();

    bot.edit_message_text(ChatId(7), sent.id, "Done.").await.unwrap();
    let seen = &api.messages(7)[0];
    assert_eq!(seen.text, "Done.");
    assert!(seen.buttons.is_empty(), "an edit without a keyboard takes it away");
    assert_eq!(seen.earlier_texts, ["…"]);

    let editing = bot.edit_message_text(ChatId(7), sent.id, "Done.");
    let same = editing.await.unwrap_err();
    assert!(matches!(same, RequestError::Api(ApiError::MessageNotModified)), "{same}");
    let editing = bot.edit_message_text(ChatId(7), sent.id, "Done.").reply_markup(keyboard("y"));
    editing.await.unwrap();
    bot.edit_message_reply_markup(ChatId(7), sent.id).await.unwrap();
    assert!(api.messages(7)[0].buttons.is_empty());

    let theirs = MessageId(i32::try_from(theirs).unwrap());
    let refused = bot.edit_message_text(ChatId(7), theirs, "forged").await.unwrap_err();
    assert!(matches!(refused, RequestError::Api(ApiError::MessageCantBeEdited)), "{refused}");
    let gone = bot.edit_message_text(ChatId(7), MessageId(99), "?").await.unwrap_err();
    assert!(matches!(gone, RequestError::Api(ApiError::MessageToEditNotFound)), "{gone}");
}

#[tokio::test]
async fn texts_entities_and_buttons_are_checked_as_telegram_does() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    let entity = |offset, length| [MessageEntity::new(MessageEntityKind::Bold, offset, length)];
    let send = |text: &str| bot.send_message(ChatId(7), text.to_owned());

    send(&"a".repeat(4_096)).await.unwrap();
    send(&"😀".repeat(2_048)).await.unwrap();
    let err = send(&"a".repeat(4_097)).await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::MessageIsTooLong)), "{err}");
    assert!(send(&"😀".repeat(2_049)).await.is_err(), "length counts in UTF-16 units");
    let err = send(" \n ").await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::MessageTextIsEmpty)), "{err}");

    send("😀a").entities(entity(2, 1)).await.unwrap();
    for (offset, length) in [(2, 2), (1, 1), (0, 1), (0, 0), (9, 1)] {
        let err = send("😀a").entities(entity(offset, length)).await.unwrap_err();
        assert!(matches!(err, RequestError::Api(ApiError::CantParseEntities(_))), "{err}");
    }

    send("x").reply_markup(keyboard(&"é".repeat(32))).await.unwrap();
    for data in ["", &"é".repeat(33)] {
        let err = send("x").reply_markup(keyboard(data)).await.unwrap_err();
        assert!(matches!(err, RequestError::Api(ApiError::ButtonDataInvalid)), "{err}");
    }
    let err = bot.send_message(ChatId(8), "who?").await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::ChatNotFound)), "{err}");
    let reply = ReplyParameters::new(MessageId(999));
    let err = send("x").reply_parameters(reply.clone()).await.unwrap_err();
    assert!(matches!(err, RequestError::Api(ApiError::MessageToReplyNotFound)), "{err}");
    send("x").reply_parameters(reply.allow_sending_without_reply()).await.unwrap();
}

#[tokio::test]
async fn the_small_methods_work() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    bot.send_chat_action(ChatId(7), ChatAction::Typing).await.unwrap();
    bot.set_my_commands([BotCommand::new("help", "what I can do")]).await.unwrap();
    assert_eq!(bot.get_my_commands().await.unwrap()[0].command, "help");
    assert!(bot.set_my_commands([BotCommand::new("Help me", "?")]).await.is_err());
    assert_eq!(bot.get_chat(ChatId(7)).await.unwrap().id, ChatId(7));

    let url = reqwest::Url::parse("https://bot.example/hook").unwrap();
    bot.set_webhook(url.clone()).secret_token("secret").await.unwrap();
    assert_eq!(bot.get_webhook_info().await.unwrap().url, Some(url));
    assert_eq!(api.calls("setWebhook")[0].params["secret_token"], "secret");
    assert!(raw(&api, "getUpdates", json!({})).await["description"].as_str().unwrap().contains("webhook"));
    bot.delete_webhook().await.unwrap();
    assert!(updates(&bot, 0).await.is_empty());
}

#[tokio::test]
async fn forms_and_queries_count_like_json() {
    let api = FakeBotApi::start().await;
    api.open_chat(7);
    let client = reqwest::Client::new();
    let url = format!("{}/bot{}/sendmessage", api.url(), api.token());
    let markup = json!({"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}).to_string();
    let form = [("chat_id", "7"), ("text", "by form & more"), ("reply_markup", markup.as_str())];
    let sent: Value = client.post(&url).form(&form).send().await.unwrap().json().await.unwrap();
    assert_eq!(sent["result"]["text"], "by form & more");
    let sent = client.get(&url).query(&[("chat_id", "7"), ("text", "by query")]).send().await.unwrap();
    assert!(sent.status().is_success());
    assert_eq!(api.messages(7)[0].button("Yes").data, "y");
    assert_eq!(api.messages(7)[1].text, "by query");
    assert_eq!(api.calls("sendMessage").len(), 2, "methods are matched without case");
}

#[tokio::test]
async fn strangers_and_unknown_methods_are_refused() {
    let api = FakeBotApi::start().await;
    assert_eq!(raw(&api, "sendRichMessageDraft", json!({})).await["error_code"], 404);
    let client = reqwest::Client::new();
    let wrong = client.post(format!("{}/bot1:no/getMe", api.url())).send().await.unwrap();
    assert_eq!(wrong.status(), 401);
    let url = format!("{}/bot{}/getMe", api.url(), api.token());
    let broken = client.post(url).header("Content-Type", "application/json").body("{").send();
    assert_eq!(broken.await.unwrap().status(), 400);
}
