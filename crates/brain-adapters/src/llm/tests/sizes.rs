//! How large a model is, found out where its name does not tell.

use serde_json::Value;

use super::*;

/// Whether the model of a server that lists `listed` and answers the questions so is taken for small, and what it was asked.
async fn asked_of(listed: Value, commands: &'static [&'static [&'static str]]) -> (bool, Vec<String>) {
    let server = Server::new(move |_, seen| {
        if !seen.path.ends_with("/chat/completions") {
            return Answer::json(listed.clone());
        }
        let user = seen.body["messages"].as_array().and_then(|all| all.last()?["content"].as_str()).unwrap_or_default();
        let at = ["Anna's", "when he called", "invoice", "Carla"].iter().position(|name| user.contains(name));
        match at {
            Some(at) => Answer::json(said(&json!({"commands": commands[at]}).to_string())),
            None => Answer::json(said("Hello.")),
        }
    })
    .await;
    let client = OpenAiClient::new(ClientSettings { learns_size: true, ..settings(&server) }).expect("settings");
    assert!(!client.is_small(Stage::Plan), "nothing is known");
    for _ in 0..2 {
        ask(&client, words_call()).await.expect("an answer");
    }
    let began = Instant::now();
    while !client.links[0].0.size.is_known() && began.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (client.is_small(Stage::Plan), server.seen().into_iter().map(|seen| seen.path).collect())
}

#[tokio::test]
async fn a_server_that_tells_how_large_its_model_is_is_asked_nothing_more() {
    let listed = |parameters: u64| json!({"data": [{"id": "small", "meta": {"n_params": parameters}}]});
    for (parameters, is_small) in [(1_500_000_000, true), (8_000_000_000, false)] {
        let (small, paths) = asked_of(listed(parameters), &[]).await;
        assert_eq!(small, is_small, "{parameters}");
        assert_eq!(paths.iter().filter(|path| path.ends_with("/chat/completions")).count(), 2, "{paths:?}");
    }
}

#[tokio::test]
async fn a_model_of_which_nothing_tells_is_asked_short_questions_once() {
    let right: &[&[&str]] = &[&["search_mail"], &[], &["search_mail"], &["move_event"]];
    let wrong: &[&[&str]] = &[&["delete_mail"], &["send_mail"], &["search_mail"], &["move_event", "set_reminder"]];
    for (answers, is_small) in [(right, false), (wrong, true)] {
        let (small, paths) = asked_of(json!({"data": [{"id": "some-model"}]}), answers).await;
        assert_eq!(small, is_small, "{answers:?}");
        assert_eq!(paths.iter().filter(|path| path.ends_with("/chat/completions")).count(), 2 + 4, "{paths:?}");
    }
}

#[tokio::test]
async fn what_was_found_of_a_model_counts_before_its_name() {
    let server = Server::new(|_, _| Answer::json(said("Hello."))).await;
    let label = endpoint(&server, "qwen3:4b").label().expect("an address");
    assert!(label.starts_with("qwen3:4b at 127.0.0.1:") && !label.contains(KEY), "{label}");
    for (found, is_small) in [(None, true), (Some(false), false), (Some(true), true)] {
        let client = OpenAiClient::new(ClientSettings {
            stages: Stage::ALL.map(|stage| (stage, endpoint(&server, "qwen3:4b"))).into(),
            found_small: found.map(|is_small| (label.clone(), is_small)).into_iter().collect(),
            ..settings(&server)
        });
        assert_eq!(client.expect("settings").is_small(Stage::Plan), is_small, "{found:?}");
    }
}
