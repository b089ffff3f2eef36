//! Reference: what a message points at, a row of the last answer, or what was said earlier.
//!
//! The message is read with the id of the thing in place of its number; ids are nobody's words, so nothing of somebody
//! else's becomes the person's own. Where a value shows the thing, it gets its name, and with that its provenance.

use serde_json::Value;

use super::facts::TurnFacts;
use crate::core::history::{FOUND, ItemRef, PastAction};
use crate::core::plan::Params;
use crate::core::text::visible;
use crate::ports::records::Message;

/// A thing that a number means, and the message with its id in place of the number. Ids are nobody's words.
#[derive(Debug, Clone, PartialEq)]
pub struct PointedAt {
    /// The message as it is planned.
    pub text: String,
    /// The thing's id.
    pub id: String,
    /// What it is called: somebody else's words, perhaps.
    pub label: String,
}

impl PointedAt {
    /// Other words of the person's, which stand for the message and point at nothing: what a press takes up, or a name
    /// in place of a pronoun.
    pub fn words(text: String) -> Self {
        Self { text, id: String::new(), label: String::new() }
    }

    /// Words about the thing, by what it is called.
    pub fn named_in(&self, words: &str) -> String {
        if self.id.is_empty() { words.to_owned() } else { words.replace(&self.id, &visible(&self.label)) }
    }

    /// Writes what the thing is called wherever its id does not name it to a service.
    pub fn name_in(&self, params: &mut Params) {
        for (_, value) in params.iter_mut().filter(|(name, _)| *name != "find_by") {
            if let Value::String(text) = value
                && !self.id.is_empty()
            {
                // Titles begin with a capital.
                let capital = crate::core::text::capital(&self.id);
                *text = text.replace(&self.id, &self.label).replace(&capital, &self.label);
            }
        }
    }
}

impl TurnFacts {
    /// What a message of ours was about; of several things those that the quote names, and a row that it quotes.
    pub(super) fn quoted_of(&self, message: &Message) -> Vec<PastAction> {
        let Some(quote) = self.incoming.quote.as_deref().filter(|quote| !quote.trim().is_empty()) else {
            return message.actions.clone();
        };
        let is_named = |past: &&PastAction| past.item.as_ref().is_some_and(|item| quote.contains(item.label.as_str()));
        let named: Vec<PastAction> = message.actions.iter().filter(is_named).cloned().collect();
        match (named.is_empty(), message.actions.last()) {
            // A row of a list, by what it says.
            (true, Some(last)) => {
                let label = quote.lines().next().unwrap_or_default().trim().to_owned();
                let params = Params::from_iter([("find_by".to_owned(), label.clone().into())]);
                let (service, command) = (last.service.clone(), FOUND.to_owned());
                let item = Some(ItemRef { id: String::new(), label });
                vec![PastAction { service, command, params, item, rows: Vec::new() }]
            }
            (_, _) => named,
        }
    }

    /// What the message points at.
    pub fn pointed_at(&self) -> Option<&PointedAt> {
        self.pointed.as_ref()
    }
}
