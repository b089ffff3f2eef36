//! Asking a model: typed answers with one re-ask, and plain words.

use std::fmt;
use std::time::Duration;

use minijinja::Value as Values;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;

use crate::pipeline::brain::Brain;
use crate::pipeline::turn::TurnAccount;
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::records::SpanOutcome;
use brain_core::ports::{AnswerSchema, Call, Completion, Model, ModelError, Stage, ToolCall, Usage};
use brain_core::prompts::{Fixed, Prompt};

/// What came of asking for a typed answer.
#[derive(Debug)]
pub enum Typed<T> {
    /// An answer of the right shape.
    Answer(T),
    /// The endpoint answered, twice, with something else.
    Unusable(String),
    /// There was no answer.
    Failed(ModelError),
}

impl<T> Typed<T> {
    /// The same of what the answer comes to.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Typed<U> {
        match self {
            Self::Answer(answer) => Typed::Answer(make(answer)),
            Self::Unusable(why) => Typed::Unusable(why),
            Self::Failed(error) => Typed::Failed(error),
        }
    }
}

/// Asks for JSON of `schema`; re-asks once with the error when it does not fit.
pub async fn typed<T: DeserializeOwned>(
    account: &TurnAccount,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    schema: AnswerSchema,
    tokens_max: u32,
) -> Typed<T> {
    typed_fitting(
        account,
        model,
        stage,
        prompt,
        schema,
        tokens_max,
        AnswerChecks { misfit: &|_| None, called: &|_| None },
    )
    .await
}

/// How an answer is read beyond its shape.
pub struct AnswerChecks<'a, T> {
    /// What is wrong inside an answer of the right shape.
    pub misfit: &'a (dyn Fn(&T) -> Option<String> + Sync),
    /// The answer that calls of tools amount to, if they do.
    pub called: &'a (dyn Fn(&[ToolCall]) -> Option<T> + Sync),
}

impl<T> fmt::Debug for AnswerChecks<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnswerChecks")
    }
}

/// The same; `misfit` says what is wrong inside an answer of the right shape. It is asked about once, too; after that
/// the answer stands as it is, and whoever uses it refuses that part.
pub async fn typed_fitting<T: DeserializeOwned>(
    account: &TurnAccount,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    schema: AnswerSchema,
    tokens_max: u32,
    reading: AnswerChecks<'_, T>,
) -> Typed<T> {
    let Prompt { system, user } = prompt;
    let (patience, meter) = (account.patience.clone(), account.meter());
    let call = Call { stage, system, user, schema: Some(schema), tokens_max, patience, meter };
    typed_growing(account, model, call, reading, None).await
}

/// The same for a call that has a schema; `growing` receives the text of the first answer as it comes.
pub async fn typed_growing<T: DeserializeOwned>(
    account: &TurnAccount,
    model: &dyn Model,
    mut call: Call,
    reading: AnswerChecks<'_, T>,
    mut growing: Option<UnboundedSender<String>>,
) -> Typed<T> {
    let stage = call.stage;
    let Some(schema) = call.schema.clone() else { return Typed::Unusable("it has no shape".to_owned()) };
    let mut problem = String::new();
    let mut misfitting = None;
    for attempt in 0..2 {
        if attempt == 1 {
            let again = format!("\n\nYour last answer could not be used ({problem}). Answer again, JSON only.");
            call.user = [&*call.user, &again].concat().into();
        }
        let started = account.elapsed_us();
        let input = call.system.len() + call.user.len();
        let answer = {
            let _waiting = account.waits_for_model();
            model.complete(call.clone(), growing.take()).await
        };
        match answer {
            Err(error) => {
                account.spent(error.usage());
                account.traced(stage.name(), started, input, error.usage(), SpanOutcome::Failed(error.to_string()));
                return misfitting.map_or(Typed::Failed(error), Typed::Answer);
            }
            Ok(completion) => {
                account.spent(completion.usage);
                let usage = completion.usage;
                let why = match parsed(completion, &schema, reading.called) {
                    Ok(answer) => match (reading.misfit)(&answer).filter(|_| attempt == 0) {
                        None => {
                            account.traced(stage.name(), started, input, usage, SpanOutcome::Ok);
                            return Typed::Answer(answer);
                        }
                        Some(why) => {
                            misfitting = Some(answer);
                            why
                        }
                    },
                    Err(why) => why,
                };
                account.traced(stage.name(), started, input, usage, SpanOutcome::Unusable);
                problem = shorten(&why, limits::PROBLEM_CHARS_MAX);
            }
        }
    }
    misfitting.map_or(Typed::Unusable(problem), Typed::Answer)
}

/// The answer in the shape that was asked for. Every key of it may be optional: an object that has none of them is some
/// other object, and no empty answer.
fn parsed<T: DeserializeOwned>(
    completion: Completion,
    schema: &AnswerSchema,
    called: &dyn Fn(&[ToolCall]) -> Option<T>,
) -> Result<T, String> {
    let Some(json) = completion.json else {
        return match completion.calls.as_slice() {
            [] => Err("it was no JSON".to_owned()),
            calls => called(calls).ok_or_else(|| "it called a tool; there is none, write the JSON itself".to_owned()),
        };
    };
    let keys = schema.value()["properties"].as_object();
    let is_other = |map: &serde_json::Map<String, serde_json::Value>| {
        !map.is_empty() && keys.is_some_and(|keys| !map.keys().any(|key| keys.contains_key(key)))
    };
    if json.as_object().is_some_and(is_other) {
        return Err("it has none of the keys of the schema".to_owned());
    }
    serde_json::from_value(json).map_err(|cause| cause.to_string())
}

/// Asks for words, for at most so long, if at most at all. `words` receives them as they come.
pub async fn words(
    account: &TurnAccount,
    model: &dyn Model,
    stage: Stage,
    prompt: Prompt,
    tokens_max: u32,
    words: Option<UnboundedSender<String>>,
    within: Option<Duration>,
) -> Result<String, ModelError> {
    let Prompt { system, user } = prompt;
    let input = system.len() + user.len();
    let started = account.elapsed_us();
    let (patience, meter) = (account.patience.clone(), account.meter());
    let call = Call { stage, system, user, schema: None, tokens_max, patience, meter };
    let waiting = account.waits_for_model();
    let asked = model.complete(call, words);
    let result = match within {
        Some(within) => tokio::time::timeout(within, asked).await.unwrap_or_else(|_| Err(no_time_left())),
        None => asked.await,
    };
    drop(waiting);
    let usage = result.as_ref().map_or_else(ModelError::usage, |completion| completion.usage);
    account.spent(usage);
    let outcome = SpanOutcome::of(&result);
    account.traced(stage.name(), started, input, usage, outcome);
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
    brain: &Brain,
    stage: Stage,
    fixed: Fixed<impl FnOnce() -> Values>,
    changing: &Values,
) -> Result<Prompt, ModelError> {
    brain
        .prompts
        .render(stage, fixed, changing)
        .map_err(|error| ModelError::Unreadable { why: error.to_string(), usage: Usage::default() })
}

/// The same for an endpoint that reads `room` tokens of a prompt, if that is known: what is too much is left out of the
/// two lists, of the conversation the oldest lines, of the context the last.
pub fn prompt_within(
    brain: &Brain,
    stage: Stage,
    fixed: Fixed<impl Fn() -> Values + Copy>,
    room: Option<u64>,
    (history, known): (&[String], &[String]),
    changing: impl Fn(&[String], &[String]) -> Values,
) -> Result<Prompt, ModelError> {
    let whole = prompt(brain, stage, fixed, &changing(history, known))?;
    let length = |prompt: &Prompt| prompt.system.len() + prompt.user.len();
    let bytes = room.and_then(|tokens| usize::try_from(tokens.saturating_mul(4)).ok());
    let Some(excess) = bytes.and_then(|bytes| length(&whole).checked_sub(bytes)).filter(|excess| *excess > 0) else {
        return Ok(whole);
    };
    let (history, known) = less(history, known, excess);
    tracing::debug!(stage = stage.name(), excess, "less of the conversation and the context is sent");
    prompt(brain, stage, fixed, &changing(history, known))
}

/// Both lists without about so many bytes, the conversation first.
fn less<'a>(mut history: &'a [String], mut known: &'a [String], excess: usize) -> (&'a [String], &'a [String]) {
    let mut left = excess;
    while left > 0
        && let [oldest, rest @ ..] = history
    {
        left = left.saturating_sub(oldest.len() + 1);
        history = rest;
    }
    while left > 0
        && let [rest @ .., last] = known
    {
        left = left.saturating_sub(last.len() + 1);
        known = rest;
    }
    (history, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_goes_from_the_oldest_of_the_conversation_and_the_end_of_the_context() {
        let lines = |names: &[&str]| names.iter().map(|name| name.repeat(10)).collect::<Vec<String>>();
        let (history, known) = (lines(&["a", "b"]), lines(&["c", "d"]));
        for (excess, kept) in [(0, (2, 2)), (5, (1, 2)), (11, (1, 2)), (12, (0, 2)), (23, (0, 1)), (1_000, (0, 0))] {
            let (left, right) = less(&history, &known, excess);
            assert_eq!((left.len(), right.len()), kept, "{excess}");
        }
        let (left, right) = less(&history, &known, 23);
        assert!(left.is_empty() && right[0].starts_with('c'));
    }
}
