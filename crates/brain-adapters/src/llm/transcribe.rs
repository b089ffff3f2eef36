//! Transcription by an OpenAI-compatible endpoint: one multipart POST, one answer.
//!
//! Invariants: one attempt (it is paid by the minute, and the person can send it again); everything within
//! `TRANSCRIBE_MS`; an answer has a largest size; no error holds the key, the address, or a word of the recording.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, Url};
use secrecy::SecretString;
use serde::Deserialize;

use super::{Endpoint, body};
use brain_core::limits;
use brain_core::ports::{Recording, TranscribeError, Transcriber};

/// The endpoint that turns recordings into text.
pub struct Listener {
    client: Client,
    url: Url,
    key: Option<SecretString>,
    model: String,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.url.host_str().unwrap_or_default())
    }
}

#[derive(Deserialize)]
struct TranscriptAnswer {
    text: String,
}

impl Listener {
    /// A listener at this endpoint; opens no connection yet. `Err` says what is wrong with it.
    pub fn new(endpoint: &Endpoint) -> Result<Self, String> {
        let url = super::url_of(&endpoint.base_url, "audio/transcriptions").ok_or("it is no http(s) address")?;
        let client = body::client(Duration::from_millis(limits::TRANSCRIBE_MS))?;
        Ok(Self { client, url, key: endpoint.api_key.clone(), model: endpoint.model.clone() })
    }
}

#[async_trait]
impl Transcriber for Listener {
    async fn transcribe(&self, recording: Recording) -> Result<String, TranscribeError> {
        let Recording { bytes, name, mime } = recording;
        let file = Part::bytes(bytes).file_name(name);
        // A kind that cannot be sent is left to the name's ending.
        let word =
            |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let sendable = mime.split_once('/').is_some_and(|(kind, form)| word(kind) && word(form));
        let cannot = |error: reqwest::Error| TranscribeError(format!("cannot be asked: {error}"));
        let file = if sendable { file.mime_str(&mime).map_err(cannot)? } else { file };
        let form = Form::new().part("file", file).text("model", self.model.clone()).text("response_format", "json");
        let request = self.client.post(self.url.clone()).multipart(form);
        let body = body::answered(request, self.key.as_ref(), limits::TRANSCRIPT_BYTES_MAX).await;
        let transcript = body.and_then(|body| {
            serde_json::from_slice::<TranscriptAnswer>(&body)
                .map_err(|_| "gave an answer that is no transcript".to_owned())
        });
        transcript.map(|transcript| transcript.text).map_err(TranscribeError)
    }
}
