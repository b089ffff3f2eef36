//! The parts of an answer as a model wrote them: its kind, what the answer is to be like, and which nodes it is made of.

use serde::Deserialize;
use serde_json::Value;

use super::{QuestionClass, SynthesisOrder};
use crate::investigate::graph::AnswerSection;
use crate::investigate::node::{EvidenceNode, reference};
use brain_core::core::text::shorten;
use brain_core::limits;

/// A graph as it stands in an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WrittenGraph {
    pub classification: Value,
    pub nodes: Vec<Value>,
    pub synthesis: Value,
}

/// What cannot be read of it is what most questions are.
pub(super) fn class(written: &Value) -> QuestionClass {
    let read = |name: &str| written.get(name).cloned().unwrap_or_default();
    let mut domains: Vec<String> = serde_json::from_value(read("domains")).unwrap_or_default();
    domains.truncate(limits::DECOMPOSED_NODES_MAX);
    QuestionClass {
        kind: serde_json::from_value(read("type")).unwrap_or_default(),
        complexity: serde_json::from_value(read("complexity")).unwrap_or_default(),
        domains: domains.iter().map(|domain| shorten(domain, 40)).collect(),
        why: shorten(read("why").as_str().unwrap_or_default(), limits::NODE_TEXT_CHARS_MAX),
    }
}

pub(super) fn synthesis(written: &Value) -> SynthesisOrder {
    let read = |name: &str| {
        shorten(written.get(name).and_then(Value::as_str).unwrap_or_default(), limits::NODE_TEXT_CHARS_MAX)
    };
    let all = written.get("all").and_then(Value::as_bool).unwrap_or_default();
    SynthesisOrder { goal: read("goal"), order: read("order"), format: read("format"), all }
}

/// The nodes that no other one uses, in order: what the others found is in them.
pub(super) fn sections(nodes: &[EvidenceNode]) -> Vec<AnswerSection> {
    let uses = |node: &EvidenceNode, id: &str| {
        let referred = node.references().into_iter().filter_map(|(text, _)| reference(text));
        node.depends_on.iter().any(|on| on == id) || referred.map(|from| from.node).any(|from| from == id)
    };
    let last: Vec<&EvidenceNode> =
        nodes.iter().filter(|node| !nodes.iter().any(|other| uses(other, &node.id))).collect();
    match last.as_slice() {
        [only] => AnswerSection::only(&only.id),
        several => several.iter().map(|node| AnswerSection::titled(&node.description, &node.id)).collect(),
    }
}
