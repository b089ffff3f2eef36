//! What a call outside comes to, and how much of an answer is read.

use futures::StreamExt as _;
use reqwest::Response;

use brain_core::limits;

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Texts one below the other; what is no text is named with its size.
    pub text: String,
    /// Whoever was called says that it failed.
    pub is_error: bool,
}

/// Why there is no answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It never reached anybody.
    #[error("{0}")]
    Unreachable(String),
    /// Whoever was called said that it does not take it.
    #[error("{0}")]
    Rejected(String),
    /// It may have happened.
    #[error("{0}")]
    Unanswered(String),
}

/// Every cause of an error, the last first: that is what went wrong.
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// It is all there.
    Whole,
    /// It went on, and that was not read.
    TooLong,
    /// The connection ended before it did.
    BrokenOff,
}

/// As much of it as may be kept, however it ends.
pub async fn beginning(response: Response, most: usize) -> (Vec<u8>, BodyEnd) {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let Ok(chunk) = chunk else { return (body, BodyEnd::BrokenOff) };
        let taken = chunk.len().min(most - body.len());
        body.extend_from_slice(&chunk[..taken]);
        if taken < chunk.len() {
            return (body, BodyEnd::TooLong);
        }
    }
    (body, BodyEnd::Whole)
}

/// The words of an answer; what is no text is named with its size.
pub fn read_as_text(bytes: &[u8], end: BodyEnd) -> String {
    let megabytes = limits::OUTSIDE_ANSWER_BYTES_MAX / (1024 * 1024);
    let mut text = match bytes.contains(&0) {
        true => format!("[no text, {} KB]", bytes.len() / 1024 + 1),
        false => String::from_utf8_lossy(bytes).into_owned(),
    };
    text += match end {
        BodyEnd::Whole => "",
        BodyEnd::TooLong => return format!("{text}\n[more than {megabytes} MB; the rest was not read]"),
        BodyEnd::BrokenOff => "\n[it broke off here]",
    };
    text
}
