//! Plan: from a routed message to proposed actions, or to one clarifying question.
//!
//! With a model the plan is its proposal; without one, or when its endpoint does not answer, built-in
//! understanding plans (and the person is told); it also plans, at once, what it is sure of while the model is known to
//! be slow. An answer that stays unusable after one re-ask plans nothing: "could you rephrase?".

use chrono::{Datelike, Duration, Weekday};
use minijinja::context;
use serde_json::Value;

use super::answers::completed;
use super::ask::{self, AnswerChecks, Asked};
use super::called;
use super::condition::{self, Depending};
use super::context::Context;
use super::doubts::Doubt;
use super::select::Selection;
use super::{build_params, built_in, without_model};
use crate::core::history::{ItemRef, PastAction};
use crate::core::pending::Pending;
use crate::core::plan::{Plan, PlannedAction};
use crate::core::text::{head_and_tail, shorten};
use crate::core::turn::Along;
use crate::limits;
use crate::pipeline::turn::Turn;
use crate::pipeline::turn::status;
use crate::ports::records::{Clarification, Speaker};
use crate::ports::{Model, Stage, Usage};
use crate::prompts::Fixed;
use crate::services::amendment;
use crate::services::show::Moment;
use crate::services::standing::Planner;

/// What a turn is about beyond its own words.
#[derive(Debug, Default)]
pub struct Topic<'a> {
    /// The earlier request this message completes.
    pub answers: Option<&'a Clarification>,
    /// What this message changes.
    pub amends: Option<&'a Amended<'a>>,
    /// It asks for what no single look can tell.
    pub investigates: bool,
    /// What a model made of it when it was routed.
    pub selection: Option<&'a Selection>,
    /// Receipts of earlier rounds of this turn, and what is still missing.
    pub round: Option<(&'a [String], &'a str)>,
}

/// What was planned before and is to be planned again, changed.
#[derive(Debug)]
pub struct Amended<'a> {
    /// What was asked for.
    pub request: String,
    /// Their values are settled already and stay as they are, and so does what has to succeed first.
    pub actions: Vec<PlannedAction>,
    /// The card that they wait on; what has been done already, a draft, waits on none.
    pub card: Option<&'a Pending>,
}

impl<'a> Amended<'a> {
    /// A card.
    pub fn card(pending: &'a Pending) -> Self {
        let actions = pending.actions.iter().enumerate().map(|(index, action)| {
            let mut params = action.params.clone();
            if let (Some(target), true) = (&action.target, params.contains_key("find_by")) {
                params.insert("find_by".to_owned(), target.id.clone().into());
            }
            PlannedAction {
                service: action.service.clone(),
                command: action.command.clone(),
                params,
                depends_on: pending.depends_on.get(index).cloned().unwrap_or_default(),
                ..PlannedAction::default()
            }
        });
        Self { request: pending.request.clone(), actions: actions.collect(), card: Some(pending) }
    }

    /// The actions with the words of the card, not with the ids behind them.
    fn as_shown(&self) -> Value {
        let params = |index: usize, planned: &PlannedAction| {
            let action = self.card.and_then(|pending| pending.actions.get(index));
            action.map_or_else(|| planned.params.clone(), |action| action.params.clone())
        };
        let shown = self.actions.iter().enumerate();
        shown.map(|(index, again)| proposal(&PlannedAction { params: params(index, again), ..again.clone() })).collect()
    }
}

/// What came of planning.
#[derive(Debug)]
pub enum Planned {
    /// Proposed actions, perhaps with a question beside them.
    Plan {
        /// The proposal.
        plan: Plan,
        /// What was too much for one turn.
        left: Vec<PlannedAction>,
        /// For the person, when something unusual happened on the way.
        remark: Option<&'static str>,
        /// Whose it is.
        planner: Planner,
    },
    /// Something is missing before anything can be proposed.
    Ask(Box<Clarification>),
    /// It is to be done if something is so, which has to be looked up first.
    Depends(Box<Depending>),
    /// Nobody can use the planner's answer; this is what to say.
    NotUnderstood(String),
    /// Built-in understanding is in doubt; nothing is done before that is settled.
    Doubt(Box<Doubt>),
}

/// Said to a message that was not read to its end.
pub(crate) const TOO_MUCH: &str =
    "That was too much at once, so nothing was done. Could you say it in parts, a few sentences each?";
pub(super) const REPHRASE: &str = "I had trouble making sense of that. Nothing was done. Could you say it another way?";

/// Plans within `domains`.
pub async fn make(turn: &Turn<'_>, domains: &[String], context: &Context, topic: &Topic<'_>) -> Planned {
    let mut planned = planned(turn, domains, context, topic).await;
    if let Some(pointed) = turn.pointed_at() {
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
    turn.doing(status::planning(&turn.brain.services.now(), domains));
    if let Some(plan) = completed(turn, topic) {
        return by_built_in(plan);
    }
    let Some(model) = turn.brain.model.as_deref() else {
        return built_in::plan(turn, domains, topic, None);
    };
    let is_new = topic.round.is_none() && topic.amends.is_none() && topic.answers.is_none();
    if let Some(plan) = built_in::exact(turn).filter(|_| is_new) {
        turn.traced("plan", turn.elapsed_us(), turn.words().len(), Usage::default(), "read exactly");
        return by_built_in(plan);
    }
    // What is said of a draft exactly is done to it exactly.
    let redrafts = topic.amends.filter(|amended| amended.card.is_none());
    if let Some(actions) =
        redrafts.and_then(|amended| amendment::amend(&amended.actions, turn.words(), &turn.reference()))
    {
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
    let (stage, planned) = match build_params::commands(turn, topic) {
        Some(commands) => {
            (Stage::BuildParams, Box::pin(build_params::plan(turn, model, &commands, context, topic)).await)
        }
        None => (Stage::Plan, Box::pin(by_model(turn, model, domains, context, topic)).await),
    };
    match planned {
        Asked::Answer(mut plan) => {
            for planned in &mut plan.actions {
                if let Some(entry) = turn.brain.services.command(&planned.service, &planned.command) {
                    build_params::mend(context, entry.as_ref(), turn.words(), &mut planned.params);
                }
            }
            condition::of_model(turn, topic, plan)
        }
        Asked::Unusable(why) => {
            turn.fell_back(stage.name(), &why);
            built_in::next_best(turn, domains, topic).unwrap_or_else(|| Planned::NotUnderstood(REPHRASE.to_owned()))
        }
        Asked::Failed(error) => {
            turn.fell_back(stage.name(), &error.to_string());
            built_in::plan(turn, domains, topic, Some(without_model::remark(&error)))
        }
    }
}

/// The request as the person made it, the earlier one included.
pub fn request(turn: &Turn<'_>, topic: &Topic<'_>) -> String {
    let earlier =
        topic.answers.map(|q| q.request.clone()).or_else(|| topic.amends.map(|amended| amended.request.clone()));
    match earlier {
        Some(earlier) => format!("{earlier}\n{}", turn.words()),
        None => turn.words().to_owned(),
    }
}

async fn by_model(
    turn: &Turn<'_>,
    model: &dyn Model,
    domains: &[String],
    known: &Context,
    topic: &Topic<'_>,
) -> Asked<Plan> {
    let schema = turn.brain.services.now().plan_schema(domains);
    let missing = known.missing.join(", ");
    let (written, whole) = (schema.notation(), schema.as_str());
    let values = || context! { commands => written, schema => whole, actions_max => limits::PLAN_ACTIONS_MAX };
    let fixed = Fixed { of: Some(schema.number()), values };
    let (results, still) = topic.round.unwrap_or((&[], ""));
    let changing = |history: &[String], known: &[String]| {
        context! {
            now => turn.as_written().now.with_timezone(&turn.ctx.zone).format("%A %Y-%m-%dT%H:%M").to_string(),
            zone => turn.ctx.zone.name(),
            dates => ask::lines(&dates(turn)),
            history => ask::lines(history),
            known => ask::lines(known),
            missing => missing.as_str(),
            earlier => earlier(topic),
            results => ask::lines(results),
            still,
            manner => turn.manner(),
            message => head_and_tail(turn.words(), limits::MESSAGE_BYTES_MAX),
        }
    };
    let (history, lines) = (history(turn, limits::PLAN_HISTORY_TOKENS), known_lines(turn, known));
    let room = model.reads_tokens_max(Stage::Plan);
    match ask::prompt_within(turn, Stage::Plan, fixed, room, (&history, &lines), changing) {
        Ok(prompt) => {
            let services = turn.brain.services.now();
            let reading = AnswerChecks {
                misfit: &|plan| misfit(turn, plan),
                called: &|calls| called::plan(&services, domains, calls),
            };
            ask::typed_fitting(turn, model, Stage::Plan, prompt, schema.clone(), 2_000, reading).await
        }
        Err(error) => Asked::Failed(error),
    }
}

/// The parameters that do not fit their commands.
fn misfit(turn: &Turn<'_>, plan: &Plan) -> Option<String> {
    let misfits = plan.actions.iter().take(limits::PLAN_ACTIONS_MAX).enumerate().filter_map(|(index, planned)| {
        let entry = turn.brain.services.command(&planned.service, &planned.command)?;
        let why = entry.check(planned.params.clone()).err()?.for_planner()?;
        Some(format!("actions[{index}].params.{why}"))
    });
    let misfits: Vec<String> = misfits.collect();
    (!misfits.is_empty()).then(|| misfits.join("; "))
}

pub(super) fn earlier(topic: &Topic<'_>) -> String {
    let json = |actions: Vec<Value>| Value::Array(actions).to_string();
    if let Some(question) = topic.answers {
        let waiting = match question.rest.actions.as_slice() {
            [] => String::new(),
            rest => format!("\nThese wait for the answer, too: {}", json(rest.iter().map(proposal).collect())),
        };
        return format!(
            "The person asked before: {}\nYou asked back: {}\nThe request below answers that.{waiting}",
            question.request, question.question
        );
    }
    if let Some(amended) = topic.amends {
        let stands = if amended.card.is_some() { "This waits for their yes" } else { "This is a draft so far" };
        return format!(
            "The person asked before: {}\n{stands}: {}\nThe request below changes it: plan the whole of it again, changed.",
            amended.request,
            amended.as_shown(),
        );
    }
    String::new()
}

fn proposal(planned: &PlannedAction) -> Value {
    serde_json::json!({
        "service": planned.service, "command": planned.command, "params": planned.params,
        "depends_on": planned.depends_on,
    })
}

/// What the context stage found, and what came along with the message itself.
fn known_lines(turn: &Turn<'_>, known: &Context) -> Vec<String> {
    let along = turn.incoming.passed_on().map(|part| {
        let source = part.along.as_ref().map(Along::label).unwrap_or_default();
        format!("passed on with the request ({source}): {}", head_and_tail(&part.text, limits::MESSAGE_BYTES_MAX))
    });
    known.items.iter().map(ToString::to_string).chain(along).chain(replied_line(turn)).collect()
}

/// The message of ours that the request replies to, with what it was about, and what of it is quoted.
pub(super) fn replied_line(turn: &Turn<'_>) -> Option<String> {
    let message = turn.replied_message.as_ref()?;
    let about = message.actions.iter().map(|past| format!(" {}", named(past))).collect::<String>();
    let quote = turn.incoming.quote.as_ref().map(|quote| format!("; it quotes: {}", shorten(quote, 400)));
    let quote = quote.unwrap_or_default();
    Some(format!("The request replies to your message: {}{about}{quote}", shorten(&message.text, 400)))
}

/// Dates that models get wrong when they compute them.
fn dates(turn: &Turn<'_>) -> Vec<String> {
    let now = turn.as_written().now.with_timezone(&turn.ctx.zone);
    let moments = [
        format!("this evening = {}T18:00:00", now.date_naive()),
        format!("in 2 hours = {}", Moment::Instant(now + Duration::hours(2)).store()),
    ];
    days(turn).into_iter().chain(moments).collect()
}

/// Those among them that are the same all day.
pub(super) fn days(turn: &Turn<'_>) -> Vec<String> {
    let now = turn.as_written().now.with_timezone(&turn.ctx.zone);
    let day = |days: i64| (now + Duration::days(days)).date_naive();
    let to_monday = i64::from((7 - now.weekday().num_days_from_monday()) % 7);
    let to_monday = if now.weekday() == Weekday::Mon { 7 } else { to_monday };
    vec![
        format!("today = {}", day(0)),
        format!("tomorrow = {} ({})", day(1), day(1).weekday()),
        format!("next Monday = {}", day(to_monday)),
    ]
}

/// The conversation inside its token budget, newest kept.
pub(super) fn history(turn: &Turn<'_>, tokens_max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = tokens_max * 4;
    for message in turn.history.iter().rev() {
        let line = match message.speaker {
            Speaker::Person if turn.is_own(message) => format!("person: {}", message.text),
            Speaker::Person if message.origin.is_own_words() => format!("somebody else: {}", message.text),
            Speaker::Person => format!("person passed on: {}", message.text),
            Speaker::Assistant => {
                let done: Vec<String> = message.actions.iter().map(named).collect();
                format!("assistant: {} {}", shorten(&message.text, 400), done.join(" "))
            }
        };
        let Some(rest) = left.checked_sub(line.len()) else {
            break;
        };
        left = rest;
        lines.push(line);
    }
    lines.reverse();
    lines
}

fn named(past: &PastAction) -> String {
    match &past.item {
        Some(ItemRef { id, label }) => format!("[{}.{} {id} “{label}”]", past.service, past.command),
        None => format!("[{}.{}]", past.service, past.command),
    }
}

pub(super) fn proposed(mut plan: Plan, remark: Option<&'static str>, planner: Planner) -> Planned {
    let left = plan.actions.split_off(plan.actions.len().min(limits::PLAN_ACTIONS_MAX));
    Planned::Plan { plan: tidy(plan), left, remark, planner }
}

/// What code read for itself while there is a model.
fn by_built_in(plan: Plan) -> Planned {
    proposed(plan, None, Planner::BuiltIn)
}

/// A plan whose blanks are nothing.
pub(super) fn tidy(mut plan: Plan) -> Plan {
    plan.question = plan.question.filter(|question| !question.trim().is_empty());
    plan.open = plan.open.filter(|open| !open.trim().is_empty());
    plan
}
