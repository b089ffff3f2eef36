//! What "it" is: the most recent thing of the conversation that fits.

use super::{Past, PastAction};

/// The latest action that fits; later turns and later actions first.
pub(crate) fn latest(history: &[Past], fits: impl Fn(&PastAction) -> bool) -> Option<&PastAction> {
    history.iter().rev().flat_map(|past| past.actions.iter().rev()).find(|action| fits(action))
}

/// What an item is found by: its id, or what it was called when it was asked for.
pub(crate) fn handle(action: &PastAction) -> Option<String> {
    if let Some(item) = action.item.as_ref().filter(|item| !item.id.is_empty()) {
        return Some(item.id.clone());
    }
    described(action)
}

/// The words for the item.
pub(crate) fn label(action: &PastAction) -> String {
    match &action.item {
        Some(item) if !item.label.is_empty() => item.label.clone(),
        Some(_) | None => described(action).unwrap_or_default(),
    }
}

fn described(action: &PastAction) -> Option<String> {
    ["summary", "title", "subject", "find_by", "key", "query", "name"]
        .iter()
        .find_map(|name| action.params.get(*name)?.as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
