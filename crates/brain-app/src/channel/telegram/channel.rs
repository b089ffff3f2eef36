//! The [`Channel`] port on Telegram: how people are shown things.
//!
//! Invariants: what Telegram refuses for good is `Never`, all else is `Later` and remembered in [`Late`], so
//! that nobody has to guess whom to try again; an answer takes the place of its status line, and what was shown
//! while it was being written is never the last word. Not here: calls and their pace (see [`super::send`]),
//! splitting (done before), trying again (see [`super::redeliver`]).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::api::Api;
use super::callback_acks::CallbackAcks;
use super::error::TelegramError;
use super::last_edits::LastEdits;
use super::place::ChatPlace;
use super::send::{CallTurn, PacedSender, Sound, judge};
use super::status::{StatusLine, StatusRequest, Statuses};
use crate::config::TelegramConfig;
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::markup::Formatted;
use brain_core::core::turn::{Edit, Notice, Reply};
use brain_core::limits;
use brain_core::ports::{Channel, SendError};
use brain_engine::pipeline::brain::Brain;

/// Telegram, as a place where people read.
#[derive(Debug)]
pub struct TelegramChannel {
    pub(super) sender: Arc<PacedSender>,
    statuses: Statuses,
    pub(super) taps: CallbackAcks,
    typing: Mutex<HashMap<ChatId, Instant>>,
    pub(super) late: Late,
    edits: LastEdits,
    /// Chats whose last message did not get there: their status line waits for it.
    behind: Mutex<HashSet<ChatId>>,
}

/// Chats that have something waiting because a message could not be delivered.
#[derive(Debug, Default)]
pub(super) struct Late {
    chats: Mutex<HashSet<ChatId>>,
    changed: Notify,
}

impl TelegramChannel {
    /// A channel for this bot; nothing is sent yet.
    pub fn new(config: &TelegramConfig) -> Result<Self, TelegramError> {
        let api = Api::new(config)?;
        let sender = Arc::new(PacedSender::new(api));
        Ok(Self {
            sender,
            statuses: Statuses::default(),
            taps: CallbackAcks::default(),
            typing: Mutex::default(),
            late: Late::default(),
            edits: LastEdits::default(),
            behind: Mutex::default(),
        })
    }

    /// Status lines are noted there from now on.
    pub(super) fn remember_in(&self, brain: &Arc<Brain>) {
        self.statuses.remember_in(brain);
    }

    /// Takes up the status line that an earlier life has left in a chat whose turn is done again.
    pub(super) async fn take_up(&self, brain: &Brain, chat: &ChatId) {
        match brain.chat_state(chat).await {
            Ok(state) => {
                if let Some(message) = state.status_line {
                    self.statuses.put_back(chat, message).await;
                }
            }
            Err(error) => tracing::warn!(%error, "a status line may be left behind"),
        }
    }

    /// Takes a status line away that no answer has replaced, and none is about to.
    pub(super) async fn settle(&self, chat: &ChatId) {
        if self.behind.lock().unwrap_or_else(PoisonError::into_inner).contains(chat) {
            return;
        }
        if let (Some(place), Some(line)) = (ChatPlace::parse(chat), self.statuses.end(chat).await) {
            self.sender.delete(place, line.message).await;
        }
    }

    /// Takes all status lines away: what they promised goes on after the next start.
    pub(super) async fn settle_all(&self) {
        let left = self.statuses.end_all().await.into_iter();
        let gone = left.filter_map(|(chat, line)| Some(self.sender.delete(ChatPlace::parse(&chat)?, line.message)));
        futures::future::join_all(gone).await;
    }

    /// One sentence outside the outbox, for people we keep nothing of. Best effort.
    pub(super) async fn mention(&self, place: ChatPlace, sentence: &str) {
        if let Err(error) = self.sender.post(place, &Reply::text(sentence)).await {
            tracing::debug!(%error, "a sentence was not delivered");
        }
    }

    /// The same while there is room for it beside what people who are served wait for. False when it was not
    /// delivered; it is not tried again.
    pub(super) async fn turn_away(&self, place: ChatPlace, sentence: &str) -> bool {
        let told = self.sender.to_stranger(place, sentence).await;
        if let Err(error) = &told {
            tracing::debug!(%error, "a sentence was not delivered");
        }
        told.is_ok()
    }

    /// How long Telegram wants this chat to be left alone.
    pub(super) fn held(&self, chat: &ChatId) -> Duration {
        ChatPlace::parse(chat).map_or(Duration::ZERO, |place| self.sender.held(place))
    }

    /// The first message of an answer takes the place of the status line, when there is one: as a new message, which
    /// notifies, and the line goes. Only an answer that has grown in a message of its own from the start ends there.
    async fn deliver(&self, place: ChatPlace, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        if reply.reminder.is_some() {
            return self.sender.post(place, reply).await;
        }
        let Some(StatusLine { message, doubtful, sound }) = self.statuses.take(chat).await else {
            return self.post(place, chat, reply).await;
        };
        // A card must be the newest message when it appears: a yes counts only after it. And a line whose last
        // change may still be under way could lose the answer again. A file, and a field to answer in, cannot be put
        // into a message that is there.
        let fits = reply.card.is_none() && reply.attachment.is_none() && reply.placeholder.is_none();
        if fits && !doubtful && sound == Sound::Notifies {
            let words = Formatted { text: reply.text.clone(), spans: reply.spans.clone() };
            match self.sender.rewrite(place, message, &words, &reply.buttons, CallTurn::Waits).await.map_err(judge) {
                Ok(()) => return Ok(message),
                Err(SendError::Later(why)) => {
                    self.statuses.put_back(chat, message).await;
                    return Err(SendError::Later(why));
                }
                Err(SendError::Blocked(why)) => return Err(SendError::Blocked(why)),
                Err(SendError::Never(_)) => {}
            }
        }
        let posted = self.post(place, chat, reply).await;
        if matches!(posted, Err(SendError::Later(_))) {
            self.statuses.put_back(chat, message).await;
        } else {
            let sender = Arc::clone(&self.sender);
            tokio::spawn(async move { sender.delete(place, message).await });
        }
        posted
    }

    /// A message of its own. The line of a later turn, if it came up while this was under way, stands above it
    /// and goes.
    async fn post(&self, place: ChatPlace, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        let posted = self.sender.post(place, reply).await?;
        if let Some(line) = self.statuses.above(chat, posted).await {
            let sender = Arc::clone(&self.sender);
            tokio::spawn(async move { sender.delete(place, line.message).await });
        }
        Ok(posted)
    }

    fn late_if<T>(&self, chat: &ChatId, result: Result<T, SendError>) -> Result<T, SendError> {
        if let Err(SendError::Later(_)) = &result {
            self.falls_behind(chat);
        } else {
            self.behind.lock().unwrap_or_else(PoisonError::into_inner).remove(chat);
        }
        result
    }

    /// Something waits in this chat.
    fn falls_behind(&self, chat: &ChatId) {
        let mut behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        behind.insert(chat.clone());
        self.late.add(chat.clone());
    }
}

/// Other channels' chats keep what is meant for them.
fn not_ours() -> SendError {
    SendError::Later("this chat is not on Telegram".to_owned())
}

#[async_trait]
impl Channel for TelegramChannel {
    async fn typing(&self, chat: &ChatId) {
        let Some(place) = ChatPlace::parse(chat) else { return };
        let now = Instant::now();
        let every = Duration::from_millis(limits::TYPING_EVERY_MS);
        {
            let mut typing = self.typing.lock().unwrap_or_else(PoisonError::into_inner);
            if typing.len() > limits::CHATS_PACED_MAX {
                typing.retain(|_, at| now.duration_since(*at) < every);
            }
            if typing.get(chat).is_some_and(|at| now.duration_since(*at) < every) {
                return;
            }
            typing.insert(chat.clone(), now);
        }
        // Nobody waits for it, least of all the turn.
        let sender = Arc::clone(&self.sender);
        tokio::spawn(async move { sender.typing(place).await });
        // It starts before the turn does: a turn may compute for a while, and this worker runs one at a time.
        tokio::task::yield_now().await;
    }

    async fn status(&self, chat: &ChatId, text: &str) {
        if let Some(place) = ChatPlace::parse(chat) {
            self.statuses.show(&self.sender, place, chat, StatusRequest::Status(text.to_owned()));
        }
    }

    fn shows_drafts(&self, chat: &ChatId) -> bool {
        // Each change counts among the twenty messages a minute that a group takes.
        ChatPlace::parse(chat).is_some_and(|place| place.chat > 0)
    }

    async fn draft(&self, chat: &ChatId, words: &Formatted) {
        if let Some(place) = ChatPlace::parse(chat) {
            self.statuses.show(&self.sender, place, chat, StatusRequest::Draft(words.clone()));
        }
    }

    async fn notice(&self, _: &ChatId, notice: &Notice, words: &str) -> bool {
        self.taps.notice(&self.sender.api, &notice.turn, notice.kind, words).await
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        let place = ChatPlace::parse(chat).ok_or_else(not_ours)?;
        let sent = self.deliver(place, chat, reply).await;
        self.late_if(chat, sent)
    }

    async fn edit(&self, chat: &ChatId, edit: &Edit) -> Result<(), SendError> {
        let place = ChatPlace::parse(chat).ok_or_else(not_ours)?;
        if self.edits.hold(chat, edit) {
            return Ok(());
        }
        let edited = self.sender.change(place, edit).await;
        if edited.is_ok() {
            self.edits.note(chat, edit);
        }
        self.late_if(chat, edited)
    }

    fn try_again(&self, chat: &ChatId) {
        if ChatPlace::parse(chat).is_some() {
            self.falls_behind(chat);
        }
    }
}

impl Late {
    /// Notes a chat.
    pub(super) fn add(&self, chat: ChatId) {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).insert(chat);
        self.changed.notify_one();
    }

    /// The chats noted since the last time.
    pub(super) fn take(&self) -> HashSet<ChatId> {
        std::mem::take(&mut *self.chats.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Forgets a chat; true when it was noted.
    pub(super) fn remove(&self, chat: &ChatId) -> bool {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).remove(chat)
    }

    /// Returns when there are some.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}
