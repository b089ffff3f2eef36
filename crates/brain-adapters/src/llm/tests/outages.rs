//! Refusals, outages, retries, the breaker and the fallback endpoint.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::*;

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
        assert!(matches!(error, ModelError::Rejected { status: s, .. } if s == status), "{error:?}");
        let shown = format!("{error} {error:?} {client:?}");
        assert!(shown.contains(hint) && !shown.contains(KEY) && !shown.contains('\u{202E}'), "{shown}");
        assert_eq!((error.usage().calls, server.seen().len()), (1, 1));
    }
}

#[tokio::test]
async fn a_message_that_repeats_the_request_is_not_shown() {
    let server =
        Server::new(|_, _| Answer::status(400, json!({"error": "bad: Tell Bob about the surprise party"}))).await;
    let error = ask(&client(&server), words_call()).await.expect_err("refused").to_string();
    assert!(!error.contains("surprise"), "{error}");
}

#[tokio::test]
async fn outages_are_waited_out_up_to_three_attempts() {
    let server =
        Server::new(|n, _| if n < 2 { Answer::status(500, json!({})) } else { Answer::json(said("ok")) }).await;
    let done = ask(&client(&server), words_call()).await.expect("an answer");
    assert_eq!((done.text.as_str(), done.usage.calls), ("ok", 3));

    let down = Server::new(|_, _| Answer::status(503, json!({}))).await;
    let error = ask(&client(&down), words_call()).await.expect_err("down");
    assert!(matches!(error, ModelError::Rejected { status: 503, .. }));
    assert_eq!((error.usage().calls, down.seen().len()), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_when_it_is_short() {
    let date = || {
        let date = chrono::Utc::now() + chrono::TimeDelta::seconds(9);
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
        let done = ask(&client(&server), words_call()).await.expect("an answer");
        assert_eq!(done.usage.calls, 2);
        // A date has whole seconds only and is read on the machine's clock; back-off alone is less than a second.
        assert!(begun.elapsed() >= Duration::from_millis(950), "{:?}", begun.elapsed());
    }
    let busy = Server::new(|_, _| Answer::status(429, json!({})).with("Retry-After", "3600")).await;
    let begun = Instant::now();
    let error = ask(&client(&busy), words_call()).await.expect_err("busy");
    assert!(matches!(error, ModelError::Rejected { status: 429, .. }));
    assert!(busy.seen().len() == 1 && begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_never_answers_is_unreachable_after_the_time_out() {
    let server = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let begun = Instant::now();
    let error = ask(&hasty(&server), words_call()).await.expect_err("no answer");
    assert!(matches!(&error, ModelError::TooSlow { why, .. } if why.contains("300ms")), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
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
    let error = ask(&OpenAiClient::new(settings).expect("settings"), words_call()).await.expect_err("closed");
    let shown = format!("{error} {error:?}");
    assert!(shown.contains(&closed.to_string()) && !shown.contains("hidden"), "{shown}");
    assert_eq!(error.usage().calls, 3);
}

#[tokio::test]
async fn a_transfer_that_breaks_off_is_tried_again() {
    let server = Server::new(|n, _| match n {
        0 => Answer::json(said("never seen")).cut_after(20),
        _ => Answer::json(said("ok")),
    })
    .await;
    let done = ask(&client(&server), words_call()).await.expect("an answer");
    assert_eq!((done.text.as_str(), done.usage.calls), ("ok", 2));
}

#[tokio::test]
async fn the_breaker_opens_after_five_failures_and_closes_after_a_probe() {
    let server =
        Server::new(|n, _| if n < 5 { Answer::status(500, json!({})) } else { Answer::json(said("ok")) }).await;
    let client = client(&server);
    for calls in [3, 2, 0] {
        let error = ask(&client, words_call()).await.expect_err("down");
        assert_eq!(error.usage().calls, calls);
    }
    assert_eq!(server.seen().len(), 5);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(brain_core::limits::MODEL_REST_SECS)).await;
    tokio::time::resume();
    assert_eq!(ask(&client, words_call()).await.expect("a probe").text, "ok");
    assert_eq!(ask(&client, words_call()).await.expect("closed").usage.calls, 1);
}

#[tokio::test]
async fn the_fallback_endpoint_answers_when_the_first_cannot() {
    for status in [401, 404, 429, 500] {
        let first = Server::new(move |_, _| Answer::status(status, json!({})).with("Retry-After", "60")).await;
        let second = Server::new(|_, _| Answer::json(said("from the second"))).await;
        let fallback = Some(endpoint(&second, "other"));
        let client = OpenAiClient::new(ClientSettings { fallback, ..settings(&first) }).expect("settings");
        let done = ask(&client, words_call()).await.expect("an answer");
        assert_eq!((done.text.as_str(), done.usage.calls), ("from the second", 2), "{status}");
        assert_eq!(second.seen()[0].body["model"], "other");
    }
}

#[tokio::test]
async fn when_both_endpoints_fail_both_are_named() {
    let first = Server::new(|_, _| Answer::status(401, json!({}))).await;
    let second = Server::new(|_, _| Answer::status(404, json!({}))).await;
    let fallback = Some(endpoint(&second, "other"));
    let client = OpenAiClient::new(ClientSettings { fallback, ..settings(&first) }).expect("settings");
    let error = ask(&client, words_call()).await.expect_err("both refuse").to_string();
    assert!(error.contains("LLM_API_KEY") && error.contains("LLM_FALLBACK_MODEL"), "{error}");
}

#[tokio::test]
async fn a_request_refused_for_what_it_is_does_not_go_to_the_fallback() {
    let first = Server::new(|_, _| Answer::status(400, json!({"error": "too long"}))).await;
    let second = Server::new(|_, _| Answer::json(said("never"))).await;
    let fallback = Some(endpoint(&second, "other"));
    let client = OpenAiClient::new(ClientSettings { fallback, ..settings(&first) }).expect("settings");
    ask(&client, words_call()).await.expect_err("refused");
    assert!(second.seen().is_empty());
}

#[tokio::test]
async fn a_first_endpoint_that_is_silent_gives_way_to_the_fallback() {
    let first = Server::new(|_, _| Answer::hang(Vec::new())).await;
    let second = Server::new(|_, _| Answer::json(said("from the second"))).await;
    let settings = ClientSettings {
        fallback: Some(endpoint(&second, "other")),
        timeout: [(Stage::Respond, Duration::from_millis(300))].into(),
        ..settings(&first)
    };
    let client = OpenAiClient::new(settings).expect("settings");
    let done = ask(&client, words_call()).await.expect("an answer");
    assert_eq!((done.text.as_str(), done.usage.calls), ("from the second", 2));
}

/// Where a test's log goes.
#[derive(Clone, Default)]
pub(super) struct Log(pub(super) std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_figures_but_neither_key_nor_text() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let server = Server::new(|_, _| Answer::json(said("Of course"))).await;
    // Whether anybody listens to a line is decided when it is first met, perhaps by a test beside this one where nobody
    // does. The first answer meets them all; then it is decided anew, here.
    for _ in 0..2 {
        ask(&client(&server), words_call()).await.expect("an answer");
        tracing::callsite::rebuild_interest_cache();
    }
    drop(guard);
    let log = String::from_utf8(log.0.lock().expect("log").clone()).expect("text");
    for part in ["stage=\"respond\"", "model=\"small\"", "status=200", "tokens_in=11"] {
        assert!(log.contains(part), "{part} in {log}");
    }
    for part in [KEY, "surprise", "Of course", "Be kind"] {
        assert!(!log.contains(part), "{part} in {log}");
    }
}
