//! Values and documents (JSON) as lines that a person reads.
//!
//! Invariant: every name and value is in the lines. Not here: where lines are cut and framed.

use serde_json::{Deserializer, Value};

use brain_core::core::text::one_line;

/// An answer as it is shown: documents in it as lines, and what code stands in without its fences. Everything else stays
/// as it came.
pub(super) fn shown(text: &str) -> String {
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        if let Some((value, end)) = document_at(rest) {
            write(&value, "", &mut lines);
            rest = rest[end..].trim_start_matches([' ', '\t', '\r']);
            rest = rest.strip_prefix('\n').unwrap_or(rest);
            continue;
        }
        let (line, further) = rest.split_once('\n').unwrap_or((rest, ""));
        if !is_fence(line) {
            lines.push(line.to_owned());
        }
        rest = further;
    }
    lines.join("\n")
}

/// A value of a parameter: a text as it is, a list and an object as lines.
pub(super) fn in_words(value: &Value) -> String {
    let mut lines = Vec::new();
    match value {
        Value::String(text) => return text.clone(),
        value => write(value, "", &mut lines),
    }
    lines.join("\n")
}

/// Marks where code begins or ends: three marks and one word at most.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    ["```", "~~~"].iter().any(|fence| line.strip_prefix(fence).is_some_and(|info| !info.contains([' ', '`', '~'])))
}

/// The document that a text begins with, where it fills its lines, and where it ends.
fn document_at(text: &str) -> Option<(Value, usize)> {
    text.trim_start_matches([' ', '\t']).starts_with(['{', '[']).then_some(())?;
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok().filter(is_document)?;
    let end = values.byte_offset();
    let is_alone = text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
    is_alone.then_some((value, end))
}

fn is_document(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn write(value: &Value, indent: &str, lines: &mut Vec<String>) {
    let deeper = format!("{indent}  ");
    match value {
        Value::Object(_) | Value::Array(_) if !is_document(value) => lines.push(format!("{indent}–")),
        Value::Object(map) => {
            for (name, value) in map {
                // A name that fills several lines would read as several names.
                begin(&format!("{indent}{}:", one_line(name)), value, &deeper, lines);
            }
        }
        Value::Array(items) => {
            for item in items {
                begin(&format!("{indent}•"), item, &deeper, lines);
            }
        }
        Value::String(text) => lines.extend(text.lines().map(|line| format!("{indent}{line}"))),
        Value::Bool(is) => lines.push(format!("{indent}{}", if *is { "yes" } else { "no" })),
        Value::Null => lines.push(format!("{indent}–")),
        Value::Number(_) => lines.push(format!("{indent}{value}")),
    }
}

/// On the line of its name where it is a line.
fn begin(name: &str, value: &Value, deeper: &str, lines: &mut Vec<String>) {
    let mut inner = Vec::new();
    write(value, deeper, &mut inner);
    match inner.as_slice() {
        [line] if !(value.is_object() || value.is_array()) => lines.push(format!("{name} {}", line.trim_start())),
        _ => {
            lines.push(name.to_owned());
            lines.append(&mut inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_shown_as_lines_and_other_words_as_they_are() {
        let document = r#"{"result": "one\ntwo", "task_list": [{"id": 4, "done": false}, "x", null]}"#;
        let lines = "result:\n  one\n  two\ntask_list:\n  •\n    done: no\n    id: 4\n  • x\n  • –";
        assert_eq!(shown(document), lines);
        assert_eq!(
            shown(&format!("Found:\n```json\n{document}\n```\nThat is all.")),
            format!("Found:\n{lines}\nThat is all.")
        );
        assert_eq!(shown("[1]\n\n[\n  2\n]\n"), "• 1\n\n• 2");
        assert_eq!(shown("```rust\nfn main() {}\n```"), "fn main() {}");
        for text in ["21 degrees", "21", "\"quoted\"", "{", "{}", "[12:04] {\"a\": 1}", "[1] see below", "a ``` b", ""]
        {
            assert_eq!(shown(text), text, "{text}");
        }
    }

    #[test]
    fn a_value_that_is_no_text_has_a_line_for_each_of_its_fields() {
        assert_eq!(in_words(&json!({"rows": [{"n": 1}], "dry": true})), "dry: yes\nrows:\n  •\n    n: 1");
        assert_eq!((in_words(&json!("[1]")), in_words(&json!(4.5))), ("[1]".to_owned(), "4.5".to_owned()));
    }
}
