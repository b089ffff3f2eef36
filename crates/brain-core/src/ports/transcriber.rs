//! Transcription port: something that listens to recordings.

use async_trait::async_trait;

/// A recording.
#[derive(Clone, PartialEq, Eq)]
pub struct Recording {
    /// As it was sent.
    pub bytes: Vec<u8>,
    /// A file name whose ending says what the bytes are.
    pub name: String,
    /// What its sender's program said the bytes are.
    pub mime: String,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {} bytes)", self.name, self.mime, self.bytes.len())
    }
}

/// Why there is no transcript. Never holds keys or words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the transcription endpoint {0}")]
pub struct TranscribeError(pub String);

/// Makes words of recordings. Time-outs are the adapter's.
#[async_trait]
pub trait Transcriber: Send + Sync + std::fmt::Debug {
    /// The words; empty when there are none in it.
    async fn transcribe(&self, recording: Recording) -> Result<String, TranscribeError>;
}
