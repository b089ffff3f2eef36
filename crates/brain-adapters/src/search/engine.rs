//! Engine: all owners' indexes, opened when they are needed, a bounded number of them kept open.
//!
//! Whoever has few records has no index: looking through them costs less than making one ([`super::plain`]).
//!
//! Invariants: one writer at a time an owner, and not many in all; nobody's writes, build or damage keep another owner
//! waiting; whatever fails about an index costs that index, which is then built again.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OnceCell, Semaphore, oneshot, watch};
use tokio::task::spawn_blocking;

use super::build;
use super::feed::{self, Places};
use super::owner::OwnerIndex;
use super::plain::PlainIndex;
use brain_core::core::ids::UserId;
use brain_core::limits;
use brain_core::ports::{BuildProgress, Index as _, IndexError, Source, Store, Update};

/// When a commit has to be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durable {
    /// Before the answer.
    Now,
    /// With the next seal.
    Later,
}

/// All indexes of a store.
#[derive(Debug)]
pub(super) struct SearchEngine {
    pub(super) store: Arc<dyn Store>,
    pub(super) sources: Vec<Source>,
    pub(super) folder: Option<PathBuf>,
    /// Answers for those who have no index.
    pub(super) plain: PlainIndex,
    /// Up to so many records are looked through without an index.
    pub(super) few: usize,
    /// Held by whoever reads the log.
    pub(super) feed: tokio::sync::Mutex<()>,
    /// Up to here the log was read, and what it tells waits or is in the indexes.
    pub(super) applied: AtomicU64,
    /// Up to here everything is durable.
    pub(super) sealed: AtomicU64,
    /// Held by whoever makes the indexes durable.
    pub(super) sealing: tokio::sync::Mutex<()>,
    /// What is to be brought into the index of its owner.
    pub(super) waiting: Mutex<HashMap<UserId, Places>>,
    pub(super) begun: OnceCell<()>,
    /// Which store, sources and run of their marks an index has to be of.
    pub(super) origin: Mutex<String>,
    owners: Mutex<HashMap<UserId, Arc<Owner>>>,
    uses: AtomicU64,
    pub(super) readers: Semaphore,
    writers: Semaphore,
}

/// One owner.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) id: UserId,
    /// Held by whoever opens or writes.
    writing: tokio::sync::Mutex<()>,
    /// Held by whoever brings in what waits.
    pub(super) bringing: tokio::sync::Mutex<()>,
    index: Mutex<Option<Arc<OwnerIndex>>>,
    /// `Some` while it is being built.
    pub(super) progress: watch::Sender<Option<BuildProgress>>,
    unsealed: AtomicBool,
    used: AtomicU64,
}

impl Owner {
    /// Whether this is the index in use; another one may have taken its place.
    pub(super) fn is_current(&self, index: &Arc<OwnerIndex>) -> bool {
        locked(&self.index).as_ref().is_some_and(|current| Arc::ptr_eq(current, index))
    }
}

/// The lock of a value that no panic can leave half written.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn broken(cause: impl std::fmt::Display) -> IndexError {
    IndexError::Broken(cause.to_string())
}

/// Runs work with tantivy on a thread that may block; a panic over damaged bytes is an error like any other.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> tantivy::Result<T> + Send + 'static,
) -> Result<T, String> {
    let caught = spawn_blocking(move || catch_unwind(AssertUnwindSafe(work))).await;
    done(caught.ok().and_then(Result::ok))
}

/// The same for what takes long: turns, and whatever brings what is indexed, go first where processors are short.
async fn yielding<T: Send + 'static>(work: impl FnOnce() -> tantivy::Result<T> + Send + 'static) -> Result<T, String> {
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name("index".to_owned()).spawn(move || {
        // Of this thread and those that tantivy starts from it; elsewhere it would be of the whole process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, limits::INDEX_MANY_NICE);
        let _ = tell.send(catch_unwind(AssertUnwindSafe(work)));
    });
    thread.map_err(|cause| cause.to_string())?;
    done(told.await.ok().and_then(Result::ok))
}

/// What came of work; `None` when it panicked.
fn done<T>(ended: Option<tantivy::Result<T>>) -> Result<T, String> {
    match ended {
        Some(done) => done.map_err(|cause| cause.to_string()),
        None => Err("reading or writing it failed unexpectedly".to_owned()),
    }
}

impl SearchEngine {
    pub(super) fn new(store: Arc<dyn Store>, sources: Vec<Source>, folder: Option<PathBuf>, few: usize) -> Self {
        Self {
            plain: PlainIndex::new(Arc::clone(&store), sources.clone()),
            store,
            sources,
            folder,
            few,
            feed: tokio::sync::Mutex::default(),
            applied: AtomicU64::new(0),
            sealed: AtomicU64::new(0),
            sealing: tokio::sync::Mutex::default(),
            waiting: Mutex::default(),
            begun: OnceCell::new(),
            origin: Mutex::default(),
            owners: Mutex::default(),
            uses: AtomicU64::new(0),
            readers: Semaphore::new(limits::INDEX_SEARCHES_AT_ONCE),
            writers: Semaphore::new(limits::INDEX_WRITERS_AT_ONCE),
        }
    }

    fn folder_of(&self, owner: &UserId) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(owner.folder_name()))
    }

    /// Whether the owner has an index, or had one when this process began.
    pub(super) fn is_indexed(&self, id: &UserId) -> bool {
        locked(&self.owners).contains_key(id) || self.folder_of(id).is_some_and(|folder| folder.exists())
    }

    pub(super) fn progress(&self, owner: &UserId) -> Option<BuildProgress> {
        locked(&self.owners).get(owner).and_then(|owner| *owner.progress.borrow())
    }

    fn entry(&self, id: &UserId) -> Arc<Owner> {
        let mut owners = locked(&self.owners);
        let owner = owners.entry(id.clone()).or_insert_with(|| {
            Arc::new(Owner {
                id: id.clone(),
                writing: tokio::sync::Mutex::default(),
                bringing: tokio::sync::Mutex::default(),
                index: Mutex::default(),
                progress: watch::Sender::new(None),
                unsealed: AtomicBool::new(false),
                used: AtomicU64::new(0),
            })
        });
        let owner = Arc::clone(owner);
        owner.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        if self.folder.is_some() && owners.len() > limits::INDEXES_OPEN_MAX {
            let idle = |owner: &&Arc<Owner>| {
                let sealed = !owner.unsealed.load(Ordering::Acquire) && owner.progress.borrow().is_none();
                sealed && Arc::strong_count(owner) == 1
            };
            let oldest = owners.values().filter(idle).min_by_key(|owner| owner.used.load(Ordering::Relaxed));
            if let Some(oldest) = oldest.map(|owner| owner.id.clone()) {
                owners.remove(&oldest);
            }
        }
        owner
    }

    /// The owner's index, opened or made; it may be in the course of being built.
    pub(super) async fn opened(self: &Arc<Self>, id: &UserId) -> Result<(Arc<Owner>, Arc<OwnerIndex>), IndexError> {
        feed::begin(self).await?;
        let owner = self.entry(id);
        let present = locked(&owner.index).clone();
        if let Some(index) = present {
            return Ok((owner, index));
        }
        let _writing = owner.writing.lock().await;
        let present = locked(&owner.index).clone();
        if let Some(index) = present {
            return Ok((Arc::clone(&owner), index));
        }
        let folder = self.folder_of(id);
        let opening = folder.clone();
        let opened = match blocking(move || OwnerIndex::open(opening.as_deref())).await {
            Ok(index) => Ok(index),
            Err(why) => {
                tracing::warn!(owner = %id, %why, "a search index is unusable and is built again");
                blocking(move || {
                    if let Some(folder) = &folder {
                        std::fs::remove_dir_all(folder)?;
                    }
                    OwnerIndex::open(folder.as_deref())
                })
                .await
            }
        };
        let index = Arc::new(opened.map_err(broken)?);
        let mark = index.marks().map_err(broken)?.feeds.remove(feed::STORE);
        *locked(&owner.index) = Some(Arc::clone(&index));
        if !mark.is_some_and(|mark| self.is_ours(&mark)) {
            build::start(self, &owner, &index);
        }
        self.verify_later(&owner, &index);
        Ok((Arc::clone(&owner), index))
    }

    fn is_ours(&self, mark: &str) -> bool {
        mark.rsplit_once('/').is_some_and(|(origin, _)| origin == *locked(&self.origin))
    }

    /// The mark of the store's feed at a revision.
    pub(super) fn mark_at(&self, revision: u64) -> String {
        format!("{}/{revision}", locked(&self.origin))
    }

    /// A large index is used while its check sums are compared.
    fn verify_later(self: &Arc<Self>, owner: &Arc<Owner>, index: &Arc<OwnerIndex>) {
        if !index.is_verified() {
            let (house, owner, index) = (Arc::clone(self), Arc::clone(owner), Arc::clone(index));
            tokio::spawn(async move {
                let verifying = Arc::clone(&index);
                if let Err(why) = blocking(move || verifying.verify()).await {
                    house.discard(&owner, &index, &why).await;
                }
            });
        }
    }

    /// Removes an index that cannot be used; the next use builds it again.
    pub(super) async fn discard(&self, owner: &Owner, index: &Arc<OwnerIndex>, why: &str) {
        let _writing = owner.writing.lock().await;
        if !owner.is_current(index) {
            return;
        }
        tracing::warn!(owner = %owner.id, %why, "a search index failed and is built again");
        *locked(&owner.index) = None;
        owner.unsealed.store(false, Ordering::Release);
        if let Some(folder) = self.folder_of(&owner.id) {
            let _ = spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
        }
    }

    /// Forgets all indexes that are open, as they are of another origin now.
    pub(super) async fn close_all(&self) {
        let owners: Vec<Arc<Owner>> = locked(&self.owners).values().cloned().collect();
        for owner in owners {
            let _writing = owner.writing.lock().await;
            *locked(&owner.index) = None;
        }
    }

    /// Brings an update into an owner's index.
    pub(super) async fn write(
        self: &Arc<Self>,
        id: &UserId,
        update: Update,
        mark: Option<String>,
        durable: Durable,
    ) -> Result<(), IndexError> {
        let (owner, index) = self.opened(id).await?;
        self.write_into(&owner, &index, update, mark, durable).await
    }

    /// Brings an update into this index and no other: one that took its place has a build of its own.
    pub(super) async fn write_into(
        &self,
        owner: &Owner,
        index: &Arc<OwnerIndex>,
        update: Update,
        mark: Option<String>,
        durable: Durable,
    ) -> Result<(), IndexError> {
        let written = {
            let _writing = owner.writing.lock().await;
            if !owner.is_current(index) {
                return Err(broken("it was replaced"));
            }
            let _permit = self.writers.acquire().await.map_err(broken)?;
            owner.unsealed.store(true, Ordering::Release);
            let writing = Arc::clone(index);
            let is_many = update.put.len() >= limits::INDEX_MANY_DOCS;
            let write = move || {
                writing.apply(&update, mark.as_deref())?;
                if durable == Durable::Now { writing.seal() } else { Ok(()) }
            };
            let written = if is_many { yielding(write).await } else { blocking(write).await };
            if durable == Durable::Now || self.folder.is_none() {
                owner.unsealed.store(false, Ordering::Release);
            }
            written
        };
        if let Err(why) = written {
            self.discard(owner, index, &why).await;
            return Err(IndexError::Broken(why));
        }
        Ok(())
    }

    /// Makes durable whatever is not.
    pub(super) async fn seal(self: &Arc<Self>) {
        let unsealed: Vec<Arc<Owner>> =
            locked(&self.owners).values().filter(|owner| owner.unsealed.load(Ordering::Acquire)).cloned().collect();
        for owner in unsealed {
            let index = locked(&owner.index).clone();
            let Some(index) = index else { continue };
            let sealed = {
                let _writing = owner.writing.lock().await;
                let sealing = Arc::clone(&index);
                owner.unsealed.store(false, Ordering::Release);
                blocking(move || sealing.seal()).await
            };
            if let Err(why) = sealed {
                self.discard(&owner, &index, &why).await;
            }
        }
    }

    /// See [`brain_core::ports::Index::purge`].
    pub(super) async fn purge(self: &Arc<Self>, id: &UserId) -> Result<(), IndexError> {
        self.plain.purge(id).await?;
        feed::catch_up(self).await?;
        if self.has_few(id).await? {
            return Ok(());
        }
        feed::bring(self, id, &[]).await?;
        let (owner, _) = self.opened(id).await?;
        // A build under way reads records that are gone already.
        let _ = owner.progress.subscribe().wait_for(Option::is_none).await;
        let (owner, index) = self.opened(id).await?;
        let purged = {
            let _writing = owner.writing.lock().await;
            let purging = Arc::clone(&index);
            blocking(move || purging.expunge()).await
        };
        if let Err(why) = purged {
            self.discard(&owner, &index, &why).await;
        }
        Ok(())
    }
}
