//! From the bytes of a response to an answer: server-sent events, or one JSON document where the server
//! ignored `stream`. Which of the two it is shows in the first byte, not in the content type.
//!
//! Pure: bytes in, words out; time-outs and sockets are the caller's (`link`).
//! Invariants: how the bytes are split changes nothing; memory is bounded by `MODEL_REPLY_BYTES_MAX`.

use serde_json::Value;

use super::wire::{Counts, Piece};
use crate::limits::MODEL_REPLY_BYTES_MAX;

/// Data lines that may belong to one event before it counts as garbage.
const EVENT_LINES_MAX: usize = 64;

/// What is wrong with a response body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trouble {
    TooLong,
    /// Ended before the answer did.
    BrokenOff,
    /// Not a completion.
    Garbage,
    /// An error object inside a successful response.
    Error(Value),
}

/// Collects one response body.
#[derive(Debug, Default)]
pub(super) struct Intake {
    shape: Shape,
    bytes: usize,
    /// Bytes of an unfinished line, or of the whole document.
    held: Vec<u8>,
    /// Data lines of an event that is not complete yet.
    event: String,
    event_lines: usize,
    answer: Piece,
    is_done: bool,
    has_usage: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Shape {
    #[default]
    Unknown,
    Events,
    Document,
}

impl Intake {
    /// Takes the next bytes; adds the words they complete to `words`, also when there is trouble after them.
    pub fn feed(&mut self, bytes: &[u8], words: &mut String) -> Result<(), Trouble> {
        self.bytes += bytes.len();
        if self.bytes > MODEL_REPLY_BYTES_MAX {
            return Err(Trouble::TooLong);
        }
        let mut searched = self.held.len();
        self.held.extend_from_slice(bytes);
        if self.shape == Shape::Unknown {
            self.shape = shape(&self.held);
            searched = 0;
        }
        match self.shape {
            Shape::Events => self.lines(searched, words),
            Shape::Unknown | Shape::Document => Ok(()),
        }
    }

    /// The end of the answer was announced; nothing more needs to be read.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Has any part of an answer arrived?
    pub fn has_begun(&self) -> bool {
        !self.answer.content.is_empty() || !self.answer.thoughts.is_empty()
    }

    /// Bytes of the answer so far.
    pub fn words_bytes(&self) -> usize {
        self.answer.content.len() + self.answer.thoughts.len()
    }

    /// The body has ended. Gives the answer, and adds the words that were still held back to `words`.
    pub fn finish(mut self, words: &mut String) -> Result<Piece, Trouble> {
        match self.shape {
            Shape::Unknown => return Err(Trouble::Garbage),
            Shape::Document => {
                let document: Value = serde_json::from_slice(&self.held).map_err(|_| Trouble::Garbage)?;
                words.push_str(&self.take(&document)?.ok_or(Trouble::Garbage)?);
            }
            Shape::Events => {
                self.held.push(b'\n');
                self.lines(0, words)?;
                let is_partial = !self.event.is_empty();
                match self.has_ended() {
                    true if !is_partial => {}
                    _ if is_partial || self.has_begun() => return Err(Trouble::BrokenOff),
                    _ => return Err(Trouble::Garbage),
                }
            }
        }
        Ok(self.answer)
    }

    /// A stream without `[DONE]`, reason or usage at its end is one that broke.
    fn has_ended(&self) -> bool {
        self.is_done || self.answer.finish.is_some() || self.has_usage
    }

    /// Works off the complete lines. `searched` bytes are known to hold no line end.
    fn lines(&mut self, searched: usize, words: &mut String) -> Result<(), Trouble> {
        let held = std::mem::take(&mut self.held);
        let (mut start, mut from) = (0, searched);
        while let Some(found) = held[from..].iter().position(|byte| *byte == b'\n') {
            let end = from + found;
            words.push_str(&self.line(&held[start..end])?);
            (start, from) = (end + 1, end + 1);
        }
        self.held = held;
        self.held.drain(..start);
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<String, Trouble> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.is_done {
            return Ok(String::new());
        }
        if line.is_empty() {
            return if self.event.is_empty() { Ok(String::new()) } else { Err(Trouble::Garbage) };
        }
        let Some(data) = line.strip_prefix(b"data:") else {
            // Comments, `event:`, `id:` and `retry:` say nothing the data does not.
            return Ok(String::new());
        };
        let data = std::str::from_utf8(data).map_err(|_| Trouble::Garbage)?.trim();
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(String::new());
        }
        self.data(data)
    }

    /// Servers that leave out the empty line between events are common, so an event ends where its JSON does.
    fn data(&mut self, data: &str) -> Result<String, Trouble> {
        if data.is_empty() {
            return Ok(String::new());
        }
        let parsed = if self.event.is_empty() {
            serde_json::from_str(data)
        } else {
            self.event.push('\n');
            self.event.push_str(data);
            serde_json::from_str(&self.event)
        };
        match parsed {
            Ok(event) => {
                self.event.clear();
                self.event_lines = 0;
                Ok(self.take(&event)?.unwrap_or_default())
            }
            Err(_) if self.event_lines >= EVENT_LINES_MAX => Err(Trouble::Garbage),
            Err(_) => {
                if self.event.is_empty() {
                    self.event.push_str(data);
                }
                self.event_lines += 1;
                Ok(String::new())
            }
        }
    }

    /// Adds one event or document to the answer. `None` when it is of no known shape.
    fn take(&mut self, value: &Value) -> Result<Option<String>, Trouble> {
        let Some(piece) = Piece::read(value) else {
            return Ok(None);
        };
        if let Some(error) = piece.error {
            return Err(Trouble::Error(error));
        }
        let answer = &mut self.answer;
        answer.content.push_str(&piece.content);
        answer.thoughts.push_str(&piece.thoughts);
        answer.declined |= piece.declined;
        answer.finish = piece.finish.or(answer.finish.take());
        let Counts { tokens_in, tokens_out } = piece.counts;
        self.has_usage |= tokens_out.is_some();
        answer.counts.tokens_in = tokens_in.or(answer.counts.tokens_in);
        answer.counts.tokens_out = tokens_out.or(answer.counts.tokens_out);
        Ok(Some(piece.content))
    }
}

fn shape(bytes: &[u8]) -> Shape {
    match bytes.trim_ascii_start().first() {
        None => Shape::Unknown,
        Some(b'{' | b'[' | b'<' | b'"') => Shape::Document,
        Some(_) => Shape::Events,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = "\r\n: warming up\r\n\r\nevent: x\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"Grüße \"}}]}\r\n\r\ndata:{\"choices\":[{\"delta\":\n\
        data: {\"content\":\"👋🏽\"},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\nrubbish";

    fn read(chunks: &[&[u8]]) -> Result<(Piece, String), Trouble> {
        let mut intake = Intake::default();
        let mut words = String::new();
        for chunk in chunks {
            intake.feed(chunk, &mut words)?;
        }
        let piece = intake.finish(&mut words)?;
        Ok((piece, words))
    }

    #[test]
    fn a_stream_split_at_any_two_bytes_reads_the_same() {
        let bytes = EVENTS.as_bytes();
        let whole = read(&[bytes]).expect("readable");
        assert_eq!(whole.0.content, "Grüße 👋🏽");
        assert_eq!(whole.1, "Grüße 👋🏽");
        assert_eq!(whole.0.counts.tokens_out, Some(2));
        for first in 0..bytes.len() {
            for second in (first..bytes.len()).step_by(7) {
                let split = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(read(&split).expect("readable"), whole, "{first} {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(&single).expect("readable"), whole);
    }

    #[test]
    fn a_document_instead_of_events_is_read_as_well() {
        let document = br#" {"choices":[{"message":{"content":"hi"}}]}"#;
        let (piece, words) = read(&[&document[..9], &document[9..]]).expect("readable");
        assert_eq!((piece.content.as_str(), words.as_str()), ("hi", "hi"));
    }

    #[test]
    fn what_is_no_answer_is_said_to_be_none() {
        let event = |content: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n");
        for (body, trouble) in [
            (String::new(), Trouble::Garbage),
            ("  \n".into(), Trouble::Garbage),
            ("It works!".into(), Trouble::Garbage),
            ("<html>not found</html>".into(), Trouble::Garbage),
            (r#"{"choices":[{"mess"#.into(), Trouble::Garbage),
            (r#"{"hello":1}"#.into(), Trouble::Garbage),
            (event("half"), Trouble::BrokenOff),
            (event("half") + "data: {\"choi", Trouble::BrokenOff),
            ("data: {\"choi\n\n".into(), Trouble::Garbage),
            ("data: [\n".repeat(EVENT_LINES_MAX + 1), Trouble::Garbage),
            ("data: {\"error\":\"busy\"}\n\n".into(), Trouble::Error("busy".into())),
            ("x".repeat(MODEL_REPLY_BYTES_MAX + 1), Trouble::TooLong),
        ] {
            assert_eq!(read(&[body.as_bytes()]).err(), Some(trouble), "{:.60}", body);
        }
    }
}
