//! Long answers grow before the person's eyes; what is shown meanwhile is never the last word.

use super::*;
use crate::support::bot_api::{Call, Fault};
use crate::support::model_server::Call as Asked;

const EACH: Duration = Duration::from_millis(70);

/// A hundred words, and so about four seconds when they come one by one.
fn story() -> String {
    (0..60).map(|n| format!("word{n:03} ")).collect::<String>().trim().to_owned()
}

/// Small talk, answered by `reply`.
fn talking(reply: impl Fn(&ModelRequest) -> ModelReply + Send + Sync + 'static) -> ModelServer {
    ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => reply(request),
    })
}

fn drafts(api: &FakeBotApi) -> Vec<String> {
    api.calls("sendMessageDraft").iter().map(|call| call.params["text"].as_str().unwrap().to_owned()).collect()
}

fn streamed(call: &Asked) -> bool {
    call.stream
}

#[tokio::test]
async fn a_long_answer_grows_as_a_draft_and_the_message_replaces_it() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text(format!("**{}**", story())).chunks(8, EACH).usage(50, 70));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me a long story please");
    let answer = answer(&api, ANNA, "word059").await;
    assert_eq!(answer.text, story());
    assert_eq!(answer.entities.len(), 1);
    let calls = api.calls("sendMessageDraft");
    assert!(calls.len() >= 2, "{}", api.transcript());
    let grown = drafts(&api);
    assert!(grown.windows(2).all(|two| two[0].len() < two[1].len()), "{grown:?}");
    assert!(grown.iter().all(|draft| story().starts_with(draft.trim_start_matches('*').trim())), "{grown:?}");
    assert!(
        calls.iter().all(|call| call.params["draft_id"] == calls[0].params["draft_id"] && call.at < answer.sent_at)
    );
    api.wait_for("no status line beside it", SOON, |api| (api.messages(ANNA).len() == 1).then_some(())).await;
    assert!(model.calls_of("respond").iter().all(streamed));
}

#[tokio::test]
async fn the_words_of_a_conversation_grow_out_of_its_answer() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "action", "domains": ["calendar"], "is_followup": false})),
        _ => ModelReply::text(story()).chunks(8, EACH),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "what would you say about how my week at the office is planned?");
    assert!(answer(&api, ANNA, "word059").await.text.contains(&story()));
    let grown = drafts(&api);
    assert!(grown.len() >= 2 && grown.windows(2).all(|two| two[0].len() < two[1].len()), "{grown:?}");
    assert!(grown.iter().all(|draft| !draft.contains("actions")), "{grown:?}");
}

#[tokio::test]
async fn a_growing_answer_whose_line_is_refused_comes_in_one_go() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text(story()).chunks(8, EACH));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_until_cleared("sendMessageDraft", Fault::Refuse(404, "Not Found".to_owned()));
    api.fail_once("sendMessage", Fault::Refuse(400, "Bad Request: TEXT_NOT_WELCOME".to_owned()));
    api.user_says(ANNA, "tell me a long story please");
    let answer = answer(&api, ANNA, "word059").await;
    assert_eq!((answer.text.as_str(), answer.earlier_texts.len()), (story().as_str(), 0), "{}", api.transcript());
    assert_eq!(api.calls("sendMessage").len(), 2, "the refused line and the answer\n{}", api.transcript());
}

#[tokio::test]
async fn without_drafts_it_grows_in_place_and_nobody_asks_twice() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text(story()).chunks(8, EACH));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_until_cleared("sendMessageDraft", Fault::Refuse(404, "Not Found".to_owned()));
    for round in 1..=2 {
        api.user_says(ANNA, "tell me a long story please");
        api.wait_for("the answer", SOON, |api| (how_many(api, ANNA, "word059") == round).then_some(())).await;
    }
    assert_eq!(api.calls("sendMessageDraft").len(), 1, "once refused, never asked again");
    let messages = api.messages(ANNA);
    assert_eq!(messages.len(), 2, "{}", api.transcript());
    for message in messages {
        assert_eq!(message.text, story());
        let grew = message.earlier_texts.iter().filter(|text| text.starts_with("word000")).collect::<Vec<_>>();
        assert!(!grew.is_empty(), "{message:?}");
        assert!(grew.iter().all(|text| text.ends_with(" …")), "it can be seen that it goes on: {grew:?}");
    }
}

#[tokio::test]
async fn a_status_line_is_silent_and_the_answer_is_a_new_message_that_is_heard() {
    let api = FakeBotApi::start().await;
    let model = echo();
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello (held)");
    api.wait_message(ANNA, |_| true, SOON).await;
    model.release();
    let answer = answer(&api, ANNA, "You said: hello").await;
    assert!(answer.earlier_texts.is_empty(), "{answer:?}");
    api.wait_for("no status line beside it", SOON, |api| (api.messages(ANNA).len() == 1).then_some(())).await;
    let silent = |call: &Call| call.params.get("disable_notification").is_some();
    let sent = api.calls("sendMessage").iter().map(silent).collect::<Vec<_>>();
    assert_eq!(sent, [true, false], "{}", api.transcript());
}

#[tokio::test]
async fn a_short_answer_makes_no_draft() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text("Hello there, nice to see you.").chunks(8, Duration::from_millis(20)));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello");
    answer(&api, ANNA, "nice to see you").await;
    assert!(drafts(&api).is_empty());
}

#[tokio::test]
async fn a_stream_that_breaks_in_the_middle_is_asked_again_in_one_piece() {
    let api = FakeBotApi::start().await;
    let model = talking(|request| match request.stream {
        true => ModelReply::text(story().replace("word", "half")).chunks(8, EACH).midway(),
        false => ModelReply::text("Here is the whole story."),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me a long story please");
    answer(&api, ANNA, "the whole story").await;
    assert_eq!(how_many(&api, ANNA, "half"), 0, "{}", api.transcript());
    let asked: Vec<bool> = model.calls_of("respond").iter().map(streamed).collect();
    assert!(asked[0] && asked.iter().filter(|streamed| !**streamed).count() == 1, "{asked:?}");
}

#[tokio::test]
async fn a_broken_stream_and_a_silent_model_leave_no_half_answer() {
    let api = FakeBotApi::start().await;
    let model = talking(|request| match request.stream {
        true => ModelReply::text(story().replace("word", "half")).chunks(8, EACH).midway(),
        false => ModelReply::status(400),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.fail_until_cleared("sendMessageDraft", Fault::Refuse(400, "Bad Request: not for you".to_owned()));
    api.user_says(ANNA, "hello my friend");
    api.wait_for("an answer of our own", SOON, |api| {
        let all = api.messages(ANNA);
        (all.len() == 1 && !all[0].text.contains('…') && !all[0].text.contains("half")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_ignores_streaming_is_understood() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text(story()).ignoring_stream().after(Duration::from_millis(300)));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me a long story please");
    assert_eq!(answer(&api, ANNA, "word059").await.text, story());
    assert!(drafts(&api).is_empty());
}

#[tokio::test]
async fn nothing_of_an_early_reply_is_shown_unless_the_router_agrees() {
    let api = FakeBotApi::start().await;
    let model = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "action", "domains": ["task"], "is_followup": false}))
            .after(Duration::from_millis(2_800)),
        "plan" => ModelReply::json(json!({"actions": [{
            "service": "task", "command": "list", "reasoning": "asked for", "depends_on": [], "params": {},
        }], "question": null, "open": null})),
        _ if request.prompt().contains("Results: none") => ModelReply::text(story()).chunks(8, EACH),
        _ => ModelReply::text("That is all there is."),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hello");
    answer(&api, ANNA, "That is all there is").await;
    assert!(model.calls_of("respond")[0].stream, "it was being written early");
    assert!(drafts(&api).iter().all(|draft| !draft.contains("word")), "{}", api.transcript());
    assert!(
        api.all_messages(ANNA)
            .iter()
            .all(|m| !m.text.contains("word") && m.earlier_texts.iter().all(|t| !t.contains("word"))),
        "{}",
        api.transcript()
    );
}

#[tokio::test]
async fn a_growing_answer_that_claims_what_was_not_done_is_not_shown() {
    let api = FakeBotApi::start().await;
    let model = talking(|_| ModelReply::text(format!("I have sent the email to Bob. {}", story())).chunks(8, EACH));
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "tell me a long story please");
    let answer = answer(&api, ANNA, "word059").await;
    assert_eq!(answer.text, format!("Nothing was done just now.\n\n{}", story()));
    assert!(model.calls_of("respond").iter().all(streamed));
    assert!(drafts(&api).is_empty(), "{:?}", drafts(&api));
}

#[tokio::test]
async fn the_answer_of_an_investigation_grows_without_numbers_that_stand_for_nothing() {
    let api = FakeBotApi::start().await;
    let nodes =
        json!([{"id": "notes", "strategy": "keyword_search", "params": {"words": ["Berlin"], "over": ["task"]}}]);
    let graph = json!({"classification": {"type": "investigative", "why": "asked"}, "nodes": nodes, "synthesis": {}});
    let model = ModelServer::start(move |request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "investigate", "domains": ["task"], "is_followup": false})),
        "decompose" => ModelReply::json(graph.clone()),
        _ => ModelReply::text(format!("I've sent nothing [7]. {}", story())).chunks(8, EACH),
    });
    let _daemon = serve(&installed().model(&model), &api).await;
    api.user_says(ANNA, "hm, so what would there be in my things on that Berlin thing, roughly?");
    let answer = answer(&api, ANNA, "word059").await;
    assert!(answer.text.starts_with("I've sent nothing"), "a denial stays: {}", answer.text);
    assert!(answer.text.contains("I only looked"), "{}", answer.text);
    assert!(answer.text.contains(&story()) && !answer.text.contains("[7]"), "{}", answer.text);
    let grown = drafts(&api);
    assert!(grown.len() >= 2 && grown.iter().all(|draft| !draft.contains("[7")), "{grown:?}");
    assert!(grown.windows(2).all(|two| two[0].len() < two[1].len()), "{grown:?}");
}
