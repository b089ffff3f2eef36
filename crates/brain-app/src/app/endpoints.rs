//! The model endpoints as the configuration names them.

use std::sync::Arc;

use super::{StartError, profiles};
use crate::config::{Config, ModelEndpoint};
use brain_adapters::llm;
use brain_core::ports::{Embedder, Model, Planning, Transcriber};
use brain_engine::metering::{BudgetLedger, Metered};

/// The model behind the stages, when there is one, with its calls counted.
pub(super) fn model(config: &Config, ledger: &Arc<BudgetLedger>) -> Result<Option<Arc<dyn Model>>, llm::SettingsError> {
    let metered = |client| -> Arc<dyn Model> { Arc::new(Metered::new(client, config.priced_models(), ledger.clone())) };
    Ok(client(config)?.map(metered))
}

/// Who asks the endpoints.
pub(super) fn client(config: &Config) -> Result<Option<Arc<dyn Model>>, llm::SettingsError> {
    if config.models.is_empty() {
        return Ok(None);
    }
    let settings = llm::ClientSettings {
        stages: config.models.iter().map(|(stage, e)| (*stage, endpoint(e))).collect(),
        fallback: config.model_fallback.as_ref().map(endpoint),
        learns_size: config.planning == Planning::Auto,
        found_small: profiles::known(&config.data_dir)
            .into_iter()
            .map(|(label, profile)| (label, profile.is_small()))
            .collect(),
        timeout: config.model_timeouts.iter().map(|(stage, wait)| (*stage, *wait)).collect(),
    };
    Ok(Some(Arc::new(llm::OpenAiClient::new(settings)?)))
}

/// Who listens to recordings, when somebody does.
pub fn transcriber(config: &Config) -> Result<Option<Arc<dyn Transcriber>>, StartError> {
    let Some(e) = &config.transcribe else { return Ok(None) };
    let listener = llm::transcribe::Listener::new(&endpoint(e)).map_err(StartError::Transcribe)?;
    Ok(Some(Arc::new(listener)))
}

/// Who makes vectors of texts, when somebody does.
pub fn embedder(config: &Config) -> Result<Option<Arc<dyn Embedder>>, StartError> {
    let Some(e) = &config.embeddings else { return Ok(None) };
    let embedder = llm::embeddings::TextEmbedder::new(&endpoint(e)).map_err(StartError::Embeddings)?;
    Ok(Some(Arc::new(embedder)))
}

fn endpoint(e: &ModelEndpoint) -> llm::Endpoint {
    llm::Endpoint { base_url: e.base_url.clone(), api_key: e.api_key.clone(), model: e.model.clone() }
}
