//! What messages were changed to last: to change one to what it is already is refused by Telegram, and needs no call.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::turn::Edit;
use brain_core::limits;

/// The last change of each message, in short; forgotten with the program, and when there are too many.
#[derive(Debug, Default)]
pub(super) struct LastEdits(Mutex<HashMap<(ChatId, MessageId), u64>>);

impl LastEdits {
    /// Whether a message is so already.
    pub(super) fn hold(&self, chat: &ChatId, edit: &Edit) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&(chat.clone(), edit.message)).is_some_and(|last| *last == in_short(edit))
    }

    /// Notes that a message is so now.
    pub(super) fn note(&self, chat: &ChatId, edit: &Edit) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= limits::EDITS_KNOWN_MAX {
            last.clear();
        }
        last.insert((chat.clone(), edit.message), in_short(edit));
    }
}

fn in_short(edit: &Edit) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{edit:?}").hash(&mut hasher);
    hasher.finish()
}
