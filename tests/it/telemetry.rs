//! Traces of turns at a collector: what arrives, and what never does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;

use crate::support::model_server::{ModelReply, ModelServer, Script};
use crate::support::program::Program;

type Arrived = Arc<Mutex<Vec<Vec<u8>>>>;

/// A collector that refuses the first `refusing` batches.
async fn collector(refusing: usize) -> (String, Arrived) {
    let (arrived, left) = (Arrived::default(), Arc::new(Mutex::new(refusing)));
    let kept = arrived.clone();
    let take = move |headers: HeaderMap, body: Bytes| async move {
        assert_eq!(headers["content-type"], "application/x-protobuf");
        let mut left = left.lock().unwrap();
        if *left > 0 {
            *left -= 1;
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        kept.lock().unwrap().push(body.to_vec());
        StatusCode::OK
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/v1/traces", post(take));
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, arrived)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_arrives_once_by_the_conventions_and_without_a_word() {
    let (url, arrived) = collector(1).await;
    let server = ModelServer::scripted(Script::new().otherwise(ModelReply::text("A quokka, then.")));
    let program = Program::new().model(&server).env("BRAIN_OTLP_URL", &url);
    let told = arrived.clone();
    tokio::task::spawn_blocking(move || {
        let mut console = program.console(&[]);
        console.say("remind me to feed the axolotl tomorrow at 5pm");
        console.say("tell me a story about the quokka");
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        while told.lock().unwrap().is_empty() && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(100));
        }
        // What ended just now arrives before the process does.
        console.say("what is two and two?");
        assert_eq!(console.terminate().code, 0);
    })
    .await
    .unwrap();
    let arrived: Vec<String> =
        arrived.lock().unwrap().iter().map(|batch| String::from_utf8_lossy(batch).into_owned()).collect();
    let all = arrived.concat();
    for part in ["invoke_agent brain-agent", "gen_ai.usage.input_tokens", "gen_ai.request.model", "chat scripted"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert_eq!(all.matches("brain.turn.id").count(), 3, "each of the three once: {all}");
    for word in ["quokka", "axolotl", "story", "two and two", "console:", "test-key"] {
        assert!(!all.contains(word), "{word}: {all}");
    }
}
