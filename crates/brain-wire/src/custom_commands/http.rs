//! A command that a server elsewhere carries out: one request, made of the file and of values.
//!
//! Invariants: a value is a part of one segment of the path, of one value of the query, of one value of the body, and of
//! nothing else; a path that would be read as another one is not asked for.

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, Method, Url};
use serde_json::Value;

use super::UnfitValue;
use super::body::TextBody;
use super::table::FileTable;
use super::template::{JsonTemplate, Template, as_words};
use crate::outside::{CallError, HttpPlace, ToolAnswer, Variables, beginning, causes, read_as_text};
use brain_core::core::plan::Params;
use brain_core::limits;

/// What may stand in a segment as it is (RFC 3986, unreserved).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const METHODS: [(&str, &Method); 5] = [
    ("GET", &Method::GET),
    ("POST", &Method::POST),
    ("PUT", &Method::PUT),
    ("PATCH", &Method::PATCH),
    ("DELETE", &Method::DELETE),
];

/// A request as the file describes it.
#[derive(Debug, Clone)]
pub(super) struct HttpTemplate {
    method: Method,
    /// Between the slashes.
    path: Vec<Template>,
    query: Vec<(String, Template)>,
    body: Option<BodyTemplate>,
}

#[derive(Debug, Clone)]
enum BodyTemplate {
    Json(JsonTemplate),
    Form(Vec<(String, Template)>),
    Text(TextBody),
}

/// A request with its values.
#[derive(Debug)]
pub(super) struct HttpRequest {
    method: Method,
    url: Url,
    body: Option<RequestBody>,
}

#[derive(Debug)]
enum RequestBody {
    Json(Value),
    Form(Vec<(String, String)>),
    Text(String),
}

impl HttpTemplate {
    pub(super) fn read(mut table: FileTable<'_>, env: &Variables<'_>, place: Option<&HttpPlace>) -> Option<Self> {
        let method = table.one_of("method", &METHODS).unwrap_or(&Method::GET).clone();
        let path = table.needed("path");
        if path.as_ref().is_some_and(|path| !path.starts_with('/') || path.contains(['?', '#', '\\'])) {
            table.problem("path has to begin with “/”, without “?”, “#” and “\\”; what comes behind “?” is query");
        }
        let mut template = |text: &str, key: &str| {
            Template::read(text, env).unwrap_or_else(|why| {
                table.problem(format!("{key}: {why}"));
                Template::default()
            })
        };
        let path =
            path.iter().flat_map(|path| path.split('/').skip(1)).map(|segment| template(segment, "path")).collect();
        let query = pairs(&mut table, "query", env);
        let form = table.take("form").map(|form| BodyTemplate::Form(pairs_of(&form, "form", &mut table, env)));
        let text = table.text("body").map(|text| match TextBody::read(&text, env, place) {
            Ok(body) => BodyTemplate::Text(body),
            Err(why) => {
                table.problem(format!("body: {why}"));
                BodyTemplate::Form(Vec::new())
            }
        });
        let json = table.take("json").map(|value| match JsonTemplate::read(&value, env) {
            Ok(json) => BodyTemplate::Json(json),
            Err(why) => {
                table.problem(format!("json: {why}"));
                BodyTemplate::Form(Vec::new())
            }
        });
        let mut bodies: Vec<BodyTemplate> = [json, form, text].into_iter().flatten().collect();
        if bodies.len() > 1 {
            table.problem("json, form and body are three ways to say one thing; set one of them");
        }
        if !bodies.is_empty() && method == Method::GET {
            table.problem("a GET has no json, form or body; set method or query");
        }
        let body = bodies.pop();
        table.end();
        Some(Self { method, path, query, body })
    }

    /// Whether it is one that only reads, as its method means it.
    pub(super) fn says_that_it_reads(&self) -> bool {
        self.method == Method::GET
    }

    /// Every text with a place for values.
    pub(super) fn templates(&self) -> Vec<&Template> {
        let body = match &self.body {
            None => Vec::new(),
            Some(BodyTemplate::Json(json)) => json.templates(),
            Some(BodyTemplate::Form(fields)) => fields.iter().map(|(_, value)| value).collect(),
            Some(BodyTemplate::Text(text)) => vec![text.template()],
        };
        self.path.iter().chain(self.query.iter().map(|(_, value)| value)).chain(body).collect()
    }

    /// The parameters that it cannot do without: a path has no part that may be left out.
    pub(super) fn needs(&self) -> impl Iterator<Item = &str> {
        self.path.iter().flat_map(Template::params)
    }

    /// The request with these values.
    pub(super) fn filled(&self, place: &HttpPlace, params: &Params) -> Result<HttpRequest, UnfitValue> {
        let mut path = String::new();
        for segment in &self.path {
            let words = segment.text(params).ok_or(UnfitValue::Missing)?;
            if segment.params().next().is_some() {
                let is_other = |value: String| value.contains(['/', '\\']) || value.contains(char::is_control);
                let mut values = segment.params().filter_map(|name| params.get(name)).map(as_words);
                if words.is_empty() || words == "." || words == ".." || values.any(is_other) {
                    return Err(UnfitValue::Path);
                }
            }
            path.push('/');
            path += &segment
                .filled(params, |value| utf8_percent_encode(value, SEGMENT).to_string())
                .ok_or(UnfitValue::Missing)?;
        }
        let base = Url::parse(&place.url).map_err(|_| UnfitValue::Path)?;
        let whole = format!("{}{path}", base.path().trim_end_matches('/'));
        let mut url = base;
        url.set_path(&whole);
        // What the rules of addresses make another path of is none that was said.
        if url.path() != whole {
            return Err(UnfitValue::Path);
        }
        let query = given(&self.query, params);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let body = match &self.body {
            None => None,
            Some(BodyTemplate::Json(json)) => json.filled(params).map(RequestBody::Json),
            Some(BodyTemplate::Form(fields)) => Some(RequestBody::Form(given(fields, params))),
            Some(BodyTemplate::Text(text)) => text.filled(params).map(RequestBody::Text),
        };
        Ok(HttpRequest { method: self.method.clone(), url, body })
    }
}

/// Those of the pairs whose values are given.
fn given(pairs: &[(String, Template)], params: &Params) -> Vec<(String, String)> {
    pairs.iter().filter_map(|(name, value)| Some((name.clone(), value.text(params)?))).collect()
}

fn pairs(table: &mut FileTable<'_>, key: &str, env: &Variables<'_>) -> Vec<(String, Template)> {
    let value = table.take(key);
    value.map(|value| pairs_of(&value, key, table, env)).unwrap_or_default()
}

/// A table of texts, numbers and yes or no.
fn pairs_of(value: &Value, key: &str, table: &mut FileTable<'_>, env: &Variables<'_>) -> Vec<(String, Template)> {
    let mut pairs = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                table.problem(format!("{key}: {name} has to be a text, a number, true or false"));
                continue;
            }
        };
        match Template::read(&text, env) {
            Ok(template) => pairs.push((name.clone(), template)),
            Err(why) => table.problem(format!("{key}: {name}: {why}")),
        }
    }
    if !value.is_object() {
        table.problem(format!("{key} has to be a table"));
    }
    pairs
}

impl HttpRequest {
    /// Sends it, once.
    pub(super) async fn sent(
        self,
        client: &Client,
        place: &HttpPlace,
        patience: Duration,
    ) -> Result<ToolAnswer, CallError> {
        let headers = place.headers().map_err(CallError::Unreachable)?;
        let mut request = client.request(self.method, self.url).timeout(patience);
        request = match self.body {
            None => request,
            Some(RequestBody::Json(value)) => request.json(&value),
            Some(RequestBody::Form(fields)) => request.form(&fields),
            Some(RequestBody::Text(text)) => request.header("content-type", "text/plain; charset=utf-8").body(text),
        };
        // They win over what a body sets.
        request = request.headers(headers.into_iter().collect());
        let response = request.send().await.map_err(|error| trouble(error, patience))?;
        let status = response.status();
        let (body, end) = beginning(response, limits::OUTSIDE_ANSWER_BYTES_MAX).await;
        let text = read_as_text(&body, end);
        if status.is_success() {
            return Ok(ToolAnswer { text, is_error: false });
        }
        let words = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let why = format!("{status}{}{words}", if words.is_empty() { "" } else { ": " });
        match status {
            status if status.is_client_error() => Err(CallError::Rejected(why)),
            status if status.is_redirection() => Err(CallError::Unanswered(format!("{status}, which is not followed"))),
            _ => Err(CallError::Unanswered(why)),
        }
    }
}

fn trouble(error: reqwest::Error, patience: Duration) -> CallError {
    let error = error.without_url();
    if error.is_connect() || error.is_builder() {
        return CallError::Unreachable(causes(&error));
    }
    match error.is_timeout() {
        true => CallError::Unanswered(format!("it did not answer within {} seconds", patience.as_secs())),
        false => CallError::Unanswered(causes(&error)),
    }
}
