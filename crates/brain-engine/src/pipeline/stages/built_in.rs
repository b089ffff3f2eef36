//! The plan of built-in understanding: without a model, where its endpoint does not answer, and at once where the model
//! is slow and nothing is in doubt.

use super::doubts::Doubt;
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::topic;
use crate::pipeline::stages::topic::{Depending, Planned, REPHRASE, TOO_MUCH, Topic, proposed};
use crate::pipeline::stages::{grounding, guessed};
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::plan::Plan;
use brain_core::ports::Usage;
use brain_core::ports::records::Clarification;
use brain_language::language::requests::Understood;
use brain_services::services::across::condition::CheckedFirst;
use brain_services::services::planning::plan_grounding::Planner;

/// The plan of a request of its own, where neither what it is about nor any word of it is in doubt.
pub(super) fn sure(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>) -> Option<Plan> {
    if !topic.is_new() || !turn.facts.origin().is_own_words() || !guessed::guess(turn.brain, &turn.facts).is_sure() {
        return None;
    }
    let started = turn.account.elapsed_us();
    let understood = turn.facts.understood(domains);
    let in_short = understood.in_short();
    let Understood::Plan { plan, condition: None, .. } = understood else { return None };
    turn.account.traced("plan", started, turn.facts.words().len(), Usage::default(), in_short);
    Some(plan)
}

/// The plan of a request that is read exactly: a model would be asked for nothing but the same. What follows from the
/// message as a whole a small model is not asked about either: what it says would be no reason to doubt it.
pub(super) fn exact(brain: &Brain, facts: &TurnFacts) -> Option<Plan> {
    let is_skipped = brain.policy.skip_planner && brain.model.is_some();
    if !is_skipped || !facts.origin().is_own_words() || facts.replied.is_some() {
        return None;
    }
    let Understood::Plan { plan, condition: None, account } = facts.understood(&[]) else { return None };
    grounding::is_exact(brain, facts, &plan, &account).then_some(plan)
}

/// What a new request looks up, where a model's plan was of no use. What changes something is asked for again.
pub(super) fn next_best(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>) -> Option<Planned> {
    let planned = plan(turn, domains, topic, None);
    let services = turn.brain.services.now();
    let is_look = matches!(&planned, Planned::Plan { plan, .. } if services.only_look(&plan.actions));
    (topic.is_new() && is_look).then_some(planned)
}

/// Plans within `domains`; `remark` says why no model did.
pub(super) fn plan(turn: &Turn<'_>, domains: &[String], topic: &Topic<'_>, remark: Option<&'static str>) -> Planned {
    if topic.round.is_some() {
        return proposed(Plan::default(), remark, Planner::BuiltIn);
    }
    if let Some(amended) = topic.amends {
        return match amended.changed(&turn.facts) {
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
        Understood::Partly { plan, unread, .. } => {
            let of = (turn.brain, &turn.facts);
            let is_offered = grounding::may_be_offered(of, domains, &plan, &unread);
            doubt(if is_offered {
                Doubt::partly(of.0, of.1, domains, plan, &unread)
            } else {
                Doubt::nothing(of.0, of.1)
            })
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
