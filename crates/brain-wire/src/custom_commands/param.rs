//! A parameter of a command as the file describes it, and the schema that its values are held against.

use serde_json::{Map, Value, json};

use super::table::{FileProblems, FileTable};
use brain_core::limits;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParamType {
    Text,
    Number,
    Whole,
    YesOrNo,
    Time,
    Date,
    /// One of a list.
    Choice,
}

const TYPES: [(&str, ParamType); 6] = [
    ("text", ParamType::Text),
    ("number", ParamType::Number),
    ("whole", ParamType::Whole),
    ("yes-no", ParamType::YesOrNo),
    ("time", ParamType::Time),
    ("date", ParamType::Date),
];

/// A parameter.
#[derive(Debug, Clone)]
pub(super) struct DeclaredParam {
    pub(super) name: String,
    pub(super) kind: ParamType,
    pub(super) is_required: bool,
    schema: Value,
}

impl DeclaredParam {
    pub(super) fn read(value: Value, of: &str, problems: &mut FileProblems) -> Option<Self> {
        let mut table = FileTable::of(value, format!("{of}, a parameter"), problems)?;
        let name = table.name();
        if let Some(name) = &name {
            table.place = format!("{of}, the parameter “{name}”");
        }
        let choices = table.texts("one_of");
        let kind = match (&choices, table.one_of("type", &TYPES)) {
            (None, kind) => kind.unwrap_or(ParamType::Text),
            (Some(choices), kind) => {
                if kind.is_some() {
                    table.problem("type and one_of cannot both be set");
                }
                if choices.is_empty() || choices.iter().any(|choice| choice.trim().is_empty()) {
                    table.problem("one_of has to be a list of texts that are not empty");
                }
                ParamType::Choice
            }
        };
        let is_required = table.truth("required").unwrap_or(true);
        let mut schema = schema(kind);
        if let Some(choices) = choices {
            schema.insert("enum".to_owned(), choices.into());
        }
        if let Some(about) = table.text("about") {
            schema.insert("description".to_owned(), about.into());
        }
        for (key, of_text, of_number) in [("min", "minLength", "minimum"), ("max", "maxLength", "maximum")] {
            match kind {
                ParamType::Text => {
                    if let Some(count) = table.count(key, limits::PARAM_CHARS_MAX as u64) {
                        schema.insert(of_text.to_owned(), count.into());
                    }
                }
                ParamType::Number | ParamType::Whole => {
                    if let Some(number) = table.number(key) {
                        schema.insert(of_number.to_owned(), number.into());
                    }
                }
                // It is no key there.
                ParamType::YesOrNo | ParamType::Time | ParamType::Date | ParamType::Choice => {}
            }
        }
        table.end();
        Some(Self { name: name?, kind, is_required, schema: Value::Object(schema) })
    }
}

fn schema(kind: ParamType) -> Map<String, Value> {
    let (kind, more) = match kind {
        ParamType::Text => ("string", Some(("maxLength", limits::DECLARED_TEXT_CHARS_MAX.into()))),
        ParamType::Choice => ("string", None),
        ParamType::Number => ("number", None),
        ParamType::Whole => ("integer", None),
        ParamType::YesOrNo => ("boolean", None),
        ParamType::Time => ("string", Some(("format", "date-time".into()))),
        ParamType::Date => ("string", Some(("format", "date".into()))),
    };
    let more = more.map(|(key, value): (&str, Value)| (key.to_owned(), value));
    [("type".to_owned(), kind.into())].into_iter().chain(more).collect()
}

/// The schema of all of them.
pub(super) fn schema_of(params: &[DeclaredParam]) -> Value {
    let properties: Map<String, Value> =
        params.iter().map(|param| (param.name.clone(), param.schema.clone())).collect();
    let required: Vec<&str> =
        params.iter().filter(|param| param.is_required).map(|param| param.name.as_str()).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}
