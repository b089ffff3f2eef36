//! What a tool is: its definition as it arrives, checked once, and its parameters held against it from then on.
//!
//! Work on a schema is bounded: its size and its depth before anything reads it, patterns that take linear time, no
//! reference out of it.

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Value, json};

use crate::services::contract::command::Effect;
use crate::services::contract::param_error::ParamError;
use crate::services::contract::schema::{alternatives, is_blank, required, too_long};
use brain_core::core::digest::Digest;
use brain_core::core::plan::Params;
use brain_core::core::stakes::Stakes;
use brain_core::core::text::{capital, shorten, visible};
use brain_core::limits;

/// A command that is no Rust type, as it arrives.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name inside its service.
    pub name: String,
    /// What it does, for prompts, help and its card: one sentence, which may be of any form.
    pub summary: String,
    /// How a person asks for it; its summary where that is empty.
    pub example: String,
    /// JSON schema of its parameters. Texts of the formats `date` and `date-time` are times: code settles them.
    pub schema: Value,
    /// What it does to the world.
    pub effect: Effect,
    /// At least this much harm is possible.
    pub stakes: Stakes,
}

/// Why a definition is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableTool {
    /// Its name is no name.
    #[error("its name has to be 1 to {} letters, digits, “_”, “-”, “.” or “/”", limits::TOOL_NAME_CHARS_MAX)]
    Name,
    /// It does not say what it does.
    #[error("it does not say what it does")]
    NoSummary,
    /// Its schema is too much, perhaps because it refers to itself in a circle.
    #[error(
        "its schema has more than {} KB, {} values or {} levels",
        limits::TOOL_SCHEMA_BYTES_MAX / 1024, limits::TOOL_SCHEMA_VALUES_MAX, limits::TOOL_SCHEMA_DEPTH_MAX
    )]
    TooLarge,
    /// Its parameters have no names.
    #[error("the schema of its parameters is no object")]
    NoObject,
    /// Its schema refers to something outside.
    #[error("its schema refers to something that is not in it: {0}")]
    Reference(String),
    /// Its schema is none.
    #[error("its schema cannot be used: {0}")]
    Schema(String),
}

/// A definition that can be used.
#[derive(Debug)]
pub struct Tool {
    pub(super) definition: ToolDefinition,
    /// As it arrived: what its digest is made of.
    arrived: Value,
    required: Vec<String>,
    times: Vec<TimeParam>,
    /// The values of a planner: times are words still.
    said: Validator,
    /// The values of an action.
    settled: Validator,
    /// Its answers are the operator's own words.
    pub(super) is_vouched_for: bool,
    /// Nobody says whether it changes anything.
    pub(super) is_of_unknown_effect: bool,
}

#[derive(Debug)]
pub(super) struct TimeParam {
    pub(super) name: String,
    format: &'static str,
}

impl Tool {
    /// Checks a definition.
    pub fn of(mut definition: ToolDefinition) -> Result<Self, UnusableTool> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        let name = &definition.name;
        if name.is_empty() || name.len() > limits::TOOL_NAME_CHARS_MAX || !name.chars().all(is_name) {
            return Err(UnusableTool::Name);
        }
        let mut summary = visible(&shorten(definition.summary.trim(), limits::TOOL_SUMMARY_CHARS_MAX));
        summary.truncate(summary.trim_end_matches('.').len());
        if summary.is_empty() {
            return Err(UnusableTool::NoSummary);
        }
        let size = serde_json::to_string(&definition.schema).map_or(usize::MAX, |text| text.len());
        if size > limits::TOOL_SCHEMA_BYTES_MAX {
            return Err(UnusableTool::TooLarge);
        }
        let arrived = arrived(&definition);
        definition.schema = inlined(&definition.schema)?;
        if definition.schema["type"] != "object" {
            return Err(UnusableTool::NoObject);
        }
        let validator = |formats| {
            let options = jsonschema::options().offline().should_validate_formats(formats);
            let built = options.with_pattern_options(PatternOptions::regex()).build(&definition.schema);
            built.map_err(|error| UnusableTool::Schema(reason(&error)))
        };
        let (said, settled) = (validator(false)?, validator(true)?);
        let properties = definition.schema["properties"].as_object();
        let times = properties.into_iter().flatten().filter_map(|(name, schema)| {
            let format = std::iter::once(schema).chain(alternatives(schema)).find_map(|one| one["format"].as_str())?;
            let format = ["date", "date-time"].into_iter().find(|known| *known == format)?;
            Some(TimeParam { name: name.clone(), format })
        });
        definition.summary = summary;
        definition.example = visible(&shorten(definition.example.trim(), limits::TOOL_SUMMARY_CHARS_MAX));
        if definition.example.is_empty() {
            definition.example = capital(&definition.summary);
        }
        let (times, required) = (times.collect(), required(&definition.schema));
        Ok(Self {
            arrived,
            required,
            times,
            said,
            settled,
            definition,
            is_vouched_for: false,
            is_of_unknown_effect: false,
        })
    }

    /// The same, carried out by what this says: where that is another one, so is the definition.
    #[must_use]
    pub fn carried_out_by(mut self, how: &Value) -> Self {
        self.arrived["how"] = how.clone();
        self
    }

    /// The same, whose answers the operator vouches for: they are no foreign text.
    #[must_use]
    pub fn vouched_for(mut self) -> Self {
        self.is_vouched_for = true;
        self.arrived["vouched"] = true.into();
        self
    }

    /// The same, of which nobody says whether it changes anything: it is taken for what does, at high stakes, and may be
    /// what a question is about all the same.
    #[must_use]
    pub fn of_unknown_effect(mut self) -> Self {
        self.definition.effect = Effect::WriteElsewhere;
        self.definition.stakes = Stakes::High;
        self.is_of_unknown_effect = true;
        self
    }

    /// What a person approves its actions under: another definition is another command.
    pub(super) fn digest(&self, service: &str) -> String {
        Digest::of_definition(service, &self.arrived).to_string()
    }

    /// The parameters that hold a time.
    pub(super) fn times(&self) -> &[TimeParam] {
        &self.times
    }

    /// Checks and normalises parameters as a planner gave them: a time is in words still.
    pub(super) fn check(&self, params: Params) -> Result<Params, ParamError> {
        if let Some(param) = too_long(&params) {
            let most = limits::PARAM_CHARS_MAX;
            return Err(ParamError::Invalid(format!("{param} is longer than {most} characters")));
        }
        let mut present: Params = params.into_iter().filter(|(_, value)| !is_blank(value)).collect();
        if let Some(param) = self.required.iter().find(|param| !present.contains_key(*param)) {
            return Err(missing(param, question(param)));
        }
        for (name, value) in &mut present {
            fit(value, &self.definition.schema["properties"][name]);
        }
        Self::valid(&self.said, present)
    }

    /// The same once times are values.
    pub(super) fn complete(&self, params: Params) -> Result<Params, ParamError> {
        let is_settled = |time: &&TimeParam| match params.get(&time.name).and_then(Value::as_str) {
            Some(value) => value.contains('T') == (time.format == "date-time"),
            None => true,
        };
        if let Some(TimeParam { name, format }) = self.times.iter().find(|time| !is_settled(time)) {
            let asked = if *format == "date" { "Which day is" } else { "What time exactly is" };
            return Err(missing(name, format!("{asked} the {}?", spaced(name))));
        }
        Self::valid(&self.settled, params)
    }

    fn valid(validator: &Validator, params: Params) -> Result<Params, ParamError> {
        let checked = validator.validate(&Value::Object(params.clone())).map_err(|error| {
            let param = error.instance_path().as_str().split('/').nth(1).map(str::to_owned);
            ParamError::Unfit { param, why: reason(&error) }
        });
        checked.map(|()| params)
    }
}

fn arrived(definition: &ToolDefinition) -> Value {
    let ToolDefinition { name, summary, example, schema, effect, stakes } = definition;
    json!({
        "name": name, "summary": summary, "example": example, "schema": schema,
        "effect": format!("{effect:?}"), "stakes": stakes,
    })
}

/// The schema with what it refers to in its place, since planners see a part of it. Bounded in values and in levels:
/// what refers to itself, or stands for more and more of itself, is refused.
struct Inliner<'a> {
    root: &'a Value,
    values: usize,
}

impl<'a> Inliner<'a> {
    fn inlined(&mut self, value: &Value, levels: usize) -> Result<Value, UnusableTool> {
        self.values = self.values.checked_sub(1).ok_or(UnusableTool::TooLarge)?;
        let levels = levels.checked_sub(1).ok_or(UnusableTool::TooLarge)?;
        match value {
            Value::Object(map) => {
                let mut whole = match map.get("$ref").and_then(Value::as_str) {
                    Some(to) => match self.inlined(self.referred(to)?, levels)? {
                        Value::Object(referred) => referred,
                        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                            return Err(outside(to));
                        }
                    },
                    None => Params::new(),
                };
                let own = map.iter().filter(|(key, value)| *key != "$ref" || !value.is_string());
                for (key, value) in own {
                    whole.insert(key.clone(), self.inlined(value, levels)?);
                }
                Ok(Value::Object(whole))
            }
            Value::Array(items) => {
                items.iter().map(|item| self.inlined(item, levels)).collect::<Result<_, _>>().map(Value::Array)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value.clone()),
        }
    }

    fn referred(&self, to: &str) -> Result<&'a Value, UnusableTool> {
        to.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).ok_or_else(|| outside(to))
    }
}

fn outside(to: &str) -> UnusableTool {
    UnusableTool::Reference(shorten(&visible(to), limits::TOOL_SUMMARY_CHARS_MAX))
}

fn inlined(schema: &Value) -> Result<Value, UnusableTool> {
    let mut own = schema.clone();
    if let Some(map) = own.as_object_mut() {
        map.retain(|key, _| !matches!(key.as_str(), "$defs" | "definitions"));
    }
    let mut inliner = Inliner { root: schema, values: limits::TOOL_SCHEMA_VALUES_MAX };
    inliner.inlined(&own, limits::TOOL_SCHEMA_DEPTH_MAX)
}

/// A number or a yes or no that was written as a text.
fn fit(value: &mut Value, schema: &Value) {
    let Value::String(text) = value else { return };
    let is = |kind: &str| {
        std::iter::once(schema)
            .chain(alternatives(schema))
            .any(|one| one["type"] == kind || one["type"].as_array().is_some_and(|kinds| kinds.contains(&kind.into())))
    };
    if is("string") {
        return;
    }
    let read: Option<Value> = match text.trim().to_lowercase().as_str() {
        "yes" => Some(true.into()),
        "no" => Some(false.into()),
        text => serde_json::from_str(text).ok(),
    };
    let fits = |read: &Value| match read {
        Value::Number(number) => is("number") || is("integer") && !number.is_f64(),
        Value::Bool(_) => is("boolean"),
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => false,
    };
    if let Some(read) = read.filter(fits) {
        *value = read;
    }
}

/// Why it does not fit, without the value itself: that may be long, and a planner knows it.
fn reason(error: &ValidationError<'_>) -> String {
    shorten(&visible(&error.masked().to_string()), limits::TOOL_SUMMARY_CHARS_MAX)
}

fn missing(param: &str, question: String) -> ParamError {
    ParamError::Missing { param: param.to_owned(), question, choices: Vec::new() }
}

pub(super) fn question(param: &str) -> String {
    format!("What should the {} be?", spaced(param))
}

/// A parameter's name as the label of a row.
pub(super) fn label(param: &str) -> String {
    capital(&spaced(param))
}

/// A parameter's name as words.
fn spaced(param: &str) -> String {
    visible(&param.replace(['_', '-'], " "))
}
