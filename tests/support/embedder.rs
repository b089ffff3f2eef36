//! An embedding endpoint: `POST /v1/embeddings`, whose vectors lie near where texts share a meaning that it knows.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::wire::{Background, serve_http};

/// Words of one line mean the same.
const SAME: [&[&str]; 2] = [&["rabbit", "bunny"], &["car", "van"]];

/// The endpoint; stops when dropped.
#[allow(missing_debug_implementations)]
pub struct EmbeddingServer {
    background: Background,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl EmbeddingServer {
    pub fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let router = Router::new().route("/v1/embeddings", axum::routing::post(embed)).with_state(Arc::clone(&asked));
        let background = Background::start("embedder", |listener| serve_http(listener, router));
        Self { background, asked }
    }

    /// As `EMBEDDINGS_BASE_URL` takes it.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.background.addr())
    }

    /// The texts of every request so far.
    pub fn texts(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let texts = asked.iter().flat_map(|body| body["input"].as_array().unwrap().clone());
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

async fn embed(State(asked): State<Arc<Mutex<Vec<Value>>>>, Json(body): Json<Value>) -> (StatusCode, Json<Value>) {
    asked.lock().unwrap().push(body.clone());
    let Some(texts) = body["input"].as_array() else { return (StatusCode::BAD_REQUEST, Json(json!({}))) };
    let vector = |text: &Value| {
        let text = text.as_str().unwrap_or_default().to_lowercase();
        let has = |words: &[&str]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
        [has(SAME[0]), has(SAME[1]), 0.3]
    };
    // In another order than they were asked for: the index says which is whose.
    let data = texts.iter().enumerate().rev().map(|(index, text)| json!({"index": index, "embedding": vector(text)}));
    (StatusCode::OK, Json(json!({"object": "list", "data": data.collect::<Vec<_>>(), "model": body["model"]})))
}
