//! The wire side of the scripted endpoint.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::super::wire::{Cut, serve_http};
use super::reply::{Content, Manner, ModelReply, ModelRequest};
use super::{Call, Shared, simulated};

pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let router = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .layer(DefaultBodyLimit::max(64 << 20))
        .with_state(shared);
    serve_http(listener, router).await;
}

async fn models() -> axum::Json<Value> {
    axum::Json(json!({"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tests"}]}))
}

async fn complete(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let received_us = simulated::unix_us();
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return plain(400, &json!({"error": {"message": "the body is not JSON"}}).to_string());
    };
    let (receipt, reply, request) = shared.take(&headers, body, received_us);
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    if reply.is_held {
        shared.released.subscribe().wait_for(|released| *released).await.unwrap();
    }
    match reply.manner {
        Manner::Hang => std::future::pending().await,
        Manner::Refuse => {
            cut.now();
            plain(500, "")
        }
        Manner::Whole | Manner::CutMidway => answer(receipt, &reply, &request),
    }
}

/// Marks its call as answered when the last byte of the answer has been handed over.
struct Receipt {
    shared: Arc<Shared>,
    index: usize,
    stage: String,
    received_us: u64,
}

impl Receipt {
    fn answered(&self) {
        if let Some(log) = &self.shared.log {
            log.write(&self.stage, self.received_us, simulated::unix_us());
        } else if let Some(call) = self.shared.calls.lock().unwrap().get_mut(self.index) {
            call.at_answered = Some(Instant::now());
        }
    }
}

impl Shared {
    /// Logs the request and asks the script.
    fn take(
        self: &Arc<Self>,
        headers: &HeaderMap,
        body: Value,
        received_us: u64,
    ) -> (Receipt, ModelReply, ModelRequest) {
        let mut request = read_request(headers, body);
        let index = {
            let mut calls = self.calls.lock().unwrap();
            request.nth = calls.iter().filter(|call| call.stage == request.stage).count();
            // The simulated server runs for hours and keeps its log on disk.
            if self.log.is_none() {
                calls.push(Call::from(&request));
            }
            calls.len().saturating_sub(1)
        };
        let reply = catch_unwind(AssertUnwindSafe(|| (self.script)(&request))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            self.script_panic.lock().unwrap().get_or_insert(message.unwrap_or_default());
            ModelReply::status(500)
        });
        let reply = if request.in_conversation { reply.into_said() } else { reply };
        let receipt = Receipt { shared: Arc::clone(self), index, stage: request.stage.clone(), received_us };
        (receipt, reply, request)
    }
}

impl From<&ModelRequest> for Call {
    fn from(request: &ModelRequest) -> Self {
        Self {
            stage: request.stage.clone(),
            at_received: Instant::now(),
            at_answered: None,
            prompt_chars: request.prompt_chars(),
            messages: request.messages.clone(),
            response_format: request.response_format.clone(),
            model: request.model.clone(),
            stream: request.stream,
            authorization: request.authorization.clone(),
            body: request.body.clone(),
        }
    }
}

fn read_request(headers: &HeaderMap, body: Value) -> ModelRequest {
    let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let role = |message: &Value| message["role"].as_str().unwrap_or_default().to_owned();
    let messages: Vec<(String, String)> = messages.iter().map(|m| (role(m), content_text(&m["content"]))).collect();
    let stage = header("x-brain-stage").unwrap_or_default();
    let in_conversation = stage == "converse";
    let goes_on = || messages.iter().any(|(_, text)| text.contains("\n\nYou answered: "));
    let stage = match in_conversation {
        true if goes_on() => "respond".to_owned(),
        true => "plan".to_owned(),
        false => stage,
    };
    ModelRequest {
        stage,
        in_conversation,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        messages,
        response_format: body.get("response_format").filter(|v| !v.is_null()).cloned(),
        stream: body["stream"].as_bool().unwrap_or(false),
        authorization: header("authorization"),
        nth: 0,
        body,
    }
}

fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn answer(receipt: Receipt, reply: &ModelReply, request: &ModelRequest) -> Response<Body> {
    let streams = request.stream && !reply.ignores_stream && reply.status == 200;
    let pieces = match &reply.content {
        Content::Raw(body) => return whole(receipt, reply, body.clone()),
        Content::Text(text) if streams => sse_events(text, reply, request),
        Content::Text(text) => return whole(receipt, reply, completion(text, reply, request)),
    };
    let cut_after = match reply.manner {
        Manner::CutMidway => pieces.len() / 2,
        Manner::Whole | Manner::Hang | Manner::Refuse => pieces.len(),
    };
    let cut = cut_after < pieces.len();
    let pieces: Vec<String> = pieces.into_iter().take(cut_after).collect();
    let delay = reply.chunk_delay;
    let events = stream::iter(pieces).enumerate().then(move |(index, piece)| async move {
        if index > 0 && !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(Bytes::from(piece))
    });
    let body = Body::from_stream(events.chain(ending(receipt, cut)));
    head(reply, "text/event-stream").body(body).unwrap()
}

fn whole(receipt: Receipt, reply: &ModelReply, body: String) -> Response<Body> {
    if reply.manner == Manner::CutMidway {
        let half = Bytes::copy_from_slice(&body.as_bytes()[..body.len() / 2]);
        let first = stream::iter([Ok(half)]);
        let response = head(reply, "application/json").header("Content-Length", body.len());
        return response.body(Body::from_stream(first.chain(ending(receipt, true)))).unwrap();
    }
    receipt.answered();
    head(reply, "application/json").body(Body::from(body)).unwrap()
}

/// What comes after the last piece: the note in the log, and the cut if there is one.
fn ending(receipt: Receipt, cut: bool) -> impl futures::Stream<Item = io::Result<Bytes>> + Send {
    stream::once(async move {
        if cut {
            // One turn of the loop, so that what was written before has left.
            tokio::task::yield_now().await;
        }
        receipt.answered();
        if cut { Err(io::Error::other("cut by the test")) } else { Ok(Bytes::new()) }
    })
    .filter(|piece| futures::future::ready(piece.as_ref().map_or(true, |bytes| !bytes.is_empty())))
}

fn completion(text: &str, reply: &ModelReply, request: &ModelRequest) -> String {
    let mut choice = json!({"index": 0, "message": {"role": "assistant", "content": text}});
    if let Some(reason) = &reply.finish_reason {
        choice["finish_reason"] = json!(reason);
    }
    let mut body = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": simulated::unix_us() / 1_000_000,
        "model": request.model, "choices": [choice],
    });
    if let Some(usage) = reply.usage_for(request) {
        body["usage"] = usage;
    }
    body.to_string()
}

fn sse_events(text: &str, reply: &ModelReply, request: &ModelRequest) -> Vec<String> {
    let event = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({
            "id": "chatcmpl-scripted", "object": "chat.completion.chunk",
            "created": simulated::unix_us() / 1_000_000, "model": request.model, "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        format!("data: {chunk}\n\n")
    };
    let delta =
        |delta: Value, reason: Value| event(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), None);
    let chars: Vec<char> = text.chars().collect();
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    for piece in chars.chunks(reply.chunk_chars) {
        events.push(delta(json!({"content": piece.iter().collect::<String>()}), Value::Null));
    }
    events.push(delta(json!({}), json!(reply.finish_reason)));
    let wants_usage = request.body["stream_options"]["include_usage"].as_bool().unwrap_or(false);
    if let (true, Some(usage)) = (wants_usage, reply.usage_for(request)) {
        events.push(event(json!([]), Some(usage)));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn head(reply: &ModelReply, content_type: &str) -> axum::http::response::Builder {
    let mut response = Response::builder().status(reply.status).header("Content-Type", content_type);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    response
}

fn plain(status: u16, body: &str) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap();
    Response::builder().status(status).body(Body::from(body.to_owned())).unwrap()
}
