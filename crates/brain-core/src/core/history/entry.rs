//! A message of a history, and whose it is.

use super::PastAction;
use crate::core::provenance::UntrustedText;
use crate::core::turn::PASSED_ON;

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice<'a> {
    /// The person's own words.
    Own,
    /// Somebody else's in this chat.
    SomebodyElse,
    /// Passed on by the person: a forward, a file.
    PassedOn {
        /// Where it is from, as far as that is known.
        source: Option<&'a str>,
    },
    /// This program's.
    Assistant,
}

/// A message of a history.
#[derive(Debug, Clone, Copy)]
pub struct HistoryEntry<'a> {
    /// Whose it is.
    pub voice: Voice<'a>,
    /// As it was written.
    pub text: &'a str,
    /// Of ours: what was done with it.
    pub actions: &'a [PastAction],
    /// Of ours: what of others' it repeats.
    pub untrusted: &'a [UntrustedText],
}

impl HistoryEntry<'_> {
    /// What of it is somebody else's.
    pub(super) fn others(&self) -> Vec<UntrustedText> {
        match self.voice {
            Voice::Own => Vec::new(),
            Voice::SomebodyElse => vec![UntrustedText::new("somebody else in this chat", self.text)],
            Voice::PassedOn { source } => vec![UntrustedText::new(source.unwrap_or(PASSED_ON), self.text)],
            Voice::Assistant => self.untrusted.to_vec(),
        }
    }

    /// How a line that holds words of it begins.
    pub(super) fn label(&self) -> &'static str {
        match self.voice {
            Voice::Own => "person",
            Voice::SomebodyElse => "somebody else",
            Voice::PassedOn { .. } => "person passed on",
            Voice::Assistant => "assistant",
        }
    }
}
