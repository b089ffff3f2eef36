//! The scripted model endpoint against a plain HTTP client.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::SOON;
use crate::support::model_server::{ModelReply, ModelServer, Script, Simulated, read_simulated_log, serve_simulated};

async fn ask(url: &str, stage: &str, extra: Value) -> reqwest::Result<reqwest::Response> {
    let mut body = json!({"model": "m", "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
    ]});
    for (key, value) in extra.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    let request = reqwest::Client::new().post(format!("{url}/chat/completions")).json(&body);
    request.header("X-Brain-Stage", stage).bearer_auth("key").send().await
}

async fn content(response: reqwest::Response) -> String {
    let body: Value = response.json().await.unwrap();
    body["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_script_sees_the_request_and_the_log_keeps_it() {
    let server = ModelServer::start(|request| {
        assert_eq!(request.said_by("user"), "hello");
        ModelReply::text(format!("{} {}", request.stage, request.nth)).usage(11, 3)
    });
    let format = json!({"response_format": {"type": "json_object"}});
    assert_eq!(content(ask(&server.url(), "plan", format).await.unwrap()).await, "plan 0");
    let body: Value = ask(&server.url(), "plan", json!({})).await.unwrap().json().await.unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "plan 1");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert_eq!(body["usage"]["prompt_tokens"], 11);

    let calls = server.wait_calls("plan", 2, SOON).await;
    assert_eq!(calls[0].response_format, Some(json!({"type": "json_object"})));
    assert_eq!(calls[0].prompt_chars, 13);
    assert_eq!(calls[0].authorization.as_deref(), Some("Bearer key"));
    assert!(calls[0].at_answered.unwrap() >= calls[0].at_received);
    assert_eq!(calls[1].messages[0], ("system".to_owned(), "Be kind.".to_owned()));
}

#[tokio::test]
async fn queued_answers_come_in_order_and_then_the_standing_one() {
    let script = Script::new()
        .then("route", ModelReply::status(429).retry_after(1))
        .then("route", ModelReply::json(json!({"type": "chat"})))
        .always("route", ModelReply::prose_around(json!({"type": "action"})))
        .otherwise(ModelReply::text("ok").no_usage().finish_reason(None));
    let server = ModelServer::scripted(script);
    let busy = ask(&server.url(), "route", json!({})).await.unwrap();
    assert_eq!((busy.status().as_u16(), busy.headers()["retry-after"].to_str().unwrap()), (429, "1"));
    let first = content(ask(&server.url(), "route", json!({})).await.unwrap()).await;
    assert_eq!(first, r#"{"type":"chat"}"#);
    for _ in 0..2 {
        let fenced = content(ask(&server.url(), "route", json!({})).await.unwrap()).await;
        assert!(fenced.contains("```json") && fenced.contains("\"action\""), "{fenced}");
    }
    let other: Value = ask(&server.url(), "", json!({})).await.unwrap().json().await.unwrap();
    assert!(other.get("usage").is_none());
    assert!(other["choices"][0].get("finish_reason").is_none());
    assert_eq!(server.stages(), ["route", "route", "route", "route", ""]);
}

#[tokio::test]
async fn streams_come_in_pieces_and_end_with_done() {
    let server =
        ModelServer::start(|_| ModelReply::text("Grüße, 世界!").chunks(3, Duration::from_millis(20)).usage(5, 6));
    let wants = json!({"stream": true, "stream_options": {"include_usage": true}});
    let started = Instant::now();
    let response = ask(&server.url(), "respond", wants).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let body = response.text().await.unwrap();
    assert!(started.elapsed() >= Duration::from_millis(100), "pieces come with a pause between them");
    assert!(body.ends_with("data: [DONE]\n\n"), "{body}");
    let events: Vec<Value> =
        body.split("\n\n").filter_map(|e| serde_json::from_str(e.strip_prefix("data: ")?).ok()).collect();
    let text: String = events.iter().filter_map(|e| e["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "Grüße, 世界!");
    assert_eq!(events.last().unwrap()["usage"]["completion_tokens"], 6);

    let whole = ModelServer::start(|_| ModelReply::text("all at once").ignoring_stream());
    let response = ask(&whole.url(), "respond", json!({"stream": true})).await.unwrap();
    assert_eq!(content(response).await, "all at once");
}

#[tokio::test]
async fn broken_answers_break_where_they_should() {
    let script = Script::new()
        .then("half", ModelReply::half_json())
        .then("half", ModelReply::text("a long answer indeed").midway())
        .then("gone", ModelReply::refuse())
        .then("raw", ModelReply::raw("{not json"))
        .then("hang", ModelReply::hang());
    let server = ModelServer::scripted(script);
    let half = ask(&server.url(), "half", json!({})).await.unwrap();
    assert_eq!(half.status(), 200, "the head arrives");
    assert!(half.text().await.is_err(), "the body does not");
    let mut half = ask(&server.url(), "half", json!({"stream": true})).await.unwrap();
    let first = half.chunk().await.unwrap().unwrap();
    assert!(first.starts_with(b"data: "));
    assert!(half.text().await.is_err());
    assert!(ask(&server.url(), "gone", json!({})).await.is_err());
    let raw = ask(&server.url(), "raw", json!({})).await.unwrap();
    assert_eq!(raw.text().await.unwrap(), "{not json");
    let url = server.url();
    let hanging = std::pin::pin!(ask(&url, "hang", json!({})));
    let arrived = std::pin::pin!(server.wait_calls("hang", 1, SOON));
    let still = match futures::future::select(hanging, arrived).await {
        futures::future::Either::Left(_) => panic!("it answered"),
        futures::future::Either::Right((_, still)) => still,
    };
    assert!(tokio::time::timeout(Duration::from_millis(150), still).await.is_err());
    assert!(server.calls_of("hang")[0].at_answered.is_none());
}

#[tokio::test]
async fn requests_are_answered_side_by_side() {
    let server = ModelServer::start(|_| ModelReply::text("ok").held());
    let url = server.url();
    let asked = (0..20).map(|_| ask(&url, "extract", json!({})));
    let all_there = async {
        server.wait_calls("extract", 20, SOON).await;
        server.release();
    };
    let (answers, ()) = futures::join!(futures::future::join_all(asked), all_there);
    answers.into_iter().for_each(|answer| assert!(answer.is_ok()));
    assert_eq!(server.most_at_once(), 20);
}

#[tokio::test]
#[should_panic(expected = "the script has no answer for call 1 of stage \"plan\"")]
async fn a_call_too_many_fails_the_test() {
    let server = ModelServer::scripted(Script::new());
    assert_eq!(ask(&server.url(), "plan", json!({})).await.unwrap().status(), 500);
}

#[tokio::test]
async fn the_simulated_server_logs_the_unavoidable_time() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.log");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let config = Simulated::new(|request| ModelReply::text(format!("simulated {}", request.stage)))
        .latency("route", Duration::from_millis(50))
        .latency("respond", Duration::from_millis(100));
    let path = log.clone();
    let serving = tokio::spawn(async move { serve_simulated(listener, config, &path).await });

    assert_eq!(content(ask(&url, "route", json!({})).await.unwrap()).await, "simulated route");
    let streamed = ask(&url, "respond", json!({"stream": true})).await.unwrap().text().await.unwrap();
    assert!(streamed.contains("[DONE]"));
    serving.abort();

    let calls = read_simulated_log(&log);
    let took: Vec<_> = calls.iter().map(|c| (c.stage.as_str(), c.sent_us - c.received_us)).collect();
    assert_eq!(took.len(), 2, "{took:?}");
    assert!(took[0].0 == "route" && took[0].1 >= 50_000, "{took:?}");
    assert!(took[1].0 == "respond" && took[1].1 >= 100_000, "{took:?}");
    assert!(calls[1].received_us >= calls[0].sent_us);
}
