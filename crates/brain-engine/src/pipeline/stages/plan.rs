//! Plan: from a routed message to proposed actions, or to one clarifying question.
//!
//! With a model the plan is its proposal; without one, or when its endpoint does not answer, built-in understanding
//! plans (and the person is told); it also plans, at once, what it reads exactly, and what it is sure of while the model is
//! known to be slow. An answer that stays unusable after one re-ask plans nothing: the person is asked to rephrase.

use minijinja::context;

use super::answers::completed;
use super::ask::{self, AnswerChecks, Typed};
use super::called;
use super::condition;
use super::context::Context;
use super::phrasing::Internals;
use super::refine::Refining;
use super::select::SelectionScope;
use super::topic::{Planned, REPHRASE, Topic, Unanswered, earlier, proposed};
use super::{build_params, built_in, without_model};
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::status;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::plan::Plan;
use brain_core::core::text::head_and_tail;
use brain_core::core::turn::Along;
use brain_core::limits;
use brain_core::ports::{Model, Stage, Usage};
use brain_core::prompts::Fixed;
use brain_services::services::catalog::registry::CatalogExtent;
use brain_services::services::planning::plan_grounding::Planner;

/// Plans within `domains`.
pub async fn make(turn: &Turn<'_>, domains: &[String], context: &Context, topic: &Topic<'_>) -> Planned {
    let mut planned = planned(turn, domains, context, topic).await;
    if let Some(pointed) = turn.facts.pointed_at() {
        match &mut planned {
            Planned::Plan { plan, .. } => {
                plan.actions.iter_mut().for_each(|action| pointed.name_in(&mut action.params))
            }
            Planned::Ask(question) => {
                question.partial.iter_mut().for_each(|(partial, _)| pointed.name_in(&mut partial.params));
            }
            Planned::Depends(_) | Planned::NotUnderstood(_) | Planned::Doubt(_) => {}
        }
    }
    planned
}

async fn planned(turn: &Turn<'_>, domains: &[String], context: &Context, topic: &Topic<'_>) -> Planned {
    turn.account.doing(status::planning(&turn.brain.services.now(), domains));
    if let Some(plan) = completed(&turn.facts, topic) {
        return by_built_in(plan);
    }
    let Some(model) = turn.brain.model.as_deref() else {
        return built_in::plan(turn, domains, topic, None);
    };
    let unusable =
        || built_in::next_best(turn, domains, topic).unwrap_or_else(|| Planned::NotUnderstood(REPHRASE.to_owned()));
    match topic.unanswered {
        Some(Unanswered::Unusable) => return unusable(),
        Some(Unanswered::Failed(error)) => {
            return built_in::plan(turn, domains, topic, Some(without_model::remark(error)));
        }
        None => {}
    }
    let is_new = topic.is_new();
    if let Some(plan) = built_in::exact(turn.brain, &turn.facts).filter(|_| is_new) {
        turn.account.traced(
            "plan",
            turn.account.elapsed_us(),
            turn.facts.words().len(),
            Usage::default(),
            "read exactly",
        );
        return by_built_in(plan);
    }
    if let Some(plan) = turn.asked_before().plan().filter(|_| is_new) {
        turn.asked_before().note("plan");
        return proposed(plan, None, Planner::Model);
    }
    // What is said of a draft exactly is done to it exactly.
    let redrafts = topic.amends.filter(|amended| amended.card.is_none());
    if let Some(actions) = redrafts.and_then(|amended| amended.changed(&turn.facts)) {
        return by_built_in(Plan { actions, ..Plan::default() });
    }
    if model.is_slow(Stage::Plan)
        && let Some(plan) = built_in::sure(turn, domains, topic)
    {
        return by_built_in(plan);
    }
    // An order for which there is no command: what there is to say is said without asking once more.
    if is_new && topic.selection.is_some_and(|selection| selection.commands.is_empty()) {
        return built_in::plan(turn, domains, topic, None);
    }
    let (stage, planned) = match build_params::commands(turn.brain, &turn.facts, topic) {
        Some(commands) => {
            (Stage::BuildParams, Box::pin(build_params::plan(turn, model, &commands, context, topic)).await)
        }
        None => {
            let services = turn.brain.plannable(turn.facts.owner());
            let is_held = services.extent(domains) == CatalogExtent::Schemas;
            // What one call cannot hold is refined again.
            match topic.round.filter(|_| !is_held) {
                Some((_, still)) => {
                    let offer = SelectionScope::of(&turn.facts, domains.to_vec());
                    let refining = Refining { turn, model, services, offer: &offer, still: Some(still) };
                    match Box::pin(refining.further(topic.depth)).await {
                        Typed::Answer(commands) => (
                            Stage::BuildParams,
                            Box::pin(build_params::plan(turn, model, &commands, context, topic)).await,
                        ),
                        Typed::Unusable(why) => (Stage::SelectServices, Typed::Unusable(why)),
                        Typed::Failed(error) => (Stage::SelectServices, Typed::Failed(error)),
                    }
                }
                None => (Stage::Plan, Box::pin(by_model(turn, model, domains, context, topic)).await),
            }
        }
    };
    match planned {
        Typed::Answer(mut plan) => {
            let known = context.items.iter().filter_map(|item| Some((item.id.as_deref()?, item.line.as_str())));
            let internals = Internals::of(turn.brain, &turn.facts).with(known);
            for words in plan.question.iter_mut().chain(&mut plan.open) {
                *words = internals.worded(words);
            }
            for planned in &mut plan.actions {
                if let Some(entry) = turn.brain.services.command(&planned.service, &planned.command) {
                    build_params::mend(context, entry.as_ref(), &turn.facts, &mut planned.params);
                }
            }
            condition::of_model(turn.brain, &turn.facts, topic, domains, plan)
        }
        Typed::Unusable(why) => {
            turn.account.fell_back(stage.name(), &why);
            unusable()
        }
        Typed::Failed(error) => {
            turn.account.fell_back(stage.name(), &error.to_string());
            built_in::plan(turn, domains, topic, Some(without_model::remark(&error)))
        }
    }
}

async fn by_model(
    turn: &Turn<'_>,
    model: &dyn Model,
    domains: &[String],
    known: &Context,
    topic: &Topic<'_>,
) -> Typed<Plan> {
    let schema = turn.brain.services.now().plan_schema(domains);
    let missing = known.missing.join(", ");
    let (written, whole) = (schema.notation(), schema.as_str());
    let values = || context! { commands => written, schema => whole, actions_max => limits::PLAN_ACTIONS_MAX };
    let fixed = Fixed { of: Some(schema.number()), values };
    let (results, still) = topic.round.unwrap_or((&[], ""));
    let results = turn.brain.policy.of_rounds(results);
    let card = topic.amends.and_then(|amended| amended.card).map(|card| &card.id);
    let sight = turn.facts.sight_beside(&turn.brain.services, topic.answers.is_some(), card);
    let sight = sight.data(turn.brain.policy.compression.tokens);
    let changing = |history: &[String], known: &[String]| {
        context! {
            history => ask::lines(history),
            sight => ask::lines(&sight.beside()),
            known => ask::lines(known),
            missing => missing.as_str(),
            earlier => earlier(topic),
            results => ask::lines(&results),
            still,
            manner => turn.facts.manner(),
            message => head_and_tail(turn.facts.words(), limits::MESSAGE_BYTES_MAX),
        }
    };
    let lines = known_lines(&turn.facts, known);
    let room = model.reads_tokens_max(Stage::Plan);
    match ask::prompt_within(turn.brain, Stage::Plan, fixed, room, (&sight.history, &lines), changing) {
        Ok(prompt) => {
            let services = turn.brain.services.now();
            let reading = AnswerChecks {
                misfit: &|plan| misfit(turn.brain, plan),
                called: &|calls| called::plan(&services, domains, calls),
            };
            ask::typed_fitting(turn.account, model, Stage::Plan, prompt, schema.clone(), 2_000, reading).await
        }
        Err(error) => Typed::Failed(error),
    }
}

/// The parameters that do not fit their commands.
pub(super) fn misfit(brain: &Brain, plan: &Plan) -> Option<String> {
    let misfits = plan.actions.iter().take(limits::PLAN_ACTIONS_MAX).enumerate().filter_map(|(index, planned)| {
        let entry = brain.services.command(&planned.service, &planned.command)?;
        let why = entry.check(planned.params.clone()).err()?.for_planner()?;
        Some(format!("actions[{index}].params.{why}"))
    });
    let misfits: Vec<String> = misfits.collect();
    (!misfits.is_empty()).then(|| misfits.join("; "))
}

/// What the context stage found, and what came along with the message itself.
pub(super) fn known_lines(facts: &TurnFacts, known: &Context) -> Vec<String> {
    let along = facts.incoming.passed_on().map(|part| {
        let source = part.along.as_ref().map(Along::label).unwrap_or_default();
        format!("passed on with the request ({source}): {}", head_and_tail(&part.text, limits::MESSAGE_BYTES_MAX))
    });
    known.items.iter().map(ToString::to_string).chain(along).collect()
}

/// What code read for itself while there is a model.
fn by_built_in(plan: Plan) -> Planned {
    proposed(plan, None, Planner::BuiltIn)
}
