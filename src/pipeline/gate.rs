//! The gate: action by action, run now, ask first, or refuse. Pure code decides; nothing a model or a fetched
//! text says can open it.
//!
//! - unknown command, or a service outside the routed domains: refused, told, offered;
//! - low stakes and independent of high stakes: runs now;
//! - high stakes (by rule or by taint), and whatever depends on it: one card.

use super::Brain;
use super::resolve::{self, Unsettled};
use super::turn::Turn;
use crate::catalog::{Entry, Kind};
use crate::core::outcome::{Report, Status};
use crate::core::plan::{Action, Plan, PlannedAction, Taint};
use crate::core::stakes::{Assessed, Stakes, assess};
use crate::core::taint::{self, Sources};
use crate::core::when::{self, Reference};
use crate::records::Clarification;

/// An action that passed, and what it depends on among those of the same list.
#[derive(Debug)]
pub struct Passed {
    /// With its stakes.
    pub assessed: Assessed,
    /// Its index in the plan.
    pub index: usize,
    /// Indexes in the plan that must succeed first.
    pub depends_on: Vec<usize>,
}

/// The gate's word about a plan.
#[derive(Debug, Default)]
pub struct Gated {
    /// To run now.
    pub now: Vec<Passed>,
    /// To be asked about, on one card.
    pub consent: Vec<Passed>,
    /// One question, if something is unclear; the first wins.
    pub question: Option<Clarification>,
    /// What is refused, or cannot be done.
    pub stopped: Vec<Report>,
    /// Words for the person about that.
    pub remarks: Vec<String>,
}

enum Judged {
    Passed(Box<Assessed>),
    Stopped,
}

/// Judges a plan.
pub async fn check(turn: &Turn<'_>, plan: Plan, domains: &[String], request: &str, sources: &Sources) -> Gated {
    let mut gated = Gated::default();
    let mut judged = Vec::with_capacity(plan.actions.len());
    for planned in &plan.actions {
        judged.push(judge(turn, planned, domains, request, sources, &mut gated).await);
    }
    sort(judged, &plan.actions, &mut gated);
    gated
}

async fn judge(
    turn: &Turn<'_>,
    planned: &PlannedAction,
    domains: &[String],
    request: &str,
    sources: &Sources,
    gated: &mut Gated,
) -> Judged {
    let (entry, service) = match allowed(turn.brain, planned, domains) {
        Ok(found) => found,
        Err(why) => {
            gated.stop(planned, Status::Refused, &why);
            gated.remarks.push(format!("🚫 {why}"));
            return Judged::Stopped;
        }
    };
    match resolve::settle(turn, entry, service, planned).await {
        Ok(settled) => {
            let mut action = settled.action;
            let mut seen = sources.clone();
            seen.foreign.extend(settled.foreign);
            action.taints = taints(turn, entry, planned, &seen);
            Judged::Passed(Box::new(assess(entry, action, Stakes::Low)))
        }
        Err(Unsettled::Impossible(why)) => {
            gated.stop(planned, Status::Failed, &why);
            gated.remarks.push(why);
            Judged::Stopped
        }
        Err(Unsettled::Ask { question, param, choices }) => {
            let listed: Vec<String> =
                choices.iter().enumerate().map(|(i, (_, label))| format!("\n{}. {label}", i + 1)).collect();
            let question = match choices.as_slice() {
                [(_, only)] => format!("Do you mean {only}?"),
                _ => format!("{question}{}", listed.concat()),
            };
            gated.question.get_or_insert(Clarification {
                request: request.to_owned(),
                question,
                partial: Some((planned.clone(), param)),
                choices,
                domains: domains.to_vec(),
                taints: taints(turn, entry, planned, sources),
                at: turn.scene.now,
            });
            Judged::Stopped
        }
    }
}

/// What the planner took from somebody else's text. Judged on what it wrote, not on what code made of it: an
/// address that was looked up, or a time that was worked out, is nobody's text.
fn taints(turn: &Turn<'_>, entry: &dyn Entry, planned: &PlannedAction, seen: &Sources) -> Vec<Taint> {
    if entry.kind() != Kind::Write {
        return Vec::new();
    }
    let mut taints = taint::find(&planned.params, entry.references(), seen);
    // A planner may write the person's "tomorrow" as a date that some event has, too: a time is the person's own
    // if they gave one at all.
    let reference = turn.scene.reference();
    let own_time = !when::find(&seen.own, &reference).is_empty();
    taints.retain(|taint| !(own_time && is_a_time(&taint.value, &reference)));
    taints
}

/// True for a value that is a time and nothing else: a sentence that mentions one is still a sentence.
fn is_a_time(value: &str, reference: &Reference) -> bool {
    let found = when::find(value, reference);
    if found.is_empty() {
        return when::resolve(value, reference).is_some();
    }
    let mut rest = value.to_owned();
    for one in found.iter().rev() {
        rest.replace_range(one.span.clone(), "");
    }
    !rest.chars().any(char::is_alphanumeric)
}

fn allowed<'b>(
    brain: &'b Brain,
    planned: &PlannedAction,
    domains: &[String],
) -> Result<(&'b dyn Entry, &'b dyn crate::ports::Service), String> {
    let name = crate::core::text::visible(&crate::core::text::shorten(&super::turn::report_name(planned), 60));
    let entry = brain.catalog.find(&planned.service, &planned.command);
    let entry = entry.ok_or_else(|| format!("There is no such thing as {name}, so nothing was done about it."))?;
    if !domains.contains(&planned.service) {
        return Err(format!(
            "I left out {name}: your message didn't ask for anything with {}. Tell me if you want that.",
            planned.service
        ));
    }
    let service = brain.service(&planned.service).ok_or_else(|| format!("{} is not set up here.", planned.service))?;
    Ok((entry, service))
}

/// Splits what passed into "now" and "ask first", by stakes and by what depends on what.
fn sort(judged: Vec<Judged>, planned: &[PlannedAction], gated: &mut Gated) {
    let mut asks = vec![false; judged.len()];
    let mut stopped = vec![false; judged.len()];
    for (index, (judged, planned)) in judged.into_iter().zip(planned).enumerate() {
        let depends_on = planned.depends_on.clone();
        let Judged::Passed(assessed) = judged else {
            stopped[index] = true;
            continue;
        };
        if depends_on.iter().any(|&on| stopped[on]) {
            stopped[index] = true;
            gated.stop(planned, Status::Failed, "something before it is not settled yet");
            continue;
        }
        asks[index] = assessed.stakes() == Stakes::High || depends_on.iter().any(|&on| asks[on]);
        let passed = Passed { assessed: *assessed, index, depends_on };
        if asks[index] { gated.consent.push(passed) } else { gated.now.push(passed) }
    }
}

impl Gated {
    /// Reports an action that gets no further.
    fn stop(&mut self, planned: &PlannedAction, status: Status, why: &str) {
        self.stopped.push(Report {
            service: planned.service.clone(),
            command: planned.command.clone(),
            params: planned.params.clone(),
            status,
            error: Some(why.to_owned()),
        });
    }
}

/// An action of a list as a report.
pub fn report(action: &Action, status: Status, error: Option<&str>) -> Report {
    Report {
        service: action.service.clone(),
        command: action.command.clone(),
        params: action.params.clone(),
        status,
        error: error.map(str::to_owned),
    }
}
