//! What became of a plan before it ran, in words for whoever looks into the turn: what grounding and the gate left out or
//! held, and why. Nothing is made of it where nobody keeps it.

use crate::pipeline::brain::Brain;
use crate::pipeline::run::Passed;
use crate::pipeline::stages::doubts::Doubt;
use crate::pipeline::stages::gate::Gated;
use crate::pipeline::stages::grounding::Grounded;
use crate::pipeline::stages::later::{DeferralReason, DeferredAction};
use crate::pipeline::stages::topic::Planned;
use crate::pipeline::turn::TurnAccount;
use brain_core::core::outcome::Report;
use brain_core::core::plan::{Action, Params, Plan, PlannedAction};
use brain_core::ports::records::{GateVerdict, GatedAction, NodeContents};
use brain_services::services::contract::command::Effect;

/// What came of planning in place of a plan.
pub(super) fn planned(account: &TurnAccount, planned: &Planned) {
    if !account.meter().is_collecting() {
        return;
    }
    if let Planned::Doubt(doubt) = planned {
        offered(account, doubt.choices.iter().flat_map(|(_, plan)| &plan.actions));
    }
    let gave = match planned {
        // Grounding tells of these, and they are looked up or asked about first.
        Planned::Plan { .. } | Planned::Depends(_) => return,
        Planned::NotUnderstood(words) => lines([("not understood", words.clone())]),
        Planned::Ask(question) => lines([("asked", question.question.clone())]),
        Planned::Doubt(doubt) => in_doubt(doubt),
    };
    account.noted(account.elapsed_us(), || NodeContents::of("not planned", "", &gave));
}

fn in_doubt(doubt: &Doubt) -> String {
    let offered = doubt.choices.iter().map(|(label, plan)| format!("{label}\n{}", written(plan)));
    let offered = offered.collect::<Vec<_>>().join("\n");
    lines([("not done before its person has said so", doubt.words.clone()), ("offered", offered)])
}

/// A plan that is being held against something.
pub(super) struct WeighedPlan<'a> {
    account: &'a TurnAccount,
    started: u64,
    plan: Option<String>,
}

impl<'a> WeighedPlan<'a> {
    pub(super) fn of(account: &'a TurnAccount, plan: &Plan) -> Self {
        let plan = account.meter().is_collecting().then(|| written(plan));
        Self { account, started: account.elapsed_us(), plan }
    }

    /// What grounding made of it.
    pub(super) fn grounded(self, grounded: &Grounded) {
        if let Grounded::Doubt(doubt) = grounded {
            offered(self.account, doubt.choices.iter().flat_map(|(_, plan)| &plan.actions));
        }
        self.note("grounding", || match grounded {
            Grounded::Plan { plan, remarks } => lines([("goes on", written(plan)), ("left out", remarks.join("\n"))]),
            Grounded::Doubt(doubt) => in_doubt(doubt),
            Grounded::Ask(question) => lines([("asked", question.question.clone())]),
        });
    }

    /// What the gate made of it.
    pub(super) fn gated(self, gated: &Gated) {
        let Gated { now, later, stopped, remarks, .. } = gated;
        self.note("gate", || {
            let run = now.iter().map(|passed| passed.assessed.action().name()).collect::<Vec<_>>().join("\n");
            let refused = stopped.iter().map(refused).collect::<Vec<_>>().join("\n");
            let wait = later.iter().map(waiting).collect::<Vec<_>>().join("\n");
            lines([("run", run), ("wait", wait), ("refused", refused), ("told", remarks.join("\n"))])
        });
    }

    fn note(self, name: &str, gave: impl FnOnce() -> String) {
        if let Some(plan) = self.plan {
            self.account.noted(self.started, || NodeContents::of(name, &plan, &gave()));
        }
    }
}

/// What is done with one tap.
pub(in crate::pipeline::stages) fn offered<'a>(
    account: &TurnAccount,
    actions: impl Iterator<Item = &'a PlannedAction>,
) {
    let of = |round, planned: &PlannedAction| {
        GatedAction::of(round, planned.name(), &planned.params, true, GateVerdict::Offered)
    };
    account.gated(|round| actions.map(|planned| of(round, planned)).collect());
}

/// Each action as the gate judged it.
pub(super) fn at_gate(brain: &Brain, gated: &Gated, round: u8) -> Vec<GatedAction> {
    let Gated { now, later, stopped, .. } = gated;
    let of = |service: &str, command: &str, params: &Params, verdict| {
        let writes = brain.services.command(service, command).is_some_and(|entry| entry.writes());
        GatedAction::of(round, format!("{service}.{command}"), params, writes, verdict)
    };
    let settled = |action: &Action, verdict| of(&action.service, &action.command, &action.params, verdict);
    let now = now.iter().map(|passed| settled(passed.assessed.action(), GateVerdict::Runs));
    let later = later.iter().map(|deferred| match &deferred.needs {
        DeferralReason::Others(assessed) => settled(assessed.action(), GateVerdict::Waits),
        DeferralReason::Answer(_) => {
            let planned = &deferred.planned;
            of(&planned.service, &planned.command, &planned.params, GateVerdict::Unclear)
        }
    });
    let stopped =
        stopped.iter().map(|report| of(&report.service, &report.command, &report.params, GateVerdict::Refused));
    now.chain(later).chain(stopped).collect()
}

/// Whether a plan only looks at what is kept here.
pub(super) fn only_looks_here(brain: &Brain, gated: &Gated) -> bool {
    let looks_here = |passed: &Passed| {
        let action = passed.assessed.action();
        brain.services.of(action).is_some_and(|entry| entry.effect(action.account.as_ref()) == Effect::Read)
    };
    gated.later.is_empty() && gated.now.iter().all(looks_here)
}

fn waiting(later: &DeferredAction) -> String {
    let waits_for = match &later.needs {
        DeferralReason::Others(_) => "a yes, or what it depends on",
        DeferralReason::Answer(unclear) => &unclear.question,
    };
    format!("{}: {waits_for}", later.planned.name())
}

fn refused(report: &Report) -> String {
    let why = report.error.as_deref().unwrap_or_default();
    format!("{}.{}: {why}", report.service, report.command)
}

/// Each action with its values, and what is asked or left open.
fn written(plan: &Plan) -> String {
    let values = |params: &Params| serde_json::to_string(params).unwrap_or_default();
    let actions = plan.actions.iter().map(|planned| format!("{} {}", planned.name(), values(&planned.params)));
    let question = plan.question.iter().map(|question| format!("question: {question}"));
    let open = plan.open.iter().map(|open| format!("open: {open}"));
    actions.chain(question).chain(open).collect::<Vec<_>>().join("\n")
}

/// What there is of these, each below its name.
fn lines<const N: usize>(parts: [(&str, String); N]) -> String {
    let there = parts.into_iter().filter(|(_, text)| !text.is_empty());
    there.map(|(name, text)| format!("{name}:\n{text}")).collect::<Vec<_>>().join("\n")
}
