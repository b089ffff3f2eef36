//! Models that take their time, say too much, or do not stop.

use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use super::*;

const ROUTE: &str = r#"{"type":"chat"}"#;

#[tokio::test(start_paused = true)]
async fn a_structured_answer_ends_with_its_closing_brace_whatever_follows() {
    for after in ["", "```\nI hope", "<|im_end|>\n<|im_start|>user\n{\"type\":\"x\"}", "\n\n\n\n"] {
        // The server never comes to an end.
        let events = event(r#"{"type":"#) + &event(&format!(r#""chat"}}{after}"#));
        let server = Server::new(move |_, _| Answer::hang(events.clone().into_bytes())).await;
        let begun = Instant::now();
        let done = ask(&client(&server), json_call()).await.expect("an answer");
        assert_eq!(done.json, Some(json!({"type": "chat"})), "{after}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        tokio::time::timeout(Duration::from_secs(5), server.hangups_reach(1)).await.expect("hung up on");
    }
}

#[tokio::test]
async fn what_the_server_counts_right_after_the_closing_brace_is_counted() {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":7}}\n\ndata: [DONE]\n\n";
    let events = event(ROUTE) + usage;
    for at in (1..events.len()).step_by(11) {
        let events = events.clone();
        let server = Server::new(move |_, _| Answer::events(&events).split_at(at)).await;
        let done = ask(&client(&server), json_call()).await.expect("an answer");
        assert_eq!(done.usage, Usage { calls: 1, tokens_in: 9, tokens_out: 7, ..Usage::default() }, "{at}");
    }
}

#[tokio::test(start_paused = true)]
async fn markers_of_a_chat_template_reach_nobody_and_end_the_words() {
    let events = event("<|im_start|>assistant\nHel") + &event("lo<|im") + &event("_end|>\n<|im_start|>user\nbuy");
    let server = Server::new(move |_, _| Answer::hang(events.clone().into_bytes())).await;
    let (done, words) = stream(&hasty(&server), words_call()).await;
    assert_eq!((done.expect("an answer").text.as_str(), words.as_str()), ("Hello", "Hello"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_take_longer_than_the_time_out_while_its_words_keep_coming() {
    let whole = [event(r#"{"type":"#), event(r#""ch"#), event("at"), event(r#""}"#)];
    let server = Server::new(move |_, _| Answer::drip(whole.to_vec(), Duration::from_millis(200))).await;
    // 300 ms a word.
    let done = ask(&hasty(&server), json_call()).await.expect("an answer");
    assert_eq!(done.json, Some(json!({"type": "chat"})));
}

#[tokio::test(start_paused = true)]
async fn a_pause_between_words_is_waited_for_no_longer_than_the_first_one() {
    let half = event(r#"{"type":"#);
    let server = Server::new(move |_, _| Answer::hang(half.clone().into_bytes())).await;
    let begun = Instant::now();
    let error = ask(&hasty(&server), json_call()).await.expect_err("half an answer");
    assert!(matches!(error, ModelError::TooSlow { .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(5) && error.usage().tokens_out > 0);
}

#[tokio::test]
async fn an_endpoint_that_was_slow_is_known_to_be() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let timeout = Stage::ALL.map(|stage| (stage, Duration::from_secs(90))).into();
    let client = OpenAiClient::new(ClientSettings { timeout, ..settings(&server) }).expect("settings");
    assert!(!client.is_slow(Stage::Plan), "nothing is known");
    let (to, _from) = unbounded_channel();
    let call = tokio::spawn(async move {
        let failed = client.complete(words_call(), Some(to)).await;
        (failed, client)
    });
    while server.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(91)).await;
    tokio::time::resume();
    let (failed, client) = call.await.expect("no panic");
    assert!(matches!(failed, Err(ModelError::TooSlow { .. })));
    assert!(client.is_slow(Stage::Respond) && client.is_slow(Stage::Plan));
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_asked_without() {
    let server = Server::new(|_, seen| match seen.body["stream"] == true {
        true => Answer::status(400, json!({"error": {"message": "streaming is not supported"}})),
        false => Answer::json(said(ROUTE)),
    })
    .await;
    let client = client(&server);
    assert_eq!(ask(&client, json_call()).await.expect("an answer").usage.calls, 2);
    assert_eq!(ask(&client, words_call()).await.expect("an answer").usage.calls, 1);
}
