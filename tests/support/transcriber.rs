//! A transcription endpoint: `POST /v1/audio/transcriptions`, answered as a test says.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use tokio::sync::watch;

use super::wire::{Background, serve_http};

/// One request, as it arrived.
#[derive(Clone, Debug)]
pub struct TrafficEvent {
    pub authorization: Option<String>,
    pub content_type: String,
    /// The multipart body, bytes that are no text replaced.
    pub body: String,
}

struct Shared {
    status: u16,
    answer: String,
    released: watch::Sender<bool>,
    heard: Mutex<Vec<TrafficEvent>>,
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
        let transcriber = Self::held(status, answer);
        transcriber.release();
        transcriber
    }

    /// Hears these words once it is told to [release](Self::release) them.
    pub fn saying_late(words: &str) -> Self {
        Self::held(200, &serde_json::json!({"text": words}).to_string())
    }

    fn held(status: u16, answer: &str) -> Self {
        let (answer, released) = (answer.to_owned(), watch::Sender::new(false));
        let shared = Arc::new(Shared { status, answer, released, heard: Mutex::default() });
        let router = Router::new().route("/v1/audio/transcriptions", axum::routing::post(transcribe));
        let router = router.with_state(Arc::clone(&shared));
        let background = Background::start("transcriber", |listener| serve_http(listener, router));
        Self { background, shared }
    }

    /// As `TRANSCRIBE_BASE_URL` takes it.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.background.addr())
    }

    /// Lets the answers go, now and later.
    pub fn release(&self) {
        self.shared.released.send_replace(true);
    }

    pub fn heard(&self) -> Vec<TrafficEvent> {
        self.shared.heard.lock().unwrap().clone()
    }
}

async fn transcribe(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> (StatusCode, String) {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    shared.heard.lock().unwrap().push(TrafficEvent {
        authorization: header("authorization"),
        content_type: header("content-type").unwrap_or_default(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    shared.released.subscribe().wait_for(|released| *released).await.unwrap();
    (StatusCode::from_u16(shared.status).unwrap(), shared.answer.clone())
}
