//! What a message points at: a row of the last answer, or what was said earlier.
//!
//! The message is read with the id of the thing in place of its number; ids are nobody's words, so nothing of somebody
//! else's becomes the person's own. Where a value shows the thing, it gets its name, and with that its provenance.

use serde_json::Value;

use super::Turn;
use crate::core::plan::Params;

/// A thing that a number means, "reply to 3", and the message with its id in place of the number. Ids are nobody's words.
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

impl Turn<'_> {
    /// What was said earlier is what this turn is about: a press that goes on with it has no words of its own.
    pub async fn reads_as(&self, text: String) {
        self.points_at(PointedAt { text, id: String::new(), label: String::new() }).await;
    }

    /// What the message points at.
    pub fn pointed_at(&self) -> Option<&PointedAt> {
        self.pointed.get().map(|(pointed, _)| pointed)
    }
}
