//! The plan of built-in understanding: without a model, where its endpoint does not answer, and at once where the model
//! is slow and nothing is in doubt.

use super::doubts::Doubt;
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::guessed;
use crate::pipeline::stages::topic;
use crate::pipeline::stages::topic::{Depending, Planned, REPHRASE, TOO_MUCH, Topic, proposed};
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::ports::Usage;
use brain_core::ports::records::Clarification;
use brain_language::language::grounding::Ground;
use brain_language::language::requests::Understood;
use brain_language::language::time::Reference;
use brain_services::services::amendment;
use brain_services::services::condition::CheckedFirst;
use brain_services::services::standing::{
    ConditionState, Judge, PlanStanding, Planner, TurnPart, Whole, leaves_nothing,
};

/// The plan of a request of its own, where neither what it is about nor any word of it is in doubt.
pub(super) fn sure(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>) -> Option<Plan> {
    let stands_alone = topic.round.is_none() && topic.amends.is_none() && topic.answers.is_none();
    if !stands_alone || !turn.facts.origin().is_own_words() || !guessed::guess(turn.brain, &turn.facts).is_sure() {
        return None;
    }
    let started = turn.account.elapsed_us();
    let understood = turn.facts.understood(domains);
    let in_short = understood.in_short();
    let Understood::Plan { plan, condition: None, .. } = understood else { return None };
    turn.account.traced("plan", started, turn.facts.words().len(), Usage::default(), in_short);
    Some(plan)
}

/// The plan of a request that is read exactly: a model would be asked for nothing but the same.
pub(super) fn exact(brain: &Brain, facts: &TurnFacts) -> Option<Plan> {
    let is_skipped = brain.policy.skip_planner && brain.model.is_some();
    if !is_skipped || !facts.origin().is_own_words() || facts.replied.is_some() {
        return None;
    }
    let Understood::Plan { plan, condition: None, account } = facts.understood(&[]) else { return None };
    let entry = |planned: &PlannedAction| brain.services.command(&planned.service, &planned.command);
    let actions: Option<Vec<_>> = plan.actions.iter().map(|planned| Some((entry(planned)?, planned.clone()))).collect();
    let reference = facts.reference();
    let ground = Ground::of(facts.reading(), &[], &[], &[], &reference);
    judge(&ground, &reference).is_read_exactly(&actions?, &account, &guessed::guess(brain, facts)).then_some(plan)
}

/// The plan of a request that follows from the message as a whole: what a small model says is no reason to doubt it.
pub(super) fn stands(brain: &Brain, facts: &TurnFacts, domains: &[String]) -> Option<Plan> {
    if !brain.is_small() || !facts.origin().is_own_words() || facts.replied.is_some() {
        return None;
    }
    let Understood::Plan { plan, condition: None, account } = facts.understood(domains) else { return None };
    let guess = guessed::guess(brain, facts);
    let is_about = |planned: &PlannedAction| guess.domains.contains(&planned.service);
    let follows = worst(brain, facts, domains, &plan) == Some(PlanStanding::Exact) && leaves_nothing(&account);
    (follows && plan.actions.iter().all(is_about)).then_some(plan)
}

/// How the action of a plan stands that stands worst; `None` for one that lacks something, or everything.
fn worst(brain: &Brain, facts: &TurnFacts, domains: &[String], plan: &Plan) -> Option<PlanStanding> {
    let (services, reference) = (brain.services.now(), facts.reference());
    let ground = Ground::of(facts.reading(), &[], &[], &[], &reference);
    let whole = Whole { judge: &judge(&ground, &reference), services: &services, domains };
    whole.standings(&mut plan.actions.clone()).ok()?.into_iter().max()
}

/// What holds built-in understanding's own plan of a message against it.
fn judge<'a>(ground: &'a Ground<'a>, reference: &'a Reference) -> Judge<'a> {
    Judge {
        ground,
        reference,
        people: &[],
        planner: Planner::BuiltIn,
        part: TurnPart::Message,
        conditions: ConditionState::Open,
    }
}

/// What a new request looks up, where a model's plan was of no use. What changes something is asked for again.
pub(super) fn next_best(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>) -> Option<Planned> {
    let stands_alone = topic.round.is_none() && topic.amends.is_none() && topic.answers.is_none();
    let planned = plan(turn, domains, topic, None);
    let services = turn.brain.services.now();
    let is_look = matches!(&planned, Planned::Plan { plan, .. } if services.only_look(&plan.actions));
    (stands_alone && is_look).then_some(planned)
}

/// Plans within `domains`; `remark` says why no model did.
pub(super) fn plan(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>, remark: Option<&'static str>) -> Planned {
    if topic.round.is_some() {
        return proposed(Plan::default(), remark, Planner::BuiltIn);
    }
    if let Some(amended) = topic.amends {
        return match amendment::amend(&amended.actions, turn.facts.words(), &turn.facts.reference()) {
            Some(actions) => proposed(Plan { actions, ..Plan::default() }, remark, Planner::BuiltIn),
            None => Planned::NotUnderstood(REPHRASE.to_owned()),
        };
    }
    let started = turn.account.elapsed_us();
    if let Some(depending) = checked_first(&turn.facts, domains, remark) {
        turn.account.traced("plan", started, turn.facts.words().len(), Usage::default(), "a look first");
        return Planned::Depends(Box::new(depending));
    }
    let understood = turn.facts.understood(domains);
    turn.account.traced("plan", started, turn.facts.words().len(), Usage::default(), understood.in_short());
    let doubt = |doubt| Planned::Doubt(Box::new(Doubt { remark, ..doubt }));
    match understood {
        Understood::Plan { plan, condition: None, .. } => proposed(plan, remark, Planner::BuiltIn),
        Understood::Plan { plan, condition: Some(condition), .. } => {
            Planned::Depends(Box::new(Depending { plan, condition, remark, planner: Planner::BuiltIn }))
        }
        // A part that was read wrongly is not offered without the rest.
        Understood::Partly { plan, .. }
            if !matches!(
                worst(turn.brain, &turn.facts, domains, &plan),
                Some(PlanStanding::Exact | PlanStanding::Told)
            ) =>
        {
            doubt(Doubt::nothing(turn.brain, &turn.facts))
        }
        Understood::Partly { plan, unread, .. } => {
            doubt(Doubt::partly(turn.brain, &turn.facts, domains, plan, &unread))
        }
        Understood::Which { readings } => doubt(Doubt::which(turn.brain, readings)),
        Understood::Ask { question, partial, param } => Planned::Ask(Box::new(Clarification {
            partial: Some((partial, param)),
            ..Clarification::asks(topic::request(&turn.facts, topic), question, domains, turn.facts.ctx.now)
        })),
        Understood::TooMuch => Planned::NotUnderstood(TOO_MUCH.to_owned()),
        Understood::NotUnderstood { .. } | Understood::SmallTalk => doubt(Doubt::nothing(turn.brain, &turn.facts)),
    }
}

/// What depends on a look that is asked for first. Where it needs a time and names none, it is at that of the look.
fn checked_first(facts: &TurnFacts, domains: &[String], remark: Option<&'static str>) -> Option<Depending> {
    let reference = facts.reference();
    let CheckedFirst { condition, rest, when } = CheckedFirst::find(facts.words(), &reference)?;
    let understood = facts.understood_as(&rest, domains);
    let understood = match when.filter(|_| matches!(understood, Understood::Ask { .. })) {
        Some(when) => facts.understood_as(&format!("{rest} {when}"), domains),
        None => understood,
    };
    let Understood::Plan { plan, condition: None, .. } = understood else { return None };
    Some(Depending { plan, condition, remark, planner: Planner::BuiltIn })
}
