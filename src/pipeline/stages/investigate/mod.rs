//! Investigate: a question over everything a person has, from its graph to its answer.
//!
//! ```text
//! question ─► template, or a search by words ─► graph, checked ─► run ─► rows, numbered ─► kept for what is asked next
//! ```
//!
//! Invariants: it reads and never writes; what it found is somebody else's words for whatever is asked next; an answer
//! says what could not be looked at. Not here: how evidence is gathered ([`crate::investigate`]).

mod by_model;
mod costly;
mod kept;
mod narrowed;

pub use costly::decided;
pub use kept::{KeptAnswer, further, one_row};
pub use narrowed::{met, only, still_open};

use self::by_model::ByModel;
use super::act;
use super::context::Fetching;
use super::route::Route;
use crate::core::graph::GraphLimits;
use crate::core::progress::Progress;
use crate::core::turn::Path;
use crate::investigate::decompose::SynthesisOrder;
use crate::investigate::finding::NodeOutput;
use crate::investigate::graph::{AnswerKind, EvidenceGraph, check};
use crate::investigate::node::OutputType;
use crate::investigate::run::{self, EvidenceRun, RunEnd, RunLimits, RunWith, TurnBudget};
use crate::investigate::strategies::EvidenceSources;
use crate::investigate::synthesize::{AnswerRow, heading};
use crate::investigate::templates;
use crate::investigate::worker::EvidenceWorker;
use crate::language::requests::{self, FamilyQuestion, QuestionFamily};
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::Usage;
use crate::services::registry::Services;
use crate::services::search::WordQuery;
use crate::services::service::RequestContext;

/// How much of the words a thing has to say that is told for a question about one's own things.
const SOME: f32 = 0.3;
/// The same for a question that may be about anything: all of them, in its text.
const MOST: f32 = 0.75;

/// The question of a family that the message is, if it is one. What a command answers is left to that, where a question
/// could mean anything.
pub fn question(turn: &Turn<'_>) -> Option<FamilyQuestion> {
    if !turn.origin().is_own_words() {
        return None;
    }
    let question = requests::question(turn.words(), &turn.reference())?;
    let is_loose = matches!(question.family, QuestionFamily::Find | QuestionFamily::About);
    Some(question).filter(|_| !is_loose || !turn.asks_a_command())
}

/// Answers a message that asks over things, or looks them up by a single command.
pub async fn investigate(turn: &Turn<'_>, route: Route, context: Fetching) -> Result<Answer, TurnError> {
    let asked = question(turn);
    if let Some(model) = turn.brain.model.as_deref() {
        // A single search answers: nothing has to be taken apart for it.
        if let Some(question) = asked.as_ref().filter(|question| question.family.is_direct()) {
            let graph = templates::graph(question, &turn.reference());
            return by_model::run_known(turn, model, graph, SynthesisOrder::default()).await;
        }
        match by_model::answer(turn, model).await? {
            ByModel::Answered(answer) => return Ok(*answer),
            ByModel::ToDo => return act::act(turn, route, context).await,
            ByModel::Unusable => {}
        }
    }
    if let Some(question) = asked {
        return answer(turn, &question).await;
    }
    if turn.brain.model.is_some() {
        return search(turn, SOME).await;
    }
    // Of what no single look can tell, built-in understanding takes what is nearest, else it can only search.
    if turn.brain.model.is_none() && turn.investigates() {
        return match requests::leaning(turn.words(), &turn.reference()) {
            Some(question) => answer(turn, &question).await,
            None => search(turn, SOME).await,
        };
    }
    act::act(turn, route, context).await
}

/// A question that nobody understood, answered by a search; `None` where that finds nothing, or nothing is asked.
pub async fn instead_of_nothing(turn: &Turn<'_>) -> Result<Option<Answer>, TurnError> {
    if !turn.origin().is_own_words() || !requests::is_question(turn.words()) {
        return Ok(None);
    }
    if let Some(question) = requests::leaning(turn.words(), &turn.reference()) {
        return answer(turn, &question).await.map(Some);
    }
    let answer = search(turn, MOST).await?;
    Ok(Some(answer).filter(|answer| answer.replies.iter().any(|reply| !reply.sources.is_empty())))
}

/// Answers a question of a family.
pub async fn answer(turn: &Turn<'_>, question: &FamilyQuestion) -> Result<Answer, TurnError> {
    let graph = templates::graph(question, &turn.reference());
    let topic = question.topic.clone().or_else(|| question.who.clone()).unwrap_or_default();
    investigated(turn, graph, &topic, question.open).await
}

/// Answers a question that no template fits with the best search by words.
async fn search(turn: &Turn<'_>, score_min: f32) -> Result<Answer, TurnError> {
    let query = WordQuery::new(turn.words());
    let words = if query.strong.is_empty() { turn.words().to_owned() } else { query.strong.join(" ") };
    let graph = templates::search(&words, score_min, &turn.reference());
    investigated(turn, graph, &words, false).await
}

/// Runs a graph and tells what it found.
async fn investigated(turn: &Turn<'_>, graph: EvidenceGraph, topic: &str, is_open: bool) -> Result<Answer, TurnError> {
    let answers = graph.answers;
    investigated_as(turn, graph, topic, &|found| heading(answers, found, topic, is_open)).await
}

/// The same, with a sentence of one's own above so many rows.
async fn investigated_as(
    turn: &Turn<'_>,
    graph: EvidenceGraph,
    topic: &str,
    heading: &(dyn Fn(usize) -> String + Sync),
) -> Result<Answer, TurnError> {
    turn.agreed();
    if let Err(errors) = check(&graph.nodes, GraphLimits::default()) {
        tracing::error!(?errors, "a graph of ours does not hold together");
        return Ok(Answer::says(Path::Investigate, "🔎 I could not look into that; nothing was changed."));
    }
    let ran = run_graph(turn, &graph).await;
    let mut rows: Vec<AnswerRow> = Vec::new();
    let (mut more, mut unread) = (0, 0);
    for section in &graph.sections {
        let Some(output) = ran.node(&section.node).and_then(|node| node.output()) else { continue };
        more += output.more;
        unread = output.unread.max(unread);
        let new = output.findings.iter().map(|finding| AnswerRow::of(finding, section.title.as_deref(), Some(topic)));
        for row in new {
            if !rows.iter().any(|known| known.item.key() == row.item.key()) {
                rows.push(row);
            }
        }
    }
    let answers = graph.answers;
    let told = Told {
        heading: heading(rows.len()),
        remarks: remarks(&ran, more, unread),
        trace: drawing(&graph, &ran),
        answers,
        topic: topic.to_owned(),
    };
    kept::answer(turn, told, rows)
}

/// What an answer says around its rows.
pub(super) struct Told {
    heading: String,
    remarks: Vec<String>,
    answers: AnswerKind,
    topic: String,
    trace: Vec<String>,
}

type Ran = EvidenceRun<NodeOutput, OutputType>;

/// What strategies of this turn read from.
fn sources_of<'s>(turn: &'s Turn<'_>, services: &'s Services, ctx: &'s RequestContext) -> EvidenceSources<'s> {
    EvidenceSources { services, people: turn.brain.people.as_ref(), index: turn.brain.index.as_ref(), ctx }
}

/// Says in the status line how far a run is.
fn watching<'t>(turn: &'t Turn<'_>) -> impl Fn(run::RunProgress) + Send + Sync + use<'t> {
    move |progress: run::RunProgress| {
        let what = match progress.part {
            Some((_, part)) => part,
            None => Progress::of("Looking through your things…").counting(progress.done, progress.of),
        };
        turn.doing(what);
    }
}

/// Runs a graph within the bounds of a turn, and adds its nodes to the trace.
async fn run_graph(turn: &Turn<'_>, graph: &EvidenceGraph) -> Ran {
    let services = turn.brain.services.now();
    let ctx = turn.as_written();
    let sources = sources_of(turn, &services, &ctx);
    let worker = EvidenceWorker { sources };
    let budget = TurnBudget::new(run::BudgetLimits::default());
    let watch = watching(turn);
    let with = RunWith {
        limits: RunLimits::default(),
        lanes: &turn.brain.lanes,
        budget: &budget,
        cancel: &turn.cancel,
        watch: &watch,
        seed: turn.state.next_message,
    };
    let began = turn.elapsed_us();
    let ran = run::run(&worker, run::whole(graph.nodes.clone()), &with).await;
    for node in &ran.nodes {
        let outcome = match node.output() {
            Some(output) => format!("ok: {}", output.findings.len()),
            None => format!("failed: {}", node.outcome.why_not().unwrap_or_default()),
        };
        let start = began + node.started_us.unwrap_or(node.arrived_us);
        let us = node.ended_us.unwrap_or(ran.us).saturating_sub(node.started_us.unwrap_or(node.arrived_us));
        turn.traced_for(format!("node {}", node.id), start, us, Usage::default(), outcome);
    }
    ran
}

/// A run in text: a line a node, by the stage it would be in, with what it found and what it took.
fn drawing(graph: &EvidenceGraph, ran: &Ran) -> Vec<String> {
    let mut lines = Vec::new();
    for depth in 0..ran.stages() {
        for node in ran.nodes.iter().filter(|node| node.depth == depth) {
            let spec = graph.nodes.iter().find(|spec| spec.id == node.id);
            let strategy = spec.map_or("", |spec| spec.strategy.name());
            let after = if node.after.is_empty() { String::new() } else { format!(" ← {}", node.after.join(", ")) };
            let came = match (node.output(), node.outcome.why_not()) {
                (Some(output), _) => format!("{} found", output.findings.len()),
                (None, why) => format!("✗ {}", why.unwrap_or_default()),
            };
            let ms = node.ended_us.zip(node.started_us).map(|(end, start)| end.saturating_sub(start) / 1_000);
            let time = ms.map_or_else(String::new, |ms| format!(", {ms} ms"));
            let cost =
                if node.calls == 0 { String::new() } else { format!(", {} calls, {} tokens", node.calls, node.tokens) };
            let indent = "  ".repeat(depth);
            lines.push(format!("{indent}{}. {} ({strategy}){after}: {came}{time}{cost}", depth + 1, node.id));
        }
    }
    lines.push(format!(
        "{} nodes in {} stages, {} failed, {} ms, {} model calls, {} tokens.",
        ran.nodes.len(),
        ran.stages(),
        ran.failed(),
        ran.us / 1_000,
        ran.calls(),
        ran.tokens()
    ));
    lines
}

/// What could not be looked at, each once.
fn remarks(ran: &Ran, more: usize, unread: usize) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    match &ran.end {
        RunEnd::Complete => {}
        RunEnd::Cancelled => remarks.push("⏹ Stopped on request: this is what I had found by then.".to_owned()),
        RunEnd::OutOfTime => remarks.push("⌛ I ran out of time: this is what I had found by then.".to_owned()),
        RunEnd::Broken(_) => remarks.push("❗ I could not look into all of it.".to_owned()),
    }
    let gaps = ran.outputs().flat_map(|(_, output)| output.gaps.clone());
    let failed = ran.nodes.iter().filter_map(|node| match &node.outcome {
        run::NodeOutcome::Failed(trouble) => Some(format!("I could not look at everything: {trouble}")),
        run::NodeOutcome::Done(_) | run::NodeOutcome::GivenUp { .. } | run::NodeOutcome::Unfinished => None,
    });
    for gap in gaps.chain(failed) {
        let gap = format!("❗ {}", gap.trim_start_matches("❗ "));
        if !remarks.contains(&gap) {
            remarks.push(gap);
        }
    }
    if unread > 0 {
        remarks.push(format!("({unread} more were not read, the less likely ones.)"));
    }
    if more > 0 {
        remarks.push(format!("({more} more fit the search and were not looked at.)"));
    }
    remarks
}
