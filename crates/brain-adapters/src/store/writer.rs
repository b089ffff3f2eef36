//! Single writer: the one thread that writes.
//!
//! It takes all waiting batches and commits them together. When the disk fails, everyone of that group is told
//! that nothing was kept, and the writer sees to it that this is true: it opens the file again, and if the failed
//! commit did reach it, takes it back. Until that has worked, no batch is tried.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

use redb::Database;
use tokio::sync::{mpsc, oneshot, watch};

use super::Schema;
use super::fault::{damaged, disk, translate};
use super::group::{self, Answers, Prior};
use super::layout::REVISION_KEY;
use super::opening::{Opened, StoreSource, read_about};
use super::reading::StoreMoment;
use super::rewriting::{self, Old};
use super::touched::Touched;
use brain_core::limits;
use brain_core::ports::{Batch, Secondary, StoreError};

/// What is asked of the writer.
#[derive(Debug)]
pub(super) enum WriterJob {
    /// All changes or none.
    Commit { batch: Batch, done: oneshot::Sender<Result<u64, StoreError>> },
    /// A read failed: open the file again if it is needed.
    Heal { done: oneshot::Sender<Result<(), StoreError>> },
    /// Leave nothing in the file that is no longer in a record.
    Scrub { done: oneshot::Sender<Result<(), StoreError>> },
    /// Leave no more room in the file than its records take.
    Shrink { done: oneshot::Sender<Result<bool, StoreError>> },
    /// Finish what waits, then let go of the file.
    Close { done: oneshot::Sender<()> },
}

/// The database as readers see it: `None` while the disk fails, and after closing.
#[derive(Debug)]
pub(super) struct SharedDatabase {
    pub(super) source: StoreSource,
    /// What the store was opened with; all of its indexes are in the file.
    pub(super) schema: Schema,
    /// Lines of the change log up to this revision may go.
    pub(super) trim: AtomicU64,
    /// The last revision that may have a line.
    pub(super) changed: watch::Sender<u64>,
    pub(super) touched: Touched,
    database: RwLock<Option<Database>>,
    /// What readers hold of the file; those that are gone are forgotten with the next ones.
    moments: Mutex<Vec<Weak<StoreMoment>>>,
}

impl SharedDatabase {
    pub(super) fn new(source: StoreSource, schema: Schema, opened: Opened) -> Self {
        Self {
            source,
            schema,
            trim: AtomicU64::new(0),
            changed: watch::Sender::new(opened.revision),
            touched: Touched::default(),
            database: RwLock::new(Some(opened.database)),
            moments: Mutex::default(),
        }
    }

    pub(super) fn database(&self) -> RwLockReadGuard<'_, Option<Database>> {
        self.database.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A moment to read at, which does not outlive the file.
    pub(super) fn moment(&self) -> Arc<StoreMoment> {
        let moment = Arc::default();
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        moments.retain(|moment| moment.strong_count() > 0);
        moments.push(Arc::downgrade(&moment));
        moment
    }

    /// Waits for the reads under way and ends what is held for later ones, so that the old file is closed when this
    /// returns.
    fn replace(&self, database: Option<Database>) {
        let mut current = self.database.write().unwrap_or_else(PoisonError::into_inner);
        let moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        moments.iter().filter_map(Weak::upgrade).for_each(|moment| moment.end());
        *current = database;
    }
}

/// The writer's own state.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) shared: Arc<SharedDatabase>,
    /// The last revision given, also to a group that failed.
    pub(super) revision: u64,
    /// A group that failed, and may be in the file all the same.
    pub(super) doubtful: Option<Prior>,
}

/// The jobs of one round.
#[derive(Default)]
struct Round {
    batches: Vec<Batch>,
    committers: Vec<oneshot::Sender<Result<u64, StoreError>>>,
    healers: Vec<oneshot::Sender<Result<(), StoreError>>>,
    scrubbers: Vec<oneshot::Sender<Result<(), StoreError>>>,
    shrinkers: Vec<oneshot::Sender<Result<bool, StoreError>>>,
    closers: Vec<oneshot::Sender<()>>,
}

impl Round {
    fn add(&mut self, job: WriterJob) {
        match job {
            WriterJob::Commit { batch, done } => {
                self.batches.push(batch);
                self.committers.push(done);
            }
            WriterJob::Heal { done } => self.healers.push(done),
            WriterJob::Scrub { done } => self.scrubbers.push(done),
            WriterJob::Shrink { done } => self.shrinkers.push(done),
            WriterJob::Close { done } => self.closers.push(done),
        }
    }
}

impl Writer {
    /// Works until the store is closed or dropped.
    pub(super) fn run(mut self, mut queue: mpsc::Receiver<WriterJob>) {
        let mut closers = Vec::new();
        while let Some(job) = queue.blocking_recv() {
            let mut round = Round::default();
            round.add(job);
            while round.batches.len() < limits::STORE_GROUP_MAX {
                match queue.try_recv() {
                    Ok(job) => round.add(job),
                    Err(_) => break,
                }
            }
            if !round.closers.is_empty() {
                queue.close();
                closers.append(&mut round.closers);
            }
            self.work(round);
        }
        self.shared.replace(None);
        for done in closers {
            let _ = done.send(());
        }
    }

    /// Does one round. Whoever has stopped waiting gets no answer; the work is done all the same.
    fn work(&mut self, round: Round) {
        if !round.healers.is_empty() {
            let healed = self.heal();
            for done in round.healers {
                let _ = done.send(healed.clone());
            }
        }
        if !round.batches.is_empty() {
            match self.commit(&round.batches) {
                Ok(answers) => {
                    for (done, answer) in round.committers.into_iter().zip(answers) {
                        let _ = done.send(answer);
                    }
                }
                Err(cause) => {
                    for done in round.committers {
                        let _ = done.send(Err(cause.clone()));
                    }
                }
            }
        }
        if !round.scrubbers.is_empty() {
            let purged = self.rewrite(Old::Overwritten).map(|_| ());
            for done in round.scrubbers {
                let _ = done.send(purged.clone());
            }
        }
        if !round.shrinkers.is_empty() {
            let shrunk = self.rewrite(Old::LetGo);
            for done in round.shrinkers {
                let _ = done.send(shrunk.clone());
            }
        }
    }

    /// Writes the file anew; false when that was of no use. Readers go on with the old one until the new one has its
    /// place.
    fn rewrite(&mut self, old: Old) -> Result<bool, StoreError> {
        self.settle()?;
        let path = self.shared.source.path.clone();
        let attempt = || {
            let guard = self.shared.database();
            let database = guard.as_ref().ok_or_else(|| disk(&path, "it is not open"))?;
            rewriting::copy(&path, database)
        };
        let copy = catch_unwind(AssertUnwindSafe(attempt))
            .unwrap_or_else(|_| Err(damaged(&path, "writing it anew failed unexpectedly")))?;
        if old == Old::LetGo && !copy.is_smaller_than(&path) {
            copy.drop_unused(&path);
            return Ok(false);
        }
        copy.take_place(&path, old, |database| self.shared.replace(Some(database)))?;
        Ok(true)
    }

    fn commit(&mut self, batches: &[Batch]) -> Result<Answers, StoreError> {
        self.settle()?;
        let mut prior = Prior::after(self.revision);
        let attempt = self.attempt(batches, &mut prior);
        self.revision = prior.revision;
        if let Ok(answers) = &attempt {
            self.tell(batches, answers);
        }
        if attempt.is_err() {
            self.doubtful = Some(prior);
            self.shared.replace(None);
            if let Err(cause) = self.settle() {
                tracing::error!(%cause, "the store cannot be opened again yet");
            }
        }
        attempt
    }

    /// Lets the followers of the change log know.
    fn tell(&self, batches: &[Batch], answers: &Answers) {
        let schema = &self.shared.schema;
        let mut last = None;
        for (batch, answer) in batches.iter().zip(answers) {
            let Ok(revision) = answer else { continue };
            let followed = || batch.changes.iter().filter(|change| schema.followed.contains(&change.table));
            if followed().next().is_some() {
                self.shared.touched.note(*revision, followed().map(|change| (change.table, &change.key)));
                last = last.max(Some(*revision));
            }
        }
        if let Some(last) = last {
            self.shared.changed.send_replace(last);
        }
    }

    fn attempt(&self, batches: &[Batch], prior: &mut Prior) -> Result<Answers, StoreError> {
        let path = &self.shared.source.path;
        let guard = self.shared.database();
        let Some(database) = guard.as_ref() else {
            return Err(disk(path, "it is not open"));
        };
        let trim = self.shared.trim.load(Ordering::Relaxed);
        match catch_unwind(AssertUnwindSafe(|| group::commit(database, &self.shared.schema, batches, trim, prior))) {
            Ok(Ok(answers)) => Ok(answers),
            Ok(Err(cause)) => Err(translate(path, &cause)),
            Err(_) => Err(damaged(path, "writing to it failed unexpectedly")),
        }
    }

    /// Opens the file again if redb has given it up.
    fn heal(&mut self) -> Result<(), StoreError> {
        let usable = self.shared.database().as_ref().is_some_and(|database| database.begin_write().is_ok());
        if !usable {
            self.shared.replace(None);
        }
        self.settle()
    }

    /// Makes sure that the file is open and holds nothing whose callers were told that it failed.
    fn settle(&mut self) -> Result<(), StoreError> {
        if self.shared.database().is_some() {
            return Ok(());
        }
        let Opened { database, revision } = self.shared.source.open()?;
        if let Some(prior) = &self.doubtful {
            take_back_if_kept(&database, &self.shared.schema.indexes, prior)
                .map_err(|cause| translate(&self.shared.source.path, &cause))?;
        }
        self.doubtful = None;
        self.revision = self.revision.max(revision);
        self.shared.replace(Some(database));
        Ok(())
    }
}

fn take_back_if_kept(database: &Database, indexes: &[&'static Secondary], prior: &Prior) -> Result<(), redb::Error> {
    match read_about(database, REVISION_KEY)? {
        Some(kept) if kept >= prior.revision => group::take_back(database, indexes, prior),
        Some(_) | None => Ok(()),
    }
}
