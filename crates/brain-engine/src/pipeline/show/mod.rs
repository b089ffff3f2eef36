//! What is shown of actions, cards and outcomes: pure renderings over the registry and what is shown; only [`overview`]
//! reads what it tells. Not here: what a command says of itself (`services::contract::show`), and what a turn says beside
//! it (the stages).

pub mod changed_tools;
pub mod overview;
mod receipts;

use chrono_tz::Tz;
use serde_json::Value;

use brain_core::core::outcome::{Outcome, Report, Status};
use brain_core::core::pending::State;
use brain_core::core::plan::{Action, PlannedAction};
use brain_core::core::run::{Step, StepProgress};
use brain_core::core::text::shorten;
use brain_core::limits;
use brain_services::services::catalog::registry::Registry;
use brain_services::services::contract::show::Moment;

pub use brain_services::services::catalog::cards::{title, wording};
pub use receipts::{Results, receipt};

/// Proposed actions in a few words: the first of them, when there are many.
pub fn meant(services: &Registry, actions: &[PlannedAction]) -> String {
    let definition = |planned: &PlannedAction| {
        let entry = services.command(&planned.service, &planned.command)?;
        entry.definition().map(str::to_owned)
    };
    let action = |planned: &PlannedAction| Action {
        service: planned.service.clone(),
        command: planned.command.clone(),
        params: planned.params.clone(),
        schema: definition(planned),
        ..Action::default()
    };
    let named = actions.iter().take(limits::ACTIONS_NAMED_MAX);
    let named = named.map(|planned| shorten(&wording(services, &action(planned)), limits::ACTION_NAMED_CHARS));
    let mut named = named.collect::<Vec<_>>().join("; ");
    if actions.len() > limits::ACTIONS_NAMED_MAX {
        named.push_str("; …");
    }
    named
}

/// How a report names a state.
pub fn status_of(state: State) -> Status {
    match state {
        State::Pending | State::Approved | State::Executing => Status::Pending,
        State::Succeeded => Status::Succeeded,
        State::Failed => Status::Failed,
        State::Unknown => Status::Unknown,
        State::Denied => Status::Denied,
        State::Expired => Status::Expired,
        State::Superseded => Status::Superseded,
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
        action: Some(Box::new(action.clone())),
        result: None,
    }
}

/// A step of a run as a report.
pub fn step_report(step: &Step) -> Report {
    match &step.progress {
        StepProgress::Done { outcome: outcome @ Outcome::Succeeded { result } } => {
            let result = Some(Box::new(result.clone()));
            Report { result, ..report(&step.action, outcome.status(), None) }
        }
        StepProgress::Done { outcome } => report(&step.action, outcome.status(), outcome.error()),
        StepProgress::Planned | StepProgress::Started => report(&step.action, Status::Unknown, Some("not finished")),
    }
}

/// "1 memory", "2 memories".
pub fn counted(name: &str, count: usize) -> String {
    let name = name.replace('_', " ");
    let one = match name.as_str() {
        // A state that ends so is said of any number.
        waiting if waiting.ends_with(" yes") => waiting.to_owned(),
        several => match several.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => several.strip_suffix('s').unwrap_or(several).to_owned(),
        },
    };
    format!("{count} {}", if count == 1 { one } else { name })
}

/// The line that names an assumed zone, once.
pub fn zone_note(zone: Tz) -> String {
    let name = zone.name();
    format!("(I took {name} as your time zone. If it is another, write for example “my time zone is Lisbon”.)")
}

/// True when a text shows a time that was resolved, so that the zone matters.
pub fn shows_time(action: &Action) -> bool {
    action.params.values().chain(action.params.get("changes")).any(holds_time)
}

fn holds_time(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            matches!(Moment::read(text, Tz::UTC), Some(Moment::Instant(_)))
        }
        Value::Object(map) => map.values().any(holds_time),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}
