//! Where a structured answer ends, though the server goes on: small models talk on behind the closing brace, and
//! each word of that is a wait.
//!
//! Pure. Invariant: it is over only where the first object that [`repair::find`](super::repair::find) would take from
//! the whole answer is complete and has what the schema requires; in any doubt the server has the last word.

use serde_json::Value;

use super::repair::{self, Ending};
use super::structured::has_required;
use super::thoughts;

/// Reads along as an answer grows.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Where thinking has ended; `None` while it goes on.
    begins: Option<usize>,
    /// Everything before this was looked at.
    at: usize,
    /// Where the outermost open brace stands.
    opened: Option<usize>,
    depth: usize,
    string: InString,
    gave_up: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum InString {
    #[default]
    No,
    Yes,
    /// After a backslash.
    Escaped,
}

impl Closing {
    /// Whether an object is open: what looks like the end of an answer there is a part of a value.
    pub fn is_open(&self) -> bool {
        self.opened.is_some()
    }

    /// Looks at what is new in `answer`, the whole of it so far. Gives where it ends, if it does.
    pub fn end(&mut self, answer: &str, schema: &Value) -> Option<usize> {
        if self.gave_up {
            return None;
        }
        if self.begins.is_none() {
            let rest = thoughts::after_thinking(answer)?;
            let begins = answer.len() - rest.len();
            (self.begins, self.at) = (Some(begins), begins);
            // An array is the whole answer or none.
            self.gave_up = rest.starts_with('[');
        }
        while let Some(byte) = answer.as_bytes().get(self.at).copied() {
            let at = self.at;
            self.at += 1;
            let Some(opened) = self.opened else {
                if byte == b'{' {
                    (self.opened, self.depth) = (Some(at), 1);
                }
                continue;
            };
            if !self.closes(byte) {
                continue;
            }
            self.opened = None;
            match repair::find(&answer[opened..self.at], Ending::Stopped) {
                Some(Value::Object(map)) if map.is_empty() => {}
                Some(value) => {
                    let is_in_array = answer[..opened].trim_end().ends_with('[');
                    self.gave_up = is_in_array || !has_required(schema, &value);
                    return (!self.gave_up).then_some(self.at);
                }
                // An aside of prose in braces.
                None => {}
            }
        }
        None
    }

    /// Whether this byte closes the outermost brace.
    fn closes(&mut self, byte: u8) -> bool {
        match (self.string, byte) {
            (InString::Escaped, _) => self.string = InString::Yes,
            (InString::Yes, b'\\') => self.string = InString::Escaped,
            (InString::Yes, b'"') => self.string = InString::No,
            (InString::Yes, _) => {}
            (InString::No, b'"') => self.string = InString::Yes,
            (InString::No, b'{') => self.depth += 1,
            (InString::No, b'}') => self.depth -= 1,
            (InString::No, _) => {}
        }
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What of the text is read, however it is cut into pieces.
    fn read(text: &str) -> Option<String> {
        let schema = json!({"required": ["a"]});
        let mut whole = Closing::default();
        let end = whole.end(text, &schema);
        let mut bit_by_bit = Closing::default();
        let ends = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
        let first = ends.filter_map(|at| bit_by_bit.end(&text[..at], &schema)).next();
        assert_eq!(first, end, "{text}");
        end.map(|end| text[..end].to_owned())
    }

    #[test]
    fn the_closing_brace_of_the_answer_ends_it() {
        for text in [
            r#"{"a":{"b":"}"}}"#,
            r#"Sure! ```json {"a":"{\"é\\"}"#,
            r#"<think>{"a":1}</think>{"a":2}"#,
            r#"Use {braces}: {"a":1}"#,
            r#"{} {"a":1}"#,
        ] {
            for after in ["", "\n```\nHope it helps {\"a\":3}", "<|im_end|>", " {"] {
                assert_eq!(read(&format!("{text}{after}")).as_deref(), Some(text), "{after}");
            }
        }
    }

    #[test]
    fn in_doubt_the_server_has_the_last_word() {
        for text in
            [r#"{"a":1"#, r#"{"b":1} {"a":1}"#, r#"[{"a":1}]"#, r#"Here: [{"a":1}]"#, "<think>{\"a\":1}", "no", ""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
