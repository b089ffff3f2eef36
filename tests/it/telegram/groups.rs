//! Groups and topics.

use super::*;
use crate::support::bot_api::{Fault, Say};

const GROUP: i64 = -100_500;

#[tokio::test]
async fn in_a_group_small_talk_is_answered_there_and_strangers_are_not() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.say(Say::by(EVE, "hello").in_group(GROUP).mentioning_bot());
    api.say(Say::by(ANNA, "not for you").in_group(GROUP));
    api.say(Say::by(ANNA, "hello there").in_group(GROUP).mentioning_bot());
    let told = answer(&api, GROUP, "You said: hello there").await;
    api.say(Say::by(BEN, "and me?").in_group(GROUP).reply_to(told.id));
    answer(&api, GROUP, "You said: and me?").await;
    assert_eq!(texts(&api, GROUP).len(), 2, "{}", api.transcript());
    assert!(texts(&api, ANNA).is_empty(), "{}", api.transcript());
}

#[tokio::test]
async fn what_is_private_is_answered_privately_and_decided_there() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = ModelServer::start(|request| match request.stage.as_str() {
        // A yes reaches the chat where the card is only when it is taken for more than small talk.
        "route" if message_in(request).ends_with("yes") => {
            ModelReply::json(json!({"type": "followup", "domains": ["email"], "is_followup": true}))
        }
        "route" => ModelReply::json(json!({"type": "action", "domains": ["email"], "is_followup": false})),
        "plan" => ModelReply::json(json!({"actions": [{
            "service": "email", "command": "send_email", "reasoning": "asked for", "depends_on": [],
            "params": {"to": ["bob.miller@example.com"], "subject": "The report", "body": "The report is late."},
        }], "question": null, "open": null})),
        _ => ModelReply::text("All right."),
    });
    let _daemon = serve(&installed().model(&model).smtp(&smtp), &api).await;
    api.open_chat(ANNA);
    api.say(Say::by(ANNA, SEND).in_group(GROUP).mentioning_bot());
    let card = card(&api, ANNA).await;
    let pointer = answer(&api, GROUP, "private chat").await;
    assert_eq!(texts(&api, GROUP).len(), 1, "{}", api.transcript());

    // Nothing said or pressed in the group decides it.
    api.say(Say::by(ANNA, "yes").in_group(GROUP).reply_to(pointer.id));
    api.say(Say::by(BEN, "yes").in_group(GROUP).mentioning_bot());
    api.press_in(GROUP, ANNA, pointer.id, &card.all_buttons()[0].data);
    answer(&api, ANNA, "A card is decided where I asked").await;
    api.wait_for("answers", SOON, |api| (texts(api, GROUP).len() >= 3).then_some(())).await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());
    assert!(texts(&api, GROUP).iter().all(|text| !text.contains("bob.miller")), "{}", api.transcript());
    assert!(api.messages(ANNA).iter().any(|m| m.id == card.id && !m.buttons.is_empty()), "{}", api.transcript());
    api.user_replies(ANNA, card.id, "yes");
    smtp.wait_mails(1, SOON).await;
    api.user_says(ANNA, "/pending");
    answer(&api, ANNA, "Nothing is waiting").await;
    assert_eq!(smtp.mails().len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn cancel_in_a_group_stops_what_runs_there_and_is_answered_there_once() {
    let (api, model, program) = (FakeBotApi::start().await, echo(), installed());
    let program = program.model(&model);
    let daemon = serve(&program, &api).await;
    api.open_chat(ANNA);
    api.say(Say::by(ANNA, "hello (60000 ms)").in_group(GROUP).mentioning_bot());
    model.wait_calls("respond", 1, SOON).await;
    api.say(Say::by(ANNA, "/Cancel@brain_test_bot").in_group(GROUP));
    answer(&api, GROUP, "Okay, stopping.").await;
    answer(&api, GROUP, "Stopped. Nothing more was done.").await;
    api.say(Say::by(ANNA, "/cancel@brain_test_bot").in_group(GROUP));
    answer(&api, GROUP, "Nothing is running here.").await;
    assert_eq!(daemon.terminate(), 0);

    // A next life has nothing left to say about it.
    let _daemon = serve(&program, &api).await;
    api.say(Say::by(ANNA, "still there?").in_group(GROUP).mentioning_bot());
    answer(&api, GROUP, "You said: still there?").await;
    assert_eq!(texts(&api, GROUP).len(), 4, "{}", api.transcript());
    assert!(texts(&api, ANNA).is_empty(), "{}", api.transcript());
}

#[tokio::test]
async fn a_group_that_lets_the_bot_back_in_is_answered_again() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.open_chat(ANNA);
    let kicked = Fault::Refuse(403, "Forbidden: bot was kicked from the supergroup chat".to_owned());
    api.fail_in_chat(GROUP, "sendMessage", kicked);
    api.say(Say::by(ANNA, "what do I have today?").in_group(GROUP).mentioning_bot());
    api.wait_for("the refusal", SOON, |api| api.calls("sendMessage").into_iter().find(|call| call.status == Some(403)))
        .await;
    api.clear_faults();
    api.push_raw(json!({"my_chat_member": {
        "chat": {"id": GROUP, "type": "supergroup", "title": "Us"}, "date": 1,
        "from": {"id": ANNA, "is_bot": false, "first_name": "A"},
        "old_chat_member": {"status": "kicked"}, "new_chat_member": {"status": "member"},
    }}));
    answer(&api, GROUP, "Mention me (@brain_test_bot)").await;
}

#[tokio::test]
async fn in_a_group_no_answer_grows() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => {
            let story = (0..60).map(|n| format!("word{n:03} ")).collect::<String>();
            ModelReply::text(story.trim().to_owned()).chunks(8, Duration::from_millis(70))
        }
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    for who in [ANNA, BEN] {
        api.say(Say::by(who, "tell me a long story please").in_group(GROUP).mentioning_bot());
    }
    api.wait_for("two answers", SOON, |api| (how_many(api, GROUP, "word059") == 2).then_some(())).await;
    assert_eq!(
        (api.calls("sendMessageDraft").len(), api.calls("editMessageText").len()),
        (0, 0),
        "{}",
        api.transcript()
    );
}

#[tokio::test]
async fn commands_in_a_group_are_answered_privately() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.open_chat(ANNA);
    api.say(Say::by(ANNA, "/pending@brain_test_bot").in_group(GROUP));
    answer(&api, ANNA, "Nothing is waiting").await;
    answer(&api, GROUP, "private chat").await;
    assert_eq!(texts(&api, GROUP).len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn who_never_opened_a_private_chat_is_told_how() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&installed(), &api).await;
    api.say(Say::by(ANNA, "what do I have today?").in_group(GROUP).mentioning_bot());
    let told = answer(&api, GROUP, "t.me/brain_test_bot").await;
    assert!(told.text.contains("press Start"), "{}", told.text);
    assert_eq!(texts(&api, GROUP).len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn each_topic_is_a_conversation_of_its_own_and_others_words_are_not_mine() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    let in_topic = |who: i64, text: &str, topic: i32| {
        Say::by(who, text)
            .in_group(GROUP)
            .mentioning_bot()
            .field("message_thread_id", json!(topic))
            .field("is_topic_message", json!(true))
    };
    api.say(in_topic(ANNA, "apples", 7));
    answer(&api, GROUP, "You said: apples").await;
    api.say(in_topic(BEN, "pears", 9));
    answer(&api, GROUP, "You said: pears").await;
    api.say(in_topic(BEN, "plums", 7));
    answer(&api, GROUP, "You said: plums").await;
    let sent = api.calls("sendMessage");
    let topics: Vec<i64> = sent.iter().filter_map(|call| call.params["message_thread_id"].as_i64()).collect();
    assert_eq!(topics, [7, 9, 7], "{}", api.transcript());
    let prompts = model.calls_of("respond");
    let words = |n: usize| prompts[n].messages.iter().map(|(_, text)| text.clone()).collect::<String>();
    assert!(!words(1).contains("apples"), "another topic is another conversation: {}", words(1));
    assert!(words(2).contains("apples") && !words(2).contains("pears"), "{}", words(2));
    let routes = model.calls_of("route");
    let route = routes[2].messages.iter().map(|(_, text)| text.clone()).collect::<String>();
    assert!(!route.contains("apples"), "the router sees the asker's own words only: {route}");
}

#[tokio::test]
async fn a_bot_that_is_let_into_a_group_says_how_to_call_it_once() {
    let api = FakeBotApi::start().await;
    let mut daemon = serve(&installed(), &api).await;
    api.open_chat(GROUP);
    let membership = |who: i64, old: &str, new: &str| {
        json!({"my_chat_member": {
            "chat": {"id": GROUP, "type": "supergroup", "title": "Us"}, "date": 1,
            "from": {"id": who, "is_bot": false, "first_name": "A"},
            "old_chat_member": {"status": old}, "new_chat_member": {"status": new},
        }})
    };
    api.push_raw(membership(EVE, "left", "member"));
    api.push_raw(membership(ANNA, "left", "member"));
    let hello = answer(&api, GROUP, "Mention me (@brain_test_bot)").await;
    assert!(hello.text.contains("privacy mode"), "{}", hello.text);
    api.push_raw(membership(ANNA, "member", "kicked"));
    api.user_says(BEN, "/pending");
    answer(&api, BEN, "Nothing is waiting").await;
    assert!(daemon.is_running());
    assert_eq!(texts(&api, GROUP).len(), 1, "{}", api.transcript());
}

/// What small talk was last asked with.
fn last_prompt(model: &ModelServer) -> String {
    let calls = model.calls_of("chat");
    calls.last().map(|call| call.messages.iter().map(|(_, text)| text.as_str()).collect()).unwrap_or_default()
}

/// A message of Anna's in a topic of the group.
fn in_topic(text: &str, topic: i64) -> Say {
    let say = Say::by(ANNA, text).in_group(GROUP).mentioning_bot();
    say.field("message_thread_id", json!(topic)).field("is_topic_message", json!(true))
}

/// Telegram takes no message for the topic that is always there.
#[tokio::test]
async fn an_answer_in_the_general_topic_names_no_topic() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_until_cleared("sendMessage", Fault::TopicGone);
    api.say(in_topic("hello there", 1));
    answer(&api, GROUP, "You said: hello there").await;
    let named = |call: &&crate::support::bot_api::Call| call.params.contains_key("message_thread_id");
    assert_eq!(api.all_calls().iter().filter(named).count(), 0, "{}", api.transcript());
}

#[tokio::test]
async fn an_answer_to_a_topic_that_is_gone_comes_into_the_chat() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let daemon = serve(&installed().model(&model), &api).await;
    api.fail_until_cleared("sendMessage", Fault::TopicGone);
    for text in ["hello there", "hello once more"] {
        api.say(in_topic(text, 12));
        answer(&api, GROUP, &format!("You said: {text}")).await;
    }
    assert_eq!(texts(&api, GROUP).len(), 2, "nothing is lost, and nothing there twice\n{}", api.transcript());
    assert_eq!(daemon.terminate(), 0);
}

const SUPERGROUP: i64 = -100_700;

#[tokio::test]
async fn a_group_that_was_made_a_supergroup_stays_the_chat_that_it_was() {
    let (api, model, program) = (FakeBotApi::start().await, echo(), installed());
    let program = program.model(&model);
    let daemon = serve(&program, &api).await;
    api.say(Say::by(ANNA, "hello there").in_group(GROUP).mentioning_bot());
    answer(&api, GROUP, "You said: hello there").await;
    // Made one while an answer is on its way.
    api.say(Say::by(BEN, "in the new one").in_group(SUPERGROUP));
    api.fail_in_chat(GROUP, "sendMessage", Fault::MovedTo(SUPERGROUP));
    api.say(Say::by(ANNA, "are you still there?").in_group(GROUP).mentioning_bot());
    answer(&api, SUPERGROUP, "You said: are you still there?").await;
    api.say(Say::by(ANNA, "and now?").in_group(SUPERGROUP).mentioning_bot());
    answer(&api, SUPERGROUP, "You said: and now?").await;
    // What was said before is in sight: it is the same conversation.
    let asked = last_prompt(&model);
    assert!(asked.contains("hello there") && asked.contains("are you still there?"), "{asked}");
    assert_eq!(daemon.terminate(), 0);

    let _daemon = serve(&program, &api).await;
    api.say(Say::by(ANNA, "after a restart").in_group(SUPERGROUP).mentioning_bot());
    answer(&api, SUPERGROUP, "You said: after a restart").await;
    let asked = last_prompt(&model);
    assert!(asked.contains("hello there"), "{asked}");
    assert_eq!(texts(&api, GROUP).len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_notice_of_the_move_is_enough_to_know_the_chat_again() {
    let (api, model) = (FakeBotApi::start().await, echo());
    let _daemon = serve(&installed().model(&model), &api).await;
    api.say(Say::by(ANNA, "hello there").in_group(GROUP).mentioning_bot());
    answer(&api, GROUP, "You said: hello there").await;
    api.say(
        Say::by(ANNA, "").in_group(GROUP).field("text", json!(null)).field("migrate_to_chat_id", json!(SUPERGROUP)),
    );
    api.say(Say::by(ANNA, "and now?").in_group(SUPERGROUP).mentioning_bot());
    answer(&api, SUPERGROUP, "You said: and now?").await;
    let asked = last_prompt(&model);
    assert!(asked.contains("hello there"), "{asked}");
}
