//! Receiving updates: Telegram calls us, one update a call, and is answered once the update is stored.
//!
//! Invariants: nobody is heard who does not know the secret (compared in constant time); a body has a largest
//! size; 200 means that the update is durable, so what could not be stored is answered with 503 and delivered
//! again; from the inbox on, everything is as with polling. Not here: TLS, which whatever stands in front ends.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::IgnoredAny;
use subtle::ConstantTimeEq;
use teloxide_core::requests::Payload;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::TelegramError;
use super::polling::{self, ALLOWED_UPDATES};
use super::queue::Queues;
use super::trouble::Trouble;
use super::turns::{Desk, Job};
use crate::config::WebhookConfig;
use crate::limits;

const SECRET_HEADER: &str = "X-Telegram-Bot-Api-Secret-Token";

/// As the Bot API has it.
#[derive(Serialize)]
struct SetWebhook<'a> {
    url: &'a str,
    secret_token: &'a str,
    allowed_updates: [&'static str; 4],
}

impl Payload for SetWebhook<'_> {
    type Output = bool;
    const NAME: &'static str = "setWebhook";
}

struct Door {
    desk: Arc<Desk>,
    queues: Arc<Queues<Job>>,
    secret: SecretString,
}

/// Receives until `stop`.
pub(super) async fn receive(
    desk: &Arc<Desk>,
    queues: &Arc<Queues<Job>>,
    config: &WebhookConfig,
    stop: &CancellationToken,
) -> Result<(), TelegramError> {
    let cannot = |error: std::io::Error| TelegramError::Listen { addr: config.addr, why: error.to_string() };
    let listener = TcpListener::bind(config.addr).await.map_err(cannot)?;
    let fresh = || SecretString::from(format!("{}{}", desk.brain.new_id(), desk.brain.new_id()));
    let secret = config.secret.clone().unwrap_or_else(fresh);
    let door = Door { desk: desk.clone(), queues: queues.clone(), secret: secret.clone() };
    let router = Router::new()
        .fallback(axum::routing::post(deliver))
        .layer(DefaultBodyLimit::max(limits::WEBHOOK_BODY_BYTES_MAX))
        .with_state(Arc::new(door));
    let ended = stop.clone();
    let serving = axum::serve(listener, router).with_graceful_shutdown(async move { ended.cancelled().await });
    let announced = announce(desk, config, &secret);
    tokio::select! {
        // Whoever keeps a connection open after the end is not waited for.
        () = stop.cancelled() => Ok(()),
        served = serving.into_future() => served.map_err(cannot),
        () = async { announced.await; std::future::pending::<()>().await } => Ok(()),
    }
}

/// Tells Telegram where to deliver; waits for a Telegram that cannot be reached.
async fn announce(desk: &Desk, config: &WebhookConfig, secret: &SecretString) {
    let call =
        SetWebhook { url: config.url.as_str(), secret_token: secret.expose_secret(), allowed_updates: ALLOWED_UPDATES };
    let mut trouble = Trouble::default();
    while let Err(error) = desk.chat.wire.api.call::<_, IgnoredAny>(&call).await {
        let pause = trouble.met(&error);
        tokio::time::sleep(pause.max(Duration::from_millis(200))).await;
    }
    trouble.over();
    eprintln!("Telegram delivers to {}; I listen on {}.", config.url, config.addr);
}

/// One update.
async fn deliver(State(door): State<Arc<Door>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let given = headers.get(SECRET_HEADER).map(|value| value.as_bytes()).unwrap_or_default();
    if !bool::from(given.ct_eq(door.secret.expose_secret().as_bytes())) {
        return StatusCode::UNAUTHORIZED;
    }
    // What is no update is taken, or it would come for ever.
    let Some(update) = std::str::from_utf8(&body).ok().and_then(|raw| polling::sort(&door.desk, raw)) else {
        tracing::warn!(bytes = body.len(), "something that is no update was delivered");
        return StatusCode::OK;
    };
    match polling::arrive(&door.desk, &door.queues, vec![update]).await {
        Ok(()) => StatusCode::OK,
        Err(error) => {
            tracing::error!(%error, "an update could not be stored; it is delivered again");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
