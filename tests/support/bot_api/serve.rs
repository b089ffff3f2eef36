//! The wire side of the fake Bot API: `/bot<TOKEN>/<method>` and `/file/bot<TOKEN>/<path>`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State as Ext};
use axum::http::{HeaderMap, Response, Uri};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::super::wire::{Cut, serve_http};
use super::faults::{self, Effect};
use super::request::{Params, int, nested, read_params};
use super::state::{Answer, Call, Refusal};
use super::{Shared, TOKEN, methods, webhook};

pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let router = Router::new().fallback(handle).with_state(Arc::clone(&shared));
    tokio::select! {
        () = serve_http(listener, router) => {}
        () = webhook::deliver(shared) => {}
    }
}

async fn handle(
    Ext(shared): Ext<Arc<Shared>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if let Some(id) = uri.path().strip_prefix(&format!("/file/bot{TOKEN}/files/")) {
        return file(&shared, id);
    }
    let Some((token, name)) = uri.path().strip_prefix("/bot").and_then(|rest| rest.split_once('/')) else {
        return answer_json(&Err(Refusal::new(404, "Not Found")));
    };
    if token != TOKEN {
        return answer_json(&Err(Refusal::new(401, "Unauthorized")));
    }
    let Some(params) = read_params(&uri, &headers, &body) else {
        return answer_json(&Err(Refusal::bad("object expected as parameters")));
    };
    let method = methods::canonical(name).unwrap_or(name).to_owned();
    let (index, effect) = shared.arrived(&method, &params);
    let silent = |cut: Cut| {
        cut.now();
        Response::new(Body::empty())
    };
    let answer = match effect {
        None => shared.perform(&method, &params).await,
        Some(Effect::Refuse(refusal)) => Err(refusal),
        Some(Effect::Page) => {
            shared.answered(index, 502);
            return gateway_page();
        }
        Some(Effect::CloseBefore) => return silent(cut),
        Some(Effect::CloseAfter) => {
            drop(shared.perform(&method, &params).await);
            return silent(cut);
        }
        Some(Effect::HangBefore) => std::future::pending().await,
        Some(Effect::HangAfter) => {
            drop(shared.perform(&method, &params).await);
            std::future::pending().await
        }
        Some(Effect::Delay(delay)) => {
            tokio::time::sleep(delay).await;
            shared.perform(&method, &params).await
        }
    };
    shared.answered(index, answer.as_ref().map_or_else(|refusal| refusal.code, |_| 200));
    answer_json(&answer)
}

impl Shared {
    /// Writes the call down and looks up what is to go wrong with it.
    fn arrived(&self, method: &str, params: &Params) -> (usize, Option<Effect>) {
        let call = Call { method: method.to_owned(), params: params.clone(), at: Instant::now(), status: None };
        self.change(|state| {
            state.calls.push(call);
            let planned = faults::take(&mut state.faults, method, int(params, "chat_id"), params);
            let fault = planned.or_else(|| state.weather.as_mut().and_then(|weather| weather.strike(method)));
            (state.calls.len() - 1, fault.map(faults::Fault::effect))
        })
    }

    fn answered(&self, index: usize, status: u16) {
        self.change(|state| {
            if let Some(call) = state.calls.get_mut(index) {
                call.status = Some(status);
            }
        });
    }

    async fn perform(&self, method: &str, params: &Params) -> Answer {
        if method == "getUpdates" {
            return self.get_updates(params).await;
        }
        self.change(|state| methods::perform(state, method, params))
    }

    async fn get_updates(&self, params: &Params) -> Answer {
        let offset = int(params, "offset").unwrap_or(0);
        let limit = usize::try_from(int(params, "limit").unwrap_or(100).clamp(1, 100)).unwrap_or(100);
        let seconds = u64::try_from(int(params, "timeout").unwrap_or(0).clamp(0, 50)).unwrap_or(0);
        let deadline = tokio::time::Instant::now() + Duration::from_secs(seconds);
        let mut changed = self.changed.subscribe();
        let poll = self.change(|state| {
            if state.webhook.is_some() {
                let what = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the \
                            webhook first";
                return Err(Refusal::new(409, format!("Conflict: {what}")));
            }
            if let Some(Value::Array(kinds)) = nested(params, "allowed_updates") {
                let kinds = kinds.iter().filter_map(|kind| kind.as_str().map(str::to_owned));
                state.allowed_updates = Some(kinds.collect());
            }
            state.poll += 1;
            // Whoever waits for that is woken.
            state.acknowledge(offset);
            Ok(state.poll)
        })?;
        loop {
            let batch = self.look_mut(|state| {
                if state.poll != poll {
                    return Err(Refusal::other_poller());
                }
                Ok(state.take_updates(limit))
            })?;
            if !batch.is_empty() || tokio::time::Instant::now() >= deadline {
                return Ok(json!(batch));
            }
            let _ = tokio::time::timeout_at(deadline, changed.changed()).await;
        }
    }
}

fn file(shared: &Shared, id: &str) -> Response<Body> {
    let bytes = shared.look(|state| state.files.get(id).cloned());
    match bytes {
        Some(bytes) => Response::new(Body::from(bytes)),
        None => answer_json(&Err(Refusal::new(404, "Not Found"))),
    }
}

fn gateway_page() -> Response<Body> {
    let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";
    Response::builder().status(502).header("Content-Type", "text/html").body(Body::from(page)).unwrap()
}

fn answer_json(answer: &Answer) -> Response<Body> {
    let (status, body) = match answer {
        Ok(result) => (200, json!({"ok": true, "result": result})),
        Err(refusal) => (refusal.code, refusal.to_json()),
    };
    let response = Response::builder().status(status).header("Content-Type", "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}
