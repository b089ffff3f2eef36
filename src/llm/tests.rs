//! The client against a scripted server on the loopback interface.

mod server;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use self::server::{Answer, Server, event, said};
use super::*;

const KEY: &str = "sk-test-0123456789";

fn endpoint(server: &Server, model: &str) -> Endpoint {
    Endpoint {
        base_url: format!("http://{}/v1/", server.address),
        api_key: Some(SecretString::from(KEY)),
        model: model.into(),
    }
}

fn settings(server: &Server) -> Settings {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Settings {
        stages: Stage::ALL
            .map(|stage| (stage, endpoint(server, "small")))
            .into(),
        fallback: None,
        timeout: HashMap::new(),
    }
}

fn client(server: &Server) -> OpenAiClient {
    OpenAiClient::new(settings(server)).expect("settings")
}

/// A client that waits 300 ms.
fn hasty(server: &Server) -> OpenAiClient {
    let timeout = Stage::ALL
        .map(|stage| (stage, Duration::from_millis(300)))
        .into();
    OpenAiClient::new(Settings {
        timeout,
        ..settings(server)
    })
    .expect("settings")
}

fn words_call() -> Call {
    Call {
        stage: Stage::Respond,
        system: "Be kind.".into(),
        user: "Tell Bob about the surprise party".into(),
        schema: None,
        tokens_max: 200,
    }
}

fn json_call() -> Call {
    Call {
        stage: Stage::Route,
        schema: Some(
            json!({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"], "additionalProperties": false}),
        ),
        ..words_call()
    }
}

async fn ask(client: &OpenAiClient, call: Call) -> Result<Completion, ModelError> {
    client.complete(call, None).await
}

async fn stream(client: &OpenAiClient, call: Call) -> (Result<Completion, ModelError>, String) {
    let (to, mut from) = unbounded_channel();
    let result = client.complete(call, Some(to)).await;
    let mut words = String::new();
    while let Ok(piece) = from.try_recv() {
        words.push_str(&piece);
    }
    (result, words)
}

#[tokio::test]
async fn a_call_goes_out_with_stage_key_messages_and_limits() {
    let server = Server::new(|_, _| Answer::json(said(r#"{"type":"chat"}"#))).await;
    let done = ask(&client(&server), json_call()).await.expect("an answer");
    assert_eq!(done.json, Some(json!({"type": "chat"})));
    assert_eq!(
        done.usage,
        Usage {
            calls: 1,
            tokens_in: 11,
            tokens_out: 4
        }
    );
    let seen = &server.seen()[0];
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.header("x-brain-stage"), Some("route"));
    assert_eq!(
        seen.header("authorization"),
        Some("Bearer sk-test-0123456789")
    );
    assert_eq!(
        seen.body["messages"][0],
        json!({"role": "system", "content": "Be kind."})
    );
    assert_eq!(seen.body["messages"][1]["role"], "user");
    assert_eq!(
        (&seen.body["max_tokens"], &seen.body["temperature"]),
        (&json!(200), &json!(0))
    );
    assert_eq!(seen.body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(seen.body["stream"], false);
}

#[tokio::test]
async fn reported_usage_counts_when_it_is_possible() {
    for (usage, tokens) in [
        (
            json!({"prompt_tokens": 21, "completion_tokens": 3}),
            (21, 3),
        ),
        (
            json!({"prompt_tokens": 0, "completion_tokens": 900_000_000_000_u64}),
            (11, 1),
        ),
        (json!("none"), (11, 1)),
    ] {
        let reply = usage.clone();
        let server = Server::new(move |_, _| {
            let mut answer = said("Hi!");
            answer["usage"] = reply.clone();
            Answer::json(answer)
        })
        .await;
        let done = ask(&client(&server), words_call())
            .await
            .expect("an answer");
        assert_eq!(
            (done.usage.tokens_in, done.usage.tokens_out),
            tokens,
            "{usage}"
        );
    }
}

#[tokio::test]
async fn refusals_say_what_to_check_and_are_not_repeated() {
    for (status, hint) in [
        (401, "LLM_API_KEY"),
        (403, "LLM_API_KEY"),
        (404, "LLM_MODEL"),
        (307, "LLM_BASE_URL"),
        (400, "maximum context length"),
    ] {
        let server = Server::new(move |_, _| {
            let message = format!("maximum context length\u{202E}, Bearer {KEY}");
            Answer::status(status, json!({"error": {"message": message}}))
        })
        .await;
        let client = client(&server);
        let error = ask(&client, words_call()).await.expect_err("refused");
        assert!(
            matches!(error, ModelError::Rejected { status: s, .. } if s == status),
            "{error:?}"
        );
        let shown = format!("{error} {error:?} {client:?}");
        assert!(
            shown.contains(hint) && !shown.contains(KEY) && !shown.contains('\u{202E}'),
            "{shown}"
        );
        assert_eq!((error.usage().calls, server.seen().len()), (1, 1));
    }
}

#[tokio::test]
async fn a_message_that_repeats_the_request_is_not_shown() {
    let server = Server::new(|_, _| {
        Answer::status(
            400,
            json!({"error": "bad: Tell Bob about the surprise party"}),
        )
    })
    .await;
    let error = ask(&client(&server), words_call())
        .await
        .expect_err("refused")
        .to_string();
    assert!(!error.contains("surprise"), "{error}");
}

#[tokio::test]
async fn outages_are_waited_out_up_to_three_attempts() {
    let server = Server::new(|n, _| {
        if n < 2 {
            Answer::status(500, json!({}))
        } else {
            Answer::json(said("ok"))
        }
    })
    .await;
    let done = ask(&client(&server), words_call())
        .await
        .expect("an answer");
    assert_eq!((done.text.as_str(), done.usage.calls), ("ok", 3));

    let down = Server::new(|_, _| Answer::status(503, json!({}))).await;
    let error = ask(&client(&down), words_call()).await.expect_err("down");
    assert!(matches!(error, ModelError::Rejected { status: 503, .. }));
    assert_eq!((error.usage().calls, down.seen().len()), (3, 3));
}

#[tokio::test]
async fn retry_after_is_obeyed_when_it_is_short() {
    let date = || {
        let date = chrono::Utc::now() + chrono::TimeDelta::seconds(2);
        date.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    };
    for is_date in [false, true] {
        let server = Server::new(move |n, _| match n {
            0 if is_date => Answer::status(429, json!({})).with("Retry-After", &date()),
            0 => Answer::status(429, json!({})).with("Retry-After", "1"),
            _ => Answer::json(said("ok")),
        })
        .await;
        let begun = Instant::now();
        let done = ask(&client(&server), words_call())
            .await
            .expect("an answer");
        assert_eq!(done.usage.calls, 2);
        // A date has whole seconds only, so two seconds ahead is at least one; back-off alone is less.
        assert!(
            begun.elapsed() >= Duration::from_millis(950),
            "{:?}",
            begun.elapsed()
        );
    }
    let busy = Server::new(|_, _| Answer::status(429, json!({})).with("Retry-After", "3600")).await;
    let begun = Instant::now();
    let error = ask(&client(&busy), words_call()).await.expect_err("busy");
    assert!(matches!(error, ModelError::Rejected { status: 429, .. }));
    assert!(busy.seen().len() == 1 && begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_endpoint_that_never_answers_is_unreachable_after_the_time_out() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let begun = Instant::now();
    let error = ask(&hasty(&server), words_call())
        .await
        .expect_err("no answer");
    assert!(
        matches!(&error, ModelError::Unreachable { why, .. } if why.contains("300ms")),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn nobody_listening_is_unreachable_and_names_the_place() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let closed = {
        let l = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
        l.local_addr().expect("address")
    };
    let mut settings = settings(&server);
    for endpoint in settings.stages.values_mut() {
        endpoint.base_url = format!("http://user:hidden@{closed}/v1");
    }
    let error = ask(
        &OpenAiClient::new(settings).expect("settings"),
        words_call(),
    )
    .await
    .expect_err("closed");
    let shown = format!("{error} {error:?}");
    assert!(
        shown.contains(&closed.to_string()) && !shown.contains("hidden"),
        "{shown}"
    );
    assert_eq!(error.usage().calls, 3);
}

#[tokio::test]
async fn half_a_document_huge_and_foreign_bodies_are_unreadable() {
    let huge = format!(
        r#"{{"choices":[{{"message":{{"content":"{}"}}}}]}}"#,
        "x".repeat(2 << 20)
    );
    for (body, hint) in [
        (r#"{"choices":[{"message":{"cont"#.to_owned(), "BASE_URL"),
        ("<html>Welcome</html>".to_owned(), "BASE_URL"),
        (String::new(), "BASE_URL"),
        (huge, "1024 KiB"),
        (said("").to_string(), "empty"),
        (said("<think>well").to_string(), "empty"),
    ] {
        let server =
            Server::new(move |_, _| Answer::raw(200, "application/json", body.clone())).await;
        let error = ask(&client(&server), words_call())
            .await
            .expect_err("unreadable");
        assert!(
            matches!(&error, ModelError::Unreadable { why, .. } if why.contains(hint)),
            "{error}"
        );
        assert_eq!(error.usage().calls, 1);
    }
}

#[tokio::test]
async fn a_transfer_that_breaks_off_is_tried_again() {
    let server = Server::new(|n, _| match n {
        0 => Answer::json(said("never seen")).cut_after(20),
        _ => Answer::json(said("ok")),
    })
    .await;
    let done = ask(&client(&server), words_call())
        .await
        .expect("an answer");
    assert_eq!((done.text.as_str(), done.usage.calls), ("ok", 2));
}

#[tokio::test]
async fn json_is_found_in_prose_fences_and_under_a_wrong_content_type() {
    for text in [
        "Sure!\n```json\n{\"type\": \"chat\",}\n```\nBye",
        "<think>{\"type\":\"action\"}</think>{\"type\":\"chat\"}",
        "{\"type\":\"chat\"",
    ] {
        let server =
            Server::new(move |_, _| Answer::raw(200, "text/html", said(text).to_string())).await;
        let done = ask(&client(&server), json_call()).await.expect("an answer");
        assert_eq!(done.json, Some(json!({"type": "chat"})), "{text}");
    }
}

#[tokio::test]
async fn an_answer_cut_by_the_token_limit_is_not_completed() {
    let server = Server::new(|_, _| {
        let mut answer = said(r#"{"type":"chat""#);
        answer["choices"][0]["finish_reason"] = json!("length");
        Answer::json(answer)
    })
    .await;
    let done = ask(&client(&server), json_call()).await.expect("an answer");
    assert_eq!((done.json, done.text.as_str()), (None, r#"{"type":"chat""#));
}

fn format_of(body: &Value) -> &str {
    body["response_format"]["type"].as_str().unwrap_or("none")
}

#[tokio::test]
async fn the_format_is_negotiated_once_per_endpoint() {
    let server = Server::new(|_, seen| match format_of(&seen.body) {
        "none" => Answer::json(said(r#"{"type":"chat"}"#)),
        other => Answer::status(
            400,
            json!({"error": format!("response_format {other} is not supported")}),
        ),
    })
    .await;
    let client = client(&server);
    let done = ask(&client, json_call()).await.expect("an answer");
    assert_eq!(done.usage.calls, 3);
    let again = ask(
        &client,
        Call {
            stage: Stage::Plan,
            ..json_call()
        },
    )
    .await
    .expect("an answer");
    assert_eq!(again.usage.calls, 1);
    let formats: Vec<String> = server
        .seen()
        .iter()
        .map(|seen| format_of(&seen.body).to_owned())
        .collect();
    assert_eq!(formats, ["json_schema", "json_object", "none", "none"]);
    let system = server.seen()[3].body["messages"][0]["content"].to_string();
    assert!(system.contains("additionalProperties"), "{system}");
}

#[tokio::test]
async fn a_schema_that_is_taken_and_ignored_goes_into_the_prompt_next_time() {
    let server = Server::new(|_, _| Answer::json(said("I would say: chat"))).await;
    let client = client(&server);
    assert_eq!(
        ask(&client, json_call()).await.expect("an answer").json,
        None
    );
    ask(&client, json_call()).await.expect("an answer");
    let seen = server.seen();
    assert_eq!(
        (format_of(&seen[0].body), format_of(&seen[1].body)),
        ("json_schema", "json_object")
    );
}

#[tokio::test]
async fn parameters_a_model_refuses_are_left_out_from_then_on() {
    let server = Server::new(|_, seen| {
        if seen.body.get("max_tokens").is_some() {
            return Answer::status(
                400,
                json!({"error": {"message": "Use 'max_completion_tokens' instead."}}),
            );
        }
        if seen.body.get("temperature").is_some() {
            return Answer::status(
                400,
                json!({"error": {"message": "'temperature' does not support 0"}}),
            );
        }
        Answer::json(said(r#"{"type":"chat"}"#))
    })
    .await;
    let client = client(&server);
    assert_eq!(
        ask(&client, json_call())
            .await
            .expect("an answer")
            .usage
            .calls,
        3
    );
    assert_eq!(
        ask(&client, json_call())
            .await
            .expect("an answer")
            .usage
            .calls,
        1
    );
    assert_eq!(server.seen()[3].body["max_completion_tokens"], 200);
}

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
        assert_eq!(
            (words.as_str(), done.text.as_str()),
            ("Grüße 👋", "Grüße 👋"),
            "{at}"
        );
        assert_eq!(
            done.usage,
            Usage {
                calls: 1,
                tokens_in: 9,
                tokens_out: 7
            }
        );
        assert_eq!(
            server.seen()[0].body["stream_options"]["include_usage"],
            true
        );
    }
}

#[tokio::test]
async fn a_server_that_ignores_stream_is_understood() {
    let server = Server::new(|_, _| Answer::json(said("Hello"))).await;
    let (done, words) = stream(&client(&server), words_call()).await;
    assert_eq!(
        (done.expect("an answer").text.as_str(), words.as_str()),
        ("Hello", "Hello")
    );
}

#[tokio::test]
async fn a_server_that_refuses_stream_options_is_asked_without() {
    let server = Server::new(|_, seen| match seen.body.get("stream_options") {
        Some(_) => Answer::status(
            422,
            json!({"detail": [{"loc": ["body", "stream_options"], "msg": "extra fields"}]}),
        ),
        None => Answer::events(&(event("Hello") + "data: [DONE]\n\n")),
    })
    .await;
    let client = client(&server);
    assert_eq!(
        stream(&client, words_call())
            .await
            .0
            .expect("an answer")
            .usage
            .calls,
        2
    );
    assert_eq!(
        stream(&client, words_call())
            .await
            .0
            .expect("an answer")
            .usage
            .calls,
        1
    );
}

#[tokio::test]
async fn a_stream_that_breaks_after_words_is_unreadable_and_not_repeated() {
    let half = event("Dear ");
    for answer in [
        Answer::events(&half).cut_after(half.len()),
        Answer::events(&half),
        Answer::hang(half.clone().into_bytes()),
        Answer::events(
            &(half.clone() + "data: {\"error\": {\"message\": \"overloaded\", \"code\": 503}}\n\n"),
        ),
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
    let server =
        Server::new(|_, _| Answer::events(&(event("Hel") + &event("lo") + "data: [DONE]\n\n")))
            .await;
    let (to, from) = unbounded_channel();
    drop(from);
    let done = client(&server)
        .complete(words_call(), Some(to))
        .await
        .expect("an answer");
    assert_eq!(done.text, "Hello");
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let client = client(&server);
    let call = tokio::time::timeout(Duration::from_millis(200), ask(&client, words_call()));
    call.await.expect_err("still waiting");
    tokio::time::timeout(Duration::from_secs(5), server.hangups_reach(1))
        .await
        .expect("closed");
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
async fn the_breaker_opens_after_five_failures_and_closes_after_a_probe() {
    let server = Server::new(|n, _| {
        if n < 5 {
            Answer::status(500, json!({}))
        } else {
            Answer::json(said("ok"))
        }
    })
    .await;
    let client = client(&server);
    for calls in [3, 2, 0] {
        let error = ask(&client, words_call()).await.expect_err("down");
        assert_eq!(error.usage().calls, calls);
    }
    assert_eq!(server.seen().len(), 5);
    tokio::time::pause();
    tokio::time::advance(breaker::REST).await;
    tokio::time::resume();
    assert_eq!(
        ask(&client, words_call()).await.expect("a probe").text,
        "ok"
    );
    assert_eq!(
        ask(&client, words_call())
            .await
            .expect("closed")
            .usage
            .calls,
        1
    );
}

#[tokio::test]
async fn the_fallback_endpoint_answers_when_the_first_cannot() {
    for status in [401, 404, 429, 500] {
        let first =
            Server::new(move |_, _| Answer::status(status, json!({})).with("Retry-After", "60"))
                .await;
        let second = Server::new(|_, _| Answer::json(said("from the second"))).await;
        let fallback = Some(endpoint(&second, "other"));
        let client = OpenAiClient::new(Settings {
            fallback,
            ..settings(&first)
        })
        .expect("settings");
        let done = ask(&client, words_call()).await.expect("an answer");
        assert_eq!(
            (done.text.as_str(), done.usage.calls),
            ("from the second", 2),
            "{status}"
        );
        assert_eq!(second.seen()[0].body["model"], "other");
    }
}

#[tokio::test]
async fn when_both_endpoints_fail_both_are_named() {
    let first = Server::new(|_, _| Answer::status(401, json!({}))).await;
    let second = Server::new(|_, _| Answer::status(404, json!({}))).await;
    let fallback = Some(endpoint(&second, "other"));
    let client = OpenAiClient::new(Settings {
        fallback,
        ..settings(&first)
    })
    .expect("settings");
    let error = ask(&client, words_call())
        .await
        .expect_err("both refuse")
        .to_string();
    assert!(
        error.contains("LLM_API_KEY") && error.contains("LLM_FALLBACK_MODEL"),
        "{error}"
    );
}

#[tokio::test]
async fn a_request_refused_for_what_it_is_does_not_go_to_the_fallback() {
    let first = Server::new(|_, _| Answer::status(400, json!({"error": "too long"}))).await;
    let second = Server::new(|_, _| Answer::json(said("never"))).await;
    let fallback = Some(endpoint(&second, "other"));
    let client = OpenAiClient::new(Settings {
        fallback,
        ..settings(&first)
    })
    .expect("settings");
    ask(&client, words_call()).await.expect_err("refused");
    assert!(second.seen().is_empty());
}

#[tokio::test]
async fn bad_settings_are_named_without_their_values() {
    let server = Server::new(|_, _| Answer::json(said("never"))).await;
    let with = |change: fn(&mut Endpoint)| {
        let mut settings = settings(&server);
        settings.stages.values_mut().for_each(change);
        OpenAiClient::new(settings).expect_err("bad").to_string()
    };
    assert!(with(|e| e.base_url = "ftp://secret".into()).contains("LLM_BASE_URL"));
    assert!(with(|e| e.base_url = "secret".into()).contains("LLM_BASE_URL"));
    assert!(with(|e| e.model = " ".into()).contains("LLM_MODEL"));
    let key = with(|e| e.api_key = Some(SecretString::from("secret\nsecret")));
    assert!(key.contains("LLM_API_KEY") && !key.contains("secret"));
    let mut missing = settings(&server);
    missing.stages.remove(&Stage::Plan);
    assert_eq!(
        OpenAiClient::new(missing).expect_err("bad").to_string(),
        "no model endpoint is set for the stage plan"
    );
}

#[test]
fn the_base_url_is_used_as_given() {
    for (base, full) in [
        (
            "http://localhost:11434",
            "http://localhost:11434/chat/completions",
        ),
        ("https://h/v1/", "https://h/v1/chat/completions"),
        (" https://h/v1 ", "https://h/v1/chat/completions"),
        (
            "https://h/v1/chat/completions",
            "https://h/v1/chat/completions",
        ),
        (
            "https://h/openai?api-version=1#x",
            "https://h/openai/chat/completions?api-version=1",
        ),
    ] {
        assert_eq!(
            completions_url(base).map(String::from).as_deref(),
            Some(full)
        );
    }
}
