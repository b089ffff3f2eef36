//! Nodes, checked one by one as they arrive: each may only refer to what was there before it.
//!
//! Invariants: what passes is bounded and typed, and a graph of what passed validates as a whole; a node that does not
//! pass changes nothing. Not here: how a node is made to fit ([`super::fitting`]).

use serde_json::Value;

use super::fitting;
use crate::investigate::node::{EvidenceNode, KNOWN, OutputType, reference};
use brain_core::core::graph::{Graph, GraphError, GraphLimits};
use brain_core::core::text::shorten;
use brain_core::limits::{DECOMPOSED_NODES_MAX, EVIDENCE_DEPTH_MAX, EVIDENCE_WIDTH_MAX, PROBLEM_CHARS_MAX};
use brain_language::language::time::Reference;

/// An id is a name, not a text.
const ID_CHARS_MAX: usize = 40;

/// See the module.
#[derive(Debug)]
pub(super) struct CheckedNodes<'a> {
    reference: &'a Reference,
    graph: Graph<String, OutputType>,
    /// Those that passed, in order.
    pub nodes: Vec<EvidenceNode>,
    /// Those among them whose span of time code has chosen.
    pub assumed: Vec<String>,
    /// How many were looked at.
    seen: usize,
}

impl<'a> CheckedNodes<'a> {
    /// Before the first node of a model, behind those of code.
    pub fn new(reference: &'a Reference, known: &[EvidenceNode]) -> Self {
        let (nodes, width, depth) = (DECOMPOSED_NODES_MAX, EVIDENCE_WIDTH_MAX, EVIDENCE_DEPTH_MAX);
        let depth = if known.is_empty() { depth } else { 2 * depth };
        let mut graph = Graph::new(GraphLimits { nodes: nodes + known.len(), width: width + known.len(), depth });
        if let Err(errors) = graph.add(known.iter().map(EvidenceNode::placed).collect()) {
            tracing::error!(?errors, "a graph of ours does not hold together");
        }
        Self { reference, graph, nodes: Vec::new(), assumed: Vec::new(), seen: 0 }
    }

    /// Takes the next node, or says what is wrong with it.
    pub fn take(&mut self, written: Value) -> Result<&EvidenceNode, Vec<String>> {
        let named = name(&written, self.seen);
        self.seen += 1;
        let (node, is_assumed) = self.fitted(written).map_err(|problems| {
            problems.into_iter().map(|why| format!("{named}: {}", shorten(&why, PROBLEM_CHARS_MAX))).collect::<Vec<_>>()
        })?;
        if let Err(errors) = self.graph.add(vec![node.placed()]) {
            let said = errors.iter().filter(|error| !is_said_again(error, &errors));
            return Err(said.map(|error| shorten(&told(error), PROBLEM_CHARS_MAX)).collect());
        }
        if is_assumed {
            self.assumed.push(node.id.clone());
        }
        self.nodes.push(node);
        Ok(&self.nodes[self.nodes.len() - 1])
    }

    fn fitted(&self, mut written: Value) -> Result<(EvidenceNode, bool), Vec<String>> {
        let only = |why: String| vec![why];
        if !written.is_object() {
            return Err(only("it is no object".to_owned()));
        }
        fitting::tidy(&mut written);
        let mut node: EvidenceNode = serde_json::from_value(written).map_err(|cause| only(cause.to_string()))?;
        let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if node.id.is_empty() || node.id.len() > ID_CHARS_MAX || !node.id.chars().all(is_id) {
            return Err(only("an id is made of small letters, digits and _".to_owned()));
        }
        if node.is_known() {
            return Err(only(format!("an id that begins with {KNOWN} is taken")));
        }
        let is_assumed = fitting::fit(&mut node, self.reference).map_err(only)?;
        let loose = |(text, wants): (&str, OutputType)| {
            let wanted = match wants {
                OutputType::Items => "items",
                OutputType::People => "people",
            };
            let why = format!("{} is no reference: write {{{{id.{wanted}}}}} of an earlier node", quoted(text));
            reference(text).is_none().then_some(why)
        };
        let loose: Vec<String> = node.references().into_iter().filter_map(loose).collect();
        if loose.is_empty() { Ok((node, is_assumed)) } else { Err(loose) }
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", shorten(text, 60))
}

/// What to call a node that may have no id.
fn name(written: &Value, at: usize) -> String {
    match written.get("id").and_then(Value::as_str) {
        Some(id) if !id.is_empty() => shorten(id, ID_CHARS_MAX),
        Some(_) | None => format!("nodes[{at}]"),
    }
}

/// A reference is a dependency as well: what is wrong with both is said once.
fn is_said_again(error: &GraphError<String, OutputType>, all: &[GraphError<String, OutputType>]) -> bool {
    let GraphError::UnknownDependency { on, .. } = error else { return false };
    all.iter().any(|other| matches!(other, GraphError::UnknownNode { to, .. } if to.node == *on))
}

/// An error for whoever wrote the graph.
fn told(error: &GraphError<String, OutputType>) -> String {
    match error {
        GraphError::UnknownDependency { .. } | GraphError::UnknownNode { .. } => {
            format!("{error} (only earlier nodes can be referred to)")
        }
        GraphError::UnknownField { .. } => format!("{error} (nodes give items and people)"),
        GraphError::TooMany { .. }
        | GraphError::DuplicateId(_)
        | GraphError::SelfDependency(_)
        | GraphError::Cycle(_)
        | GraphError::TooDeep { .. }
        | GraphError::TypeMismatch { .. } => error.to_string(),
    }
}
