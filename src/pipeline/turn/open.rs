//! The cards that are open, as they are kept. Not here: deciding them (`consent`).

use crate::core::ids::{ChatId, PendingId};
use crate::core::pending::Pending;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::records::PendingOpen;
use crate::ports::{Key, Reader, RecordExt, Scan, StoreError};

/// The open cards of a chat.
#[derive(Debug, Default)]
pub struct OpenCards {
    /// Those that can be read, oldest first.
    pub cards: Vec<Pending>,
    /// The index entries of those that cannot, and their revisions.
    pub broken: Vec<(PendingOpen, u64)>,
    /// Whether there is one beside `cards`, broken or of a newer program: then nothing is the only open card.
    pub is_one_hidden: bool,
}

/// The open cards of a chat, as this reader sees them.
pub async fn open_cards(reader: &impl Reader, chat: &ChatId) -> Result<OpenCards, StoreError> {
    let scan = Scan::of::<PendingOpen>(&[chat.as_str()], limits::PENDING_OPEN_MAX);
    let index = reader.list::<PendingOpen>(scan).await?;
    let mut open = OpenCards::default();
    for (entry, revision) in index {
        match pending(reader, &entry.id).await {
            Ok(pending) => open.cards.extend(pending.map(|(card, _)| card).filter(|card| card.state.is_open())),
            Err(StoreError::Unreadable { .. }) => open.broken.push((entry, revision)),
            Err(StoreError::NewerRecord { .. }) => open.is_one_hidden = true,
            Err(error) => return Err(error),
        }
    }
    open.is_one_hidden |= !open.broken.is_empty();
    // Cards made at the same instant are in the order in which they were shown.
    open.cards.sort_by_key(|pending| (pending.created_at, pending.last_card_message()));
    Ok(open)
}

/// A pending action and its revision, as this reader sees it.
pub async fn pending(reader: &impl Reader, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
    reader.load::<Pending>(&Key::of(&[id.as_str()])).await
}

impl Brain {
    /// A pending action and its revision.
    pub async fn pending(&self, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
        pending(&self.store.as_ref(), id).await
    }

    /// The same for whoever only shows or tells something: nothing is there when it cannot be read.
    pub async fn readable_pending(&self, id: &PendingId) -> Result<Option<(Pending, u64)>, StoreError> {
        match self.pending(id).await {
            Err(error) if error.is_of_one_record() => Ok(None),
            other => other,
        }
    }
}
