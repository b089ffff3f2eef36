//! The person's own rules, obeyed at the gate: what they want to be asked about is asked about, and whoever is to get a
//! copy is put on it.
//!
//! Invariants: a rule raises stakes and never lowers them; it adds people, in the person's own words, and takes nobody
//! away. Where rules cannot be read, whatever writes is asked about. Not here: what a rule is (`language::own_rule`),
//! and keeping them (`intake::standing_rules`).

use serde_json::Value;

use crate::pipeline::brain::Brain;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Action, Plan, PlannedAction};
use brain_core::core::text::{quoted, visible};
use brain_core::limits::NAME_CHARS_MAX;
use brain_language::language::grounding::ValueKind;
use brain_language::language::own_rule::OwnRule;
use brain_language::language::requests::ParseInput;
use brain_language::language::words::words;
use brain_language::language::{record, routing};
use brain_services::services::across::filling::BUILDERS;
use brain_services::services::contract::entry::Entry;
use brain_services::services::contract::show::Moment;
use brain_services::services::planning::values::typed_values;

/// Holds whom something goes to.
const TO: &str = "to";
/// Holds when something takes place.
const START: &str = "start_time";

/// The rules, and in which words they were given.
#[derive(Debug)]
pub(super) struct OwnRules {
    rules: Vec<(String, OwnRule)>,
    are_unreadable: bool,
}

impl OwnRules {
    /// Those of the turn's person.
    pub async fn of(brain: &Brain, facts: &TurnFacts) -> Self {
        let services = brain.services.now();
        let (mut rules, mut are_unreadable) = (Vec::new(), false);
        for keeper in services.iter().filter_map(|service| service.service.facts()) {
            match keeper.rules(&facts.ctx).await {
                Ok(said) => rules.extend(said),
                Err(error) => {
                    tracing::error!(%error, "nobody can tell which rules there are");
                    are_unreadable = true;
                }
            }
        }
        let reference = facts.reference();
        let read = |said: String| OwnRule::read(&said, &reference).map(|rule| (said, rule));
        Self { rules: rules.into_iter().filter_map(read).collect(), are_unreadable }
    }

    /// Why an action needs a yes that would not need one otherwise. `by_planner`: its values are a planner's, not the
    /// person's as they were typed.
    pub fn asks_for(
        &self,
        brain: &Brain,
        facts: &TurnFacts,
        entry: &dyn Entry,
        planned: &PlannedAction,
        action: &Action,
        by_planner: bool,
    ) -> Option<String> {
        if !entry.writes() {
            return None;
        }
        let services = brain.services.now();
        if let Some(keeper) = services.find(&action.service).and_then(|service| service.service.facts()) {
            let is_made_up = by_planner && keeper.makes_a_rule(action);
            return is_made_up.then(|| "I go by this from now on".to_owned());
        }
        if self.are_unreadable {
            return Some("I couldn't look up your own rules, so I ask".to_owned());
        }
        let applies = |(_, rule): &&(String, OwnRule)| match rule {
            OwnRule::AskFirst { what } => is_about(brain, facts, what, planned, action),
            OwnRule::Hours { before, after } => typed_values(entry, &action.params).iter().any(|value| {
                let is_start = value.kind == ValueKind::Time && value.path.last().is_some_and(|name| name == START);
                let Some(Moment::Instant(at)) = Moment::read(&value.text, facts.ctx.zone).filter(|_| is_start) else {
                    return false;
                };
                let time = at.with_timezone(&facts.ctx.zone).time();
                before.is_some_and(|before| time < before) || after.is_some_and(|after| time >= after)
            }),
            OwnRule::Copy { .. } | OwnRule::Wish => false,
        };
        let (said, _) = self.rules.iter().find(applies)?;
        Some(format!("you told me: {}", quoted(said, NAME_CHARS_MAX)))
    }
}

/// Puts whoever is to get a copy on what goes to somebody, and gives their names. Whom the message itself speaks of it
/// decides about.
pub(super) async fn copied(brain: &Brain, facts: &TurnFacts, plan: &mut Plan) -> Vec<String> {
    if !plan.actions.iter().any(|planned| planned.params.contains_key(TO)) {
        return Vec::new();
    }
    let said = words(facts.words());
    let is_spoken_of = |whom: &str| words(whom).iter().any(|word| said.contains(word));
    let copies = OwnRules::of(brain, facts).await.rules.into_iter().filter_map(|(_, rule)| match rule {
        OwnRule::Copy { whom } if !is_spoken_of(&whom) => Some(whom),
        OwnRule::Copy { .. } | OwnRule::AskFirst { .. } | OwnRule::Hours { .. } | OwnRule::Wish => None,
    });
    let mut added = Vec::new();
    for whom in copies {
        let has = |one: &Value| one.as_str().is_some_and(|one| one.to_lowercase().contains(&whom.to_lowercase()));
        for planned in &mut plan.actions {
            let entry = brain.services.command(&planned.service, &planned.command);
            let passes_on = entry.is_some_and(|entry| entry.writes() && entry.passes_values_on());
            let Some(Value::Array(to)) = planned.params.get_mut(TO).filter(|_| passes_on) else { continue };
            if !to.is_empty() && !to.iter().any(has) {
                to.push(whom.as_str().into());
                added.push(whom.clone());
            }
        }
    }
    added
}

/// Whether a plan does what these words say: what they do, with whom they do it, and in which service.
fn is_about(brain: &Brain, facts: &TurnFacts, what: &str, planned: &PlannedAction, action: &Action) -> bool {
    let meant = show::meant(&brain.services, std::slice::from_ref(planned));
    let values =
        Value::Object(planned.params.iter().chain(&action.params).map(|(k, v)| (k.clone(), v.clone())).collect());
    let label = action.target.as_ref().map(|target| target.label.as_str()).unwrap_or_default();
    let said = words(&visible(&format!("{meant} {values} {label}")));
    let names = what.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).flat_map(words);
    let names: Vec<String> = names.collect();
    let verb = what.split_whitespace().next().unwrap_or_default();
    if let Some(kind) = record::kind_of(verb) {
        return record::is_of_kind(&meant, kind) && names.iter().all(|name| said.contains(name));
    }
    let reference = facts.reference();
    let guess = routing::route(&ParseInput::new(what, &reference, BUILDERS));
    guess.domains.contains(&planned.service) && names.iter().all(|name| said.contains(name))
}
