//! An investigation with a model: decomposed while it already runs, refined as it reads, answered in its words.
//!
//! Invariants: what a model writes is checked before it runs, and bounded in tokens, calls and time; above the person's
//! threshold nothing that costs runs before their yes; where a model fails the template, or a search by words, answers.

use chrono::{DateTime, SecondsFormat, Utc};
use tokio::sync::mpsc::UnboundedSender;

use super::costly;
use super::investigation_reply::{InvestigationReply, InvestigationRun, distinct, drawing, ended, remarks, so_far};
use super::kept::{self, Worded};
use super::looking::Looking;
use crate::investigate::asker::{AskFailure, InvestigationModel};
use crate::investigate::decompose::{
    DecomposeInput, SynthesisOrder, Undecomposed, choose_template, keep_graph, things,
};
use crate::investigate::estimate::{CostEstimate, estimate};
use crate::investigate::finding::NodeOutput;
use crate::investigate::graph::{AnswerKind, EvidenceGraph};
use crate::investigate::known::KnownLook;
use crate::investigate::question::{CostAllowed, RanQuestion, run_question};
use crate::investigate::run::{RunEnd, run, whole};
use crate::investigate::synthesize::{AnswerRow, heading};
use crate::investigate::synthesize_by_model::{AnswerPart, ModelAnswer, SynthesisInput, synthesize_by_model};
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::show::Results;
use crate::pipeline::stages::honest::{self, CameTo, Truth};
use crate::pipeline::stages::phrasing::{self, Internals};
use crate::pipeline::stages::speak;
use crate::pipeline::turn::{Turn, TurnError};
use crate::pipeline::turn::{TurnFacts, status};
use brain_core::core::markup::Formatted;
use brain_core::core::progress::Progress;
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::{Model, Stage};
use brain_language::language::requests::FamilyQuestion;

/// What came of asking a model.
pub(super) enum ByModel {
    /// It is answered, or asked about.
    Answered(Box<Answer>),
    /// Something is to be done: it is planned.
    ToDo,
    /// No graph of the model's can be used.
    Unusable,
    /// It gave none, or too late.
    Silent,
}

/// What the person has said of a question beside its words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuestionScope {
    /// Only what came since then counts.
    pub since: Option<DateTime<Utc>>,
    /// They have said yes to so many US dollars.
    pub agreed_usd: f64,
}

/// What an answer is made of, once it ran.
struct ExecutedGraph {
    graph: EvidenceGraph,
    ran: InvestigationRun,
    /// What was not looked at, besides.
    gaps: Vec<String>,
    /// What the answer should be like.
    order: SynthesisOrder,
    /// What it was expected to cost.
    estimate: CostEstimate,
}

/// Takes the question apart with the model and answers it.
///
/// `question`: the one of a family that code takes it for, which is looked at meanwhile.
pub(super) async fn answer(
    turn: &Turn<'_>,
    model: &dyn Model,
    question: Option<&FamilyQuestion>,
    asked: QuestionScope,
) -> Result<ByModel, TurnError> {
    turn.account.agreed();
    turn.account.doing(Progress::of("Working out where to look…"));
    let looking = Looking::at(turn, asked.since);
    let (watch, trace) = (|progress| looking.says(progress), |call| looking.called(call));
    let (with, asker, plain) = (looking.with(&watch), looking.asker(model, &trace), looking.worker());
    let beside = Box::pin(looking.known(&with)).await;
    let worker = looking.model_worker(&plain, &asker, &beside);
    let sight = turn.facts.sight(&turn.brain.services);
    let (control, mut dates) = (sight.control(), vec![sight.days()]);
    let history = [control.history, control.shown].concat();
    let (there, reference) = (things(&looking.services), turn.facts.reference());
    dates.extend(asked.since.map(|since| {
        let since = since.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!("The person wants only what came since {since}; look at nothing before it.")
    }));
    let known = question.map(|question| KnownLook::of(question, &reference));
    let input = DecomposeInput {
        known: known.as_ref(),
        beside: &beside,
        question: turn.facts.words(),
        history: &history,
        things: &there,
        dates: &dates,
        reference: &reference,
    };
    let policy = &turn.brain.policy;
    let ask_above_usd = policy.ask_above_usd.max(asked.agreed_usd);
    let allowed = CostAllowed { prices: policy.prices.clone(), ask_above_usd };
    // A run that is cancelled gives back what it has.
    Ok(match Box::pin(run_question(&asker, &input, &worker, &with, &allowed)).await {
        Err(failure) => {
            turn.account.fell_back(Stage::Decompose.name(), &failure.to_string());
            match failure {
                Undecomposed::Unusable(_) | Undecomposed::Failed(AskFailure::Unusable { .. }) => ByModel::Unusable,
                Undecomposed::Failed(_) => ByModel::Silent,
            }
        }
        Ok(RanQuestion::WriteCommand(_)) => ByModel::ToDo,
        Ok(RanQuestion::Costly { decomposition, estimate }) => {
            let asks = costly::ask(turn.brain, &turn.facts, decomposition.graph, decomposition.synthesis, &estimate)?;
            ByModel::Answered(Box::new(asks))
        }
        Ok(RanQuestion::Stopped(ran)) if ran.end == RunEnd::OutOfTime => {
            turn.account.fell_back(Stage::Decompose.name(), "there was no time left for its graph");
            ByModel::Silent
        }
        Ok(RanQuestion::Stopped(ran)) => ByModel::Answered(Box::new(stopped(turn.brain, &turn.facts, &looking, &ran)?)),
        Ok(RanQuestion::Ran { decomposition, estimate, run }) => {
            let was_of_use = run.end == RunEnd::Complete && run.outputs().any(|(_, found)| !found.findings.is_empty());
            if was_of_use && run.failed() == 0 {
                keep_graph(&asker, &input, &decomposition);
            }
            let gaps = decomposition.gap(&reference).into_iter().collect();
            let (order, graph) = (decomposition.synthesis, decomposition.graph);
            let looked = ExecutedGraph { gaps, ran: run, estimate, order, graph };
            ByModel::Answered(Box::new(Box::pin(told(&looking, &asker, looked)).await?))
        }
    })
}

/// The template that the model names for the question, if it names one.
pub(super) async fn named_template(turn: &Turn<'_>, model: &dyn Model) -> Option<FamilyQuestion> {
    turn.account.agreed();
    turn.account.doing(Progress::of("Working out where to look…"));
    let looking = Looking::at(turn, None);
    let trace = |call| looking.called(call);
    let reference = turn.facts.reference();
    let chosen =
        turn.unless_cancelled(choose_template(&looking.asker(model, &trace), turn.facts.words(), &reference)).await;
    chosen.ok()?.unwrap_or_else(|failure| {
        turn.account.fell_back(Stage::Template.name(), &failure.to_string());
        None
    })
}

/// Nothing was looked at yet when its person stopped it.
fn stopped(
    brain: &Brain,
    facts: &TurnFacts,
    looking: &Looking<'_>,
    ran: &InvestigationRun,
) -> Result<Answer, TurnError> {
    let graph = EvidenceGraph { nodes: Vec::new(), sections: Vec::new(), answers: AnswerKind::Model, beside: None };
    let metrics = looking.metrics(ran, None);
    let told = InvestigationReply {
        heading: "⏹ Stopped before I knew where to look. Nothing was changed.".to_owned(),
        remarks: Vec::new(),
        answers: graph.answers,
        topic: String::new(),
        trace: drawing(&graph, ran, &metrics),
        metrics: Some(metrics),
    };
    kept::answer(brain, facts, told, Vec::new())
}

/// Runs a graph that is known, refined by the model, and answers in its words: after a yes to what it costs, and where
/// a template needs no decomposition.
pub(super) async fn run_known(
    turn: &Turn<'_>,
    model: &dyn Model,
    graph: EvidenceGraph,
    order: SynthesisOrder,
    since: Option<DateTime<Utc>>,
) -> Result<Answer, TurnError> {
    turn.account.agreed();
    let looking = Looking::at(turn, since);
    let (watch, trace) = (|progress| looking.says(progress), |call| looking.called(call));
    let (with, asker, plain) = (looking.with(&watch), looking.asker(model, &trace), looking.worker());
    let nodes = whole(graph.nodes.clone());
    let ran = match graph.answers {
        // Templates tell by features what is so; a model only words it.
        AnswerKind::Family(_) | AnswerKind::Search => run(&plain, nodes, &with).await,
        AnswerKind::Model => {
            let known = Box::pin(looking.known(&with)).await;
            Box::pin(run(&looking.model_worker(&plain, &asker, &known), nodes, &with)).await
        }
    };
    let estimate = estimate(&graph.nodes, &turn.brain.policy.prices);
    let looked = ExecutedGraph { graph, ran, gaps: Vec::new(), order, estimate };
    told(&looking, &asker, looked).await
}

/// The answer in the model's words, with its sources; the plain list where it gives none.
async fn told(
    looking: &Looking<'_>,
    asker: &InvestigationModel<'_>,
    looked: ExecutedGraph,
) -> Result<Answer, TurnError> {
    let turn = looking.turn;
    turn.account.doing(status::writing());
    let ExecutedGraph { graph, ran, mut gaps, order, estimate } = looked;
    looking.ran(&ran);
    let outputs: Vec<(&str, &NodeOutput)> = graph
        .all_sections()
        .filter_map(|section| {
            let title = section.title.as_deref().or_else(|| {
                graph.nodes.iter().find(|node| node.id == section.node).map(|node| node.description.as_str())
            });
            // What a family's answer claims of its rows is true of the whole graph only.
            let output = match graph.answers {
                AnswerKind::Model => so_far(&ran, &section.node),
                AnswerKind::Family(_) | AnswerKind::Search => ran.node(&section.node)?.output(),
            };
            Some((title.unwrap_or_default(), output?))
        })
        .collect();
    let parts: Vec<AnswerPart<'_>> = outputs.iter().map(|(title, output)| AnswerPart { title, output }).collect();
    let (reference, manner) = (turn.facts.reference(), turn.facts.manner().to_string());
    gaps.extend(ran.gaps().into_iter().map(|gap| gap.why));
    let input = SynthesisInput {
        question: turn.facts.words(),
        order: &order,
        parts: &parts,
        gaps: &gaps,
        manner: &manner,
        reference: &reference,
    };
    let words = worded(turn, asker, &input).await;
    let numbered = words.iter().flat_map(|words| &words.numbered);
    let findings = numbered.chain(outputs.iter().flat_map(|(_, output)| &output.findings));
    let rows = distinct(findings.map(|finding| AnswerRow::of(finding, None, None)));
    let metrics = looking.metrics(&ran, Some(&estimate));
    let told = InvestigationReply {
        heading: heading(graph.answers, rows.len(), &shorten(turn.facts.words(), 80), false),
        remarks: match words {
            // What could not be looked at stands in the words.
            Some(_) => ended(&ran).into_iter().collect(),
            None => remarks(&ran, outputs.iter().map(|(_, output)| *output)),
        },
        answers: graph.answers,
        topic: shorten(turn.facts.words(), limits::ROW_CHARS_MAX),
        trace: drawing(&graph, &ran, &metrics),
        metrics: Some(metrics),
    };
    match words {
        None => kept::answer(turn.brain, &turn.facts, told, rows),
        Some(words) => {
            let text = Formatted::read(&words.text, &words.given);
            let internals = Internals::of(turn.brain, &turn.facts);
            let text = phrasing::presentable(text, &internals, "", &words.given);
            let text = honest::shown(text, &truth(turn.brain, &turn.facts));
            kept::worded(turn.brain, &turn.facts, told, rows, Worded { text, cited: words.cited.into_iter().collect() })
        }
    }
}

/// What words about it are held against.
fn truth(brain: &Brain, facts: &TurnFacts) -> Truth {
    Truth::of(brain, facts, &Results::default(), CameTo::Findings)
}

/// The model's words, shown as they come; none where it gives none, or nobody waits for them.
async fn worded(turn: &Turn<'_>, asker: &InvestigationModel<'_>, input: &SynthesisInput<'_>) -> Option<ModelAnswer> {
    let write = |to: Option<UnboundedSender<String>>| synthesize_by_model(asker, input, to);
    // Which links were given to the model is known with the whole answer: until then none is one.
    match turn.unless_cancelled(speak::growing(turn, "", &truth(turn.brain, &turn.facts), write)).await {
        Err(_) => None,
        Ok(Ok(words)) => Some(words),
        Ok(Err(failure)) => {
            turn.account.fell_back(Stage::Synthesize.name(), &failure.to_string());
            None
        }
    }
}
