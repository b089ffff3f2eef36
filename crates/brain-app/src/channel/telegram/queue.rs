//! Two lines a chat, one of messages and one of presses: order within each, none between them or between chats.
//!
//! A line has a worker while it has something to do. Invariants: jobs of a line run one after another, in the order in
//! which they came, until one lets the others pass: it then goes on beside its line; a slow chat delays no other (up to
//! the number of turns that run at once), and its messages no press; a line has an end; after [`ChatQueues::stop`] no
//! job begins. What a job does, and that it never panics, is its own business. What overtakes even presses has no line.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use brain_core::core::ids::ChatId;
use brain_core::limits;

type JobWork<J> = dyn Fn(J, WaitingRest<J>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Which of a chat's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatLane {
    /// Of what is said.
    Messages,
    /// Of what is pressed: a second tap finds what the first has done.
    Presses,
}

type QueueKey = (ChatId, ChatLane);

/// The lines of all chats.
pub struct ChatQueues<J> {
    lines: Mutex<HashMap<QueueKey, JobLine<J>>>,
    work: Box<JobWork<J>>,
    turns: Semaphore,
    overtakers: Semaphore,
    /// Jobs that have let the others of their line pass.
    beside: Arc<Semaphore>,
    tasks: TaskTracker,
    /// No new job begins.
    stopping: CancellationToken,
    /// What still runs is dropped.
    over: CancellationToken,
}

impl<J> std::fmt::Debug for ChatQueues<J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queues").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

struct JobLine<J> {
    waiting: VecDeque<J>,
    /// Whether the person knows that the line is full; until there is room again.
    told: bool,
    arrived: Arc<Notify>,
}

/// What waits behind a job in its line, for jobs that may take the next one along.
#[derive(Debug)]
pub struct WaitingRest<J> {
    queues: Arc<ChatQueues<J>>,
    /// None for jobs that overtake.
    line: Option<(QueueKey, Arc<Notify>)>,
    passes: Arc<Notify>,
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

impl<J: Send + 'static> WaitingRest<J> {
    /// Takes the first job that `belongs`, wherever it stands; else the very next one, if it `follows`.
    pub fn take(&self, belongs: impl Fn(&J) -> bool, follows: impl Fn(&J) -> bool) -> Next<J> {
        let Some((key, _)) = &self.line else { return Next::Nobody };
        let mut lines = self.queues.lines();
        let Some(line) = lines.get_mut(key) else { return Next::Nobody };
        let fitting =
            line.waiting.iter().position(belongs).or_else(|| line.waiting.front().is_some_and(follows).then_some(0));
        match fitting.and_then(|at| line.waiting.remove(at)) {
            Some(job) => Next::Taken(job),
            None if line.waiting.is_empty() => Next::Nobody,
            None => Next::Other,
        }
    }

    /// Puts a job at the end of another chat's line of messages, which takes it in any case.
    pub fn hand_over(&self, chat: &ChatId, job: J) {
        // A promised place is always given.
        let _ = self.queues.push(chat, ChatLane::Messages, job, Entrance::Promised);
    }

    /// To be notified when the next job of the line may begin though this one has not ended.
    pub fn lets_pass(&self) -> Arc<Notify> {
        Arc::clone(&self.passes)
    }

    /// Waits until another job has come; never for jobs that overtake.
    pub async fn arrival(&self) {
        match &self.line {
            Some((_, arrived)) => arrived.notified().await,
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
    /// Whether it is the first since there was room.
    pub first: bool,
}

impl<J: Send + 'static> ChatQueues<J> {
    /// Lines whose jobs are done by `work`.
    pub fn new<F>(work: impl Fn(J, WaitingRest<J>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self {
            lines: Mutex::default(),
            work: Box::new(move |job, rest| Box::pin(work(job, rest))),
            turns: Semaphore::new(limits::CONCURRENT_TURNS_MAX),
            overtakers: Semaphore::new(limits::OVERTAKERS_MAX),
            beside: Arc::new(Semaphore::new(limits::JOBS_BESIDE_MAX)),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            over: CancellationToken::new(),
        }
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<QueueKey, JobLine<J>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job at the end of its chat's line.
    pub fn push(self: &Arc<Self>, chat: &ChatId, lane: ChatLane, job: J, entrance: Entrance) -> Result<(), Full<J>> {
        let key = (chat.clone(), lane);
        let mut lines = self.lines();
        if let Some(line) = lines.get_mut(&key) {
            if entrance == Entrance::IfRoom && line.waiting.len() >= limits::CHAT_QUEUE_MAX {
                let first = !std::mem::replace(&mut line.told, true);
                return Err(Full { job, first });
            }
            line.waiting.push_back(job);
            line.arrived.notify_one();
            return Ok(());
        }
        let arrived = Arc::new(Notify::new());
        lines.insert(key.clone(), JobLine { waiting: VecDeque::new(), told: false, arrived: arrived.clone() });
        drop(lines);
        self.tasks.spawn(Arc::clone(self).work_off(key, job, arrived));
        Ok(())
    }

    async fn work_off(self: Arc<Self>, key: QueueKey, first: J, arrived: Arc<Notify>) {
        let permits = match key.1 {
            ChatLane::Messages => &self.turns,
            ChatLane::Presses => &self.overtakers,
        };
        let mut next = Some(first);
        while let Some(job) = next {
            let permit = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                permit = permits.acquire() => permit,
            };
            // Nothing joins a press.
            let line = (key.1 == ChatLane::Messages).then(|| (key.clone(), Arc::clone(&arrived)));
            let passes = Arc::new(Notify::new());
            let rest = WaitingRest { queues: Arc::clone(&self), line, passes: Arc::clone(&passes) };
            let mut working = (self.work)(job, rest);
            let place = tokio::select! {
                biased;
                () = self.over.cancelled() => return,
                () = &mut working => None,
                place = self.place_beside(&passes) => place,
            };
            if let Some(place) = place {
                self.aside(async move {
                    working.await;
                    drop(place);
                });
            }
            drop(permit);
            next = self.next(&key);
        }
    }

    /// Waits until a job lets the others pass and there is room beside the lines; as long as there is none, it keeps
    /// its own line waiting.
    async fn place_beside(&self, passes: &Notify) -> Option<OwnedSemaphorePermit> {
        passes.notified().await;
        Arc::clone(&self.beside).acquire_owned().await.ok()
    }

    /// The next job of a line; one that is empty is taken down.
    fn next(&self, key: &QueueKey) -> Option<J> {
        let mut lines = self.lines();
        let line = lines.get_mut(key)?;
        let job = line.waiting.pop_front();
        line.told &= line.waiting.len() >= limits::CHAT_QUEUE_MAX;
        if job.is_none() {
            lines.remove(key);
        }
        job
    }

    /// Does a job at once, beside the lines.
    pub fn overtake(self: &Arc<Self>, job: J) {
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let work = async {
                let _permit = this.overtakers.acquire().await;
                (this.work)(job, WaitingRest { queues: Arc::clone(&this), line: None, passes: Arc::default() }).await;
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
