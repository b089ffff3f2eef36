//! Several messages in one breath are one turn.

use super::*;
use crate::support::bot_api::Say;

/// With a pause long enough for a busy machine.
fn unhurried() -> Program {
    installed().env("BRAIN_DEBOUNCE", "2s")
}

/// Waits until so many messages are left: a status line, which the long pause brings, goes a moment after its answer.
async fn comes_to(api: &FakeBotApi, chat: i64, count: usize) {
    api.wait_for("so many messages", SOON, |api| (texts(api, chat).len() == count).then_some(())).await;
}

#[tokio::test]
async fn messages_of_one_breath_are_one_turn_with_all_the_words_in_order() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&unhurried().whole_plans(&model), &api).await;
    for words in ["remind me", "to buy milk", "tomorrow 9am"] {
        api.user_says(ANNA, words);
    }
    api.user_says(BEN, "somebody else");
    let told = answer(&api, ANNA, "tomorrow 9am").await;
    assert!(told.text.contains("remind me to buy milk tomorrow 9am"), "{}", told.text);
    answer(&api, BEN, "somebody else").await;
    comes_to(&api, ANNA, 1).await;
    api.user_says(ANNA, "and then");
    answer(&api, ANNA, "and then").await;
    comes_to(&api, ANNA, 2).await;
}

#[tokio::test]
async fn separate_requests_in_one_breath_are_answered_one_by_one_in_order() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&unhurried(), &api).await;
    let things = ["buy milk", "call mom", "water the plants", "pay the rent", "book a table"];
    for (hour, thing) in (1..).zip(things) {
        api.user_says(ANNA, &format!("remind me to {thing} tomorrow at {hour}pm"));
    }
    api.wait_for("five answers", SOON, |api| (how_many(api, ANNA, "Reminder set") == 5).then_some(())).await;
    let told = texts(&api, ANNA);
    for ((hour, thing), told) in (13..).zip(things).zip(&told) {
        let ending = thing.split_once(' ').unwrap().1;
        assert!(told.contains(ending) && told.contains(&format!("{hour}:00")), "{}", api.transcript());
    }
}

#[tokio::test]
async fn what_telegram_has_cut_because_it_was_too_long_is_one_message() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&unhurried().whole_plans(&model), &api).await;
    let minutes = format!("Minutes of the meeting. {}", "They talked. ".repeat(315));
    api.user_says(ANNA, &minutes);
    api.user_says(ANNA, "The end of it all.");
    answer(&api, ANNA, "The end of it all.").await;
    assert_eq!(model.calls_of("respond").len(), 1, "{}", api.transcript());
}

#[tokio::test]
async fn yes_and_no_in_one_breath_decide_nothing_and_what_waits_comes_again_with_its_buttons() {
    let both = "You said yes and no at once, so I did neither.";
    let wait = "You said yes and to wait at once, so I did nothing yet.";
    let pairs = [["yes", "no"], ["no", "yes"], ["ok", "hold on"], ["wait", "ok"], ["ok", "not yet"], ["ok", "stop"]];
    for (words, told_so) in pairs.into_iter().zip([both, both, wait, wait, wait, both]) {
        let (api, smtp) = (FakeBotApi::start().await, mail_server());
        let model = mailing();
        let _daemon = serve(&unhurried().model(&model).smtp(&smtp), &api).await;
        api.user_says(ANNA, SEND);
        let card = card(&api, ANNA).await;
        for word in words {
            api.user_says(ANNA, word);
        }
        let told = api.wait_message(ANNA, |m| m.id > card.id && !m.buttons.is_empty(), SOON).await;
        assert_eq!(how_many(&api, ANNA, told_so), 1, "{}", api.transcript());
        api.wait_message(ANNA, |m| m.id == card.id && m.buttons.is_empty(), SOON).await;
        assert!(smtp.mails().is_empty(), "{}", api.transcript());
        api.press(ANNA, told.id, &told.button("Send").data);
        smtp.wait_mails(1, SOON).await;
    }
}

#[tokio::test]
async fn a_yes_and_a_request_of_its_own_are_two() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let _daemon = serve(&unhurried().smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    card(&api, ANNA).await;
    api.user_says(ANNA, "yes");
    api.user_says(ANNA, "remind me to call mom tomorrow at 5pm");
    smtp.wait_mails(1, SOON).await;
    answer(&api, ANNA, "Reminder set").await;
}

#[tokio::test]
async fn without_a_model_the_rest_of_a_sentence_is_waited_for_rather_than_asked_for() {
    let api = FakeBotApi::start().await;
    let _daemon = serve(&unhurried(), &api).await;
    api.user_says(ANNA, "remind me to buy milk");
    api.user_says(ANNA, "tomorrow at 9am");
    let told = answer(&api, ANNA, "Reminder set").await;
    assert!(told.text.contains("milk") && told.text.contains("09:00"), "{}", told.text);
    comes_to(&api, ANNA, 1).await;
}

#[tokio::test]
async fn a_yes_that_goes_on_is_none_and_a_command_or_a_yes_joins_nothing() {
    let (api, smtp) = (FakeBotApi::start().await, mail_server());
    let model = mailing();
    let _daemon = serve(&unhurried().model(&model).smtp(&smtp), &api).await;
    api.user_says(ANNA, SEND);
    let card = card(&api, ANNA).await;
    api.user_says(ANNA, "yes");
    api.user_says(ANNA, "but to max");
    api.wait_for("an answer", SOON, |api| api.messages(ANNA).into_iter().find(|m| m.id > card.id)).await;
    assert!(smtp.mails().is_empty(), "{}", api.transcript());

    api.user_says(BEN, SEND);
    api.user_says(BEN, "/pending");
    answer(&api, BEN, "Waiting for your yes or no").await;
    api.user_says(BEN, "hello");
    api.user_says(BEN, "yes");
    api.wait_for("two answers", SOON, |api| (api.messages(BEN).len() >= 4).then_some(())).await;
    assert!(smtp.mails().is_empty(), "a yes below small talk is about nothing\n{}", api.transcript());
}

#[tokio::test]
async fn a_comment_and_what_it_is_about_are_one_turn_and_only_the_comment_is_the_request() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => {
            assert!(!request.prompt().contains("xylophone"), "the router sees the person's own words only");
            ModelReply::json(json!({"type": "action", "domains": ["task"], "is_followup": false}))
        }
        "plan" => {
            assert_eq!(message_in(request), "remember this for tomorrow");
            assert!(request.prompt().contains("a message from “User6666”"), "{}", request.prompt());
            ModelReply::json(json!({"actions": [{
                "service": "task", "command": "create", "reasoning": "", "depends_on": [],
                "params": {"title": "Bring the old xylophone back", "deadline": "tomorrow"},
            }], "question": null, "open": null}))
        }
        _ => ModelReply::text("All right."),
    });
    let _daemon = serve(&unhurried().model(&model), &api).await;
    api.user_says(ANNA, "remember this for tomorrow");
    api.say(Say::by(ANNA, "Bring the old xylophone back").forwarded_from(EVE));
    let card = api.wait_message(ANNA, |m| !m.buttons.is_empty(), SOON).await;
    assert!(card.text.contains("a message from “User6666”"), "what is not the person's own is marked: {}", card.text);
    assert_eq!(model.calls_of("plan").len(), 1, "{}", api.transcript());
}

#[cfg(feature = "failpoints")]
#[tokio::test]
async fn what_is_one_turn_stays_one_wherever_the_program_is_stopped() {
    for border in ["plan-before", "effect-done", "outcome-recorded", "answer-before", "answer-durable"] {
        let api = FakeBotApi::start().await;
        let program = unhurried();
        let daemon = serve(&program.clone().fail_at(border), &api).await;
        api.user_says(ANNA, "remind me to buy milk");
        api.user_says(ANNA, "tomorrow at 9am");
        tokio::task::spawn_blocking(move || daemon.kill_at(border)).await.unwrap();
        let _daemon = serve(&program.without_failpoint(), &api).await;
        answer(&api, ANNA, "milk").await;
        api.user_says(ANNA, "show my tasks");
        let list = api.wait_message(ANNA, |m| m.text.contains("milk") && !m.text.contains("Reminder set"), SOON).await;
        assert_eq!(list.text.matches("milk").count(), 1, "{border}\n{}", api.transcript());
        assert_eq!(how_many(&api, ANNA, "Reminder set"), 1, "{border}\n{}", api.transcript());
    }
}
