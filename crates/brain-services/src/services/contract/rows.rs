//! Rows of a result as a model reads them: of every command, from its output alone, each with its id and all that it
//! says, and how many of how many they are. Not here: what people are shown of it (receipts).

use serde_json::{Map, Value};

use brain_core::core::text::{one_line, shorten};
use brain_core::limits::{LIST_ROWS_MAX, ROW_DETAIL_CHARS};

/// One thing that a result holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRow {
    /// What `find_by` must hold to mean it; empty where nothing does.
    pub id: String,
    /// What the result calls it and its like.
    kind: String,
    /// Its fields, short ones first; those that say nothing are left out.
    fields: Vec<(String, String)>,
}

/// What a result holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundRows {
    /// In the order in which they are listed.
    pub rows: Vec<FoundRow>,
    /// How many more fit that are not among them.
    pub more: usize,
    /// By what they are in order, where the result says so.
    order: String,
}

/// Where a page goes on, which says nothing of a row, and what is told as the id.
const INTERNAL: [&str; 3] = ["id", "next", "after"];
/// Longer values are texts.
const LONG_BYTES: usize = 80;

impl FoundRows {
    /// Those of a result.
    pub fn of(result: &Value) -> Self {
        let Value::Object(fields) = result else { return Self::default() };
        let mut rows = Vec::new();
        for (kind, value) in fields {
            let of_kind = match value {
                Value::Array(rows) => rows.iter().collect(),
                Value::Object(_) => vec![value],
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
            };
            rows.extend(of_kind.into_iter().filter_map(Value::as_object).map(|row| FoundRow::of(kind, row)));
        }
        let more = fields.get("more").and_then(Value::as_u64).and_then(|more| usize::try_from(more).ok());
        let order = fields.get("order").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { rows, more: more.unwrap_or_default(), order }
    }

    /// As lines for a prompt. Empty where there are none.
    pub fn lines(&self) -> Vec<String> {
        let Some(first) = self.rows.first() else { return Vec::new() };
        let shown = self.rows.len().min(LIST_ROWS_MAX);
        let order = if self.order.is_empty() { String::new() } else { format!(", {}", self.order) };
        let head = match (self.rows.len() + self.more) - shown {
            0 => format!("All {shown}{order}:"),
            left => format!("The first {shown} of {}{order}; {left} more are not shown:", shown + left),
        };
        let is_mixed = self.rows.iter().any(|row| row.kind != first.kind);
        let line = |row: &FoundRow| {
            let kind = if is_mixed { format!(" ({})", row.kind) } else { String::new() };
            let id = if row.id.is_empty() { String::new() } else { format!(" {}", row.id) };
            format!("-{id}{kind} {}", row.beside(""))
        };
        std::iter::once(head).chain(self.rows.iter().take(shown).map(line)).collect()
    }
}

impl FoundRow {
    fn of(kind: &str, object: &Map<String, Value>) -> Self {
        let id = object.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let told = object.iter().filter(|(name, _)| !INTERNAL.contains(&name.as_str()));
        let fields = told.map(|(name, value)| (name.clone(), said(value))).filter(|(_, value)| !value.is_empty());
        let mut fields: Vec<(String, String)> = fields.collect();
        // What is cut off is the end of a text.
        fields.sort_by_key(|(_, value)| value.len() > LONG_BYTES);
        Self { id, kind: kind.to_owned(), fields }
    }

    /// What it says beside what it is called.
    pub fn beside(&self, label: &str) -> String {
        let beside = self.fields.iter().filter(|(_, value)| value != label);
        beside.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("; ")
    }
}

/// A value on one line; empty where it says nothing.
fn said(value: &Value) -> String {
    let text = match value {
        Value::Null | Value::Bool(false) => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(said).filter(|one| !one.is_empty()).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.values().map(said).filter(|one| !one.is_empty()).collect::<Vec<_>>().join(" "),
    };
    shorten(&one_line(&text), ROW_DETAIL_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_have_their_ids_and_all_that_they_say_and_are_counted() {
        let long =
            "They want to see the figures of the last quarter before anybody decides about the next one, in full.";
        let result = json!({
            "events": [
                {"id": "e1", "summary": "Call", "start_time": "2026-01-13T15:00:00Z", "end_time": "2026-01-13T15:30:00Z",
                 "location": "Room 2", "attendees": ["Bo <bo@example.org>", "al@example.org"], "notes": null, "about": long},
                {"id": "e2", "summary": "Gym", "keeps_free": true},
            ],
            "from": "2026-01-13T00:00:00Z", "more": 5, "next": "e2", "order": "in order of time",
        });
        let first = format!(
            "- e1 attendees: Bo <bo@example.org>, al@example.org; end_time: 2026-01-13T15:30:00Z; location: Room 2; \
             start_time: 2026-01-13T15:00:00Z; summary: Call; about: {long}"
        );
        assert_eq!(
            FoundRows::of(&result).lines(),
            [
                "The first 2 of 7, in order of time; 5 more are not shown:",
                first.as_str(),
                "- e2 keeps_free: yes; summary: Gym",
            ]
        );
        assert_eq!(FoundRows::of(&result).rows[1].beside("Gym"), "keeps_free: yes");
        let mixed = json!({"due": [{"id": "t1", "title": "Pay"}], "events": [{"id": "e1", "summary": "Call"}]});
        assert_eq!(FoundRows::of(&mixed).lines(), ["All 2:", "- t1 (due) title: Pay", "- e1 (events) summary: Call"]);
        assert_eq!(FoundRows::of(&json!({"people": [{"name": "Bo"}]})).lines(), ["All 1:", "- name: Bo"]);
        assert_eq!(FoundRows::of(&json!({"events": [], "more": 0})).lines(), Vec::<String>::new());
    }
}
