//! A transcription endpoint: `POST /v1/audio/transcriptions`, answered as a test says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use super::wire::{Background, serve_http};

/// One request, as it arrived.
#[derive(Clone, Debug)]
pub struct Heard {
    pub authorization: Option<String>,
    pub content_type: String,
    /// The multipart body, bytes that are no text replaced.
    pub body: String,
}

struct Shared {
    status: u16,
    answer: String,
    after: Duration,
    heard: Mutex<Vec<Heard>>,
}

/// The endpoint; stops when dropped.
#[allow(missing_debug_implementations)]
pub struct Transcriber {
    background: Background,
    shared: Arc<Shared>,
}

impl Transcriber {
    /// Hears these words in everything.
    pub fn saying(words: &str) -> Self {
        Self::answering(200, &serde_json::json!({"text": words}).to_string())
    }

    pub fn answering(status: u16, answer: &str) -> Self {
        Self::answering_after(Duration::ZERO, status, answer)
    }

    /// Hears these words, and takes its time.
    pub fn saying_after(after: Duration, words: &str) -> Self {
        Self::answering_after(after, 200, &serde_json::json!({"text": words}).to_string())
    }

    fn answering_after(after: Duration, status: u16, answer: &str) -> Self {
        let shared = Arc::new(Shared { status, answer: answer.to_owned(), after, heard: Mutex::default() });
        let router = Router::new().route("/v1/audio/transcriptions", axum::routing::post(transcribe));
        let router = router.with_state(Arc::clone(&shared));
        let background = Background::start("transcriber", |listener| serve_http(listener, router));
        Self { background, shared }
    }

    /// As `TRANSCRIBE_BASE_URL` takes it.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.background.addr())
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.shared.heard.lock().unwrap().clone()
    }
}

async fn transcribe(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> (StatusCode, String) {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    shared.heard.lock().unwrap().push(Heard {
        authorization: header("authorization"),
        content_type: header("content-type").unwrap_or_default(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    tokio::time::sleep(shared.after).await;
    (StatusCode::from_u16(shared.status).unwrap(), shared.answer.clone())
}
