//! Models: each endpoint that some stage uses, looked at and asked something short.

use super::check::{Check, CheckStatus};
use super::profile;
use super::subjects::{CheckJob, Subjects, secs};
use crate::app::profiles::ModelProfile;
use crate::config::{Config, ModelEndpoint};
use brain_adapters::llm::Endpoint;
use brain_adapters::llm::embeddings::TextEmbedder;
use brain_adapters::llm::probe::{EndpointFault, EndpointLook, ProbedModel, ask, look};
use brain_core::core::text::grouped;
use brain_core::limits::MODEL_CONTEXT_TOKENS_MIN;
use brain_core::ports::{Embedder as _, ModelError, Stage};

/// Slower than this, a plan of some hundred tokens takes longer than anybody waits.
const TOKENS_PER_SEC_MIN: f64 = 5.0;

/// The probes may take as long as so many short questions.
const PROBES_LIMITS: u32 = 3;

const UNREACHABLE: &str =
    "Check that the model server runs and that its address (LLM_BASE_URL) is right; it usually ends in /v1";

/// What a vector is asked of.
const SAMPLE: &str = "my sister is called Nina";
const EMBEDDINGS: &str =
    "Check EMBEDDINGS_BASE_URL, EMBEDDINGS_MODEL and the key; until then facts are found by their words alone";

pub(super) fn jobs(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    asking(subjects).into_iter().chain(embedding(subjects)).collect()
}

/// The endpoint that makes vectors of facts, asked for one.
fn embedding(subjects: &Subjects) -> Option<CheckJob<'_>> {
    const NAME: &str = "embeddings";
    let endpoint = endpoint_of(subjects.config.embeddings.as_ref()?);
    Some(CheckJob::new(NAME, subjects.limits.model, EMBEDDINGS, async move {
        let (model, asked) = (endpoint.model.clone(), [SAMPLE.to_owned()]);
        let embedder = match TextEmbedder::new(&endpoint) {
            Ok(embedder) => embedder,
            Err(why) => return vec![Check::error(NAME, why).advised(EMBEDDINGS)],
        };
        vec![match embedder.embed(&asked).await {
            Ok(_) => Check::ok(NAME, format!("{model} gives vectors; facts are found by their meaning")),
            Err(error) => Check::error(NAME, format!("{model}: {error}")).advised(EMBEDDINGS),
        }]
    }))
}

fn asking(subjects: &Subjects) -> Vec<CheckJob<'_>> {
    let endpoints = endpoints(&subjects.config);
    if endpoints.is_empty() {
        return vec![CheckJob::new("model", subjects.limits.check, UNREACHABLE, async {
            vec![
                Check::ok("model", "none is set, so built-in understanding does everything")
                    .advised("For more than everyday requests, set LLM_BASE_URL and LLM_MODEL"),
            ]
        })];
    }
    let job = |(name, endpoint): (String, Endpoint)| {
        let all = subjects.limits.check + subjects.limits.model * (1 + PROBES_LIMITS);
        CheckJob::new(name.clone(), all, UNREACHABLE, async move { vec![looked_at(subjects, name, &endpoint).await] })
    };
    endpoints.into_iter().map(job).collect()
}

/// Each endpoint once, under the stages that use it: those that most have in common are called by no stage.
fn endpoints(config: &Config) -> Vec<(String, Endpoint)> {
    let same = |a: &ModelEndpoint, b: &ModelEndpoint| {
        use secrecy::ExposeSecret as _;
        let key = |e: &ModelEndpoint| e.api_key.as_ref().map(|key| key.expose_secret().to_owned());
        a.base_url == b.base_url && a.model == b.model && key(a) == key(b)
    };
    let mut distinct: Vec<(&ModelEndpoint, Vec<Stage>)> = Vec::new();
    for (stage, endpoint) in &config.models {
        match distinct.iter_mut().find(|(known, _)| same(known, endpoint)) {
            Some((_, stages)) => stages.push(*stage),
            None => distinct.push((endpoint, vec![*stage])),
        }
    }
    distinct.sort_by_key(|(_, stages)| std::cmp::Reverse(stages.len()));
    let name = |at: usize, stages: &[Stage]| match at {
        0 => "model".to_owned(),
        _ => format!("model {}", stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(",")),
    };
    let named = distinct.iter().enumerate().map(|(at, (endpoint, stages))| (name(at, stages), *endpoint));
    let fallback = config.model_fallback.iter().map(|endpoint| ("model fallback".to_owned(), endpoint));
    named.chain(fallback).map(|(name, endpoint)| (name, endpoint_of(endpoint))).collect()
}

fn endpoint_of(e: &ModelEndpoint) -> Endpoint {
    Endpoint { base_url: e.base_url.clone(), api_key: e.api_key.clone(), model: e.model.clone() }
}

async fn looked_at(subjects: &Subjects, name: String, endpoint: &Endpoint) -> Check {
    let found = match tokio::time::timeout(subjects.limits.check, look(endpoint)).await {
        Ok(Ok(found)) => found,
        Ok(Err(trouble)) => return unusable(name, &trouble),
        Err(_) => {
            return Check::error(name, format!("did not answer in {}", secs(subjects.limits.check)))
                .advised(UNREACHABLE);
        }
    };
    match tokio::time::timeout(subjects.limits.model, ask(endpoint, subjects.limits.model)).await {
        Ok(Ok(asked)) => {
            let limit = subjects.limits.model * PROBES_LIMITS;
            let is_asked = asked.is_in_form && plans(&subjects.config, endpoint);
            let profile = if is_asked { profile::found(&subjects.config, endpoint, limit).await } else { None };
            told(name, endpoint, &found, &asked, profile)
        }
        Ok(Err(EndpointFault::Asked(ModelError::TooSlow { .. }))) | Err(_) => Check::error(
            name,
            format!(
                "{} is there, but {} did not answer a short question in {}",
                found.place,
                endpoint.model,
                secs(subjects.limits.model)
            ),
        )
        .advised("It may be loading: try again. Otherwise take a smaller model, or a machine with a GPU"),
        Ok(Err(trouble)) => unusable(name, &trouble),
    }
}

/// Whether the model of this endpoint is the one that plans.
fn plans(config: &Config, endpoint: &Endpoint) -> bool {
    let planner = config.models.iter().find(|(stage, _)| **stage == Stage::Plan);
    planner.is_some_and(|(_, planner)| endpoint_of(planner).label() == endpoint.label())
}

fn unusable(name: String, trouble: &EndpointFault) -> Check {
    let advice = match trouble {
        EndpointFault::Settings(_) => "Mend that setting",
        EndpointFault::KeyRefused { .. } | EndpointFault::Asked(ModelError::Rejected { status: 401 | 403, .. }) => {
            "Check the endpoint's key (LLM_API_KEY)"
        }
        EndpointFault::Asked(ModelError::Rejected { status: 404, .. }) => {
            "Check LLM_MODEL: the server has no model of this name; and LLM_BASE_URL, which usually ends in /v1"
        }
        EndpointFault::Asked(ModelError::Rejected { status: 402 | 429, .. }) => {
            "Wait, or raise the limit of your account with that provider"
        }
        EndpointFault::Unreachable { .. } | EndpointFault::Asked(_) => UNREACHABLE,
    };
    Check::error(name, trouble.to_string()).advised(advice)
}

fn told(
    name: String,
    endpoint: &Endpoint,
    found: &EndpointLook,
    asked: &ProbedModel,
    profile: Option<ModelProfile>,
) -> Check {
    let context = match found.context_tokens {
        Some(tokens) => format!("reads {} tokens", grouped(usize::try_from(tokens).unwrap_or(usize::MAX))),
        None => "does not say how much it reads".to_owned(),
    };
    let form = match (asked.is_in_form, asked.takes_schema) {
        (true, true) => "answers in the form of a schema",
        (true, false) => "answers in JSON, but takes no schema",
        (false, _) => "did not answer in the form it was asked for",
    };
    let profile = profile.map(|profile| format!("; {}", profile::told(profile))).unwrap_or_default();
    let message = format!(
        "{} at {} answers, {:.0} tokens a second; it {context} and {form}{profile}",
        endpoint.model, found.place, asked.tokens_per_sec
    );
    let advice = [
        (
            !asked.is_in_form,
            "Take another model: plans need answers in a given form. Built-in understanding stands in where it fails",
        ),
        (
            found.context_tokens.is_some_and(|tokens| tokens < MODEL_CONTEXT_TOKENS_MIN),
            "Give it more context, 16,384 tokens: OLLAMA_CONTEXT_LENGTH=16384 for Ollama, --ctx-size 16384 for \
             llama.cpp, the context length of the loaded model in LM Studio",
        ),
        (
            asked.tokens_per_sec < TOKENS_PER_SEC_MIN,
            "It is slow: take a smaller model or a machine with a GPU, or raise LLM_TIMEOUT",
        ),
    ];
    let advice: Vec<&str> = advice.into_iter().filter(|(is, _)| *is).map(|(_, advice)| advice).collect();
    match advice.is_empty() {
        true => Check::ok(name, message),
        false => Check { status: CheckStatus::Warning, ..Check::ok(name, message).advised(advice.join(". ")) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_that_differs_is_looked_at_once() {
        let pairs = [
            ("LLM_BASE_URL", "http://localhost:1/v1"),
            ("LLM_MODEL", "small"),
            ("LLM_MODEL_PLAN", "big"),
            ("LLM_MODEL_REFLECT", "big"),
            ("LLM_FALLBACK_BASE_URL", "http://localhost:2/v1"),
            ("LLM_FALLBACK_MODEL", "other"),
        ];
        let env = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let found = endpoints(&Config::parse(env, Vec::new()).unwrap());
        let named: Vec<(&str, &str)> = found.iter().map(|(name, e)| (name.as_str(), e.model.as_str())).collect();
        assert_eq!(named, [("model", "small"), ("model plan,reflect", "big"), ("model fallback", "other")]);
    }

    #[test]
    fn a_model_that_reads_little_or_is_slow_is_a_warning_that_says_what_to_do() {
        let endpoint = Endpoint { base_url: String::new(), api_key: None, model: "m".to_owned() };
        let look = |context_tokens| EndpointLook { place: "there".to_owned(), context_tokens };
        let fine = ProbedModel { takes_schema: true, is_in_form: true, tokens_per_sec: 40.0 };
        let told = |look: EndpointLook, asked: &ProbedModel| told("model".to_owned(), &endpoint, &look, asked, None);
        assert_eq!(told(look(Some(32_768)), &fine).status, CheckStatus::Ok);
        assert_eq!(told(look(None), &fine).status, CheckStatus::Ok);
        for (check, says) in [
            (told(look(Some(4_096)), &fine), "OLLAMA_CONTEXT_LENGTH"),
            (told(look(None), &ProbedModel { tokens_per_sec: 1.0, ..fine.clone() }), "LLM_TIMEOUT"),
            (told(look(None), &ProbedModel { is_in_form: false, ..fine.clone() }), "another model"),
        ] {
            assert_eq!(check.status, CheckStatus::Warning, "{check}");
            assert!(check.advice.as_ref().unwrap().contains(says), "{check}");
        }
    }
}
