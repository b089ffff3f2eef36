//! The status line: one message a chat that says what is being done, changed in place, replaced by the answer.
//!
//! Invariants: showing it never delays a turn; it is changed at most once a second; a line that is asked for
//! never appears after the answer. It is worth nothing: whatever goes wrong with it is forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::face::Wire;
use super::place::Place;
use crate::core::ids::{ChatId, MessageId};
use crate::core::turn::{Edit, Reply};
use crate::limits;

/// A status that takes longer than this to be sent has missed its moment; the answer does not wait for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The status lines of all chats.
#[derive(Debug, Default)]
pub(super) struct Statuses(Mutex<HashMap<ChatId, Arc<Line>>>);

#[derive(Debug, Default)]
struct Line {
    /// What it should say, until it does or the answer is there.
    wanted: Mutex<Option<String>>,
    /// What is shown; locked while a call is under way, so that the answer finds the message it replaces.
    shown: tokio::sync::Mutex<Option<Shown>>,
}

#[derive(Debug)]
struct Shown {
    message: MessageId,
    at: Instant,
}

impl Line {
    fn want(&self, text: Option<String>) -> Option<String> {
        std::mem::replace(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner), text)
    }

    fn is_wanted(&self) -> bool {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Statuses {
    fn find(&self, chat: &ChatId) -> Option<Arc<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(chat).cloned()
    }

    /// Shows a text soon, if nothing comes in between. Returns at once.
    pub(super) fn show(&self, wire: &Arc<Wire>, place: Place, chat: &ChatId, text: &str) {
        let line = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(chat.clone()).or_default());
        line.want(Some(text.to_owned()));
        tokio::spawn(show(Arc::clone(wire), place, line));
    }

    /// The message that shows the status, for the answer to replace; nothing appears after this.
    pub(super) async fn take(&self, chat: &ChatId) -> Option<MessageId> {
        let line = self.find(chat)?;
        line.want(None);
        line.shown.lock().await.take().map(|shown| shown.message)
    }

    /// The answer could not replace it yet.
    pub(super) async fn put_back(&self, chat: &ChatId, message: MessageId) {
        if let Some(line) = self.find(chat) {
            *line.shown.lock().await = Some(Shown { message, at: Instant::now() });
        }
    }

    /// The turn is over. Returns the message that is left.
    pub(super) async fn end(&self, chat: &ChatId) -> Option<MessageId> {
        let left = self.take(chat).await;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(chat);
        left
    }
}

async fn show(wire: Arc<Wire>, place: Place, line: Arc<Line>) {
    let every = Duration::from_millis(limits::STATUS_EVERY_MS);
    loop {
        let mut shown = line.shown.lock().await;
        if let Some(due) = shown.as_ref().map(|shown| shown.at + every).filter(|due| *due > Instant::now()) {
            drop(shown);
            tokio::time::sleep_until(due).await;
            if line.is_wanted() {
                continue;
            }
            return;
        }
        let Some(text) = line.want(None) else { return };
        // A chat that has to wait needs its place for the answer.
        if !wire.held(place).is_zero() {
            return;
        }
        let message = shown.as_ref().map(|shown| shown.message);
        let call = async {
            match message {
                Some(message) => {
                    wire.change(place, &Edit { message, text: Some(text), buttons: Vec::new() }).await.map(|()| message)
                }
                None => wire.post(place, &Reply::text(text)).await,
            }
        };
        if let Ok(Ok(message)) = tokio::time::timeout(PATIENCE, call).await {
            *shown = Some(Shown { message, at: Instant::now() });
        }
        return;
    }
}
