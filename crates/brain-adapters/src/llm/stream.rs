//! From the bytes of a response to an answer: server-sent events, or one JSON document where the server
//! ignored `stream`. Which of the two it is shows in the first byte, not in the content type.
//!
//! Pure: bytes in, words out; time-outs and sockets are the caller's (`link`), the framing is `sse-core`'s.
//! Invariants: how the bytes are split changes nothing; memory is bounded by `MODEL_REPLY_BYTES_MAX`.

use std::num::NonZeroUsize;

use serde_json::{Deserializer, Value};
use sse_core::{SseDecoder, SseEvent};

use super::calls;
use super::wire::{AnswerPiece, Counts};
use brain_core::limits::{MODEL_EVENT_BYTES_MAX, MODEL_REPLY_BYTES_MAX};

/// What is wrong with a response body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BodyFault {
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
    /// The whole document, or white space before anything else.
    held: Vec<u8>,
    events: EventDecoder,
    answer: AnswerPiece,
    is_done: bool,
    has_usage: bool,
    /// The answer is over there, whatever the server still says.
    end: Option<usize>,
}

/// The decoder of events, with its bound.
#[derive(Debug)]
struct EventDecoder(SseDecoder);

impl Default for EventDecoder {
    fn default() -> Self {
        Self(SseDecoder::with_limit(NonZeroUsize::new(MODEL_EVENT_BYTES_MAX).unwrap_or(NonZeroUsize::MIN)))
    }
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
    pub fn feed(&mut self, bytes: &[u8], words: &mut String) -> Result<(), BodyFault> {
        self.bytes += bytes.len();
        if self.bytes > MODEL_REPLY_BYTES_MAX {
            return Err(BodyFault::TooLong);
        }
        if self.shape == Shape::Events {
            return self.events(bytes, words);
        }
        self.held.extend_from_slice(bytes);
        if self.shape == Shape::Unknown {
            self.shape = shape(&self.held);
        }
        match self.shape {
            Shape::Events => {
                let held = std::mem::take(&mut self.held);
                self.events(&held, words)
            }
            Shape::Unknown | Shape::Document => Ok(()),
        }
    }

    /// The end of the answer was announced; nothing more needs to be read.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The answer so far, without its reasoning.
    pub fn answer(&self) -> &str {
        &self.answer.content
    }

    /// The answer is over at this byte of it, although its end was not announced.
    pub fn ends_at(&mut self, end: usize) {
        self.end = Some(end);
    }

    /// Has any part of an answer arrived?
    pub fn has_begun(&self) -> bool {
        !self.answer.content.is_empty() || !self.answer.thoughts.is_empty() || !self.answer.calls.is_empty()
    }

    /// Bytes of the answer so far.
    pub fn words_bytes(&self) -> usize {
        let calls: usize = self.answer.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        self.answer.content.len() + self.answer.thoughts.len() + calls
    }

    /// The body has ended. Gives the answer, and adds the words that were still held back to `words`.
    pub fn finish(mut self, words: &mut String) -> Result<AnswerPiece, BodyFault> {
        match self.shape {
            Shape::Unknown => return Err(BodyFault::Garbage),
            Shape::Document => {
                let document: Value = serde_json::from_slice(&self.held).map_err(|_| BodyFault::Garbage)?;
                words.push_str(&self.take(&document)?.ok_or(BodyFault::Garbage)?);
            }
            Shape::Events => {
                // An event that the end cut off is no whole document.
                match self.events(b"\n\n", words) {
                    Ok(()) | Err(_) if self.end.is_some() => {}
                    Ok(()) if self.has_ended() => {}
                    Ok(()) if !self.has_begun() => return Err(BodyFault::Garbage),
                    Ok(()) | Err(BodyFault::Garbage) => return Err(BodyFault::BrokenOff),
                    Err(trouble) => return Err(trouble),
                }
            }
        }
        if let Some(end) = self.end {
            self.answer.content.truncate(end);
        }
        Ok(self.answer)
    }

    /// A stream without `[DONE]`, reason or usage at its end is one that broke.
    fn has_ended(&self) -> bool {
        self.is_done || self.answer.finish.is_some() || self.has_usage
    }

    fn events(&mut self, mut bytes: &[u8], words: &mut String) -> Result<(), BodyFault> {
        while !self.is_done
            && let Some(event) = self.events.0.next(&mut bytes)
        {
            match event {
                Ok(SseEvent::Message(event)) => self.event(&event.data, words)?,
                Ok(SseEvent::Retry(_)) => {}
                Err(_) => return Err(BodyFault::Garbage),
            }
        }
        Ok(())
    }

    /// Servers that leave out the empty line between events give several documents in one.
    fn event(&mut self, data: &str, words: &mut String) -> Result<(), BodyFault> {
        let mut documents = Deserializer::from_str(data).into_iter::<Value>();
        while let Some(document) = documents.next() {
            match document {
                Ok(document) => words.push_str(&self.take(&document)?.unwrap_or_default()),
                Err(_) if data[documents.byte_offset()..].trim() == "[DONE]" => {
                    self.is_done = true;
                    return Ok(());
                }
                Err(_) => return Err(BodyFault::Garbage),
            }
        }
        Ok(())
    }

    /// Adds one event or document to the answer. `None` when it is of no known shape.
    fn take(&mut self, value: &Value) -> Result<Option<String>, BodyFault> {
        let Some(piece) = AnswerPiece::read(value) else {
            return Ok(None);
        };
        if let Some(error) = piece.error {
            return Err(BodyFault::Error(error));
        }
        let answer = &mut self.answer;
        answer.content.push_str(&piece.content);
        answer.thoughts.push_str(&piece.thoughts);
        piece.calls.into_iter().for_each(|fragment| calls::join(&mut answer.calls, fragment));
        answer.declined |= piece.declined;
        answer.finish = piece.finish.or(answer.finish.take());
        let Counts { tokens_in, tokens_out, tokens_cached } = piece.counts;
        self.has_usage |= tokens_out.is_some();
        answer.counts.tokens_in = tokens_in.or(answer.counts.tokens_in);
        answer.counts.tokens_out = tokens_out.or(answer.counts.tokens_out);
        answer.counts.tokens_cached = tokens_cached.or(answer.counts.tokens_cached);
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

    fn read(chunks: &[&[u8]]) -> Result<(AnswerPiece, String), BodyFault> {
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
    fn any_line_end_any_mark_and_no_empty_lines_are_understood() {
        let event = |content: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}");
        let [one, two] = ["a", "b"].map(event);
        for body in [
            format!("{one}\r\r{two}\r\rdata: [DONE]\r\r"),
            format!("\u{FEFF}{one}\n\n{two}\n\ndata:[DONE]\n\n"),
            format!("{one}\n{two}\ndata: [DONE]\n"),
            format!("retry: 5\nid: 7\n{one}\n\nevent: x\n\nevent: y\n{two}\n\ndata: [DONE]"),
        ] {
            let single: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
            for chunks in [single, vec![body.as_bytes()]] {
                assert_eq!(read(&chunks).expect("readable").1, "ab", "{body}");
            }
        }
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
            (String::new(), BodyFault::Garbage),
            ("  \n".into(), BodyFault::Garbage),
            ("It works!".into(), BodyFault::Garbage),
            ("<html>not found</html>".into(), BodyFault::Garbage),
            (r#"{"choices":[{"mess"#.into(), BodyFault::Garbage),
            (r#"{"hello":1}"#.into(), BodyFault::Garbage),
            (event("half"), BodyFault::BrokenOff),
            (event("half") + "data: {\"choi", BodyFault::BrokenOff),
            ("data: {\"choi\n\n".into(), BodyFault::Garbage),
            ("data: [[[[[[[\n".repeat(MODEL_EVENT_BYTES_MAX / 8 + 1), BodyFault::Garbage),
            ("data: {\"error\":\"busy\"}\n\n".into(), BodyFault::Error("busy".into())),
            ("x".repeat(MODEL_REPLY_BYTES_MAX + 1), BodyFault::TooLong),
        ] {
            assert_eq!(read(&[body.as_bytes()]).err(), Some(trouble), "{:.60}", body);
        }
    }

    #[test]
    fn a_hundred_thousand_levels_in_an_answer_are_garbage() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let told = |body: String| {
            let read = move || read(&[body.as_bytes()]).map(drop);
            std::thread::Builder::new().stack_size(1024 * 1024).spawn(read).unwrap().join().unwrap()
        };
        assert_eq!(told(deep.clone()), Err(BodyFault::Garbage));
        assert_eq!(told(format!("data: {deep}\n\n")), Err(BodyFault::Garbage));
        assert_eq!(told("data: [".repeat(100_000)), Err(BodyFault::Garbage));
        assert!(told("data: {\n".repeat(100_000)).is_err());
        assert!(
            told(format!(
                "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
                "<think>".repeat(100_000)
            ))
            .is_err()
        );
    }
}
