//! Asking a model: typed answers with one re-ask, and plain words.

use std::time::Duration;

use minijinja::Value as Values;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;

use crate::core::text::shorten;
use crate::limits;
use crate::pipeline::turn::Turn;
use crate::ports::{AnswerSchema, Call, Model, ModelError, Stage, Usage};
use crate::prompts::{Fixed, Prompt};

/// What came of asking for a typed answer.
#[derive(Debug)]
pub enum Asked<T> {
    /// An answer of the right shape.
    Answer(T),
    /// The endpoint answered, twice, with something else.
    Unusable(String),
    /// There was no answer.
    Failed(ModelError),
}

/// Asks for JSON of `schema`; re-asks once with the error when it does not fit.
pub async fn typed<T: DeserializeOwned>(
    turn: &Turn<'_>,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    schema: AnswerSchema,
    tokens_max: u32,
) -> Asked<T> {
    typed_fitting(turn, model, stage, prompt, schema, tokens_max, |_| None).await
}

/// The same; `misfit` says what is wrong inside an answer of the right shape. It is asked about once, too; after that
/// the answer stands as it is, and whoever uses it refuses that part.
pub async fn typed_fitting<T: DeserializeOwned>(
    turn: &Turn<'_>,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    schema: AnswerSchema,
    tokens_max: u32,
    misfit: impl Fn(&T) -> Option<String>,
) -> Asked<T> {
    let Prompt { system, user } = prompt;
    let patience = turn.patience.clone();
    let mut call = Call { stage, system, user, schema: Some(schema), tokens_max, patience };
    let mut problem = String::new();
    let mut misfitting = None;
    for attempt in 0..2 {
        if attempt == 1 {
            let again = format!("\n\nYour last answer could not be used ({problem}). Answer again, JSON only.");
            call.user = [&*call.user, &again].concat().into();
        }
        let started = turn.elapsed_us();
        let input = call.system.len() + call.user.len();
        let answer = {
            let _waiting = turn.waits_for_model();
            model.complete(call.clone(), None).await
        };
        match answer {
            Err(error) => {
                turn.spent(error.usage());
                turn.traced(stage.name(), started, input, error.usage(), format!("failed: {error}"));
                return misfitting.map_or(Asked::Failed(error), Asked::Answer);
            }
            Ok(completion) => {
                turn.spent(completion.usage);
                let parsed = completion
                    .json
                    .ok_or_else(|| "it was no JSON".to_owned())
                    .and_then(|json| serde_json::from_value::<T>(json).map_err(|cause| cause.to_string()));
                let why = match parsed {
                    Ok(answer) => match misfit(&answer).filter(|_| attempt == 0) {
                        None => {
                            turn.traced(stage.name(), started, input, completion.usage, "ok");
                            return Asked::Answer(answer);
                        }
                        Some(why) => {
                            misfitting = Some(answer);
                            why
                        }
                    },
                    Err(why) => why,
                };
                turn.traced(stage.name(), started, input, completion.usage, "unusable");
                problem = shorten(&why, limits::PROBLEM_CHARS_MAX);
            }
        }
    }
    misfitting.map_or(Asked::Unusable(problem), Asked::Answer)
}

/// Asks for words, for at most so long, if at most at all. `words` receives them as they come.
pub async fn words(
    turn: &Turn<'_>,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    tokens_max: u32,
    words: Option<UnboundedSender<String>>,
    within: Option<Duration>,
) -> Result<String, ModelError> {
    let Prompt { system, user } = prompt;
    let input = system.len() + user.len();
    let started = turn.elapsed_us();
    let call = Call { stage, system, user, schema: None, tokens_max, patience: turn.patience.clone() };
    let waiting = turn.waits_for_model();
    let asked = model.complete(call, words);
    let result = match within {
        Some(within) => tokio::time::timeout(within, asked).await.unwrap_or_else(|_| Err(no_time_left())),
        None => asked.await,
    };
    drop(waiting);
    let usage = result.as_ref().map_or_else(ModelError::usage, |completion| completion.usage);
    turn.spent(usage);
    let outcome = result.as_ref().err().map_or_else(|| "ok".to_owned(), |error| format!("failed: {error}"));
    turn.traced(stage.name(), started, input, usage, outcome);
    match result {
        Ok(completion) if completion.text.is_empty() => {
            Err(ModelError::Unreadable { why: "the answer was empty".to_owned(), usage: Usage::default() })
        }
        Ok(completion) => Ok(completion.text),
        Err(error) => Err(error),
    }
}

/// The call was sent, and its turn has no time for the answer.
fn no_time_left() -> ModelError {
    ModelError::TooSlow {
        why: "the turn had no more time for its answer".to_owned(),
        usage: Usage { calls: 1, ..Usage::default() },
    }
}

/// A list for a prompt.
pub fn lines(items: &[String]) -> Values {
    Values::from(items.to_vec())
}

/// Both parts of a stage's prompt. A prompt that cannot be rendered is a defect of a replaced file; the
/// stage then falls back as if the endpoint were away.
pub fn prompt(
    turn: &Turn<'_>,
    stage: Stage,
    fixed: Fixed<impl FnOnce() -> Values>,
    changing: &Values,
) -> Result<Prompt, ModelError> {
    turn.brain
        .prompts
        .render(stage, fixed, changing)
        .map_err(|error| ModelError::Unreadable { why: error.to_string(), usage: Usage::default() })
}
