//! Status line: what a chat shows while its turn runs, or the answer as far as it is written.
//!
//! ```text
//! status ─► one silent message, changed in place ─────────┐
//! draft  ─► a native draft, where Telegram has them ──────┼─► the answer is a new message, which notifies
//!        ├► else the status line's message, growing ──────┘
//!        └► else a message of its own, which notifies ──────► the answer is its last words
//! ```
//! Invariants: showing it never delays a turn, and costs no call that the answer needs; it changes at most once
//! a second; nothing of it appears after the answer: the answer waits for a call under way, and does not reuse
//! a message whose last change may still be on its way. It is worth nothing: whatever goes wrong is forgotten.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::api::ApiError;
use super::place::ChatPlace;
use super::send::{CallTurn, PacedSender, Sound};
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::markup::Formatted;
use brain_core::limits;
use brain_engine::pipeline::brain::Brain;

/// A call that takes longer than this has missed its moment; the answer does not wait for it.
const PATIENCE: Duration = Duration::from_secs(3);
/// Behind an answer that is still being written, where it looks like a message.
const GOES_ON: &str = " …";
/// The line that a growing answer takes over, when there is none yet.
const WRITING: &str = "Writing…";

/// What is shown in all chats.
#[derive(Debug, Default)]
pub(super) struct Statuses {
    chats: Mutex<HashMap<ChatId, Arc<StatusGoal>>>,
    last_draft: AtomicI64,
    /// Where lines are noted, for a next life that would find them in its way.
    memory: OnceLock<Weak<Brain>>,
}

/// What a chat should show.
#[derive(Debug)]
pub(super) enum StatusRequest {
    /// What is being done.
    Status(String),
    /// The answer as far as it is written.
    Draft(Formatted),
}

/// The message that showed it: the answer is its last words, or takes it away.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatusLine {
    pub message: MessageId,
    /// Its last change may still be under way.
    pub doubtful: bool,
    /// Whether the person was told of it: a change of a message makes no sound.
    pub sound: Sound,
}

#[derive(Debug, Default)]
struct StatusGoal {
    /// What it should say, until it does or the answer is there.
    wanted: Mutex<Option<StatusRequest>>,
    /// What is shown; locked while a call is under way, so that the answer finds the message it replaces.
    shown: tokio::sync::Mutex<StatusShown>,
    /// The number of the line's message; 0 from the moment the answer takes over.
    line: AtomicI64,
    /// The number that was noted last.
    noted: AtomicI64,
}

#[derive(Debug, Default)]
struct StatusShown {
    line: Option<StatusLine>,
    /// A line was refused: this turn goes on without one.
    refused: bool,
    /// The number of the draft, once an answer is growing; statuses have to be silent then.
    draft: Option<i64>,
    at: Option<Instant>,
}

impl StatusGoal {
    fn want(&self, wanted: Option<StatusRequest>) -> Option<StatusRequest> {
        std::mem::replace(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner), wanted)
    }

    fn is_wanted(&self) -> bool {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Statuses {
    fn find(&self, chat: &ChatId) -> Option<Arc<StatusGoal>> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).get(chat).cloned()
    }

    /// From now on lines are noted there.
    pub(super) fn remember_in(&self, brain: &Arc<Brain>) {
        let _ = self.memory.set(Arc::downgrade(brain));
    }

    /// Shows something soon, if nothing comes in between. Returns at once.
    pub(super) fn show(&self, sender: &Arc<PacedSender>, place: ChatPlace, chat: &ChatId, wanted: StatusRequest) {
        let show = self.of(chat);
        show.want(Some(wanted));
        let draft = self.last_draft.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, chat, memory) = (Arc::clone(sender), chat.clone(), self.memory.get().cloned());
        tokio::spawn(async move {
            bring_up(sender, place, &show, draft).await;
            let (before, now) = (show.noted.load(Ordering::SeqCst), show.line.load(Ordering::SeqCst));
            let Some(brain) = memory.and_then(|memory| memory.upgrade()).filter(|_| now != 0 && now != before) else {
                return;
            };
            show.noted.store(now, Ordering::SeqCst);
            let is_shown = || show.line.load(Ordering::SeqCst) == now;
            if let Err(error) = brain.note_status(&chat, MessageId(now), is_shown).await {
                tracing::warn!(%error, "a status line could not be noted; a crash would leave it behind");
            }
        });
    }

    /// The message that is shown, for the answer to replace; nothing appears after this.
    pub(super) async fn take(&self, chat: &ChatId) -> Option<StatusLine> {
        let show = self.find(chat)?;
        show.want(None);
        show.line.store(0, Ordering::SeqCst);
        let line = std::mem::take(&mut *show.shown.lock().await).line;
        // A call that was under way may have brought one up.
        show.line.store(0, Ordering::SeqCst);
        line
    }

    /// A message of ours stands in the chat. Returns a line above it: no later answer may take that place, or it
    /// would be read before an earlier one.
    pub(super) async fn above(&self, chat: &ChatId, message: MessageId) -> Option<StatusLine> {
        let show = self.find(chat)?;
        let mut shown = show.shown.lock().await;
        let line = shown.line.take_if(|line| line.message < message)?;
        show.line.store(0, Ordering::SeqCst);
        Some(line)
    }

    /// This message stands there: the answer could not replace it yet, or an earlier life has left it.
    pub(super) async fn put_back(&self, chat: &ChatId, message: MessageId) {
        let line = Some(StatusLine { message, doubtful: false, sound: Sound::Silent });
        *self.of(chat).shown.lock().await = StatusShown { line, at: Some(Instant::now()), ..StatusShown::default() };
    }

    fn of(&self, chat: &ChatId) -> Arc<StatusGoal> {
        let mut chats = self.chats.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(chats.entry(chat.clone()).or_default())
    }

    /// The turn is over. Returns the message that is left.
    pub(super) async fn end(&self, chat: &ChatId) -> Option<StatusLine> {
        let left = self.take(chat).await;
        self.chats.lock().unwrap_or_else(PoisonError::into_inner).remove(chat);
        left
    }

    /// Everything ends. Returns the messages that are left.
    pub(super) async fn end_all(&self) -> Vec<(ChatId, StatusLine)> {
        let chats: Vec<ChatId> = self.chats.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        let mut left = Vec::new();
        for chat in chats {
            left.extend(self.end(&chat).await.map(|line| (chat, line)));
        }
        left
    }
}

async fn bring_up(sender: Arc<PacedSender>, place: ChatPlace, show: &StatusGoal, draft: i64) {
    let every = Duration::from_millis(limits::STATUS_EVERY_MS);
    loop {
        let mut shown = show.shown.lock().await;
        if let Some(due) = shown.at.map(|at| at + every).filter(|due| *due > Instant::now()) {
            drop(shown);
            tokio::time::sleep_until(due).await;
            if show.is_wanted() {
                continue;
            }
            return;
        }
        let Some(wanted) = show.want(None) else { return };
        // A chat that has to wait needs its place for the answer.
        if !sender.held(place).is_zero() {
            return;
        }
        match wanted {
            StatusRequest::Status(text) if shown.draft.is_none() => {
                shown.status(&sender, place, text, Sound::Silent).await
            }
            StatusRequest::Status(_) => {}
            StatusRequest::Draft(words) => shown.grow(&sender, place, words, draft).await,
        }
        show.line.store(shown.line.map_or(0, |line| line.message.0), Ordering::SeqCst);
        return;
    }
}

impl StatusShown {
    async fn status(&mut self, sender: &Arc<PacedSender>, place: ChatPlace, text: String, sound: Sound) {
        match self.line {
            Some(_) => self.rewrite(sender, place, &Formatted::plain(text), CallTurn::Waits).await,
            None if self.refused => {}
            None => match tokio::time::timeout(PATIENCE, sender.post_line(place, &text, sound)).await {
                Ok(Ok(message)) => {
                    self.line = Some(StatusLine { message, doubtful: false, sound });
                    self.at = Some(Instant::now());
                    // A message takes the sign of typing away.
                    let sender = Arc::clone(sender);
                    tokio::spawn(async move { sender.typing(place).await });
                }
                Ok(Err(error @ ApiError::Refused { code: 400 | 403, .. })) => {
                    tracing::warn!(%error, "a status line is refused; the turn goes on without one");
                    self.refused = true;
                }
                // Perhaps the next one.
                Ok(Err(_)) | Err(_) => {}
            },
        }
    }

    /// Shows an answer as far as it is written. `draft`: its number, if it has none yet.
    async fn grow(&mut self, sender: &Arc<PacedSender>, place: ChatPlace, mut words: Formatted, draft: i64) {
        let draft = *self.draft.get_or_insert(draft);
        if sender.takes_drafts(place) {
            let shown = tokio::time::timeout(PATIENCE, sender.draft(place, draft, &words)).await;
            self.at = Some(Instant::now());
            match shown {
                Ok(Ok(())) => {
                    // The draft stands in its place now; the answer comes as a new message, as Telegram wants it.
                    if let Some(line) = self.line.take() {
                        let sender = Arc::clone(sender);
                        tokio::spawn(async move { sender.delete(place, line.message).await });
                    }
                    return;
                }
                Ok(Err(ApiError::Refused { .. })) => {}
                Ok(Err(ApiError::Flood(_) | ApiError::Unreachable(_))) | Err(_) => return,
            }
        }
        // Posted as a draft, it could arrive after the answer; as a line it says nothing wrong even then.
        if self.line.is_none() {
            self.status(sender, place, WRITING.to_owned(), Sound::Notifies).await;
            return;
        }
        words.push(GOES_ON);
        self.rewrite(sender, place, &words, CallTurn::OnlyIfSpare).await;
    }

    async fn rewrite(&mut self, sender: &PacedSender, place: ChatPlace, words: &Formatted, turn: CallTurn) {
        let Some(line) = &mut self.line else { return };
        let call = sender.rewrite(place, line.message, words, &[], turn);
        match tokio::time::timeout(PATIENCE, call).await {
            Ok(Ok(())) => self.at = Some(Instant::now()),
            // It is known not to be under way.
            Ok(Err(ApiError::Refused { .. } | ApiError::Flood(_))) => {}
            Ok(Err(ApiError::Unreachable(_))) | Err(_) => line.doubtful = true,
        }
    }
}
