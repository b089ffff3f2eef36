//! Threads of their own for work on mail files, so that no other work waits behind it.
//!
//! ```text
//! short work (a turn waits for it)   ─► taken before any long work; people in turn, each in order
//! long work  (slices of an indexing) ─► likewise
//! ```
//! Invariants: a person's thousand pieces delay another's one by one piece a thread at most; work that panics ends
//! itself and nothing else; threads end with the pool, and there are none before the first work.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use brain_core::core::ids::UserId;
use brain_core::limits::MAIL_THREADS_MAX;

/// Whether somebody waits for a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// A turn does.
    Short,
    /// Part of something that takes its time.
    Long,
}

/// The work was not done: it panicked, or no thread could be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotDone;

/// Threads of their own for work on mail files; there are none before the first work.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads_max: usize,
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    wake: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queues {
    short: Lane,
    long: Lane,
    threads: usize,
    idle: usize,
    closed: bool,
}

/// People in turn, and what waits for each.
#[derive(Default)]
struct Lane {
    turn: VecDeque<UserId>,
    waiting: HashMap<UserId, VecDeque<Job>>,
}

impl Lane {
    fn push(&mut self, owner: &UserId, job: Job) {
        let queue = self.waiting.entry(owner.clone()).or_default();
        if queue.is_empty() {
            self.turn.push_back(owner.clone());
        }
        queue.push_back(job);
    }

    fn pop(&mut self) -> Option<Job> {
        let owner = self.turn.pop_front()?;
        let queue = self.waiting.get_mut(&owner)?;
        let job = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&owner);
        } else {
            self.turn.push_back(owner);
        }
        job
    }
}

impl Pool {
    /// With half of the processors, so that turns have the others.
    pub fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::of((processors / 2).clamp(1, MAIL_THREADS_MAX))
    }

    fn of(threads_max: usize) -> Self {
        Self { shared: Arc::default(), threads_max }
    }

    /// How many pieces can be worked on at a time.
    pub fn width(&self) -> usize {
        self.threads_max
    }

    /// Does a piece of somebody's work. Work that has begun goes on to its end, whoever still waits for it.
    pub async fn run<T: Send + 'static>(
        &self,
        owner: &UserId,
        haste: Haste,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let (tell, done) = oneshot::channel();
        let job: Job = Box::new(move || {
            let _ = tell.send(work());
        });
        self.push(owner, haste, job);
        done.await.map_err(|_| NotDone)
    }

    fn push(&self, owner: &UserId, haste: Haste, job: Job) {
        let mut queues = self.shared.lock();
        match haste {
            Haste::Short => queues.short.push(owner, job),
            Haste::Long => queues.long.push(owner, job),
        }
        if queues.idle == 0 && queues.threads < self.threads_max {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("mail".to_owned()).spawn(move || shared.work());
            match thread {
                Ok(_) => queues.threads += 1,
                Err(error) if queues.threads == 0 => {
                    tracing::error!(%error, "no thread for mail");
                    // Whoever waits is told by the end of their channel.
                    *queues = Queues::default();
                }
                Err(_) => {}
            }
        }
        self.shared.wake.notify_one();
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!("work on mail broke");
            }
            // Turns go first where processors are short.
            std::thread::yield_now();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queues = self.lock();
        loop {
            if queues.closed {
                return None;
            }
            if let Some(job) = queues.short.pop().or_else(|| queues.long.pop()) {
                return Some(job);
            }
            queues.idle += 1;
            queues = self.wake.wait(queues).unwrap_or_else(PoisonError::into_inner);
            queues.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// What one thread does of pieces that were put in while it was busy, in the order it does them.
    fn order(pieces: &[(&'static str, Haste, &'static str)]) -> Vec<&'static str> {
        let pool = Pool::of(1);
        let (free, busy) = mpsc::channel::<()>();
        pool.push(&UserId::new("first"), Haste::Long, Box::new(move || _ = busy.recv()));
        let (done, seen) = mpsc::channel();
        for &(owner, haste, piece) in pieces {
            let done = done.clone();
            pool.push(&UserId::new(owner), haste, Box::new(move || _ = done.send(piece)));
        }
        drop(done);
        free.send(()).unwrap();
        pieces.iter().map(|_| seen.recv().unwrap()).collect()
    }

    #[test]
    fn people_are_served_in_turn_whoever_has_more() {
        use Haste::Long;
        let pieces = [
            ("anna", Long, "a1"),
            ("anna", Long, "a2"),
            ("anna", Long, "a3"),
            ("bob", Long, "b1"),
            ("bob", Long, "b2"),
        ];
        assert_eq!(order(&pieces), ["a1", "b1", "a2", "b2", "a3"]);
    }

    #[test]
    fn a_short_question_overtakes_an_indexing_also_ones_own() {
        use Haste::{Long, Short};
        let pieces = [("anna", Long, "a1"), ("anna", Long, "a2"), ("anna", Short, "asks"), ("bob", Short, "too")];
        assert_eq!(order(&pieces), ["asks", "too", "a1", "a2"]);
    }

    #[tokio::test]
    async fn work_that_panics_ends_alone() {
        let pool = Pool::of(1);
        let anna = UserId::new("anna");
        assert_eq!(pool.run(&anna, Haste::Short, || panic!("a broken mail")).await.map(|(): ()| 1), Err(NotDone));
        assert_eq!(pool.run(&anna, Haste::Short, || 2).await, Ok(2));
    }
}
