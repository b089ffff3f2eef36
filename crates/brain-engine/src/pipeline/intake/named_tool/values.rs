//! The values of a call, as a person writes them behind the name of a tool.
//!
//! Invariant: no word is left out, and none is taken for a value of another name than it stands behind. Not here: whether
//! they fit the tool's definition.

use std::collections::HashSet;

use serde_json::{Map, Value};

use brain_core::core::plan::Params;
use brain_language::language::requests::reading::unquoted;

/// Why words are no values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misread {
    /// A value has a name that the tool does not take.
    NoSuchName(String),
    /// These could be anything.
    Unclear(String),
}

/// A name that a tool takes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TakenName {
    pub(super) name: String,
    pub(super) is_required: bool,
}

/// Where a value of this name stands: from its name on, and from behind the sign.
struct ValueStart<'a> {
    at: usize,
    value: usize,
    name: &'a str,
}

/// A JSON object; `name=value` and `name: value`, in any order; and words without a name in front of them, where there
/// is only one value left that they can be.
pub(super) fn values(schema: &Value, text: &str) -> Result<Params, Misread> {
    let names = names(schema);
    let is_known = |name: &str| names.iter().any(|known| known.name == name);
    if text.is_empty() {
        return Ok(Params::new());
    }
    if text.starts_with('{') {
        let given: Params = serde_json::from_str(text).map_err(|_| Misread::Unclear(text.to_owned()))?;
        let unknown = given.keys().find(|name| !is_known(name) && !takes_others(schema));
        return unknown.map_or(Ok(given.clone()), |name| Err(Misread::NoSuchName(name.clone())));
    }
    let starts = starts(&names, text)?;
    let mut params = Params::new();
    let first = starts.first().map_or(text.len(), |start| start.at);
    let unnamed = text[..first].trim().trim_end_matches(',').trim_end();
    if !unnamed.is_empty() {
        let is_told = |name: &str| starts.iter().any(|start| start.name == name);
        let name = only_left(schema, &names, &is_told).ok_or_else(|| Misread::Unclear(unnamed.to_owned()))?;
        params.insert(name.to_owned(), parsed(&schema["properties"][name], unnamed));
    }
    let ends = starts.iter().skip(1).map(|start| start.at).chain([text.len()]);
    for (start, end) in starts.iter().zip(ends) {
        let value = text[start.value..end].trim().trim_end_matches(',').trim_end();
        let value = if text[..start.value].ends_with('=') { set_apart(value) } else { value };
        params.insert(start.name.to_owned(), parsed(&schema["properties"][start.name], value));
    }
    Ok(params)
}

/// The names that there are, the required ones first.
pub(super) fn names(schema: &Value) -> Vec<TakenName> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    let named = all.map(|name| TakenName { name: name.clone(), is_required: required.contains(&name.as_str()) });
    let mut names: Vec<TakenName> = named.collect();
    names.sort_by_key(|named| required.iter().position(|required| *required == named.name).unwrap_or(usize::MAX));
    names
}

/// Whether it says that there may be names which it does not know.
fn takes_others(schema: &Value) -> bool {
    let says = |key: &str| schema.get(key).is_some_and(|value| value.is_object() || *value == Value::Bool(true));
    says("additionalProperties") || says("patternProperties") || !schema["properties"].is_object()
}

fn starts<'a>(names: &'a [TakenName], text: &str) -> Result<Vec<ValueStart<'a>>, Misread> {
    let mut starts: Vec<ValueStart<'a>> = Vec::new();
    let begins = text.char_indices().map(|(at, _)| at).filter(|at| *at == 0 || text[..*at].ends_with([' ', ',', '\n']));
    for at in begins {
        let named = names.iter().filter_map(|TakenName { name, .. }| {
            let rest = after(&text[at..], name)?.trim_start();
            let value = rest.strip_prefix(['=', ':'])?;
            Some(ValueStart { at, value: text.len() - value.len(), name })
        });
        let is_inside = starts.last().is_some_and(|last| at < last.value);
        match named.max_by_key(|start| start.name.len()) {
            _ if is_inside => {}
            Some(start) => starts.push(start),
            None => unknown_at(&text[at..]).map_or(Ok(()), |name| Err(Misread::NoSuchName(name.to_owned())))?,
        }
    }
    // A name that stands in it twice may be a part of a value.
    let mut told = HashSet::new();
    match starts.iter().find(|start| !told.insert(start.name)) {
        Some(twice) => Err(Misread::Unclear(text[twice.at..].to_owned())),
        None => Ok(starts),
    }
}

/// A name with `=` right behind it, as nobody writes it within a sentence.
fn unknown_at(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (is_name && !rest.starts_with('=')).then_some(name)
}

/// The one that is required and was not told; where nothing is required any more, the one text.
fn only_left<'a>(schema: &Value, names: &'a [TakenName], is_told: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let left = || names.iter().filter(|named| !is_told(&named.name));
    let is_text = |named: &&TakenName| {
        let kind = &schema["properties"][&named.name]["type"];
        kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&"string".into()))
    };
    let only = |mut found: Vec<&'a TakenName>| if found.len() == 1 { found.pop() } else { None };
    let required: Vec<&TakenName> = left().filter(|named| named.is_required).collect();
    let found = if required.is_empty() { left().filter(is_text).collect() } else { required };
    only(found).map(|named| named.name.as_str())
}

/// What stands in one pair of quotation marks, where that is all of the value.
fn set_apart(value: &str) -> &str {
    let mut inner = value.chars();
    let (Some(opens), Some(closes)) = (inner.next(), inner.next_back()) else { return value };
    let inner = inner.as_str();
    if unquoted(value) != value && !inner.contains([opens, closes]) { inner } else { value }
}

/// Lists and objects are written as JSON; everything else is its words, which the definition makes a number of.
fn parsed(schema: &Value, value: &str) -> Value {
    let is_nested = schema["type"] == "array" || schema["type"] == "object";
    let nested = is_nested.then(|| serde_json::from_str(value).ok()).flatten();
    match nested {
        Some(value) => value,
        None if schema["type"] == "array" => value.split(',').map(str::trim).collect(),
        None => value.into(),
    }
}

/// What stands behind a name at the beginning of a text, if it does: `_`, `-` and spaces are the same.
pub(super) fn after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.trim_start();
    for part in name.split(['_', '-', ' ', '.', '/']).filter(|part| !part.is_empty()) {
        rest = rest.trim_start_matches(['_', '-', ' ', '.', '/']);
        rest.get(..part.len()).filter(|start| start.eq_ignore_ascii_case(part))?;
        rest = &rest[part.len()..];
    }
    (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_by_their_names_or_not_at_all() {
        let schema = json!({"required": ["path", "content"], "properties": {
            "content": {"type": "string"}, "path": {"type": "string"}, "old_text": {"type": "string"},
            "tags": {"type": "array"}, "edits": {"type": "array"},
        }});
        let read = |text: &str| values(&schema, text).map(|params| Value::Object(params).to_string());
        assert_eq!(read("path=/a b.txt content: x = y").unwrap(), r#"{"content":"x = y","path":"/a b.txt"}"#);
        assert_eq!(read("content=hello, path=/a").unwrap(), r#"{"content":"hello","path":"/a"}"#);
        assert_eq!(read("old text: one\\npath: /a").unwrap(), r#"{"old_text":"one\\npath: /a"}"#);
        assert_eq!(read("old text: one\npath: /a").unwrap(), r#"{"old_text":"one","path":"/a"}"#);
        assert_eq!(
            read(r#"path="/a b", content="milk and bread""#).unwrap(),
            r#"{"content":"milk and bread","path":"/a b"}"#
        );
        assert_eq!(read("content='don’t', path=\" a\"").unwrap(), r#"{"content":"don’t","path":" a"}"#);
        assert_eq!(read("content=\"don't\"").unwrap(), r#"{"content":"don't"}"#);
        assert_eq!(read("content='a' and 'b'").unwrap(), r#"{"content":"'a' and 'b'"}"#);
        assert_eq!(read(r#"content="a" and "b""#).unwrap(), r#"{"content":"\"a\" and \"b\""}"#);
        assert_eq!(read(r#"content: "a""#).unwrap(), r#"{"content":"\"a\""}"#);
        assert_eq!(read("tags=a, b").unwrap(), r#"{"tags":["a","b"]}"#);
        assert_eq!(read(r#"edits=[{"a":1}]"#).unwrap(), r#"{"edits":[{"a":1}]}"#);
        assert_eq!(read(r#"{"path": 1}"#).unwrap(), r#"{"path":1}"#);
        assert_eq!(read("").unwrap(), "{}");
        for text in ["/a", "{path: 1}", "{", "path=/a content: see path=/b"] {
            assert!(matches!(read(text), Err(Misread::Unclear(_))), "{text}");
        }
        let all = names(&schema);
        assert_eq!(all[..2].iter().map(|named| named.name.as_str()).collect::<Vec<_>>(), ["path", "content"]);
        assert!(all[..2].iter().all(|named| named.is_required) && all[2..].iter().all(|named| !named.is_required));
    }

    #[test]
    fn words_without_a_name_are_the_one_value_that_is_left() {
        let page = json!({"required": ["url"], "properties": {
            "url": {"type": "string"}, "max_length": {"type": "integer"}, "raw": {"type": "boolean"},
        }});
        let read = |text: &str| values(&page, text).map(|params| Value::Object(params).to_string());
        assert_eq!(
            read("https://a.example/?x=1&y=2 max_length=60"),
            Ok(r#"{"max_length":"60","url":"https://a.example/?x=1&y=2"}"#.into())
        );
        assert_eq!(read("/a b.txt"), Ok(r#"{"url":"/a b.txt"}"#.into()));
        let unclear = |words: &str| Err(Misread::Unclear(words.to_owned()));
        assert_eq!(read("https://b url=https://a"), unclear("https://b"), "no text is left");
        let search = json!({"properties": {"query": {"type": ["string", "null"]}, "limit": {"type": "integer"}}});
        assert_eq!(values(&search, "red shoes limit=3").unwrap()["query"], "red shoes");
        let lamp = json!({"properties": {"name": {"type": "string"}, "area": {"type": "string"}}});
        assert_eq!(values(&lamp, "Kitchen lamp"), Err(Misread::Unclear("Kitchen lamp".to_owned())));
        assert_eq!(values(&lamp, "Kitchen area=hall").unwrap()["name"], "Kitchen");
    }

    #[test]
    fn a_name_that_is_not_taken_is_told_and_nothing_is_read() {
        let mut unit = json!({"required": ["value", "from_unit", "to_unit"], "properties": {
            "value": {"type": "number"}, "from_unit": {"type": "string"}, "to_unit": {"type": "string"},
        }});
        let no_such = |name: &str| Err(Misread::NoSuchName(name.to_owned()));
        assert_eq!(values(&unit, "value=5 from=km to=mile"), no_such("from"));
        assert_eq!(values(&unit, r#"{"value": 5, "foo": 1}"#), no_such("foo"));
        assert!(values(&unit, "value=5 from_unit=x == y to_unit=z&a=b").is_ok(), "a part of a value");
        unit["additionalProperties"] = json!(true);
        assert!(values(&unit, r#"{"value": 5, "foo": 1}"#).is_ok(), "it says that it takes others");
    }

    #[test]
    fn a_name_is_a_name_however_its_words_are_joined() {
        assert_eq!(after("read text-file /a", "read_text_file"), Some(" /a"));
        assert_eq!(after("Files: read", "files"), Some(": read"));
        assert_eq!(after("filesystem: read", "files"), None);
        assert_eq!(after("read", "read_text_file"), None);
        assert_eq!(after("é", "e"), None);
    }
}
