//! Profile of a model: twelve small probes over the prompt of the stage converse, judged by exact fields.
//!
//! The probes are data (`data/eval/probes.json`): orders, questions, small talk, a correction, dates to be worked out, a
//! list with ids, and what only sounds like an order. What a model comes to says how it plans where nothing else is set.

use std::collections::BTreeMap;
use std::time::Duration;

use minijinja::{Value as PromptValue, context};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::app::profiles::{self, ModelProfile};
use crate::config::Config;
use brain_adapters::llm::Endpoint;
use brain_adapters::llm::probe::client;
use brain_core::ports::{AnswerSchema, Call, Model, Patience, Stage};
use brain_core::prompts::{Fixed, Prompts};

const PROBES: &str = include_str!("../../../../data/eval/probes.json");
/// Actions that a probe may ask for.
const ACTIONS_MAX: usize = 5;
const TOKENS_MAX: u32 = 400;
/// A model that needs longer for a probe is asked no more of them: its time limits say what it is.
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, Deserialize)]
struct Probes {
    /// The vocabulary, as the prompt writes it.
    commands: String,
    schema: Value,
    /// What is in sight in each of them.
    sight: Vec<String>,
    probes: Vec<Probe>,
}

#[derive(Debug, Deserialize)]
struct Probe {
    message: String,
    #[serde(default)]
    history: Vec<String>,
    #[serde(default)]
    sight: Vec<String>,
    actions: Vec<ProbedAction>,
    /// Stands in the reply.
    reply: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ProbedAction {
    name: String,
    /// As they have to be: lists whole, texts by how they begin, or by what they hold (`has`).
    #[serde(default)]
    params: BTreeMap<String, Value>,
}

/// What the model of this endpoint comes to: as it is known, else by asking it, and then kept. `None` where it did not
/// answer all probes.
pub(super) async fn found(config: &Config, endpoint: &Endpoint, limit: Duration) -> Option<ModelProfile> {
    let label = endpoint.label()?;
    if let Some(known) = profiles::known(&config.data_dir).get(&label) {
        return Some(*known);
    }
    let model = client(endpoint, PROBE_TIMEOUT).ok()?;
    let prompts = Prompts::load(config.prompts_dir.as_deref()).ok()?;
    let found = timeout(limit, probed(&model, &prompts)).await.ok()??;
    if let Err(error) = profiles::keep(&config.data_dir, &label, found) {
        tracing::warn!(%error, "what a model came to is not kept");
    }
    Some(found)
}

/// What a model is, and what follows from it.
pub(super) fn told(profile: ModelProfile) -> String {
    let ModelProfile { right, of } = profile;
    match profile.is_small() {
        false => {
            format!("capable: {right} of {of} probes, so turns are conversations unless BRAIN_PLANNING says otherwise")
        }
        true => format!("small: {right} of {of} probes, so it plans in steps unless BRAIN_PLANNING says otherwise"),
    }
}

/// Asks all of them, one after the other.
async fn probed(model: &dyn Model, prompts: &Prompts) -> Option<ModelProfile> {
    let Probes { commands, schema, sight, probes } = serde_json::from_str(PROBES).ok()?;
    let schema = AnswerSchema::of(schema);
    let mut right = 0;
    for probe in &probes {
        let values = || context! { commands => commands.as_str(), actions_max => ACTIONS_MAX };
        let sight: Vec<String> = sight.iter().chain(&probe.sight).cloned().collect();
        let changing = context! {
            history => PromptValue::from(probe.history.clone()),
            sight => PromptValue::from(sight),
            message => probe.message.as_str(),
        };
        let fixed = Fixed { of: None, values };
        let prompt = prompts.render(Stage::Converse, fixed, &changing).ok()?;
        let call = Call {
            stage: Stage::Converse,
            system: prompt.system,
            user: prompt.user,
            schema: Some(schema.clone()),
            tokens_max: TOKENS_MAX,
            patience: Patience::default(),
            meter: Default::default(),
        };
        let said = model.complete(call, None).await.ok()?.json.unwrap_or_default();
        right += usize::from(probe.is_right(&said));
    }
    Some(ModelProfile { right, of: probes.len() })
}

impl Probe {
    fn is_right(&self, said: &Value) -> bool {
        let actions: Vec<&Value> = said["actions"].as_array().into_iter().flatten().collect();
        let are_right = actions.len() == self.actions.len()
            && actions.iter().zip(&self.actions).all(|(said, expected)| expected.is(said));
        let reply = said["reply"].as_str().unwrap_or_default();
        let replies = self.reply.as_ref().is_none_or(|words| reply.contains(words.as_str()));
        // What is no order is answered.
        are_right && replies && !(self.actions.is_empty() && reply.trim().is_empty())
    }
}

impl ProbedAction {
    fn is(&self, said: &Value) -> bool {
        let name = format!(
            "{}.{}",
            said["service"].as_str().unwrap_or_default(),
            said["command"].as_str().unwrap_or_default()
        );
        name == self.name && self.params.iter().all(|(param, expected)| fits(&said["params"][param], expected))
    }
}

fn fits(said: &Value, expected: &Value) -> bool {
    let lower = |value: &Value| value.as_str().map(|text| text.trim().to_lowercase());
    match expected {
        Value::Array(all) => said.as_array().is_some_and(|said| {
            said.len() == all.len() && all.iter().all(|one| said.iter().any(|other| lower(other) == lower(one)))
        }),
        Value::Object(has) => lower(said).is_some_and(|text| has_word(&text, has)),
        text => lower(said).zip(lower(text)).is_some_and(|(said, text)| said.starts_with(&text)),
    }
}

fn has_word(text: &str, has: &Map<String, Value>) -> bool {
    has.get("has").and_then(Value::as_str).is_some_and(|word| text.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use async_trait::async_trait;
    use tokio::sync::mpsc::UnboundedSender;

    use serde_json::json;

    use super::*;
    use brain_core::ports::{Completion, ModelError, Usage};

    /// Says what `says` makes of a message.
    struct Says<F>(F);

    impl<F> fmt::Debug for Says<F> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Says")
        }
    }

    #[async_trait]
    impl<F: Fn(&str) -> Value + Send + Sync> Model for Says<F> {
        async fn complete(&self, call: Call, _: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
            assert!(call.system.contains("task.create") && call.user.contains("2026-01-12"), "{call:?}");
            let json = Some((self.0)(call.user.lines().last().unwrap_or_default()));
            Ok(Completion {
                text: String::new(),
                json,
                calls: Vec::new(),
                usage: Usage::default(),
                is_substitute: false,
            })
        }
    }

    fn right(message: &str) -> Value {
        let Probes { probes, .. } = serde_json::from_str(PROBES).unwrap();
        let probe = probes.iter().find(|probe| message.ends_with(&probe.message)).unwrap();
        let param = |(name, value): (&String, &Value)| (name.clone(), value.get("has").unwrap_or(value).clone());
        let action = |expected: &ProbedAction| {
            let (service, command) = expected.name.split_once('.').unwrap();
            let params: Map<String, Value> = expected.params.iter().map(param).collect();
            json!({"service": service, "command": command, "params": params})
        };
        let actions: Vec<Value> = probe.actions.iter().map(action).collect();
        json!({"actions": actions, "question": null, "reply": probe.reply.clone().unwrap_or("You're welcome.".to_owned())})
    }

    #[tokio::test]
    async fn a_model_is_what_it_makes_of_twelve_messages() {
        let prompts = Prompts::load(None).unwrap();
        let capable = probed(&Says(right), &prompts).await.unwrap();
        assert_eq!((capable.right, capable.of, capable.is_small()), (12, 12, false));
        // It takes everything for the same order.
        let order =
            json!({"service": "task", "command": "create", "params": {"title": "x", "deadline": "2026-01-13T17:00"}});
        let eager = move |_: &str| json!({"actions": [order], "question": null, "reply": null});
        let small = probed(&Says(eager), &prompts).await.unwrap();
        assert_eq!((small.right, small.is_small()), (1, true));
        assert!(told(capable).starts_with("capable: 12 of 12") && told(small).contains("in steps"));
        assert_eq!(probed(&Says(|_: &str| json!("nothing")), &prompts).await.unwrap().right, 0);
    }
}
