//! Erased texts: what was forgotten is found in other texts, and a mark put in its place.
//!
//! A text is found as a whole, whatever its case and white space, and so are the telling parts of it (a number, a code,
//! an address), as it may have been worded otherwise. Only whole words count, never a part of a longer one. Not here:
//! where texts are kept (see `pipeline::commit::erasure`).

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;

use crate::limits::{FORGOTTEN_CHARS_MIN, FORGOTTEN_PART_CHARS_MIN};

/// Stands where something forgotten stood.
pub const MARK: &str = "[forgotten]";

/// How to find what was forgotten.
#[derive(Debug, Clone)]
pub struct Forgotten(Regex);

impl Forgotten {
    /// Any of these texts; `None` when none of them is long enough to be told from other words.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut wanted = BTreeSet::new();
        for text in texts {
            let words: Vec<&str> = text.split_whitespace().collect();
            if text.trim().chars().count() >= FORGOTTEN_CHARS_MIN {
                let bare: Vec<&str> = words.iter().map(|word| trimmed(word)).filter(|word| !word.is_empty()).collect();
                wanted.extend([words, bare].map(|words| in_sequence(&words)));
            }
            wanted.extend(text.split_whitespace().map(trimmed).filter(|word| is_telling(word)).map(regex::escape));
        }
        wanted.remove("");
        if wanted.is_empty() {
            return None;
        }
        // The longest first: a part is looked for only where the whole does not stand.
        let mut wanted: Vec<String> = wanted.into_iter().collect();
        wanted.sort_by_key(|pattern| std::cmp::Reverse(pattern.len()));
        let pattern = format!(r"(?i)\b{{start-half}}(?:{})\b{{end-half}}", wanted.join("|"));
        Regex::new(&pattern).ok().map(Self)
    }

    /// The text with a mark for each place; `None` when there is none.
    pub fn replaced(&self, text: &str) -> Option<String> {
        self.0.is_match(text).then(|| self.0.replace_all(text, MARK).into_owned())
    }

    /// Whether any text in a record has it.
    pub fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.0.is_match(text),
            Value::Array(values) => values.iter().any(|value| self.is_in(value)),
            Value::Object(fields) => fields.values().any(|value| self.is_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Puts the mark wherever a text in a record has it; true when there was one. A text that changes loses its
    /// styles: they counted its characters.
    pub fn replace_in(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.replaced(text) {
                Some(marked) => {
                    *text = marked;
                    true
                }
                None => false,
            },
            Value::Array(values) => self.replace_in_all(values),
            Value::Object(fields) => {
                let text = fields.get("text").cloned();
                let any = self.replace_in_all(fields.values_mut());
                if any && fields.get("text") != text.as_ref() {
                    fields.remove("spans");
                }
                any
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn replace_in_all<'v>(&self, values: impl IntoIterator<Item = &'v mut Value>) -> bool {
        values.into_iter().map(|value| self.replace_in(value)).filter(|changed| *changed).count() > 0
    }
}

fn in_sequence(words: &[&str]) -> String {
    words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join(r"\s+")
}

/// Without the signs of a sentence around it.
fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A word that would give the whole away.
fn is_telling(word: &str) -> bool {
    word.chars().count() >= FORGOTTEN_PART_CHARS_MIN && word.chars().any(|c| c.is_ascii_digit() || c == '@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(forgotten: &str, text: &str, marked: &str) {
        let found = Forgotten::of([forgotten]).and_then(|forgotten| forgotten.replaced(text));
        assert_eq!(found.as_deref().unwrap_or(text), marked, "{forgotten:?} in {text:?}");
    }

    #[test]
    fn whole_words_are_found_whatever_their_case_and_spaces() {
        check("4711-CANARY", "my PIN is 4711-canary!", "my PIN is [forgotten]!");
        check("window seats", "I like Window\n  Seats.", "I like [forgotten].");
        check("tea", "the team drinks Tea", "the team drinks [forgotten]");
        check("+49 171 23", "call (+49 171 23) or +49 171 234", "call ([forgotten]) or +49 171 234");
        check("a (b) [c].", "A (b) [c].", "[forgotten]");
        check("Größe 42", "GRÖSSE 42, größe 42", "GRÖSSE 42, [forgotten]");
    }

    #[test]
    fn a_telling_part_is_found_in_other_words() {
        check("The user's PIN is 4711-CANARY.", "remember: pin 4711-CANARY", "remember: pin [forgotten]");
        check("reach me at ann@example.com", "mail ANN@example.com", "mail [forgotten]");
        check("prefers window seats", "window seats", "window seats");
    }

    #[test]
    fn what_is_too_short_to_be_told_from_other_words_is_not_looked_for() {
        assert!(Forgotten::of(["5", " ", ""]).is_none());
        check("no", "no, thanks", "no, thanks");
    }

    #[test]
    fn a_record_loses_it_everywhere_and_a_changed_text_its_styles() {
        let forgotten = Forgotten::of(["4711-CANARY"]).unwrap();
        let mut record = json!({
            "at": 7, "show": [{"text": "PIN: 4711-CANARY", "spans": [{"start": 5}]}, {"text": "no", "spans": [1]}],
            "params": {"value": "4711-CANARY"},
        });
        assert!(forgotten.is_in(&record) && forgotten.replace_in(&mut record));
        let clean = json!({
            "at": 7, "show": [{"text": "PIN: [forgotten]"}, {"text": "no", "spans": [1]}],
            "params": {"value": "[forgotten]"},
        });
        assert_eq!(record, clean);
        assert!(!forgotten.replace_in(&mut record));
    }
}
