//! Provenance: whose words a stored record holds.
//!
//! A yes to keeping somebody else's words makes them nobody's own: a record holds, field by field, what was written
//! into it that was not the person's, and where it came from. Whatever gives the record back gives that along (see
//! [`Item::untrusted`](crate::services::helpers::items::Item::untrusted)), so that the gate finds it in every later use.
//!
//! Invariants: only what the gate found decides ([`Action::others_words`]), no wording of anybody; a field that is
//! written anew in the person's own words is theirs; words that go from one record into another keep the source they
//! had at first. Deliberately not here: times, which the gate settles and every card repeats.

use serde::{Deserialize, Serialize};

use brain_core::core::plan::Action;
use brain_core::core::provenance::UntrustedText;

/// What of a record is not the person's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Others(Vec<UntrustedField>);

/// Somebody else's words in one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UntrustedField {
    field: String,
    text: String,
    source: String,
}

/// Where what `action` says for a parameter came from; `None` when it is the person's own.
pub(in crate::services) fn source(action: &Action, param: &str) -> Option<String> {
    let words = action.others_words().find(|words| words.param == param)?;
    Some(words.source.clone())
}

impl Others {
    /// True for a record that is the person's own throughout.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `field` was written anew.
    pub(in crate::services) fn write(&mut self, field: &str, text: &str, source: Option<String>) {
        self.0.retain(|words| words.field != field);
        self.add(field, text, source);
    }

    /// Something was added to `field`. What the person says themself is theirs, whoever said it before.
    pub(in crate::services) fn add(&mut self, field: &str, text: &str, source: Option<String>) {
        self.0.retain(|words| words.field != field || words.text != text);
        if let Some(source) = source.filter(|_| !text.is_empty()) {
            self.0.push(UntrustedField { field: field.to_owned(), text: text.to_owned(), source });
        }
    }

    /// Whose words `field` holds is as `other` has it: it says the same there.
    pub(in crate::services) fn same_as(&mut self, field: &str, other: &Self) {
        self.0.retain(|words| words.field != field);
        self.0.extend(other.0.iter().filter(|words| words.field == field).cloned());
    }

    /// For the gate, from a record that is `within`, e.g. `a memory`.
    pub(in crate::services) fn untrusted(&self, within: &'static str) -> Vec<UntrustedText> {
        let untrusted =
            |words: &UntrustedField| UntrustedText::new(words.source.clone(), words.text.clone()).kept_in(within);
        self.0.iter().map(untrusted).collect()
    }

    /// The first source there is.
    pub(in crate::services) fn first(&self) -> Option<&str> {
        self.0.first().map(|words| words.source.as_str())
    }
}
