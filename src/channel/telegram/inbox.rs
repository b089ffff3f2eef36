//! The durable inbox: an update is stored before Telegram may forget it, and is handled once.
//!
//! Invariants: updates are told apart by their exact number only (after a quiet week Telegram starts anywhere,
//! so "smaller" never means "older"); what needs no turn, and whatever strangers write, is stored as done and
//! without its words; what is open at a start is handled in the order in which it was received.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};

use crate::core::turn::Incoming;
use crate::failpoint::fail_point;
use crate::limits;
use crate::ports::records::InboxEntry;
use crate::ports::{Batch, Expect, Key, Record, RecordExt, Scan, Store, StoreError, Table};

/// The name of this channel in the inbox.
const CHANNEL: &str = "tg";

/// How many more than the limit may be kept before the oldest are removed.
const SLACK: usize = 1_000;

/// An update on its way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its exact number.
    pub update: u64,
    /// As received.
    pub raw: String,
    /// Whether there is a turn to be done; if not, only the number is kept.
    pub opens: bool,
}

/// An update that is stored and waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingUpdate {
    /// Its exact number.
    pub update: u64,
    /// Its name in the store; see [`Incoming::inbox`].
    pub name: String,
    /// When it was received.
    pub at: DateTime<Utc>,
    /// As received.
    pub raw: String,
    /// The update whose turn it belongs to.
    pub joins: Option<u64>,
    /// What a recording was heard to say, once the person was told; see [`InboxEntry::heard`].
    pub heard: Option<String>,
}

/// The inbox of this channel.
#[derive(Debug)]
pub struct Inbox {
    store: Arc<dyn Store>,
    kept: AtomicUsize,
}

impl Inbox {
    /// Opens it, and returns what an earlier life left open, in order.
    pub async fn open(store: Arc<dyn Store>) -> Result<(Self, Vec<WaitingUpdate>), StoreError> {
        let all = store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[CHANNEL], usize::MAX)).await?;
        let kept = AtomicUsize::new(all.len());
        let mut open: Vec<WaitingUpdate> =
            all.into_iter().filter(|(entry, _)| !entry.done).map(|(entry, _)| waiting(entry)).collect();
        open.sort_by_key(|entry| (entry.at, entry.update));
        Ok((Self { store, kept }, open))
    }

    /// Stores a batch in one commit. Returns what is new, in order; what was received before is left out.
    pub async fn admit(&self, received: Vec<Received>, at: DateTime<Utc>) -> Result<Vec<Received>, StoreError> {
        let mut fresh = Vec::with_capacity(received.len());
        let mut batch = Batch::default();
        let mut here = HashSet::new();
        for update in received {
            let open = update.opens;
            let raw = if open { update.raw.clone() } else { String::new() };
            let entry = InboxEntry { done: !open, ..fresh_entry(update.update, at, raw) };
            if !here.insert(update.update) || self.store.get(Table::Inbox, &entry.key()).await?.is_some() {
                continue;
            }
            batch.put(&entry, Expect::Absent)?;
            fresh.push(update);
        }
        if fresh.is_empty() {
            return Ok(fresh);
        }
        fail_point("inbox-before");
        self.store.commit(batch).await?;
        fail_point("inbox-durable");
        let kept = self.kept.fetch_add(fresh.len(), Ordering::Relaxed) + fresh.len();
        if kept > limits::INBOX_SEEN_MAX + SLACK
            && let Err(error) = self.prune().await
        {
            tracing::warn!(%error, "old updates could not be removed");
        }
        Ok(fresh)
    }

    /// Removes the oldest of the done ones.
    async fn prune(&self) -> Result<(), StoreError> {
        let all = self.store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[CHANNEL], usize::MAX)).await?;
        let mut done: Vec<&InboxEntry> = all.iter().map(|(entry, _)| entry).filter(|entry| entry.done).collect();
        done.sort_by_key(|entry| (entry.received_at, entry.update));
        let mut batch = Batch::default();
        let surplus = done.len().saturating_sub(limits::INBOX_SEEN_MAX);
        for entry in &done[..surplus] {
            batch.delete(Table::Inbox, entry.key(), Expect::Any);
        }
        self.store.commit(batch).await?;
        self.kept.store(all.len() - surplus, Ordering::Relaxed);
        Ok(())
    }

    /// Marks an update as done, in a batch that may hold more; its words are forgotten.
    pub fn close(entry: &WaitingUpdate, batch: &mut Batch) -> Result<(), StoreError> {
        let closed = InboxEntry { done: true, ..fresh_entry(entry.update, entry.at, String::new()) };
        batch.put(&closed, Expect::Any)?;
        Ok(())
    }

    /// The same, at once.
    pub async fn close_now(&self, entry: &WaitingUpdate) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        Self::close(entry, &mut batch)?;
        self.store.commit(batch).await?;
        Ok(())
    }

    /// Notes that an update belongs to the turn of an earlier one; after a restart they are still together.
    pub async fn join(&self, first: &WaitingUpdate, entry: &WaitingUpdate) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.put(&Self::open_entry(&WaitingUpdate { joins: Some(first.update), ..entry.clone() }), Expect::Any)?;
        self.store.commit(batch).await?;
        Ok(())
    }

    /// An open entry as it is stored, for changes that are committed together with others.
    pub fn open_entry(entry: &WaitingUpdate) -> InboxEntry {
        let WaitingUpdate { joins, heard, .. } = entry.clone();
        InboxEntry { joins, heard, ..fresh_entry(entry.update, entry.at, entry.raw.clone()) }
    }

    /// Whether the turn that an update belongs to has been committed.
    pub async fn is_done(&self, incoming: &Incoming) -> Result<bool, StoreError> {
        let Some(name) = &incoming.inbox else { return Ok(true) };
        let found = self.store.load::<InboxEntry>(&Key::from_stored(name)).await?;
        Ok(found.is_none_or(|(entry, _)| entry.done))
    }
}

impl WaitingUpdate {
    /// The entry of an update that was just admitted.
    pub fn of(received: Received, at: DateTime<Utc>) -> Self {
        waiting(fresh_entry(received.update, at, received.raw))
    }
}

fn fresh_entry(update: u64, at: DateTime<Utc>, raw: String) -> InboxEntry {
    InboxEntry { channel: CHANNEL.to_owned(), update, received_at: at, raw, done: false, joins: None, heard: None }
}

fn waiting(entry: InboxEntry) -> WaitingUpdate {
    let name = entry.name();
    WaitingUpdate {
        update: entry.update,
        name,
        at: entry.received_at,
        raw: entry.raw,
        joins: entry.joins,
        heard: entry.heard,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;
    use chrono::TimeDelta;

    fn received(update: u64, opens: bool) -> Received {
        Received { update, raw: format!("words {update}"), opens }
    }

    fn numbers(received: &[Received]) -> Vec<u64> {
        received.iter().map(|r| r.update).collect()
    }

    #[tokio::test]
    async fn an_update_is_new_once_whatever_its_number() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, open) = Inbox::open(Arc::clone(&store)).await.unwrap();
        assert!(open.is_empty());
        let now = Utc::now();
        let first =
            inbox.admit(vec![received(700, true), received(701, true), received(700, true)], now).await.unwrap();
        assert_eq!(numbers(&first), [700, 701]);
        let again = inbox.admit(vec![received(701, true), received(5, true)], now).await.unwrap();
        assert_eq!(numbers(&again), [5], "a smaller number is not an older one");

        let (inbox, _) = Inbox::open(store).await.unwrap();
        assert!(inbox.admit(vec![received(701, true)], now).await.unwrap().is_empty(), "nor is it new after a restart");
    }

    #[tokio::test]
    async fn what_is_open_comes_back_in_the_order_of_its_arrival_and_the_rest_keeps_no_words() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let now = Utc::now();
        inbox.admit(vec![received(900, true), received(901, false), received(902, true)], now).await.unwrap();
        inbox.admit(vec![received(3, true)], now + TimeDelta::seconds(1)).await.unwrap();
        inbox.close_now(&WaitingUpdate::of(received(902, true), now)).await.unwrap();

        let (_, open) = Inbox::open(Arc::clone(&store)).await.unwrap();
        assert_eq!(open.iter().map(|e| e.update).collect::<Vec<_>>(), [900, 3]);
        assert_eq!(open[0].raw, "words 900");
        let kept = store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[CHANNEL], 10)).await.unwrap();
        assert!(kept.iter().all(|(entry, _)| entry.done == entry.raw.is_empty()));
    }

    #[tokio::test]
    async fn updates_of_one_breath_are_still_together_after_a_restart() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let now = Utc::now();
        inbox.admit(vec![received(7, true), received(8, true)], now).await.unwrap();
        inbox
            .join(&WaitingUpdate::of(received(7, true), now), &WaitingUpdate::of(received(8, true), now))
            .await
            .unwrap();
        let (_, open) = Inbox::open(store).await.unwrap();
        assert_eq!(open.iter().map(|e| (e.update, e.joins)).collect::<Vec<_>>(), [(7, None), (8, Some(7))]);
        assert_eq!(open[1].raw, "words 8");
    }

    #[tokio::test]
    async fn only_so_many_done_updates_are_remembered_and_open_ones_are_never_dropped() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let now = Utc::now();
        inbox.admit(vec![received(0, true)], now).await.unwrap();
        let many = limits::INBOX_SEEN_MAX + SLACK + 1;
        for start in (1..many).step_by(100) {
            let at = now + TimeDelta::seconds(i64::try_from(start).unwrap());
            let batch = (start..start + 100).map(|n| received(u64::try_from(n).unwrap(), false)).collect();
            inbox.admit(batch, at).await.unwrap();
        }
        let kept = store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[CHANNEL], usize::MAX)).await.unwrap();
        assert!(kept.len() <= limits::INBOX_SEEN_MAX + SLACK, "{}", kept.len());
        assert!(kept.iter().any(|(entry, _)| entry.update == 0 && !entry.done));
    }
}
