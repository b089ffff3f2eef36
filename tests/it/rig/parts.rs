//! What the rig is made of: each implements a port, and remembers what went through it.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::core::ids::{ChatId, MessageId};
use brain_agent::core::markup::Formatted;
use brain_agent::core::pending::{Instants, Monotonic};
use brain_agent::core::plan::Action;
use brain_agent::core::turn::{Edit, Reply};
use brain_agent::ports::{
    Batch, Call, ChangeLog, Channel, Clock, Completion, Key, Model, ModelError, Reader, Scan, SendError, Snapshot,
    Stage, Store, StoreError, Stored, Table, Usage,
};
use brain_agent::store::MemoryStore;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

/// Something that happened, in the order it did.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a test holds few of them")]
pub enum Event {
    /// A batch became durable.
    Committed(Batch),
    /// A service was told to act.
    Performed { action: Action, key: String, owner: String },
    /// A message reached a person.
    Shown(Shown),
}

/// Everything that happened.
#[derive(Debug, Default)]
pub struct Log(Mutex<Vec<Event>>, tokio::sync::Notify);

impl Log {
    pub(super) fn add(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }

    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until a service has been told to act.
    pub async fn begins(&self) {
        while !self.events().iter().any(|event| matches!(event, Event::Performed { .. })) {
            tokio::task::yield_now().await;
        }
    }

    /// A mail is held until it is let go.
    pub(super) async fn is_held(&self) {
        self.1.notified().await;
    }

    /// The mail server that holds a mail takes it now; see [`Sending::Held`].
    pub fn lets_go(&self) {
        self.1.notify_one();
    }

    /// What happened since the last taking.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    pub fn forget(&self) {
        self.0.lock().unwrap().clear();
    }
}

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

    /// It can again.
    pub fn works(&self) {
        *self.twist.lock().unwrap() = None;
        *self.refusal.lock().unwrap() = None;
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
        self.inner.get(table, key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<(Key, Stored)>, StoreError> {
        self.lets_others_go_first().await;
        self.inner.scan(scan).await
    }

    async fn count(&self, scan: Scan) -> Result<usize, StoreError> {
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
        let revision = self.inner.commit(batch.clone()).await?;
        self.log.add(Event::Committed(batch));
        Ok(revision)
    }

    async fn give_back(&self) -> Result<bool, StoreError> {
        self.inner.give_back().await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        self.inner.scrub().await
    }

    fn change_log(&self) -> &dyn ChangeLog {
        self.inner.change_log()
    }
}

/// Both clocks, each moved by hand.
#[derive(Debug)]
pub struct HandClock(Mutex<Instants>);

impl HandClock {
    pub fn at(now: DateTime<Utc>) -> Self {
        let monotonic = Monotonic { boot: "first boot".to_owned(), ms: 1_000_000 };
        Self(Mutex::new(Instants { now, monotonic }))
    }

    /// Time passes.
    pub fn go_on(&self, by: chrono::Duration) {
        self.set_wall(by);
        self.set_monotonic(by);
    }

    /// Somebody sets the wall clock.
    pub fn set_wall(&self, by: chrono::Duration) {
        self.0.lock().unwrap().now += by;
    }

    /// Time passes, but the wall clock was held.
    pub fn set_monotonic(&self, by: chrono::Duration) {
        self.0.lock().unwrap().monotonic.ms += u64::try_from(by.num_milliseconds()).unwrap();
    }

    /// The machine starts anew: the monotonic clock begins at nothing.
    pub fn reboots(&self) {
        self.0.lock().unwrap().monotonic = Monotonic { boot: "second boot".to_owned(), ms: 0 };
    }
}

#[async_trait]
impl Clock for HandClock {
    fn instants(&self) -> Instants {
        self.0.lock().unwrap().clone()
    }

    async fn sleep_until(&self, _: DateTime<Utc>) {
        std::future::pending::<()>().await;
    }
}

/// A message as it arrived.
#[derive(Debug, Clone)]
pub struct Shown {
    pub chat: ChatId,
    pub id: MessageId,
    pub reply: Reply,
}

/// A chat that remembers.
#[derive(Debug)]
pub struct RecordingChannel {
    log: Arc<Log>,
    shown: Mutex<Vec<Shown>>,
    edits: Mutex<Vec<Edit>>,
    last_id: AtomicI64,
    /// So many messages still arrive; negative: all of them.
    arrives: AtomicI64,
    /// Chats whose messages are on their way for as long as they stand here.
    hanging: watch::Sender<BTreeSet<ChatId>>,
    /// Messages on their way to them.
    on_their_way: AtomicUsize,
    /// Chats in which sending breaks.
    broken: Mutex<BTreeSet<ChatId>>,
    /// Chats that it was asked to come back to.
    again: Mutex<Vec<ChatId>>,
    /// What was said while a turn worked, and when.
    statuses: Mutex<Vec<(tokio::time::Instant, String)>>,
    typed: Mutex<Vec<tokio::time::Instant>>,
    /// `None`: answers do not grow.
    drafts: Mutex<Option<Vec<(tokio::time::Instant, String)>>>,
}

/// A message on its way, or given up.
struct OnItsWay<'a>(&'a AtomicUsize);

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl RecordingChannel {
    pub fn new(log: Arc<Log>) -> Self {
        Self {
            log,
            shown: Mutex::default(),
            edits: Mutex::default(),
            last_id: AtomicI64::new(0),
            arrives: AtomicI64::new(-1),
            hanging: watch::Sender::default(),
            on_their_way: AtomicUsize::new(0),
            broken: Mutex::default(),
            again: Mutex::default(),
            statuses: Mutex::default(),
            typed: Mutex::default(),
            drafts: Mutex::default(),
        }
    }

    /// From now on answers grow before they are sent.
    pub fn grows_answers(&self) {
        self.drafts.lock().unwrap().get_or_insert_default();
    }

    /// Growing answers, and when they were shown.
    pub fn drafts(&self) -> Vec<(tokio::time::Instant, String)> {
        self.drafts.lock().unwrap().clone().unwrap_or_default()
    }

    /// When it was shown that something is being written.
    pub fn typed(&self) -> Vec<tokio::time::Instant> {
        self.typed.lock().unwrap().clone()
    }

    /// Whatever is sent into this chat from now on runs into a bug of ours.
    pub fn breaks_in(&self, chat: &ChatId) {
        self.broken.lock().unwrap().insert(chat.clone());
    }

    /// The chats it was asked to come back to since the last look, each once.
    pub fn to_be_tried_again(&self) -> Vec<ChatId> {
        let mut chats = std::mem::take(&mut *self.again.lock().unwrap());
        chats.dedup();
        chats
    }

    /// It is mended.
    pub fn mended_in(&self, chat: &ChatId) {
        self.broken.lock().unwrap().remove(chat);
    }

    /// What is sent into this chat from now on neither arrives nor fails.
    pub fn hangs_in(&self, chat: &ChatId) {
        self.hanging.send_modify(|hanging| {
            hanging.insert(chat.clone());
        });
    }

    /// It arrives after all.
    pub fn lets_through(&self, chat: &ChatId) {
        self.hanging.send_modify(|hanging| {
            hanging.remove(chat);
        });
    }

    /// How many messages hang.
    pub fn on_their_way(&self) -> usize {
        self.on_their_way.load(Ordering::SeqCst)
    }

    async fn gets_through(&self, chat: &ChatId) {
        self.on_their_way.fetch_add(1, Ordering::SeqCst);
        let _one = OnItsWay(&self.on_their_way);
        self.hanging.subscribe().wait_for(|hanging| !hanging.contains(chat)).await.unwrap();
    }

    /// The network breaks after so many messages; `None`: it works.
    pub fn breaks_after(&self, messages: Option<i64>) {
        self.arrives.store(messages.unwrap_or(-1), Ordering::SeqCst);
    }

    pub fn next_id(&self) -> MessageId {
        MessageId(self.last_id.fetch_add(1, Ordering::SeqCst) + 1)
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.shown.lock().unwrap().len(), self.edits.lock().unwrap().len())
    }

    pub fn since(&self, shown: usize, edits: usize) -> (Vec<Shown>, Vec<Edit>) {
        (self.shown.lock().unwrap()[shown..].to_vec(), self.edits.lock().unwrap()[edits..].to_vec())
    }

    /// What was said while turns worked, and how long after `began`.
    pub fn statuses(&self, began: tokio::time::Instant) -> Vec<(Duration, String)> {
        self.statuses.lock().unwrap().iter().map(|(at, text)| (*at - began, text.clone())).collect()
    }

    /// How a message was changed last.
    pub fn last_edit_of(&self, message: MessageId) -> Option<Edit> {
        self.edits.lock().unwrap().iter().rfind(|edit| edit.message == message).cloned()
    }

    pub fn all(&self) -> Vec<Shown> {
        self.shown.lock().unwrap().clone()
    }
}

#[async_trait]
impl Channel for RecordingChannel {
    async fn typing(&self, _: &ChatId) {
        self.typed.lock().unwrap().push(tokio::time::Instant::now());
    }

    async fn status(&self, _: &ChatId, text: &str) {
        self.statuses.lock().unwrap().push((tokio::time::Instant::now(), text.to_owned()));
    }

    fn shows_drafts(&self, _: &ChatId) -> bool {
        self.drafts.lock().unwrap().is_some()
    }

    async fn draft(&self, _: &ChatId, words: &Formatted) {
        if let Some(drafts) = self.drafts.lock().unwrap().as_mut() {
            drafts.push((tokio::time::Instant::now(), words.text.clone()));
        }
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        match self.arrives.load(Ordering::SeqCst) {
            0 => return Err(SendError::Later("the network is down".to_owned())),
            left if left > 0 => self.arrives.store(left - 1, Ordering::SeqCst),
            _ => {}
        }
        self.gets_through(chat).await;
        let is_broken = self.broken.lock().unwrap().contains(chat);
        assert!(!is_broken, "the bug of the test");
        let shown = Shown { chat: chat.clone(), id: self.next_id(), reply: reply.clone() };
        self.shown.lock().unwrap().push(shown.clone());
        let id = shown.id;
        self.log.add(Event::Shown(shown));
        Ok(id)
    }

    async fn edit(&self, _: &ChatId, edit: &Edit) -> Result<(), SendError> {
        self.edits.lock().unwrap().push(edit.clone());
        Ok(())
    }

    fn try_again(&self, chat: &ChatId) {
        self.again.lock().unwrap().push(chat.clone());
    }
}

/// What a stage of the scripted model answers: JSON, or a string for words, or null for no answer at all.
type Says = Arc<dyn Fn(&Call) -> Value + Send + Sync>;

/// A model that says what it is told to.
#[derive(Default)]
pub struct Script {
    stages: Mutex<HashMap<Stage, Says>>,
    calls: Mutex<Vec<Call>>,
    /// How long an answer takes.
    takes: Mutex<HashMap<Stage, Duration>>,
    /// Known to be slow.
    slow: AtomicBool,
    /// The time between two words, where words are shown as they come.
    word_by_word: Mutex<Option<Duration>>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    /// What a stage answers from now on.
    pub fn on(&self, stage: Stage, says: impl Fn(&Call) -> Value + Send + Sync + 'static) {
        self.stages.lock().unwrap().insert(stage, Arc::new(says));
    }

    pub fn routes(&self, route: Value) {
        self.on(Stage::Route, move |_| route.clone());
    }

    pub fn plans(&self, plan: Value) {
        self.on(Stage::Plan, move |_| plan.clone());
    }

    /// What the person is told from now on, where a model has the word.
    pub fn says(&self, words: &str) {
        let words = Value::from(words);
        self.on(Stage::Respond, move |_| words.clone());
    }

    /// How long the answers of a stage take from now on.
    pub fn takes(&self, stage: Stage, time: Duration) {
        self.takes.lock().unwrap().insert(stage, time);
    }

    /// Words come one by one from now on, so long after each other.
    pub fn speaks_word_by_word(&self, every: Duration) {
        *self.word_by_word.lock().unwrap() = Some(every);
    }

    /// Whether it is known to be slow.
    pub fn is_known_to_be_slow(&self, slow: bool) {
        self.slow.store(slow, Ordering::SeqCst);
    }

    /// What was asked of a stage; small talk counts as words to the person.
    pub fn asked(&self, stage: Stage) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.stage == stage || words_of(call.stage) == stage).cloned().collect()
    }

    /// The stages that were asked, in order.
    pub fn stages(&self) -> Vec<Stage> {
        self.calls.lock().unwrap().iter().map(|call| call.stage).collect()
    }

    /// What a message is, and the commands that it asks for, from now on.
    pub fn selects(&self, kind: &str, commands: Value) {
        let selected = json!({"kind": kind, "commands": commands});
        self.on(Stage::Select, move |_| selected.clone());
    }

    /// The parameters of whatever is selected from now on.
    pub fn fills(&self, params: Value) {
        self.on(Stage::BuildParams, move |_| params.clone());
    }
}

/// Small talk says what words about results would, unless a test says otherwise.
fn words_of(stage: Stage) -> Stage {
    if stage == Stage::Chat { Stage::Respond } else { stage }
}

#[async_trait]
impl Model for Script {
    async fn complete(&self, call: Call, words: Option<UnboundedSender<String>>) -> Result<Completion, ModelError> {
        let stage = call.stage;
        let stages = self.stages.lock().unwrap().clone();
        let says = stages.get(&call.stage).or_else(|| stages.get(&words_of(stage))).cloned();
        let answer = match (says, call.stage) {
            (Some(says), _) => says(&call),
            (None, Stage::Route) => json!({"type": "chat", "domains": [], "is_followup": false}),
            (None, Stage::Plan) => json!({"actions": [], "question": null, "open": null}),
            (None, Stage::Select) => json!({"kind": "remark", "commands": []}),
            (None, Stage::BuildParams) => json!({}),
            (None, Stage::Guard | Stage::Reflect | Stage::Chat | Stage::Respond) => json!("There you are."),
            // Questions over everything are answered without it, unless a test says how.
            (
                None,
                Stage::Decompose | Stage::Template | Stage::Extract | Stage::Rank | Stage::Classify | Stage::Synthesize,
            ) => Value::Null,
        };
        let usage = Usage { calls: 1, tokens_in: 1, tokens_out: 1, ..Usage::default() };
        self.calls.lock().unwrap().push(call);
        // What the script does meanwhile (a `/cancel`) is noticed before the answer.
        tokio::task::yield_now().await;
        let times = self.takes.lock().unwrap().clone();
        let time = times.get(&stage).or_else(|| times.get(&words_of(stage))).copied();
        if let Some(time) = time {
            tokio::time::sleep(time).await;
        }
        let every = *self.word_by_word.lock().unwrap();
        if let (Some(words), Some(every), Value::String(text)) = (words, every, &answer) {
            for word in text.split_inclusive(' ') {
                tokio::time::sleep(every).await;
                let _ = words.send(word.to_owned());
            }
        }
        match answer {
            Value::Null => Err(ModelError::Unreachable { why: "the script has no answer".to_owned(), usage }),
            Value::String(text) => Ok(Completion { text, json: None, calls: Vec::new(), usage, is_substitute: false }),
            json => Ok(Completion {
                text: json.to_string(),
                json: Some(json),
                calls: Vec::new(),
                usage,
                is_substitute: false,
            }),
        }
    }

    fn is_slow(&self, _: Stage) -> bool {
        self.slow.load(Ordering::SeqCst)
    }
}

/// What becomes of a mail that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// By the real service, which has no account here and keeps a draft.
    Real,
    /// A server took it.
    Accepted,
    /// A server took it, once it was let go.
    Held,
    /// Nobody can tell.
    Doubtful,
}
