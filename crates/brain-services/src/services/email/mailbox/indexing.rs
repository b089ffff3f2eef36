//! Mail indexing: look, list what changed, read what is new, newest first.
//!
//! ```text
//! folders as they were ─────────────────────────────────────────────► nothing is listed, nothing is read
//! a folder has changed ─► listed ─► compared with the index ─► new files are read in slices ─► brought in batches
//!                                        └─► what has gone goes                                └─► found at once
//! ```
//! One indexing a mailbox runs at a time, as a task of its own: whoever waits for it may stop waiting.
//! Invariants: what was brought in is never read again, in this life or another, unless its name changes; a mail is in
//! the summary only when it is in the index; an indexing that was cut off goes on with what is missing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use futures::stream::{FuturesUnordered, StreamExt as _};

use super::pool::{Haste, NotDone, Pool};
use super::slices::{MailBatch, Slice, read_slice};
use super::source::maildir::{Listed, Maildir};
use super::source::watch::Look;
use super::suspects::{MailboxScan, SuspectLock};
use crate::services::contract::error::ServiceError;
use crate::services::email::message::mail::{Mail, MailId, NAME, file_date};
use crate::services::email::message::summary::{Difference, Summary};
use brain_core::core::ids::UserId;
use brain_core::failpoint::fail_point;
use brain_core::limits::{MAIL_BATCH_MAX, MAIL_NAMED_BY_MAX, MAIL_SLICE_MAX};
use brain_core::ports::{Index, Query, Ranking, Update, why_not};

/// The feed of mails, and the shape of what it brings: another shape is brought afresh.
const FEED: &str = "mail";
const SHAPE: &str = "2";

/// How much of a mailbox was read so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoFar {
    /// Mails that can be found.
    pub done: usize,
    /// Mails there are.
    pub total: usize,
}

type UnderWay = Shared<BoxFuture<'static, Result<(), ServiceError>>>;

/// One owner's mailbox, and what is known of it.
#[derive(Debug)]
pub struct IndexedMailbox {
    pub(in crate::services::email) owner: UserId,
    pub(in crate::services::email) maildir: Maildir,
    pub(in crate::services::email) index: Arc<dyn Index>,
    pub(in crate::services::email) pool: Arc<Pool>,
    quiet: Arc<SuspectLock>,
    summary: RwLock<Summary>,
    state: Mutex<IndexState>,
    /// Turns that wait for it to be read.
    waiting: AtomicUsize,
}

#[derive(Debug, Default)]
struct IndexState {
    /// The summary is that of the index.
    is_loaded: bool,
    /// What the index has is of another shape.
    is_other_shape: bool,
    /// The folders at the last listing whose mails are all in the index.
    look: Option<Look>,
    so_far: Option<SoFar>,
    under_way: Option<UnderWay>,
    /// See [`IndexedMailbox::generation`].
    generation: u64,
    /// Mails that came since it was last decided to bring some in.
    came: usize,
}

/// Generations of all mailboxes: one that is let go and held again has none of its earlier ones.
static GENERATIONS: AtomicU64 = AtomicU64::new(1);

impl IndexedMailbox {
    pub(in crate::services::email) fn new(
        owner: &UserId,
        maildir: Maildir,
        index: Arc<dyn Index>,
        pool: Arc<Pool>,
        quiet: Arc<SuspectLock>,
    ) -> Arc<Self> {
        Arc::new(Self {
            owner: owner.clone(),
            maildir,
            index,
            pool,
            quiet,
            summary: RwLock::default(),
            state: Mutex::default(),
            waiting: AtomicUsize::new(0),
        })
    }

    /// A number that is another one after every change of what can be found, from before the change is told to be done.
    pub(in crate::services::email) fn generation(&self) -> u64 {
        self.state().generation
    }

    fn has_changed(&self) {
        self.state().generation = GENERATIONS.fetch_add(1, Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::services::email) fn summary(&self) -> RwLockReadGuard<'_, Summary> {
        self.summary.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::services::email) fn summary_mut(&self) -> RwLockWriteGuard<'_, Summary> {
        self.summary.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far reading has come, while a turn waits for it.
    pub(in crate::services::email) fn waited_for(&self) -> Option<SoFar> {
        let so_far = self.state().so_far;
        so_far.filter(|_| self.waiting.load(Ordering::Relaxed) > 0)
    }

    /// True when nothing is being read.
    pub(in crate::services::email) fn is_idle(&self) -> bool {
        self.state().under_way.as_ref().is_none_or(|task| task.peek().is_some())
    }

    /// Waits until the index has what the mailbox held when this was called, but no longer than that. How far it is,
    /// when it was not ready in time.
    pub(in crate::services::email) async fn refresh(
        self: &Arc<Self>,
        patience: Duration,
    ) -> Result<Option<SoFar>, ServiceError> {
        let marked = self.index.mark(&self.owner, FEED).await?;
        if self.is_current(marked.as_deref()) {
            return Ok(None);
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let refreshed = tokio::time::timeout(patience, self.brought_up_to_date()).await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        match refreshed {
            Ok(result) => result.map(|()| None),
            Err(_) => {
                let so_far = self.state().so_far;
                Ok(Some(so_far.unwrap_or(SoFar { done: self.summary().len(), total: 0 })))
            }
        }
    }

    fn is_current(&self, mark: Option<&str>) -> bool {
        let mut state = self.state();
        if state.is_loaded && !state.is_other_shape && mark != Some(SHAPE) && self.summary().len() > 0 {
            // The index was lost meanwhile.
            state.is_loaded = false;
            state.look = None;
        }
        state.look.as_ref().is_some_and(Look::is_current)
    }

    /// So many more have come: whether there are enough by now for a listing of all that is there.
    pub(in crate::services::email) fn is_worth_bringing(&self, mails: usize) -> bool {
        let known = self.summary().len();
        let mut state = self.state();
        state.came += mails;
        let is_idle = state.under_way.as_ref().is_none_or(|task| task.peek().is_some());
        let is_worth_it = is_idle && state.came >= (known / 4).max(MAIL_SLICE_MAX);
        if is_worth_it {
            state.came = 0;
        }
        is_worth_it
    }

    pub(in crate::services::email) async fn brought_up_to_date(self: &Arc<Self>) -> Result<(), ServiceError> {
        loop {
            let (task, is_new) = self.begin();
            task.await?;
            // One that was under way may have listed before the last change.
            if is_new {
                return Ok(());
            }
        }
    }

    fn begin(self: &Arc<Self>) -> (UnderWay, bool) {
        let mut state = self.state();
        if let Some(task) = state.under_way.as_ref().filter(|task| task.peek().is_none()) {
            return (task.clone(), false);
        }
        let held = Arc::clone(self);
        let task = tokio::spawn(async move {
            let done = held.update().await;
            held.state().so_far = None;
            done
        });
        let task = task.map(|ended| ended.unwrap_or_else(|_| Err(broke()))).boxed().shared();
        state.under_way = Some(task.clone());
        (task, true)
    }

    async fn update(&self) -> Result<(), ServiceError> {
        self.load().await?;
        let (look, difference) = self.list().await?;
        self.remove(&difference.gone).await?;
        if !difference.unread.is_empty() {
            self.read(difference).await?;
        }
        self.state().look = Some(look);
        Ok(())
    }

    /// Makes the summary of what is in the index already.
    async fn load(&self) -> Result<(), ServiceError> {
        if self.state().is_loaded {
            return Ok(());
        }
        let mark = self.index.mark(&self.owner, FEED).await?;
        let mut summary = None;
        if mark.as_deref() == Some(SHAPE) {
            let all = self.index.all(&self.owner, NAME).await?;
            let made = self.pool.run(&self.owner, Haste::Short, move || summary_of(&all)).await;
            summary = made.map_err(not_done)?;
        }
        let is_other_shape = summary.is_none();
        *self.summary_mut() = summary.unwrap_or_default();
        self.has_changed();
        let mut state = self.state();
        (state.is_loaded, state.is_other_shape, state.look) = (true, is_other_shape, None);
        Ok(())
    }

    /// Lists the folders that have changed.
    async fn list(&self) -> Result<(Look, Difference), ServiceError> {
        let (maildir, earlier) = (self.maildir.clone(), self.state().look.clone());
        let list = move || {
            let there = maildir.places()?;
            let look = Look::at(maildir.root(), &there);
            let mut listed = Vec::new();
            let mut places = Vec::new();
            for place in &there {
                if earlier.as_ref().is_some_and(|earlier| look.is_as_in(earlier, &place.dir)) {
                    continue;
                }
                listed.extend(maildir.list(place)?);
                places.push(place.dir.clone());
            }
            let there = there.into_iter().map(|place| place.dir).collect::<Vec<_>>();
            Ok((look, listed, places, there))
        };
        let listed: std::io::Result<_> = self.pool.run(&self.owner, Haste::Short, list).await.map_err(not_done)?;
        let (look, listed, places, there) = listed.map_err(unreadable)?;
        Ok((look, self.summary().compare(listed, &places, &there)))
    }

    async fn remove(&self, gone: &[MailId]) -> Result<(), ServiceError> {
        if gone.is_empty() {
            return Ok(());
        }
        let mails = self.mails(gone).await?;
        let delete = gone.iter().map(|id| (NAME.to_owned(), id.to_string())).collect();
        self.apply(Update { delete, ..Update::default() }).await?;
        let doubtful = self.summary_mut().update(&mails, &[]);
        self.has_changed();
        for address in doubtful {
            let query = Query {
                kinds: vec![NAME.to_owned()],
                people: vec![(String::new(), address.clone())],
                ranking: Ranking::Newest,
                limit: MAIL_NAMED_BY_MAX,
                ..Query::default()
            };
            let found = self.index.search(&self.owner, &query).await?;
            let mails: Vec<Mail> = found.hits.iter().filter_map(|hit| Mail::kept(&hit.kept)).collect();
            self.summary_mut().rename(&address, &mails);
            self.has_changed();
        }
        Ok(())
    }

    /// Reads these files, the newest first, and brings them in.
    async fn read(&self, difference: Difference) -> Result<(), ServiceError> {
        let Difference { unread, total, .. } = difference;
        let mut done = total.saturating_sub(unread.len());
        self.state().so_far = Some(SoFar { done, total });
        let root = self.maildir.root().to_owned();
        let newest_first = move || {
            let mut dated: Vec<_> = unread.into_iter().map(|file| (file_date(&file, &root), file)).collect();
            dated.sort_by(|(a, x), (b, y)| (b, &y.base).cmp(&(a, &x.base)));
            dated.into_iter().map(|(_, file)| file).collect::<VecDeque<Listed>>()
        };
        let mut waiting = self.pool.run(&self.owner, Haste::Short, newest_first).await.map_err(not_done)?;
        let reading = MailboxScan::begin(self.maildir.root());
        let width = if reading.is_alone() { 1 } else { self.pool.width() };
        let reading = Arc::new(Mutex::new(reading));
        let mut slices = FuturesUnordered::new();
        let mut batch = MailBatch::default();
        // The first slice is brought in by itself, so that there is something to find.
        let mut is_first = true;
        loop {
            while slices.len() < width && !waiting.is_empty() {
                let files = waiting.drain(..waiting.len().min(MAIL_SLICE_MAX)).collect();
                slices.push(self.slice(files, &reading));
            }
            let Some(slice) = slices.next().await else { break };
            let Slice { read, left, gone } = slice.map_err(not_done)?;
            left.into_iter().rev().for_each(|file| waiting.push_front(file));
            done += read.len() + gone;
            batch.add(read);
            if is_first || batch.is_full() {
                is_first = false;
                self.bring(std::mem::take(&mut batch)).await?;
                fail_point("mails-brought");
                self.state().so_far = Some(SoFar { done, total });
            }
        }
        self.bring(batch).await?;
        drop(slices);
        if let Ok(reading) = Arc::try_unwrap(reading) {
            reading.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        }
        Ok(())
    }

    fn slice(
        &self,
        files: Vec<Listed>,
        reading: &Arc<Mutex<MailboxScan>>,
    ) -> impl Future<Output = Result<Slice, NotDone>> + use<'_> {
        let (maildir, reading, quiet) = (self.maildir.clone(), Arc::clone(reading), Arc::clone(&self.quiet));
        self.pool.run(&self.owner, Haste::Long, move || read_slice(&maildir, files, &reading, &quiet))
    }

    async fn bring(&self, batch: MailBatch) -> Result<(), ServiceError> {
        let MailBatch { mails, documents, .. } = batch;
        if mails.is_empty() {
            return Ok(());
        }
        self.apply(Update { put: documents, ..Update::default() }).await?;
        self.summary_mut().update(&[], &mails);
        self.has_changed();
        Ok(())
    }

    async fn apply(&self, update: Update) -> Result<(), ServiceError> {
        let is_other_shape = self.state().is_other_shape;
        let clear = is_other_shape.then(|| NAME.to_owned()).into_iter().collect();
        let update = Update { feed: FEED.to_owned(), mark: SHAPE.to_owned(), clear, ..update };
        self.index.apply(&self.owner, update).await?;
        self.state().is_other_shape = false;
        Ok(())
    }

    /// Mails by their ids, in no order; those that have gone are left out.
    pub(in crate::services::email) async fn mails(&self, ids: &[MailId]) -> Result<Vec<Mail>, ServiceError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<String> = ids.iter().map(MailId::to_string).collect();
        let kept = self.index.get(&self.owner, NAME, &ids).await?;
        Ok(kept.iter().filter_map(|(_, kept)| Mail::kept(kept)).collect())
    }
}

/// `None` when one of them is of another shape.
fn summary_of(all: &[(String, Vec<u8>)]) -> Option<Summary> {
    let mut summary = Summary::default();
    for some in all.chunks(MAIL_BATCH_MAX) {
        summary.update(&[], &some.iter().map(|(_, kept)| Mail::kept(kept)).collect::<Option<Vec<_>>>()?);
    }
    Some(summary)
}

pub(in crate::services::email) fn not_done(_: NotDone) -> ServiceError {
    broke()
}

fn broke() -> ServiceError {
    ServiceError::Broken("The mailbox could not be read.".to_owned())
}

fn unreadable(cause: std::io::Error) -> ServiceError {
    ServiceError::Refused(format!("Your mailbox cannot be read: {}. Nothing was changed.", why_not(&cause)))
}
