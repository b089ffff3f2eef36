//! What a server asks in the middle of a call (elicitation), as it came, and what it is answered with.
//!
//! By the newer protocol the question is the call's result, and the answer goes along with the next call. By the older
//! one the server asks while it works: it is told that nobody answers now, and when the same is asked in a later call that
//! brings the answer, it gets that. Not here: what may be asked, and who answers.

use std::collections::BTreeMap;

use rmcp::model::{InputRequest, InputRequiredResult};
use serde_json::{Value, json};

use brain_core::limits;

/// The method by which a server asks.
pub(super) const ASKS: &str = "elicitation/create";

/// Something that a server asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElicitationForm {
    /// Names it among those of one call, by the newer protocol.
    pub key: Option<String>,
    /// `message`, `requestedSchema`, `mode`, as they came; null where it is too much, or no question to a person.
    pub asked: Value,
}

/// A call that ended with questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elicitation {
    /// In the order in which they came.
    pub forms: Vec<ElicitationForm>,
    /// What the server wants back with the answers, by the newer protocol.
    pub state: Option<String>,
    /// What it said at the end of the call, by the older protocol.
    pub said: String,
    /// Something was asked, and not about this call for certain.
    pub is_unclear: bool,
}

/// What a call brings along for questions that were asked before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallAnswers {
    /// Each with what was answered, an object with a value a field.
    pub given: Vec<(ElicitationForm, Value)>,
    /// See [`Elicitation::state`].
    pub state: Option<String>,
}

impl ElicitationForm {
    pub(super) fn new(key: Option<String>, mut asked: Value) -> Self {
        if let Some(asked) = asked.as_object_mut() {
            asked.remove("_meta");
        }
        let is_small = serde_json::to_string(&asked).is_ok_and(|text| text.len() <= limits::MCP_ASKED_BYTES_MAX);
        Self { key, asked: if is_small { asked } else { Value::Null } }
    }
}

impl CallAnswers {
    /// As the newer protocol has them.
    pub(super) fn responses(&self) -> Option<BTreeMap<String, Value>> {
        let accepted = |(form, content): &(ElicitationForm, Value)| {
            Some((form.key.clone()?, json!({"action": "accept", "content": content})))
        };
        let responses: BTreeMap<String, Value> = self.given.iter().filter_map(accepted).collect();
        (!responses.is_empty()).then_some(responses)
    }
}

impl From<InputRequiredResult> for Elicitation {
    fn from(result: InputRequiredResult) -> Self {
        let form = |(key, request)| {
            let asked = match request {
                InputRequest::Elicitation(request) => serde_json::to_value(request.params).unwrap_or_default(),
                _ => Value::Null,
            };
            ElicitationForm::new(Some(key), asked)
        };
        let forms = result.input_requests.unwrap_or_default().into_iter().map(form);
        Self { forms: forms.collect(), state: result.request_state, ..Self::default() }
    }
}

impl Elicitation {
    /// The same of a result whose questions the library cannot read; `None` for any other result.
    pub(super) fn unread(result: &Value) -> Option<Self> {
        if result["resultType"] != "input_required" {
            return None;
        }
        let form = |(key, request): (&String, &Value)| {
            let asked = if request["method"] == ASKS { request["params"].clone() } else { Value::Null };
            ElicitationForm::new(Some(key.clone()), asked)
        };
        let forms = result["inputRequests"].as_object().into_iter().flatten().map(form).collect();
        let state = result["requestState"].as_str().map(str::to_owned);
        Some(Self { forms, state, ..Self::default() })
    }
}
