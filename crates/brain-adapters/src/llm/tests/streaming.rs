//! Words as they arrive, and connections.

use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::*;

#[tokio::test]
async fn words_are_sent_on_as_they_arrive_wherever_the_bytes_are_split() {
    let events = event("<think>x</think>Grü")
        + &event("ße 👋")
        + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":7}}\n\ndata: [DONE]\n\n";
    for at in (1..events.len()).step_by(9) {
        let events = events.clone();
        let server = Server::new(move |_, _| Answer::events(&events).split_at(at)).await;
        let (done, words) = stream(&client(&server), words_call()).await;
        let done = done.expect("an answer");
        assert_eq!((words.as_str(), done.text.as_str()), ("Grüße 👋", "Grüße 👋"), "{at}");
        assert_eq!(done.usage, Usage { calls: 1, tokens_in: 9, tokens_out: 7, ..Usage::default() });
        assert_eq!(server.seen()[0].body["stream_options"]["include_usage"], true);
    }
}

#[tokio::test]
async fn a_server_that_ignores_stream_is_understood() {
    let server = Server::new(|_, _| Answer::json(said("Hello"))).await;
    let (done, words) = stream(&client(&server), words_call()).await;
    assert_eq!((done.expect("an answer").text.as_str(), words.as_str()), ("Hello", "Hello"));
}

#[tokio::test]
async fn a_server_that_refuses_stream_options_is_asked_without() {
    let server = Server::new(|_, seen| match seen.body.get("stream_options") {
        Some(_) => Answer::status(422, json!({"detail": [{"loc": ["body", "stream_options"], "msg": "extra fields"}]})),
        None => Answer::events(&(event("Hello") + "data: [DONE]\n\n")),
    })
    .await;
    let client = client(&server);
    assert_eq!(stream(&client, words_call()).await.0.expect("an answer").usage.calls, 2);
    assert_eq!(stream(&client, words_call()).await.0.expect("an answer").usage.calls, 1);
}

#[tokio::test]
async fn a_stream_that_breaks_after_words_is_unreadable_and_not_repeated() {
    let half = event("Dear ");
    for answer in [
        Answer::events(&half).cut_after(half.len()),
        Answer::events(&half),
        Answer::hang(half.clone().into_bytes()),
        Answer::events(&(half.clone() + "data: {\"error\": {\"message\": \"overloaded\", \"code\": 503}}\n\n")),
    ] {
        let server = Server::new(move |_, _| answer.clone()).await;
        let (result, words) = stream(&hasty(&server), words_call()).await;
        let error = result.expect_err("broken");
        assert!(matches!(error, ModelError::Unreadable { .. }), "{error}");
        assert_eq!((words.as_str(), server.seen().len()), ("Dear ", 1));
        assert!(error.usage().tokens_out > 0);
    }
}

#[tokio::test]
async fn a_receiver_that_went_away_does_not_stop_the_answer() {
    let server = Server::new(|_, _| Answer::events(&(event("Hel") + &event("lo") + "data: [DONE]\n\n"))).await;
    let (to, from) = unbounded_channel();
    drop(from);
    let done = client(&server).complete(words_call(), Some(to)).await.expect("an answer");
    assert_eq!(done.text, "Hello");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_closes_its_connection() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let client = client(&server);
    let call = tokio::time::timeout(Duration::from_millis(200), ask(&client, words_call()));
    call.await.expect_err("still waiting");
    tokio::time::timeout(Duration::from_secs(5), server.hangups_reach(1)).await.expect("closed");
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::new(|n, _| match n % 2 {
        0 => Answer::json(said("ok")),
        _ => Answer::events(&(event("ok") + "data: [DONE]\n\n")),
    })
    .await;
    let client = client(&server);
    for _ in 0..4 {
        ask(&client, words_call()).await.expect("an answer");
        stream(&client, words_call()).await.0.expect("an answer");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_stream_that_breaks_before_the_first_word_is_tried_again() {
    let server = Server::new(|n, _| match n {
        0 => Answer::events(&event("<think>hm")).cut_after(event("<think>hm").len()),
        _ => Answer::events(&(event("Hello") + "data: [DONE]\n\n")),
    })
    .await;
    let (done, words) = stream(&client(&server), words_call()).await;
    let done = done.expect("an answer");
    assert_eq!((words.as_str(), done.usage.calls), ("Hello", 2));
}

#[tokio::test]
async fn a_server_that_streams_unasked_is_understood() {
    let events = event(r#"{"type":"#) + &event(r#""chat"}"#) + "data: [DONE]\n\n";
    let server = Server::new(move |_, _| Answer::events(&events)).await;
    let done = ask(&client(&server), json_call()).await.expect("an answer");
    assert_eq!(done.json, Some(json!({"type": "chat"})));
}
