//! A store that is only read: as it is now, or without what was said and asked since a moment.
//!
//! Invariant: nothing is ever written through it. Things (tasks, mail, …) are always those of now: they keep no history.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use brain_core::limits;
use brain_core::ports::records::{ChatState, Message, PendingOpen};
use brain_core::ports::{
    Batch, ChangeLog, Key, Order, Reader, Record, Scan, Snapshot, Store, StoreError, Stored, Table, from_stored,
};

/// See the module.
#[derive(Debug)]
pub struct ReadOnlyStore {
    store: Arc<dyn Store>,
    before: Option<DateTime<Utc>>,
}

impl ReadOnlyStore {
    /// As it is.
    pub fn of(store: Arc<dyn Store>) -> Self {
        Self { store, before: None }
    }

    /// Without what was said, asked and carded from this moment on. What stood open then and is settled since is not
    /// there either.
    pub fn before(store: Arc<dyn Store>, moment: DateTime<Utc>) -> Self {
        Self { store, before: Some(moment) }
    }
}

fn refused() -> StoreError {
    StoreError::Disk { path: "the store".to_owned(), why: "a shadow only reads".to_owned() }
}

/// A reader that sees nothing of what came later.
#[derive(Debug)]
struct Earlier<R>(R, Option<DateTime<Utc>>);

/// A chat in which nothing is open.
fn nothing_open(stored: Stored) -> Result<Stored, StoreError> {
    let ChatState { chat, next_message, next_outbox, last_bot_message, .. } = from_stored(&stored)?;
    let state = ChatState { next_message, next_outbox, last_bot_message, ..ChatState::new(chat) };
    let body = serde_json::to_vec(&state);
    Ok(body.map(|body| Stored { body, ..stored.clone() }).unwrap_or(stored))
}

#[async_trait]
impl<R: Reader> Reader for Earlier<R> {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        let found = self.0.get(table, key).await?;
        match found {
            Some(stored) if self.1.is_some() && table == ChatState::TABLE => nothing_open(stored).map(Some),
            found => Ok(found),
        }
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        let Some(moment) = self.1 else { return self.0.scan(scan).await };
        if scan.table == PendingOpen::TABLE {
            return Ok(Vec::new());
        }
        if scan.table != Message::TABLE {
            return self.0.scan(scan).await;
        }
        let (wanted, mut found, mut rest) = (scan.limit, Vec::new(), scan);
        rest.limit = limits::SHADOW_MESSAGES_A_PAGE;
        for _ in 0..limits::SHADOW_PAGES_MAX {
            let page = self.0.scan(rest.clone()).await?;
            let is_last = page.len() < rest.limit;
            let last = page.last().map(|(key, _)| key.clone());
            let was_said = |stored: &Stored| from_stored::<Message>(stored).is_ok_and(|message| message.at < moment);
            found.extend(page.into_iter().filter(|(_, stored)| was_said(stored)));
            if is_last || found.len() >= wanted {
                break;
            }
            match rest.order {
                Order::Ascending => rest.after = last,
                Order::Descending => rest.before = last,
            }
        }
        found.truncate(wanted);
        Ok(found)
    }

    async fn set_aside(&self, _noted: Batch) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Reader for ReadOnlyStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        Earlier(self.store.as_ref(), self.before).get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        Earlier(self.store.as_ref(), self.before).scan(scan).await
    }

    async fn set_aside(&self, _noted: Batch) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Store for ReadOnlyStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(Earlier(self.store.snapshot().await?, self.before)))
    }

    async fn commit(&self, _batch: Batch) -> Result<u64, StoreError> {
        Err(refused())
    }

    async fn purge(&self) -> Result<(), StoreError> {
        Err(refused())
    }

    async fn copy_to(&self, _path: &Path) -> Result<(), StoreError> {
        Err(refused())
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self.store.change_log()
    }
}
