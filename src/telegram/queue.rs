//! One line a chat: order within it, none between chats.
//!
//! A chat has a worker while it has something to do. Invariants: jobs of a chat run one after another, in the
//! order in which they came; a slow chat delays no other (up to the number of turns that run at once); a line
//! has an end; after [`Queues::stop`] no job begins. What a job does, and that it never panics, is its own
//! business. Overtaking jobs have no line.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::core::ids::ChatId;
use crate::limits;

type Work<J> = dyn Fn(J, Rest<J>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// The lines of all chats.
pub struct Queues<J> {
    lines: Mutex<HashMap<ChatId, Line<J>>>,
    work: Box<Work<J>>,
    turns: Semaphore,
    overtakers: Semaphore,
    tasks: TaskTracker,
    /// No new job begins.
    stopping: CancellationToken,
    /// What still runs is dropped.
    over: CancellationToken,
}

impl<J> std::fmt::Debug for Queues<J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queues").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

struct Line<J> {
    waiting: VecDeque<J>,
    /// Whether the person knows that the line is full.
    told: bool,
    arrived: Arc<Notify>,
}

/// What waits behind a job in its line, for jobs that may take the next one along.
#[derive(Debug)]
pub struct Rest<J> {
    /// None for jobs that overtake.
    line: Option<(Arc<Queues<J>>, ChatId, Arc<Notify>)>,
}

/// What stands behind a job.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<J> {
    /// This one fitted, and is out of the line.
    Taken(J),
    /// Something that has to wait.
    Other,
    /// Nothing.
    Nobody,
}

impl<J: Send + 'static> Rest<J> {
    /// Takes the first job that `belongs`, wherever it stands; else the very next one, if it `follows`.
    pub fn take(&self, belongs: impl Fn(&J) -> bool, follows: impl Fn(&J) -> bool) -> Next<J> {
        let Some((queues, chat, _)) = &self.line else { return Next::Nobody };
        let mut lines = queues.lines();
        let Some(line) = lines.get_mut(chat) else { return Next::Nobody };
        let fitting =
            line.waiting.iter().position(belongs).or_else(|| line.waiting.front().is_some_and(follows).then_some(0));
        match fitting.and_then(|at| line.waiting.remove(at)) {
            Some(job) => Next::Taken(job),
            None if line.waiting.is_empty() => Next::Nobody,
            None => Next::Other,
        }
    }

    /// Puts a job at the end of another chat's line, which takes it in any case.
    pub fn hand_over(&self, chat: &ChatId, job: J) {
        if let Some((queues, _, _)) = &self.line {
            // A promised place is always given.
            let _ = queues.push(chat, job, Entrance::Promised);
        }
    }

    /// Waits until another job has come; never for jobs that overtake.
    pub async fn arrival(&self) {
        match &self.line {
            Some((_, _, arrived)) => arrived.notified().await,
            None => std::future::pending().await,
        }
    }
}

/// How a job gets into the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entrance {
    /// Only if there is room.
    IfRoom,
    /// Always: it was promised a place before a restart.
    Promised,
}

/// There was no room.
#[derive(Debug, PartialEq, Eq)]
pub struct Full<J> {
    /// The job that was not taken.
    pub job: J,
    /// Whether it is the first since the line was empty.
    pub first: bool,
}

impl<J: Send + 'static> Queues<J> {
    /// Lines whose jobs are done by `work`.
    pub fn new<F>(work: impl Fn(J, Rest<J>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self {
            lines: Mutex::default(),
            work: Box::new(move |job, rest| Box::pin(work(job, rest))),
            turns: Semaphore::new(limits::CONCURRENT_TURNS_MAX),
            overtakers: Semaphore::new(limits::OVERTAKERS_MAX),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            over: CancellationToken::new(),
        }
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<ChatId, Line<J>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job at the end of its chat's line.
    pub fn push(self: &Arc<Self>, chat: &ChatId, job: J, entrance: Entrance) -> Result<(), Full<J>> {
        let mut lines = self.lines();
        if let Some(line) = lines.get_mut(chat) {
            if entrance == Entrance::IfRoom && line.waiting.len() >= limits::CHAT_QUEUE_MAX {
                let first = !std::mem::replace(&mut line.told, true);
                return Err(Full { job, first });
            }
            line.waiting.push_back(job);
            line.arrived.notify_one();
            return Ok(());
        }
        let arrived = Arc::new(Notify::new());
        lines.insert(chat.clone(), Line { waiting: VecDeque::new(), told: false, arrived: arrived.clone() });
        drop(lines);
        self.tasks.spawn(Arc::clone(self).work_off(chat.clone(), job, arrived));
        Ok(())
    }

    async fn work_off(self: Arc<Self>, chat: ChatId, first: J, arrived: Arc<Notify>) {
        let mut next = Some(first);
        while let Some(job) = next {
            let permit = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                permit = self.turns.acquire() => permit,
            };
            let rest = Rest { line: Some((Arc::clone(&self), chat.clone(), Arc::clone(&arrived))) };
            tokio::select! {
                biased;
                () = self.over.cancelled() => return,
                () = (self.work)(job, rest) => {}
            }
            drop(permit);
            next = self.next(&chat);
        }
    }

    /// The chat's next job; a line that is empty is taken down.
    fn next(&self, chat: &ChatId) -> Option<J> {
        let mut lines = self.lines();
        let job = lines.get_mut(chat).and_then(|line| line.waiting.pop_front());
        if job.is_none() {
            lines.remove(chat);
        }
        job
    }

    /// Does a job at once, beside the line.
    pub fn overtake(self: &Arc<Self>, job: J) {
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let work = async {
                let _permit = this.overtakers.acquire().await;
                (this.work)(job, Rest { line: None }).await;
            };
            tokio::select! {
                biased;
                () = this.over.cancelled() => {}
                () = work => {}
            }
        });
    }

    /// Something small that belongs to no line; it ends with the queues.
    pub fn aside(&self, task: impl Future<Output = ()> + Send + 'static) {
        let over = self.over.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = over.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// Begins nothing more, lets what runs finish within `limit`, then drops it. True when all of it finished.
    pub async fn stop(&self, limit: Duration) -> bool {
        self.stopping.cancel();
        self.tasks.close();
        let finished = tokio::time::timeout(limit, self.tasks.wait()).await.is_ok();
        self.over.cancel();
        self.tasks.wait().await;
        finished
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
