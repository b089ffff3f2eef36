//! Probe of an endpoint, for whoever sets one up: whether it is there, how much its model reads, whether it answers in a
//! given form, and how fast. Everything is asked of the endpoint itself: no fallback stands in, and nothing is remembered.

use std::time::Duration;

use reqwest::header::AUTHORIZATION;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::link::ModelLink;
use super::structured::{Format, has_required};
use super::{CONNECT_TIMEOUT, ClientSettings, Endpoint, OpenAiClient, SettingsError, link, url_of};
use brain_core::limits::MODEL_LIST_BYTES_MAX;
use brain_core::ports::{AnswerSchema, Call, Model as _, ModelError, Patience, Stage};

/// What tells of a context's size, in the words of the servers that there are: vLLM, OpenRouter and others, LM Studio,
/// Ollama, llama.cpp. What is loaded counts before what would be possible.
const CONTEXT_KEYS: [&str; 7] = [
    "loaded_context_length",
    "n_ctx",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx_train",
];

/// Where servers on one's own machine tell it, beside `/v1`.
const CONTEXT_PLACES: [&str; 3] = ["props", "api/ps", "api/v0/models"];

/// How long a server may take to tell of its model.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// How deep an answer is looked into.
const DEPTH_MAX: usize = 4;

/// What an endpoint shows of itself without being asked for words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointLook {
    /// Host and port.
    pub place: String,
    /// How many tokens its model reads, if it tells.
    pub context_tokens: Option<u64>,
}

/// How a short question was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbedModel {
    /// The endpoint takes a schema; otherwise it is asked in words for JSON, which a model may get wrong.
    pub takes_schema: bool,
    /// The answer was what the schema says.
    pub is_in_form: bool,
    /// Tokens a second, the reading of the question included.
    pub tokens_per_sec: f64,
}

/// Why an endpoint cannot be used, in a sentence without its full stop.
#[derive(Debug, thiserror::Error)]
pub enum EndpointFault {
    /// The settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// No connection.
    #[error("{place} cannot be reached: {why}")]
    Unreachable {
        /// Host and port.
        place: String,
        /// What the system said.
        why: String,
    },
    /// The key.
    #[error("{place} refuses the key ({status})")]
    KeyRefused {
        /// Host and port.
        place: String,
        /// 401 or 403.
        status: u16,
    },
    /// Anything else that is no answer.
    #[error("{0}")]
    Asked(#[from] ModelError),
}

/// Looks at an endpoint, without asking its model anything.
pub async fn look(endpoint: &Endpoint) -> Result<EndpointLook, EndpointFault> {
    let link = link(endpoint, "LLM_")?;
    let place = link.place();
    let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).redirect(Policy::none()).build();
    let client = client.map_err(SettingsError::Http)?;
    let models = url_of(&endpoint.base_url, "models").ok_or(SettingsError::BaseUrl { prefix: "LLM_" })?;
    let response = get(&client, &link, models.clone()).await.map_err(|error| {
        let mut why = error.without_url().to_string();
        if why.contains("error sending request") {
            why = "nobody answers there".to_owned();
        }
        EndpointFault::Unreachable { place: place.clone(), why }
    })?;
    let status = response.status().as_u16();
    if matches!(status, 401 | 403) {
        return Err(EndpointFault::KeyRefused { place, status });
    }
    // Some have no list; the question tells whether there is a model.
    let listed = read(response).await.unwrap_or_default();
    let mut context_tokens = context_of(of_model(&listed, &link.model));
    let is_own = is_on_own_net(&models);
    for resource in CONTEXT_PLACES.into_iter().filter(|_| is_own) {
        if context_tokens.is_some() {
            break;
        }
        let Some(url) = beside(&models, resource) else { continue };
        let found = match get(&client, &link, url).await {
            Ok(response) => read(response).await.unwrap_or_default(),
            Err(_) => continue,
        };
        context_tokens = context_of(of_model(&found, &link.model));
    }
    Ok(EndpointLook { place, context_tokens })
}

/// A client of this endpoint alone, for every stage. `limit` bounds each part of an answer.
pub fn client(endpoint: &Endpoint, limit: Duration) -> Result<OpenAiClient, SettingsError> {
    OpenAiClient::new(ClientSettings {
        stages: Stage::ALL.into_iter().map(|stage| (stage, endpoint.clone())).collect(),
        fallback: None,
        timeout: Stage::ALL.into_iter().map(|stage| (stage, limit)).collect(),
        ..ClientSettings::default()
    })
}

/// Asks its model something short, in a given form. `limit` bounds each part of the answer.
pub async fn ask(endpoint: &Endpoint, limit: Duration) -> Result<ProbedModel, EndpointFault> {
    let client = client(endpoint, limit)?;
    let schema = json!({"type": "object", "properties": {"numbers": {"type": "string"}}, "required": ["numbers"],
        "additionalProperties": false});
    let call = Call {
        stage: Stage::Chat,
        system: "You check that a connection works.".into(),
        user: "Write the numbers from one to twenty as English words, with a space between, as “numbers”.".into(),
        schema: Some(AnswerSchema::of(schema.clone())),
        tokens_max: 200,
        patience: Patience::default(),
        meter: Default::default(),
    };
    let begun = Instant::now();
    let completion = client.complete(call, None).await?;
    let secs = begun.elapsed().as_secs_f64().max(0.001);
    let (link, _) = &client.links[Stage::Chat as usize];
    Ok(ProbedModel {
        takes_schema: link.memory.of(Stage::Chat).format == Format::JsonSchema,
        is_in_form: completion.json.as_ref().is_some_and(|json| has_required(&schema, json)),
        tokens_per_sec: completion.usage.tokens_out as f64 / secs,
    })
}

/// What a server on one's own net tells of this model: its entry in the list of models, then in `places` beside it.
pub(super) async fn listed(client: &Client, link: &ModelLink, places: &[&str]) -> Vec<Value> {
    let Some(models) = models_of(link.url()).filter(is_on_own_net) else { return Vec::new() };
    let beside = places.iter().filter_map(|resource| beside(&models, resource));
    let mut found = Vec::new();
    for url in std::iter::once(models.clone()).chain(beside) {
        let answer = async { read(get(client, link, url).await.ok()?).await };
        if let Ok(Some(told)) = tokio::time::timeout(PROBE_TIMEOUT, answer).await {
            found.push(of_model(&told, &link.model).clone());
        }
    }
    found
}

/// The list of models beside the resource that answers calls.
fn models_of(completions: &Url) -> Option<Url> {
    let mut url = completions.clone();
    url.set_path(&format!("{}/models", completions.path().strip_suffix("/chat/completions")?));
    Some(url)
}

async fn get(client: &Client, link: &ModelLink, url: Url) -> Result<Response, reqwest::Error> {
    let mut request = client.get(url);
    if let Some(header) = link.header() {
        request = request.header(AUTHORIZATION, header.clone());
    }
    request.send().await
}

/// A JSON body of a bounded size.
async fn read(mut response: Response) -> Option<Value> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.ok()? {
        if body.len() + piece.len() > MODEL_LIST_BYTES_MAX {
            return None;
        }
        body.extend_from_slice(&piece);
    }
    serde_json::from_slice(&body).ok()
}

/// The entry of this model in a list, or what is not a list of models.
fn of_model<'v>(told: &'v Value, model: &str) -> &'v Value {
    let lists = ["data", "models"].into_iter().filter_map(|key| told[key].as_array());
    let is_it = |entry: &&Value| {
        let names = ["id", "name", "model"].into_iter().filter_map(|key| entry[key].as_str());
        names.into_iter().any(|name| name == model || name.split_once(':').is_some_and(|(name, _)| name == model))
    };
    match lists.flatten().find(is_it) {
        Some(entry) => entry,
        // A server with one model may call it as it likes.
        None => match told["data"].as_array().or_else(|| told["models"].as_array()).map(Vec::as_slice) {
            Some([only]) => only,
            Some(_) => &Value::Null,
            None => told,
        },
    }
}

/// The first of the known keys, wherever it stands in there.
fn context_of(told: &Value) -> Option<u64> {
    fn under(told: &Value, key: &str, depth: usize) -> Option<u64> {
        let map = told.as_object().filter(|_| depth < DEPTH_MAX)?;
        let here = map.get(key).and_then(Value::as_u64).filter(|tokens| *tokens > 0);
        here.or_else(|| map.values().find_map(|inner| under(inner, key, depth + 1)))
    }
    CONTEXT_KEYS.into_iter().find_map(|key| under(told, key, 0))
}

/// A resource beside `/v1`.
fn beside(models: &Url, resource: &str) -> Option<Url> {
    let mut url = models.clone();
    let root = models.path().strip_suffix("/models")?.trim_end_matches('/').trim_end_matches("/v1");
    url.set_path(&format!("{root}/{resource}"));
    Some(url)
}

/// A hosted endpoint is asked for nothing that it does not know.
pub(super) fn is_on_own_net(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
        Ok(std::net::IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => host == "localhost" || host.ends_with(".local") || !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_tells_the_size_of_its_context_in_its_own_words() {
        for (told, expected) in [
            (json!({"data": [{"id": "m", "max_model_len": 8192}]}), Some(8_192)),
            (json!({"data": [{"id": "x", "max_model_len": 1}, {"id": "m", "context_length": 32768}]}), Some(32_768)),
            (json!({"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 40960, "n_ctx": 4096}}]}), Some(4_096)),
            (json!({"default_generation_settings": {"n_ctx": 16384}}), Some(16_384)),
            (json!({"models": [{"name": "m:latest", "context_length": 4096}]}), Some(4_096)),
            (json!({"data": [{"id": "m", "max_context_length": 131072, "loaded_context_length": 4096}]}), Some(4_096)),
            (json!({"data": [{"id": "m"}]}), None),
            (json!({"data": [{"id": "a", "n_ctx": 1}, {"id": "b", "n_ctx": 2}]}), None),
            (json!("nonsense"), None),
        ] {
            assert_eq!(context_of(of_model(&told, "m")), expected, "{told}");
        }
    }

    #[test]
    fn what_stands_beside_v1_is_found_from_there() {
        let beside = |base: &str| beside(&url_of(base, "models").unwrap(), "props").unwrap().to_string();
        assert_eq!(beside("http://localhost:8080/v1"), "http://localhost:8080/props");
        assert_eq!(beside("http://localhost:8080/llama/v1/"), "http://localhost:8080/llama/props");
        let is_own = |url: &str| is_on_own_net(&Url::parse(url).unwrap());
        assert!(is_own("http://192.168.1.5/v1") && is_own("http://ollama:11434/v1") && is_own("http://[::1]/v1"));
        assert!(!is_own("https://api.example.com/v1") && !is_own("https://8.8.8.8/v1"));
    }
}
