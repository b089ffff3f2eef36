//! Words of receipts: the values that somebody was told, and the frame around what they answered.

use serde_json::Value;

use super::definition::ToolDefinition;
use super::document::in_words;
use crate::services::contract::addressee::ASKED;
use brain_core::core::plan::Params;
use brain_core::core::text::{quoted, visible};
use brain_core::limits;
use brain_core::ports::in_order;

/// Who was told what, or did what with it.
pub(super) fn headed(definition: &ToolDefinition, title: &str, params: &Params) -> String {
    let (name, told) = (&definition.name, values(&definition.schema, params));
    match definition.effect.writes() {
        true if told.is_empty() => format!("🔧 {title} did {name}"),
        true => format!("🔧 {title} did {name} with {told}"),
        false if told.is_empty() => format!("🔧 Asked {title}, {name}"),
        false => format!("🔧 Asked {title}, {name}: {told}"),
    }
}

/// The values that were told, in the order of the definition.
fn values(schema: &Value, params: &Params) -> String {
    let order = in_order(schema).into_iter().filter_map(|(name, _)| params.get(name));
    let answers = params.iter().filter(|(name, _)| name.starts_with(ASKED) && *name != ASKED).map(|(_, value)| value);
    let told = order.chain(answers).map(|value| quoted(&in_words(value), limits::TOLD_CHARS_MAX));
    let told: Vec<String> = told.collect();
    let (shown, more) = told.split_at(told.len().min(limits::TOLD_VALUES_MAX));
    match more.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Framed as a letter's text is: no line of it is taken for a receipt of ours.
pub(in crate::services) fn framed_answer(text: &str) -> String {
    let framed: Vec<String> = visible(text.trim_end()).lines().map(|line| format!("│ {line}")).collect();
    framed.join("\n")
}
