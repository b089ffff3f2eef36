//! Receiving updates: Telegram calls us, one update a call, and is answered once the update is stored.
//!
//! Invariants: nobody is heard who does not know the secret (compared in constant time, before anything of the body is
//! read); head and body have a largest size and a time by which they must be there, and connections a largest number;
//! 200 means that the update is durable, so what could not be stored is answered with 503 and delivered again. Not
//! here: TLS, which whatever stands in front ends; teloxide's own webhook answers before anything is stored.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode};
use axum::response::IntoResponse as _;
use futures::stream::{self, Stream, StreamExt};
use hyper::body::Incoming;
use secrecy::{ExposeSecret, SecretString};
use serde::de::IgnoredAny;
use serde_json::json;
use subtle::ConstantTimeEq;
use teloxide::types::{AllowedUpdate, Update};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::api::Api;
use super::backoff::Backoff;
use super::context::TelegramContext;
use super::error::TelegramError;
use crate::channel::http::{self, HttpLimits};
use crate::config::WebhookConfig;
use crate::config::tell;
use brain_core::limits;
use brain_core::ports::StoreError;

const LIMITS: HttpLimits = HttpLimits {
    connections: limits::WEBHOOK_CONNECTIONS_MAX,
    read: Duration::from_millis(limits::WEBHOOK_READ_MS),
    body_bytes: limits::WEBHOOK_BODY_BYTES_MAX,
};
const SECRET_HEADER: &str = "X-Telegram-Bot-Api-Secret-Token";

/// A socket that Telegram has not been told of yet.
pub(super) struct Webhook {
    config: WebhookConfig,
    listener: TcpListener,
}

struct WebhookDoor {
    context: Arc<TelegramContext>,
    secret: SecretString,
    stored: mpsc::Sender<Update>,
}

impl Webhook {
    pub async fn bind(config: WebhookConfig) -> Result<Self, TelegramError> {
        let cannot = |error: std::io::Error| TelegramError::Listen { addr: config.addr, why: error.to_string() };
        let listener = TcpListener::bind(config.addr).await.map_err(cannot)?;
        Ok(Self { config, listener })
    }

    /// Serves as long as the stream is read, and tells Telegram where.
    pub fn updates(
        self,
        context: Arc<TelegramContext>,
        allowed: Vec<AllowedUpdate>,
    ) -> impl Stream<Item = Update> + Send + 'static {
        let Self { config, listener } = self;
        let fresh = || SecretString::from(context.brain.new_id() + &context.brain.new_id());
        let secret = config.secret.clone().unwrap_or_else(fresh);
        let (stored, received) = mpsc::channel(limits::CHAT_QUEUE_MAX);
        let door = Arc::new(WebhookDoor { context: context.clone(), secret: secret.clone(), stored });
        let serving = async move {
            let announced = announce(&context.channel.sender.api, &config, &secret, &allowed);
            tokio::join!(http::serve(listener, LIMITS, move |request| answer(Arc::clone(&door), request)), announced);
        };
        let updates = stream::unfold(received, |mut received| async move { Some((received.recv().await?, received)) });
        // The server yields nothing itself; it is polled, and dropped, together with the updates.
        stream::select(updates, stream::once(serving).filter_map(|()| async { None }))
    }
}

/// Tells Telegram where to deliver; waits for a Telegram that cannot be reached.
async fn announce(api: &Api, config: &WebhookConfig, secret: &SecretString, allowed: &[AllowedUpdate]) {
    let secret = secret.expose_secret();
    let call = json!({"url": config.url.as_str(), "secret_token": secret, "allowed_updates": allowed});
    let limit = Duration::from_millis(limits::TELEGRAM_CALL_MS);
    let mut backoff = Backoff::default();
    while let Err(error) = api.method::<_, IgnoredAny>("setWebhook", &call, limit).await {
        let pause = backoff.met(&error);
        tokio::time::sleep(pause.max(Duration::from_millis(200))).await;
    }
    backoff.over();
    // The rest of the address may be a secret of its own.
    tell(&format!("Telegram delivers to {}; I listen on {}.", config.url.host_str().unwrap_or_default(), config.addr));
}

async fn answer(door: Arc<WebhookDoor>, request: Request<Incoming>) -> Response<Body> {
    let status = match heard(&door, request).await {
        Ok(body) => deliver(door, body).await,
        Err(status) => status,
    };
    let mut response = status.into_response();
    if status != StatusCode::OK {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The body of a call by somebody who knows the secret.
async fn heard(door: &WebhookDoor, request: Request<Incoming>) -> Result<Bytes, StatusCode> {
    if request.method() != Method::POST {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let given = request.headers().get(SECRET_HEADER).map(|value| value.as_bytes()).unwrap_or_default();
    if !bool::from(given.ct_eq(door.secret.expose_secret().as_bytes())) {
        return Err(StatusCode::UNAUTHORIZED);
    }
    http::body(request, LIMITS).await
}

/// One update.
async fn deliver(door: Arc<WebhookDoor>, body: Bytes) -> StatusCode {
    // What is no update is taken, or it would come for ever.
    let Some(update) = std::str::from_utf8(&body).ok().and_then(|raw| door.context.received(raw)) else {
        tracing::warn!(bytes = body.len(), "something that is no update was delivered");
        return StatusCode::OK;
    };
    // Whoever hangs up now must not leave an update that is stored but never handled.
    let admitted = tokio::spawn(async move {
        for update in door.context.admit(vec![update]).await? {
            // Nobody reads any more: it is stored, and handled after the next start.
            let _ = door.stored.send(update).await;
        }
        Ok::<_, StoreError>(())
    });
    match admitted.await {
        Ok(Ok(())) => StatusCode::OK,
        Ok(Err(error)) => {
            tracing::error!(%error, "an update could not be stored; it is delivered again");
            StatusCode::SERVICE_UNAVAILABLE
        }
        Err(broken) => {
            tracing::error!(%broken, "an update broke on its way in; it is delivered again");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
