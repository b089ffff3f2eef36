//! A plan of a turn, under judgement.

use std::sync::Arc;

use crate::pipeline::brain::Brain;
use crate::pipeline::stages::{guessed, omissions};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::text::{shorten, visible};
use brain_core::limits;
use brain_language::language::grounding::Ground;
use brain_language::language::reading::Mood;
use brain_language::language::requests::{PartAccount, Residue};
use brain_services::services::catalog::registry::Services;
use brain_services::services::planning::plan_grounding::{
    ConditionState, Judge, PlanGrounding, PlanReview, Planner, TurnPart, leaves_nothing,
};

/// Whether code's own plan of a message needs no model beside it: it is read exactly, or, where the model is small, it
/// follows from the message as a whole.
pub(in crate::pipeline::stages) fn is_exact(
    brain: &Brain,
    facts: &TurnFacts,
    plan: &Plan,
    account: &PartAccount,
) -> bool {
    let guess = guessed::guess(brain, facts);
    if brain.is_small() {
        let is_about = |planned: &PlannedAction| guess.domains.contains(&planned.service);
        let follows = worst(brain, facts, &guess.domains, plan) == Some(PlanGrounding::Exact);
        return follows && leaves_nothing(account) && plan.actions.iter().all(is_about);
    }
    let services = brain.services.now();
    let entry = |planned: &PlannedAction| services.command(&planned.service, &planned.command);
    let actions: Option<Vec<_>> = plan.actions.iter().map(|planned| Some((entry(planned)?, planned.clone()))).collect();
    by_code(facts, |judge| actions.is_some_and(|actions| judge.is_read_exactly(&actions, account, &guess)))
}

/// Whether code's own plan of a part of a message may be offered: nothing in it was plainly read wrongly. What turns the
/// rest around is told whatever the plan.
pub(in crate::pipeline::stages) fn may_be_offered(
    (brain, facts): (&Brain, &TurnFacts),
    domains: &[String],
    plan: &Plan,
    unread: &[Residue],
) -> bool {
    unread.iter().any(|part| part.class.turns_around())
        || matches!(worst(brain, facts, domains, plan), Some(PlanGrounding::Exact | PlanGrounding::Told))
}

/// How the action of code's own plan stands that stands worst; `None` for one that lacks something, or everything.
fn worst(brain: &Brain, facts: &TurnFacts, domains: &[String], plan: &Plan) -> Option<PlanGrounding> {
    let services = brain.services.now();
    by_code(facts, |judge| {
        let whole = PlanReview { judge, services: &services, domains };
        whole.standings(&mut plan.actions.clone()).ok()?.into_iter().max()
    })
}

/// What holds code's own plan of a message against its words.
fn by_code<T>(facts: &TurnFacts, judged: impl FnOnce(&Judge<'_>) -> T) -> T {
    let reference = facts.reference();
    let ground = Ground::of(facts.reading(), &[], &[], &[], &reference);
    judged(&Judge {
        ground: &ground,
        reference: &reference,
        people: &[],
        planner: Planner::BuiltIn,
        part: TurnPart::Message,
        conditions: ConditionState::Open,
    })
}

/// A plan of a turn, under judgement.
#[derive(Debug)]
pub(super) struct Judging<'a> {
    pub brain: &'a Brain,
    pub facts: &'a TurnFacts,
    pub judge: Judge<'a>,
    pub services: Arc<Services>,
    /// The services that were routed.
    pub domains: &'a [String],
}

impl Judging<'_> {
    pub fn whole(&self) -> PlanReview<'_> {
        PlanReview { judge: &self.judge, services: &self.services, domains: self.domains }
    }

    /// How each action stands, once what has no ground is taken out of it; the place and the parameter of what is
    /// missing. `is_order`: what the model that chose the commands takes the words for, where one did.
    pub fn standings(&self, plan: &mut Plan, is_order: Option<bool>) -> Result<Vec<PlanGrounding>, (usize, String)> {
        let whole = self.whole();
        let mut standings = whole.standings(&mut plan.actions)?;
        // What only one of two readers takes for an order is proposed.
        if let Some(is_order) = is_order.filter(|_| self.judge.planner == Planner::Model) {
            let heard = (&guessed::guess(self.brain, self.facts), self.facts.intents(), is_order);
            whole.doubt(&mut standings, &plan.actions, heard);
        }
        // What was found may bring a planner to act; the person has to have asked for more than that look.
        if self.judge.part == TurnPart::LaterRound && self.only_looks() {
            whole.propose(&mut standings, &plan.actions, |_| true);
        }
        Ok(standings)
    }

    /// Whether each value of a plan is words of the message, and the plan carries all of those.
    pub fn is_carried(&self, plan: &Plan) -> bool {
        let follows =
            |standings: &Vec<PlanGrounding>| standings.iter().all(|standing| *standing == PlanGrounding::Exact);
        self.whole().standings(&mut plan.actions.clone()).as_ref().is_ok_and(follows)
            && plan.actions.iter().any(|planned| self.services.fits(planned))
            && self.whole().are_as_said(&plan.actions)
            && self.is_all(plan)
    }

    /// Whether a plan that lacks something is about what the message as a whole seems to be about, and carries the rest.
    pub fn may_ask(&self, plan: &Plan) -> bool {
        plan.actions.iter().all(|planned| self.facts.guess().domains == [planned.service.clone()]) && self.is_all(plan)
    }

    fn is_all(&self, plan: &Plan) -> bool {
        omissions::left_out(self.facts, &plan.actions, &[]).is_empty()
    }

    /// Whether all that the person asks for is plainly looked up.
    fn only_looks(&self) -> bool {
        let (reading, intents) = (self.facts.reading(), self.facts.intents());
        let may_act = |mood: Mood| mood.is_request() || mood == Mood::Condition;
        let clauses = reading.clauses.iter().filter(|clause| may_act(clause.mood));
        intents.only_look() && clauses.map(|clause| &clause.span).all(|span| intents.ask_within(span))
    }

    /// What code is sure of, where a model's plan is of other commands.
    pub fn other_reading(&self, plan: &Plan) -> Option<Plan> {
        self.whole().other_reading(&plan.actions, self.facts.understood(&[]), &guessed::guess(self.brain, self.facts))
    }

    /// What is reported beside a request that built-in understanding planned, and nothing was made of: it may have been
    /// meant as something to do, too.
    pub fn told_beside(&self, plan: &Plan) -> Option<String> {
        let reading = self.facts.reading();
        let asks = reading.clauses.iter().any(|clause| clause.mood.is_request());
        if self.judge.planner == Planner::Model || !asks {
            return None;
        }
        let values: Vec<String> =
            self.services.values(&plan.actions).iter().map(|value| value.to_lowercase()).collect();
        let reports = reading.clauses.iter().filter(|clause| clause.mood == Mood::Report);
        let told: Vec<String> = reports
            .map(|clause| reading.words(clause).trim_end_matches([',', '.', ';', '!']))
            .filter(|words| !values.iter().any(|value| words.to_lowercase().contains(value)))
            .map(|words| format!("“{}”", visible(&shorten(words, limits::ROW_CHARS_MAX))))
            .collect();
        (!told.is_empty()).then(|| format!("I took {} as a remark.", told.join(" and ")))
    }

    pub fn is_low_write(&self, planned: &PlannedAction) -> bool {
        self.whole().is_low_write(planned)
    }
}
