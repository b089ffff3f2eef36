//! Texts of a file with `{parameter}` in them.
//!
//! A value is put in as it is, or as whoever fills it says, and is never read again: what it holds is no `{parameter}`,
//! no `${NAME}`. Invariant: what stands in the file may be a secret, and is not shown.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use crate::outside::{Variables, expanded};
use brain_core::core::plan::Params;

/// A text of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Template(Vec<TemplatePart>);

#[derive(Debug, Clone)]
enum TemplatePart {
    Fixed(SecretString),
    Param(String),
}

impl Template {
    /// Reads one; `{{` and `}}` are the signs themselves.
    pub(super) fn read(text: &str, env: &Variables<'_>) -> Result<Self, String> {
        let (mut parts, mut fixed, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}', '$']) {
            fixed += &rest[..at];
            rest = &rest[at..];
            let length = if rest.starts_with("${") {
                let length = rest.find('}').ok_or("a “${” has no end")? + 1;
                fixed += &expanded(&rest[..length], env)?;
                length
            } else if rest.starts_with("{{") || rest.starts_with("}}") {
                fixed += &rest[..1];
                2
            } else if rest.starts_with('$') {
                fixed += "$";
                1
            } else {
                let name = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
                let name = name.ok_or("a “{” or “}” stands alone; the sign itself is written twice")?;
                parts.extend((!fixed.is_empty()).then(|| TemplatePart::Fixed(std::mem::take(&mut fixed).into())));
                parts.push(TemplatePart::Param(name.to_owned()));
                name.len() + 2
            };
            rest = &rest[length..];
        }
        fixed += rest;
        parts.extend((!fixed.is_empty()).then(|| TemplatePart::Fixed(fixed.into())));
        Ok(Self(parts))
    }

    /// The parameters that it names.
    pub(super) fn params(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Param(name) => Some(name.as_str()),
            TemplatePart::Fixed(_) => None,
        })
    }

    /// The parameter that it is, and nothing else.
    pub(super) fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [TemplatePart::Param(name)] => Some(name),
            _ => None,
        }
    }

    /// All that is fixed in it.
    pub(super) fn fixed(&self) -> String {
        let fixed = self.0.iter().filter_map(|part| match part {
            TemplatePart::Fixed(text) => Some(text.expose_secret()),
            TemplatePart::Param(_) => None,
        });
        fixed.collect()
    }

    /// What stands before its first parameter.
    pub(super) fn prefix(&self) -> &str {
        match self.0.first() {
            Some(TemplatePart::Fixed(text)) => text.expose_secret(),
            Some(TemplatePart::Param(_)) | None => "",
        }
    }

    /// With the values in their places, each as `written` has it; `None` where one of them is not given.
    pub(super) fn filled(&self, params: &Params, written: impl Fn(&str) -> String) -> Option<String> {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Fixed(text) => Some(text.expose_secret().to_owned()),
            TemplatePart::Param(name) => Some(written(&as_words(params.get(name)?))),
        };
        self.0.iter().map(part).collect()
    }

    /// The same, where how a value is written depends on all that stands before it.
    pub(super) fn built(&self, mut written: impl FnMut(&str, &str) -> Option<String>) -> Option<String> {
        let mut whole = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Fixed(text) => whole += text.expose_secret(),
                TemplatePart::Param(name) => {
                    let value = written(&whole, name)?;
                    whole += &value;
                }
            }
        }
        Some(whole)
    }

    /// The same, as it is.
    pub(super) fn text(&self, params: &Params) -> Option<String> {
        self.filled(params, str::to_owned)
    }
}

/// A value as a text.
pub(super) fn as_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value of a file with templates in its texts.
#[derive(Debug, Clone)]
pub(super) enum JsonTemplate {
    Text(Template),
    Fixed(Value),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl JsonTemplate {
    pub(super) fn read(value: &Value, env: &Variables<'_>) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::read(text, env)?),
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Fixed(value.clone()),
            Value::Array(items) => {
                Self::List(items.iter().map(|item| Self::read(item, env)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let field = |(name, value): (&String, &Value)| Ok((name.clone(), Self::read(value, env)?));
                Self::Table(fields.iter().map(field).collect::<Result<_, String>>()?)
            }
        })
    }

    pub(super) fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Text(template) => vec![template],
            Self::Fixed(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::templates).collect(),
            Self::Table(fields) => fields.iter().flat_map(|(_, value)| value.templates()).collect(),
        }
    }

    /// With the values in their places: one that is a text's only part keeps its type, and what names one that is not given
    /// is left out.
    pub(super) fn filled(&self, params: &Params) -> Option<Value> {
        match self {
            Self::Text(template) => match template.only() {
                Some(name) => params.get(name).cloned(),
                None => template.text(params).map(Value::String),
            },
            Self::Fixed(value) => Some(value.clone()),
            Self::List(items) => Some(items.iter().filter_map(|item| item.filled(params)).collect()),
            Self::Table(fields) => {
                let given = fields.iter().filter_map(|(name, value)| Some((name.clone(), value.filled(params)?)));
                Some(Value::Object(given.collect::<Map<_, _>>()))
            }
        }
    }
}
