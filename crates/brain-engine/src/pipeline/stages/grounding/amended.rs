//! Grounding of a change: the plan of a model that makes again what waits for a yes, or a draft.
//!
//! ```text
//! planned ─► again what was settled: what differs and was not said is as it was
//!        └─► beside it: done where this message plainly asks for it, else left out and told
//! ```
//!
//! Invariants: words that change one thing let a model do no other; nothing counts as said for having been said before,
//! save where the message points at somebody. Not here: changes that code reads by itself, which are what was said.

use super::{Doubt, Grounded, only};
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::topic::Amended;
use crate::pipeline::stages::{guessed, known, resolve};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::ports::records::Speaker;
use brain_language::language::grounding::Ground;
use brain_services::services::contract::entry::Entry;
use brain_services::services::planning::plan_grounding::{
    ConditionState, Judge, PlanGrounding, Planner, SettledAction, TurnPart, Unsaid, planned_again,
};

/// Said where a planner named somebody else than the person did.
const PEOPLE_STAY: &str = "Who it goes to stays as it was, as you named nobody else.";
/// What a command is found by.
const FIND_BY: &str = "find_by";

/// A change under judgement.
struct Changing<'a> {
    brain: &'a Brain,
    facts: &'a TurnFacts,
    domains: &'a [String],
    /// Against this message alone.
    judge: Judge<'a>,
    /// This message, and the values that were settled.
    with_values: &'a Ground<'a>,
}

/// Holds the plan of a model against the words of this message.
pub(super) async fn check(
    brain: &Brain,
    facts: &TurnFacts,
    amended: &Amended<'_>,
    domains: &[String],
    mut plan: Plan,
) -> Grounded {
    let (services, reference) = (brain.services.now(), facts.reference());
    let (settled, shown) = (&amended.actions, amended.shown());
    let people = known::meant(brain, facts, &plan.actions, &facts.own_words()).await.unwrap_or_default();
    let values = [services.values(settled), services.values(&shown)].concat();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let earlier = meant_somebody(facts);
    let ground = Ground::of(facts.reading(), &[], &earlier, &[], &reference);
    let with_values = Ground::of(facts.reading(), &values, &earlier, &[], &reference);
    let judge = Judge {
        ground: &ground,
        reference: &reference,
        people: &people,
        planner: Planner::Model,
        part: TurnPart::Message,
        conditions: ConditionState::Open,
    };
    let changing = Changing { brain, facts, domains, judge, with_values: &with_values };
    let again = planned_again(&shown, &plan.actions);
    let replaces_all = again.iter().all(Option::is_none);
    let mut remarks = Vec::new();
    let mut kept = Vec::with_capacity(plan.actions.len());
    for (planned, on) in plan.actions.iter_mut().zip(again) {
        let Some(entry) = services.command(&planned.service, &planned.command) else {
            // The gate refuses it, and says so.
            kept.push(true);
            continue;
        };
        let before = on.and_then(|on| Some((settled.get(on)?, shown.get(on)?)));
        let is_kept = match before {
            Some((action, shown)) => {
                let about = changing.about(entry.as_ref(), planned).await;
                let settled = SettledAction { action, shown, with_values: &with_values };
                if changing.judge.changed(entry.as_ref(), &settled, &about, planned) == Unsaid::People {
                    remarks.push(PEOPLE_STAY.to_owned());
                }
                true
            }
            None => {
                let is_other = |settled: &PlannedAction| settled.service != planned.service;
                let may_be_guessed = replaces_all || settled.iter().all(is_other);
                changing.is_asked_for(entry.as_ref(), planned, may_be_guessed).await
            }
        };
        if !is_kept {
            remarks.push(format!("I left one thing out, because you didn't ask for it: {}.", entry.summary()));
        }
        kept.push(is_kept);
    }
    let plan = only(plan, &kept);
    if plan.actions.is_empty() {
        return Grounded::Doubt(Box::new(Doubt { words: remarks.join("\n"), ..Doubt::default() }));
    }
    Grounded::Plan { plan, remarks }
}

/// What a message may mean that points at somebody: what was said before, and what is in sight.
fn meant_somebody(facts: &TurnFacts) -> Vec<&str> {
    if !Ground::points_at_somebody(facts.words()) {
        return Vec::new();
    }
    let shown = facts.history.iter().rev().take(super::IN_SIGHT_MAX);
    let shown = shown.filter(|message| message.speaker == Speaker::Assistant).map(|message| message.text.as_str());
    facts.conversation().own_words().chain(shown).collect()
}

impl Changing<'_> {
    /// The label of what an action is about now; nothing, where it finds none or several.
    async fn about(&self, entry: &dyn Entry, planned: &PlannedAction) -> String {
        if !planned.params.contains_key(FIND_BY) {
            return String::new();
        }
        let settled = resolve::settle(self.facts, entry, planned, self.judge.people).await;
        settled.ok().and_then(|settled| settled.action.target).map(|target| target.label).unwrap_or_default()
    }

    /// Whether this message asks for what stands beside the change: for its command in plain words, and for what it is
    /// about. `may_be_guessed`: it is enough that the words are about its service, and about no other command.
    async fn is_asked_for(&self, entry: &dyn Entry, planned: &mut PlannedAction, may_be_guessed: bool) -> bool {
        // The gate refuses it, and says so. What only looks changes nothing.
        if !self.domains.contains(&planned.service) || !entry.writes() {
            return true;
        }
        let (service, command, intents) = (&planned.service, &planned.command, self.facts.intents());
        let is_guessed = || {
            let guess = guessed::guess(self.brain, self.facts);
            guess.domains.contains(service) && !intents.ask_otherwise(service, command)
        };
        let is_plain = !intents.only_look() && !intents.ask_otherwise(service, command);
        if !(is_plain || may_be_guessed && is_guessed()) {
            return false;
        }
        if let Some(words) = planned.params.get(FIND_BY).and_then(serde_json::Value::as_str) {
            let about = self.about(entry, planned).await;
            if !self.judge.ground.shares_a_word(words) && !self.judge.ground.shares_a_word(&about) {
                return false;
            }
        }
        let beside = Judge { ground: self.with_values, ..self.judge };
        beside.action(entry, planned) == Ok(PlanGrounding::Exact)
    }
}
