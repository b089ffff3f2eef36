//! Asking a model for an investigation: typed answers with one re-ask, and words as they come.
//!
//! Invariants: no call goes out before its [`ModelGate`] has let it through; every call is told to the trace, however
//! it ended; texts of people and of things found are values of prompts and never templates. Deliberately not here: what
//! is asked (a file each), time-outs and retries (the adapter's).

mod gate;
#[cfg(test)]
mod tests;

use std::fmt;

use minijinja::Value as Values;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

pub use gate::{ModelCalling, ModelGate, NodeGate};

use super::cache::{MadeFrom, OwnersCache};
use super::run::OutOfBudget;
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::records::SpanOutcome;
use brain_core::ports::{AnswerSchema, Call, Completion, Meter, Model, ModelError, Patience, Stage, Usage};
use brain_core::prompts::{Fixed, Prompt, Prompts};

/// Why a model gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskFailure {
    /// There was no answer.
    #[error(transparent)]
    Model(ModelError),
    /// It answered, twice, with something else.
    #[error("the model's answer could not be used: {why}")]
    Unusable {
        /// For the operator.
        why: String,
    },
    /// The call was not sent: there is not enough left for it.
    #[error(transparent)]
    OutOfBudget(#[from] OutOfBudget),
    /// The call was not sent: the endpoint is left alone for a while.
    #[error("{why}")]
    Resting {
        /// For the operator.
        why: String,
    },
}

/// One call, for the trace and the account of whoever asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpan {
    /// For which stage.
    pub stage: Stage,
    /// From its sending, or its waiting for a place, to its end.
    pub us: u64,
    /// Both parts of the prompt.
    pub input_bytes: usize,
    /// What it cost.
    pub usage: Usage,
    /// `ok`, `unusable`, or why it failed.
    pub outcome: SpanOutcome,
}

/// What the model's part of an investigation works with. Cheap to make: one for the question, one for each node.
#[derive(Clone)]
pub struct InvestigationModel<'a> {
    /// Answers.
    pub model: &'a dyn Model,
    /// What it is told.
    pub prompts: &'a Prompts,
    /// Of the turn.
    pub patience: Patience,
    /// Likewise.
    pub meter: Meter,
    /// Lets calls through.
    pub gate: &'a dyn ModelGate,
    /// Told of every call when it is over; must return at once.
    pub trace: &'a (dyn Fn(ModelSpan) + Send + Sync),
    /// What need not be asked again.
    pub cache: Option<OwnersCache<'a>>,
}

impl fmt::Debug for InvestigationModel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvestigationModel").field("model", &self.model).finish_non_exhaustive()
    }
}

impl<'a> InvestigationModel<'a> {
    /// The same through another gate: that of a node.
    #[must_use]
    pub fn through<'b>(&self, gate: &'b dyn ModelGate) -> InvestigationModel<'b>
    where
        'a: 'b,
    {
        InvestigationModel {
            model: self.model,
            prompts: self.prompts,
            patience: self.patience.clone(),
            meter: self.meter.clone(),
            gate,
            trace: self.trace,
            cache: self.cache,
        }
    }

    /// Both parts of a stage's prompt. One that cannot be rendered is a defect of a replaced file; the stage then falls
    /// back as if the endpoint were away.
    pub fn prompt(
        &self,
        stage: Stage,
        fixed: Fixed<impl FnOnce() -> Values>,
        changing: &Values,
    ) -> Result<Prompt, AskFailure> {
        self.prompts.render(stage, fixed, changing).map_err(|error| {
            AskFailure::Model(ModelError::Unreadable { why: error.to_string(), usage: Usage::default() })
        })
    }

    /// Asks for JSON of `schema`, unless the same was asked a while ago; re-asks once with the error when it is unfit.
    pub async fn typed<T: DeserializeOwned>(
        &self,
        stage: Stage,
        prompt: Prompt,
        schema: &AnswerSchema,
        tokens_max: u32,
    ) -> Result<T, AskFailure> {
        let known = self.cache.zip(MadeFrom::of(&(stage.name(), &*prompt.system, &*prompt.user, schema.as_str())));
        let kept = known.and_then(|(cache, made_from)| cache.answer(made_from));
        if let Some(answer) = kept.and_then(|kept| T::deserialize(kept).ok()) {
            return Ok(answer);
        }
        let mut asked = prompt.clone();
        let mut why = String::new();
        for _ in 0..2 {
            let (completion, mut span) =
                self.called(stage, asked.clone(), Some(schema.clone()), tokens_max, None).await?;
            let json = completion.json.ok_or_else(|| "it was no JSON".to_owned());
            let parsed = json.and_then(|json| {
                let answer = T::deserialize(&json).map_err(|cause| cause.to_string())?;
                Ok((answer, json))
            });
            match parsed {
                Ok((answer, json)) => {
                    (self.trace)(span);
                    if let Some((cache, made_from)) = known.filter(|_| !completion.is_substitute) {
                        cache.keep_answer(made_from, &json);
                    }
                    return Ok(answer);
                }
                Err(problem) => {
                    span.outcome = SpanOutcome::Unusable;
                    (self.trace)(span);
                    why = shorten(&problem, limits::PROBLEM_CHARS_MAX);
                    let again = format!("\n\nYour last answer could not be used ({why}). Answer again, JSON only.");
                    asked.user = [&*prompt.user, &again].concat().into();
                }
            }
        }
        Err(AskFailure::Unusable { why })
    }

    /// Asks once, for words or for JSON whose pieces are wanted as they come; what it means is the caller's.
    pub async fn streamed(
        &self,
        stage: Stage,
        prompt: Prompt,
        schema: Option<&AnswerSchema>,
        tokens_max: u32,
        words: Option<UnboundedSender<String>>,
    ) -> Result<Completion, AskFailure> {
        let (completion, mut span) = self.called(stage, prompt, schema.cloned(), tokens_max, words).await?;
        let is_empty = completion.text.trim().is_empty() && completion.json.is_none();
        if is_empty {
            span.outcome = SpanOutcome::Unusable;
        }
        (self.trace)(span);
        if is_empty { Err(AskFailure::Unusable { why: "the answer was empty".to_owned() }) } else { Ok(completion) }
    }

    /// One call through the gate. A failure is told to the trace here, an answer by whoever judges it.
    async fn called(
        &self,
        stage: Stage,
        prompt: Prompt,
        schema: Option<AnswerSchema>,
        tokens_max: u32,
        words: Option<UnboundedSender<String>>,
    ) -> Result<(Completion, ModelSpan), AskFailure> {
        let Prompt { system, user } = prompt;
        let shape = schema.as_ref().map_or(0, |schema| schema.as_str().len());
        let input_bytes = system.len() + user.len();
        let most = tokens_of(input_bytes + shape) + u64::from(tokens_max);
        let (patience, meter) = (self.patience.clone(), self.meter.clone());
        let call = Call { stage, system, user, schema, tokens_max, patience, meter };
        let begun = Instant::now();
        let answer = self.gate.pass(most, Box::pin(self.model.complete(call, words))).await;
        let usage = match &answer {
            Ok(completion) => completion.usage,
            Err(AskFailure::Model(error)) => error.usage(),
            Err(AskFailure::Unusable { .. } | AskFailure::OutOfBudget(_) | AskFailure::Resting { .. }) => {
                Usage::default()
            }
        };
        let outcome = SpanOutcome::of(&answer);
        let span = ModelSpan { stage, us: begun.elapsed().as_micros() as u64, input_bytes, usage, outcome };
        match answer {
            Ok(completion) => Ok((completion, span)),
            Err(failure) => {
                (self.trace)(span);
                Err(failure)
            }
        }
    }
}

/// What so many bytes are, as long as nobody has counted.
pub fn tokens_of(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// A text of at most so many bytes, cut between characters.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max.min(text.len()))]
}
