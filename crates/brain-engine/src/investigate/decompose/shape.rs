//! The shape of a graph as a model writes it, derived from the nodes as code reads them.
//!
//! Strict where endpoints can be: every object closed, every property required, what may be missing null. Not here:
//! what the shape cannot say (references, bounds), which [`super::checked`] looks at.

use std::collections::HashSet;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::investigate::node::{BatchThreadRead, CrossReference, KeywordSearch, MetadataFilter, SemanticAnalysis};
use brain_core::ports::AnswerSchema;
use brain_services::services::contract::schema::{notation, schema};

/// The shape, with the strategies as the prompt writes them.
pub fn graph_schema() -> AnswerSchema {
    static SCHEMA: OnceLock<AnswerSchema> = OnceLock::new();
    SCHEMA.get_or_init(|| AnswerSchema::written(graph_shape(), written())).clone()
}

/// The strategies with what a model has to know of each.
fn strategies() -> [(&'static str, &'static str, Value); 5] {
    fn params<T: JsonSchema>() -> Value {
        schema::<T>()
    }
    [
        ("metadata_filter", "things by people, time and marks", params::<MetadataFilter>()),
        ("keyword_search", "things by words, best first", params::<KeywordSearch>()),
        ("batch_thread_read", "reads things, one by one, best first", params::<BatchThreadRead>()),
        ("semantic_analysis", "keeps what is of some sort, of what was read", params::<SemanticAnalysis>()),
        ("cross_reference", "puts lists together and in order", params::<CrossReference>()),
    ]
}

/// Whether a param is a list, whatever its strategy.
pub(super) fn is_list(param: &str) -> bool {
    static LISTS: OnceLock<HashSet<String>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let properties = strategies().into_iter().flat_map(|(_, _, params)| {
            params["properties"].as_object().cloned().unwrap_or_default().into_iter().collect::<Vec<_>>()
        });
        properties.filter(|(_, schema)| schema["type"] == "array").map(|(name, _)| name).collect()
    });
    lists.contains(param)
}

fn written() -> String {
    let line = |(name, what, params): (&str, &str, Value)| format!("{name}: {what} {{{}}}", notation(&params));
    strategies().map(line).join("\n")
}

fn graph_shape() -> Value {
    let (text, yes_or_no) = (json!({"type": "string"}), json!({"type": "boolean"}));
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let node = |(name, _, params): (&str, &str, Value)| {
        closed(&[
            ("id", text.clone()),
            ("description", text.clone()),
            ("strategy", json!({"type": "string", "enum": [name]})),
            ("params", strict(&params)),
            ("depends_on", texts.clone()),
        ])
    };
    let kinds = json!(["direct", "filtered_search", "investigative", "cross_domain", "write_command"]);
    let classification = closed(&[
        ("type", json!({"type": "string", "enum": kinds})),
        ("complexity", json!({"type": "string", "enum": ["simple", "moderate", "complex"]})),
        ("domains", texts.clone()),
        ("why", text.clone()),
    ]);
    closed(&[
        ("classification", classification),
        ("nodes", json!({"type": "array", "items": {"anyOf": strategies().map(node)}})),
        ("synthesis", closed(&[("goal", text.clone()), ("order", text.clone()), ("format", text), ("all", yes_or_no)])),
    ])
}

fn closed(properties: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": names, "properties": properties})
}

/// A schema as strict decoding takes it: objects closed, alternatives of words as one list, no words about it.
fn strict(schema: &Value) -> Value {
    let Some(map) = schema.as_object() else { return schema.clone() };
    if let Some(words) = alternatives(map) {
        return json!({"type": "string", "enum": words});
    }
    if let Some(properties) = map.get("properties").and_then(Value::as_object) {
        let properties: Vec<(&str, Value)> =
            properties.iter().map(|(name, schema)| (name.as_str(), strict(schema))).collect();
        return closed(&properties);
    }
    let mut strict_map = Map::new();
    for (key, value) in map {
        let kept = match key.as_str() {
            "type" | "enum" | "const" => value.clone(),
            "items" => strict(value),
            "anyOf" => Value::Array(value.as_array().into_iter().flatten().map(strict).collect()),
            // What strict decoding does not take, or need not know: code looks at it.
            _ => continue,
        };
        strict_map.insert(key.clone(), kept);
    }
    Value::Object(strict_map)
}

/// The words among which one is chosen, each with a description in the derived schema.
fn alternatives(map: &Map<String, Value>) -> Option<Vec<&Value>> {
    let all = map.get("oneOf")?.as_array()?;
    let words =
        all.iter().flat_map(|one| one.get("const").into_iter().chain(one["enum"].as_array().into_iter().flatten()));
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What hosted endpoints ask of a schema that they follow strictly.
    fn expect_strict(schema: &Value, path: &str) {
        let Some(map) = schema.as_object() else { panic!("{path}: {schema}") };
        for word in ["oneOf", "allOf", "not", "$ref", "default", "format", "minimum"] {
            assert!(!map.contains_key(word), "{path}: {word}");
        }
        if let Some(properties) = map.get("properties").and_then(Value::as_object) {
            assert_eq!(map["additionalProperties"], false, "{path}");
            assert_eq!(map["required"].as_array().unwrap().len(), properties.len(), "{path}");
            properties.iter().for_each(|(name, schema)| expect_strict(schema, &format!("{path}.{name}")));
        }
        map.get("items").into_iter().for_each(|items| expect_strict(items, &format!("{path}[]")));
        let any = map.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        any.for_each(|one| expect_strict(one, &format!("{path}|")));
    }

    #[test]
    fn the_shape_can_be_asked_for_strictly_and_is_made_once() {
        let schema = graph_schema();
        expect_strict(schema.value(), "$");
        assert_eq!(schema.number(), graph_schema().number());
        assert!(is_list("over") && is_list("sources") && !is_list("items") && !is_list("from"));
        let nodes = &schema.value()["properties"]["nodes"]["items"]["anyOf"];
        assert_eq!(nodes.as_array().unwrap().len(), 5);
        let over = &nodes[0]["properties"]["params"]["properties"]["over"];
        assert_eq!(over["items"]["enum"][0], "thread", "{over}");
        assert!(nodes[0]["properties"]["params"]["properties"]["from"]["type"].as_array().is_some());
    }

    #[test]
    fn the_prompt_says_all_of_it_in_a_few_words() {
        let schema = graph_schema();
        let words = schema.notation();
        for (name, _, params) in strategies() {
            assert!(words.contains(name));
            for param in params["properties"].as_object().unwrap().keys() {
                assert!(words.contains(&format!("{param}?")), "{name}.{param}: {words}");
            }
        }
        assert!(words.len() < 3_600, "{} bytes: {words}", words.len());
    }
}
