//! How a call reaches the Bot API: query string, form, multipart text fields or JSON, all the same to it.

use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use serde_json::{Map, Value};

pub type Params = Map<String, Value>;

/// The parameters of a call, or `None` when the body is not what its content type says.
pub fn read_params(uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Option<Params> {
    let mut params = Params::new();
    params.extend(urlencoded(uri.query().unwrap_or_default()));
    let content_type = headers.get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default();
    let (kind, rest) = content_type.split_once(';').unwrap_or((content_type, ""));
    if body.is_empty() {
        return Some(params);
    }
    match kind.trim() {
        "application/json" => match serde_json::from_slice(body).ok()? {
            Value::Object(object) => params.extend(object),
            _ => return None,
        },
        "multipart/form-data" => {
            let boundary = rest.split_once("boundary=")?.1.trim_matches('"');
            params.extend(multipart(body, boundary));
        }
        _ => params.extend(urlencoded(std::str::from_utf8(body).ok()?)),
    }
    Some(params)
}

fn urlencoded(text: &str) -> Vec<(String, Value)> {
    let mut url = reqwest::Url::parse("http://fake.invalid/").unwrap();
    url.set_query(Some(text));
    url.query_pairs().map(|(k, v)| (k.into_owned(), Value::String(v.into_owned()))).collect()
}

/// Text fields as text, files as objects of `file_name`, `mime_type` and `content`.
///
/// Bytes are read as the characters of those numbers, so that none is lost; a file keeps them, a text is read as UTF-8.
fn multipart(body: &[u8], boundary: &str) -> Vec<(String, Value)> {
    let border = format!("--{boundary}");
    let body: String = body.iter().copied().map(char::from).collect();
    let utf8 = |text: &str| String::from_utf8_lossy(&bytes_of(text)).into_owned();
    let parts = body.split(&border).filter_map(|part| part.split_once("\r\n\r\n"));
    let quoted = |head: &str, name: &str| Some(head.split_once(name)?.1.split_once('"')?.0.to_owned());
    parts
        .filter_map(|(head, text)| {
            let name = quoted(head, " name=\"")?;
            let text = text.strip_suffix("\r\n").unwrap_or(text);
            let Some(file_name) = quoted(head, "filename=\"") else {
                return Some((name, Value::String(utf8(text))));
            };
            let mime = head.lines().find_map(|line| line.strip_prefix("Content-Type: ")).unwrap_or_default();
            Some((name, serde_json::json!({"file_name": utf8(&file_name), "mime_type": mime, "content": text})))
        })
        .collect()
}

/// The bytes of a file's content.
pub fn bytes_of(content: &str) -> Vec<u8> {
    content.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// A whole number, written as one or as text.
pub fn int(params: &Params, name: &str) -> Option<i64> {
    let value = params.get(name)?;
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

pub fn text<'a>(params: &'a Params, name: &str) -> &'a str {
    params.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub fn flag(params: &Params, name: &str) -> bool {
    params.get(name).is_some_and(|value| value == &Value::Bool(true) || value == "true" || value == "True")
}

/// An object or list, given as such or as JSON in a string; `Null` when it is absent, `None` when malformed.
pub fn nested(params: &Params, name: &str) -> Option<Value> {
    match params.get(name) {
        None | Some(Value::Null) => Some(Value::Null),
        Some(Value::String(text)) if text.is_empty() => Some(Value::Null),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(value) => Some(value.clone()),
    }
}
