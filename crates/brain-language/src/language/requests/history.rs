//! Anaphora: what a pronoun means, which is the most recent thing of the conversation that fits.

use serde_json::Value;

use super::parse_input::Past;
use brain_core::core::history::PastAction;
use brain_core::core::plan::Params;

/// The latest action that fits; later turns and later actions first.
pub fn latest(history: &[Past], fits: impl Fn(&PastAction) -> bool) -> Option<&PastAction> {
    history.iter().rev().flat_map(|past| past.actions.iter().rev()).find(|action| fits(action))
}

/// What an item is found by: its id, or what it was called when it was asked for.
pub fn handle(action: &PastAction) -> Option<String> {
    if let Some(item) = action.item.as_ref().filter(|item| !item.id.is_empty()) {
        return Some(item.id.clone());
    }
    described(action)
}

/// The words for the item.
pub fn label(action: &PastAction) -> String {
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

/// The people an action names: recipients, a contact, or whom an event is with.
pub fn people_of(params: &Params) -> Option<Vec<String>> {
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    let list = |name: &str| -> Option<Vec<String>> {
        let names: Vec<String> =
            params.get(name)?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        (!names.is_empty()).then_some(names)
    };
    let with = |text: String| text.split_once(" with ").map(|(_, who)| who.to_owned());
    let one = || {
        let described = ["summary", "find_by"].iter().find_map(|name| text(name).and_then(with));
        described.or_else(|| text("name")).or_else(|| text("from")).or_else(|| text("query"))
    };
    list("to").or_else(|| list("attendees")).or_else(|| one().map(|name| vec![name]))
}
