//! A form that a server asks to be filled in before it goes on: flat fields, as the protocol allows them, and no others.
//!
//! Invariants: what is a secret by its schema or by its words ([`super::secret_words`]), what wants a page to be opened,
//! and what is nested is no form, with the reason; a value fits its field before it is sent; everything that is shown of
//! it is on one line and bounded. Not here: who asks the person, and whose words the answer may hold.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::secret_words::ask_for_a_secret;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits;
use brain_language::language::consent::{self, Consent};

/// A form.
#[derive(Debug)]
pub(super) struct FormFields {
    /// What the server says about it, bounded; its words are not ours.
    pub(super) message: String,
    /// In the order of their names, the required ones first.
    pub(super) fields: Vec<FormField>,
}

/// A field of a form.
#[derive(Debug)]
pub(super) struct FormField {
    pub(super) name: String,
    /// What the server calls it, and what it may hold.
    pub(super) about: String,
    /// It is asked for.
    pub(super) is_required: bool,
    /// What it holds where nobody says anything.
    pub(super) default: Option<Value>,
    kind: FieldKind,
    validator: Validator,
}

#[derive(Debug)]
enum FieldKind {
    Text,
    Number,
    YesNo,
    /// One of these: value and label.
    One(Vec<(String, String)>),
    Several(Vec<(String, String)>),
}

impl FieldKind {
    /// Whether somebody could type a secret into it.
    fn takes_any_words(&self) -> bool {
        match self {
            Self::Text | Self::Number => true,
            Self::YesNo | Self::One(_) | Self::Several(_) => false,
        }
    }
}

const NO_FORM: &str = "asks for something that is no form with plain fields";

/// Why a secret is not asked for, with where it can be given.
fn secret(what: &str) -> String {
    format!(
        "asks for a secret ({what}); I pass no secrets on. Whoever runs me gives it to the server itself: in the servers \
         file, or with “brain-agent mcp login”; a code or the number of a card belongs on the provider's own page"
    )
}

impl FormFields {
    /// Reads what a server asks.
    ///
    /// # Errors
    /// Why it is not asked, as the end of a sentence that begins with the server's name.
    pub(super) fn read(asked: &Value) -> Result<Self, String> {
        if asked.is_null() {
            let most = limits::MCP_ASKED_BYTES_MAX / 1024;
            return Err(format!("asks for something that is no question to you, or has more than {most} KB"));
        }
        if asked["mode"].as_str().is_some_and(|mode| mode != "form") || asked["url"].is_string() {
            return Err(
                "wants you to open a page of its own; I pass no such pages on, do that at the server itself".into()
            );
        }
        let (Some(message), schema) = (asked["message"].as_str(), &asked["requestedSchema"]) else {
            return Err(NO_FORM.to_owned());
        };
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        if schema["type"] != "object" || properties.len() > limits::FORM_FIELDS_MAX {
            return Err(NO_FORM.to_owned());
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let field =
            |(name, schema): (&String, &Value)| FormField::read(name, schema, required.contains(&name.as_str()));
        let mut fields = properties.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        if fields.iter().any(FormField::takes_any_words) && ask_for_a_secret(message) {
            return Err(secret("what it says"));
        }
        // Nothing else is there to be asked for.
        if let [only] = fields.as_mut_slice() {
            only.is_required |= only.default.is_none();
        }
        fields.sort_by_key(|field| !field.is_required);
        Ok(Self { message: told(message, limits::FORM_MESSAGE_CHARS_MAX), fields })
    }
}

impl FormField {
    fn read(name: &str, schema: &Value, is_required: bool) -> Result<Self, String> {
        let is_name = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
        if name.is_empty() || name.chars().count() > limits::FORM_NAME_CHARS_MAX || !name.chars().all(is_name) {
            return Err(NO_FORM.to_owned());
        }
        if schema["format"] == "password" || schema["writeOnly"] == true {
            return Err(secret(&format!("“{name}”")));
        }
        let (kind, checks) = kind(schema).ok_or_else(|| NO_FORM.to_owned())?;
        let words = [&schema["title"], &schema["description"]].into_iter().filter_map(Value::as_str);
        if kind.takes_any_words() && [name].into_iter().chain(words).any(ask_for_a_secret) {
            return Err(secret(&format!("“{name}”")));
        }
        let options = jsonschema::options().offline().should_validate_formats(true);
        let validator = options.build(&checks).map_err(|_| NO_FORM.to_owned())?;
        let mut field =
            Self { name: name.to_owned(), about: String::new(), is_required, default: None, kind, validator };
        // One that does not fit its own field is none.
        field.default = schema.get("default").filter(|value| field.validator.is_valid(value)).cloned();
        let words = [&schema["title"], &schema["description"]].into_iter().filter_map(Value::as_str);
        let words: Vec<String> = words.map(|words| told(words, limits::FORM_FIELD_CHARS_MAX)).collect();
        let holds = match &field.kind {
            FieldKind::Text => bounds("text", &checks, ["minLength", "maxLength"], " characters"),
            FieldKind::Number if checks["type"] == "integer" => bounds("a whole number", &checks, NUMBERS, ""),
            FieldKind::Number => bounds("a number", &checks, NUMBERS, ""),
            FieldKind::YesNo => "yes or no".to_owned(),
            FieldKind::One(choices) => format!("one of {}", labels(choices)),
            FieldKind::Several(choices) => format!("any of {}, with commas between them", labels(choices)),
        };
        let otherwise = field.default.as_ref().map(|value| format!("; {} otherwise", told(&plain(value), 80)));
        field.about =
            [words.join(", "), format!("({holds}{})", otherwise.unwrap_or_default())].join(" ").trim().to_owned();
        Ok(field)
    }

    fn takes_any_words(&self) -> bool {
        self.kind.takes_any_words()
    }

    /// What can be picked: value and label.
    pub(super) fn choices(&self) -> Vec<(String, String)> {
        match &self.kind {
            FieldKind::YesNo => [("true", "Yes"), ("false", "No")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
            FieldKind::One(choices) => choices.clone(),
            FieldKind::Text | FieldKind::Number | FieldKind::Several(_) => Vec::new(),
        }
    }

    /// An answer as its value.
    ///
    /// # Errors
    /// Why it does not fit.
    pub(super) fn value(&self, answer: &Value) -> Result<Value, String> {
        let value = match answer {
            Value::String(words) => self.value_of(words.trim()),
            other => other.clone(),
        };
        let unfit =
            |error: jsonschema::ValidationError<'_>| told(&error.masked().to_string(), limits::FORM_FIELD_CHARS_MAX);
        self.validator.validate(&value).map_err(unfit)?;
        Ok(value)
    }

    fn value_of(&self, words: &str) -> Value {
        let picked = |choices: &[(String, String)], words: &str| {
            let is_it = |(value, label): &&(String, String)| value == words || label.eq_ignore_ascii_case(words);
            choices.iter().find(is_it).map_or_else(|| words.to_owned(), |(value, _)| value.clone())
        };
        match &self.kind {
            FieldKind::Text => words.into(),
            FieldKind::Number => serde_json::from_str(words).unwrap_or_else(|_| words.into()),
            FieldKind::YesNo => match (words, consent::read(words)) {
                ("true", _) | (_, Consent::Yes) => true.into(),
                ("false", _) | (_, Consent::No) => false.into(),
                (_, Consent::Wait | Consent::Other) => words.into(),
            },
            FieldKind::One(choices) => picked(choices, words).into(),
            FieldKind::Several(choices) => {
                words.split(',').map(|one| Value::from(picked(choices, one.trim()))).collect()
            }
        }
    }
}

const NUMBERS: [&str; 2] = ["minimum", "maximum"];

/// What a field holds, and the part of its schema by which a value is judged; `None` for what may not be asked.
fn kind(schema: &Value) -> Option<(FieldKind, Value)> {
    let kept = |names: &[&str]| {
        let kept = names.iter().filter_map(|name| Some(((*name).to_owned(), schema.get(*name)?.clone())));
        kept.collect::<Map<String, Value>>()
    };
    let values =
        |choices: &[(String, String)]| choices.iter().map(|(value, _)| Value::from(value.as_str())).collect::<Value>();
    let choices = choices(schema);
    match (schema["type"].as_str(), choices) {
        (Some("string") | None, Some(choices)) => {
            let checks = json!({ "enum": values(&choices) });
            Some((FieldKind::One(choices), checks))
        }
        (Some("string"), None) if !offers_choices(schema) => {
            let formats = schema["format"].as_str().is_none_or(|format| FORMATS.contains(&format));
            let checks = kept(&["type", "minLength", "maxLength", "format"]);
            formats.then_some((FieldKind::Text, checks.into()))
        }
        (Some("number" | "integer"), None) => Some((FieldKind::Number, kept(&["type", "minimum", "maximum"]).into())),
        (Some("boolean"), None) => Some((FieldKind::YesNo, json!({"type": "boolean"}))),
        (Some("array"), None) => {
            let choices = self::choices(&schema["items"])?;
            let mut checks = kept(&["type", "minItems", "maxItems"]);
            checks.insert("items".to_owned(), json!({ "enum": values(&choices) }));
            Some((FieldKind::Several(choices), checks.into()))
        }
        _ => None,
    }
}

fn offers_choices(schema: &Value) -> bool {
    ["enum", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some())
}

/// Those of texts that the protocol knows.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Value and label of each choice, in any of the ways in which the protocol writes them.
fn choices(schema: &Value) -> Option<Vec<(String, String)>> {
    let label = |value: &str, label: Option<&str>| {
        (
            value.to_owned(),
            told(label.filter(|label| !label.trim().is_empty()).unwrap_or(value), limits::FORM_LABEL_CHARS_MAX),
        )
    };
    let choices: Vec<(String, String)> = if let Some(values) = schema["enum"].as_array() {
        let named = |(at, value): (usize, &Value)| Some(label(value.as_str()?, schema["enumNames"][at].as_str()));
        values.iter().enumerate().map(named).collect::<Option<_>>()?
    } else {
        let titled = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())?;
        titled.iter().map(|one| Some(label(one["const"].as_str()?, one["title"].as_str()))).collect::<Option<_>>()?
    };
    (1..=limits::FORM_CHOICES_MAX).contains(&choices.len()).then_some(choices)
}

fn bounds(what: &str, checks: &Value, [least, most]: [&str; 2], of: &str) -> String {
    let format = checks["format"].as_str().map(|format| match format {
        "email" => " that is a mail address",
        "uri" => " that is a full address of a page",
        "date" => " that is a day, such as 2026-01-31",
        _ => " that is a time, such as 2026-01-31T17:00:00Z",
    });
    let bounds = match (checks[least].as_f64(), checks[most].as_f64()) {
        (Some(least), Some(most)) => format!(", {least} to {most}{of}"),
        (Some(least), None) => format!(", at least {least}{of}"),
        (None, Some(most)) => format!(", at most {most}{of}"),
        (None, None) => String::new(),
    };
    format!("{what}{}{bounds}", format.unwrap_or_default())
}

fn labels(choices: &[(String, String)]) -> String {
    let labels: Vec<&str> = choices.iter().map(|(_, label)| label.as_str()).collect();
    shorten(&labels.join(", "), limits::FORM_FIELD_CHARS_MAX)
}

/// A value as it is shown.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

fn told(words: &str, most: usize) -> String {
    one_line(&shorten(words.trim(), most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(properties: Value) -> Value {
        json!({"message": "Tell me", "requestedSchema": {"type": "object", "properties": properties, "required": ["a"]}})
    }

    #[test]
    fn answers_become_values_that_fit_or_say_why_not() {
        let of = |schema: Value, words: &str| {
            let form = FormFields::read(&asked(json!({ "a": schema }))).unwrap();
            form.fields[0].value(&words.into()).map_err(|why| why.to_string())
        };
        let titled = json!([{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]);
        for (schema, words, value) in [
            (json!({"type": "string", "minLength": 2}), "Ana", json!("Ana")),
            (json!({"type": "integer", "maximum": 120}), "42", json!(42)),
            (json!({"type": "number"}), "1.5", json!(1.5)),
            (json!({"type": "boolean"}), "yes", json!(true)),
            (json!({"type": "boolean"}), "No.", json!(false)),
            (json!({"type": "string", "enum": ["x", "y"], "enumNames": ["Ex", "Why"]}), "why", json!("y")),
            (json!({"type": "string", "oneOf": titled}), "red", json!("r")),
            (json!({"type": "array", "items": {"anyOf": titled}}), "Red, green", json!(["r", "g"])),
            (json!({"type": "string", "format": "date"}), "2026-01-31", json!("2026-01-31")),
        ] {
            assert_eq!(of(schema, words), Ok(value), "{words}");
        }
        for (schema, words) in [
            (json!({"type": "string", "minLength": 2}), "A"),
            (json!({"type": "integer", "maximum": 120}), "121"),
            (json!({"type": "integer"}), "many"),
            (json!({"type": "boolean"}), "blue"),
            (json!({"type": "string", "enum": ["x", "y"]}), "z"),
            (json!({"type": "array", "items": {"anyOf": titled}, "maxItems": 1}), "red, green"),
            (json!({"type": "string", "format": "email"}), "nobody"),
            (json!({"type": "string", "format": "date"}), "tomorrow"),
        ] {
            assert!(of(schema, words).is_err(), "{words}");
        }
    }

    #[test]
    fn secrets_pages_and_nested_things_are_no_form() {
        let why = |asked: Value| FormFields::read(&asked).expect_err("no form");
        assert!(why(asked(json!({"a": {"type": "string", "format": "password"}}))).contains("secret"));
        assert!(why(asked(json!({"a": {"type": "string", "writeOnly": true}}))).contains("secret"));
        assert!(why(json!({"mode": "url", "message": "Go", "url": "https://example.com"})).contains("page"));
        for (name, schema) in [
            ("tan", json!({"type": "string"})),
            ("a", json!({"type": "integer", "title": "Card number and CVV"})),
            ("a", json!({"type": "string", "description": "your p a s s w o r d, please"})),
        ] {
            assert!(why(asked(json!({name: schema}))).contains("asks for a secret"), "{name}");
        }
        let mut said = asked(json!({"a": {"type": "string"}}));
        said["message"] = json!("Wie lautet Ihre Geheimzahl?");
        assert!(why(said).contains("mcp login"));
        let reset = json!({"a": {"type": "boolean", "title": "Reset the password?"}});
        assert!(FormFields::read(&asked(reset)).is_ok(), "yes and no hold none");
        for schema in [
            json!({"type": "object", "properties": {"b": {"type": "string"}}}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"$ref": "#/a"}),
            json!({"type": "string", "format": "regex"}),
            json!({"type": "string", "enum": []}),
        ] {
            assert_eq!(why(asked(json!({"a": schema.clone()}))), NO_FORM, "{schema}");
        }
        assert_eq!(why(asked(json!({"a=b": {"type": "string"}}))), NO_FORM);
        assert_eq!(why(json!({"message": "Go", "requestedSchema": {"type": "string"}})), NO_FORM);
        assert!(why(Value::Null).contains("KB"));
    }

    #[test]
    fn what_is_said_of_a_form_is_short_and_on_one_line() {
        let long = json!({"a": {"type": "string", "title": "x\ny\u{202e}", "description": "z".repeat(5_000)}});
        let form = FormFields::read(&asked(long)).unwrap();
        assert!(form.fields[0].about.starts_with("x y⟨U+202E⟩, zz") && form.fields[0].about.len() < 1_000);
    }
}
