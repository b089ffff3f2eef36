//! Calls of tools, which nobody has offered: models trained on them make them all the same, as fields of the answer or
//! written into its text.
//!
//! ```text
//! delta.tool_calls          fragments, put together by [`join`]
//! <tool_call>{…}</tool_call>        <function=NAME>{…}</function>        [TOOL_CALLS] …
//! {"name": …, "arguments": {…}}     the same in a fence or a list
//! ```
//! Pure. Invariants: nothing is ever carried out from here: a stage that plans may read them as its plan, and to people
//! they are not shown. What only looks like a call is text. Not here: which commands the names stand for.

use serde_json::{Map, Value};

use super::repair::{self, Ending};
use brain_core::ports::ToolCall;

/// A call, or a part of one, as a field of the answer brings it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    pub index: Option<u64>,
    pub id: Option<String>,
    pub name: String,
    /// A piece of a JSON document.
    pub arguments: String,
}

/// The fragments in a message or delta, the older `function_call` included.
pub(super) fn fragments(said: &Value) -> Vec<Fragment> {
    let listed = said["tool_calls"].as_array().into_iter().flatten();
    let single = Some(&said["function_call"]).filter(|call| call.is_object());
    listed.chain(single).map(fragment).collect()
}

fn fragment(call: &Value) -> Fragment {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let inner = if call["function"].is_object() { &call["function"] } else { call };
    let arguments = &inner["arguments"];
    Fragment {
        index: call["index"].as_u64(),
        id: text(&call["id"]),
        name: text(&inner["name"]).unwrap_or_default(),
        arguments: text(arguments).or_else(|| arguments.is_object().then(|| arguments.to_string())).unwrap_or_default(),
    }
}

/// Adds a fragment to the calls so far. Servers give all calls one index, none an index, or an id in the first
/// fragment of a call alone; but none begins a call without its name.
pub(super) fn join(calls: &mut Vec<Fragment>, piece: Fragment) {
    let by_id = piece.id.as_ref().and_then(|id| calls.iter().rposition(|call| call.id.as_ref() == Some(id)));
    let by_index = || calls.iter().rposition(|call| piece.index.is_some() && call.index == piece.index);
    let last = || calls.len().checked_sub(1).filter(|_| piece.index.is_none() || piece.name.is_empty());
    let at = by_id.or_else(by_index).or_else(last).filter(|at| !begins(&calls[*at], &piece));
    match at.and_then(|at| calls.get_mut(at)) {
        Some(call) => {
            if call.name.is_empty() {
                call.name = piece.name;
            }
            call.id = call.id.take().or(piece.id);
            call.arguments.push_str(&piece.arguments);
        }
        None => calls.push(piece),
    }
}

/// Whether the piece is the beginning of another call than this one.
fn begins(call: &Fragment, piece: &Fragment) -> bool {
    let other_id = matches!((&call.id, &piece.id), (Some(one), Some(other)) if one != other);
    let is_named = !piece.name.is_empty() && !call.name.is_empty();
    // Some repeat the name with every fragment.
    is_named && (other_id || piece.name != call.name || repair::find(&call.arguments, Ending::Cut).is_some())
}

/// The calls that came as fields.
pub(super) fn read(fragments: Vec<Fragment>) -> Vec<ToolCall> {
    let named = fragments.into_iter().filter(|call| !call.name.is_empty());
    named.map(|Fragment { name, arguments, .. }| ToolCall { name, arguments: object(&arguments) }).collect()
}

fn object(text: &str) -> Value {
    let found = repair::find(text, Ending::Stopped).filter(Value::is_object);
    found.unwrap_or_else(|| Value::Object(Map::new()))
}

const NAMES: [&str; 5] = ["name", "function", "tool", "tool_name", "action"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "params", "input"];

/// The calls that a document is; none where it is anything else.
pub(super) fn in_document(document: &Value) -> Vec<ToolCall> {
    match document {
        Value::Array(all) => {
            let calls: Vec<Vec<ToolCall>> = all.iter().map(in_document).collect();
            if calls.iter().any(Vec::is_empty) { Vec::new() } else { calls.concat() }
        }
        Value::Object(map) => in_object(map).into_iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn in_object(map: &Map<String, Value>) -> Option<ToolCall> {
    if let Some(inner) = map.get("function").and_then(Value::as_object) {
        return in_object(inner);
    }
    let arguments = match ARGUMENTS.iter().find_map(|key| map.get(*key))? {
        arguments @ Value::Object(_) => arguments.clone(),
        Value::String(text) => repair::find(text, Ending::Stopped).filter(Value::is_object)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let text = |key: &str| map.get(key).and_then(Value::as_str).filter(|name| !name.trim().is_empty());
    // An action of a plan that stands alone.
    if let (Some(service), Some(command)) = (text("service"), text("command")) {
        return Some(ToolCall { name: format!("{service}.{command}"), arguments });
    }
    let name = NAMES.iter().find_map(|key| text(key))?;
    Some(ToolCall { name: name.trim().to_owned(), arguments })
}

/// What an opening tag stands for, and what closes it.
const TAGS: [(&str, &str); 4] = [
    ("<tool_call>", "</tool_call>"),
    ("<function_call>", "</function_call>"),
    ("<function=", "</function>"),
    // To the end of its line.
    ("[TOOL_CALLS]", "\n"),
];
const FENCE: &str = "```";

/// What stands at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeadingText {
    /// Words.
    No,
    /// A call, if the right characters follow; as text it has so many bytes that are certain.
    Undecided,
    /// A call that has not ended yet.
    Begun,
    /// A call of so many bytes.
    Call(usize),
}

/// Looks for a call at the very beginning of a text that may go on.
pub(super) fn at_start(text: &str) -> LeadingText {
    for (opening, closing) in TAGS {
        if let Some(inside) = text.strip_prefix(opening) {
            return match inside.find(closing) {
                Some(at) => LeadingText::Call(opening.len() + at + closing.len()),
                None => LeadingText::Begun,
            };
        }
        if opening.starts_with(text) {
            return LeadingText::Undecided;
        }
    }
    if let Some(inside) = text.strip_prefix(FENCE) {
        return in_fence(inside);
    }
    if FENCE.starts_with(text) {
        return LeadingText::Undecided;
    }
    if text.starts_with('{') { in_braces(text) } else { LeadingText::No }
}

fn in_fence(inside: &str) -> LeadingText {
    let is_name = |language: &str| language.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (language, block) = match inside.split_once('\n') {
        Some((language, block)) if is_name(language) => (language, block),
        None if is_name(inside) => return LeadingText::Undecided,
        Some(_) | None => return LeadingText::No,
    };
    let (closed, whole) = match block.find(FENCE) {
        Some(at) => (true, &block[..at]),
        None => (false, block),
    };
    let begun = whole.trim_start();
    let is_list = begun.starts_with('[') && is_named_first(begun[1..].trim_start()) != Some(false);
    match is_named_first(begun) {
        _ if begun.is_empty() && !closed => LeadingText::Undecided,
        Some(false) if !is_list => LeadingText::No,
        _ if !closed => LeadingText::Undecided,
        Some(_) | None => match repair::find(whole, Ending::Stopped).map(|found| in_document(&found)) {
            Some(calls) if !calls.is_empty() => {
                LeadingText::Call(FENCE.len() + language.len() + 1 + whole.len() + FENCE.len())
            }
            Some(_) | None => LeadingText::No,
        },
    }
}

fn in_braces(text: &str) -> LeadingText {
    match is_named_first(text) {
        None => LeadingText::Undecided,
        Some(false) => LeadingText::No,
        Some(true) => match end_of_object(text) {
            None => LeadingText::Begun,
            Some(end) => {
                let found = repair::find(&text[..end], Ending::Stopped);
                if found.is_some_and(|found| !in_document(&found).is_empty()) {
                    LeadingText::Call(end)
                } else {
                    LeadingText::No
                }
            }
        },
    }
}

/// Whether the first key of an object is one that a call begins with; `None` while that cannot be told.
fn is_named_first(text: &str) -> Option<bool> {
    let Some(inside) = text.strip_prefix('{') else {
        return if text.is_empty() { None } else { Some(false) };
    };
    let inside = inside.trim_start();
    let Some(key) = inside.strip_prefix('"') else {
        return if inside.is_empty() { None } else { Some(false) };
    };
    let keys = || NAMES.iter().chain(&ARGUMENTS).chain(&["service", "type", "id"]);
    match key.split_once('"') {
        Some((key, _)) => Some(keys().any(|known| *known == key)),
        None if keys().any(|known| known.starts_with(key)) => None,
        None => Some(false),
    }
}

/// Behind the brace that closes the first one.
fn end_of_object(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The calls that stand between tags in a text.
pub(super) fn in_tags(text: &str) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some((at, opening, closing)) = next_tag(rest) {
        let inside = &rest[at + opening.len()..];
        let end = inside.find(closing).unwrap_or(inside.len());
        let (body, after) = inside.split_at(end);
        rest = after.strip_prefix(closing).unwrap_or(after);
        calls.extend(if opening == "<function=" { function(body).into_iter().collect() } else { documents(body) });
    }
    calls
}

fn next_tag(text: &str) -> Option<(usize, &'static str, &'static str)> {
    TAGS.iter().filter_map(|(opening, closing)| Some((text.find(opening)?, *opening, *closing))).min()
}

fn documents(body: &str) -> Vec<ToolCall> {
    // <tool_call><function=…>…</function></tool_call>
    if let Some((_, inside)) = body.split_once("<function=") {
        return function(inside.split("</function>").next().unwrap_or(inside)).into_iter().collect();
    }
    repair::find(body, Ending::Stopped).map(|document| in_document(&document)).unwrap_or_default()
}

/// `NAME>{…}`, or `NAME>` and `<parameter=KEY>VALUE</parameter>` for each.
fn function(body: &str) -> Option<ToolCall> {
    let (name, inside) = body.split_once('>')?;
    let name = name.trim().trim_matches('"').to_owned();
    let mut arguments = Map::new();
    for piece in inside.split("<parameter=").skip(1) {
        let (key, value) = piece.split_once('>')?;
        let value = value.split("</parameter>").next().unwrap_or(value).trim();
        let typed = serde_json::from_str(value).ok().filter(|value: &Value| !value.is_number());
        arguments.insert(key.trim().to_owned(), typed.unwrap_or_else(|| Value::from(value)));
    }
    let arguments = if arguments.is_empty() { object(inside) } else { Value::Object(arguments) };
    (!name.is_empty()).then_some(ToolCall { name, arguments })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(deltas: &[Value]) -> Vec<ToolCall> {
        let mut calls = Vec::new();
        deltas.iter().flat_map(fragments).for_each(|piece| join(&mut calls, piece));
        read(calls)
    }

    fn delta(head: Value, name: &str, arguments: &str) -> Value {
        let mut call = head;
        call["function"] = json!({"arguments": arguments});
        if !name.is_empty() {
            call["function"]["name"] = json!(name);
        }
        json!({"tool_calls": [call]})
    }

    fn two() -> Vec<ToolCall> {
        let call = |name: &str, title: &str| ToolCall { name: name.to_owned(), arguments: json!({"title": title}) };
        vec![call("task.create", "Milk"), call("keep.create", "Eggs")]
    }

    #[test]
    fn fragments_are_put_together_however_they_are_numbered() {
        let parts = |one: Value, one_more: Value, other: Value, other_more: Value| {
            vec![
                delta(one, "task.create", "{\"title\":"),
                delta(one_more, "", " \"Milk\"}"),
                delta(other, "keep.create", ""),
                delta(other_more, "", "{\"title\": \"Eggs\"}"),
            ]
        };
        let (a, b, none) = (json!({"id": "a"}), json!({"id": "b"}), json!({}));
        let at = |index: u64, id: Option<&str>| json!({"index": index, "id": id});
        for deltas in [
            parts(at(0, Some("a")), at(0, None), at(1, Some("b")), at(1, None)),
            // All of one index.
            parts(at(0, Some("a")), at(0, Some("a")), at(0, Some("b")), at(0, Some("b"))),
            parts(at(0, Some("a")), at(0, None), at(0, Some("b")), at(0, None)),
            parts(at(0, None), at(0, None), at(0, None), at(0, None)),
            // No index.
            parts(a.clone(), a.clone(), b.clone(), b.clone()),
            parts(a, none.clone(), b, none.clone()),
            parts(none.clone(), none.clone(), none.clone(), none.clone()),
            // Another id for every fragment.
            parts(at(0, Some("a")), at(0, Some("x")), at(1, Some("b")), at(1, Some("y"))),
        ] {
            assert_eq!(joined(&deltas), two(), "{deltas:?}");
        }
        let repeated = [
            delta(json!({"index": 0}), "task.create", "{\"title\":"),
            delta(json!({"index": 0}), "task.create", "\"Milk\"}"),
        ];
        assert_eq!(joined(&repeated), two()[..1]);
        let whole = json!({"tool_calls": [
            {"function": {"name": "task.create", "arguments": {"title": "Milk"}}},
            {"function": {"name": "keep.create", "arguments": "{\"title\":\"Eggs\"}"}}]});
        assert_eq!(joined(&[whole]), two());
        let older = json!({"function_call": {"name": "task.create", "arguments": "{\"title\":\"Milk\"}"}});
        assert_eq!(joined(&[older]), two()[..1]);
        assert_eq!(joined(&[json!({"tool_calls": "none"}), json!({"tool_calls": [{"index": 0}]})]), []);
    }

    #[test]
    fn a_call_that_is_written_as_text_is_found() {
        for (text, count) in [
            ("<tool_call>\n{\"name\": \"task.create\", \"arguments\": {\"title\": \"Milk\"}}\n</tool_call>", 1),
            (
                "<tool_call>{\"name\":\"task.create\",\"arguments\":{\"title\":\"Milk\"}}</tool_call>\n\
                 <tool_call>{\"name\":\"keep.create\",\"arguments\":\"{\\\"title\\\":\\\"Eggs\\\"}\"}</tool_call>",
                2,
            ),
            ("<function=task.create>{\"title\": \"Milk\"}</function>", 1),
            ("<function=task.create>\n<parameter=title>\nMilk\n</parameter>\n</function>", 1),
            ("<tool_call>\n<function=task.create>\n<parameter=title>Milk</parameter></function></tool_call>", 1),
            ("[TOOL_CALLS] [{\"name\": \"task.create\", \"arguments\": {\"title\": \"Milk\"}}]", 1),
            ("I would call no tool", 0),
        ] {
            assert_eq!(in_tags(text), two()[..count], "{text}");
        }
        for (document, count) in [
            (json!({"name": "task.create", "arguments": {"title": "Milk"}}), 1),
            (json!({"tool": "task.create", "parameters": {"title": "Milk"}}), 1),
            (json!({"type": "function", "function": {"name": "task.create", "arguments": "{\"title\":\"Milk\"}"}}), 1),
            (json!({"service": "task", "command": "create", "params": {"title": "Milk"}}), 1),
            (
                json!([{"name": "task.create", "args": {"title": "Milk"}}, {"name": "keep.create", "args": {"title": "Eggs"}}]),
                2,
            ),
            (json!({"name": "Bob", "email": "bob@example.com"}), 0),
            (json!({"actions": []}), 0),
            (json!("task.create"), 0),
        ] {
            assert_eq!(in_document(&document), two()[..count], "{document}");
        }
    }
}
