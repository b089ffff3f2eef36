//! The document of an archive, taken apart into kinds and their records without being read as a whole: each record is
//! read when its turn comes, so that what a text of a few bytes becomes in memory is bounded by one record.
//!
//! Invariants: nothing here recurses; how many kinds and how many values it has is known before one of them is read.
//! Not here: what a record says.

use std::ops::Range;

use serde_json::Value;

use crate::limits::{ARCHIVED_KINDS_MAX, ARCHIVED_VALUES_MAX, IMPORTED_RECORD_BYTES_MAX, IMPORTED_RECORD_VALUES_MAX};

/// Why a text is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is no JSON object in UTF-8.
    #[error("{0}")]
    Shape(String),
    /// It has more than is read.
    #[error("{0}")]
    TooMuch(String),
}

/// A document.
#[derive(Debug, Clone)]
pub struct ArchiveDocument {
    text: String,
    /// Its fields, in order, and where their values stand.
    fields: Vec<(String, Range<usize>)>,
}

impl ArchiveDocument {
    /// Takes a text apart.
    pub fn of(bytes: Vec<u8>) -> Result<Self, DocumentError> {
        let text = String::from_utf8(bytes).map_err(|_| shape("it is no text in UTF-8"))?;
        let mut reader = DocumentReader { text: text.as_bytes(), at: 0, values: 0 };
        let mut fields: Vec<(String, Range<usize>)> = Vec::new();
        reader.expect(b'{')?;
        while let Some(name) = reader.key(fields.is_empty())? {
            let value = reader.value()?;
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(shape("a kind stands there twice"));
            }
            if fields.len() == ARCHIVED_KINDS_MAX {
                return Err(DocumentError::TooMuch(format!("more than {ARCHIVED_KINDS_MAX} kinds of records")));
            }
            fields.push((name, value));
        }
        reader.space();
        if reader.at < text.len() {
            return Err(shape("it goes on behind its end"));
        }
        Ok(Self { text, fields })
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// A field that is small; `None`: there is none, or it is not, or cannot be read.
    pub fn field(&self, name: &str) -> Option<Value> {
        let (_, range) = self.fields.iter().find(|(known, _)| known == name)?;
        read(&self.text[range.clone()]).ok()
    }

    /// The records of a field that is a list, one after the other: each as it was read, or why it was not. `None`: there is
    /// no such list.
    pub fn records(&self, name: &str) -> Option<impl Iterator<Item = Result<Value, String>>> {
        let (_, range) = self.fields.iter().find(|(known, _)| known == name)?;
        let inner = self.text.get(range.clone())?.strip_prefix('[')?.strip_suffix(']')?;
        let mut reader = DocumentReader { text: inner.as_bytes(), at: 0, values: 0 };
        let mut is_first = true;
        Some(std::iter::from_fn(move || {
            reader.space();
            if reader.at == reader.text.len() || !std::mem::take(&mut is_first) && reader.expect(b',').is_err() {
                return None;
            }
            // It was walked through once.
            let value = reader.value().ok()?;
            Some(read(&inner[value]))
        }))
    }
}

fn read(text: &str) -> Result<Value, String> {
    if text.len() > IMPORTED_RECORD_BYTES_MAX || DocumentReader::values_of(text) > IMPORTED_RECORD_VALUES_MAX {
        return Err("it is too large".to_owned());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn shape(why: &str) -> DocumentError {
    DocumentError::Shape(why.to_owned())
}

/// Walks through JSON without reading it.
struct DocumentReader<'t> {
    text: &'t [u8],
    at: usize,
    values: usize,
}

impl DocumentReader<'_> {
    fn values_of(text: &str) -> usize {
        let mut reader = DocumentReader { text: text.as_bytes(), at: 0, values: 0 };
        // What is broken is told by whoever reads it.
        let _ = reader.value();
        reader.values
    }

    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, sign: u8) -> Result<(), DocumentError> {
        self.space();
        if self.text.get(self.at) != Some(&sign) {
            return Err(shape(&format!("“{}” is missing at byte {}", char::from(sign), self.at)));
        }
        self.at += 1;
        Ok(())
    }

    /// The next name of an object, and the colon behind it; `None` at its end.
    fn key(&mut self, is_first: bool) -> Result<Option<String>, DocumentError> {
        self.space();
        if self.text.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(None);
        }
        if !is_first {
            self.expect(b',')?;
            self.space();
        }
        let start = self.at;
        if self.text.get(start) != Some(&b'"') {
            return Err(shape(&format!("a name is missing at byte {start}")));
        }
        self.string()?;
        let name = serde_json::from_slice(&self.text[start..self.at]).map_err(|error| shape(&error.to_string()))?;
        self.expect(b':')?;
        Ok(Some(name))
    }

    /// Where the next value stands.
    fn value(&mut self) -> Result<Range<usize>, DocumentError> {
        self.space();
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            let Some(sign) = self.text.get(self.at) else {
                return if depth == 0 && self.at > start {
                    Ok(start..self.at)
                } else {
                    Err(shape("it ends too early"))
                };
            };
            match sign {
                b'"' => self.string()?,
                b'[' | b'{' => {
                    depth += 1;
                    self.counts()?;
                    self.at += 1;
                }
                b']' | b'}' if depth == 0 => break,
                b']' | b'}' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' if depth == 0 => break,
                b',' => {
                    self.counts()?;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            let is_closed = matches!(sign, b'"' | b']' | b'}');
            if depth == 0 && is_closed {
                break;
            }
        }
        let text = self.text[start..self.at].trim_ascii_end();
        if text.is_empty() { Err(shape("a value is missing")) } else { Ok(start..start + text.len()) }
    }

    /// One more value.
    fn counts(&mut self) -> Result<(), DocumentError> {
        self.values += 1;
        if self.values > ARCHIVED_VALUES_MAX {
            return Err(DocumentError::TooMuch(format!("more than {ARCHIVED_VALUES_MAX} values")));
        }
        Ok(())
    }

    /// Behind the string that begins here.
    fn string(&mut self) -> Result<(), DocumentError> {
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                None => return Err(shape("it ends too early")),
                Some(b'\\') => self.at += 2,
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> Result<ArchiveDocument, DocumentError> {
        ArchiveDocument::of(text.as_bytes().to_vec())
    }

    fn records(document: &ArchiveDocument, name: &str) -> Vec<Result<Value, String>> {
        document.records(name).into_iter().flatten().collect()
    }

    #[test]
    fn what_it_holds_is_what_json_has_there() {
        let whole = json!({
            "person": {"id": "me", "deep": [[[{"a": "]}\"\\"}]]]}, "n": 2, "none": [], "t\"[": [1, "x, y", null],
            "tasks": [{"id": "t1", "title": "a \\ \" ] } , b"}, {"id": "t2", "items": [1, [2, {}]]}],
        });
        for text in [whole.to_string(), format!("\n {} \t", serde_json::to_string_pretty(&whole).unwrap())] {
            let document = of(&text).unwrap();
            assert_eq!(document.names().count(), 5);
            for (name, value) in whole.as_object().unwrap() {
                assert_eq!(document.field(name).as_ref(), Some(value), "{name}");
                let list = value.as_array().map(|list| list.iter().cloned().map(Ok).collect::<Vec<_>>());
                assert_eq!(records(&document, name), list.unwrap_or_default(), "{name}");
            }
        }
        assert_eq!(of(" {} ").unwrap().names().count(), 0);
    }

    #[test]
    fn what_is_no_object_or_has_too_much_is_refused_before_it_is_read() {
        for text in [
            "",
            "[1]",
            "{",
            "{\"a\"",
            "{\"a\": ",
            "{\"a\": [}",
            "{\"a\": 1 \"b\": 2}",
            "{\"a\": 1,}",
            "{} x",
            "{\"a\": }",
        ] {
            assert!(matches!(of(text), Err(DocumentError::Shape(_))), "{text}");
        }
        assert!(matches!(of("{\"a\": 1, \"a\": 2}"), Err(DocumentError::Shape(_))));
        assert!(ArchiveDocument::of(vec![b'{', 0xff]).is_err());
        let kinds: Vec<String> = (0..200_000).map(|n| format!("\"k{n}\": []")).collect();
        assert!(matches!(of(&format!("{{{}}}", kinds.join(","))), Err(DocumentError::TooMuch(_))));
        let dense = format!("{{\"a\": [{}[]]}}", "[],".repeat(ARCHIVED_VALUES_MAX));
        assert!(matches!(of(&dense), Err(DocumentError::TooMuch(_))));
    }

    #[test]
    fn one_bad_record_costs_that_one() {
        let many = format!("[{}0]", "0,".repeat(IMPORTED_RECORD_VALUES_MAX));
        let text = format!("{{\"tasks\": [{{\"id\": 1}}, {{\"id\": tru}}, {many}, 7]}}");
        let found = records(&of(&text).unwrap(), "tasks");
        assert_eq!((found.len(), &found[0], &found[3]), (4, &Ok(json!({"id": 1})), &Ok(json!(7))));
        assert!(found[1].is_err() && found[2] == Err("it is too large".to_owned()));
    }

    #[test]
    fn a_hundred_thousand_levels_are_walked_through_and_left_out() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let found = records(&of(&format!("{{\"tasks\": [{deep}, 7]}}")).unwrap(), "tasks");
            assert!(found.len() == 2 && found[0].is_err() && found[1].is_ok());
            assert!(of(&format!("{{\"tasks\": [{}", open.repeat(100_000))).is_err());
        }
    }

    #[test]
    fn fuzzed_documents_are_taken_apart_as_json_reads_them() {
        let seed = r#"{"brain_agent_export": 2, "person": {"id": "me"}, "tasks": [{"id": "t1", "x": [1, "a\"]"]}, 7, null], "n": []}"#;
        let tokens = ["[", "]", "{", "}", "{\"a\":", "\"", "\\", ",", ":", "null", "\n", " ", "\"tasks\":[", "1e9"];
        brain_testing::fuzzing::fuzz("document", &[seed], &tokens, |bytes| {
            let taken = ArchiveDocument::of(bytes.to_vec());
            let read = serde_json::from_slice::<serde_json::Map<String, Value>>(bytes);
            match (taken, read) {
                (Ok(document), Ok(read)) => {
                    for (name, value) in &read {
                        let list = value.as_array().cloned().unwrap_or_default();
                        let found = records(&document, name);
                        assert_eq!(found.len(), list.len());
                        assert!(found.iter().zip(&list).all(|(one, other)| one.is_err() || one.as_ref() == Ok(other)));
                    }
                }
                // JSON takes the last of several; what is broken inside is told record by record.
                (Err(_), Ok(_)) | (Ok(_), Err(_)) | (Err(_), Err(_)) => {}
            }
        });
    }
}
