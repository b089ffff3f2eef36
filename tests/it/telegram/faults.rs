//! What may go wrong between the bot and Telegram.

use super::*;
use crate::support::bot_api::Fault;

#[tokio::test]
async fn a_second_instance_is_explained_and_waited_out() {
    let api = FakeBotApi::start().await;
    api.fail_once("getUpdates", Fault::Conflict);
    let daemon = serve(&installed(), &api).await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(daemon.stderr().matches("Another program is fetching").count(), 1, "{}", daemon.stderr());
    assert!(daemon.stderr().contains("answers again"));
}

#[tokio::test]
async fn a_refused_token_ends_the_start_by_name_and_without_showing_it() {
    let api = FakeBotApi::start().await;
    api.fail_until_cleared("getMe", Fault::Unauthorized);
    let mut daemon = installed().daemon(&api);
    assert_eq!(daemon.wait_exit(SOON), 2);
    assert!(daemon.stderr().contains("TELEGRAM_BOT_TOKEN"), "{}", daemon.stderr());
    let secret = api.token().split_once(':').unwrap().1;
    assert!(!daemon.stderr().contains(secret), "{}", daemon.stderr());
}

#[tokio::test]
async fn a_telegram_that_cannot_be_reached_is_waited_for_and_the_token_is_not_logged() {
    let api = FakeBotApi::start().await;
    api.fail_times("getMe", Fault::ClosedBeforeEffect, 2);
    api.fail_times("getUpdates", Fault::GatewayPage, 1);
    api.fail_times("getUpdates", Fault::ClosedBeforeEffect, 1);
    let daemon = serve(&installed().env("RUST_LOG", "trace"), &api).await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    let ours: String = daemon.stderr().lines().filter(|line| line.contains(" brain_")).collect();
    assert!(!ours.is_empty() && !ours.contains("AAfake-token"), "{ours}");
}

#[tokio::test]
async fn a_flood_wait_is_kept() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(BEN, "warm up");
    answer(&api, BEN, "warm up").await;
    api.fail_once("sendMessage", Fault::Flood(2));
    api.user_says(ANNA, "wait for it");
    api.wait_for("the refusal", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(429)))
        .await;
    api.user_says(BEN, "not for me");
    answer(&api, BEN, "not for me").await;
    let anna = answer(&api, ANNA, "wait for it").await;
    // That others do not wait is asserted in virtual time (see `channel/telegram/send_tests.rs`).
    let refused = api.calls("sendMessage").into_iter().find(|call| call.status == Some(429)).unwrap();
    assert!(anna.sent_at.duration_since(refused.at) >= Duration::from_secs(2), "{}", api.transcript());
    assert_eq!(how_many(&api, ANNA, "wait for it"), 1);
}

#[tokio::test]
async fn a_reminder_that_hangs_delays_no_other_chats_and_survives_a_kill() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let daemon = serve(&program, &api).await;
    api.user_says(ANNA, "remind me to stretch in 6 seconds");
    answer(&api, ANNA, "Reminder set").await;
    api.fail_in_chat(ANNA, "sendMessage", Fault::Hang);
    api.user_says(BEN, "remind me to breathe in 8 seconds");
    answer(&api, BEN, "⏰ Breathe").await;
    let tries =
        |api: &FakeBotApi| api.calls("sendMessage").iter().filter(|call| call.params["chat_id"] == ANNA).count();
    assert_eq!(tries(&api), 2, "the receipt, and a reminder that still hangs\n{}", api.transcript());
    // What comes after it in his chat tells that it is on record.
    api.user_says(BEN, "/pending");
    answer(&api, BEN, "Nothing is waiting").await;
    daemon.kill();
    api.clear_faults();
    let _daemon = serve(&program, &api).await;
    answer(&api, ANNA, "⏰ Stretch").await;
    let told = (how_many(&api, ANNA, "⏰ Stretch"), how_many(&api, BEN, "⏰ Breathe"));
    assert_eq!(told, (1, 1), "{}", api.transcript());
}

#[tokio::test]
async fn what_was_meant_for_somebody_who_blocked_the_bot_is_told_when_they_let_it_back_in() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_in_chat(ANNA, "sendMessage", Fault::Blocked);
    api.user_says(ANNA, "are you there?");
    api.wait_for("the refusal", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(403)))
        .await;
    api.clear_faults();
    api.wait_acknowledged(SOON).await;
    assert_eq!(how_many(&api, ANNA, "are you there?"), 0, "{}", api.transcript());
    let member = |status: &str| json!({"status": status, "user": {"id": 4_242, "is_bot": true, "first_name": "Brain"}});
    api.push_raw(json!({"my_chat_member": {
        "chat": {"id": ANNA, "type": "private", "first_name": "Anna"}, "date": 1_768_000_000,
        "from": {"id": ANNA, "is_bot": false, "first_name": "Anna"},
        "old_chat_member": member("kicked"), "new_chat_member": member("member"),
    }}));
    answer(&api, ANNA, "are you there?").await;
}

#[tokio::test]
async fn what_could_not_be_sent_is_sent_again_until_it_arrives() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().whole_plans(&model), &api).await;
    for (name, fault) in [
        ("a server error", Fault::ServerError(500)),
        ("a gateway page", Fault::GatewayPage),
        ("a closed connection", Fault::ClosedBeforeEffect),
    ] {
        api.fail_once("sendMessage", fault);
        api.user_says(ANNA, name);
        answer(&api, ANNA, name).await;
        assert_eq!(how_many(&api, ANNA, name), 1);
    }
    // Its effect is known to Telegram only: it may be said twice, but never not at all.
    api.fail_once("sendMessage", Fault::ReplyLost);
    api.user_says(ANNA, "a lost reply");
    api.user_says(ANNA, "the end");
    answer(&api, ANNA, "the end").await;
    assert!((1..=2).contains(&how_many(&api, ANNA, "a lost reply")), "{}", api.transcript());
    let last = texts(&api, ANNA).pop().unwrap();
    assert!(last.contains("the end"), "the order is kept\n{}", api.transcript());
}

#[tokio::test]
async fn a_blocked_bot_keeps_what_is_meant_for_that_person_and_serves_the_others() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let mut daemon = serve(&installed().model(&model).env("RUST_LOG", "warn"), &api).await;
    api.fail_in_chat(ANNA, "sendMessage", Fault::Blocked);
    api.user_says(ANNA, "into the void");
    api.wait_for("the refusal", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(403)))
        .await;
    api.user_says(BEN, "hello");
    answer(&api, BEN, "hello").await;
    api.clear_faults();
    api.user_says(ANNA, "back again");
    answer(&api, ANNA, "back again").await;
    assert_eq!(how_many(&api, ANNA, "into the void"), 1, "it was kept\n{}", api.transcript());
    let refused = api.calls("sendMessage").into_iter().filter(|call| call.status == Some(403)).count();
    assert_eq!(refused, 1, "nothing is tried in vain\n{}", api.transcript());
    assert_eq!(daemon.stderr().matches("closed to the bot").count(), 1, "{}", daemon.stderr());
    assert!(daemon.is_running());
}

#[tokio::test]
async fn updates_of_unknown_kinds_and_shapes_do_no_harm() {
    let api = FakeBotApi::start().await;
    let mut daemon = serve(&installed(), &api).await;
    api.push_raw(json!({"message": {"some fields": "are missing"}}));
    api.push_raw(json!({"message": 7}));
    api.push_raw(json!({"edited_message": null}));
    api.push_raw(json!({"callback_query": {"id": "1"}}));
    api.push_raw(json!({"callback_query": {"id": "1", "from": {"id": ANNA, "is_bot": false, "first_name": "A"}, "chat_instance": "1"}}));
    api.push_raw(json!({"my_chat_member": {"chat": {"id": ANNA}}}));
    api.push_raw(json!({"message": {
        "message_id": 3, "date": 1, "chat": {"id": ANNA, "type": "private"}, "text": "/pending",
        "from": {"id": ANNA, "is_bot": false, "first_name": "A"}, "a_field_of_tomorrow": {"x": [1]},
    }}));
    api.open_chat(ANNA);
    answer(&api, ANNA, "Nothing is waiting").await;
    api.wait_acknowledged(SOON).await;
    assert!(daemon.is_running());
    assert_eq!(texts(&api, ANNA).len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_webhook_of_an_earlier_life_is_taken_off() {
    let api = FakeBotApi::start().await;
    let url = format!("{}/bot{}/setWebhook?url=http://127.0.0.1:9/none", api.url(), api.token());
    assert!(reqwest::get(url).await.unwrap().status().is_success());
    let _daemon = serve(&installed(), &api).await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
}

#[tokio::test]
async fn a_token_that_is_revoked_while_serving_is_explained_once_and_waited_out() {
    let api = FakeBotApi::start().await;
    let mut daemon = serve(&installed(), &api).await;
    api.fail_times("getUpdates", Fault::Unauthorized, 1);
    api.user_says(BEN, "/pending");
    answer(&api, BEN, "Nothing is waiting").await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(daemon.stderr().matches("refuses the token").count(), 1, "{}", daemon.stderr());
    assert!(daemon.stderr().contains("answers again"), "{}", daemon.stderr());
    assert!(!daemon.stderr().contains("AAfake-token"), "{}", daemon.stderr());
    assert!(daemon.is_running());
}

#[tokio::test]
async fn updates_that_come_in_another_order_are_each_handled_once() {
    let api = FakeBotApi::start().await;
    api.open_chat(ANNA);
    api.open_chat(BEN);
    let first = api.last_update_id();
    let update = |number: i64, who: i64| {
        json!({"update_id": number, "message": {
            "message_id": number, "date": 1, "chat": {"id": who, "type": "private"}, "text": "/pending",
            "from": {"id": who, "is_bot": false, "first_name": "A"},
        }})
    };
    api.push_raw(update(first + 2, ANNA));
    api.push_raw(update(first + 1, BEN));
    // All of it waits for the first poll: what comes below a number that was acknowledged is not given any more.
    let _daemon = serve(&installed(), &api).await;
    api.push_again(first + 2);
    api.renumber_updates(first + 3);
    answer(&api, ANNA, "Nothing is waiting").await;
    answer(&api, BEN, "Nothing is waiting").await;
    api.user_says(ANNA, "/cancel");
    answer(&api, ANNA, "nothing to cancel").await;
    assert_eq!(how_many(&api, ANNA, "Nothing is waiting"), 1, "{}", api.transcript());
}
