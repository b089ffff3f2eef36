//! Conditions: whether what a request depends on is so, as far as a service can look it up.
//!
//! Invariants: nothing of a request that depends on something is done before that is known to be so, or before its
//! person has said to do it anyway; whatever came of it is told in a few words. Not here: which words are a condition
//! (`language::requests`), and how a service looks (`Service::holds`).

use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use serde_json::Value;

use super::doubts::Doubt;
use super::grounding;
use super::progressing::Progressing;
use crate::pipeline::brain::Brain;
use crate::pipeline::stages::topic::{Depending, Planned, Topic, proposed};
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::Status;
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::UntrustedText;
use brain_core::core::text::{one_line, quoted, shorten, visible};
use brain_language::language::requests::Understood;
use brain_language::language::time::{Grain, Reference, When};
use brain_language::language::{requests, time};
use brain_services::services::across::condition::{self, CheckedFirst, ConditionKind};
use brain_services::services::contract::circumstance::{Circumstance, Evidence};
use brain_services::services::planning::plan_grounding::{ConditionState, Planner};

/// How long somebody has to be free who named a moment only.
const FREE_FOR: Duration = Duration::hours(1);
/// Of what is named in a sentence about a condition.
const NAMED_CHARS_MAX: usize = 80;
/// How an instant is written out in a plan.
const INSTANT: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// From a moment to another one.
type Extent = (DateTime<Utc>, DateTime<Utc>);

/// A model's plan: what depends on something may not be done as if it did not.
pub(super) fn of_model(brain: &Brain, facts: &TurnFacts, topic: &Topic<'_>, domains: &[String], plan: Plan) -> Planned {
    // What is looked up for a condition does not depend on it.
    let acts = facts.origin().is_own_words() && !plan.actions.iter().all(|planned| may_only_look(brain, planned));
    // What waits for something takes the condition with it; anything beside it may still depend on it.
    if !acts || topic.conditions == ConditionState::Met || all_heed(brain, &plan) {
        return proposed(plan, None, Planner::Model);
    }
    // What was said first still counts for who answers a question about it.
    let said = match topic.answers {
        Some(question) => format!("{}\n{}", question.request, facts.words()),
        None => facts.words().to_owned(),
    };
    let mut unheeded = match CheckedFirst::find(&said, &facts.reference()) {
        Some(checked) => vec![checked.condition],
        None => requests::unheeded_conditions(&said, &facts.reference(), &plan.actions),
    };
    if topic.conditions == ConditionState::LookedUp {
        // Who plans now has seen what an earlier round looked up; what code can look up itself, it does.
        unheeded.retain(|condition| condition::read(condition, &facts.reference()).kind != ConditionKind::Unknown);
    }
    if let Some(waiting) = waits(brain, facts).filter(|_| !unheeded.is_empty()) {
        // Where it goes was settled before anything was planned; elsewhere a tap sends it.
        return match waiting.actions.iter().all(|action| domains.contains(&action.service)) {
            true => proposed(waiting, None, Planner::BuiltIn),
            false => Planned::Doubt(Box::new(Doubt::which(brain, vec![waiting, plan]))),
        };
    }
    if let Some(looks) = looked_up_first(brain, facts, topic, &unheeded, &plan) {
        return proposed(looks, None, Planner::Model);
    }
    match (unheeded.pop(), unheeded.is_empty()) {
        (None, _) => proposed(plan, None, Planner::Model),
        (Some(condition), true) => {
            Planned::Depends(Box::new(Depending { plan, condition, remark: None, planner: Planner::Model }))
        }
        (Some(last), false) => {
            let parts: Vec<String> = unheeded.into_iter().chain([last]).map(|condition| condition.said).collect();
            Planned::Doubt(Box::new(Doubt::unread(brain, plan, &parts)))
        }
    }
}

fn may_only_look(brain: &Brain, planned: &PlannedAction) -> bool {
    let entry = brain.services.command(&planned.service, &planned.command);
    entry.is_some_and(|entry| entry.may_only_look())
}

/// Of a plan what tools are to find out for conditions that no service knows of; the rest is planned once it is known.
fn looked_up_first(
    brain: &Brain,
    facts: &TurnFacts,
    topic: &Topic<'_>,
    conditions: &[requests::Condition],
    plan: &Plan,
) -> Option<Plan> {
    let is_known = |one: &requests::Condition| condition::read(one, &facts.reference()).kind != ConditionKind::Unknown;
    // Of the person's own things code looks up what it can, and the rest of what is looked up there may depend as well.
    let is_tool = |planned: &PlannedAction| {
        let entry = brain.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| entry.definition().is_some() && entry.may_only_look())
    };
    let looks: Vec<bool> = plan.actions.iter().map(is_tool).collect();
    if conditions.is_empty()
        || conditions.iter().any(is_known)
        || topic.conditions != ConditionState::Open
        || !looks.contains(&true)
    {
        return None;
    }
    let plan = Plan { actions: plan.actions.clone(), open: Some(facts.words().to_owned()), question: None };
    Some(grounding::only(plan, &looks))
}

/// Where a model finds that a condition is not so: what is said of that. `said`: the condition, which has to be the
/// person's own words. A look that failed has found nothing out, and what is done already is not nothing.
pub(super) fn not_met(facts: &TurnFacts, said: &str, so_far: &Progressing) -> Option<String> {
    let folded = |text: &str| one_line(text).to_lowercase();
    let said = said.trim().trim_matches(['.', ',', ';', ':', '?', '!', '“', '”', '"']);
    let is_own = !said.is_empty() && folded(&facts.own_words()).contains(&folded(said));
    let reports = &so_far.answer.reports;
    let failed = reports.iter().any(|report| matches!(report.status, Status::Failed | Status::Unknown));
    let some = so_far.results.changed || so_far.asks_consent() || so_far.asks() || !so_far.offered.is_empty();
    let named = quoted(said, NAMED_CHARS_MAX);
    is_own.then(|| match (failed, some) {
        (true, false) => format!("You made it depend on {named}, and I couldn't find that out, so nothing was done."),
        (true, true) => {
            format!("You made a part depend on {named}, and I couldn't find that out, so I left that part out.")
        }
        (false, false) => format!("You made it depend on {named}, which is not so: nothing was done."),
        (false, true) => format!("You made a part depend on {named}, which is not so: I left that part out."),
    })
}

/// Whether each action takes its condition with it.
fn all_heed(brain: &Brain, plan: &Plan) -> bool {
    plan.actions.iter().all(|planned| {
        let entry = brain.services.command(&planned.service, &planned.command);
        entry.is_some_and(|entry| entry.heeds_conditions())
    })
}

/// The plan of what waits for something to happen, where code reads the whole message as that.
fn waits(brain: &Brain, facts: &TurnFacts) -> Option<Plan> {
    let Understood::Plan { plan, condition: None, .. } = facts.understood(&[]) else { return None };
    (!plan.actions.is_empty() && all_heed(brain, &plan)).then_some(plan)
}

/// A condition that is not so: what is said of that, and the words of others in it.
#[derive(Debug)]
pub(crate) struct Unmet {
    pub words: String,
    pub untrusted: Vec<UntrustedText>,
}

/// Looks whether the condition holds; gives what is to be done then, or why nothing is.
pub(crate) async fn weigh(
    brain: &Brain,
    facts: &TurnFacts,
    depending: Depending,
    so_far: &mut Progressing,
) -> Result<Planned, Unmet> {
    let Depending { plan, condition, remark, planner } = depending;
    let read = condition::read(&condition, &facts.reference());
    let Some(evidence) = evidence(brain, facts, &read.kind, &plan.actions).await else {
        let doubt = Doubt::condition(brain, plan, &condition.said, &read.text);
        return Ok(Planned::Doubt(Box::new(Doubt { remark, ..doubt })));
    };
    let fact = fact(&read.kind, &evidence);
    let untrusted: Vec<UntrustedText> = evidence.untrusted;
    if evidence.holds == read.negated {
        let words = remark.into_iter().map(str::to_owned).chain([format!("{fact}, so I did nothing.")]);
        return Err(Unmet { words: words.collect::<Vec<_>>().join("\n"), untrusted });
    }
    so_far.sources.untrusted.extend(untrusted.iter().cloned());
    so_far.answer.untrusted.extend(untrusted);
    so_far.results.facts.push(format!("looked up first: {fact}"));
    so_far.results.receipts.push(format!("{fact}:"));
    so_far.conditions = ConditionState::Met;
    Ok(proposed(plan, remark, planner))
}

/// What is so, without a mark behind it.
fn fact(kind: &ConditionKind, evidence: &Evidence) -> String {
    let named = |words: &str| visible(&shorten(words, NAMED_CHARS_MAX));
    let shown = evidence.shown.as_deref().map(named);
    match (kind, shown) {
        (ConditionKind::Free { .. }, Some(shown)) if evidence.holds => format!("You're free then, but for {shown}"),
        (ConditionKind::Free { .. }, Some(shown)) => format!("You have {shown} then"),
        (ConditionKind::Free { .. }, None) => "You're free then".to_owned(),
        (ConditionKind::Exists { .. } | ConditionKind::Unknown, Some(shown)) => format!("There is {shown} already"),
        (ConditionKind::Exists { .. } | ConditionKind::Unknown, None) => "I looked and found none".to_owned(),
    }
}

/// What the services know about it; `None` when nobody does.
async fn evidence(
    brain: &Brain,
    facts: &TurnFacts,
    kind: &ConditionKind,
    actions: &[PlannedAction],
) -> Option<Evidence> {
    let (asked, what) = match kind {
        ConditionKind::Free { when } => {
            let (from, to) = span(facts, when, actions)?;
            (None, Circumstance::Free { from, to })
        }
        ConditionKind::Exists { service, words } => {
            let words = words.clone().or_else(|| named_by(facts, actions))?;
            (Some(service), Circumstance::Exists { words })
        }
        ConditionKind::Unknown => return None,
    };
    for registration in brain.services.now().iter() {
        if asked.is_some_and(|asked| *asked != registration.info.name) {
            continue;
        }
        match registration.service.holds(&facts.as_written(), &what).await {
            Ok(Some(evidence)) => return Some(evidence),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(service = registration.info.name, %error, "a condition could not be looked up")
            }
        }
    }
    None
}

/// From when to when somebody has to be free: then, or at the time of what is asked for. `None` where both say a day of
/// their own: a bare hour may be one on the other's.
fn span(facts: &TurnFacts, when: &str, actions: &[PlannedAction]) -> Option<Extent> {
    let reference = facts.reference();
    let mut planned = actions.iter().map(|action| times_of(action, &reference)).filter(|times| !times.is_empty());
    if when.is_empty() {
        // Of several things it is unclear which hour a condition means.
        let only = planned.next()?;
        return planned.next().is_none().then(|| extent(&only)).flatten();
    }
    let part_of_a_day = time::window(when, &reference).map(|(from, to)| (from.to_utc(), to.to_utc()));
    let named = match part_of_a_day {
        Some(part) => part,
        None => extent(&[time::resolve(when, &reference)?.ok()?])?,
    };
    let day = |(from, _): Extent| from.with_timezone(&reference.zone).date_naive();
    let mut days = planned.map(|times| extent(&times).map(day));
    days.all(|planned| planned == Some(day(named))).then_some(named)
}

/// The times that an action is to have.
fn times_of(action: &PlannedAction, reference: &Reference) -> Vec<When> {
    let values = action.params.values().filter_map(Value::as_str).filter(|value| is_time(value, reference));
    values.filter_map(|value| time::resolve(value, reference)?.ok()).collect()
}

/// From the first to the last of some times of one thing.
fn extent(times: &[When]) -> Option<Extent> {
    let mut spans = Vec::new();
    let mut lasts = FREE_FOR;
    for when in times {
        match when {
            When::Point { at, grain: Grain::Minute | Grain::Hour } => spans.push((at.to_utc(), at.to_utc())),
            When::Point { at, grain: Grain::Day } => spans.push((at.to_utc(), at.to_utc() + Duration::days(1))),
            When::Range { start, end, .. } => spans.push((start.to_utc(), end.to_utc())),
            When::Duration(length) => lasts = lasts.max(*length),
            When::Point { .. } | When::Recurrence { .. } => return None,
        }
    }
    let from = spans.iter().map(|(from, _)| *from).min()?;
    let to = spans.iter().map(|(_, to)| *to).max()?;
    Some((from, if to > from { to } else { from.checked_add_signed(lasts)? }))
}

/// Whether a parameter is a time and nothing else.
fn is_time(value: &str, reference: &Reference) -> bool {
    match time::find(value, reference).as_slice() {
        [only] => only.span.len() == value.trim().len(),
        _ => INSTANT.iter().any(|form| NaiveDateTime::parse_from_str(value, form).is_ok()),
    }
}

/// What the one thing that is asked for is called: its longest words that are no time, and describe nothing else.
fn named_by(facts: &TurnFacts, actions: &[PlannedAction]) -> Option<String> {
    let [only] = actions else { return None };
    let reference = facts.reference();
    let mut texts: Vec<&str> = Vec::new();
    for (_, value) in only.params.iter().filter(|(name, _)| *name != "find_by") {
        match value {
            // A plural pronoun means several, and only some of them may be there.
            Value::Array(several) if several.len() > 1 => return None,
            Value::Array(several) => texts.extend(several.iter().filter_map(Value::as_str)),
            value => texts.extend(value.as_str()),
        }
    }
    let texts = texts.into_iter().filter(|text| !is_time(text, &reference));
    texts.max_by_key(|text| text.chars().count()).map(str::to_owned)
}
