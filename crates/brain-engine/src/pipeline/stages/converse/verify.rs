//! Verification: the plan of a capable model beside what was said and what is in sight, before the gate.
//!
//! Invariants: a write outside the routed services, and one of which code cannot read all that matters, runs only with a
//! tap on exactly it; what a card would show in full goes on to its card; what was looked up in this turn brings nothing
//! to be done that was not asked for before it was seen. Not here: how a value stands (`services::plan_grounding`).

use std::collections::BTreeMap;

use crate::pipeline::brain::Brain;
use crate::pipeline::stages::context::Context;
use crate::pipeline::stages::grounding::only;
use crate::pipeline::stages::progressing::Progressing;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Params, Plan, PlannedAction};
use brain_core::core::provenance::untainted;
use brain_core::core::sight::Sight;
use brain_core::core::text::{one_line, quoted};
use brain_core::limits;
use brain_language::language::grounding::ValueKind;
use brain_services::services::contract::show::Moment;
use brain_services::services::helpers::address_book::Person;
use brain_services::services::planning::plan_grounding::{PlanGrounding, Verified, Verifier, is_low_write};
use brain_services::services::planning::values::typed_values;

/// What a plan is held against.
pub(super) struct Verifying<'a> {
    pub brain: &'a Brain,
    pub facts: &'a TurnFacts,
    pub context: &'a Context,
    pub so_far: &'a Progressing,
    pub people: &'a [Person],
    /// What was shown in full and offered, where the person's words begin with a yes.
    pub agreed: &'a [PlannedAction],
    /// From 0.
    pub round: usize,
}

/// A plan that was held.
pub(super) struct CheckedPlan {
    /// It goes on to the gate.
    pub plan: Plan,
    /// It is done with one tap.
    pub offers: Vec<PlannedAction>,
    /// For the person.
    pub remarks: Vec<String>,
}

impl Verifying<'_> {
    /// Divides a plan; `domains`: the services that the message was routed to.
    pub fn held(&self, mut plan: Plan, domains: &[String]) -> CheckedPlan {
        let facts = self.facts;
        if !self.brain.policy.grounds_plans {
            return CheckedPlan { plan, offers: Vec::new(), remarks: Vec::new() };
        }
        let (sight, reference) = (facts.sight(&self.brain.services), facts.reference());
        let (conversation, data) = (facts.conversation(), sight.data(limits::PLAN_HISTORY_TOKENS));
        let seen: Vec<String> = [data.history, data.shown, self.so_far.results.facts.clone()].concat();
        let known = self.context.items.iter().map(|item| item.line.as_str());
        let passed_on = facts.incoming.passed_on().map(|part| part.text.as_str());
        let verifier = Verifier {
            reading: facts.reading(),
            own: conversation.own_words().chain([facts.if_own(facts.words())]).collect(),
            shown: seen.iter().map(String::as_str).chain(known).chain(passed_on).collect(),
            times: times_in_hand(&sight, facts.ctx.zone),
            rules: self.rules_in_hand(&sight),
            in_hand: in_hand(&sight),
            items: self.items(&sight),
            people: self.people,
            reference: &reference,
        };
        let mut remarks = Vec::new();
        let mut runs: Vec<bool> = Vec::with_capacity(plan.actions.len());
        for planned in &mut plan.actions {
            let Some(entry) = self.brain.services.command(&planned.service, &planned.command) else {
                // The gate refuses it, and says so.
                runs.push(true);
                continue;
            };
            let is_agreed = self.agreed.iter().any(|offered| offered.asks_the_same_as(planned));
            let Verified { standing, unsaid } = verifier.action(entry.as_ref(), planned);
            let unsaid = unsaid.iter().map(|value| quoted(value, limits::SIGHT_LABEL_CHARS));
            remarks.extend(unsaid.map(|value| format!("I left out {value}: you didn't say that.")));
            let is_routed = domains.contains(&planned.service);
            let is_low = is_low_write(entry.as_ref(), planned);
            let is_sure = is_agreed || standing == PlanGrounding::Exact && !self.follows_a_look();
            let waits_for_offer = planned.depends_on.iter().any(|on| runs.get(*on) == Some(&false));
            runs.push(!entry.writes() || (is_routed && (is_sure || !is_low) && !waits_for_offer));
        }
        let offered: Vec<bool> = runs.iter().map(|runs| !runs).collect();
        let offers = only(Plan { actions: plan.actions.clone(), ..Plan::default() }, &offered).actions;
        CheckedPlan { plan: only(plan, &runs), offers, remarks }
    }

    /// Whether others' words were looked up in this turn for a message that only asks for a look: they may have brought
    /// the model to act.
    fn follows_a_look(&self) -> bool {
        let facts = self.facts;
        let asks = facts.reading().clauses.iter().any(|clause| clause.mood.is_request());
        self.round > 0 && !self.so_far.answer.untrusted.is_empty() && (facts.intents().only_look() || !asks)
    }

    /// How what is in hand or waits repeats.
    fn rules_in_hand(&self, sight: &Sight<'_>) -> Vec<String> {
        let rules = params_in_hand(sight).flat_map(|(service, command, params)| {
            let entry = self.brain.services.command(service, command);
            let values = entry.and_then(|entry| {
                let params = entry.check(params.clone()).ok()?;
                Some(typed_values(entry.as_ref(), &params))
            });
            values.unwrap_or_default()
        });
        rules.filter(|value| value.kind == ValueKind::Repetition).map(|value| value.text).collect()
    }

    /// Names of all things that the model was shown, by their ids.
    fn items<'s>(&'s self, sight: &Sight<'s>) -> BTreeMap<&'s str, &'s str> {
        let known = self.context.items.iter().filter_map(|item| Some((item.id.as_deref()?, item.line.as_str())));
        known.chain(in_hand(sight)).collect()
    }
}

/// Things that a message may point at without naming them.
fn in_hand<'s>(sight: &Sight<'s>) -> BTreeMap<&'s str, &'s str> {
    let (hand, replied) = (&sight.in_hand, sight.in_hand.replied.as_ref());
    let past = hand.touched.iter().copied().chain(hand.listed).chain(replied.iter().flat_map(|replied| replied.about));
    let items = past.flat_map(|past| past.item.iter().chain(&past.rows));
    items.map(|item| (item.id.as_str(), item.label.as_str())).filter(|(id, _)| !id.is_empty()).collect()
}

/// Times of what is in hand or waits, as words that are read.
fn times_in_hand(sight: &Sight<'_>, zone: chrono_tz::Tz) -> Vec<String> {
    let texts = params_in_hand(sight).flat_map(|(_, _, params)| untainted(params, &[], &[]));
    let local = texts.filter_map(|text| {
        let at = Moment::read(&one_line(&text), zone)?.start(zone);
        Some(at.format("%Y-%m-%d %H:%M").to_string())
    });
    local.collect()
}

/// Service, command and parameters of what is in hand or waits.
fn params_in_hand<'s>(sight: &'s Sight<'_>) -> impl Iterator<Item = (&'s str, &'s str, &'s Params)> {
    let touched = sight.in_hand.touched.iter().map(|past| (&*past.service, &*past.command, &past.params));
    let waiting = sight.cards.iter().flat_map(|card| &card.actions);
    touched.chain(waiting.map(|planned| (&*planned.service, &*planned.command, &planned.params)))
}
