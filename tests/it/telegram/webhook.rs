//! Updates that Telegram delivers by itself.

use super::*;
use crate::support::guarded::free_ports;

const SECRET: &str = "the-secret-of-the-test";

struct Hooked {
    api: FakeBotApi,
    url: String,
    daemon: Daemon,
}

async fn hooked(program: Program) -> Hooked {
    let api = FakeBotApi::start().await;
    let [port] = free_ports();
    let free = format!("127.0.0.1:{port}");
    let url = format!("http://{free}/telegram");
    let program = program.env("BRAIN_WEBHOOK_URL", &url).env("BRAIN_WEBHOOK_ADDR", &free);
    let daemon = program.daemon(&api);
    api.wait_calls("setWebhook", 1, SOON).await;
    Hooked { api, url, daemon }
}

fn update(number: i64, text: &str) -> serde_json::Value {
    json!({"update_id": number, "message": {
        "message_id": number, "date": 1, "chat": {"id": ANNA, "type": "private"}, "text": text,
        "from": {"id": ANNA, "is_bot": false, "first_name": "A"},
    }})
}

#[tokio::test]
async fn updates_are_taken_by_webhook_and_nothing_is_polled() {
    let model = echo();
    let Hooked { api, daemon, .. } = hooked(installed().model(&model)).await;
    api.user_says(ANNA, "hello by hook");
    answer(&api, ANNA, "You said: hello by hook").await;
    api.wait_acknowledged(SOON).await;
    let again = api.last_update_id();
    api.push_again(again);
    api.user_says(ANNA, "the end");
    answer(&api, ANNA, "the end").await;
    assert_eq!(how_many(&api, ANNA, "hello by hook"), 1, "{}", api.transcript());
    assert!(api.calls("getUpdates").is_empty());
    let announced = &api.calls("setWebhook")[0].params;
    let secret = announced["secret_token"].as_str().unwrap();
    assert!(secret.len() >= 20, "made at the start: {secret}");
    assert!(announced["allowed_updates"].to_string().contains("my_chat_member"), "{announced:?}");
    assert_eq!(daemon.terminate(), 0);
}

#[tokio::test]
async fn who_does_not_know_the_secret_is_not_heard_and_garbage_does_no_harm() {
    let Hooked { api, url, mut daemon } = hooked(installed().env("BRAIN_WEBHOOK_SECRET", SECRET)).await;
    api.open_chat(ANNA);
    // A connection a call: one that was refused midway is not used again.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let send = |secret: Option<&str>, body: String| {
        let request = client.post(&url).body(body);
        let request = match secret {
            Some(secret) => request.header("X-Telegram-Bot-Api-Secret-Token", secret),
            None => request,
        };
        async move { request.send().await.unwrap().status().as_u16() }
    };
    for wrong in [None, Some(""), Some("wrong"), Some("the-secret-of-the-tesT"), Some("the-secret-of-the-test2")] {
        assert_eq!(send(wrong, update(1, "/pending").to_string()).await, 401, "{wrong:?}");
    }
    // Refused before all of it was read, which may cut the line before the answer is there.
    let huge = client.post(&url).header("X-Telegram-Bot-Api-Secret-Token", SECRET).body("a".repeat(2 * 1024 * 1024));
    match huge.send().await {
        Ok(answer) => assert_eq!(answer.status(), 413),
        Err(_cut) => assert!(daemon.is_running()),
    }
    for garbage in ["", "{", "[]", "{\"update_id\": \"x\"}", "\u{0}"] {
        assert_eq!(send(Some(SECRET), garbage.to_owned()).await, 200, "{garbage:?}");
    }
    assert_eq!(client.get(&url).send().await.unwrap().status(), 405);
    assert!(texts(&api, ANNA).is_empty(), "{}", api.transcript());
    for _ in 0..3 {
        assert_eq!(send(Some(SECRET), update(7, "/pending").to_string()).await, 200);
    }
    answer(&api, ANNA, "Nothing is waiting").await;
    // Numbers need not grow.
    assert_eq!(send(Some(SECRET), update(5, "/pending").to_string()).await, 200);
    api.wait_for("the second answer", SOON, |api| (texts(api, ANNA).len() >= 2).then_some(())).await;
    assert_eq!(how_many(&api, ANNA, "Nothing is waiting"), 2, "{}", api.transcript());
    assert!(daemon.is_running());
    let stderr = daemon.stderr();
    assert!(!stderr.contains(SECRET), "{stderr}");
}

#[tokio::test]
async fn an_update_that_was_answered_survives_a_kill() {
    let slow = echo();
    let program = installed();
    let Hooked { api, daemon, .. } = hooked(program.clone().model(&slow)).await;
    api.user_says(ANNA, "hello (60000 ms)");
    slow.wait_calls("respond", 1, SOON).await;
    api.wait_acknowledged(SOON).await;
    daemon.kill();
    let fast = ModelServer::start(|request| match request.stage.as_str() {
        "route" => ModelReply::json(json!({"type": "chat", "domains": [], "is_followup": false})),
        _ => ModelReply::text(format!("You said: {}", message_in(request))),
    });
    // Back to polling: the webhook of the earlier life is taken off.
    let _daemon = serve(&program.model(&fast), &api).await;
    answer(&api, ANNA, "You said: hello").await;
    api.user_says(ANNA, "and on");
    answer(&api, ANNA, "and on").await;
    assert_eq!(how_many(&api, ANNA, "You said: hello"), 1, "{}", api.transcript());
}

#[tokio::test]
async fn a_door_that_cannot_be_opened_ends_the_start_by_name() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let api = FakeBotApi::start().await;
    let program = installed()
        .env("BRAIN_WEBHOOK_URL", "https://bot.example/telegram")
        .env("BRAIN_WEBHOOK_ADDR", &taken.local_addr().unwrap().to_string());
    let mut daemon = program.daemon(&api);
    assert_eq!(daemon.wait_exit(SOON), 2);
    assert!(daemon.stderr().contains("BRAIN_WEBHOOK_ADDR"), "{}", daemon.stderr());
}
