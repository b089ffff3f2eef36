//! The fake Bot API against teloxide-core.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use teloxide_core::payloads::{
    AnswerCallbackQuerySetters, EditMessageTextSetters, GetUpdatesSetters, SendMessageSetters,
    SetWebhookSetters,
};
use teloxide_core::requests::Requester;
use teloxide_core::types::{
    AllowedUpdate, BotCommand, CallbackQueryId, ChatAction, ChatId, ChatKind, InlineKeyboardButton,
    InlineKeyboardMarkup, MaybeInaccessibleMessage, MessageEntity, MessageEntityKind, MessageId,
    MessageKind, MessageOrigin, ReplyParameters, Update, UpdateKind,
};
use teloxide_core::{ApiError, Bot, RequestError};

use super::SOON;
use crate::support::bot_api::{BOT_ID, FakeBotApi, Say};

pub fn bot(api: &FakeBotApi) -> Bot {
    Bot::new(api.token()).set_api_url(reqwest::Url::parse(&api.url()).unwrap())
}

fn keyboard(data: &str) -> InlineKeyboardMarkup {
    InlineKeyboardMarkup::new([[InlineKeyboardButton::callback("Yes", data)]])
}

async fn updates(bot: &Bot, offset: i32) -> Vec<Update> {
    bot.get_updates().offset(offset).await.unwrap()
}

async fn raw(api: &FakeBotApi, method: &str, params: Value) -> Value {
    let url = format!("{}/bot{}/{method}", api.url(), api.token());
    reqwest::Client::new()
        .post(url)
        .json(&params)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_person_s_message_reaches_the_bot_and_the_answer_is_seen() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    let asked = api.user_says(7, "hello");

    let me = bot.get_me().await.unwrap();
    assert_eq!(me.id.0, u64::try_from(BOT_ID).unwrap());
    let got = updates(&bot, 0).await;
    let UpdateKind::Message(message) = &got[0].kind else {
        panic!("{got:?}")
    };
    assert_eq!(
        (message.text(), message.chat.id, message.id.0),
        (Some("hello"), ChatId(7), 1)
    );
    assert_eq!(message.from.as_ref().unwrap().id.0, 7);
    assert!(matches!(message.chat.kind, ChatKind::Private(_)));

    let bold = MessageEntity::new(MessageEntityKind::Bold, 3, 2);
    let reply = ReplyParameters::new(MessageId(i32::try_from(asked).unwrap()));
    let sending = bot.send_message(ChatId(7), "👋 hi").entities([bold]);
    let sent = sending
        .reply_markup(keyboard("ok"))
        .reply_parameters(reply)
        .await
        .unwrap();
    assert_eq!(sent.id.0, 2);
    assert_eq!(sent.reply_to_message().unwrap().text(), Some("hello"));

    let seen = api.wait_message(7, |m| m.text.contains("hi"), SOON).await;
    assert_eq!(
        (seen.id, seen.reply_to, seen.entities.len()),
        (2, Some(1), 1)
    );
    assert_eq!(seen.button("Yes").data, "ok");
    assert_eq!(api.calls("sendMessage").len(), 1);
    assert_eq!(api.calls("sendMessage")[0].status, Some(200));
}

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
    assert_eq!(
        updates(&bot, 0).await.len(),
        2,
        "what an offset acknowledged is forgotten"
    );
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
    let started = Instant::now();
    let waiting = tokio::spawn(async move { one.get_updates().timeout(10).await });
    api.wait_calls("getUpdates", 1, SOON).await;
    api.user_says(7, "wake up");
    assert_eq!(waiting.await.unwrap().unwrap().len(), 1);
    assert!(started.elapsed() < SOON);

    assert!(
        updates(&two, i32::try_from(api.last_update_id() + 1).unwrap())
            .await
            .is_empty()
    );
    let older = bot(&api);
    let waiting = tokio::spawn(async move { older.get_updates().timeout(10).await });
    api.wait_calls("getUpdates", 3, SOON).await;
    assert!(two.get_updates().await.unwrap().is_empty());
    let ended = waiting.await.unwrap().unwrap_err();
    assert!(
        matches!(
            ended,
            RequestError::Api(ApiError::TerminatedByOtherGetUpdates)
        ),
        "{ended}"
    );

    let started = Instant::now();
    assert!(two.get_updates().timeout(1).await.unwrap().is_empty());
    assert!(
        started.elapsed() >= Duration::from_millis(950),
        "it waited out its time"
    );
}

#[tokio::test]
async fn kinds_of_updates_that_were_not_asked_for_stay_away() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    bot.get_updates()
        .allowed_updates([AllowedUpdate::CallbackQuery])
        .await
        .unwrap();
    let id = api.user_says(7, "not wanted");
    api.press(7, id, "wanted");
    let got = updates(&bot, 0).await;
    assert_eq!(got.len(), 1);
    assert!(matches!(got[0].kind, UpdateKind::CallbackQuery(_)));
}

#[tokio::test]
async fn a_button_is_pressed_and_answered() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    let card = bot
        .send_message(ChatId(7), "Send it?")
        .reply_markup(keyboard("a:1"))
        .await
        .unwrap();
    let query = api.press(7, i64::from(card.id.0), "a:1");

    let got = updates(&bot, 0).await;
    let UpdateKind::CallbackQuery(press) = &got[0].kind else {
        panic!("{got:?}")
    };
    assert_eq!((press.data.as_deref(), press.from.id.0), (Some("a:1"), 7));
    assert_eq!(press.message.as_ref().unwrap().id(), card.id);
    assert!(api.callback_answer(&query).is_none());
    bot.answer_callback_query(press.id.clone())
        .text("On its way")
        .await
        .unwrap();
    assert_eq!(
        api.wait_callback_answer(&query, SOON).await["text"],
        "On its way"
    );

    let unknown = bot
        .answer_callback_query(CallbackQueryId("5".to_owned()))
        .await
        .unwrap_err();
    assert!(
        matches!(unknown, RequestError::Api(ApiError::InvalidQueryId)),
        "{unknown}"
    );
}

#[tokio::test]
async fn a_press_under_a_deleted_message_comes_as_inaccessible() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    let card = bot
        .send_message(ChatId(7), "Send it?")
        .reply_markup(keyboard("a:1"))
        .await
        .unwrap();
    bot.delete_message(ChatId(7), card.id).await.unwrap();
    assert!(api.messages(7).is_empty());
    assert!(api.all_messages(7)[0].deleted);
    api.press(7, i64::from(card.id.0), "a:1");
    let got = updates(&bot, 0).await;
    let UpdateKind::CallbackQuery(press) = &got[0].kind else {
        panic!("{got:?}")
    };
    assert!(matches!(
        press.message,
        Some(MaybeInaccessibleMessage::Inaccessible(_))
    ));
}

#[tokio::test]
async fn edits_replace_text_and_keyboard_and_refuse_to_change_nothing() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    let theirs = api.user_says(7, "mine");
    let sent = bot
        .send_message(ChatId(7), "…")
        .reply_markup(keyboard("x"))
        .await
        .unwrap();

    bot.edit_message_text(ChatId(7), sent.id, "Done.")
        .await
        .unwrap();
    let seen = &api.messages(7)[0];
    assert_eq!(seen.text, "Done.");
    assert!(
        seen.buttons.is_empty(),
        "an edit without a keyboard takes it away"
    );
    assert_eq!(seen.earlier_texts, ["…"]);

    let editing = bot.edit_message_text(ChatId(7), sent.id, "Done.");
    let same = editing.await.unwrap_err();
    assert!(
        matches!(same, RequestError::Api(ApiError::MessageNotModified)),
        "{same}"
    );
    let editing = bot
        .edit_message_text(ChatId(7), sent.id, "Done.")
        .reply_markup(keyboard("y"));
    editing.await.unwrap();
    bot.edit_message_reply_markup(ChatId(7), sent.id)
        .await
        .unwrap();
    assert!(api.messages(7)[0].buttons.is_empty());

    let theirs = MessageId(i32::try_from(theirs).unwrap());
    let refused = bot
        .edit_message_text(ChatId(7), theirs, "forged")
        .await
        .unwrap_err();
    assert!(
        matches!(refused, RequestError::Api(ApiError::MessageCantBeEdited)),
        "{refused}"
    );
    let gone = bot
        .edit_message_text(ChatId(7), MessageId(99), "?")
        .await
        .unwrap_err();
    assert!(
        matches!(gone, RequestError::Api(ApiError::MessageToEditNotFound)),
        "{gone}"
    );
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
    assert!(
        matches!(err, RequestError::Api(ApiError::MessageIsTooLong)),
        "{err}"
    );
    assert!(
        send(&"😀".repeat(2_049)).await.is_err(),
        "length counts in UTF-16 units"
    );
    let err = send(" \n ").await.unwrap_err();
    assert!(
        matches!(err, RequestError::Api(ApiError::MessageTextIsEmpty)),
        "{err}"
    );

    send("😀a").entities(entity(2, 1)).await.unwrap();
    for (offset, length) in [(2, 2), (1, 1), (0, 1), (0, 0), (9, 1)] {
        let err = send("😀a")
            .entities(entity(offset, length))
            .await
            .unwrap_err();
        assert!(
            matches!(err, RequestError::Api(ApiError::CantParseEntities(_))),
            "{err}"
        );
    }

    send("x")
        .reply_markup(keyboard(&"é".repeat(32)))
        .await
        .unwrap();
    for data in ["", &"é".repeat(33)] {
        let err = send("x").reply_markup(keyboard(data)).await.unwrap_err();
        assert!(
            matches!(err, RequestError::Api(ApiError::ButtonDataInvalid)),
            "{err}"
        );
    }
    let err = bot.send_message(ChatId(8), "who?").await.unwrap_err();
    assert!(
        matches!(err, RequestError::Api(ApiError::ChatNotFound)),
        "{err}"
    );
    let reply = ReplyParameters::new(MessageId(999));
    let err = send("x").reply_parameters(reply.clone()).await.unwrap_err();
    assert!(
        matches!(err, RequestError::Api(ApiError::MessageToReplyNotFound)),
        "{err}"
    );
    send("x")
        .reply_parameters(reply.allow_sending_without_reply())
        .await
        .unwrap();
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
    api.say(Say::by(7, "yes").as_caption());
    api.say(Say::by(7, "yes").via_bot());
    api.say(Say::by(7, "yes").in_group(-100).on_behalf_of_chat(-200));
    api.say(Say::by(7, "what is on?").in_group(-100).mentioning_bot());
    api.say(Say::by(7, "").as_voice(b"OggS"));
    api.user_edits(7, 1, "/start later");

    let got = updates(&bot, 0).await;
    let messages: Vec<_> = got
        .iter()
        .map(|update| match &update.kind {
            UpdateKind::Message(message) | UpdateKind::EditedMessage(message) => message,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        messages[0].entities().unwrap()[0].kind,
        MessageEntityKind::BotCommand
    );
    assert_eq!(messages[0].entities().unwrap()[0].length, 6);
    assert_eq!(
        messages[1].reply_to_message().unwrap().text(),
        Some("Send this mail to Bob?")
    );
    assert_eq!(messages[2].quote().unwrap().text, "mail");
    assert_eq!(messages[2].quote().unwrap().position, 10);
    assert!(matches!(
        messages[3].forward_origin(),
        Some(MessageOrigin::User { .. })
    ));
    assert_eq!(
        (messages[4].text(), messages[4].caption()),
        (None, Some("yes"))
    );
    assert!(messages[5].via_bot.is_some());
    assert_eq!(messages[6].sender_chat.as_ref().unwrap().id, ChatId(-200));
    assert_eq!(
        messages[7].entities().unwrap()[0].kind,
        MessageEntityKind::Mention
    );
    assert!(messages[7].chat.is_supergroup());
    assert!(matches!(got[9].kind, UpdateKind::EditedMessage(_)));
    assert_eq!(messages[9].text(), Some("/start later"));
    assert!(matches!(messages[9].kind, MessageKind::Common(_)));

    let voice = messages[8].voice().unwrap();
    let file = bot.get_file(voice.file.id.clone()).await.unwrap();
    let url = format!("{}/file/bot{}/{}", api.url(), api.token(), file.path);
    assert_eq!(
        reqwest::get(url)
            .await
            .unwrap()
            .bytes()
            .await
            .unwrap()
            .as_ref(),
        b"OggS"
    );
}

#[tokio::test]
async fn the_small_methods_work() {
    let api = FakeBotApi::start().await;
    let bot = bot(&api);
    api.open_chat(7);
    bot.send_chat_action(ChatId(7), ChatAction::Typing)
        .await
        .unwrap();
    bot.set_my_commands([BotCommand::new("help", "what I can do")])
        .await
        .unwrap();
    assert_eq!(bot.get_my_commands().await.unwrap()[0].command, "help");
    assert!(
        bot.set_my_commands([BotCommand::new("Help me", "?")])
            .await
            .is_err()
    );
    assert_eq!(bot.get_chat(ChatId(7)).await.unwrap().id, ChatId(7));

    let url = reqwest::Url::parse("https://bot.example/hook").unwrap();
    bot.set_webhook(url.clone())
        .secret_token("secret")
        .await
        .unwrap();
    assert_eq!(bot.get_webhook_info().await.unwrap().url, Some(url));
    assert_eq!(api.calls("setWebhook")[0].params["secret_token"], "secret");
    assert!(
        raw(&api, "getUpdates", json!({})).await["description"]
            .as_str()
            .unwrap()
            .contains("webhook")
    );
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
    let form = [
        ("chat_id", "7"),
        ("text", "by form & more"),
        ("reply_markup", markup.as_str()),
    ];
    let sent: Value = client
        .post(&url)
        .form(&form)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(sent["result"]["text"], "by form & more");
    let sent = client
        .get(&url)
        .query(&[("chat_id", "7"), ("text", "by query")])
        .send()
        .await
        .unwrap();
    assert!(sent.status().is_success());
    assert_eq!(api.messages(7)[0].button("Yes").data, "y");
    assert_eq!(api.messages(7)[1].text, "by query");
    assert_eq!(
        api.calls("sendMessage").len(),
        2,
        "methods are matched without case"
    );
}

#[tokio::test]
async fn strangers_and_unknown_methods_are_refused() {
    let api = FakeBotApi::start().await;
    assert_eq!(
        raw(&api, "sendRichMessageDraft", json!({})).await["error_code"],
        404
    );
    let client = reqwest::Client::new();
    let wrong = client
        .post(format!("{}/bot1:no/getMe", api.url()))
        .send()
        .await
        .unwrap();
    assert_eq!(wrong.status(), 401);
    let url = format!("{}/bot{}/getMe", api.url(), api.token());
    let broken = client
        .post(url)
        .header("Content-Type", "application/json")
        .body("{")
        .send();
    assert_eq!(broken.await.unwrap().status(), 400);
}
