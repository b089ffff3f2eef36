//! Groups that were made supergroups: Telegram gives them another number, and their chat stays the one that it was.
//!
//! Invariants: all that is kept of a chat is kept under its first number, so nothing has to follow and nothing is there
//! twice; only calls and what comes in know the number that it has now; a move that was met is known after a restart.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::place::ChatPlace;
use brain_core::limits;
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, StoreError, Table};
use brain_engine::pipeline::brain::Brain;

const MOVED: &str = "tg_moved";

/// A group that has another number now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The number under which it is kept.
    pub first: i64,
    /// Telegram's number of it.
    pub now: i64,
}

impl Record for Moved {
    const TABLE: Table = Table::Meta;

    fn key(&self) -> Key {
        Key::of(&[MOVED, &self.first.to_string()])
    }
}

/// The groups that have moved.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// The number now, by the first one.
    numbers: RwLock<HashMap<i64, i64>>,
    /// Where moves are noted.
    memory: OnceLock<Weak<Brain>>,
}

impl Moves {
    /// Reads what an earlier life has met; new moves are noted there from now on.
    pub(super) async fn open(&self, brain: &Arc<Brain>) -> Result<(), StoreError> {
        let known = brain.store.list::<Moved>(Scan::of::<Moved>(&[MOVED], limits::CHATS_MOVED_MAX)).await?;
        let known = known.into_iter().map(|(moved, _)| (moved.first, moved.now));
        self.numbers.write().unwrap_or_else(PoisonError::into_inner).extend(known);
        let _ = self.memory.set(Arc::downgrade(brain));
        Ok(())
    }

    /// Notes that a chat has another number now. Only groups ever have.
    pub(super) fn note(&self, from: i64, now: i64) {
        let first = self.first(from);
        if from >= 0 || now >= 0 || first == now || self.now(first) == now {
            return;
        }
        tracing::info!("a group was made a supergroup");
        self.numbers.write().unwrap_or_else(PoisonError::into_inner).insert(first, now);
        let Some(brain) = self.memory.get().and_then(Weak::upgrade) else { return };
        tokio::spawn(async move {
            let mut batch = Batch::default();
            let noted = match batch.put(&Moved { first, now }, Expect::Any) {
                Ok(_) => brain.commit(batch).await.map(|_| ()),
                Err(error) => Err(error),
            };
            if let Err(error) = noted {
                tracing::warn!(%error, "a moved group could not be noted; the next call meets it again");
            }
        });
    }

    /// Notes the move that a notice in either of the two chats tells of.
    pub(super) fn met(&self, update: &Value) {
        let message = &update["message"];
        let Some(chat) = message["chat"]["id"].as_i64() else { return };
        if let Some(now) = message["migrate_to_chat_id"].as_i64() {
            self.note(chat, now);
        }
        if let Some(from) = message["migrate_from_chat_id"].as_i64() {
            self.note(from, chat);
        }
    }

    /// The number that a chat has now.
    pub(super) fn now(&self, first: i64) -> i64 {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner).get(&first).copied().unwrap_or(first)
    }

    /// The number under which a chat is kept.
    pub(super) fn first(&self, now: i64) -> i64 {
        let numbers = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().find(|(_, to)| **to == now).map_or(now, |(first, _)| *first)
    }

    /// Where a message goes now.
    pub(super) fn place(&self, place: ChatPlace) -> ChatPlace {
        ChatPlace { chat: self.now(place.chat), ..place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_group_is_one_chat_under_its_first_number() {
        let moves = Moves::default();
        moves.met(&serde_json::json!({"message": {"chat": {"id": -5}, "migrate_to_chat_id": -1005}}));
        moves.met(&serde_json::json!({"message": {"chat": {"id": -1005}, "migrate_from_chat_id": -5}}));
        assert_eq!((moves.now(-5), moves.first(-1005), moves.first(-5), moves.now(-1005)), (-1005, -5, -5, -1005));
        moves.note(-1005, -2005);
        assert_eq!((moves.now(-5), moves.first(-2005)), (-2005, -5), "a second move");
        moves.note(7, -3);
        moves.note(-9, 7);
        assert_eq!((moves.now(7), moves.now(-9)), (7, -9), "nobody's private chat is a group");
    }
}
