//! What a kill interrupts comes again: a press, an answer, a message. Its journal is found and carried through,
//! whatever else the second look would have made of it.

use super::buttons::{next, press, reminded};
use super::commands::{changed, says, timeless};
use super::*;
use crate::support::bot_api::Say;

/// From the effect to the answer, in order. Before `outcome-recorded` nothing is written, and nothing has happened.
const BORDERS: [&str; 3] = ["effect-done", "outcome-recorded", "answer-before"];

/// A life that stops at `border` once `acts` has been received, then one that nothing disturbs.
async fn killed(program: &Program, api: &FakeBotApi, border: &'static str, acts: impl FnOnce()) -> Daemon {
    let daemon = serve(&program.clone().fail_at(border), api).await;
    acts();
    tokio::task::spawn_blocking(move || daemon.kill_at(border)).await.unwrap();
    serve(&program.clone().without_failpoint(), api).await
}

fn no_trouble(api: &FakeBotApi) {
    assert_eq!(how_many(api, ANNA, "could not read or save"), 0, "{}", api.transcript());
}

/// A reminder that was told in an earlier life.
async fn with_reminder(program: &Program) -> (FakeBotApi, SentMessage) {
    let api = FakeBotApi::start().await;
    let daemon = serve(program, &api).await;
    let reminder = reminded(&api).await;
    // Messages are delivered in order: once this is answered, the reminder is on record as told.
    says(&api, ANNA, "/help").await;
    assert_eq!(daemon.terminate(), 0);
    (api, reminder)
}

#[tokio::test]
async fn a_done_that_is_killed_is_done_once_told_and_can_be_undone() {
    for border in BORDERS {
        let program = installed();
        let (api, reminder) = with_reminder(&program).await;
        let newest = api.messages(ANNA).last().unwrap().id;
        let _daemon = killed(&program, &api, border, || {
            api.press(ANNA, reminder.id, &reminder.button("Done").data);
        })
        .await;
        let receipt = next(&api, newest).await;
        assert_eq!(receipt.text, "✅ Done: Stretch", "{border}");
        let closed = changed(&api, ANNA, &reminder).await;
        assert_eq!(timeless(&closed.text), "⏰ Stretch — done TIME", "{border}");
        press(&api, &receipt, "Undo").await;
        api.wait_message(ANNA, |m| m.id == reminder.id && m.text == reminder.text, SOON).await;
        assert!(says(&api, ANNA, "/tasks").await.text.contains("Stretch"), "{border}");
        no_trouble(&api);
    }
}

#[tokio::test]
async fn a_snooze_that_is_killed_is_told_with_its_time() {
    for border in ["effect-done", "outcome-recorded", "answer-before"] {
        let program = installed();
        let (api, reminder) = with_reminder(&program).await;
        let newest = api.messages(ANNA).last().unwrap().id;
        let _daemon = killed(&program, &api, border, || {
            api.press(ANNA, reminder.id, &reminder.button("Tomorrow").data);
        })
        .await;
        let receipt = next(&api, newest).await;
        assert_eq!(timeless(&receipt.text), "💤 Snoozed until tomorrow (DAY) at TIME: Stretch", "{border}");
        let closed = changed(&api, ANNA, &reminder).await;
        assert_eq!(timeless(&closed.text), "⏰ Stretch — snoozed until DAY TIME", "{border}");
        no_trouble(&api);
    }
}

#[tokio::test]
async fn an_answer_to_until_when_that_is_killed_is_carried_through() {
    for border in ["effect-done", "outcome-recorded", "answer-before"] {
        let program = installed();
        let api = FakeBotApi::start().await;
        let daemon = serve(&program, &api).await;
        let reminder = reminded(&api).await;
        let newest = press(&api, &reminder, "Until").await;
        let newest = next(&api, newest).await.id;
        assert_eq!(daemon.terminate(), 0);
        let _daemon = killed(&program, &api, border, || {
            api.user_says(ANNA, "tomorrow at 8:15");
        })
        .await;
        let receipt = next(&api, newest).await;
        assert_eq!(timeless(&receipt.text), "💤 Snoozed until tomorrow (DAY) at TIME: Stretch", "{border}");
        assert!(changed(&api, ANNA, &reminder).await.text.ends_with(" 08:15"), "{border}");
        // The question is settled: the same words again mean something new.
        let more = says(&api, ANNA, "tomorrow at 9:15").await;
        assert!(!more.text.contains("Snoozed"), "{border}: {}", more.text);
        no_trouble(&api);
    }
}

#[tokio::test]
async fn an_offer_that_is_taken_and_killed_is_carried_through() {
    for border in BORDERS {
        let program = installed();
        let api = FakeBotApi::start().await;
        let daemon = serve(&program, &api).await;
        api.say(Say::by(ANNA, "Dentist on Tuesday").forwarded_from(EVE));
        let offer = answer(&api, ANNA, "What should I do with it?").await;
        assert_eq!(daemon.terminate(), 0);
        let _daemon = killed(&program, &api, border, || {
            let task = offer.all_buttons().into_iter().find(|button| button.text.contains("task")).unwrap();
            api.press(ANNA, offer.id, &task.data);
        })
        .await;
        let receipt = next(&api, offer.id).await;
        assert!(receipt.text.contains("Dentist on Tuesday"), "{border}: {}", receipt.text);
        api.wait_message(ANNA, |m| m.id == offer.id && m.buttons.is_empty(), SOON).await;
        let list = says(&api, ANNA, "/tasks").await.text;
        assert_eq!(list.matches("Dentist").count(), 1, "{border}: {list}");
        let query = api.press(ANNA, receipt.id, &receipt.button("Undo").data);
        told(&api, ANNA, &query, "↩️ Taken back").await;
        no_trouble(&api);
    }
}

#[tokio::test]
async fn a_message_that_is_taken_for_small_talk_the_second_time_is_told_from_its_journal() {
    for border in ["outcome-recorded", "answer-before"] {
        let api = FakeBotApi::start().await;
        let planning = ModelServer::start(|request| match request.stage.as_str() {
            "route" => ModelReply::json(json!({"type": "action", "domains": ["task"], "is_followup": false})),
            "plan" => ModelReply::json(json!({"actions": [{
                "service": "task", "command": "create", "reasoning": "", "depends_on": [], "params": {"title": "Buy milk"},
            }], "question": null, "open": null})),
            _ => ModelReply::text("All right."),
        });
        let program = installed();
        let daemon = serve(&program.clone().model(&planning).fail_at(border), &api).await;
        api.user_says(ANNA, "the milk, you know");
        tokio::task::spawn_blocking(move || daemon.kill_at(border)).await.unwrap();
        let chatting = echo();
        let daemon = serve(&program.clone().model(&chatting).without_failpoint(), &api).await;
        answer(&api, ANNA, "Buy milk").await;
        assert_eq!(daemon.terminate(), 0);
        let _daemon = serve(&program, &api).await;
        let list = says(&api, ANNA, "/tasks").await.text;
        assert_eq!(list.matches("Buy milk").count(), 1, "{border}: {list}");
        no_trouble(&api);
    }
}

#[tokio::test]
async fn a_message_that_ends_the_process_each_time_is_set_aside_and_told_and_the_others_are_answered() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let dies = async |border: &'static str, acts: &dyn Fn()| {
        let daemon = serve(&program.clone().fail_at(border), &api).await;
        acts();
        tokio::task::spawn_blocking(move || daemon.kill_at(border)).await.unwrap();
    };
    dies("answer-before", &|| _ = api.user_says(ANNA, "add a task: buy poison")).await;
    // The first death may have been a power cut: it is tried again, and the others with it.
    for _ in 0..3 {
        dies("resumed", &|| {}).await;
    }
    assert_eq!(how_many(&api, ANNA, "poison"), 0, "{}", api.transcript());
    let daemon = serve(&program.clone().without_failpoint(), &api).await;
    let told = answer(&api, ANNA, "set it aside").await;
    assert!(told.text.contains("“add a task: buy poison”"), "{}", told.text);
    api.user_says(ANNA, "add a task: buy bread");
    answer(&api, ANNA, "bread").await;
    api.user_says(ANNA, "show my tasks");
    api.wait_message(ANNA, |m| m.text.contains("bread") && !m.text.contains("poison"), SOON).await;
    assert_eq!(daemon.terminate(), 0);
    let _daemon = serve(&program.without_failpoint(), &api).await;
    api.user_says(ANNA, "/help");
    answer(&api, ANNA, "/undo").await;
    assert_eq!(how_many(&api, ANNA, "set it aside"), 1, "{}", api.transcript());
}
