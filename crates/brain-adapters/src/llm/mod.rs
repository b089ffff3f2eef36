//! The model client: one adapter for every OpenAI-compatible endpoint, hosted or local.
//!
//! ```text
//! Call ─► link of the stage ─► breaker ─► request in the known dialect ─► intake ─► words, completion
//!              │ down, out of quota, key or model refused
//!              └─► link of the fallback endpoint, with the stage's whole time-out again
//! ```
//! In reading order: `link` (one call at one endpoint), `structured` (how JSON is asked for), `wire` and `stream` (what
//! goes out and comes back), `closing` and `thoughts` (where an answer ends, and what of it is one), `answer`, `repair`
//! and `calls` (from text to completion), `pace` (how fast it is), `size` (how large its
//! model), `failure` (when it does not work), [`probe`] (how an
//! endpoint is).
//!
//! Invariants: a key leaves this module only in an `Authorization` header to its own endpoint, redirects are
//! not followed; no text of a call is logged or put into an error; a dropped call closes its connection.
//! Deliberately not here: prompts, what an answer means, asking again about a wrong answer, budgets.

mod answer;
mod body;
mod calls;
mod closing;
pub mod embeddings;
mod failure;
mod link;
mod pace;
pub mod probe;
mod repair;
mod room;
mod size;
mod stream;
mod structured;
#[cfg(test)]
mod tests;
mod thoughts;
pub mod transcribe;
mod wire;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tracing::{Instrument, Span, debug_span, field};

use self::failure::Failure;
use self::link::{Ask, ModelLink};
use self::thoughts::SpokenWords;
use brain_core::ports::{Call, Completion, Model, ModelError, ModelHost, Stage, Usage};

/// From the first packet to an open connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a stage waits for the first word of its answer, and then between words, unless set otherwise. Without a
/// GPU a model of eight billion parameters reads a plan's prompt for a minute, after being loaded; small stages have
/// small prompts and a fallback in code.
pub fn default_timeout(stage: Stage) -> Duration {
    Duration::from_secs(match stage {
        Stage::Guard | Stage::Route | Stage::Select | Stage::SelectServices | Stage::SelectCommands => 45,
        // One of many, beside others of the same question, each with a fallback in code.
        Stage::Extract | Stage::Rank | Stage::Classify | Stage::BuildParams | Stage::Template => 60,
        Stage::Plan
        | Stage::Converse
        | Stage::Reflect
        | Stage::Chat
        | Stage::Respond
        | Stage::Decompose
        | Stage::Synthesize => 120,
        Stage::Summarize => 120,
    })
}

/// Where a model is.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Up to, but without, `/chat/completions`; usually ends in `/v1`. A query stays at the end.
    pub base_url: String,
    /// Sent as bearer token; local servers need none.
    pub api_key: Option<SecretString>,
    /// As the endpoint calls it.
    pub model: String,
}

impl Endpoint {
    /// Its model and its place, without key, path and password: what is known of it is kept by that.
    pub fn label(&self) -> Option<String> {
        link(self, "LLM_").ok().map(|link| format!("{link:?}"))
    }
}

/// Which endpoint serves which stage.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// One for each stage.
    pub stages: HashMap<Stage, Endpoint>,
    /// Asked when a stage's own endpoint is down, out of quota or refuses key or model.
    pub fallback: Option<Endpoint>,
    /// Time-outs that differ from [`default_timeout`].
    pub timeout: HashMap<Stage, Duration>,
    /// Whether it is found out, after the first answer, how large a model is whose name does not tell.
    pub learns_size: bool,
    /// Which models were found to be small, and which not, by [`Endpoint::label`]: counts before what a name tells.
    pub found_small: HashMap<String, bool>,
}

/// Why the settings give no client.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A stage has no endpoint.
    #[error("no model endpoint is set for the stage {0}")]
    Missing(Stage),
    /// Not an http(s) address.
    #[error("{prefix}BASE_URL is no address like https://host/v1")]
    BaseUrl {
        /// `LLM_` or `LLM_FALLBACK_`.
        prefix: &'static str,
    },
    /// Empty.
    #[error("{prefix}MODEL is empty")]
    Model {
        /// Likewise.
        prefix: &'static str,
    },
    /// Line ends or other characters that no header can carry.
    #[error("{prefix}API_KEY holds characters that cannot be sent; was it copied whole?")]
    ApiKey {
        /// Likewise.
        prefix: &'static str,
    },
    /// The HTTP client could not be built.
    #[error("no HTTP client")]
    Http(#[source] reqwest::Error),
}

/// [`Model`] over OpenAI-compatible HTTP. Cheap calls: one connection pool, and what was learned about an
/// endpoint is shared by the stages that use it.
#[derive(Debug)]
pub struct OpenAiClient {
    http: reqwest::Client,
    /// In the order of `Stage::ALL`.
    links: Vec<(Arc<ModelLink>, Duration)>,
    fallback: Option<Arc<ModelLink>>,
    learns_size: bool,
}

impl OpenAiClient {
    /// Checks the settings; connects to nothing. The process needs a default `rustls` provider by now.
    pub fn new(settings: ClientSettings) -> Result<Self, SettingsError> {
        let mut links: Vec<(Arc<ModelLink>, Duration)> = Vec::with_capacity(Stage::ALL.len());
        for stage in Stage::ALL {
            let endpoint = settings.stages.get(&stage).ok_or(SettingsError::Missing(stage))?;
            let link = link(endpoint, "LLM_")?;
            if let Some(is_small) = settings.found_small.get(&format!("{link:?}")) {
                link.size.store(*is_small);
            }
            let known = links.iter().map(|(known, _)| known).find(|known| known.is_same(&link));
            let link = known.cloned().unwrap_or_else(|| Arc::new(link));
            let timeout = settings.timeout.get(&stage).copied();
            links.push((link, timeout.unwrap_or_else(|| default_timeout(stage))));
        }
        let fallback = settings.fallback.as_ref().map(|endpoint| link(endpoint, "LLM_FALLBACK_")).transpose()?;
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(Policy::none())
            .build()
            .map_err(SettingsError::Http)?;
        Ok(Self { http, links, fallback: fallback.map(Arc::new), learns_size: settings.learns_size })
    }

    async fn answer(&self, link: &ModelLink, ask: &mut Ask<'_>) -> Result<Completion, Failure> {
        let first = match link.ask(&self.http, ask).await {
            Ok(completion) => return Ok(completion),
            Err(failure) => failure,
        };
        match &self.fallback {
            Some(fallback) if first.wants_fallback() && !ask.words.begun() && !fallback.is_same(link) => fallback
                .ask(&self.http, ask)
                .await
                .map(|completion| Completion { is_substitute: true, ..completion })
                .map_err(|second| if ask.words.begun() { second } else { first.and_fallback(&second) }),
            Some(_) | None => Err(first),
        }
    }
}

#[async_trait]
impl Model for OpenAiClient {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let (link, timeout) = &self.links[call.stage as usize];
        let span = debug_span!(
            "model",
            stage = call.stage.name(),
            model = link.model,
            status = field::Empty,
            ms = field::Empty,
            calls = field::Empty,
            tokens_in = field::Empty,
            tokens_out = field::Empty,
        );
        let begun = Instant::now();
        let mut ask = Ask { call: &call, words: SpokenWords::new(words), usage: Usage::default(), timeout: *timeout };
        let result = self.answer(link, &mut ask).instrument(span.clone()).await;
        let result = result.map_err(|failure| failure.into_error(ask.usage));
        record(&span, &result, begun);
        if self.learns_size && result.is_ok() && link.size.is_to_be_learnt() {
            let (http, link) = (self.http.clone(), link.clone());
            tokio::spawn(async move { size::learn(&http, &link).await });
        }
        result
    }

    fn is_slow(&self, stage: Stage) -> bool {
        self.links[stage as usize].0.is_slow(stage)
    }

    fn takes(&self, stage: Stage) -> Option<Duration> {
        self.links[stage as usize].0.takes(stage)
    }

    fn is_small(&self, stage: Stage) -> bool {
        self.links[stage as usize].0.size.is_small()
    }

    fn reads_tokens_max(&self, stage: Stage) -> Option<u64> {
        self.links[stage as usize].0.room.known()
    }

    fn substitute(&self, call: &Call) -> bool {
        let own = &self.links[call.stage as usize].0;
        let has_other = self.fallback.as_ref().is_some_and(|fallback| !fallback.is_same(own));
        if has_other {
            call.patience.loses(own.number());
        }
        has_other
    }

    fn hosts(&self) -> Vec<ModelHost> {
        let links = self.links.iter().map(|(link, _)| link).chain(&self.fallback);
        let host = |link: &Arc<ModelLink>| ModelHost { place: link.place(), is_own: probe::is_on_own_net(link.url()) };
        let mut hosts: Vec<ModelHost> = Vec::new();
        for host in links.map(host) {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts
    }
}

fn record(span: &Span, result: &Result<Completion, ModelError>, begun: Instant) {
    let (status, usage) = match result {
        Ok(completion) => (200, completion.usage),
        Err(ModelError::Rejected { status, usage, .. }) => (*status, *usage),
        Err(error) => (0, error.usage()),
    };
    span.record("status", status);
    span.record("ms", begun.elapsed().as_millis() as u64);
    span.record("calls", usage.calls);
    span.record("tokens_in", usage.tokens_in);
    span.record("tokens_out", usage.tokens_out);
}

/// Checks one endpoint's settings. Errors name the setting, never its value: an address may hold a password.
fn link(endpoint: &Endpoint, prefix: &'static str) -> Result<ModelLink, SettingsError> {
    let url = url_of(&endpoint.base_url, "chat/completions").ok_or(SettingsError::BaseUrl { prefix })?;
    let model = endpoint.model.trim().to_owned();
    if model.is_empty() {
        return Err(SettingsError::Model { prefix });
    }
    let key = endpoint.api_key.as_ref().filter(|key| !key.expose_secret().trim().is_empty());
    let header = key.map(|key| bearer(key).ok_or(SettingsError::ApiKey { prefix })).transpose()?;
    Ok(ModelLink::new(url, model, key.cloned(), header, prefix))
}

fn bearer(key: &SecretString) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret().trim())).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// The address of one of an endpoint's resources; its query stays at the end.
fn url_of(base_url: &str, resource: &str) -> Option<Url> {
    let mut url = Url::parse(base_url.trim()).ok()?;
    let is_usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(&format!("/{resource}")) {
        url.set_path(&format!("{path}/{resource}"));
    }
    url.set_fragment(None);
    is_usable.then_some(url)
}
