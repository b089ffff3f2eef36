//! Reports: what a person says is done, held against what is open.
//!
//! Invariants: exactly one clear fit is done at once, as the low-stakes action that its service names; several, or one
//! that is in doubt, are asked about; where nothing fits, the message is none of this step's business, and nothing is
//! ever made of it that was not there. Not here: which words report something (`language::requests`), and what is open
//! (the services).

use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::stages::assistant::Intended;
use crate::pipeline::stages::doubts::{Doubt, LEAVE_IT};
use crate::pipeline::turn::{TurnError, TurnFacts};
use brain_core::core::plan::{Plan, PlannedAction};
use brain_core::core::provenance::Sources;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::Path;
use brain_core::limits;
use brain_language::language::requests::{ReportKind, StateReport};
use brain_services::services::catalog::registry::Services;
use brain_services::services::contract::capabilities::{OpenThing, ReportFit};

/// Of a thing that is named in a remark.
const NAMED_CHARS_MAX: usize = 60;

/// An open thing, and the service that keeps it.
type OpenItem = (String, OpenThing);

/// What a report, or a part of one, came to.
enum Fitting {
    One(OpenItem),
    /// Which of them is a question.
    Several(Vec<OpenItem>),
    None,
}

/// Completes what is reported, or asks which it is; `None` for everything else.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    if !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    let Some(report) = facts.report() else { return Ok(None) };
    let services = brain.services.now();
    match fitting(facts, &services, report).await {
        Fitting::One(kept) => Ok(Some(settled(facts, &services, report, &[kept], &[]))),
        Fitting::Several(kept) => ask(brain, facts, &services, report, &[], kept).map(|answer| Some(answer.into())),
        Fitting::None => of_parts(brain, facts, &services, report).await,
    }
}

/// Several things in one report: each of them by itself.
async fn of_parts(
    brain: &Brain,
    facts: &TurnFacts,
    services: &Services,
    report: &StateReport,
) -> Result<Option<Intended>, TurnError> {
    let (mut sure, mut missing) = (Vec::new(), Vec::new());
    let mut doubtful: Option<(StateReport, Vec<OpenItem>)> = None;
    for part in report.parts() {
        match fitting(facts, services, &part).await {
            Fitting::One(kept) => sure.push(kept),
            Fitting::Several(kept) if doubtful.is_none() => doubtful = Some((part, kept)),
            Fitting::Several(_) | Fitting::None => missing.push(part.what),
        }
    }
    match (doubtful, sure.is_empty()) {
        (Some((part, kept)), _) => ask(brain, facts, services, &part, &sure, kept).map(|answer| Some(answer.into())),
        (None, false) => Ok(Some(settled(facts, services, report, &sure, &missing))),
        (None, true) => Ok(None),
    }
}

/// What is open and fits. Of several that fit clearly, what was last spoken of; a doubtful one counts only where none
/// is clear.
async fn fitting(facts: &TurnFacts, services: &Services, report: &StateReport) -> Fitting {
    let mut found: Vec<OpenItem> = Vec::new();
    for service in services.iter() {
        let Some(open) = service.service.open_items() else { continue };
        match open.told_of(&facts.as_written(), report).await {
            Ok(things) => found.extend(things.into_iter().map(|thing| (service.info.name.clone(), thing))),
            Err(error) => tracing::warn!(%error, service = service.info.name, "a report was not held against it"),
        }
    }
    let Some(best) = found.iter().map(|(_, thing)| thing.fit).max() else { return Fitting::None };
    // A message that says more has to be about it beyond doubt.
    if report.beside.is_some() && best < ReportFit::Clear {
        return Fitting::None;
    }
    found.retain(|(_, thing)| thing.fit == best);
    if best == ReportFit::Clear
        && let Some(latest) = latest_item(facts)
    {
        let mut lately = found.iter().filter(|(_, thing)| thing.id == latest);
        if let (Some(only), None) = (lately.next(), lately.next()) {
            return Fitting::One(only.clone());
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(only), true) if best == ReportFit::Clear => Fitting::One(only),
        (Some(last), _) => {
            found.push(last);
            Fitting::Several(found)
        }
        (None, _) => Fitting::None,
    }
}

/// The id of what was last spoken of.
fn latest_item(facts: &TurnFacts) -> Option<String> {
    let past = facts.past();
    let mut actions = past.iter().rev().flat_map(|past| past.actions.iter().rev());
    let item = actions.find_map(|action| action.item.clone())?;
    Some(item.id).filter(|id| !id.is_empty())
}

/// The actions after which these are as the report says, those of a service together.
fn settling(services: &Services, kept: &[OpenItem], kind: ReportKind) -> Vec<PlannedAction> {
    let of_service = |name: &str| -> Vec<OpenThing> {
        kept.iter().filter(|(service, _)| service == name).map(|(_, thing)| thing.clone()).collect()
    };
    let open = services.iter().filter_map(|service| Some((service, service.service.open_items()?)));
    open.flat_map(|(service, open)| open.settling(&of_service(&service.info.name), kind)).collect()
}

fn settled(
    facts: &TurnFacts,
    services: &Services,
    report: &StateReport,
    kept: &[OpenItem],
    missing: &[String],
) -> Intended {
    let mut beside: Vec<String> = Vec::new();
    if !missing.is_empty() {
        let named: Vec<String> = missing.iter().map(|what| named(what)).collect();
        beside.push(format!("\nNothing else that is open fits {}.", named.join(" or ")));
    }
    beside.extend(report.beside.as_deref().map(|beside| format!("\nI took {} as a remark.", named(beside))));
    let settling = Intended::actions(facts, settling(services, kept, report.kind));
    settling.then(move |mut answer| {
        answer.path = Path::Action;
        answer.replies.iter_mut().take(1).for_each(|reply| reply.text.push_str(&beside.concat()));
        answer
    })
}

/// Which of these was meant; what is sure waits for the answer.
fn ask(
    brain: &Brain,
    facts: &TurnFacts,
    services: &Services,
    report: &StateReport,
    sure: &[OpenItem],
    mut kept: Vec<OpenItem>,
) -> Result<Answer, TurnError> {
    kept.truncate(limits::READINGS_MAX);
    let plan =
        |of: &[OpenItem]| Plan { actions: settling(services, &[sure, of].concat(), report.kind), ..Plan::default() };
    let mut choices: Vec<(String, Plan)> =
        kept.iter().map(|one| (visible(&one.1.label), plan(std::slice::from_ref(one)))).collect();
    let takes_yes = choices.len() == 1;
    if choices.len() > 1 && kept.iter().all(|(_, thing)| thing.fit == ReportFit::Clear) {
        choices.push((if kept.len() == 2 { "Both" } else { "All of these" }.to_owned(), plan(&kept)));
    }
    let words = match choices.as_slice() {
        [(label, _)] => format!("I'm not sure what {} is. {label}? Nothing is done yet.", named(&report.what)),
        _ => format!("Which do you mean by {}? Nothing is done yet.", named(&report.what)),
    };
    let domains: Vec<String> = kept.iter().chain(sure).map(|(service, _)| service.clone()).collect();
    let untrusted = kept.iter().flat_map(|(_, thing)| thing.untrusted.iter().cloned()).collect();
    let sources = Sources { own: facts.own_words(), untrusted, ..Sources::default() };
    let doubt = Doubt { words, choices, leave: LEAVE_IT, takes_yes, ..Doubt::default() };
    Ok(doubt.ask(brain, facts, &domains, &sources, vec![facts.words().to_owned()])?)
}

fn named(what: &str) -> String {
    format!("“{}”", visible(&shorten(what, NAMED_CHARS_MAX)))
}
