//! Reflect: is the request complete, or must something be planned now that the outcomes are known?
//!
//! Skipped when the plan says that nothing is open, at most five rounds. What failed or is doubtful is never
//! tried again: such actions are taken out of every later plan, whatever the model says.

use minijinja::context;
use serde::Deserialize;
use serde_json::json;

use super::ask::{self, Asked};
use crate::core::outcome::{Report, Status};
use crate::core::plan::{Plan, PlannedAction};
use crate::pipeline::turn::Turn;
use crate::pipeline::turn::status;
use crate::ports::{AnswerSchema, Stage};
use crate::prompts::Fixed;

#[derive(Debug, Deserialize)]
struct Reflection {
    complete: bool,
    #[serde(default)]
    missing: Option<String>,
}

/// What is still missing, if anything.
pub async fn missing(turn: &Turn<'_>, open: &str, results: &[String]) -> Option<String> {
    let model = turn.brain.model.as_deref()?;
    turn.account.doing(status::checking());
    let schema = AnswerSchema::of(json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["complete", "missing"],
        "properties": {"complete": {"type": "boolean"}, "missing": {"type": ["string", "null"]}},
    }));
    let results = ask::lines(&turn.brain.policy.of_rounds(results));
    let changing = context! { message => turn.facts.words(), open, results };
    let prompt = match ask::prompt(turn.brain, Stage::Reflect, Fixed::ALWAYS, &changing) {
        Ok(prompt) => prompt,
        Err(error) => {
            turn.account.fell_back("reflect", &error.to_string());
            return None;
        }
    };
    match ask::typed::<Reflection>(turn.account, model, Stage::Reflect, prompt, schema, 200).await {
        Asked::Answer(Reflection { complete: true, .. }) => {
            turn.account.came_to(&["reflect"], "complete".to_owned());
            None
        }
        Asked::Answer(Reflection { missing, .. }) => missing.filter(|text| !text.trim().is_empty()),
        Asked::Unusable(why) => {
            turn.account.fell_back("reflect", &why);
            None
        }
        Asked::Failed(error) => {
            turn.account.fell_back("reflect", &error.to_string());
            None
        }
    }
}

/// Takes out of a later round's plan what was tried before: anything that did not succeed, and exact repeats.
/// `proposed`: what earlier rounds were asked to do, before words became values.
pub fn without_repeats(mut plan: Plan, earlier: &[Report], proposed: &[PlannedAction]) -> Plan {
    let tried = |service: &str, command: &str, params: &crate::core::plan::Params| {
        earlier.iter().any(|report| {
            report.service == service
                && report.command == command
                && (report.status != Status::Succeeded || report.params == *params)
        })
    };
    let asked = |a: &PlannedAction| proposed.iter().any(|p| p.asks_the_same_as(a));
    let keep: Vec<bool> = plan.actions.iter().map(|a| !tried(&a.service, &a.command, &a.params) && !asked(a)).collect();
    // What depended on a removed action cannot be planned on; indexes of the rest are renumbered.
    let mut renumbered = vec![None; plan.actions.len()];
    let mut kept = Vec::new();
    for (index, mut action) in plan.actions.into_iter().enumerate() {
        let on: Option<Vec<usize>> =
            action.depends_on.iter().map(|&on| renumbered.get(on).copied().flatten()).collect();
        if let (true, Some(on)) = (keep[index], on) {
            action.depends_on = on;
            renumbered[index] = Some(kept.len());
            kept.push(action);
        }
    }
    plan.actions = kept;
    plan
}
