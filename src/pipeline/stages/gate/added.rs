//! What a planner put into words to somebody that nobody said: times, numbers, addresses and names.

use crate::core::plan::PlannedAction;
use crate::core::text::{shorten, visible};
use crate::language::grounding::{ValueKind, added};
use crate::pipeline::turn::Turn;
use crate::services::entry::Entry;
use crate::services::values::typed_values;

/// Of what was added to a text, so much is named.
const ADDED_MAX: usize = 5;
const ADDED_CHARS_MAX: usize = 40;

/// A note that names it; `known` are the person's words, and the names of those whom they know.
pub(super) fn by_planner(
    turn: &Turn<'_>,
    entry: &dyn Entry,
    planned: &PlannedAction,
    known: &[&str],
) -> Option<String> {
    let typed = typed_values(entry, &planned.params);
    let composed = typed.iter().filter(|value| value.kind == ValueKind::Composed);
    let added: Vec<String> = composed.flat_map(|value| added(&value.text, known, &turn.reference())).collect();
    let quoted: Vec<String> =
        added.iter().take(ADDED_MAX).map(|part| format!("“{}”", visible(&shorten(part, ADDED_CHARS_MAX)))).collect();
    (!quoted.is_empty()).then(|| format!("Added by me, you didn't say it: {}.", quoted.join(", ")))
}
