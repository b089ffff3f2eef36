//! A model that follows a script, for tests of what it is asked and of what is made of its answers.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::RunBounds;
use crate::investigate::asker::{InvestigationModel, ModelSpan};
use crate::investigate::cache::EvidenceCache;
use crate::investigate::run::BudgetLimits;
use brain_core::core::ids::UserId;
use brain_core::ports::{Call, Completion, Meter, Model, ModelError, Patience, Usage};
use brain_core::prompts::Prompts;

type Says = Box<dyn Fn(&Call, usize) -> Option<String> + Send + Sync>;

/// Answers what `says` makes of a call and its number; nothing: it cannot be reached.
pub struct ScriptedModel {
    says: Says,
    /// How long each answer takes.
    ms: u64,
    pub calls: Mutex<Vec<Call>>,
    /// It stands in for another endpoint.
    pub is_substitute: bool,
}

impl std::fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScriptedModel")
    }
}

impl ScriptedModel {
    pub fn saying(says: impl Fn(&Call, usize) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::taking(0, says)
    }

    /// The same, slowly.
    pub fn taking(ms: u64, says: impl Fn(&Call, usize) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { says: Box::new(says), ms, calls: Mutex::default(), is_substitute: false }
    }

    /// These answers, one after the other; then it cannot be reached.
    pub fn of(answers: &[&str]) -> Self {
        let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        Self::saying(move |_, at| answers.get(at).cloned())
    }

    pub fn asked(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let at = self.calls.lock().unwrap().len();
        self.calls.lock().unwrap().push(call.clone());
        let usage = Usage { calls: 1, tokens_in: 100, tokens_out: 50, ..Usage::default() };
        if self.ms > 0 {
            tokio::time::sleep(Duration::from_millis(self.ms)).await;
        }
        let Some(text) = (self.says)(&call, at) else {
            return Err(ModelError::Unreachable { why: "the script has no answer".to_owned(), usage });
        };
        if let Some(words) = words {
            for piece in text.as_bytes().chunks(7) {
                let _ = words.send(String::from_utf8_lossy(piece).into_owned());
                tokio::task::yield_now().await;
            }
        }
        let inner = text.find('{').zip(text.rfind('}')).map(|(from, to)| &text[from..=to]);
        let json: Option<Value> = inner.and_then(|inner| serde_json::from_str(inner).ok());
        Ok(Completion {
            json: json.filter(|_| call.schema.is_some()),
            text,
            calls: Vec::new(),
            usage,
            is_substitute: self.is_substitute,
        })
    }
}

/// Everything around a scripted model.
pub struct AskingWorld {
    pub script: ScriptedModel,
    pub prompts: Prompts,
    pub bounds: RunBounds,
    pub spans: Mutex<Vec<ModelSpan>>,
    /// Nothing is kept unless there is one.
    pub cache: Option<EvidenceCache>,
    pub owner: UserId,
    pub now: DateTime<Utc>,
}

impl AskingWorld {
    pub fn of(script: ScriptedModel) -> Self {
        Self::within(script, BudgetLimits::default())
    }

    pub fn within(script: ScriptedModel, limits: BudgetLimits) -> Self {
        Self {
            script,
            prompts: Prompts::load(None).unwrap(),
            bounds: RunBounds::within(limits),
            spans: Mutex::default(),
            cache: None,
            owner: UserId::new("ann"),
            now: DateTime::UNIX_EPOCH,
        }
    }

    /// Does something with the model.
    pub async fn with<T>(&self, act: impl AsyncFnOnce(&InvestigationModel<'_>) -> T) -> T {
        let trace = |span: ModelSpan| self.spans.lock().unwrap().push(span);
        let model = InvestigationModel {
            model: &self.script,
            prompts: &self.prompts,
            patience: Patience::default(),
            meter: Meter::default(),
            gate: &self.bounds.budget,
            trace: &trace,
            cache: self.cache.as_ref().map(|cache| cache.of(&self.owner, self.now)),
        };
        act(&model).await
    }
}
