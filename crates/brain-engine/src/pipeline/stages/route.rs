//! Route: what kind of message is this, and which services does it need?
//!
//! The router sees the person's own words only: the message and their last three. What the assistant said
//! appears as `service.command`, what it asked in the words of code, without values; forwarded and quoted text is left
//! out. Its domains bound the whole turn.

use minijinja::context;
use serde::Deserialize;

use super::ask::{self, Typed};
use super::built_in;
use super::guessed::{Route, has_tools, own_message, question};
use super::select;
use crate::pipeline::brain::Brain;
use crate::pipeline::turn::{Turn, TurnFacts};
use brain_core::core::plan::Plan;
use brain_core::ports::{Model, Planning, Stage, Usage};
use brain_core::prompts::Fixed;
use brain_language::language::routing::{Guess, Kind};
use brain_services::services::catalog::registry::{CatalogExtent, Services};

#[derive(Debug, Deserialize)]
struct Routed {
    r#type: String,
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    is_followup: bool,
}

/// Decides, by the model when there is one and built-in understanding is not sure already.
pub async fn decide(turn: &Turn<'_>, guess: &Guess) -> Route {
    if let Some(plan) = built_in::exact(turn.brain, &turn.facts) {
        turn.account.traced(
            "route",
            turn.account.elapsed_us(),
            turn.facts.words().len(),
            Usage::default(),
            "read exactly",
        );
        return to(plan);
    }
    if turn.brain.policy.skip_planner
        && turn.facts.state.clarification.is_none()
        && question(turn.brain, &turn.facts).is_some()
    {
        turn.account.traced(
            "route",
            turn.account.elapsed_us(),
            turn.facts.words().len(),
            Usage::default(),
            "read exactly",
        );
        return built_in(guess);
    }
    if let Some(plan) = turn.asked_before().plan() {
        turn.asked_before().note("route");
        return to(plan);
    }
    let services = turn.brain.plannable(turn.facts.owner());
    let is_whole = matches!(turn.brain.planning(), Planning::Whole | Planning::Conversation);
    let in_steps = !is_whole || services.extent(&services.names()) > CatalogExtent::Schemas;
    // Where commands are still to be chosen, a sure guess bounds the choice.
    let is_guessed = |model: &dyn Model| {
        needs_no_model(turn.brain, &turn.facts, model, guess) && !(in_steps && guess.kind == Kind::Action)
    };
    let Some(model) = turn.brain.model.as_deref().filter(|model| !is_guessed(*model)) else {
        let started = turn.account.elapsed_us();
        turn.account.traced("route", started, turn.facts.words().len(), Usage::default(), "built in");
        return built_in(guess);
    };
    let (stage, routed) = match in_steps {
        false => (Stage::Route, Box::pin(by_model(turn, model, guess)).await),
        true => (Stage::Select, Box::pin(select::route(turn, model, guess)).await),
    };
    let why = match routed {
        Typed::Answer(route) => return route,
        Typed::Unusable(why) => why,
        Typed::Failed(error) => error.to_string(),
    };
    turn.account.fell_back(stage.name(), &why);
    built_in(guess)
}

/// True where asking a model would cost a call and change nothing: see [`Guess::is_sure`]. A message
/// that may answer an open question of ours is never so sure, nor talk that may be for a tool.
pub(super) fn needs_no_model(brain: &Brain, facts: &TurnFacts, model: &dyn Model, guess: &Guess) -> bool {
    let is_skipped = brain.policy.skip_router || model.is_slow(Stage::Route);
    let may_be_more = guess.kind == Kind::Chat && has_tools(brain, facts);
    is_skipped && facts.state.clarification.is_none() && guess.is_sure() && !may_be_more
}

/// Where the actions of a plan are.
fn to(plan: Plan) -> Route {
    let mut domains: Vec<String> = plan.actions.into_iter().map(|action| action.service).collect();
    domains.sort();
    domains.dedup();
    Route { kind: Kind::Action, domains, selection: None }
}

fn built_in(guess: &Guess) -> Route {
    Route { kind: guess.kind, domains: guess.domains.clone(), selection: None }
}

/// By a model that names services.
pub(super) async fn by_model(turn: &Turn<'_>, model: &dyn Model, guess: &Guess) -> Typed<Route> {
    let services = turn.brain.plannable(turn.facts.owner());
    let schema = services.route_schema();
    let fixed = Fixed {
        of: Some(schema.number()),
        values: || {
            let lines = services.iter().map(|s| format!("{}: {}", s.info.name, s.info.summary));
            context! { services => ask::lines(&lines.collect::<Vec<_>>()) }
        },
    };
    let sight = turn.facts.sight(&turn.brain.services).control();
    let changing = context! {
        history => ask::lines(&sight.history), sight => ask::lines(&sight.beside()), message => own_message(&turn.facts)
    };
    let routed = match ask::prompt(turn.brain, Stage::Route, fixed, &changing) {
        Ok(prompt) => ask::typed(turn.account, model, Stage::Route, prompt, schema, 80).await,
        Err(error) => Typed::Failed(error),
    };
    routed.map(|routed| settle(routed, guess, &services))
}

/// A model's word, checked: unknown services are dropped, an action without one takes the built-in guess.
fn settle(routed: Routed, guess: &Guess, services: &Services) -> Route {
    let mut domains: Vec<String> = routed.domains.into_iter().filter(|name| services.find(name).is_some()).collect();
    domains.sort();
    domains.dedup();
    let kind = match routed.r#type.as_str() {
        "chat" if domains.is_empty() && !routed.is_followup => Kind::Chat,
        "investigate" => Kind::Investigate,
        "followup" => Kind::Followup,
        "chat" | "action" if routed.is_followup && domains.is_empty() => Kind::Followup,
        _ => Kind::Action,
    };
    if domains.is_empty() && kind != Kind::Chat {
        domains = guess.domains.clone();
    }
    let kind = if domains.is_empty() && kind == Kind::Action { Kind::Chat } else { kind };
    Route { kind, domains, selection: None }
}
