//! A command with its type erased, as everybody but its author uses it: the catalog holds these.
//!
//! Invariants: parameters that come out of a check parse again; a stored action that no longer does is judged high
//! stakes, and its card shows its raw values.

use std::fmt;
use std::marker::PhantomData;

use serde_json::Value;

use super::command::{Command, Kind, Place, Receipt, Slot, Subject};
use super::show;
use crate::core::card::CardBody;
use crate::core::plan::{Action, Params, Target};
use crate::core::provenance::NOT_YOURS;
use crate::core::stakes::{Rule, Stakes};
use crate::core::text::visible;
use crate::limits::PARAM_CHARS_MAX;

/// Why parameters do not make a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// A required one is missing or empty.
    #[error("{param} is missing")]
    Missing {
        /// Which.
        param: String,
        /// What to ask the person.
        question: String,
        /// Values to choose from, with their labels; empty if anything may be answered.
        choices: Vec<(String, String)>,
    },
    /// They do not fit the types.
    #[error("{0}")]
    Invalid(String),
}

/// A command with its type erased.
pub trait Entry: Rule + Send + Sync + fmt::Debug {
    /// The service it belongs to.
    fn service(&self) -> &str;
    /// Its name there.
    fn command(&self) -> &str;
    /// What it does.
    fn summary(&self) -> &str;
    /// How a person asks for it.
    fn example(&self) -> &str;
    /// Whether it changes anything.
    fn kind(&self) -> Kind;
    /// Where its effect happens.
    fn place(&self) -> Place;
    /// Parameters that cannot be tainted.
    fn references(&self) -> &[&str];
    /// JSON schema of its parameters.
    fn schema(&self) -> Value;
    /// Checks and normalises parameters as a planner gave them.
    fn check(&self, params: Params) -> Result<Params, ParamError>;
    /// Lets `settle` turn words into values, slot by slot; stops at its first error.
    fn settle(
        &self,
        params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError>;
    /// See [`Command::complete`]; also checks [`Command::problem`].
    fn complete(&self, params: Params, target: Option<&Target>) -> Result<Params, ParamError>;
    /// The question for a missing parameter.
    fn question(&self, param: &str) -> String;
    /// What the person approves.
    fn card(&self, subject: &Subject<'_>) -> CardBody;
    /// What the approving button says.
    fn approve(&self, action: &Action) -> &'static str;

    /// What its decided card says, once it was done.
    fn done(&self, action: &Action) -> &'static str {
        let _ = action;
        "Done"
    }
    /// What is told after success.
    fn receipt(&self, receipt: &Receipt<'_>) -> String;
    /// What the person tried.
    fn deed(&self, action: &Action) -> String;
}

/// The erased form of `T`.
pub(crate) fn entry<T: Command>() -> Box<dyn Entry> {
    Box::new(Typed::<T>::new())
}

/// The schema is made once: every check of every action reads it.
struct Typed<T> {
    schema: Value,
    required: Vec<String>,
    command: PhantomData<fn() -> T>,
}

impl<T: Command> fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", T::SERVICE, T::NAME)
    }
}

impl<T: Command> Typed<T> {
    fn new() -> Self {
        let schema = schema::<T>();
        Self { required: required(&schema), schema, command: PhantomData }
    }

    fn parse(&self, params: &Params) -> Result<T, ParamError> {
        let present: Params = params.iter().filter(|(_, value)| !is_blank(value)).map(clone_pair).collect();
        let missing = |param: &&String| !present.contains_key(*param);
        if let Some(param) = self.required.iter().find(missing) {
            let question = T::question(param).to_owned();
            return Err(ParamError::Missing { param: param.clone(), question, choices: Vec::new() });
        }
        serde_json::from_value(Value::Object(present)).map_err(|cause| ParamError::Invalid(cause.to_string()))
    }

    fn unparse(command: &T) -> Result<Params, ParamError> {
        match serde_json::to_value(command) {
            Ok(Value::Object(mut params)) => {
                params.retain(|_, value| !value.is_null());
                Ok(params)
            }
            Ok(other) => Err(ParamError::Invalid(format!("{other} is not an object"))),
            Err(cause) => Err(ParamError::Invalid(cause.to_string())),
        }
    }

    /// A stored action parses, or nothing about it can be told but its raw values.
    fn with<R>(&self, action: &Action, f: impl FnOnce(&T) -> R) -> Option<R> {
        self.parse(&action.params).ok().map(|command| f(&command))
    }
}

impl<T: Command> Rule for Typed<T> {
    fn stakes(&self, action: &Action) -> Stakes {
        // What cannot be read cannot be judged harmless.
        self.with(action, |command| command.stakes(action)).unwrap_or(Stakes::High)
    }
}

impl<T: Command> Entry for Typed<T> {
    fn service(&self) -> &str {
        T::SERVICE
    }

    fn command(&self) -> &str {
        T::NAME
    }

    fn summary(&self) -> &str {
        T::SUMMARY
    }

    fn example(&self) -> &str {
        T::EXAMPLE
    }

    fn kind(&self) -> Kind {
        T::KIND
    }

    fn place(&self) -> Place {
        T::PLACE
    }

    fn references(&self) -> &[&str] {
        T::REFERENCES
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn check(&self, params: Params) -> Result<Params, ParamError> {
        if let Some(param) = too_long(&params) {
            return Err(ParamError::Invalid(format!("{param} is longer than {PARAM_CHARS_MAX} characters")));
        }
        Self::unparse(&self.parse(&params)?)
    }

    fn settle(
        &self,
        params: Params,
        settle: &mut dyn FnMut(Slot<'_>) -> Result<(), ParamError>,
    ) -> Result<Params, ParamError> {
        let mut command = self.parse(&params)?;
        for slot in command.slots() {
            settle(slot)?;
        }
        Self::unparse(&command)
    }

    fn complete(&self, params: Params, target: Option<&Target>) -> Result<Params, ParamError> {
        let mut command = self.parse(&params)?;
        command.complete(target);
        match command.problem() {
            Some(problem) => Err(ParamError::Invalid(problem)),
            None => Self::unparse(&command),
        }
    }

    fn question(&self, param: &str) -> String {
        T::question(param).to_owned()
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        let mut card = self.with(subject.action, |command| command.card(subject)).unwrap_or_else(|| {
            CardBody::titled(format!("{}?", subject.action.name()))
                .body(Value::Object(subject.action.params.clone()).to_string())
        });
        // A look that waits for a high-stakes action stands on its card, too: with everything it asks for.
        if T::KIND == Kind::Read && card.rows.is_empty() {
            let shown = |value: &Value| match value {
                Value::String(text) => show::time(text, subject.reference),
                other => other.to_string(),
            };
            let params = subject.action.params.iter();
            card.rows = params.map(|(name, value)| (name.clone(), shown(value))).collect();
        }
        let taints =
            subject.action.taints.iter().map(|t| format!("“{}” comes from {}, {NOT_YOURS}", t.value, t.source));
        card.warnings.extend(taints);
        card.warnings.extend(subject.action.notes.iter().cloned());
        card
    }

    fn approve(&self, action: &Action) -> &'static str {
        self.with(action, Command::approve).unwrap_or("✅ Yes")
    }

    fn done(&self, action: &Action) -> &'static str {
        self.with(action, Command::done).unwrap_or("Done")
    }

    fn receipt(&self, receipt: &Receipt<'_>) -> String {
        // Here for all of them: no receipt may hide or reorder what it tells.
        self.with(receipt.action, |command| visible(&command.receipt(receipt))).unwrap_or_else(|| "Done.".to_owned())
    }

    fn deed(&self, action: &Action) -> String {
        self.with(action, |command| visible(&command.deed(action))).unwrap_or_else(|| action.name())
    }
}

fn clone_pair((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn too_long(params: &Params) -> Option<String> {
    fn longest(value: &Value) -> usize {
        match value {
            Value::String(text) => text.chars().count(),
            Value::Array(items) => items.iter().map(longest).sum(),
            Value::Object(map) => map.values().map(longest).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }
    params.iter().find(|(_, value)| longest(value) > PARAM_CHARS_MAX).map(|(key, _)| key.clone())
}

/// The schema of `T`, without what no planner needs.
fn schema<T: Command>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    schema
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            // `title` as a keyword is text; as a property it is an object and stays.
            map.retain(|key, value| !matches!(key.as_str(), "title" | "format" | "default") || value.is_object());
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
