//! Notes on what a card shows: what a planner put into words to somebody that nobody said (times, numbers, addresses,
//! names), by whose words a thing was found, addresses that look like others, and where mail that is on its way to somebody still goes.

use super::Seen;
use crate::pipeline::brain::Brain;
use crate::pipeline::consent::drafts;
use crate::pipeline::stages::phrasing::is_like_an_id;
use crate::pipeline::turn::TurnFacts;
use brain_core::core::card::show_address;
use brain_core::core::plan::{Action, Params, PlannedAction, Taint};
use brain_core::core::provenance;
use brain_core::core::provenance::Folded;
use brain_core::core::text::{shorten, visible};
use brain_language::language::grounding::{ValueKind, added};
use brain_language::language::requests;
use brain_services::services::contract::command::Effect;
use brain_services::services::contract::entry::Entry;
use brain_services::services::planning::values::typed_values;

/// Of what was added to a text, so much is named.
const ADDED_MAX: usize = 5;
const ADDED_CHARS_MAX: usize = 40;

/// A note that names it; `known` are the person's words, and the names of those whom they know.
pub(super) fn added_by_planner(
    facts: &TurnFacts,
    entry: &dyn Entry,
    planned: &PlannedAction,
    known: &[&str],
) -> Option<String> {
    let typed = typed_values(entry, &planned.params);
    let composed = typed.iter().filter(|value| value.kind == ValueKind::Composed);
    let added: Vec<String> = composed.flat_map(|value| added(&value.text, known, &facts.reference())).collect();
    // Words of a language that nobody here reads may say it all; figures, addresses and names are the same in any.
    let is_read = requests::is_read(facts.words());
    let is_told =
        |part: &&String| is_read || part.contains(|c: char| c.is_ascii_digit() || c == '@' || c.is_uppercase());
    let quoted: Vec<String> = added
        .iter()
        .filter(is_told)
        .take(ADDED_MAX)
        .map(|part| format!("“{}”", visible(&shorten(part, ADDED_CHARS_MAX))))
        .collect();
    (!quoted.is_empty()).then(|| format!("Added by me, you didn't say it: {}.", quoted.join(", ")))
}

/// Where mail still goes that was written before somebody's address changes: to the one that stands on it.
pub(super) async fn still_goes_to(
    brain: &Brain,
    facts: &TurnFacts,
    entry: &dyn Entry,
    action: &Action,
) -> Option<String> {
    let before = entry.readdresses(action);
    if before.is_empty() {
        return None;
    }
    let actions = facts.open.iter().flat_map(|pending| &pending.actions);
    let on_cards = actions.flat_map(|action| provenance::addresses(&action.params));
    let is_theirs = |to: &String| before.iter().any(|address| address.eq_ignore_ascii_case(to));
    let mut waits: Vec<String> =
        on_cards.filter(is_theirs).chain(drafts::goes_to(brain, facts, &before).await).collect();
    waits.sort();
    waits.dedup();
    let shown: Vec<String> = waits.iter().map(|address| show_address(address)).collect();
    (!shown.is_empty()).then(|| format!("the mail that is written already still goes to {}", shown.join(", ")))
}

/// What is told when somebody else's words say which entry is meant. What can be undone is told in its receipt; what
/// cannot, and would not be asked about otherwise, is asked about.
pub(super) fn found_by(
    entry: &dyn Entry,
    planned: &PlannedAction,
    seen: &Seen<'_>,
    effect: Effect,
    taints: &mut Vec<Taint>,
) -> Option<String> {
    if !entry.writes() {
        return None;
    }
    let found = provenance::find_in_references(&planned.params, entry.references(), &seen.folded);
    let remark = found.first().map(|words| format!("found by words from {}", words.label()));
    match effect {
        Effect::WriteElsewhere => taints.extend(found),
        Effect::Read | Effect::ReadElsewhere | Effect::WriteHere => {}
    }
    remark
}

/// Addresses that are nearly one that the person gave or knows.
pub(super) fn lookalikes(entry: &dyn Entry, action: &Action, folded: &Folded) -> Vec<String> {
    if !entry.passes_values_on() {
        return Vec::new();
    }
    let found = provenance::lookalikes(&action.params, entry.references(), folded);
    let remark = |(address, other): (String, String)| {
        format!("{} is not {}, though it looks like it", show_address(&address), show_address(&other))
    };
    found.into_iter().map(remark).collect()
}

/// Words about what was not found, without the id that a planner looked for: it says nothing to a person.
pub(super) fn without_id(params: &Params, why: String) -> String {
    let id = params.get("find_by").and_then(serde_json::Value::as_str).filter(|found_by| is_like_an_id(found_by));
    id.map_or(why.clone(), |id| why.replace(&format!("like “{id}”"), "of that name").replace(id, "that one"))
}
