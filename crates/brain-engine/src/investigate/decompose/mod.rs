//! Decompose: a question becomes a graph of evidence, written by a model and checked by code.
//!
//! ```text
//! question ─► model ─► words ─► reader ─► node ─► checked ─► runs at once, as nodes only read
//!                                │                   └ wrong: nothing more is run; the whole answer is looked at
//!                                └ write_command: no node; the caller plans
//!             whole answer wrong ─► one repair round, told what is wrong ─► the graph, or a search by words
//! ```
//! In reading order: `shape` (what is asked for), `reader` (nodes while they are written), `fitting` and `checked`
//! (what of them may run), `written` (the rest of an answer), this file (both rounds), `again` (no round at all).
//!
//! Invariants: a node reads, whatever the question asks to do; every search has a maximum and a time; nodes refer to
//! earlier ones only; at most two calls. Deliberately not here: how nodes run, what they cost
//! ([`estimate`](super::estimate)), templates.

mod again;
mod checked;
mod fitting;
mod reader;
mod shape;
mod template;
#[cfg(test)]
mod tests;
mod written;

use std::sync::Arc;

use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

pub use again::{keep_graph, known_graph};
pub use reader::{GraphPiece, GraphReader};
pub use shape::graph_schema;
pub use template::choose_template;

use self::checked::CheckedNodes;
use self::written::{WrittenGraph, class, sections, synthesis};
use super::asker::{AskFailure, InvestigationModel, cut};
use super::graph::{AnswerKind, EvidenceGraph};
use super::known::KnownLook;
use super::node::{EvidenceNode, Strategy};
use super::run::Arriving;
use brain_core::core::text::{head_and_tail, shorten};
use brain_core::limits;
use brain_core::ports::{Completion, Stage};
use brain_core::prompts::{Fixed, Prompt};
use brain_language::language::time::Reference;
use brain_services::services::catalog::registry::{Registration, Services};
use brain_services::services::contract::show::Moment;

/// What a question is taken apart from. Everything but the question is written by code.
#[derive(Debug, Clone, Copy)]
pub struct DecomposeInput<'a> {
    /// In the person's words.
    pub question: &'a str,
    /// The last two or three turns, oldest first: `person: …`, `assistant: …`.
    pub history: &'a [String],
    /// What there is, see [`things`].
    pub things: &'a [String],
    /// Dates that models get wrong when they compute them.
    pub dates: &'a [String],
    /// Now, the zone, and how the person writes dates.
    pub reference: &'a Reference,
    /// What code looks at meanwhile, where it takes the question for one of a family.
    pub known: Option<&'a KnownLook>,
    /// What the person has told and whom they know, as far as the question speaks of it: a line each.
    pub beside: &'a [String],
}

impl<'a> DecomposeInput<'a> {
    fn known_nodes(&self) -> &'a [EvidenceNode] {
        self.known.map_or(&[], |known| known.nodes.as_slice())
    }
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionType {
    /// By one look.
    Direct,
    /// By a search that is narrowed.
    FilteredSearch,
    /// By reading and comparing.
    #[default]
    Investigative,
    /// By things of several kinds.
    CrossDomain,
    /// Not at all: something is to be done, which is planned.
    #[serde(alias = "write", alias = "action", alias = "command")]
    WriteCommand,
}

/// How much work a question is, in the model's view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionComplexity {
    /// One node or two.
    Simple,
    /// Some.
    #[default]
    Moderate,
    /// Many.
    Complex,
}

/// What kind of question it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionClass {
    /// How it is answered.
    #[serde(rename = "type")]
    pub kind: QuestionType,
    /// How much work it is.
    pub complexity: QuestionComplexity,
    /// The services it is about; unchecked words of the model, for the trace.
    pub domains: Vec<String>,
    /// The reason, for the trace.
    pub why: String,
}

/// What the answer should be like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SynthesisOrder {
    /// What it says.
    pub goal: String,
    /// In which order.
    pub order: String,
    /// In which form.
    pub format: String,
    /// Every one of them is asked for, and not only the first.
    pub all: bool,
}

/// A question, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// What kind of question it is.
    pub class: QuestionClass,
    /// Its graph. Nodes that no other one uses are its sections.
    pub graph: EvidenceGraph,
    /// What the answer should be like.
    pub synthesis: SynthesisOrder,
    /// Searches, by id, whose beginning in time code has chosen: what is older was not looked at, and is to be told.
    pub assumed: Vec<String>,
    /// All nodes have gone out as they came, and hold: they run already. Else the graph has to be run as a whole.
    pub is_streamed: bool,
}

impl Decomposition {
    /// What was not looked at since the question named no time, in words for the person.
    pub fn gap(&self, reference: &Reference) -> Option<String> {
        let of = |node: &EvidenceNode| match &node.strategy {
            Strategy::MetadataFilter(filter) => filter.from.clone(),
            Strategy::KeywordSearch(search) => search.from.clone(),
            Strategy::BatchThreadRead(_) | Strategy::CrossReference(_) | Strategy::SemanticAnalysis(_) => None,
        };
        let assumed = self.graph.nodes.iter().filter(|node| self.assumed.contains(&node.id)).filter_map(of);
        let begins = assumed.filter_map(|from| Moment::read(&from, reference.zone)).map(|at| at.start(reference.zone));
        let from = begins.min()?;
        Some(format!("what is older than {}, as the question names no time", from.format("%-d %B %Y")))
    }
}

/// What there is to ask over: a line for each service whose things can be found.
pub fn things(services: &Services) -> Vec<String> {
    let line = |service: &Arc<Registration>| {
        let kind = serde_json::to_value(service.service.searchable()?.kind()).unwrap_or_default();
        Some(format!("{}: {}; {}", service.info.name, kind.as_str().unwrap_or_default(), service.info.summary))
    };
    services.iter().filter_map(line).collect()
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Decomposed {
    /// A graph.
    Graph(Box<Decomposition>),
    /// The person wants something done: the caller plans, and no node runs.
    WriteCommand(QuestionClass),
}

/// Why there is no graph. The caller searches by words ([`templates::search`](super::templates::search)).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undecomposed {
    /// There was no answer.
    #[error(transparent)]
    Failed(#[from] AskFailure),
    /// Both graphs were wrong.
    #[error("the graph could not be used: {}", .0.join("; "))]
    Unusable(Vec<String>),
}

/// Takes a question apart. `to` gets every node the moment it is whole and sound; after a `Broken` nothing more comes
/// there, and what has begun is to be dropped.
pub async fn decompose(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    to: Option<UnboundedSender<Arriving<EvidenceNode>>>,
) -> Result<Decomposed, Undecomposed> {
    let mut arriving = NodeSink { to, sent: Vec::new(), is_broken: false };
    let first = match round(model, input, None, &mut arriving).await {
        Ok(Ok(decomposed)) => return Ok(decomposed),
        Ok(Err(wrong)) => wrong,
        Err(failure) => {
            arriving.breaks(&failure.to_string());
            return Err(failure.into());
        }
    };
    arriving.breaks(&first.problems.join("; "));
    match round(model, input, Some(&first), &mut NodeSink::nowhere()).await? {
        Ok(decomposed) => Ok(decomposed),
        Err(wrong) => Err(Undecomposed::Unusable(wrong.problems)),
    }
}

/// An answer that cannot be used.
struct WrongGraph {
    text: String,
    problems: Vec<String>,
}

/// One call, from the prompt to a checked graph.
async fn round(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    wrong: Option<&WrongGraph>,
    sending: &mut NodeSink,
) -> Result<Result<Decomposed, WrongGraph>, AskFailure> {
    let prompt = prompt(model, input, wrong)?;
    let schema = graph_schema();
    let (words_to, mut words) = unbounded_channel::<String>();
    let mut taking = Taking { reader: GraphReader::default(), nodes: checked(input), is_write: false, sending };
    let tokens_max = limits::DECOMPOSE_TOKENS_MAX;
    let mut writing =
        std::pin::pin!(model.streamed(Stage::Decompose, prompt, Some(&schema), tokens_max, Some(words_to)));
    let completion = loop {
        tokio::select! {
            biased;
            Some(piece) = words.recv() => taking.push(&piece),
            done = &mut writing => break done?,
        }
    };
    while let Ok(piece) = words.try_recv() {
        taking.push(&piece);
    }
    Ok(whole(completion, input, sending))
}

fn checked<'a>(input: &DecomposeInput<'a>) -> CheckedNodes<'a> {
    CheckedNodes::new(input.reference, input.known_nodes())
}

fn prompt(
    model: &InvestigationModel<'_>,
    input: &DecomposeInput<'_>,
    wrong: Option<&WrongGraph>,
) -> Result<Prompt, AskFailure> {
    let schema = graph_schema();
    let fixed = Fixed {
        of: Some(schema.number()),
        values: || {
            context! {
                strategies => schema.notation(),
                nodes_max => limits::DECOMPOSED_NODES_MAX,
                reads_max => limits::EXTRACTS_MAX,
            }
        },
    };
    let late = input.history.len().saturating_sub(limits::DECOMPOSE_HISTORY_LINES);
    let history: Vec<String> =
        input.history[late..].iter().map(|line| shorten(line, limits::DECOMPOSE_HISTORY_CHARS)).collect();
    let now = input.reference.now.with_timezone(&input.reference.zone);
    let changing = context! {
        now => now.format("%A %Y-%m-%dT%H:%M").to_string(),
        zone => input.reference.zone.name(),
        dates => input.dates.to_vec(),
        things => input.things.to_vec(),
        beside => input.beside.to_vec(),
        known => input.known.map(|known| known.lines.clone()).unwrap_or_default(),
        history,
        question => head_and_tail(input.question, limits::QUESTION_CHARS_MAX),
        problems => wrong.map(|wrong| wrong.problems.clone()).unwrap_or_default(),
        last => wrong.map(|wrong| cut(&wrong.text, limits::REPAIRED_GRAPH_BYTES)).unwrap_or_default(),
    };
    model.prompt(Stage::Decompose, fixed, &changing)
}

/// Where sound nodes go while the rest is written.
struct NodeSink {
    to: Option<UnboundedSender<Arriving<EvidenceNode>>>,
    sent: Vec<EvidenceNode>,
    is_broken: bool,
}

impl NodeSink {
    fn nowhere() -> Self {
        Self { to: None, sent: Vec::new(), is_broken: false }
    }

    fn node(&mut self, node: &EvidenceNode) {
        if let Some(to) = self.to.as_ref().filter(|_| !self.is_broken) {
            // Nobody listens any more: the caller has stopped.
            let _ = to.send(Arriving::Nodes(vec![node.clone()]));
            self.sent.push(node.clone());
        }
    }

    fn breaks(&mut self, why: &str) {
        if let Some(to) = self.to.as_ref().filter(|_| !self.is_broken) {
            let _ = to.send(Arriving::Broken { why: shorten(why, limits::PROBLEM_CHARS_MAX) });
        }
        self.is_broken = true;
    }
}

/// An answer while it is written: sends what is sound, until something is not.
struct Taking<'a, 's> {
    reader: GraphReader,
    nodes: CheckedNodes<'a>,
    is_write: bool,
    sending: &'s mut NodeSink,
}

impl Taking<'_, '_> {
    fn push(&mut self, words: &str) {
        for piece in self.reader.push(words) {
            match piece {
                GraphPiece::Class(text) => {
                    let class = serde_json::from_str::<QuestionClass>(&text).unwrap_or_default();
                    self.is_write |= class.kind == QuestionType::WriteCommand;
                }
                GraphPiece::Node(_) if self.is_write || self.sending.is_broken => {}
                GraphPiece::Node(text) => {
                    let written = serde_json::from_str(&text).unwrap_or(Value::Null);
                    match self.nodes.take(written) {
                        Ok(node) => self.sending.node(node),
                        Err(problems) => self.sending.breaks(&problems.join("; ")),
                    }
                }
            }
        }
    }
}

/// The whole answer, which has the last word: what was sent has to be the beginning of it.
fn whole(completion: Completion, input: &DecomposeInput<'_>, sending: &mut NodeSink) -> Result<Decomposed, WrongGraph> {
    let Completion { text, json, .. } = completion;
    let wrong = |problems: Vec<String>| WrongGraph { text: text.clone(), problems };
    let written = json.ok_or_else(|| "it was no JSON".to_owned());
    let written: WrittenGraph = written
        .and_then(|json| serde_json::from_value(json).map_err(|cause| cause.to_string()))
        .map_err(|problem| wrong(vec![shorten(&problem, limits::PROBLEM_CHARS_MAX)]))?;
    let class = class(&written.classification);
    if class.kind == QuestionType::WriteCommand {
        sending.breaks("something is to be done");
        return Ok(Decomposed::WriteCommand(class));
    }
    let mut checked = checked(input);
    let mut problems: Vec<String> =
        written.nodes.into_iter().filter_map(|node| checked.take(node).err()).flatten().collect();
    problems.truncate(limits::GRAPH_PROBLEMS_MAX);
    if problems.is_empty() && checked.nodes.is_empty() && input.known.is_none() {
        problems.push("nodes is empty".to_owned());
    }
    if !problems.is_empty() {
        return Err(wrong(problems));
    }
    let CheckedNodes { nodes, assumed, .. } = checked;
    if sending.sent == nodes[..sending.sent.len().min(nodes.len())] {
        let sent = sending.sent.len();
        nodes[sent..].iter().for_each(|node| sending.node(node));
    } else {
        sending.breaks("the whole of it reads differently");
    }
    let is_streamed = sending.to.is_some() && !sending.is_broken;
    let sections = match input.known.filter(|_| nodes.is_empty()) {
        Some(known) => known.sections.clone(),
        None => sections(&nodes),
    };
    let nodes = [input.known_nodes(), &nodes].concat();
    let graph = EvidenceGraph { sections, nodes, answers: AnswerKind::Model, beside: None };
    let synthesis = synthesis(&written.synthesis);
    Ok(Decomposed::Graph(Box::new(Decomposition { class, graph, synthesis, assumed, is_streamed })))
}
