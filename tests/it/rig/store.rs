//! A store in memory that is watched, and that can be made to fail.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use brain_agent::ports::{Batch, ChangeLog, Key, Reader, Scan, Snapshot, Store, StoreError, Stored, Table};
use brain_agent::store::MemoryStore;

use super::log::{Event, Log};

/// Changes a batch on its way into the store, or keeps it out: false and everything after it is lost, as if
/// the machine had stopped there.
type Twist = Box<dyn Fn(&mut Batch) -> bool + Send + Sync>;

/// Whether a batch is refused, this once, by a disk that works again afterwards.
type Refusal = Box<dyn Fn(&Batch) -> bool + Send + Sync>;

/// What happens just before a record is read.
type Meanwhile = Box<dyn FnOnce() + Send>;

/// The store in memory, watched; a test may twist what is written.
pub struct WatchedStore {
    inner: MemoryStore,
    log: Arc<Log>,
    twist: Mutex<Option<Twist>>,
    refusal: Mutex<Option<Refusal>>,
    /// So many cards are read first.
    meanwhile: Mutex<Option<(usize, Meanwhile)>>,
    full: AtomicBool,
    /// Commits until the machine stops; negative: it does not.
    commits_left: AtomicI64,
    /// Whoever uses the store lets others go first, so many times in a row; see [`WatchedStore::interleaves`].
    chance: Mutex<Option<u64>>,
}

impl fmt::Debug for WatchedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WatchedStore")
    }
}

impl WatchedStore {
    pub fn new(log: Arc<Log>) -> Self {
        Self {
            inner: MemoryStore::new(),
            log,
            twist: Mutex::default(),
            refusal: Mutex::default(),
            meanwhile: Mutex::default(),
            full: AtomicBool::new(false),
            commits_left: AtomicI64::new(-1),
            chance: Mutex::default(),
        }
    }

    /// From now on what runs side by side takes turns at every use of the store, in an order that follows from `seed`.
    pub fn interleaves(&self, seed: u64) {
        *self.chance.lock().unwrap() = Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    }

    async fn lets_others_go_first(&self) {
        let times = match &mut *self.chance.lock().unwrap() {
            Some(chance) => {
                *chance ^= *chance << 13;
                *chance ^= *chance >> 7;
                *chance ^= *chance << 17;
                *chance % 4
            }
            None => 0,
        };
        for _ in 0..times {
            tokio::task::yield_now().await;
        }
    }

    /// Everything written from now on goes through this.
    pub fn twists(&self, twist: impl Fn(&mut Batch) -> bool + Send + Sync + 'static) {
        *self.twist.lock().unwrap() = Some(Box::new(twist));
    }

    /// Batches like this are refused; others are written.
    pub fn refuses(&self, refusal: impl Fn(&Batch) -> bool + Send + Sync + 'static) {
        *self.refusal.lock().unwrap() = Some(Box::new(refusal));
    }

    /// Just after `cards` more reads of cards, and before the next, something else happens, as it does with two
    /// turns at once.
    pub fn meanwhile(&self, cards: usize, happens: impl FnOnce() + Send + 'static) {
        *self.meanwhile.lock().unwrap() = Some((cards, Box::new(happens)));
    }

    fn reads_card(&self) {
        let mut meanwhile = self.meanwhile.lock().unwrap();
        let happens = match meanwhile.take() {
            Some((0, happens)) => Some(happens),
            Some((left, happens)) => {
                *meanwhile = Some((left - 1, happens));
                None
            }
            None => None,
        };
        drop(meanwhile);
        if let Some(happens) = happens {
            happens();
        }
    }

    /// From now on nothing can be written.
    pub fn breaks(&self) {
        self.full.store(true, Ordering::SeqCst);
    }

    /// The machine stops after so many commits: from then on nothing is read or written.
    pub fn dies_after(&self, commits: i64) {
        self.commits_left.store(commits, Ordering::SeqCst);
    }

    pub fn is_dead(&self) -> bool {
        self.commits_left.load(Ordering::SeqCst) == 0
    }

    fn is_there(&self) -> Result<(), StoreError> {
        if self.is_dead() { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// It can again.
    pub fn works(&self) {
        *self.twist.lock().unwrap() = None;
        *self.refusal.lock().unwrap() = None;
        self.dies_after(-1);
        self.full.store(false, Ordering::SeqCst);
    }

    /// Writes without a trace.
    pub fn put_quietly(&self, batch: Batch) {
        futures::executor::block_on(self.inner.commit(batch)).unwrap();
    }
}

#[async_trait]
impl Reader for WatchedStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        if table == Table::Pending {
            self.reads_card();
        }
        self.lets_others_go_first().await;
        self.is_there()?;
        self.inner.get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.lets_others_go_first().await;
        self.is_there()?;
        self.inner.scan(scan).await
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
        self.is_there()?;
        self.inner.count(scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }
}

#[async_trait]
impl Store for WatchedStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(self))
    }

    async fn commit(&self, mut batch: Batch) -> Result<u64, StoreError> {
        self.lets_others_go_first().await;
        self.is_there()?;
        if self.full.load(Ordering::SeqCst) {
            return Err(StoreError::Disk { path: "memory".to_owned(), why: "no space left".to_owned() });
        }
        if self.refusal.lock().unwrap().as_ref().is_some_and(|refuses| refuses(&batch)) {
            return Err(StoreError::Disk { path: "memory".to_owned(), why: "a bad sector".to_owned() });
        }
        if let Some(twist) = &*self.twist.lock().unwrap()
            && !twist(&mut batch)
        {
            self.full.store(true, Ordering::SeqCst);
            return Err(StoreError::Closed);
        }
        if self.commits_left.load(Ordering::SeqCst) > 0 {
            self.commits_left.fetch_sub(1, Ordering::SeqCst);
        }
        let revision = self.inner.commit(batch.clone()).await?;
        self.log.add(Event::Committed(batch));
        Ok(revision)
    }

    async fn give_back(&self) -> Result<bool, StoreError> {
        self.inner.give_back().await
    }

    async fn purge(&self) -> Result<(), StoreError> {
        self.inner.purge().await
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self.inner.change_log()
    }
}
