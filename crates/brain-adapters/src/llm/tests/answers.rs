//! What is asked, and what is made of the answer.

use serde_json::{Value, json};

use super::*;

#[tokio::test]
async fn a_call_goes_out_with_stage_key_messages_and_limits() {
    let server = Server::new(|_, _| Answer::json(said(r#"{"type":"chat"}"#))).await;
    let done = ask(&client(&server), json_call()).await.expect("an answer");
    assert_eq!(done.json, Some(json!({"type": "chat"})));
    assert_eq!(done.usage, Usage { calls: 1, tokens_in: 11, tokens_out: 4, ..Usage::default() });
    let seen = &server.seen()[0];
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.header("x-brain-stage"), Some("route"));
    assert_eq!(seen.header("authorization"), Some("Bearer sk-test-0123456789"));
    assert_eq!(seen.body["messages"][0], json!({"role": "system", "content": "Be kind."}));
    assert_eq!(seen.body["messages"][1]["role"], "user");
    assert_eq!((&seen.body["max_tokens"], &seen.body["temperature"]), (&json!(200), &json!(0)));
    assert_eq!(seen.body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(seen.body["stream"], true);
}

#[tokio::test]
async fn reported_usage_counts_when_it_is_possible() {
    for (usage, tokens) in [
        (json!({"prompt_tokens": 21, "completion_tokens": 3}), (21, 3)),
        (json!({"prompt_tokens": 0, "completion_tokens": 900_000_000_000_u64}), (11, 1)),
        (json!("none"), (11, 1)),
    ] {
        let reply = usage.clone();
        let server = Server::new(move |_, _| {
            let mut answer = said("Hi!");
            answer["usage"] = reply.clone();
            Answer::json(answer)
        })
        .await;
        let done = ask(&client(&server), words_call()).await.expect("an answer");
        assert_eq!((done.usage.tokens_in, done.usage.tokens_out), tokens, "{usage}");
    }
}

#[tokio::test]
async fn half_a_document_huge_and_foreign_bodies_are_unreadable() {
    let huge = format!(r#"{{"choices":[{{"message":{{"content":"{}"}}}}]}}"#, "x".repeat(2 << 20));
    for (body, hint) in [
        (r#"{"choices":[{"message":{"cont"#.to_owned(), "BASE_URL"),
        ("<html>Welcome</html>".to_owned(), "BASE_URL"),
        (String::new(), "BASE_URL"),
        (huge, "1024 KiB"),
        (said("").to_string(), "empty"),
        (said("<think>well").to_string(), "empty"),
    ] {
        let server = Server::new(move |_, _| Answer::raw(200, "application/json", body.clone())).await;
        let error = ask(&client(&server), words_call()).await.expect_err("unreadable");
        assert!(matches!(&error, ModelError::Unreadable { why, .. } if why.contains(hint)), "{error}");
        assert_eq!(error.usage().calls, 1);
    }
}

#[tokio::test]
async fn json_is_found_in_prose_fences_and_under_a_wrong_content_type() {
    for text in [
        "Sure!\n```json\n{\"type\": \"chat\",}\n```\nBye",
        "<think>{\"type\":\"action\"}</think>{\"type\":\"chat\"}",
        "{\"type\":\"chat\"",
    ] {
        let server = Server::new(move |_, _| Answer::raw(200, "text/html", said(text).to_string())).await;
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
        // Servers that know one of the two refuse the other, in whatever words.
        "json_object" => {
            Answer::status(400, json!({"error": "'response_format.type' must be 'json_schema' or 'text'"}))
        }
        other => Answer::status(400, json!({"error": format!("response_format {other} is not supported")})),
    })
    .await;
    let client = client(&server);
    let done = ask(&client, json_call()).await.expect("an answer");
    assert_eq!(done.usage.calls, 3);
    let again = ask(&client, Call { stage: Stage::Plan, ..json_call() }).await.expect("an answer");
    assert_eq!(again.usage.calls, 1);
    let formats: Vec<String> = server.seen().iter().map(|seen| format_of(&seen.body).to_owned()).collect();
    assert_eq!(formats, ["json_schema", "json_object", "none", "none"]);
    let system = server.seen()[3].body["messages"][0]["content"].to_string();
    assert!(system.contains("additionalProperties"), "{system}");
}

#[tokio::test]
async fn a_schema_that_is_taken_and_ignored_goes_into_the_prompt_next_time() {
    let server = Server::new(|_, _| Answer::json(said("I would say: chat"))).await;
    let client = client(&server);
    assert_eq!(ask(&client, json_call()).await.expect("an answer").json, None);
    ask(&client, json_call()).await.expect("an answer");
    let seen = server.seen();
    assert_eq!((format_of(&seen[0].body), format_of(&seen[1].body)), ("json_schema", "json_object"));
}

#[tokio::test]
async fn parameters_a_model_refuses_are_left_out_from_then_on() {
    let server = Server::new(|_, seen| {
        if seen.body.get("max_tokens").is_some() {
            return Answer::status(400, json!({"error": {"message": "Use 'max_completion_tokens' instead."}}));
        }
        if seen.body.get("temperature").is_some() {
            return Answer::status(400, json!({"error": {"message": "'temperature' does not support 0"}}));
        }
        Answer::json(said(r#"{"type":"chat"}"#))
    })
    .await;
    let client = client(&server);
    assert_eq!(ask(&client, json_call()).await.expect("an answer").usage.calls, 3);
    assert_eq!(ask(&client, json_call()).await.expect("an answer").usage.calls, 1);
    assert_eq!(server.seen()[3].body["max_completion_tokens"], 200);
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
    assert_eq!(OpenAiClient::new(missing).expect_err("bad").to_string(), "no model endpoint is set for the stage plan");
}

#[test]
fn the_base_url_is_used_as_given() {
    for (base, full) in [
        ("http://localhost:11434", "http://localhost:11434/chat/completions"),
        ("https://h/v1/", "https://h/v1/chat/completions"),
        (" https://h/v1 ", "https://h/v1/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/openai?api-version=1#x", "https://h/openai/chat/completions?api-version=1"),
    ] {
        assert_eq!(url_of(base, "chat/completions").map(String::from).as_deref(), Some(full));
    }
}
