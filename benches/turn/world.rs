//! The program as it is put together for its users, with three parts that keep books: the store (time spent in
//! commits), the model (what was asked) and the channel (when the answer was shown).

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use brain_agent::app::{self, Parts};
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::core::ids::{ChatId, MessageId, RunId, UserId};
use brain_agent::core::markup::Formatted;
use brain_agent::core::turn::{Done, Edit, Incoming, Input, Origin, Reply};
use brain_agent::pipeline::brain::Brain;
use brain_agent::pipeline::handle_turn;
use brain_agent::ports::{
    Batch, Call, ChangeLog, Channel, Completion, Key, Model, ModelError, Planning, Reader, Scan, SendError, Snapshot,
    Store, StoreError, Stored, Table, Wording,
};
use brain_agent::store::MemoryStore;
use tokio::sync::mpsc::UnboundedSender;

/// Where things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Nowhere: what a turn costs without commits.
    Memory,
    /// In the real store, on disk.
    Disk,
}

pub struct World {
    pub brain: Brain,
    pub store: Arc<BookStore>,
    pub asked: Arc<Recorder>,
    channel: Arc<QuietChannel>,
    turns: AtomicU64,
    folder: tempfile::TempDir,
}

/// A turn that was timed.
#[derive(Debug, Clone)]
pub struct Timed {
    pub done: Done,
    /// From the message until its answer was shown.
    pub shown: Duration,
    /// Of that, in commits.
    pub committing: Duration,
    /// Commits until then.
    pub commits: usize,
    /// Begin and end, microseconds since the UNIX epoch, as the endpoint's log has them.
    pub from_us: u64,
    pub to_us: u64,
}

impl World {
    pub async fn new(url: &str, keeping: Keeping) -> Self {
        let folder = crate::folder();
        let inner: Arc<dyn Store> = match keeping {
            Keeping::Memory => Arc::new(MemoryStore::new()),
            Keeping::Disk => app::open_store(folder.path()).await.expect("a store"),
        };
        let store = Arc::new(BookStore { inner, commits: Mutex::default() });
        let channel = Arc::new(QuietChannel::default());
        let env = [
            ("LLM_BASE_URL", url),
            ("LLM_API_KEY", "bench"),
            ("LLM_MODEL", "simulated"),
            ("BRAIN_TIMEZONE", "Europe/Berlin"),
        ];
        let env = env.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let config = Config::parse(env, Vec::new()).expect("a configuration");
        let parts = Parts {
            store: store.clone(),
            data_dir: folder.path().to_owned(),
            clock: Arc::new(SystemClock::new()),
            channel: channel.clone(),
            zone: None,
        };
        let mut brain = app::build(&config, parts).expect("a brain");
        let asked = Arc::new(Recorder { inner: brain.model.take().expect("a model"), calls: Mutex::default() });
        brain.model = Some(asked.clone());
        // Every path is measured with all its calls; what skipping one saves has rows of its own.
        brain.policy.skip_router = false;
        brain.policy.skip_planner = false;
        brain.policy.planning = Planning::Whole;
        brain.policy.wording = Wording::Always;
        Self { brain, store, asked, channel, turns: AtomicU64::new(0), folder }
    }

    /// Where its files are.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn chat(user: &str) -> ChatId {
        ChatId::new(format!("console:{user}"))
    }

    /// A message, as it comes in.
    pub fn message(&self, user: &str, text: &str) -> Incoming {
        Incoming {
            turn: RunId::new(format!("bench-{}", self.turns.fetch_add(1, Ordering::SeqCst))),
            user: UserId::new(user),
            chat: Self::chat(user),
            message_id: self.channel.next_id(),
            at: self.brain.clock.now(),
            input: Input::Message { text: text.to_owned(), origin: Origin::Typed, reply_to: None },
            inbox: None,
            parts: Vec::new(),
            quote: None,
        }
    }

    /// One turn, alone.
    pub async fn say(&self, user: &str, text: &str) -> Timed {
        let incoming = self.message(user, text);
        self.store.commits.lock().unwrap().clear();
        *self.channel.last_shown.lock().unwrap() = None;
        let from_us = unix_us();
        let began = Instant::now();
        let done = handle_turn(&self.brain, &incoming).await;
        let to_us = unix_us();
        let shown_at = self.channel.last_shown.lock().unwrap().expect("an answer");
        let commits = self.store.commits.lock().unwrap();
        let before: Vec<Duration> = commits.iter().filter(|(at, _)| *at < shown_at).map(|(_, took)| *took).collect();
        Timed { done, shown: shown_at - began, committing: before.iter().sum(), commits: before.len(), from_us, to_us }
    }
}

pub fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Shows nothing, and notes when it would have.
#[derive(Debug, Default)]
struct QuietChannel {
    last_id: AtomicI64,
    last_shown: Mutex<Option<Instant>>,
}

impl QuietChannel {
    fn next_id(&self) -> MessageId {
        MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

#[async_trait]
impl Channel for QuietChannel {
    async fn typing(&self, _: &ChatId) {}

    async fn status(&self, _: &ChatId, _: &str) {}

    fn shows_drafts(&self, _: &ChatId) -> bool {
        false
    }

    async fn draft(&self, _: &ChatId, _: &Formatted) {}

    async fn send(&self, _: &ChatId, _: &Reply) -> Result<MessageId, SendError> {
        *self.last_shown.lock().unwrap() = Some(Instant::now());
        Ok(self.next_id())
    }

    async fn edit(&self, _: &ChatId, _: &Edit) -> Result<(), SendError> {
        Ok(())
    }

    fn try_again(&self, _: &ChatId) {}
}

/// A store that notes how long each commit took.
#[derive(Debug)]
pub struct BookStore {
    inner: Arc<dyn Store>,
    commits: Mutex<Vec<(Instant, Duration)>>,
}

#[async_trait]
impl Reader for BookStore {
    async fn get(&self, table: Table, key: &Key) -> Result<Option<Stored>, StoreError> {
        self.inner.get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.inner.scan(scan).await
    }

    async fn set_aside(&self, noted: Batch) -> Result<(), StoreError> {
        self.commit(noted).await.map(|_| ())
    }
}

#[async_trait]
impl Store for BookStore {
    async fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::of(self))
    }

    async fn commit(&self, batch: Batch) -> Result<u64, StoreError> {
        let began = Instant::now();
        let revision = self.inner.commit(batch).await;
        self.commits.lock().unwrap().push((began, began.elapsed()));
        revision
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

/// The real client, and what it was asked.
#[derive(Debug)]
pub struct Recorder {
    inner: Arc<dyn Model>,
    calls: Mutex<Vec<Call>>,
}

impl Recorder {
    /// The calls since the last time.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// The client itself.
    pub fn client(&self) -> Arc<dyn Model> {
        self.inner.clone()
    }
}

#[async_trait]
impl Model for Recorder {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        self.calls.lock().unwrap().push(call.clone());
        self.inner.complete(call, words).await
    }
}
