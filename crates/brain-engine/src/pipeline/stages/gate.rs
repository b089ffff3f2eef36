//! The gate: action by action, run now, ask first, or refuse. Pure code decides; nothing a model or a fetched
//! text says can open it.
//!
//! - what cannot be put in the order that the plan asks for: refused before, see [`super::order`];
//! - unknown command, or a service outside the routed domains: refused, told, offered;
//! - low stakes and independent of high stakes and of questions: runs now;
//! - high stakes (by rule or by taint), or unclear, and whatever depends on it: later, see [`super::later`].

mod allowed;
mod notes;
mod outgoing;

use std::sync::OnceLock;

use self::allowed::allowed;
use self::outgoing::{OutgoingJudgement, OutgoingValues};
use super::known;
use super::later::{self, DeferralReason, DeferredAction, Unclear};
use super::own_rules::OwnRules;
use super::resolve::{self, Unsettled};
use crate::pipeline::brain::Brain;
use crate::pipeline::run::Passed;
use crate::pipeline::show;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::outcome::{Report, Status};
use brain_core::core::plan::{Action, Params, Plan, PlannedAction, Taint};
use brain_core::core::provenance::{self, Folded, Sources, UntrustedText, WrittenBy};
use brain_core::core::stakes::{Assessed, Stakes, assess};
use brain_core::limits;
use brain_language::language::grounding;
use brain_language::language::time::{self, Reference};
use brain_services::services::contract::entry::Entry;
use brain_services::services::helpers::address_book::Person;
use brain_services::services::planning::outgoing::DisclosedSoFar;

/// The gate's word about a plan.
#[derive(Debug, Default)]
pub struct Gated {
    /// To run now.
    pub now: Vec<Passed>,
    /// To be asked about, in one way or another, and what depends on that.
    pub later: Vec<DeferredAction>,
    /// What is refused, or cannot be done.
    pub stopped: Vec<Report>,
    /// Words for the person about that.
    pub remarks: Vec<String>,
    /// What was told elsewhere without a yes, with what runs now.
    pub told: DisclosedSoFar,
}

/// Whose words are in sight, and who is known, looked through once for all the actions of a plan.
struct Seen<'s> {
    own: &'s str,
    rules: OwnRules,
    folded: Folded,
    passed_on: Folded,
    people: Result<Vec<Person>, String>,
    /// The person's own that a planner saw; `None` where code wrote the values.
    records: Option<&'s [String]>,
    /// What may be told elsewhere; `None` where code wrote the values, or nothing tells any.
    outgoing: Option<OutgoingValues<'s>>,
    /// Whether the person has named a time.
    own_time: OnceLock<bool>,
    written_by: &'s WrittenBy,
}

enum Judged {
    Passed(Box<Assessed>),
    Unclear(Unclear),
    /// It stands for one action each.
    Each(Vec<String>),
    Stopped,
}

/// Judges a plan.
pub async fn check(
    brain: &Brain,
    facts: &TurnFacts,
    plan: Plan,
    domains: &[String],
    sources: &Sources,
    told: &DisclosedSoFar,
) -> Gated {
    let mut gated = Gated { told: told.clone(), ..Gated::default() };
    let seen = Seen::of(brain, facts, &plan, sources).await;
    let mut judged = Vec::with_capacity(plan.actions.len());
    let mut actions: Vec<PlannedAction> = Vec::with_capacity(plan.actions.len());
    // Where each action of the plan is among those that it came to.
    let mut places: Vec<Vec<usize>> = Vec::with_capacity(plan.actions.len());
    let mut in_all = plan.actions.len();
    for planned in plan.actions {
        let begin = actions.len();
        match judge(brain, facts, &planned, domains, &seen, &mut gated).await {
            Judged::Each(ids) if in_all - 1 + ids.len() > limits::PLAN_ACTIONS_MAX => {
                let why = format!(
                    "Together that would be more than the {} things I take on at once, so I left one part out: {}.",
                    limits::PLAN_ACTIONS_MAX,
                    show::meant(&brain.services, std::slice::from_ref(&planned))
                );
                gated.stop(&planned, Status::Failed, &why);
                gated.remarks.push(why);
                judged.push(Judged::Stopped);
                actions.push(planned);
            }
            Judged::Each(ids) => {
                in_all = in_all - 1 + ids.len();
                for id in ids {
                    let mut one = planned.clone();
                    one.params.insert(FIND_BY.to_owned(), id.into());
                    judged.push(judge(brain, facts, &one, domains, &seen, &mut gated).await);
                    actions.push(one);
                }
            }
            one => {
                judged.push(one);
                actions.push(planned);
            }
        }
        places.push((begin..actions.len()).collect());
    }
    for action in &mut actions {
        // What depends on an action that is not there still does.
        let now = |old: &usize| places.get(*old).cloned().unwrap_or_else(|| vec![old.saturating_add(judged.len())]);
        action.depends_on = action.depends_on.iter().flat_map(now).collect();
    }
    sort(brain, judged, actions, &mut gated);
    gated
}

impl<'a> Seen<'a> {
    /// What the actions of a plan are judged beside.
    async fn of(brain: &Brain, facts: &'a TurnFacts, plan: &Plan, sources: &'a Sources) -> Self {
        let people = known::meant(brain, facts, &plan.actions, &sources.own).await;
        let folded = Folded::of(&sources.own, &sources.untrusted);
        let folded = match &sources.written_by {
            // Nobody is known when that cannot be looked up: then every address needs a yes.
            WrittenBy::Planner { records, .. } => {
                let people = people.as_deref().unwrap_or_default();
                folded.tracing(&known::acquaintances(people, &sources.own, records))
            }
            WrittenBy::Code | WrittenBy::Undo => folded,
        };
        let records = match &sources.written_by {
            WrittenBy::Planner { records, .. } => Some(records.as_slice()),
            WrittenBy::Code | WrittenBy::Undo => None,
        };
        Self {
            own: &sources.own,
            rules: OwnRules::of(brain, facts).await,
            records,
            outgoing: OutgoingValues::of(brain, facts, plan, sources),
            folded,
            passed_on: Folded::of(&sources.own, &sources.passed_on),
            people,
            own_time: OnceLock::new(),
            written_by: &sources.written_by,
        }
    }
}

/// Holds what an action is about.
const FIND_BY: &str = "find_by";

async fn judge(
    brain: &Brain,
    facts: &TurnFacts,
    planned: &PlannedAction,
    domains: &[String],
    seen: &Seen<'_>,
    gated: &mut Gated,
) -> Judged {
    let entry = match allowed(brain, facts.owner(), planned, domains, seen.written_by) {
        Ok(found) => found,
        Err(why) => {
            gated.stop(planned, Status::Refused, &why);
            gated.remarks.push(format!("🚫 {why}"));
            return Judged::Stopped;
        }
    };
    let entry = entry.as_ref();
    let alone = known::meant_alone(brain, facts, planned, &seen.people, seen.own).await;
    let settled = match alone.as_ref().unwrap_or(&seen.people) {
        Ok(people) => resolve::settle(facts, entry, planned, people).await,
        Err(why) => Err(Unsettled::Impossible(why.clone())),
    };
    match settled {
        Ok(settled) => {
            let mut action = settled.action;
            let stakes = entry.stakes(&action);
            let told = match &seen.outgoing {
                Some(outgoing) => outgoing.judge(brain, entry, stakes, planned, &gated.told).await,
                None => OutgoingJudgement::default(),
            };
            action.taints = taints(facts, entry, planned, seen, &settled.untrusted);
            action.passed_on = passed_on(entry, planned, seen);
            let filled = filled(brain, facts, entry, &action, seen).await;
            let folded = filled.as_ref().unwrap_or(&seen.folded);
            add_recorded(entry, &mut action, folded);
            let effect = entry.effect(action.account.as_ref());
            let found = notes::found_by(entry, planned, seen, effect, &mut action.taints);
            let names = seen.people.iter().flatten().map(|person| person.name.as_str());
            let known: Vec<&str> = names.chain([seen.own]).collect();
            let added = seen.records.and_then(|_| notes::added_by_planner(facts, entry, planned, &known));
            action.notes.extend(found.into_iter().chain(notes::lookalikes(entry, &action, folded)).chain(added));
            let asks = seen.rules.asks_for(brain, facts, entry, planned, &action, seen.records.is_some());
            action.taints.retain(|taint| !told.goes_back(taint));
            let at_least = if asks.is_some() || told.needs_a_yes { Stakes::High } else { Stakes::Low };
            action.notes.extend(told.notes);
            action.notes.extend(asks.into_iter().chain(notes::still_goes_to(brain, facts, entry, &action).await));
            let assessed = assess(entry, action, at_least);
            if let (Stakes::Low, Some(after)) = (assessed.stakes(), told.after) {
                gated.told = after;
            }
            Judged::Passed(Box::new(assessed))
        }
        Err(Unsettled::Each(ids)) => Judged::Each(ids),
        Err(Unsettled::Impossible(why)) => {
            let why = facts.pointed_at().map_or(why.clone(), |pointed| pointed.named_in(&why));
            let why = notes::without_id(&planned.params, why);
            gated.stop(planned, Status::Failed, &why);
            gated.remarks.push(why);
            Judged::Stopped
        }
        Err(Unsettled::Ask { question, param, choices, quoted, is_relayed }) => {
            let question = asked_of(question, &choices, is_relayed);
            // Whoever answers a question has not pressed on exactly this any more.
            let mut taints = taints(facts, entry, planned, seen, &[]);
            taints.extend(passed_on(entry, planned, seen));
            Judged::Unclear(Unclear { question, param, choices, taints, quoted, is_relayed })
        }
    }
}

/// A question with what may be meant, as it is asked.
fn asked_of(question: String, choices: &[(String, String)], is_relayed: bool) -> String {
    let listed: Vec<String> =
        choices.iter().enumerate().map(|(i, (_, label))| format!("\n{}. {label}", i + 1)).collect();
    match choices {
        [(_, only)] if question.contains(only.as_str()) => question,
        [(_, only)] if !is_relayed => format!("Do you mean {only}?"),
        _ => format!("{question}{}", listed.concat()),
    }
}

/// What the planner took from somebody else's text. Judged on what it wrote, not on what code made of it: an
/// address that was looked up, or a time that was worked out, is nobody's text.
fn taints(
    facts: &TurnFacts,
    entry: &dyn Entry,
    planned: &PlannedAction,
    seen: &Seen<'_>,
    touched: &[UntrustedText],
) -> Vec<Taint> {
    if !entry.passes_values_on() {
        return Vec::new();
    }
    let mut taints = provenance::find(&planned.params, entry.references(), &seen.folded, touched);
    // A planner may write the person's relative day as a date that some event has, too: a time is the person's own if
    // they gave one at all.
    let reference = facts.ctx.reference();
    // One of a few words that a command knows is the person's own if they said one for it.
    taints.retain(|taint| !grounding::says_choice(&taint.value, seen.own));
    let own_time = || *seen.own_time.get_or_init(|| !time::find(seen.own, &reference).is_empty());
    taints.retain(|taint| !(is_a_time(&taint.value, &reference) && own_time()));
    taints
}

/// What plans hold of others' words, each once: before one of them is offered, that is told.
pub(crate) fn others_in(brain: &Brain, facts: &TurnFacts, plans: &[Plan], sources: &Sources) -> Vec<Taint> {
    let folded = Folded::of(&sources.own, &sources.untrusted);
    let reference = facts.reference();
    let mut found: Vec<Taint> = Vec::new();
    for planned in plans.iter().flat_map(|plan| &plan.actions) {
        let entry = brain.services.command(&planned.service, &planned.command).filter(|entry| entry.passes_values_on());
        let Some(entry) = entry else { continue };
        let mut taints = provenance::find(&planned.params, entry.references(), &folded, &[]);
        taints.retain(|taint| !is_a_time(&taint.value, &reference));
        taints.retain(|taint| !found.iter().any(|known| known.value == taint.value));
        found.extend(taints);
    }
    found
}

/// What is in sight together with those whose addresses a service filled in; `None` when there are none.
async fn filled(
    brain: &Brain,
    facts: &TurnFacts,
    entry: &dyn Entry,
    action: &Action,
    seen: &Seen<'_>,
) -> Option<Folded> {
    let (records, known) = (seen.records?, seen.people.as_ref().ok()?);
    if !entry.passes_values_on() {
        return None;
    }
    let mut people =
        known::filled_in(brain, facts, &action.params, known).await.ok().filter(|people| !people.is_empty())?;
    people.extend(known.iter().cloned());
    Some(seen.folded.clone().tracing(&known::acquaintances(&people, seen.own, records)))
}

/// A yes to keeping somebody else's address makes it nobody's own: to be written to, it needs another. That of a sender
/// the person never wrote to needs one where nothing else asks for it; cards say of it that it is new.
fn add_recorded(entry: &dyn Entry, action: &mut Action, folded: &Folded) {
    if entry.passes_values_on() {
        let is_asked_about = entry.stakes(action) == Stakes::High;
        let mut recorded = provenance::find_recorded(&action.params, entry.references(), folded);
        recorded.retain(|taint| taint.kept_in.is_some() || !is_asked_about);
        recorded.retain(|taint| action.taints.iter().all(|known| known.value != taint.value));
        action.taints.extend(recorded);
    }
}

/// What the person took of others' words with a press on exactly this.
fn passed_on(entry: &dyn Entry, planned: &PlannedAction, seen: &Seen<'_>) -> Vec<Taint> {
    if !entry.passes_values_on() {
        return Vec::new();
    }
    provenance::find(&planned.params, entry.references(), &seen.passed_on, &[])
}

/// The texts of a judged proposal that are nobody else's; of what only looks, and is not judged, none.
pub(crate) fn nobody_elses(
    brain: &Brain,
    service: &str,
    command: &str,
    params: &Params,
    taints: &[Taint],
) -> Vec<String> {
    let entry = brain.services.command(service, command).filter(|entry| entry.passes_values_on());
    entry.map(|entry| provenance::untainted(params, entry.references(), taints)).unwrap_or_default()
}

/// True for a value that is a time and nothing else: a sentence that mentions one is still a sentence.
fn is_a_time(value: &str, reference: &Reference) -> bool {
    let found = time::find(value, reference);
    if found.is_empty() {
        return time::resolve(value, reference).is_some();
    }
    let mut rest = value.to_owned();
    for one in found.iter().rev() {
        rest.replace_range(one.span.clone(), "");
    }
    !rest.chars().any(char::is_alphanumeric)
}

/// Splits what passed into what is done now and what later: by stakes, by what is unclear, by dependencies.
fn sort(brain: &Brain, judged: Vec<Judged>, planned: Vec<PlannedAction>, gated: &mut Gated) {
    let mut waits = vec![false; judged.len()];
    let mut stopped = vec![false; judged.len()];
    for (index, (judged, planned)) in judged.into_iter().zip(planned).enumerate() {
        let after = |what: &[bool]| planned.depends_on.iter().any(|&on| what.get(on) == Some(&true));
        let (is_after_stopped, is_after_waiting) = (after(&stopped), after(&waits));
        let needs = match judged {
            // One of each is no longer several.
            Judged::Stopped | Judged::Each(_) => {
                stopped[index] = true;
                continue;
            }
            Judged::Passed(_) | Judged::Unclear(_) if is_after_stopped => {
                stopped[index] = true;
                gated.stop(&planned, Status::Failed, "something before it is not settled yet");
                gated.remarks.push(later::left_out(brain, &planned));
                continue;
            }
            Judged::Passed(assessed) if assessed.stakes() == Stakes::Low && !is_after_waiting => {
                gated.now.push(Passed { assessed: *assessed, index, depends_on: planned.depends_on });
                continue;
            }
            Judged::Passed(assessed) => DeferralReason::Others(assessed),
            Judged::Unclear(unclear) => DeferralReason::Answer(unclear),
        };
        waits[index] = true;
        gated.later.push(DeferredAction { planned, index, needs });
    }
}

impl Gated {
    /// Reports an action that gets no further.
    fn stop(&mut self, planned: &PlannedAction, status: Status, why: &str) {
        self.stopped.push(planned_report(planned, status, why));
    }
}

/// A proposal that gets no further as a report.
pub fn planned_report(planned: &PlannedAction, status: Status, why: &str) -> Report {
    Report {
        service: planned.service.clone(),
        command: planned.command.clone(),
        params: planned.params.clone(),
        status,
        error: Some(why.to_owned()),
        action: None,
        result: None,
    }
}
