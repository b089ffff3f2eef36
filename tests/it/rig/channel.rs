//! A chat that remembers what arrived, and that can be made to lose it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::core::ids::{ChatId, MessageId};
use brain_agent::core::markup::Formatted;
use brain_agent::core::turn::{Edit, Reply};
use brain_agent::ports::{Channel, Clock, SendError};
use chrono::{DateTime, Utc};
use tokio::sync::watch;

use super::clock::HandClock;
use super::log::{Event, Log};
use crate::support::internals;

/// A message as it arrived.
#[derive(Debug, Clone)]
pub struct Shown {
    pub at: DateTime<Utc>,
    pub chat: ChatId,
    pub id: MessageId,
    pub reply: Reply,
}

/// What becomes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    /// So many still arrive; then the network is down.
    LostAfter(usize),
    /// They arrive, and the channel's answer does not.
    AnswerLost,
    /// The bot is blocked.
    Blocked,
}

/// A chat that remembers.
#[derive(Debug)]
pub struct RecordingChannel {
    log: Arc<Log>,
    clock: Arc<HandClock>,
    shown: Mutex<Vec<Shown>>,
    edits: Mutex<Vec<Edit>>,
    last_id: AtomicI64,
    fate: Mutex<Fate>,
    /// How often something was to be sent.
    tries: AtomicUsize,
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
    pub fn new(log: Arc<Log>, clock: Arc<HandClock>) -> Self {
        Self {
            log,
            clock,
            shown: Mutex::default(),
            edits: Mutex::default(),
            last_id: AtomicI64::new(0),
            fate: Mutex::new(Fate::Arrives),
            tries: AtomicUsize::new(0),
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

    /// What becomes of messages from now on.
    pub fn fate(&self, fate: Fate) {
        *self.fate.lock().unwrap() = fate;
    }

    /// How often somebody tried to write here.
    pub fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }

    /// Whether the next message arrives.
    fn arrives(&self) -> Result<(), SendError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        match &mut *self.fate.lock().unwrap() {
            Fate::Blocked => Err(SendError::Blocked("bot was blocked by the user".to_owned())),
            Fate::LostAfter(0) => Err(SendError::Later("the network is down".to_owned())),
            Fate::LostAfter(left) => {
                *left -= 1;
                Ok(())
            }
            Fate::Arrives | Fate::AnswerLost => Ok(()),
        }
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
        internals::are_not_in(text);
        self.statuses.lock().unwrap().push((tokio::time::Instant::now(), text.to_owned()));
    }

    fn shows_drafts(&self, _: &ChatId) -> bool {
        self.drafts.lock().unwrap().is_some()
    }

    async fn draft(&self, _: &ChatId, words: &Formatted) {
        internals::are_not_in(&words.text);
        if let Some(drafts) = self.drafts.lock().unwrap().as_mut() {
            drafts.push((tokio::time::Instant::now(), words.text.clone()));
        }
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        internals::are_not_in(&reply.text);
        self.arrives()?;
        self.gets_through(chat).await;
        let is_broken = self.broken.lock().unwrap().contains(chat);
        assert!(!is_broken, "the bug of the test");
        let (at, id) = (self.clock.now(), self.next_id());
        let shown = Shown { at, chat: chat.clone(), id, reply: reply.clone() };
        self.shown.lock().unwrap().push(shown.clone());
        self.log.add(Event::Shown(shown));
        match *self.fate.lock().unwrap() {
            Fate::AnswerLost => Err(SendError::Later("no answer".to_owned())),
            Fate::Arrives | Fate::LostAfter(_) | Fate::Blocked => Ok(id),
        }
    }

    async fn edit(&self, _: &ChatId, edit: &Edit) -> Result<(), SendError> {
        edit.text.iter().for_each(|text| internals::are_not_in(text));
        self.edits.lock().unwrap().push(edit.clone());
        Ok(())
    }

    fn try_again(&self, chat: &ChatId) {
        self.again.lock().unwrap().push(chat.clone());
    }
}
