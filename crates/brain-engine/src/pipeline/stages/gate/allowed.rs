//! What may be judged at all: a command that is there, of a service that the message was routed to.

use std::sync::Arc;

use crate::pipeline::brain::Brain;
use brain_core::core::ids::UserId;
use brain_core::core::plan::PlannedAction;
use brain_core::core::provenance::WrittenBy;
use brain_core::core::text::{quoted, shorten, visible};
use brain_core::limits;
use brain_services::services::catalog::registry::Registration;
use brain_services::services::contract::entry::Entry;

/// The command of a proposal, or why it is refused.
pub(super) fn allowed(
    brain: &Brain,
    owner: &UserId,
    planned: &PlannedAction,
    domains: &[String],
    written_by: &WrittenBy,
) -> Result<Arc<dyn Entry>, String> {
    let name = visible(&shorten(&crate::pipeline::turn::report_name(planned), 60));
    let services = brain.services.now();
    let of_code = || services.unplanned(&planned.service, &planned.command, written_by);
    let entry = services.command(&planned.service, &planned.command).or_else(of_code);
    let entry = entry.ok_or_else(|| match brain.services.open_to(owner).find(&planned.service) {
        Some(service) => cannot(service, planned),
        None => format!("There is no such thing as {name}, so nothing was done about it."),
    })?;
    if !domains.contains(&planned.service) {
        let what = entry.summary();
        return Err(format!("I left one thing out, because you didn't ask for it: {what}. Tell me if you want it."));
    }
    Ok(entry)
}

/// What is said of a command that its service does not have.
fn cannot(service: &Registration, planned: &PlannedAction) -> String {
    let (title, command) = (visible(&service.info.title), quoted(&planned.command, limits::ACTION_NAMED_CHARS));
    let name = |entry: &Arc<dyn Entry>| shorten(entry.command(), limits::ACTION_NAMED_CHARS);
    let tools: Vec<String> = service.commands().filter(|_| service.has_tools()).map(name).collect();
    let (named, more) = tools.split_at(tools.len().min(limits::ASKING_TOOLS_NAMED_MAX));
    let has = match (named.is_empty(), more.len()) {
        (true, _) => String::new(),
        (false, 0) => format!(" It has: {}.", named.join(", ")),
        (false, more) => format!(" It has: {} and {more} more.", named.join(", ")),
    };
    format!("{title} cannot {command}, so nothing was done about it.{has}")
}
