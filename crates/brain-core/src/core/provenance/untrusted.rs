//! Text that is not the person's own, and what a card calls the place that it comes from.

use serde::{Deserialize, Serialize};

use super::super::plan::Taint;
use super::super::text::quoted;
use super::NOT_YOURS;
use crate::limits::CARD_INLINE_CHARS_MAX;

/// A text that is not the person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntrustedText {
    /// Where it came from at first, e.g. `a mail from Bob`.
    pub source: String,
    /// What of the person's own it is kept in now, e.g. `a note`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_in: Option<String>,
    /// As it was read, or words of ours that hold some of it.
    pub text: String,
    /// What of these words of ours was read just so; `None` where all of it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<String>,
}

impl UntrustedText {
    /// A text as it came from `source`.
    pub fn new(source: impl Into<String>, text: impl Into<String>) -> Self {
        Self { source: source.into(), kept_in: None, text: text.into(), read: None }
    }

    /// Words of ours, or a planner's, that hold some of it; of these, `read` was read just so.
    #[must_use]
    pub fn retold(self, read: String) -> Self {
        Self { read: Some(read), ..self }
    }

    /// The same in these words.
    #[must_use]
    pub fn worded(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// What whoever wrote it has certainly written.
    pub fn as_read(&self) -> &str {
        self.read.as_deref().unwrap_or(&self.text)
    }

    /// The same, kept in something of the person's own, however often it was kept before.
    #[must_use]
    pub fn kept_in(self, within: &str) -> Self {
        Self { kept_in: Some(within.to_owned()), ..self }
    }

    /// What to call it on a card, e.g. `a note from a mail from Bob`.
    pub fn label(&self) -> String {
        label(&self.source, self.kept_in.as_deref())
    }
}

impl Taint {
    /// Where the value was seen, in words for the card.
    pub fn label(&self) -> String {
        label(&self.source, self.kept_in.as_deref())
    }

    /// What a card says of it, and an offer.
    pub fn warning(&self) -> String {
        format!("{} comes from {}, {NOT_YOURS}", quoted(&self.value, CARD_INLINE_CHARS_MAX), self.label())
    }
}

fn label(source: &str, kept_in: Option<&str>) -> String {
    kept_in.map_or_else(|| source.to_owned(), |within| format!("{within} from {source}"))
}

impl From<Taint> for UntrustedText {
    fn from(Taint { value, source, kept_in, .. }: Taint) -> Self {
        // A planner wrote the value around what was read.
        Self { source, kept_in, text: value, read: Some(String::new()) }
    }
}
