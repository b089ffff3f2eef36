//! `semantic_analysis` with a model: which findings are kept, and as what, ten a call.
//!
//! Invariants: a label counts for a finding that was shown in the same call and is one of those that are kept; nobody
//! waits behind machines and lists, whatever is said of them; where the node asks for a time, only what code kept may
//! be kept; what has no label is as features tell it.

use std::collections::HashMap;
use std::sync::OnceLock;

use futures::stream::{self, StreamExt};
use minijinja::context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{RefineContext, Refined, line, may_be_judged, now};
use crate::investigate::asker::{AskFailure, InvestigationModel};
use crate::investigate::features::SenderSort;
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::{FindingSort, SemanticAnalysis};
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Stage};
use brain_core::prompts::Fixed;

const NONE: &str = "none";
const SORTS: [FindingSort; 10] = [
    FindingSort::WaitsForMe,
    FindingSort::WaitsForOthers,
    FindingSort::PromisedToMe,
    FindingSort::PromisedByMe,
    FindingSort::About,
    FindingSort::Open,
    FindingSort::Unanswered,
    FindingSort::OpenPromiseToMe,
    FindingSort::OpenPromiseByMe,
    FindingSort::Amount,
];

#[derive(Debug, Deserialize)]
struct Labels {
    labels: Vec<Labelled>,
}

#[derive(Debug, Deserialize)]
struct Labelled {
    id: i64,
    label: String,
}

/// What a model says of one finding; `None`: it is of none of the sorts.
type ClassVerdict = Option<FindingSort>;

fn label_schema() -> &'static AnswerSchema {
    static SCHEMA: OnceLock<AnswerSchema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let labels: Vec<String> = SORTS.iter().map(|sort| name(*sort)).chain([NONE.to_owned()]).collect();
        let labelled = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["id", "label"],
            "properties": {"id": {"type": "integer"}, "label": {"type": "string", "enum": labels}},
        });
        AnswerSchema::of(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["labels"],
            "properties": {"labels": {"type": "array", "items": labelled}},
        }))
    })
}

/// As graphs and prompts write it.
fn name(sort: FindingSort) -> String {
    match serde_json::to_value(sort) {
        Ok(Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

/// Whether it says that somebody waits or promised something, which needs somebody.
fn needs_a_person(sort: FindingSort) -> bool {
    match sort {
        FindingSort::WaitsForMe
        | FindingSort::WaitsForOthers
        | FindingSort::PromisedToMe
        | FindingSort::PromisedByMe
        | FindingSort::Unanswered
        | FindingSort::OpenPromiseToMe
        | FindingSort::OpenPromiseByMe => true,
        FindingSort::About | FindingSort::Open | FindingSort::Amount => false,
    }
}

/// Tells `all` apart by the question of the node; `kept` is what code kept of them. Without a question, and for what
/// the model says nothing of, that stands.
pub async fn classify(
    model: &InvestigationModel<'_>,
    params: &SemanticAnalysis,
    all: &[Finding],
    kept: NodeOutput,
    about: &RefineContext<'_>,
) -> Refined {
    let Some(question) = params.question.as_deref().filter(|_| !params.keep.is_empty()) else {
        return Refined::unchanged(kept);
    };
    let batches = batches(all);
    let calls: Vec<_> = batches.iter().map(|batch| labels(model, params, question, all, batch, about)).collect();
    let answers: Vec<Result<Vec<(usize, ClassVerdict)>, AskFailure>> =
        stream::iter(calls).buffered(limits::EXTRACTS_AT_ONCE).collect().await;
    let mut verdicts: HashMap<usize, ClassVerdict> = HashMap::new();
    let mut failed = None;
    for answer in answers {
        match answer {
            Ok(labels) => verdicts.extend(labels),
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    let is_timed = params.last_from.is_some() || params.last_until.is_some() || params.due_until.is_some();
    let findings = all.iter().enumerate().filter_map(|(at, finding)| {
        let by_code = kept.findings.iter().find(|kept| kept.item.key() == finding.item.key());
        match verdicts.get(&at) {
            None => by_code.cloned(),
            Some(None) => None,
            Some(Some(sort)) => by_code.or(Some(finding).filter(|_| !is_timed)).map(|found| as_sort(found, *sort)),
        }
    });
    let findings = findings.collect();
    let NodeOutput { more, unread, gaps, .. } = kept;
    Refined { output: NodeOutput { more, unread, gaps, ..NodeOutput::of(findings) }, failed }
}

fn as_sort(finding: &Finding, sort: FindingSort) -> Finding {
    let mut found = finding.clone();
    if !found.is(sort) {
        found.sorts.push(sort);
    }
    found
}

/// The places of what is told apart together. People's and machines' words do not stand in one call.
fn batches(all: &[Finding]) -> Vec<Vec<usize>> {
    let judged: Vec<usize> =
        (0..all.len()).filter(|&at| may_be_judged(&all[at])).take(limits::CLASSIFIED_MAX).collect();
    let (people, machines): (Vec<usize>, Vec<usize>) =
        judged.into_iter().partition(|&at| all[at].sender() == SenderSort::Person);
    let of = |places: Vec<usize>| places.chunks(limits::CLASSIFY_BATCH).map(<[usize]>::to_vec).collect::<Vec<_>>();
    [of(people), of(machines)].concat()
}

/// The labels of one call.
async fn labels(
    model: &InvestigationModel<'_>,
    params: &SemanticAnalysis,
    question: &str,
    all: &[Finding],
    batch: &[usize],
    about: &RefineContext<'_>,
) -> Result<Vec<(usize, ClassVerdict)>, AskFailure> {
    let lines: Vec<String> =
        batch.iter().enumerate().map(|(number, &at)| line(number + 1, &all[at], about.zone)).collect();
    let allowed: Vec<String> = params.keep.iter().map(|sort| name(*sort)).chain([NONE.to_owned()]).collect();
    let changing = context! {
        now => now(about),
        question => shorten(question, limits::NODE_TEXT_CHARS_MAX),
        labels => allowed.join(", "),
        findings => lines,
    };
    let prompt = model.prompt(Stage::Classify, Fixed::ALWAYS, &changing)?;
    let most = limits::CLASSIFY_TOKENS_OUT_EACH * u32::try_from(batch.len()).unwrap_or(u32::MAX);
    let answer: Labels = model.typed(Stage::Classify, prompt, label_schema(), most).await?;
    let verdict = |labelled: &Labelled| {
        let at = *batch.get(usize::try_from(labelled.id).ok()?.checked_sub(1)?)?;
        if labelled.label == NONE {
            return Some((at, None));
        }
        let sort = *params.keep.iter().find(|sort| name(**sort) == labelled.label)?;
        let is_possible = !needs_a_person(sort) || all[at].sender() == SenderSort::Person;
        is_possible.then_some((at, Some(sort)))
    };
    Ok(answer.labels.iter().filter_map(verdict).collect())
}
