//! `cross_reference` with a model: the order of what code has put together.
//!
//! Invariants: the answer is an order of numbers; unknown ones and second mentions are dropped, missing ones keep
//! code's order behind the others, and so nothing comes or goes. Set operations are code's.

use std::sync::OnceLock;

use minijinja::context;
use serde::Deserialize;
use serde_json::json;

use super::{RefineContext, Refined, line, may_be_judged, now, question};
use crate::investigate::asker::{AskFailure, InvestigationModel};
use crate::investigate::finding::{Finding, NodeOutput};
use crate::investigate::node::CrossReference;
use brain_core::limits;
use brain_core::ports::{AnswerSchema, Stage};
use brain_core::prompts::Fixed;

#[derive(Debug, Deserialize)]
struct RankAnswer {
    order: Vec<i64>,
}

fn rank_schema() -> &'static AnswerSchema {
    static SCHEMA: OnceLock<AnswerSchema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        AnswerSchema::of(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["order"],
            "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
        }))
    })
}

/// Ranks what was put together by the criteria of the node, then cuts it to its maximum. Without criteria, or where the
/// model fails, code's order stands.
pub async fn rank(
    model: &InvestigationModel<'_>,
    params: &CrossReference,
    mut output: NodeOutput,
    about: &RefineContext<'_>,
) -> Refined {
    let Some(criteria) = &params.criteria else { return Refined::unchanged(output) };
    let mut failed = None;
    let shown: Vec<usize> =
        (0..output.findings.len()).filter(|&at| may_be_judged(&output.findings[at])).take(limits::RANKED_MAX).collect();
    if shown.len() > 1 {
        match order(model, criteria, &output.findings, &shown, about).await {
            Ok(order) => output.findings = ordered(output.findings, &order),
            Err(failure) => failed = Some(failure),
        }
    }
    let most = params.take_top.unwrap_or(limits::FOUND_ITEMS_MAX).min(limits::FOUND_ITEMS_MAX);
    let cut = output.findings.len().saturating_sub(most);
    output.findings.truncate(most);
    output.more += cut;
    if cut > 0 {
        output.people = NodeOutput::of(output.findings.clone()).people;
    }
    Refined { output, failed }
}

/// The places of findings in the order of the model.
async fn order(
    model: &InvestigationModel<'_>,
    criteria: &str,
    findings: &[Finding],
    shown: &[usize],
    about: &RefineContext<'_>,
) -> Result<Vec<usize>, AskFailure> {
    let lines: Vec<String> =
        shown.iter().enumerate().map(|(number, &at)| line(number + 1, &findings[at], about.zone)).collect();
    let changing = context! { now => now(about), question => question(about), criteria, findings => lines };
    let prompt = model.prompt(Stage::Rank, Fixed::ALWAYS, &changing)?;
    let answer: RankAnswer = model.typed(Stage::Rank, prompt, rank_schema(), limits::RANK_TOKENS_OUT_MAX).await?;
    let place = |number: i64| usize::try_from(number).ok()?.checked_sub(1).and_then(|at| shown.get(at)).copied();
    Ok(answer.order.into_iter().filter_map(place).collect())
}

/// Those of the order first, each once, then the rest as it was.
fn ordered(findings: Vec<Finding>, order: &[usize]) -> Vec<Finding> {
    let mut findings: Vec<Option<Finding>> = findings.into_iter().map(Some).collect();
    let mut sorted: Vec<Finding> = order.iter().filter_map(|&at| findings.get_mut(at).and_then(Option::take)).collect();
    sorted.extend(findings.into_iter().flatten());
    sorted
}
