//! A file that is handed to a person.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// A file handed to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredAttachment", into = "StoredAttachment")]
pub struct Attachment {
    /// Its name, without a folder.
    pub name: String,
    /// What it is, e.g. `application/json`.
    pub mime: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A file as it waits for being delivered: text as text, so that it can be looked through.
#[derive(Debug, Serialize, Deserialize)]
struct StoredAttachment {
    name: String,
    mime: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl From<Attachment> for StoredAttachment {
    fn from(Attachment { name, mime, content }: Attachment) -> Self {
        match String::from_utf8(content) {
            Ok(text) => Self { name, mime, content: Some(text), base64: None },
            Err(other) => Self { name, mime, content: None, base64: Some(encoded(other.as_bytes())) },
        }
    }
}

impl TryFrom<StoredAttachment> for Attachment {
    type Error = base64::DecodeError;

    fn try_from(stored: StoredAttachment) -> Result<Self, Self::Error> {
        let StoredAttachment { name, mime, content, base64 } = stored;
        let content = match base64 {
            Some(bytes) => STANDARD.decode(bytes)?,
            None => content.unwrap_or_default().into_bytes(),
        };
        Ok(Self { name, mime, content })
    }
}

/// Bytes as they are kept where they are no text.
pub fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes that were kept so; `None`: they were not.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_waits_as_text_where_it_is_text_and_comes_back_as_it_was() {
        for (content, stored) in [
            (&b"hello"[..], json!({"name": "a", "mime": "text/plain", "content": "hello"})),
            (b"PK\xff\x00", json!({"name": "a", "mime": "text/plain", "base64": "UEv/AA=="})),
        ] {
            let file = Attachment { name: "a".to_owned(), mime: "text/plain".to_owned(), content: content.to_vec() };
            assert_eq!(serde_json::to_value(&file).unwrap(), stored);
            assert_eq!(serde_json::from_value::<Attachment>(stored).unwrap(), file);
        }
        assert!(serde_json::from_value::<Attachment>(json!({"name": "a", "mime": "b", "base64": "%"})).is_err());
    }
}
