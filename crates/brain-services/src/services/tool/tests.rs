use serde_json::json;

use super::*;

fn definition(schema: Value) -> ToolDefinition {
    ToolDefinition {
        name: "set_light".to_owned(),
        summary: "Set the light in a room.".to_owned(),
        example: String::new(),
        schema,
        effect: Effect::WriteElsewhere,
        stakes: Stakes::Low,
    }
}

fn light() -> Value {
    json!({
        "type": "object",
        "required": ["room"],
        "additionalProperties": false,
        "properties": {
            "room": {"$ref": "#/$defs/room"},
            "level": {"type": ["integer", "null"], "minimum": 0, "maximum": 100},
            "from": {"type": "string", "format": "date-time"},
            "until": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        },
        "$defs": {"room": {"type": "string", "pattern": "^[a-z ]+$"}},
    })
}

fn params(value: Value) -> Params {
    value.as_object().unwrap().clone()
}

#[test]
fn parameters_fit_the_schema_before_anything_is_called() {
    let tool = Tool::of(definition(light())).unwrap();
    let check = |value: Value| tool.check(params(value));
    let said = params(json!({"room": "hall", "level": "40", "from": "tomorrow at 5", "until": null}));
    let fitted = params(json!({"room": "hall", "level": 40, "from": "tomorrow at 5"}));
    assert_eq!(tool.check(said), Ok(fitted), "numbers become numbers, times are words still");
    let mut switch = definition(json!({"type": "object", "properties": {"raw": {"type": "boolean"}}}));
    switch.name = "switch".to_owned();
    let switch = Tool::of(switch).unwrap();
    for (said, means) in [("yes", true), ("No", false), ("True", true)] {
        assert_eq!(switch.check(params(json!({"raw": said}))), Ok(params(json!({"raw": means}))), "{said}");
    }
    let Err(ParamError::Missing { param, question, .. }) = check(json!({"level": 3, "room": " "})) else { panic!() };
    assert_eq!((param.as_str(), question.as_str()), ("room", "What should the room be?"));
    for (wrong, blamed) in [
        (json!({"room": "hall", "level": 101}), Some("level")),
        (json!({"room": "hall", "level": "much"}), Some("level")),
        (json!({"room": "HALL"}), Some("room")),
        (json!({"room": "hall", "colour": "red"}), None),
    ] {
        let Err(ParamError::Unfit { param, why }) = check(wrong.clone()) else { panic!("{wrong}") };
        assert_eq!(param.as_deref().filter(|param| !param.is_empty()), blamed, "{wrong}: {why}");
    }
}

#[test]
fn times_are_values_before_a_call() {
    let tool = Tool::of(definition(light())).unwrap();
    let mut names: Vec<&str> = tool.times().iter().map(|time| time.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["from", "until"]);
    let complete =
        |from: &str, until: &str| tool.complete(params(json!({"room": "hall", "from": from, "until": until})));
    assert!(complete("2026-01-13T17:00:00Z", "2026-01-14").is_ok());
    for (from, until, asked) in [
        ("2026-01-13", "2026-01-14", "What time exactly is the from?"),
        ("2026-01-13T17:00:00Z", "2026-01-14T00:00:00Z", "Which day is the until?"),
    ] {
        let Err(ParamError::Missing { question, .. }) = complete(from, until) else { panic!("{from} {until}") };
        assert_eq!(question, asked);
    }
}

#[test]
fn a_definition_that_cannot_be_used_says_why() {
    let unusable = |definition: ToolDefinition| Tool::of(definition).expect_err("unusable");
    let deep =
        (0..40).fold(json!({"type": "string"}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    let circle = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let outside = json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}});
    // Each of ten stands for two of the next: a thousand times as much once it stands in its place.
    let bomb: serde_json::Map<String, Value> = (0..20)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (format!("d{n}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
        })
        .chain([("d20".to_owned(), json!({"type": "string"}))])
        .collect();
    let bomb = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": bomb});
    let huge = json!({"type": "object", "description": "x".repeat(limits::TOOL_SCHEMA_BYTES_MAX)});
    assert_eq!(unusable(definition(deep)), UnusableTool::TooLarge);
    assert_eq!(unusable(definition(huge)), UnusableTool::TooLarge);
    assert_eq!(unusable(definition(bomb)), UnusableTool::TooLarge);
    assert_eq!(unusable(definition(circle)), UnusableTool::TooLarge);
    assert!(matches!(unusable(definition(outside)), UnusableTool::Reference(_)));
    assert_eq!(unusable(definition(json!({"type": "string"}))), UnusableTool::NoObject);
    assert!(matches!(unusable(definition(json!({"type": "object", "required": 3}))), UnusableTool::Schema(_)));
    let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(a"}}});
    assert!(matches!(unusable(definition(pattern)), UnusableTool::Schema(_)));
    assert_eq!(unusable(ToolDefinition { name: "a b".to_owned(), ..definition(light()) }), UnusableTool::Name);
    assert_eq!(unusable(ToolDefinition { summary: " .".to_owned(), ..definition(light()) }), UnusableTool::NoSummary);
}

#[test]
fn another_definition_has_another_digest() {
    let digest = |definition: ToolDefinition| Tool::of(definition).unwrap().digest("home");
    let known = definition(light());
    let mut schema = light();
    schema["properties"]["level"]["maximum"] = 101.into();
    let others = [
        ToolDefinition { name: "set_lights".to_owned(), ..known.clone() },
        ToolDefinition { summary: "Set the light in a room".to_owned(), ..known.clone() },
        ToolDefinition { schema, ..known.clone() },
        ToolDefinition { effect: Effect::ReadElsewhere, ..known.clone() },
        ToolDefinition { stakes: Stakes::High, ..known.clone() },
    ];
    for other in others {
        assert_ne!(digest(other.clone()), digest(known.clone()), "{other:?}");
    }
    assert_eq!(digest(known.clone()), digest(known.clone()));
    assert_ne!(Tool::of(known.clone()).unwrap().digest("house"), digest(known));
}
