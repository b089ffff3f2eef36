//! Reflect: is the request complete, or must something be planned now that the outcomes are known?
//!
//! Skipped when the plan says that nothing is open and takes up all that was said. What failed or is doubtful is never
//! tried again, and nothing is done twice: such actions are taken out of every later plan, whatever the model says. Not
//! here: when rounds end ([`super::rounds`]).

use minijinja::context;
use serde::Deserialize;
use serde_json::json;

use super::ask::{self, Typed};
use super::phrasing::Internals;
use crate::pipeline::turn::Turn;
use crate::pipeline::turn::status;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::{Params, Plan, PlannedAction};
use brain_core::ports::{AnswerSchema, Stage};
use brain_core::prompts::Fixed;
use brain_language::language::words;
use brain_services::services::catalog::registry::Registry;

#[derive(Debug, Deserialize)]
struct Reflection {
    complete: bool,
    #[serde(default)]
    missing: Option<String>,
}

/// What a model makes of a round.
#[derive(Debug, PartialEq, Eq)]
pub enum Reflected {
    Complete,
    /// In the model's words.
    Missing(String),
    /// Nothing that can be used.
    Unclear,
}

/// What is still missing, if anything; `open` is what may be.
pub async fn missing(turn: &Turn<'_>, open: &str, results: &[String]) -> Reflected {
    let Some(model) = turn.brain.model.as_deref() else { return Reflected::Unclear };
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
            return Reflected::Unclear;
        }
    };
    match ask::typed::<Reflection>(turn.account, model, Stage::Reflect, prompt, schema, 200).await {
        Typed::Answer(Reflection { complete: true, .. }) => {
            turn.account.came_to(&["reflect"], "complete".to_owned());
            Reflected::Complete
        }
        Typed::Answer(Reflection { missing, .. }) => {
            let missing = missing.filter(|text| !text.trim().is_empty());
            let internals = Internals::of(turn.brain, &turn.facts);
            let missing = missing.map(|text| internals.worded(&text));
            missing.map_or(Reflected::Unclear, Reflected::Missing)
        }
        Typed::Unusable(why) => {
            turn.account.fell_back("reflect", &why);
            Reflected::Unclear
        }
        Typed::Failed(error) => {
            turn.account.fell_back("reflect", &error.to_string());
            Reflected::Unclear
        }
    }
}

/// Whether two wordings of what is missing say the same.
pub fn is_same(one: &str, other: &str) -> bool {
    words::words(one) == words::words(other)
}

/// Takes out of a later round's plan what was tried before: exact repeats, and any change by a command by which one
/// failed. A look that found nothing may be one at another thing, and beside what waits for a yes another may wait.
/// `proposed`: what earlier rounds were asked to do, before words became values.
pub fn without_repeats(services: &Registry, mut plan: Plan, earlier: &[Report], proposed: &[PlannedAction]) -> Plan {
    let tried = |service: &str, command: &str, params: &Params| {
        let writes = services.command(service, command).is_none_or(|entry| entry.writes());
        earlier.iter().any(|report| {
            report.service == service
                && report.command == command
                && (writes && !matches!(report.status, Status::Succeeded | Status::Pending) || report.params == *params)
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
