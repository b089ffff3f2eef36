//! Wire types: requests as OpenAI-compatible servers take them, and answers as they really come.
//!
//! Invariant: reading never fails on a missing, misnamed or wrongly typed field; such a field counts as absent.
//! Deliberately not here: what an answer means (`structured`), and how it arrives (`stream`).

use serde::Serialize;
use serde_json::Value;

use super::calls::{self, Fragment};
use brain_core::ports::AnswerSchema;

/// The body of `POST …/chat/completions`.
#[derive(Debug, Serialize)]
pub(super) struct CompletionRequest<'a> {
    pub model: &'a str,
    pub messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The newer name of `max_tokens`, which some models insist on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_format: Option<ResponseFormat<'a>>,
    pub stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_options: Option<StreamOptions>,
}

#[derive(Debug, Serialize)]
pub(super) struct WireMessage<'a> {
    pub role: &'static str,
    pub content: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ResponseFormat<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Debug, Serialize)]
pub(super) struct JsonSchema<'a> {
    pub name: &'static str,
    pub strict: bool,
    pub schema: &'a AnswerSchema,
}

#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub include_usage: bool,
}

/// Tokens as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    /// Of `tokens_in`, what was kept from an earlier call.
    pub tokens_cached: Option<u64>,
}

/// One answer, or what one event of a streamed answer adds: their shapes differ only inside the choice.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AnswerPiece {
    pub content: String,
    /// Visible reasoning; never shown to a person.
    pub thoughts: String,
    /// Tools that it calls; nobody offers any.
    pub calls: Vec<Fragment>,
    /// The model declined; its words are in `content`.
    pub declined: bool,
    pub finish: Option<String>,
    pub counts: Counts,
    /// An error object inside a successful response.
    pub error: Option<Value>,
}

impl AnswerPiece {
    /// Reads the first choice, in the shapes of OpenAI, its imitators, Ollama and llama.cpp. `None` when
    /// nothing in it is known.
    pub fn read(reply: &Value) -> Option<Self> {
        const KNOWN: [&str; 7] = ["choices", "usage", "message", "response", "content", "output_text", "error"];
        let known = reply.as_object()?.keys().any(|key| KNOWN.contains(&key.as_str()));
        let choice = &reply["choices"][0];
        let said = first(&[&choice["message"], &choice["delta"], &reply["message"]]);
        let mut piece = Self {
            content: first_words(&[
                &said["content"],
                &said["text"],
                &choice["text"],
                &reply["response"],
                &reply["content"],
                &reply["output_text"],
            ]),
            thoughts: first_words(&[&said["reasoning_content"], &said["reasoning"], &said["thinking"]]),
            calls: calls::fragments(said),
            declined: false,
            finish: finish(choice, reply),
            counts: counts(reply),
            error: reply.get("error").filter(|error| !is_nothing(error)).cloned(),
        };
        if piece.content.is_empty() {
            piece.content = words(&said["refusal"]);
            piece.declined = !piece.content.is_empty();
        }
        known.then_some(piece)
    }
}

fn first<'a>(candidates: &[&'a Value]) -> &'a Value {
    candidates.iter().find(|value| !is_nothing(value)).copied().unwrap_or(&Value::Null)
}

fn first_words(candidates: &[&Value]) -> String {
    candidates.iter().map(|value| words(value)).find(|words| !words.is_empty()).unwrap_or_default()
}

fn finish(choice: &Value, reply: &Value) -> Option<String> {
    first(&[&choice["finish_reason"], &choice["stop_reason"], &reply["done_reason"], &reply["stop_reason"]])
        .as_str()
        .map(str::to_owned)
}

fn counts(reply: &Value) -> Counts {
    let usage = first(&[&reply["usage"], reply]);
    let find = |names: [&str; 3]| names.iter().find_map(|name| number(usage.get(name)?));
    let details = first(&[&usage["prompt_tokens_details"], &usage["input_tokens_details"]]);
    let cached = [&details["cached_tokens"], &usage["prompt_cache_hit_tokens"], &reply["timings"]["cache_n"]];
    Counts {
        tokens_in: find(["prompt_tokens", "input_tokens", "prompt_eval_count"]),
        tokens_out: find(["completion_tokens", "output_tokens", "eval_count"]),
        tokens_cached: cached.into_iter().find_map(number),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// The text of a content field: a string, a part, or a list of either.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(words).collect(),
        Value::Object(part) if !is_thought(part) => {
            ["text", "content", "value"].iter().find_map(|key| part.get(*key)).map(words).unwrap_or_default()
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn is_thought(part: &serde_json::Map<String, Value>) -> bool {
    part.get("type").and_then(Value::as_str).is_some_and(|kind| kind.contains("think") || kind.contains("reason"))
}

/// The message and the code of an error, in any of the shapes servers use.
pub(super) fn error_message(body: &Value) -> Option<String> {
    match body {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        // FastAPI's list of what is wrong where; its `input` repeats the request and stays out.
        Value::Array(items) => items.first().and_then(|item| {
            let place = item.get("loc").map(ToString::to_string);
            let message = error_message(item)?;
            Some(place.map_or(message.clone(), |place| format!("{message} at {place}")))
        }),
        Value::Object(map) => ["error", "message", "detail", "msg", "error_description"]
            .iter()
            .find_map(|key| map.get(*key).and_then(error_message)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The HTTP status an error object names, if it names one.
pub(super) fn error_status(error: &Value) -> Option<u16> {
    ["code", "status", "status_code"]
        .iter()
        .find_map(|key| number(error.get(*key)?))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
}

/// A whole number, also when it comes as a float or in quotes.
fn number(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| {
            let float = value.as_f64()?;
            (float.fract() == 0.0 && (0.0..1e15).contains(&float)).then_some(float as u64)
        })
        .or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn piece(value: Value) -> Option<AnswerPiece> {
        AnswerPiece::read(&value)
    }

    fn content(value: Value) -> String {
        piece(value).expect("a reply").content
    }

    #[test]
    fn every_known_place_of_the_words_is_read() {
        for reply in [
            json!({"choices": [{"message": {"content": "hi"}}]}),
            json!({"choices": [{"delta": {"content": "hi"}, "finish_reason": ""}]}),
            json!({"choices": [{"text": "hi"}]}),
            json!({"choices": [{"message": {"content": ["h", {"type": "text", "text": "i"}]}}]}),
            json!({"choices": [{"message": {"content": [{"type": "thinking", "text": "x"}, {"text": {"value": "hi"}}]}}]}),
            json!({"choices": [{"message": {"content": null, "refusal": "hi"}}]}),
            json!({"message": {"role": "assistant", "content": "hi"}, "done": true}),
            json!({"response": "hi"}),
            json!({"content": [{"type": "text", "text": "hi"}]}),
            json!({"choices": [{"message": {"content": "hi"}}], "usage": "none", "error": null, "id": 7}),
            json!({"choices": [{"message": null, "delta": {"content": "hi", "reasoning": "a", "reasoning_content": "a"}}]}),
        ] {
            assert_eq!(content(reply.clone()), "hi", "{reply}");
        }
    }

    #[test]
    fn wrong_types_count_as_absent() {
        let odd = piece(json!({"choices": [{"message": {"content": 5}, "finish_reason": 3}], "usage": [1]}))
            .expect("a reply");
        assert_eq!(odd, AnswerPiece::default());
        assert_eq!(piece(json!({"choices": "no"})), Some(AnswerPiece::default()));
        assert_eq!(piece(json!({"hello": "world"})), None);
    }

    #[test]
    fn counts_are_read_under_their_other_names_and_types() {
        for reply in [
            json!({"usage": {"prompt_tokens": 12, "completion_tokens": 3}}),
            json!({"usage": {"input_tokens": "12", "output_tokens": 3.0}}),
            json!({"response": "", "prompt_eval_count": 12, "eval_count": 3}),
        ] {
            let counts = piece(reply).expect("a reply").counts;
            assert_eq!((counts.tokens_in, counts.tokens_out), (Some(12), Some(3)));
        }
    }

    #[test]
    fn what_was_kept_of_a_prompt_is_read_wherever_it_is_told() {
        let usage = |more: Value| {
            let mut usage = json!({"prompt_tokens": 12, "completion_tokens": 3});
            usage.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            json!({"usage": usage})
        };
        for (reply, cached) in [
            (usage(json!({"prompt_tokens_details": {"cached_tokens": 8}})), Some(8)),
            (usage(json!({"prompt_cache_hit_tokens": 8})), Some(8)),
            (json!({"content": "hi", "timings": {"cache_n": 8, "prompt_n": 4}}), Some(8)),
            (usage(json!({"prompt_tokens_details": null})), None),
        ] {
            assert_eq!(piece(reply.clone()).expect("a reply").counts.tokens_cached, cached, "{reply}");
        }
    }

    #[test]
    fn error_messages_are_found_in_every_shape() {
        for body in [
            json!({"error": {"message": "no", "code": 400}}),
            json!({"error": "no"}),
            json!({"message": "no"}),
            json!({"detail": "no"}),
        ] {
            assert_eq!(error_message(&body).as_deref(), Some("no"), "{body}");
        }
        let fastapi = json!({"detail": [{"loc": ["body", "x"], "msg": "bad", "input": "private"}]});
        assert_eq!(error_message(&fastapi).as_deref(), Some(r#"bad at ["body","x"]"#));
        assert_eq!(error_message(&json!({"error": {}})), None);
    }
}
