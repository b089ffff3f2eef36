//! Nothing is lost and nothing is done twice, however the program ends.

use super::*;
use crate::support::bot_api::Fault;

#[tokio::test]
async fn a_message_whose_turn_was_killed_is_answered_once_after_the_restart() {
    let api = FakeBotApi::start().await;
    let slow = echo();
    let program = installed();
    let daemon = serve(&program.clone().model(&slow), &api).await;
    api.user_says(ANNA, "hello (held)");
    api.user_says(ANNA, "are you there?");
    slow.wait_calls("respond", 1, SOON).await;
    api.wait_acknowledged(SOON).await;
    daemon.kill();
    assert_eq!(how_many(&api, ANNA, "You said"), 0, "{}", api.transcript());

    let fast = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => ModelReply::text(format!("You said: {}", message_in(request))),
    });
    let daemon = serve(&program.clone().model(&fast), &api).await;
    answer(&api, ANNA, "are you there?").await;
    let said = answers(&api);
    assert!(said.len() == 2 && said[0].contains("hello"), "{}", api.transcript());
    assert_eq!(daemon.terminate(), 0);

    let _daemon = serve(&program.model(&fast), &api).await;
    api.user_says(ANNA, "once more");
    answer(&api, ANNA, "once more").await;
    assert_eq!(answers(&api).len(), 3, "{}", api.transcript());
}

#[tokio::test]
async fn a_status_line_that_a_kill_has_left_behind_goes_when_the_answer_is_there() {
    let api = FakeBotApi::start().await;
    let slow = echo();
    let program = installed();
    let daemon = serve(&program.clone().model(&slow), &api).await;
    api.user_says(ANNA, "hello (held)");
    let status = api.wait_message(ANNA, |_| true, SOON).await;
    // It is noted soon after it is shown; nobody waits for that.
    tokio::time::sleep(Duration::from_secs(2)).await;
    daemon.kill();

    let fast = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => ModelReply::text(format!("You said: {}", message_in(request))),
    });
    let daemon = serve(&program.clone().model(&fast), &api).await;
    answer(&api, ANNA, "You said: hello").await;
    let gone = |api: &FakeBotApi| api.messages(ANNA).iter().all(|m| m.id != status.id).then_some(());
    api.wait_for("no line left behind", SOON, gone).await;
    assert_eq!(daemon.terminate(), 0);

    let _daemon = serve(&program.model(&fast), &api).await;
    api.user_says(ANNA, "once more");
    answer(&api, ANNA, "once more").await;
    assert_eq!(texts(&api, ANNA).len(), 2, "an answer is no status line\n{}", api.transcript());
}

/// Without status lines that a kill has left behind.
fn answers(api: &FakeBotApi) -> Vec<String> {
    texts(api, ANNA).into_iter().filter(|text| text.contains("You said")).collect()
}

#[tokio::test]
async fn killed_again_and_again_every_task_is_made_exactly_once() {
    let api = FakeBotApi::start().await;
    let program = installed();
    let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
    let mut pause = Duration::ZERO;
    // What is under way at more deaths in a row is set aside.
    for words in words.chunks(3) {
        for word in words {
            let daemon = serve(&program, &api).await;
            api.user_says(ANNA, &format!("add a task: buy {word}"));
            tokio::time::sleep(pause).await;
            pause += Duration::from_millis(3);
            daemon.kill();
        }
        let daemon = serve(&program, &api).await;
        for word in words {
            answer(&api, ANNA, word).await;
        }
        daemon.kill();
    }
    let _daemon = serve(&program, &api).await;
    api.user_says(ANNA, "show my tasks");
    let list = api.wait_message(ANNA, |m| words.iter().all(|word| m.text.contains(word)), SOON).await;
    for word in words {
        assert_eq!(list.text.matches(word).count(), 1, "{}", api.transcript());
    }
}

#[tokio::test]
async fn what_waits_in_the_outbox_is_delivered_after_the_restart() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let program = installed().whole_plans(&model);
    let daemon = serve(&program, &api).await;
    api.fail_until_cleared("sendMessage", Fault::ServerError(502));
    api.user_says(ANNA, "keep this");
    let refused = |api: &FakeBotApi| {
        api.calls("sendMessage").into_iter().find(|call| call.params["text"].to_string().contains("keep this"))
    };
    api.wait_for("the answer, refused", SOON, refused).await;
    daemon.kill();
    api.clear_faults();
    let _daemon = serve(&program, &api).await;
    answer(&api, ANNA, "keep this").await;
    assert_eq!(model.calls_of("respond").len(), 1, "the turn itself is not done again");
}

#[tokio::test]
async fn a_terminated_program_finishes_what_runs() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (1200 ms)");
    model.wait_calls("respond", 1, SOON).await;
    assert_eq!(daemon.terminate(), 0);
    assert_eq!(how_many(&api, ANNA, "You said: hello"), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_terminated_program_parks_what_takes_too_long() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let program = installed();
    let daemon = serve(&program.clone().model(&model), &api).await;
    api.user_says(ANNA, "hello (held)");
    model.wait_calls("respond", 1, SOON).await;
    assert_eq!(daemon.terminate(), 0);
    assert!(model.calls_of("respond")[0].at_answered.is_none(), "it was not waited for");
    assert!(texts(&api, ANNA).is_empty(), "no status line is left behind\n{}", api.transcript());
    let _daemon = serve(&program, &api).await;
    api.wait_for("an answer", SOON, |api| (!texts(api, ANNA).is_empty()).then_some(())).await;
}

#[tokio::test]
async fn an_idle_program_ends_when_it_is_told_to() {
    let api = FakeBotApi::start().await;
    let daemon = serve(&installed(), &api).await;
    assert_eq!(daemon.terminate(), 0);
}
