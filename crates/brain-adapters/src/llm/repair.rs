//! JSON repair: finds the JSON in a model's answer and repairs its form, never its meaning.
//!
//! Repaired: words and fences around it, commas before a closing bracket, raw control characters inside
//! strings, closing brackets missing at the very end of an answer that was not cut off.
//! Refused, because any reading would be a guess: an unfinished string, number or pair, a key given twice
//! with different values, single quotes, bare keys, comments, NaN, Python's literals, nesting deeper than
//! [`DEPTH_MAX`]. A part of a broken document is never taken for the whole.
//!
//! Invariant: a valid document (keys unique) comes out as `serde_json` reads it.
//! Deliberately not here: whether the value fits a schema; that is the stage's.

use serde_json::{Map, Value};

/// No plan or route is nested deeper; a deeper one is an attack or a loop.
pub(super) const DEPTH_MAX: usize = 64;

/// How the answer ended, as far as the endpoint tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model stopped by itself, or nothing is known.
    Stopped,
    /// It ran into the token limit: what is missing is unknown, so nothing is closed.
    Cut,
}

/// The first JSON object in the text (or the array, if the whole text is one).
pub(super) fn find(text: &str, ending: Ending) -> Option<Value> {
    let text = unfenced(text.trim().trim_start_matches('\u{FEFF}'));
    if text.starts_with('[') {
        return whole(text, ending);
    }
    let mut empty = None;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('{') {
        at += found;
        if !is_object_start(&text[at..]) {
            at += end_of_aside(&text[at..])?;
            continue;
        }
        if text[..at].trim_end().ends_with('[') {
            return None;
        }
        let mut reader = JsonReader::new(&text[at..], ending);
        match reader.value(0)? {
            Value::Object(map) if map.is_empty() => {
                at += reader.at;
                empty = Some(Value::Object(map));
            }
            value => return Some(value),
        }
    }
    empty
}

/// A document that fills the text to its end.
fn whole(text: &str, ending: Ending) -> Option<Value> {
    let mut reader = JsonReader::new(text, ending);
    let value = reader.value(0)?;
    reader.space();
    (reader.at == text.len()).then_some(value)
}

/// Without a fence around the whole, or a fence left at the end of an unclosed document.
fn unfenced(text: &str) -> &str {
    let inside =
        text.strip_prefix("```").map_or(text, |rest| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    inside.strip_suffix("```").unwrap_or(inside).trim()
}

/// An opening brace of prose is followed by neither a key nor its end.
fn is_object_start(text: &str) -> bool {
    text[1..].trim_start().starts_with(['"', '}', '\'']) || text[1..].trim_start().is_empty()
}

/// Past the closing brace of an aside in prose. An aside with braces inside could be a document in a form
/// that is not understood, whose inner part must not be taken for the whole.
fn end_of_aside(text: &str) -> Option<usize> {
    let end = 1 + text[1..].find(['{', '}'])?;
    text[end..].starts_with('}').then_some(end + 1)
}

/// Reads one value, strict but for the repairs named above. `None` is the only failure.
struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    ending: Ending,
}

impl<'a> JsonReader<'a> {
    fn new(text: &'a str, ending: Ending) -> Self {
        Self { text, at: 0, ending }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        self.space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            b'-' | b'0'..=b'9' | b'a'..=b'z' => self.scalar(),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        while !self.closes(b'}')? {
            let key = self.string()?;
            self.space();
            self.eat(b':').then_some(())?;
            let value = self.value(depth + 1)?;
            if map.get(&key).is_some_and(|earlier| *earlier != value) {
                return None;
            }
            map.insert(key, value);
            self.separates(b'}').then_some(())?;
        }
        Some(Value::Object(map))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.closes(b']')? {
            items.push(self.value(depth + 1)?);
            self.separates(b']').then_some(())?;
        }
        Some(Value::Array(items))
    }

    /// Is this the end of an object or array? At the end of the text it is, if nothing was announced (by an
    /// opening bracket or a comma) that has not come. `None` when it can neither end nor go on.
    fn closes(&mut self, bracket: u8) -> Option<bool> {
        self.space();
        match self.peek() {
            Some(_) => Some(self.eat(bracket)),
            None if self.ending == Ending::Stopped && !self.announced() => Some(true),
            None => None,
        }
    }

    fn announced(&self) -> bool {
        self.text[..self.at].trim_end().ends_with([',', '{', '[', ':'])
    }

    /// After an element comes a comma or the end.
    fn separates(&mut self, bracket: u8) -> bool {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                true
            }
            Some(found) => found == bracket,
            None => true,
        }
    }

    fn string(&mut self) -> Option<String> {
        let rest = self.text[self.at..].strip_prefix('"')?;
        let mut is_escaped = false;
        let end = rest.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })?;
        let raw = &rest[..end];
        self.at += end + 2;
        if !raw.bytes().any(|byte| byte == b'\\' || byte < 0x20) {
            return Some(raw.to_owned());
        }
        serde_json::from_str(&format!("\"{}\"", escaped(raw))).ok()
    }

    /// A number, or true, false, null. Complete only if something follows: `12` at the end may be half of
    /// `120`.
    fn scalar(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | 'a'..='z' | 'E' | '+' | '-' | '.'))?;
        let value = serde_json::from_str(&rest[..end]).ok()?;
        self.at += end;
        Some(value)
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }
}

fn escaped(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + 8);
    for c in raw.chars() {
        if u32::from(c) < 0x20 {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: Option<Value>) {
        assert_eq!(find(text, Ending::Stopped), expected, "{text}");
    }

    #[test]
    fn the_document_is_found_in_what_surrounds_it() {
        let found = || Some(json!({"a": {"b": [1, 2]}}));
        for text in [
            r#"{"a":{"b":[1,2]}}"#,
            "```json\n{\"a\":{\"b\":[1,2]}}\n```",
            "```\n{\"a\":{\"b\":[1,2]}}```",
            "Sure! Here it is:\n```json\n{\"a\":{\"b\":[1,2]}}\n```\nAnything else?",
            r#"With {braces} and {} before: {"a":{"b":[1,2]}} and } after {"#,
            "\u{FEFF}{ \"a\" : {\"b\":[1,2,],},}",
            r#"{"a":{"b":[1,2]}}}}"#,
        ] {
            check(text, found());
        }
        check("[1, {\"a\": 2}]", Some(json!([1, {"a": 2}])));
        check("nothing here", None);
        check("", None);
        check("{}", Some(json!({})));
    }

    #[test]
    fn only_brackets_are_closed_and_only_where_nothing_is_missing() {
        check(r#"{"a":[{"b":"c"}"#, Some(json!({"a": [{"b": "c"}]})));
        check("```json\n{\"a\":{\"b\":true }\n```", Some(json!({"a": {"b": true}})));
        for text in [
            r#"{"a":"cut in the mid"#,
            r#"{"a":"b","c"#,
            r#"{"a":"b","c""#,
            r#"{"a":"b","c":"#,
            r#"{"a":"b","#,
            r#"{"a":["#,
            r#"{"a":12"#,
            r#"{"a":tru"#,
            r#"{"a":{"b":1},"c":"cut"#,
            r#"{"a":[1,2}"#,
            r#"{"a":1 Hope this helps"#,
            "{",
        ] {
            check(text, None);
        }
        assert_eq!(find(r#"{"a":["b""#, Ending::Cut), None);
        assert_eq!(find(r#"{"a":["b"]}"#, Ending::Cut), Some(json!({"a": ["b"]})));
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        for text in [
            r#"{"to":"a","to":"b"}"#,
            "{'a': {\"b\": 1}}",
            "{a: {\"b\": 1}}",
            r#"{"a": NaN}"#,
            r#"{"a": Infinity}"#,
            r#"{"a": True}"#,
            r#"{"a": 1, // why
            "b": 2}"#,
            r#"{"a": "\ud800"}"#,
            r#"{"a": 01}"#,
            r#"{"a" "b"}"#,
            r#"{"a": ,}"#,
            "{,}",
            r#"Here: [{"a":1},{"a":2}]"#,
        ] {
            check(text, None);
        }
        check(r#"{"to":"a","to":"a"}"#, Some(json!({"to": "a"})));
    }

    #[test]
    fn control_characters_inside_strings_are_kept_as_they_are_meant() {
        check("{\"a\":\"one\ntwo\t\u{1}\\n\"}", Some(json!({"a": "one\ntwo\t\u{1}\n"})));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = |n: usize| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
        assert!(find(&deep(DEPTH_MAX), Ending::Stopped).is_some());
        check(&deep(DEPTH_MAX + 1), None);
        check(&"{\"a\":".repeat(100_000), None);
        check(&"[".repeat(100_000), None);
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let nested = leaf.prop_recursive(5, 48, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        prop::collection::btree_map(any::<String>(), nested, 0..6)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    #[test]
    fn nothing_nests_deep_enough_to_bring_down_who_reads_it() {
        let nests = [
            "[",
            "{",
            "{\"a\":",
            "{\"a\":[",
            "[{},",
            "{}",
            "{\"a\":1}",
            "{{",
            "{ }",
            "```",
            "{\"a\":\"",
            "\\",
            "{'",
            "[]",
            "}",
            "{\n",
        ];
        for nest in nests {
            for end in ["", "1", "\"}", "]}", "{\"a\":1}"] {
                let text = format!("{}{end}", nest.repeat(1_000_000 / nest.len()));
                let thread = std::thread::Builder::new().stack_size(256 * 1024);
                let read = thread.spawn(move || find(&text, Ending::Stopped).is_some());
                assert!(read.unwrap().join().is_ok(), "{nest}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_valid_document_is_never_changed(value in document(), ending in prop_oneof![Just(Ending::Stopped), Just(Ending::Cut)]) {
            for text in [value.to_string(), format!("{value:#}"), format!("```json\n{value}\n```")] {
                let plain: Value = serde_json::from_str(text.trim_matches(|c| c != '{' && c != '}')).expect("valid");
                prop_assert_eq!(find(&text, ending), Some(plain));
            }
        }

        #[test]
        fn any_text_is_survived(text in "[{}\\[\\]\",:0-9a-z\\\\ \n`'é]{0,60}", other in ".{0,60}") {
            let _ = find(&text, Ending::Stopped);
            let _ = find(&other, Ending::Cut);
        }

        #[test]
        fn a_cut_document_gives_itself_or_nothing_made_up(value in document(), cut in any::<prop::sample::Index>()) {
            let text = value.to_string();
            let value: Value = serde_json::from_str(&text).expect("valid");
            let mut at = cut.index(text.len());
            while !text.is_char_boundary(at) { at -= 1; }
            prop_assert_eq!(find(&text[..at], Ending::Cut), None);
            if let Some(Value::Object(found)) = find(&text[..at], Ending::Stopped) {
                for (key, part) in &found {
                    prop_assert!(value.get(key).is_some_and(|whole| is_start_of(part, whole)), "{key}");
                }
            }
        }
    }

    /// True when `part` is `whole` with elements missing at the end of open containers.
    fn is_start_of(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len() && part.iter().zip(whole).all(|(p, w)| is_start_of(p, w))
            }
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, p)| whole.get(key).is_some_and(|w| is_start_of(p, w)))
            }
            (part, whole) => part == whole,
        }
    }
}
