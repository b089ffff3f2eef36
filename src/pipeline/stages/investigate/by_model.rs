//! An investigation with a model: decomposed while it already runs, refined as it reads, answered in its words.
//!
//! Invariants: what a model writes is checked before it runs, and bounded in tokens, calls and time; above the person's
//! threshold nothing that costs runs before their yes; where a model fails the template, or a search by words, answers.

use std::sync::{Arc, Mutex, PoisonError};

use super::kept::{self, Worded};
use super::{Told, drawing, remarks, sources_of};
use crate::core::markup::Formatted;
use crate::core::progress::Progress;
use crate::core::text::shorten;
use crate::investigate::asker::{InvestigationModel, ModelSpan};
use crate::investigate::decompose::{DecomposeInput, SynthesisOrder, things};
use crate::investigate::estimate::{CostEstimate, estimate};
use crate::investigate::finding::Finding;
use crate::investigate::graph::EvidenceGraph;
use crate::investigate::metrics::{InvestigationMetrics, LayerMetrics};
use crate::investigate::model_worker::ModelWorker;
use crate::investigate::question::{CostAllowed, RanQuestion, run_question};
use crate::investigate::refine::RefineContext;
use crate::investigate::run::{self, BudgetLimits, RunLimits, RunWith, TurnBudget};
use crate::investigate::synthesize::AnswerRow;
use crate::investigate::synthesize_by_model::{AnswerPart, SynthesisInput, synthesize_by_model};
use crate::investigate::worker::EvidenceWorker;
use crate::limits;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::plan;
use crate::pipeline::stages::status;
use crate::pipeline::turn::{Turn, TurnError};
use crate::ports::records::Speaker;
use crate::ports::{Model, Stage, Usage};

/// What came of asking a model.
pub(super) enum ByModel {
    /// It is answered, or asked about.
    Answered(Box<Answer>),
    /// Something is to be done: it is planned.
    ToDo,
    /// No graph of the model's can be used.
    Unusable,
}

/// The lane of the model's endpoint; which endpoint answers a stage is the adapter's to know.
const ENDPOINT: &str = "model";

/// What an answer is made of, once it ran.
pub(super) struct Looked {
    /// What ran.
    pub graph: EvidenceGraph,
    /// What it came to.
    pub ran: super::Ran,
    /// What was not looked at, besides.
    pub gaps: Vec<String>,
    /// What the answer should be like.
    pub order: SynthesisOrder,
    /// What it was expected to cost.
    pub estimate: CostEstimate,
    /// Microseconds that taking it apart took.
    pub decompose_us: u64,
}

/// Takes the question apart with the model and answers it.
pub(super) async fn answer(turn: &Turn<'_>, model: &dyn Model) -> Result<ByModel, TurnError> {
    turn.agreed();
    turn.doing(Progress::of("Working out where to look…"));
    let began = turn.elapsed_us();
    let services = turn.brain.services.now();
    let ctx = turn.as_written();
    let sources = sources_of(turn, &services, &ctx);
    let plain = EvidenceWorker { sources };
    let spans: Arc<Mutex<Vec<ModelSpan>>> = Arc::default();
    let trace = tracing_into(turn, &spans);
    let budget = TurnBudget::new(BudgetLimits::default());
    let asker = asker(turn, model, &budget, &trace);
    let about = RefineContext { question: turn.words(), now: ctx.now, zone: ctx.zone };
    let worker = ModelWorker { plain: &plain, model: asker.clone(), endpoint: ENDPOINT, about };
    let watch = super::watching(turn);
    let with = RunWith {
        limits: RunLimits::default(),
        lanes: &turn.brain.lanes,
        budget: &budget,
        cancel: &turn.cancel,
        watch: &watch,
        seed: turn.state.next_message,
    };
    let (history, there, dates) = (history(turn), things(&services), plan::dates(turn));
    let reference = turn.reference();
    let input = DecomposeInput {
        question: turn.words(),
        history: &history,
        things: &there,
        dates: &dates,
        reference: &reference,
    };
    let allowed =
        CostAllowed { prices: turn.brain.policy.prices.clone(), ask_above_usd: turn.brain.policy.ask_above_usd };
    let question = run_question(&asker, &input, &worker, &with, &allowed);
    // A run that is cancelled gives back what it has.
    Ok(match question.await {
        Err(failure) => {
            turn.fell_back(Stage::Decompose.name(), &failure.to_string());
            ByModel::Unusable
        }
        Ok(RanQuestion::WriteCommand(_)) => ByModel::ToDo,
        Ok(RanQuestion::Costly { decomposition, estimate }) => {
            let asks = super::costly::ask(turn, decomposition.graph, decomposition.synthesis, &estimate)?;
            ByModel::Answered(Box::new(asks))
        }
        Ok(RanQuestion::Stopped(ran)) => {
            let graph = EvidenceGraph {
                nodes: Vec::new(),
                sections: Vec::new(),
                answers: crate::investigate::graph::AnswerKind::Model,
            };
            let told = Told {
                heading: "⏹ Stopped before I knew where to look. Nothing was changed.".to_owned(),
                remarks: Vec::new(),
                answers: graph.answers,
                topic: String::new(),
                trace: drawing(&graph, &ran),
            };
            ByModel::Answered(Box::new(kept::answer(turn, told, Vec::new())?))
        }
        Ok(RanQuestion::Ran { decomposition, estimate, run }) => {
            let gaps = decomposition.gap(&reference).into_iter().collect();
            let looked = Looked {
                gaps,
                ran: run,
                estimate,
                order: decomposition.synthesis,
                graph: decomposition.graph,
                decompose_us: turn.elapsed_us().saturating_sub(began),
            };
            let answer = told(turn, &asker, looked, &spans).await?;
            ByModel::Answered(Box::new(answer))
        }
    })
}

/// Runs a graph that is known, refined by the model, and answers in its words: after a yes to what it costs, and where a
/// template needs no decomposition.
pub(super) async fn run_known(
    turn: &Turn<'_>,
    model: &dyn Model,
    graph: EvidenceGraph,
    order: SynthesisOrder,
) -> Result<Answer, TurnError> {
    turn.agreed();
    let services = turn.brain.services.now();
    let ctx = turn.as_written();
    let plain = EvidenceWorker { sources: sources_of(turn, &services, &ctx) };
    let spans: Arc<Mutex<Vec<ModelSpan>>> = Arc::default();
    let trace = tracing_into(turn, &spans);
    let budget = TurnBudget::new(BudgetLimits::default());
    let asker = asker(turn, model, &budget, &trace);
    let watch = super::watching(turn);
    let with = RunWith {
        limits: RunLimits::default(),
        lanes: &turn.brain.lanes,
        budget: &budget,
        cancel: &turn.cancel,
        watch: &watch,
        seed: turn.state.next_message,
    };
    let ran = match graph.answers {
        // Templates tell by features what is so; a model only words it.
        crate::investigate::graph::AnswerKind::Family(_) | crate::investigate::graph::AnswerKind::Search => {
            run::run(&plain, run::whole(graph.nodes.clone()), &with).await
        }
        crate::investigate::graph::AnswerKind::Model => {
            let about = RefineContext { question: turn.words(), now: ctx.now, zone: ctx.zone };
            let worker = ModelWorker { plain: &plain, model: asker.clone(), endpoint: ENDPOINT, about };
            run::run(&worker, run::whole(graph.nodes.clone()), &with).await
        }
    };
    let estimate = estimate(&graph.nodes, &turn.brain.policy.prices);
    let looked = Looked { graph, ran, gaps: Vec::new(), order, estimate, decompose_us: 0 };
    told(turn, &asker, looked, &spans).await
}

fn asker<'a>(
    turn: &'a Turn<'_>,
    model: &'a dyn Model,
    budget: &'a TurnBudget,
    trace: &'a (dyn Fn(ModelSpan) + Send + Sync),
) -> InvestigationModel<'a> {
    InvestigationModel { model, prompts: &turn.brain.prompts, patience: turn.patience.clone(), gate: budget, trace }
}

/// Adds every call to the turn's account and trace.
fn tracing_into<'a>(
    turn: &'a Turn<'_>,
    spans: &Arc<Mutex<Vec<ModelSpan>>>,
) -> impl Fn(ModelSpan) + Send + Sync + use<'a> {
    let spans = Arc::clone(spans);
    move |span: ModelSpan| {
        turn.spent(span.usage);
        let start = turn.elapsed_us().saturating_sub(span.us);
        turn.traced_for(span.stage.name().to_owned(), start, span.us, span.usage, span.outcome.clone());
        spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
    }
}

/// The answer in the model's words, with its sources; the plain list where it gives none.
async fn told(
    turn: &Turn<'_>,
    asker: &InvestigationModel<'_>,
    looked: Looked,
    spans: &Arc<Mutex<Vec<ModelSpan>>>,
) -> Result<Answer, TurnError> {
    turn.doing(status::writing());
    let Looked { graph, ran, gaps, order, estimate, decompose_us } = looked;
    let began = turn.elapsed_us();
    let outputs: Vec<(&str, &_)> = graph
        .sections
        .iter()
        .filter_map(|section| {
            let title = section.title.as_deref().or_else(|| {
                graph.nodes.iter().find(|node| node.id == section.node).map(|node| node.description.as_str())
            });
            Some((title.unwrap_or_default(), ran.node(&section.node)?.output()?))
        })
        .collect();
    let parts: Vec<AnswerPart<'_>> = outputs.iter().map(|(title, output)| AnswerPart { title, output }).collect();
    let reference = turn.reference();
    let manner = turn.manner().to_string();
    let mut all_gaps = gaps;
    all_gaps.extend(ran.gaps().into_iter().map(|gap| gap.why));
    let input = SynthesisInput {
        question: turn.words(),
        order: &order,
        parts: &parts,
        gaps: &all_gaps,
        manner: &manner,
        reference: &reference,
    };
    let words = match turn.cancel.is_cancelled() {
        true => None,
        false => match synthesize_by_model(asker, &input, None).await {
            Ok(answer) => Some(answer),
            Err(failure) => {
                turn.fell_back(Stage::Synthesize.name(), &failure.to_string());
                None
            }
        },
    };
    let synthesize_us = turn.elapsed_us().saturating_sub(began);
    let numbered: Vec<Finding> = words.as_ref().map(|words| words.numbered.clone()).unwrap_or_default();
    let mut rows: Vec<AnswerRow> = numbered.iter().map(|finding| AnswerRow::of(finding, None, None)).collect();
    let rest = outputs.iter().flat_map(|(_, output)| &output.findings);
    for finding in rest {
        if !rows.iter().any(|row| row.item.key() == finding.item.key()) {
            rows.push(AnswerRow::of(finding, None, None));
        }
    }
    let metrics = metrics(turn, &ran, spans, &estimate, decompose_us, synthesize_us);
    tracing::info!(turn = %turn.incoming.turn.as_str(), metrics = %serde_json::to_string(&metrics).unwrap_or_default(), "investigation");
    let more = outputs.iter().map(|(_, output)| output.more).sum();
    let unread = outputs.iter().map(|(_, output)| output.unread).max().unwrap_or(0);
    let told = Told {
        heading: crate::investigate::synthesize::heading(graph.answers, rows.len(), &shorten(turn.words(), 80), false),
        remarks: remarks(&ran, more, unread),
        answers: graph.answers,
        topic: shorten(turn.words(), limits::ROW_CHARS_MAX),
        trace: drawing(&graph, &ran),
    };
    match words {
        None => kept::answer(turn, told, rows),
        Some(words) => {
            let text = Formatted::read(&words.text, &words.given);
            kept::worded(turn, told, rows, Worded { text, cited: words.cited.into_iter().collect() })
        }
    }
}

fn metrics(
    turn: &Turn<'_>,
    ran: &super::Ran,
    spans: &Arc<Mutex<Vec<ModelSpan>>>,
    estimate: &CostEstimate,
    decompose_us: u64,
    synthesize_us: u64,
) -> InvestigationMetrics {
    let spans = spans.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |stage: Stage| {
        let mut usage = Usage::default();
        spans.iter().filter(|span| span.stage == stage).for_each(|span| usage += span.usage);
        usage
    };
    InvestigationMetrics {
        ms: turn.elapsed_us() / 1_000,
        decompose: LayerMetrics::of(decompose_us / 1_000, &of(Stage::Decompose)),
        synthesize: LayerMetrics::of(synthesize_us / 1_000, &of(Stage::Synthesize)),
        ..InvestigationMetrics::default()
    }
    .with_run(ran)
    .with_cost(estimate, &spans, &turn.brain.policy.prices)
}

/// The last turns, as a decomposition reads them: the person's own words, and of ours that we answered.
fn history(turn: &Turn<'_>) -> Vec<String> {
    let line = |message: &crate::ports::records::Message| match message.speaker {
        Speaker::Person if turn.is_own(message) => Some(format!("person: {}", message.text)),
        Speaker::Person => None,
        Speaker::Assistant => Some("assistant: (answered)".to_owned()),
    };
    turn.history
        .iter()
        .rev()
        .take(limits::DECOMPOSE_HISTORY_LINES)
        .filter_map(line)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect()
}
