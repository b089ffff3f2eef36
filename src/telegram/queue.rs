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

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::core::ids::ChatId;
use crate::limits;

type Work<J> = dyn Fn(J) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

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
    pub fn new<F>(work: impl Fn(J) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self {
            lines: Mutex::default(),
            work: Box::new(move |job| Box::pin(work(job))),
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
            return Ok(());
        }
        lines.insert(chat.clone(), Line { waiting: VecDeque::new(), told: false });
        drop(lines);
        self.tasks.spawn(Arc::clone(self).work_off(chat.clone(), job));
        Ok(())
    }

    async fn work_off(self: Arc<Self>, chat: ChatId, first: J) {
        let mut next = Some(first);
        while let Some(job) = next {
            let permit = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                permit = self.turns.acquire() => permit,
            };
            tokio::select! {
                biased;
                () = self.over.cancelled() => return,
                () = (self.work)(job) => {}
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
                (this.work)(job).await;
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
