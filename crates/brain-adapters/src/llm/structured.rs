//! Structured output: asking for JSON in the way an endpoint understands, and remembering which way that is.
//!
//! A [`Dialect`] says what has been found out about one endpoint and model. It only ever gives things up:
//! `json_schema` → `json_object` → the prompt alone, `max_tokens` → `max_completion_tokens`, temperature,
//! `stream_options`, `stream`. So negotiation ends after at most six refusals, and what worked is not asked
//! again. A refusal that is about one schema counts for the stage it belongs to, all else for every stage.
//!
//! Deliberately not here: repairing what comes back (`repair`).

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::wire::{CompletionRequest, JsonSchema, ResponseFormat, StreamOptions, WireMessage};
use brain_core::ports::{AnswerSchema, Call, Stage};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Format {
    #[default]
    JsonSchema,
    JsonObject,
    PromptOnly,
}

impl Format {
    fn next(self) -> Option<Self> {
        match self {
            Self::JsonSchema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::PromptOnly),
            Self::PromptOnly => None,
        }
    }
}

/// What one endpoint and model understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Dialect {
    pub format: Format,
    /// The limit goes out as `max_completion_tokens`.
    pub new_limit: bool,
    pub no_temperature: bool,
    pub no_stream_usage: bool,
    pub no_stream: bool,
}

impl Dialect {
    /// The request for a call. `shown` is the system message as [`Dialect::system`] gives it.
    pub fn request<'a>(self, model: &'a str, call: &'a Call, shown: &'a str) -> CompletionRequest<'a> {
        let stream = !self.no_stream;
        let messages = [("system", shown), ("user", call.user.as_ref())];
        CompletionRequest {
            model,
            messages: messages
                .into_iter()
                .filter(|(_, content)| !content.is_empty())
                .map(|(role, content)| WireMessage { role, content })
                .collect(),
            max_tokens: (!self.new_limit).then_some(call.tokens_max),
            max_completion_tokens: self.new_limit.then_some(call.tokens_max),
            temperature: (call.schema.is_some() && !self.no_temperature).then_some(0),
            response_format: call.schema.as_ref().and_then(|schema| self.response_format(call.stage, schema)),
            stream,
            stream_options: (stream && !self.no_stream_usage).then_some(StreamOptions { include_usage: true }),
        }
    }

    fn response_format(self, stage: Stage, schema: &AnswerSchema) -> Option<ResponseFormat<'_>> {
        match self.format {
            Format::JsonSchema => Some(ResponseFormat::JsonSchema {
                json_schema: JsonSchema { name: stage.name(), strict: schema.is_strict(can_be_strict), schema },
            }),
            Format::JsonObject => Some(ResponseFormat::JsonObject),
            Format::PromptOnly => None,
        }
    }

    /// The system message; with the schema at its end when the endpoint does not take it as a parameter.
    pub fn system(self, call: &Call) -> Cow<'_, str> {
        match (&call.schema, self.format) {
            (Some(schema), Format::JsonObject | Format::PromptOnly) if is_shown(schema, &call.system) => {
                Cow::Owned(format!("{}\n\nAnswer with one JSON object and nothing else.", call.system.trim_end()))
            }
            (Some(schema), Format::JsonObject | Format::PromptOnly) => Cow::Owned(format!(
                "{}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{}",
                call.system.trim_end(),
                schema.as_str()
            )),
            (Some(_), Format::JsonSchema) | (None, _) => Cow::Borrowed(&call.system),
        }
    }

    /// What to try after a refusal, if the refusal may be about how something was asked.
    /// `body` is the error as it came, `is_explained` whether it holds a message.
    pub fn after_refusal(self, refusal: &Refusal<'_>, call: &Call) -> Option<Self> {
        let stream = !self.no_stream;
        let body = refusal.body.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
        let about_format = call.schema.is_some() && says(&["response_format", "json_schema", "json_object", "grammar"]);
        match refusal.status {
            // llama.cpp and others fail inside when they cannot build a grammar.
            500 | 501 if about_format => return self.lower_format(),
            400 | 415 | 422 => {}
            _ => return None,
        }
        if !self.new_limit && says(&["max_completion_tokens"]) {
            return Some(Self { new_limit: true, ..self });
        }
        if stream && !self.no_stream_usage && says(&["stream_options", "include_usage"]) {
            return Some(Self { no_stream_usage: true, ..self });
        }
        if stream && says(&["streaming", "'stream'", "`stream`", "\"stream\"", "stream is", "stream not"]) {
            return Some(Self { no_stream: true, ..self });
        }
        if call.schema.is_some() && !self.no_temperature && says(&["temperature"]) {
            return Some(Self { no_temperature: true, ..self });
        }
        let may_be_format = about_format || !refusal.is_explained || says(&["schema", "structured", "guided"]);
        if call.schema.is_some() && may_be_format {
            return self.lower_format();
        }
        // It may be about anything, and everything else was given up.
        let without = Self { no_stream_usage: true, no_stream: self.no_stream_usage, ..self };
        (stream && !refusal.is_explained).then_some(without)
    }

    /// The next simpler way to ask for JSON.
    pub fn lower_format(self) -> Option<Self> {
        self.format.next().map(|format| Self { format, ..self })
    }

    fn merged(self, other: Self) -> Self {
        Self {
            format: self.format.max(other.format),
            new_limit: self.new_limit || other.new_limit,
            no_temperature: self.no_temperature || other.no_temperature,
            no_stream_usage: self.no_stream_usage || other.no_stream_usage,
            no_stream: self.no_stream || other.no_stream,
        }
    }
}

/// Whether the prompt says in its own way what the schema does.
fn is_shown(schema: &AnswerSchema, system: &str) -> bool {
    !schema.notation().is_empty() && system.contains(schema.notation())
}

/// An error answer, as far as negotiation looks at it.
#[derive(Debug)]
pub(super) struct Refusal<'a> {
    pub status: u16,
    pub body: &'a str,
    /// Does it hold a message? Without one it may be about anything.
    pub is_explained: bool,
}

impl Refusal<'_> {
    /// Is it about this schema rather than about schemas?
    pub fn is_about_one_schema(&self) -> bool {
        let body = self.body.to_lowercase();
        body.contains("invalid schema") || body.contains("invalid_json_schema")
    }
}

/// Whom a lesson concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lesson {
    /// Every stage that uses the endpoint and model.
    Endpoint,
    /// The format: only this stage, whose schema was refused or ignored. The rest: every stage.
    Schema,
}

/// What was learned about one endpoint and model, by stage.
#[derive(Debug, Default)]
pub(super) struct FormatMemory(Mutex<[Dialect; Stage::ALL.len()]>);

impl FormatMemory {
    pub fn of(&self, stage: Stage) -> Dialect {
        self.all()[stage as usize]
    }

    pub fn learn(&self, stage: Stage, dialect: Dialect, lesson: Lesson) {
        let mut all = self.all();
        for other in Stage::ALL {
            let known = &mut all[other as usize];
            let format = match lesson {
                Lesson::Schema if other != stage => known.format,
                Lesson::Schema | Lesson::Endpoint => dialect.format,
            };
            *known = known.merged(Dialect { format, ..dialect });
        }
    }

    fn all(&self) -> MutexGuard<'_, [Dialect; Stage::ALL.len()]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the schema stay inside the subset that strict decoding takes: every object closed, every property
/// required, no combinators but `anyOf`? Asking for strictness beyond it is refused by hosted endpoints.
fn can_be_strict(schema: &Value) -> bool {
    const UNSUPPORTED: [&str; 8] =
        ["oneOf", "allOf", "not", "if", "dependentRequired", "dependentSchemas", "patternProperties", "prefixItems"];
    schema.get("type").is_some_and(|kind| kind == "object") && is_strict(schema, &UNSUPPORTED)
}

fn is_strict(schema: &Value, unsupported: &[&str]) -> bool {
    let Some(map) = schema.as_object() else {
        // `true` as a schema allows anything.
        return false;
    };
    if unsupported.iter().any(|word| map.contains_key(*word)) {
        return false;
    }
    let is_object = schema["type"] == "object" || map.contains_key("properties");
    let is_closed = || schema["additionalProperties"] == false && requires_all(schema);
    let values = |key: &str| map.get(key).and_then(Value::as_object).into_iter().flat_map(|m| m.values());
    (!is_object || is_closed())
        && values("properties")
            .chain(values("$defs"))
            .chain(values("definitions"))
            .chain(map.get("items"))
            .chain(map.get("anyOf").and_then(Value::as_array).into_iter().flatten())
            .all(|part| is_strict(part, unsupported))
}

fn requires_all(schema: &Value) -> bool {
    let required = schema["required"].as_array();
    schema["properties"].as_object().is_none_or(|properties| {
        properties.keys().all(|key| required.is_some_and(|list| list.iter().any(|name| name == key)))
    })
}

/// Does the value have what the schema requires at its top? If not, the endpoint has ignored the schema.
pub(super) fn has_required(schema: &Value, value: &Value) -> bool {
    schema["required"]
        .as_array()
        .is_none_or(|names| names.iter().filter_map(Value::as_str).all(|name| value.get(name).is_some()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use brain_core::ports::Patience;

    fn call(schema: Option<Value>) -> Call {
        Call {
            stage: Stage::Plan,
            system: "Plan.".into(),
            user: "mail Bob".into(),
            schema: schema.map(AnswerSchema::of),
            tokens_max: 300,
            patience: Patience::default(),
            meter: Default::default(),
        }
    }

    fn after(dialect: Dialect, status: u16, body: &str) -> Option<Dialect> {
        let refusal = Refusal { status, body, is_explained: !body.is_empty() };
        dialect.after_refusal(&refusal, &call(Some(json!({}))))
    }

    #[test]
    fn a_refusal_gives_up_what_it_names() {
        let start = Dialect::default();
        let object = Some(Dialect { format: Format::JsonObject, ..start });
        for (status, body, expected) in [
            (400, "response_format is not supported", object),
            (422, r#"{"detail":[{"loc":["body","response_format"],"msg":"Extra inputs"}]}"#, object),
            (500, "failed to parse grammar", object),
            (400, "", object),
            (400, "use 'max_completion_tokens' instead", Some(Dialect { new_limit: true, ..start })),
            (400, "temperature does not support 0", Some(Dialect { no_temperature: true, ..start })),
            (400, "maximum context length is 4096", None),
            (500, "", None),
            (401, "response_format", None),
        ] {
            assert_eq!(after(start, status, body), expected, "{status} {body}");
        }
        let no_usage = Dialect { no_stream_usage: true, ..start };
        assert_eq!(after(start, 400, "stream_options: unknown"), Some(no_usage));
        assert_eq!(after(start, 400, "streaming is not supported"), Some(Dialect { no_stream: true, ..start }));
    }

    #[test]
    fn negotiation_always_ends() {
        let mut dialect = Dialect::default();
        let body = "max_completion_tokens stream_options temperature response_format streaming";
        let mut steps = 0;
        while let Some(next) = after(dialect, 400, body) {
            dialect = next;
            steps += 1;
        }
        assert_eq!((steps, dialect.format), (6, Format::PromptOnly));
    }

    #[test]
    fn a_refused_schema_leaves_the_other_stages_alone() {
        let memory = FormatMemory::default();
        let learned = Dialect { format: Format::JsonObject, no_temperature: true, ..Dialect::default() };
        memory.learn(Stage::Plan, learned, Lesson::Schema);
        assert_eq!(memory.of(Stage::Plan), learned);
        assert_eq!(memory.of(Stage::Route), Dialect { no_temperature: true, ..Dialect::default() });
        memory.learn(Stage::Plan, learned, Lesson::Endpoint);
        assert_eq!(memory.of(Stage::Route), learned);
    }

    #[test]
    fn strictness_is_asked_for_only_where_a_schema_allows_it() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(can_be_strict(&closed));
        for (path, value) in [
            ("required", json!([])),
            ("additionalProperties", json!(true)),
            ("properties", json!({"a": {"oneOf": []}})),
            ("properties", json!({"a": {"type": "array", "items": {"type": "object"}}})),
            ("properties", json!({"a": true})),
            ("type", json!("array")),
        ] {
            let mut open = closed.clone();
            open[path] = value;
            assert!(!can_be_strict(&open), "{open}");
        }
    }

    #[test]
    fn the_schema_is_shown_when_it_is_no_parameter() {
        let call = call(Some(json!({"type": "object"})));
        let dialect = Dialect { format: Format::PromptOnly, ..Dialect::default() };
        assert_eq!(Dialect::default().system(&call), "Plan.");
        assert!(dialect.system(&call).starts_with("Plan.\n\n"));
        assert!(dialect.system(&call).ends_with(r#"{"type":"object"}"#));
        let schema = Some(AnswerSchema::written(json!({"type": "object"}), "task.create: add {title}".to_owned()));
        let shown = Call { system: "Plan.\ntask.create: add {title}\n".into(), schema: schema.clone(), ..call.clone() };
        assert!(dialect.system(&shown).ends_with("nothing else."));
        assert!(
            dialect.system(&Call { schema, ..call }).ends_with(r#"{"type":"object"}"#),
            "a prompt of the operator's"
        );
    }
}
