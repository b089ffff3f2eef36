//! The body of a request that the file writes as one text: JSON or XML that it is stays what it is, whatever a value holds.
//!
//! Invariant: a value is one string, one number or one truth of JSON, one text or one attribute of XML; in a text that is
//! neither it is a part of that text.

use serde_json::{Deserializer, Value};

use super::template::{Template, as_words};
use crate::outside::{HttpPlace, Variables};
use brain_core::core::plan::Params;

/// A body as the file has it.
#[derive(Debug, Clone)]
pub(super) struct TextBody {
    template: Template,
    form: BodyForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyForm {
    Json,
    Xml,
    Plain,
}

impl TextBody {
    /// Reads one, to be sent to `place`, whose headers may say what it is.
    pub(super) fn read(text: &str, env: &Variables<'_>, place: Option<&HttpPlace>) -> Result<Self, String> {
        let template = Template::read(text, env)?;
        let said = place.map(content_type).unwrap_or_default();
        if said.contains("urlencoded") && template.params().next().is_some() {
            return Err("a header says that it is a form: write it as form = {…}, so that a value stays one".to_owned());
        }
        let begins_with = |signs: &[char]| template.fixed().trim_start().starts_with(signs);
        let is_json = filled_json(&template, &|_| Some(Value::from("x"))).is_some_and(|text| reads_as_json(&text));
        let form = match () {
            () if is_json && (said.contains("json") || begins_with(&['{', '['])) => BodyForm::Json,
            () if said.contains("json") && template.params().next().is_some() => {
                return Err("a header says that it is JSON, and it is none: write it as json = {…}".to_owned());
            }
            () if said.contains("xml") || begins_with(&['<']) => BodyForm::Xml,
            () => BodyForm::Plain,
        };
        Ok(Self { template, form })
    }

    pub(super) fn template(&self) -> &Template {
        &self.template
    }

    /// With the values in their places; `None` where one of them is not given.
    pub(super) fn filled(&self, params: &Params) -> Option<String> {
        match self.form {
            BodyForm::Json => filled_json(&self.template, &|name| params.get(name).cloned()),
            BodyForm::Xml => self.template.filled(params, escaped),
            BodyForm::Plain => self.template.text(params),
        }
    }
}

/// What the headers say a body is.
fn content_type(place: &HttpPlace) -> String {
    let headers = place.headers().unwrap_or_default();
    let said = headers.iter().find(|(name, _)| name.as_str() == "content-type");
    said.and_then(|(_, value)| value.to_str().ok()).unwrap_or_default().to_lowercase()
}

fn filled_json(template: &Template, value: &dyn Fn(&str) -> Option<Value>) -> Option<String> {
    template.built(|before, name| {
        let value = value(name)?;
        Some(if is_within_string(before) {
            let quoted = Value::from(as_words(&value)).to_string();
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
        } else {
            value.to_string()
        })
    })
}

/// Whether a string of JSON is open at the end.
fn is_within_string(json: &str) -> bool {
    let (mut is_open, mut is_escaped) = (false, false);
    for sign in json.chars() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' if is_open => is_escaped = true,
            '"' => is_open = !is_open,
            _ => {}
        }
    }
    is_open
}

/// One value after the other, as some servers take them line by line.
fn reads_as_json(text: &str) -> bool {
    let mut count = 0;
    Deserializer::from_str(text).into_iter::<Value>().all(|value| {
        count += 1;
        value.is_ok()
    }) && count > 0
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for sign in value.chars() {
        match sign {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&apos;"),
            sign => text.push(sign),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn place(content_type: &str) -> HttpPlace {
        let headers = BTreeMap::from([("Content-Type".to_owned(), content_type.to_owned().into())]);
        HttpPlace::new("http://127.0.0.1:1".to_owned(), headers).unwrap()
    }

    fn filled(text: &str, place: Option<&HttpPlace>, value: Value) -> String {
        let body = TextBody::read(text, &|_| None, place).unwrap();
        body.filled(&[("a".to_owned(), value)].into_iter().collect()).unwrap()
    }

    #[test]
    fn a_value_adds_nothing_to_json_or_xml() {
        const MORE: &str = "x\",\"admin\":true,\"y\":\"\\";
        for text in
            [r#"{{"said": "{a}", "by": "me"}}"#, r#" [ {a}, "say \"{a}\" to {a}" ]"#, "{{\"a\": {a}}}\n{{\"b\": {a}}}"]
        {
            let body = filled(text, None, MORE.into());
            assert!(reads_as_json(&body) && !body.contains("\"admin\":true"), "{body}");
        }
        assert_eq!(filled(r#"{{"n": {a}}}"#, None, json!(7)), r#"{"n": 7}"#);
        let read: Value = serde_json::from_str(&filled(r#"{{"said": "{a}"}}"#, None, MORE.into())).unwrap();
        assert_eq!(read, json!({"said": MORE}));
        let whole = filled("{a}", Some(&place("application/json")), MORE.into());
        assert_eq!(serde_json::from_str::<Value>(&whole).unwrap(), json!(MORE));
        let xml = filled("<say by=\"{a}\">{a}</say>", None, "x\"/><admin>&".into());
        assert_eq!(xml, "<say by=\"x&quot;/&gt;&lt;admin&gt;&amp;\">x&quot;/&gt;&lt;admin&gt;&amp;</say>");
        assert_eq!(filled("[note] {a}", None, MORE.into()), format!("[note] {MORE}"));
        assert_eq!(filled("{a}", None, MORE.into()), MORE);
    }

    #[test]
    fn a_body_that_is_said_to_be_something_else_is_refused_with_what_to_write() {
        for (text, said, why) in [
            ("a={a}&b=1", "application/x-www-form-urlencoded", "form = {…}"),
            ("{{\"a\": {a}", "application/json; charset=utf-8", "json = {…}"),
            ("note: {a}", "application/JSON", "json = {…}"),
        ] {
            assert!(TextBody::read(text, &|_| None, Some(&place(said))).unwrap_err().contains(why), "{text}");
        }
        assert!(TextBody::read("fixed=1", &|_| None, Some(&place("application/x-www-form-urlencoded"))).is_ok());
    }
}
