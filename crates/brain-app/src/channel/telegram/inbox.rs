//! The durable inbox: an update is stored before Telegram may forget it, and is handled once.
//!
//! Invariants: an update is known by its exact number (after a quiet week Telegram starts anywhere, so a smaller one is
//! not an older one) and by the message that it brings, whatever its number; updates are kept as JSON, as received;
//! what needs no turn, and whatever strangers write, is stored as done and without its words; what is open at a start
//! is handled in the order received.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use brain_core::core::ids::RunId;
use brain_core::core::turn::Incoming;
use brain_core::failpoint::fail_point;
use brain_core::ports::records::{Aside, InboxEntry, OPEN_UPDATES, UPDATES_BY_MESSAGE};
use brain_core::ports::{Batch, Expect, Key, Record, RecordExt, Scan, Store, StoreError, Table};

/// The name of this channel in the inbox.
const CHANNEL: &str = "tg";

/// The inbox of this channel.
#[derive(Debug)]
pub struct Inbox {
    store: Arc<dyn Store>,
}

impl Inbox {
    /// Opens it, and returns what an earlier life left open, in order.
    pub async fn open(store: Arc<dyn Store>) -> Result<(Self, Vec<InboxEntry>), StoreError> {
        let open = open_in(store.as_ref()).await?;
        Ok((Self { store }, open))
    }

    /// An update as it was received, to be admitted.
    pub fn entry(update: u64, raw: &str, received_at: DateTime<Utc>) -> InboxEntry {
        let (channel, raw) = (CHANNEL.to_owned(), raw.to_owned());
        let (done, joins, transcript, resumptions, message) = (false, None, None, 0, None);
        InboxEntry { channel, update, received_at, raw, done, joins, transcript, resumptions, message }
    }

    /// Stores a batch in one commit. Returns the numbers that are new.
    pub async fn admit(&self, batch: impl Iterator<Item = &InboxEntry>) -> Result<HashSet<u64>, StoreError> {
        let mut fresh = HashSet::new();
        let mut messages = HashSet::new();
        let mut changes = Batch::default();
        for entry in batch {
            let message = entry.message_key();
            let is_in_batch = fresh.contains(&entry.update) || message.as_ref().is_some_and(|m| messages.contains(m));
            if !is_in_batch && !self.knows(entry).await? {
                changes.put(entry, Expect::Absent)?;
                fresh.insert(entry.update);
                messages.extend(message);
            }
        }
        if fresh.is_empty() {
            return Ok(fresh);
        }
        fail_point("inbox-before");
        self.store.commit(changes).await?;
        fail_point("inbox-durable");
        Ok(fresh)
    }

    /// Whether an update was received before, or the message that it brings. One whose record could not be read is
    /// still known by its place.
    async fn knows(&self, entry: &InboxEntry) -> Result<bool, StoreError> {
        let key = entry.key();
        if let Some(message) = entry.message_key() {
            let same = Scan::by(&UPDATES_BY_MESSAGE, &message.each_ref().map(String::as_str), 1);
            if !self.store.scan(same).await?.is_empty() {
                return Ok(true);
            }
        }
        let aside = Aside::key_of(Table::Inbox, &key);
        let known = self.store.get(Table::Inbox, &key).await?.is_some();
        Ok(known || self.store.get(Table::Aside, &aside).await?.is_some())
    }

    /// An update that is done: its words are forgotten.
    pub fn closed(entry: &InboxEntry) -> InboxEntry {
        let message = entry.message.clone();
        InboxEntry { done: true, message, ..Self::entry(entry.update, "", entry.received_at) }
    }

    /// Marks an update as done.
    pub async fn close(&self, entry: &InboxEntry) -> Result<(), StoreError> {
        self.put(&Self::closed(entry)).await
    }

    /// Notes that an update belongs to the turn of an earlier one; after a restart they are still together.
    pub async fn join(&self, first: &InboxEntry, entry: &InboxEntry) -> Result<(), StoreError> {
        self.put(&InboxEntry { joins: Some(first.update), ..entry.clone() }).await
    }

    /// Notes that an update of an earlier life is taken up again: should the process die of it, the next life knows.
    pub async fn resume(&self, entry: &InboxEntry) -> Result<InboxEntry, StoreError> {
        let entry = InboxEntry { resumptions: entry.resumptions + 1, ..entry.clone() };
        self.put(&entry).await?;
        Ok(entry)
    }

    /// Nobody died: what stays open at a clean end is not to blame for anything.
    pub async fn absolve(&self) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for entry in open_in(self.store.as_ref()).await?.into_iter().filter(|entry| entry.resumptions > 0) {
            batch.put(&InboxEntry { resumptions: 0, ..entry }, Expect::Any)?;
        }
        self.store.commit(batch).await?;
        Ok(())
    }

    /// An update that was taken up too often: its words are forgotten, the number stays for whoever runs this.
    pub fn set_aside(entry: &InboxEntry) -> InboxEntry {
        InboxEntry { resumptions: entry.resumptions, ..Self::closed(entry) }
    }

    async fn put(&self, entry: &InboxEntry) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.put(entry, Expect::Any)?;
        self.store.commit(batch).await?;
        Ok(())
    }

    /// Whether the turn that an update belongs to has been committed.
    pub async fn is_done(&self, incoming: &Incoming) -> Result<bool, StoreError> {
        let Some(name) = &incoming.inbox else { return Ok(true) };
        let found = self.store.load::<InboxEntry>(&Key::from_stored(name)).await?;
        Ok(found.is_none_or(|(entry, _)| entry.done))
    }
}

/// The name of the turn that an update begins.
pub fn turn_of(entry: &InboxEntry) -> RunId {
    RunId::new(format!("tg-{}", entry.update))
}

/// What is open, in the order in which it was received; whatever is done is not read for it.
async fn open_in(store: &dyn Store) -> Result<Vec<InboxEntry>, StoreError> {
    let open = store.list::<InboxEntry>(Scan::by(&OPEN_UPDATES, &[CHANNEL], usize::MAX)).await?;
    Ok(open.into_iter().map(|(entry, _)| entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_adapters::store::MemoryStore;
    use brain_core::core::ids::{ChatId, MessageId};
    use chrono::TimeDelta;

    fn received(update: u64, at: DateTime<Utc>) -> InboxEntry {
        Inbox::entry(update, &format!("words {update}"), at)
    }

    async fn admit(inbox: &Inbox, entries: &[InboxEntry]) -> Vec<u64> {
        let mut fresh: Vec<u64> = inbox.admit(entries.iter()).await.unwrap().into_iter().collect();
        fresh.sort_unstable();
        fresh
    }

    #[tokio::test]
    async fn an_update_is_new_once_whatever_its_number() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, open) = Inbox::open(Arc::clone(&store)).await.unwrap();
        assert!(open.is_empty());
        let now = Utc::now();
        let first = admit(&inbox, &[received(700, now), received(701, now), received(700, now)]).await;
        assert_eq!(first, [700, 701]);
        let again = admit(&inbox, &[received(701, now), received(5, now)]).await;
        assert_eq!(again, [5], "a smaller number is not an older one");

        let (inbox, _) = Inbox::open(store).await.unwrap();
        assert!(admit(&inbox, &[received(701, now)]).await.is_empty(), "nor is it new after a restart");
    }

    #[tokio::test]
    async fn a_message_is_new_once_whatever_the_number_of_its_update() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let of = |update: u64, chat: &str, message: i64| InboxEntry {
            message: Some((ChatId::new(chat), MessageId(message))),
            ..received(update, Utc::now())
        };
        assert_eq!(admit(&inbox, &[of(1, "a", 7), of(2, "a", 7), of(3, "a", 77), of(4, "b", 7)]).await, [1, 3, 4]);
        inbox.close(&of(1, "a", 7)).await.unwrap();
        let an_edit = received(6, Utc::now());
        assert_eq!(admit(&inbox, &[of(5, "a", 7), an_edit]).await, [6], "neither once it is done");
        let (inbox, _) = Inbox::open(store).await.unwrap();
        assert!(admit(&inbox, &[of(8, "a", 77)]).await.is_empty(), "nor after a restart");
    }

    #[tokio::test]
    async fn what_is_open_comes_back_in_the_order_of_its_arrival_and_the_rest_keeps_no_words() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let now = Utc::now();
        let of_no_use = Inbox::closed(&received(901, now));
        admit(&inbox, &[received(900, now), of_no_use, received(902, now)]).await;
        admit(&inbox, &[received(3, now + TimeDelta::seconds(1))]).await;
        inbox.close(&received(902, now)).await.unwrap();

        let (_, open) = Inbox::open(Arc::clone(&store)).await.unwrap();
        assert_eq!(open.iter().map(|entry| entry.update).collect::<Vec<_>>(), [900, 3]);
        assert_eq!(open[0].raw, "words 900");
        let kept = store.list::<InboxEntry>(Scan::of::<InboxEntry>(&[CHANNEL], 10)).await.unwrap();
        assert!(kept.iter().all(|(entry, _)| entry.done == entry.raw.is_empty()));
    }

    #[tokio::test]
    async fn coalesced_updates_are_still_together_after_a_restart() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (inbox, _) = Inbox::open(Arc::clone(&store)).await.unwrap();
        let (one, two) = (received(7, Utc::now()), received(8, Utc::now()));
        admit(&inbox, &[one.clone(), two.clone()]).await;
        inbox.join(&one, &two).await.unwrap();
        let (_, open) = Inbox::open(store).await.unwrap();
        assert_eq!(open.iter().map(|entry| (entry.update, entry.joins)).collect::<Vec<_>>(), [(7, None), (8, Some(7))]);
        assert_eq!(open[1].raw, "words 8");
    }
}
