//! An answer that is a JSON document, as lines that a person reads: for its receipt alone, what is kept stays as it came.
//!
//! Invariant: every name and value of it is in the lines. Not here: where lines are cut and framed.

use serde_json::Value;

/// The lines of an object or a list, where these have at most so many characters.
pub(super) fn in_lines(text: &str, chars_max: usize) -> Option<String> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    if !(value.is_object() || value.is_array()) {
        return None;
    }
    let mut lines = Vec::new();
    write(&value, "", &mut lines);
    let whole = lines.join("\n");
    (!lines.is_empty() && whole.chars().count() <= chars_max).then_some(whole)
}

fn write(value: &Value, indent: &str, lines: &mut Vec<String>) {
    let deeper = format!("{indent}  ");
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                begin(&format!("{indent}{}:", name), value, &deeper, lines);
            }
        }
        Value::Array(items) => {
            for item in items {
                begin(&format!("{indent}•"), item, &deeper, lines);
            }
        }
        Value::String(text) => lines.extend(text.lines().map(|line| format!("{indent}{line}"))),
        Value::Null | Value::Bool(_) | Value::Number(_) => lines.push(format!("{indent}{value}")),
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

    #[test]
    fn a_document_is_shown_as_lines_and_other_words_as_they_are() {
        let shown = in_lines(r#"{"result": "one\ntwo", "task_list": [{"id": 4, "done": false}, "x"]}"#, 100).unwrap();
        assert_eq!(shown, "result:\n  one\n  two\ntask_list:\n  •\n    done: false\n    id: 4\n  • x");
        for text in ["21 degrees", "21", "\"quoted\"", "{", "{}", ""] {
            assert_eq!(in_lines(text, 100), None, "{text}");
        }
        assert_eq!(in_lines(r#"["a long one"]"#, 5), None, "too much of it");
    }
}
