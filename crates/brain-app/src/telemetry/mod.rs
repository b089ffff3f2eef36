//! Turns as OpenTelemetry traces, for whoever collects those: each turn that has ended, by the GenAI semantic conventions
//! (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>, 1.37).
//!
//! ```text
//! trace in the store ─► spans ─► OTLP over HTTP, protobuf ─► collector
//! ```
//! Invariants: no word of anybody leaves, nor who and where it was: names of stages and commands, models, times, counts
//! and whether it went well; what could not be sent is sent again while it is not an hour old, and never twice by one
//! process. It reads what turns leave behind and is in no turn's way. Built with the feature `otel` alone.

mod spans;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use brain_core::ports::records::{TurnTrace, millis};
use brain_core::ports::{Key, Record as _, RecordExt as _, Scan, Stage, StoreError};
use brain_engine::pipeline::brain::Brain;
use chrono::TimeDelta;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SpanExporter as _;
use reqwest::Url;
use reqwest::redirect::Policy;
use tokio_util::sync::CancellationToken;

/// So often is looked for turns that have ended.
const EVERY: Duration = Duration::from_secs(2);
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Turns that began longer ago are not looked at: none takes as long.
const WINDOW: TimeDelta = TimeDelta::hours(1);
/// Turns of a look.
const TURNS_MAX: usize = 1_000;

/// Where traces go, and which model answers which stage.
#[derive(Debug, Clone)]
pub struct TelemetryTarget {
    /// The collector; without a path, `/v1/traces` of it.
    pub url: Url,
    /// By stage.
    pub models: BTreeMap<Stage, String>,
}

/// Why nothing is sent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// There is no client.
    #[error("no HTTP client could be made: {0}")]
    Client(#[from] reqwest::Error),
    /// The exporter refused.
    #[error("the exporter could not be made: {0}")]
    Exporter(String),
}

/// Sends each turn that ends from now on, until `stop`; what has ended by then is sent still.
///
/// # Errors
/// Nothing can be sent at all.
pub async fn follow(brain: &Brain, target: &TelemetryTarget, stop: &CancellationToken) -> Result<(), TelemetryError> {
    let exporter = exporter(target)?;
    // What an earlier life has left is not told again.
    let mut told: HashSet<Key> = keys(&lately(brain).await.unwrap_or_default()).collect();
    let mut is_failing = false;
    loop {
        let is_over = stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none();
        match lately(brain).await {
            Ok(turns) => {
                told.retain({
                    let there: HashSet<Key> = keys(&turns).collect();
                    move |key| there.contains(key)
                });
                let fresh: Vec<TurnTrace> = turns.into_iter().filter(|turn| !told.contains(&turn.key())).collect();
                if !fresh.is_empty() {
                    let sent = exporter.export(spans::of_turns(&fresh, &target.models)).await;
                    match &sent {
                        Ok(()) => told.extend(keys(&fresh)),
                        Err(error) if !is_failing => {
                            tracing::warn!(%error, "traces are not taken; they are sent again")
                        }
                        Err(_) => {}
                    }
                    is_failing = sent.is_err();
                }
            }
            Err(error) => tracing::warn!(%error, "traces of turns could not be read"),
        }
        if is_over {
            return Ok(());
        }
    }
}

/// The turns that began within the window, oldest first.
async fn lately(brain: &Brain) -> Result<Vec<TurnTrace>, StoreError> {
    let from = Key::of(&[&millis(brain.clock.now() - WINDOW)]);
    let newest =
        brain.store.list::<TurnTrace>(Scan::of::<TurnTrace>(&[], TURNS_MAX).newest_first().after(from)).await?;
    Ok(newest.into_iter().rev().map(|(turn, _)| turn).collect())
}

fn keys(turns: &[TurnTrace]) -> impl Iterator<Item = Key> + '_ {
    turns.iter().map(TurnTrace::key)
}

fn exporter(target: &TelemetryTarget) -> Result<SpanExporter, TelemetryError> {
    let mut url = target.url.clone();
    if url.path() == "/" {
        url.set_path("/v1/traces");
    }
    let client = reqwest::Client::builder().timeout(PATIENCE).redirect(Policy::none()).build()?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(OurClient(client))
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(url)
        .with_timeout(PATIENCE)
        .build();
    let mut exporter = exporter.map_err(|error| TelemetryError::Exporter(error.to_string()))?;
    let resource = Resource::builder_empty().with_service_name("brain-agent");
    let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    exporter.set_resource(&resource.with_attribute(version).build());
    Ok(exporter)
}

/// The one HTTP client of this program, as the exporter wants it.
#[derive(Debug)]
struct OurClient(reqwest::Client);

#[async_trait]
impl HttpClient for OurClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let sent = self.0.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
        // Its words are of no use to us, so they are not read.
        let status = sent.send().await.map_err(reqwest::Error::without_url)?.status();
        Ok(Response::builder().status(status).body(Bytes::new())?)
    }
}
