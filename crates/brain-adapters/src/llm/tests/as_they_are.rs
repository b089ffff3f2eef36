//! Servers as they are: calls of tools that nobody offered, reasoning in the place of an answer, prompts cut off.

use serde_json::{Value, json};

use super::outages::Log;
use super::*;
use brain_core::ports::ToolCall;

fn called(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), arguments }
}

/// A stream of these deltas.
fn deltas(all: &[Value]) -> Answer {
    let events = all.iter().map(|delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]})));
    Answer::events(&(events.collect::<String>() + "data: [DONE]\n\n"))
}

fn piece(index: Option<u64>, id: Option<&str>, name: &str, arguments: &str) -> Value {
    let mut call = json!({"function": {"arguments": arguments}});
    if let Some(index) = index {
        call["index"] = json!(index);
    }
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    if !name.is_empty() {
        call["function"]["name"] = json!(name);
    }
    json!({"tool_calls": [call]})
}

#[tokio::test]
async fn a_streamed_call_of_tools_is_given_to_who_asked_for_json() {
    let call = |indexes: [Option<u64>; 2], ids: [Option<&str>; 2]| {
        vec![
            piece(indexes[0], ids[0], "task.create", "{\"title\":"),
            piece(indexes[0], None, "", "\"Milk\"}"),
            piece(indexes[1], ids[1], "task.create", "{\"title\":\"Eg"),
            piece(indexes[1], None, "", "gs\"}"),
        ]
    };
    for pieces in [
        call([Some(0), Some(1)], [Some("a"), Some("b")]),
        call([Some(0), Some(0)], [Some("a"), Some("b")]),
        call([None, None], [Some("a"), Some("b")]),
        call([None, None], [None, None]),
    ] {
        let answer = deltas(&pieces);
        let server = Server::new(move |_, _| answer.clone()).await;
        let done = ask(&client(&server), json_call()).await.expect("calls");
        let both = [called("task.create", json!({"title": "Milk"})), called("task.create", json!({"title": "Eggs"}))];
        assert_eq!((done.json, done.calls), (None, both.to_vec()), "{pieces:?}");
        assert!(done.usage.tokens_out > 0, "what was called is counted");
    }
}

#[tokio::test]
async fn a_call_written_as_text_is_no_answer_and_is_shown_to_nobody() {
    let call = r#"{"name": "task.create", "arguments": {"title": "Milk"}}"#;
    for written in [
        call.to_owned(),
        format!("```json\n{call}\n```"),
        format!("<tool_call>\n{call}\n</tool_call>"),
        "<function=task.create>{\"title\": \"Milk\"}</function>".to_owned(),
    ] {
        let text = written.clone();
        let server = Server::new(move |_, _| Answer::json(said(&text))).await;
        let done = ask(&client(&server), json_call()).await.expect("a call");
        assert_eq!((done.json, done.calls), (None, vec![called("task.create", json!({"title": "Milk"}))]), "{written}");
        let error = ask(&client(&server), words_call()).await.expect_err("no words");
        assert!(matches!(&error, ModelError::Unreadable { .. }), "{error}");
        let server = Server::new(move |_, _| Answer::events(&event(&format!("Sure!\n{written}")))).await;
        let (done, words) = stream(&client(&server), words_call()).await;
        assert!(done.is_err(), "a stream without an end");
        assert_eq!(words.trim(), "Sure!");
    }
    // The answer itself stands, whatever is called beside it.
    let beside = format!("{{\"type\":\"chat\"}}\n<tool_call>{call}</tool_call>");
    let server = Server::new(move |_, _| Answer::json(said(&beside))).await;
    let done = ask(&client(&server), json_call()).await.expect("an answer");
    assert_eq!((done.json, done.calls), (Some(json!({"type": "chat"})), Vec::new()));
}

#[tokio::test]
async fn reasoning_without_an_answer_is_empty_and_json_in_it_is_read() {
    let reply = |thoughts: &str| {
        let message = json!({"role": "assistant", "content": null, "reasoning_content": thoughts});
        json!({"choices": [{"message": message, "finish_reason": "stop"}]})
    };
    let (thought, json) = (reply("The person wants to talk."), reply("{\"type\":\"chat\"}"));
    let server = Server::new(move |_, _| Answer::json(thought.clone())).await;
    for call in [words_call(), json_call()] {
        let error = ask(&client(&server), call).await.expect_err("no answer");
        assert!(matches!(&error, ModelError::Unreadable { why, .. } if why.contains("empty")), "{error}");
    }
    let server = Server::new(move |_, _| Answer::json(json.clone())).await;
    assert_eq!(ask(&client(&server), json_call()).await.expect("an answer").json, Some(json!({"type": "chat"})));
}

fn counted(text: &str, usage: Value) -> Answer {
    let mut answer = said(text);
    answer["usage"] = usage;
    Answer::json(answer)
}

#[tokio::test]
async fn what_a_server_kept_of_a_prompt_is_counted() {
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}});
    let server = Server::new(move |_, _| counted("Hi!", usage.clone())).await;
    let done = ask(&client(&server), words_call()).await.expect("an answer");
    assert_eq!((done.usage.tokens_in, done.usage.tokens_cached), (11, 8));
}

#[tokio::test]
async fn a_server_that_cuts_prompts_off_is_told_of_once_with_the_remedy() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let server = Server::new(|_, _| counted("Hi!", json!({"prompt_tokens": 4_096, "completion_tokens": 3}))).await;
    let client = client(&server);
    assert_eq!(client.reads_tokens_max(Stage::Respond), None);
    ask(&client, words_call()).await.expect("an answer");
    assert_eq!(client.reads_tokens_max(Stage::Respond), None, "a short prompt is read whole");
    for _ in 0..3 {
        tracing::callsite::rebuild_interest_cache();
        ask(&client, Call { user: "word ".repeat(8_000).into(), ..words_call() }).await.expect("an answer");
    }
    drop(guard);
    assert_eq!(client.reads_tokens_max(Stage::Plan), Some(4_096), "of every stage that asks there");
    let log = String::from_utf8(log.0.lock().expect("log").clone()).expect("text");
    let warned = log.lines().filter(|line| line.contains("WARN")).count();
    assert!(warned <= 1, "once: {log}");
    // Whether a line is listened to may have been decided by a test beside this one.
    if warned == 1 {
        assert!(log.contains("4,096") && log.contains("--ctx-size") && log.contains("OLLAMA_CONTEXT_LENGTH"), "{log}");
    }
}
