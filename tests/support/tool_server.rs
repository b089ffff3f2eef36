//! A server of tools (MCP of 2025-11-25, over HTTP) that lets in who has a token of a [`TokenServer`], and says what it is.
//!
//! One tool, `look`; what each request carried is written down before it is answered.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::token_server::TokenServer;
use super::wire::{Background, serve_http};

#[derive(Debug)]
struct Guarded {
    tokens: TokenServer,
    here: String,
    /// What it calls itself.
    resource: Option<String>,
    /// What a call has to be good for, where none is.
    wants: Option<String>,
    /// It refuses everything, in words that hold what it was sent.
    says_back: bool,
    /// The method of each request and the token that it carried.
    asked: Vec<(String, Option<String>)>,
}

#[derive(Clone, Debug)]
pub struct ToolServer {
    background: Arc<Background>,
    guarded: Arc<Mutex<Guarded>>,
}

type Shared = State<Arc<Mutex<Guarded>>>;

impl ToolServer {
    pub fn of(tokens: &TokenServer) -> Self {
        let (here, asked) = (String::new(), Vec::new());
        let guarded = Guarded { tokens: tokens.clone(), here, resource: None, wants: None, says_back: false, asked };
        let guarded = Arc::new(Mutex::new(guarded));
        let router = Router::new()
            .route("/mcp", post(message))
            .route("/.well-known/oauth-protected-resource/mcp", get(about))
            .with_state(Arc::clone(&guarded));
        let background = Arc::new(Background::start("tool-server", |listener| serve_http(listener, router)));
        guarded.lock().unwrap().here = format!("http://{}", background.addr());
        Self { background, guarded }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.background.addr())
    }

    /// Somebody else gives access from now on.
    pub fn trusts(&self, tokens: &TokenServer) {
        self.guarded.lock().unwrap().tokens = tokens.clone();
    }

    /// Its metadata says that it is this one.
    pub fn calls_itself(&self, resource: &str) {
        self.guarded.lock().unwrap().resource = Some(resource.to_owned());
    }

    /// No token is good for a call.
    pub fn wants(&self, scope: &str) {
        self.guarded.lock().unwrap().wants = Some(scope.to_owned());
    }

    /// It refuses everything, in words that hold what it was sent.
    pub fn says_back(&self) {
        self.guarded.lock().unwrap().says_back = true;
    }

    /// The method of each request so far and the token that it carried.
    pub fn asked(&self) -> Vec<(String, Option<String>)> {
        self.guarded.lock().unwrap().asked.clone()
    }
}

async fn about(State(guarded): Shared) -> Response {
    let guarded = guarded.lock().unwrap();
    let resource = guarded.resource.clone().unwrap_or_else(|| format!("{}/mcp", guarded.here));
    Json(json!({"resource": resource, "authorization_servers": [guarded.tokens.issuer()], "scopes_supported": ["tools"]}))
        .into_response()
}

async fn message(State(guarded): Shared, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let mut guarded = guarded.lock().unwrap();
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned);
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    guarded.asked.push((method.clone(), token.clone()));
    if guarded.says_back {
        let sent: Vec<&str> = headers.values().filter_map(|value| value.to_str().ok()).collect();
        let error = json!({"code": -32600, "message": format!("no thanks: {}", sent.join(", "))});
        return Json(json!({"jsonrpc": "2.0", "id": message["id"], "error": error})).into_response();
    }
    let refused = |status: StatusCode, challenge: String| {
        (status, [(header::WWW_AUTHENTICATE, challenge)], "geheim").into_response()
    };
    if !token.is_some_and(|token| guarded.tokens.is_active(&token)) {
        let place = format!("{}/.well-known/oauth-protected-resource/mcp", guarded.here);
        return refused(StatusCode::UNAUTHORIZED, format!("Bearer resource_metadata=\"{place}\""));
    }
    if let Some(scope) = guarded.wants.as_ref().filter(|_| method == "tools/call") {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope} '; rm\"");
        return refused(StatusCode::FORBIDDEN, challenge);
    }
    let result = match method.as_str() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "seen"}]}),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        _ => {
            let error = json!({"code": -32601, "message": "not known"});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            return (StatusCode::BAD_REQUEST, Json(answer)).into_response();
        }
    };
    Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}
