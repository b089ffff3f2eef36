//! The client against a scripted server on the loopback interface.

mod answers;
mod as_they_are;
mod outages;
mod server;
mod sizes;
mod slow;
mod streaming;

use std::collections::HashMap;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use self::server::{Answer, Server, event, said};
use super::*;
use brain_core::ports::{AnswerSchema, Patience};

const KEY: &str = "sk-test-0123456789";

fn endpoint(server: &Server, model: &str) -> Endpoint {
    Endpoint {
        base_url: format!("http://{}/v1/", server.address),
        api_key: Some(SecretString::from(KEY)),
        model: model.into(),
    }
}

fn settings(server: &Server) -> ClientSettings {
    let _ = rustls::crypto::ring::default_provider().install_default();
    ClientSettings {
        stages: Stage::ALL.map(|stage| (stage, endpoint(server, "small"))).into(),
        fallback: None,
        timeout: HashMap::new(),
        learns_size: false,
        found_small: HashMap::new(),
    }
}

fn client(server: &Server) -> OpenAiClient {
    OpenAiClient::new(settings(server)).expect("settings")
}

/// A client that waits 300 ms.
fn hasty(server: &Server) -> OpenAiClient {
    let timeout = Stage::ALL.map(|stage| (stage, Duration::from_millis(300))).into();
    OpenAiClient::new(ClientSettings { timeout, ..settings(server) }).expect("settings")
}

fn words_call() -> Call {
    Call {
        stage: Stage::Respond,
        system: "Be kind.".into(),
        user: "Tell Bob about the surprise party".into(),
        schema: None,
        tokens_max: 200,
        patience: Patience::default(),
        meter: Default::default(),
    }
}

fn json_call() -> Call {
    Call {
        stage: Stage::Route,
        schema: Some(AnswerSchema::of(
            json!({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"], "additionalProperties": false}),
        )),
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
