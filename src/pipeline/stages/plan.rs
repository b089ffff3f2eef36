//! Plan: from a routed message to proposed actions, or to one clarifying question.
//!
//! With a model the plan is its proposal; without one, or when its endpoint does not answer, built-in
//! understanding plans (and the person is told). An answer that stays unusable after one re-ask plans
//! nothing: "could you rephrase?".

use chrono::{Datelike, Duration, Weekday};
use minijinja::context;
use serde_json::Value;

use super::ask::{self, Asked};
use super::built_in;
use super::context::Context;
use super::doubts::Doubt;
use crate::core::history::{ItemRef, PastAction};
use crate::core::pending::Pending;
use crate::core::plan::{Plan, PlannedAction};
use crate::core::text::{head_and_tail, shorten};
use crate::core::turn::Along;
use crate::language::consent;
use crate::language::consent::Consent;
use crate::language::requests;
use crate::language::time;
use crate::language::time::{Grain, Reference, When};
use crate::limits;
use crate::pipeline::stages::status;
use crate::pipeline::turn::Turn;
use crate::ports::records::{Clarification, Speaker};
use crate::ports::{Model, Stage};
use crate::prompts::Fixed;
use crate::services::show::Moment;

/// What a turn is about beyond its own words.
#[derive(Debug, Default)]
pub struct Topic<'a> {
    /// The earlier request this message completes.
    pub answers: Option<&'a Clarification>,
    /// The card this message changes.
    pub amends: Option<&'a Pending>,
    /// Receipts of earlier rounds of this turn, and what is still missing.
    pub round: Option<(&'a [String], &'a str)>,
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
    },
    /// Something is missing before anything can be proposed.
    Ask(Box<Clarification>),
    /// Nobody can use the planner's answer; this is what to say.
    NotUnderstood(String),
    /// Built-in understanding is in doubt; nothing is done before that is settled.
    Doubt(Box<Doubt>),
}

/// Said when the endpoint did not answer and the built-in planner took over.
const WITHOUT_MODEL: &str = "(My language model can't be reached, so I used my built-in understanding.)";
pub(super) const REPHRASE: &str = "I had trouble making sense of that. Nothing was done. Could you say it another way?";

/// Plans within `domains`.
pub async fn make(turn: &Turn<'_>, domains: &[String], context: &Context, topic: &Topic<'_>) -> Planned {
    turn.doing(status::planning(&turn.brain.services.now(), domains));
    if let Some(plan) = completed(turn, topic) {
        return Planned::Plan { plan, left: Vec::new(), remark: None };
    }
    let Some(model) = turn.brain.model.as_deref() else {
        return built_in::plan(turn, domains, topic, None);
    };
    match by_model(turn, model, domains, context, topic).await {
        Asked::Answer(plan) => proposed(plan, None),
        Asked::Unusable(why) => {
            turn.fell_back("plan", &why);
            Planned::NotUnderstood(REPHRASE.to_owned())
        }
        Asked::Failed(error) => {
            turn.fell_back("plan", &error.to_string());
            built_in::plan(turn, domains, topic, Some(WITHOUT_MODEL))
        }
    }
}

/// The answer to a question of ours completes what was asked for, and what waited for it: no planner needed.
pub fn completed(turn: &Turn<'_>, topic: &Topic<'_>) -> Option<Plan> {
    // Somebody else's words, passed on, answer nothing; and it is answered once.
    let question = topic.answers.filter(|_| turn.origin().is_own_words() && topic.round.is_none())?;
    let (partial, param) = question.partial.as_ref()?;
    let reference = turn.reference();
    let is_time = |value: &str| Moment::read(value, reference.zone).is_some();
    let picked = picked(turn, question).or_else(|| on_that_day(&question.choices, turn.words(), &reference));
    let action = match picked {
        Some(value) if is_time(value) => requests::complete(partial, param, value, &reference)?,
        Some(value) => filled(partial, param, value),
        // A time may also be answered by another one.
        None if question.choices.iter().all(|(value, _)| is_time(value)) => free_answer(turn, partial, param)?,
        None => return None,
    };
    let mut plan = question.rest.clone();
    plan.actions.insert(question.place.min(plan.actions.len()), action);
    Some(tidy(plan))
}

/// The one time among the choices that is on the day the person answers with: "the 27th".
fn on_that_day<'q>(choices: &'q [(String, String)], answer: &str, reference: &Reference) -> Option<&'q str> {
    let Some(Ok(When::Point { at, grain: Grain::Day })) = time::resolve(answer, reference) else {
        return None;
    };
    let mut fitting = choices.iter().filter(|(value, _)| {
        Moment::read(value, reference.zone).is_some_and(|m| m.start(reference.zone).date_naive() == at.date_naive())
    });
    let (only, _) = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

/// The value of the choice that the person took from our list, in words of their own.
pub fn picked<'q>(turn: &Turn<'_>, question: &'q Clarification) -> Option<&'q str> {
    if !turn.origin().is_own_words() {
        return None;
    }
    match question.choices.as_slice() {
        [(value, _)] if consent::read(turn.words()) == Consent::Yes => Some(value),
        choices => chosen(choices, turn.words()),
    }
}

/// An answer in the person's own words: an address for somebody unknown, or whatever was missing.
fn free_answer(turn: &Turn<'_>, partial: &PlannedAction, param: &str) -> Option<PlannedAction> {
    if param.contains('=') {
        let answer = turn.words().trim();
        let names_somebody = answer.split_whitespace().count() <= 4;
        return names_somebody.then(|| filled(partial, param, answer));
    }
    requests::complete(partial, param, turn.words(), &turn.reference())
}

/// Which of the offered choices the person means: its number, or words that only one of them has.
pub fn chosen<'a>(choices: &'a [(String, String)], answer: &str) -> Option<&'a str> {
    let answer = answer.trim().trim_end_matches(['.', '!', ')']).to_lowercase();
    if answer.is_empty() {
        return None;
    }
    let ordinals = [
        ["1", "first", "the first", "the first one"],
        ["2", "second", "the second", "the second one"],
        ["3", "third", "the third", "the third one"],
    ];
    let by_number = answer
        .parse::<usize>()
        .ok()
        .or_else(|| ordinals.iter().position(|words| words.contains(&answer.as_str())).map(|i| i + 1));
    if let Some((value, _)) = by_number.and_then(|n| choices.get(n.checked_sub(1)?)) {
        return Some(value);
    }
    let words: Vec<&str> =
        answer.split_whitespace().filter(|word| !["the", "one", "with", "at", "to"].contains(word)).collect();
    let mut fitting = choices.iter().filter(|(value, label)| {
        let text = format!("{label} {value}").to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word))
    });
    match (fitting.next(), fitting.next()) {
        (Some((value, _)), None) => Some(value),
        (Some(_) | None, _) => None,
    }
}

/// The partial action with one parameter set; a list parameter has the value in place of the unclear name.
fn filled(partial: &PlannedAction, param: &str, value: &str) -> PlannedAction {
    let mut action = partial.clone();
    let (name, unclear) = param.split_once('=').unwrap_or((param, ""));
    match action.params.get_mut(name) {
        Some(Value::Array(items)) if !unclear.is_empty() => {
            for item in items.iter_mut().filter(|item| item.as_str() == Some(unclear)) {
                *item = Value::String(value.to_owned());
            }
        }
        Some(_) | None => {
            action.params.insert(name.to_owned(), Value::String(value.to_owned()));
        }
    }
    action
}

/// The request as the person made it, the earlier one included.
pub fn request(turn: &Turn<'_>, topic: &Topic<'_>) -> String {
    let earlier = topic.answers.map(|q| q.request.clone()).or_else(|| topic.amends.map(|p| p.request.clone()));
    match earlier {
        Some(earlier) => format!("{earlier}\n{}", turn.words()),
        None => turn.words().to_owned(),
    }
}

/// The actions of a card as proposals: their values are settled already and stay as they are, and so does what
/// has to succeed first.
pub(super) fn planned_again(pending: &Pending) -> impl Iterator<Item = PlannedAction> {
    pending.actions.iter().enumerate().map(|(index, action)| {
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
    })
}

async fn by_model(
    turn: &Turn<'_>,
    model: &dyn Model,
    domains: &[String],
    known: &Context,
    topic: &Topic<'_>,
) -> Asked<Plan> {
    let schema = turn.brain.services.now().plan_schema(domains);
    let values = || context! { schema => schema.as_str(), actions_max => limits::PLAN_ACTIONS_MAX };
    let fixed = Fixed { of: Some(schema.number()), values };
    let (results, still) = topic.round.unwrap_or((&[], ""));
    let changing = context! {
        now => turn.as_written().now.with_timezone(&turn.ctx.zone).format("%A %Y-%m-%dT%H:%M").to_string(),
        zone => turn.ctx.zone.name(),
        dates => ask::lines(&dates(turn)),
        history => ask::lines(&history(turn)),
        known => ask::lines(&known_lines(turn, known)),
        missing => known.missing.join(", "),
        earlier => earlier(topic),
        results => ask::lines(results),
        still,
        manner => turn.manner(),
        message => head_and_tail(turn.words(), limits::MESSAGE_BYTES_MAX),
    };
    match ask::prompt(turn, Stage::Plan, fixed, &changing) {
        Ok(prompt) => {
            let misfit = |plan: &Plan| misfit(turn, plan);
            ask::typed_fitting(turn, model, Stage::Plan, prompt, schema.clone(), 2_000, misfit).await
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

fn earlier(topic: &Topic<'_>) -> String {
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
    if let Some(pending) = topic.amends {
        let stored = pending.actions.iter().zip(planned_again(pending));
        // With the words of the card, not with the ids behind them.
        let actions = stored.map(|(action, again)| PlannedAction { params: action.params.clone(), ..again });
        let actions = json(actions.map(|planned| proposal(&planned)).collect());
        return format!(
            "The person asked before: {}\nThis waits for their yes: {actions}\nThe request below changes it: plan the whole of it again, changed.",
            pending.request
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
    known.lines.iter().cloned().chain(along).chain(replied_line(turn)).collect()
}

/// The reminder that the request replies to, with the items it is about.
fn replied_line(turn: &Turn<'_>) -> Option<String> {
    let shown = turn.replied.as_ref().filter(|shown| !shown.about.is_empty())?;
    let about = shown.about.iter().map(|ItemRef { id, label }| format!(" [task {id} “{label}”]")).collect::<String>();
    Some(format!("The request replies to your message: {}{about}", shorten(&shown.text, 400)))
}

/// Dates that models get wrong when they compute them.
fn dates(turn: &Turn<'_>) -> Vec<String> {
    let now = turn.as_written().now.with_timezone(&turn.ctx.zone);
    let day = |days: i64| (now + Duration::days(days)).date_naive();
    let to_monday = i64::from((7 - now.weekday().num_days_from_monday()) % 7);
    let to_monday = if now.weekday() == Weekday::Mon { 7 } else { to_monday };
    vec![
        format!("today = {}", day(0)),
        format!("tomorrow = {} ({})", day(1), day(1).weekday()),
        format!("next Monday = {}", day(to_monday)),
        format!("this evening = {}T18:00:00", day(0)),
        format!("in 2 hours = {}", Moment::Instant(now + Duration::hours(2)).store()),
    ]
}

/// The conversation inside its token budget, newest kept.
fn history(turn: &Turn<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = limits::PLAN_HISTORY_TOKENS * 4;
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

pub(super) fn proposed(mut plan: Plan, remark: Option<&'static str>) -> Planned {
    let left = plan.actions.split_off(plan.actions.len().min(limits::PLAN_ACTIONS_MAX));
    Planned::Plan { plan: tidy(plan), left, remark }
}

/// A plan whose blanks are nothing.
fn tidy(mut plan: Plan) -> Plan {
    plan.question = plan.question.filter(|question| !question.trim().is_empty());
    plan.open = plan.open.filter(|open| !open.trim().is_empty());
    plan
}
