//! "use SERVER: …": a tool of a server that brings tools, named by the person, where no model has to find it.
//!
//! Invariants: it names the server, the tool, and what each value is for; what cannot be read so is told with how to say
//! it, and nothing is guessed or left out. Servers of the program's own have everyday phrases instead. Not here: whether
//! it may be done, which the gate decides as of any plan.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::intended::Intended;
use crate::core::plan::{Params, PlannedAction};
use crate::core::text::{shorten, visible};
use crate::core::turn::Path;
use crate::language::nearest;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit::Answer;
use crate::pipeline::turn::{TurnError, TurnFacts};
use crate::services::registry::Registration;

/// What such a message begins with.
const USE: &str = "use ";

/// The tool that is named, with its values; `None` for every other message.
pub(super) async fn answer(brain: &Brain, facts: &TurnFacts) -> Result<Option<Intended>, TurnError> {
    let words = facts.words().trim();
    let is_use = words.get(..USE.len()).is_some_and(|start| start.eq_ignore_ascii_case(USE));
    if !is_use || !facts.origin().is_own_words() || !facts.incoming.parts.is_empty() {
        return Ok(None);
    }
    let services = brain.services.now();
    let with_tools = services.iter().filter(|service| service.has_tools());
    let named = with_tools.filter_map(|service| Some((service, after(&words[USE.len()..], &service.info.title)?)));
    // Of "home" and "home office" the longer one is meant.
    let Some((service, rest)) = named.max_by_key(|(service, _)| service.info.title.len()) else { return Ok(None) };
    let rest = rest.trim_start_matches([':', ',']).trim();
    Ok(Some(match read(service, rest) {
        Ok(planned) => Intended::actions(facts, vec![planned]),
        Err(why) => Answer::says(Path::Clarify, why).into(),
    }))
}

/// What stands behind a name at the beginning of a text, if it does: `_`, `-` and spaces are the same.
fn after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.trim_start();
    for part in name.split(['_', '-', ' ', '.', '/']).filter(|part| !part.is_empty()) {
        rest = rest.trim_start_matches(['_', '-', ' ', '.', '/']);
        rest.get(..part.len()).filter(|start| start.eq_ignore_ascii_case(part))?;
        rest = &rest[part.len()..];
    }
    (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest)
}

fn read(service: &Registration, rest: &str) -> Result<PlannedAction, String> {
    let named = service.commands().filter_map(|entry| Some((entry, after(rest, entry.command())?)));
    let Some((entry, rest)) = named.max_by_key(|(entry, _)| entry.command().len()) else {
        return Err(not_named(service, rest));
    };
    let params = values(&entry.schema(), rest.trim_start_matches([':', ',']).trim()).map_err(|names| {
        let values = names.iter().map(|name| format!("{name}=…")).collect::<Vec<_>>().join(" ");
        let (title, command) = (&service.info.title, entry.command());
        let left = visible(&shorten(rest.trim(), limits::TOOL_SUMMARY_CHARS_MAX));
        format!(
            "I don't know what “{left}” is for. Nothing was done. Say it like this:\nuse {title}: {command} {values}"
        )
    })?;
    let (service, command) = (entry.service().to_owned(), entry.command().to_owned());
    Ok(PlannedAction { service, command, params, reasoning: String::new(), depends_on: Vec::new() })
}

/// The values of a call: a JSON object; `name=value` and `name: value`, in any order; or one value where there is only one
/// that it can be. The names that there are, where it is none of these.
fn values(schema: &Value, text: &str) -> Result<Params, Vec<String>> {
    if text.is_empty() {
        return Ok(Params::new());
    }
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|_| names(schema));
    }
    let names = names(schema);
    let mut starts: Vec<(usize, usize, &String)> = Vec::new();
    for (at, _) in text.char_indices() {
        let begins = at == 0 || text[..at].ends_with([' ', ',', '\n']);
        let named = names.iter().filter_map(|name| {
            let rest = after(&text[at..], name)?.trim_start();
            let value = rest.strip_prefix(['=', ':'])?;
            Some((at, text.len() - value.len(), name))
        });
        if begins && starts.last().is_none_or(|(_, value, _)| *value <= at) {
            starts.extend(named.max_by_key(|(_, _, name)| name.len()));
        }
    }
    // A name that stands in it twice may be a part of a value.
    let mut told = HashSet::new();
    if starts.iter().any(|(_, _, name)| !told.insert(*name)) {
        return Err(names);
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match (starts.first(), required.as_slice()) {
        (None, [only]) => Ok(Map::from_iter([((*only).to_owned(), Value::String(text.to_owned()))])),
        (Some((0, ..)), _) => {
            let ends = starts.iter().skip(1).map(|(at, ..)| *at).chain([text.len()]);
            let value = |((_, from, name), end): (&(usize, usize, &String), usize)| {
                let value = text[*from..end].trim().trim_end_matches(',').trim_end();
                ((*name).clone(), parsed(&schema["properties"][name.as_str()], value))
            };
            Ok(starts.iter().zip(ends).map(value).collect())
        }
        _ => Err(names),
    }
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

/// The required ones first.
fn names(schema: &Value) -> Vec<String> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    let mut names: Vec<String> = all.cloned().collect();
    names.sort_by_key(|name| required.iter().position(|required| required == name).unwrap_or(usize::MAX));
    names
}

/// What could have been meant, by the words that its name and what it does have in common with what was said.
fn not_named(service: &Registration, said: &str) -> String {
    let title = &service.info.title;
    let lines: Vec<String> =
        service.commands().map(|entry| format!("• {}: {}", entry.command(), entry.summary())).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    if lines.is_empty() {
        return format!("{title} offers nothing at the moment. Nothing was done.");
    }
    let listed = nearest::nearest(said, &lines, limits::LIST_ROWS_MAX);
    format!(
        "Which of its tools? Nothing was done. {title} has these; say “use {title}: NAME …” with what it needs:\n{}",
        listed.join("\n")
    )
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
        assert_eq!(read("tags=a, b").unwrap(), r#"{"tags":["a","b"]}"#);
        assert_eq!(read(r#"edits=[{"a":1}]"#).unwrap(), r#"{"edits":[{"a":1}]}"#);
        assert_eq!(read(r#"{"path": 1}"#).unwrap(), r#"{"path":1}"#);
        assert_eq!(read("").unwrap(), "{}");
        for text in ["/a", "please path=/a", "{path: 1}", "{", "path=/a content: see path=/b"] {
            assert_eq!(read(text).unwrap_err()[..2], ["path", "content"], "{text}");
        }
        let one = json!({"required": ["path"], "properties": {"path": {}, "head": {}}});
        assert_eq!(values(&one, "/a b.txt").unwrap()["path"], "/a b.txt");
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
