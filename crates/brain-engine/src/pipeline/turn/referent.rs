//! Reference: what a message points at, a row of the last answer, or what was said earlier.
//!
//! The message is read with the id of the thing in place of its number; ids are nobody's words, so nothing of somebody
//! else's becomes the person's own. Where a value shows the thing, it gets its name, and with that its provenance.

use serde_json::Value;

use super::facts::TurnFacts;
use brain_core::core::history::{FOUND, ItemRef, PastAction};
use brain_core::core::plan::Params;
use brain_core::core::text::visible;
use brain_core::ports::records::Message;
use brain_language::language::requests::Past;

/// A thing that a number means, and the message with its id in place of the number. Ids are nobody's words.
#[derive(Debug, Clone, PartialEq)]
pub struct Referent {
    /// The message as it is planned.
    pub text: String,
    /// The thing's id.
    pub id: String,
    /// What it is called: somebody else's words, perhaps.
    pub label: String,
}

impl Referent {
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
                let capital = brain_core::core::text::capital(&self.id);
                *text = text.replace(&self.id, &self.label).replace(&capital, &self.label);
            }
        }
    }
}

impl TurnFacts {
    /// What the message points at or brings along, as what was there last: whoever replies to something means what that
    /// was about, whatever was done since, and whoever hands something over means nothing that was shown before.
    pub(super) fn at_hand(&self) -> Option<Past> {
        let quoted = self.replied_message.as_ref().map(|message| self.quoted_of(message));
        let brought = self.incoming.parts.iter().find(|part| part.comes_along());
        let brought = brought.map(|_| PastAction { command: FOUND.to_owned(), ..PastAction::default() });
        let is_any = quoted.is_some() || brought.is_some();
        let actions = quoted.into_iter().flatten().chain(brought).collect();
        is_any.then(|| Past { said: String::new(), actions })
    }

    /// What a message of ours was about; of several things those that the quote names, and a row that it quotes.
    pub(super) fn quoted_of(&self, message: &Message) -> Vec<PastAction> {
        let Some(quote) = self.incoming.quote.as_deref().filter(|quote| !quote.trim().is_empty()) else {
            return message.actions.clone();
        };
        let is_named = |past: &&PastAction| past.item.as_ref().is_some_and(|item| quote.contains(item.label.as_str()));
        let named: Vec<PastAction> = message.actions.iter().filter(is_named).cloned().collect();
        match (named.is_empty(), message.actions.last()) {
            // A row of a list, or what it says where nobody knows which one that is.
            (true, Some(last)) => {
                let (service, row) = match row_of(message, quote) {
                    Some((service, row)) => (service.to_owned(), row.clone()),
                    None => {
                        let label = quote.lines().next().unwrap_or_default().trim().to_owned();
                        (last.service.clone(), ItemRef { id: String::new(), label })
                    }
                };
                let found_by = if row.id.is_empty() { row.label.clone() } else { row.id.clone() };
                let params = Params::from_iter([("find_by".to_owned(), found_by.into())]);
                vec![PastAction {
                    service,
                    command: FOUND.to_owned(),
                    params,
                    item: Some(row),
                    ..PastAction::default()
                }]
            }
            (_, _) => named,
        }
    }

    /// The one row of a list of ours that the message quotes, and the service whose it is.
    pub fn quoted_row(&self) -> Option<(&str, &ItemRef)> {
        row_of(self.replied_message.as_ref()?, self.incoming.quote.as_deref()?)
    }

    /// What the message points at.
    pub fn pointed_at(&self) -> Option<&Referent> {
        self.pointed.as_ref()
    }
}

/// The only row that a message listed and a quote of it names, whole or in part.
fn row_of<'m>(message: &'m Message, quote: &str) -> Option<(&'m str, &'m ItemRef)> {
    let quote = quote.trim();
    let rows = || message.actions.iter().flat_map(|past| past.rows.iter().map(|row| (past.service.as_str(), row)));
    let named = |holds: &dyn Fn(&str) -> bool| {
        let mut named = rows().filter(|(_, row)| !row.id.is_empty() && !row.label.is_empty() && holds(&row.label));
        named.next().filter(|_| named.next().is_none())
    };
    let is_part = |label: &str| !quote.is_empty() && label.contains(quote);
    named(&|label| quote.contains(label)).or_else(|| named(&is_part))
}
