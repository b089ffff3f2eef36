//! How people are shown things: the [`Chat`] port on Telegram.
//!
//! Invariants: a message goes out at the pace of [`Pace`]; what Telegram refuses for good is `Never`, all else
//! is `Later` and remembered in [`Late`], so that nobody has to guess whom to try again; text goes out as it
//! is, without a parse mode, so that no text can be refused for its form. Not here: splitting (done before),
//! trying again (see [`super::redeliver`]).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde::de::IgnoredAny;
use teloxide_core::payloads::{
    EditMessageReplyMarkup, EditMessageReplyMarkupSetters, EditMessageText, EditMessageTextSetters, SendChatAction,
    SendChatActionSetters, SendMessage, SendMessageSetters,
};
use teloxide_core::requests::Payload;
use teloxide_core::types::{
    self, ChatAction, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, ThreadId,
};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::TelegramError;
use super::api::{Api, ApiError};
use super::pace::Pace;
use super::place::Place;
use super::status::Statuses;
use crate::config::TelegramConfig;
use crate::core::button::Button;
use crate::core::ids::{ChatId, MessageId};
use crate::core::turn::{Edit, Reply};
use crate::limits;
use crate::ports::{Chat, SendError};

/// Telegram, as a place where people read.
#[derive(Debug)]
pub struct TelegramChat {
    pub(super) wire: Arc<Wire>,
    statuses: Statuses,
    typing: Mutex<HashMap<ChatId, Instant>>,
    pub(super) late: Late,
}

/// Calls at the right pace.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) api: Api,
    pace: Mutex<Pace>,
}

/// Chats that have something waiting because a message could not be delivered.
#[derive(Debug, Default)]
pub(super) struct Late {
    chats: Mutex<HashSet<ChatId>>,
    changed: Notify,
}

/// What Telegram says of a message that was sent; its number is all we need.
#[derive(Debug, Deserialize)]
struct Sent {
    message_id: i64,
}

impl TelegramChat {
    /// A face for this bot; nothing is sent yet.
    pub fn new(config: &TelegramConfig) -> Result<Self, TelegramError> {
        let api = Api::new(config)?;
        let wire = Arc::new(Wire { api, pace: Mutex::default() });
        Ok(Self { wire, statuses: Statuses::default(), typing: Mutex::default(), late: Late::default() })
    }

    /// Takes a status line away that no answer has replaced.
    pub(super) async fn settle(&self, chat: &ChatId) {
        if let (Some(place), Some(message)) = (Place::parse(chat), self.statuses.end(chat).await) {
            self.wire.delete(place, message).await;
        }
    }

    /// Takes all status lines away: what they promised goes on after the next start.
    pub(super) async fn settle_all(&self) {
        let left = self.statuses.end_all().await.into_iter();
        let gone = left.filter_map(|(chat, message)| Some(self.wire.delete(Place::parse(&chat)?, message)));
        futures::future::join_all(gone).await;
    }

    /// One sentence outside the outbox, for people we keep nothing of. Best effort.
    pub(super) async fn mention(&self, place: Place, sentence: &str) {
        if let Err(error) = self.wire.post(place, &Reply::text(sentence)).await {
            tracing::debug!(%error, "a sentence was not delivered");
        }
    }

    /// How long Telegram wants this chat to be left alone.
    pub(super) fn held(&self, chat: &ChatId) -> Duration {
        Place::parse(chat).map_or(Duration::ZERO, |place| self.wire.held(place))
    }

    /// The first message of an answer takes the place of the status line, when there is one.
    async fn deliver(&self, place: Place, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        if reply.reminder.is_some() {
            return self.wire.post(place, reply).await;
        }
        let Some(status) = self.statuses.take(chat).await else {
            return self.wire.post(place, reply).await;
        };
        // A card must be the newest message when it appears: a yes counts only after it.
        if reply.card.is_none() {
            let edit = Edit { message: status, text: Some(reply.text.clone()), buttons: reply.buttons.clone() };
            match self.wire.change(place, &edit).await {
                Ok(()) => return Ok(status),
                Err(SendError::Later(why)) => {
                    self.statuses.put_back(chat, status).await;
                    return Err(SendError::Later(why));
                }
                Err(SendError::Blocked(why)) => return Err(SendError::Blocked(why)),
                Err(SendError::Never(_)) => {}
            }
        }
        let wire = Arc::clone(&self.wire);
        tokio::spawn(async move { wire.delete(place, status).await });
        self.wire.post(place, reply).await
    }

    fn late_if<T>(&self, chat: &ChatId, result: Result<T, SendError>) -> Result<T, SendError> {
        if let Err(SendError::Later(_)) = &result {
            self.late.add(chat.clone());
        }
        result
    }
}

/// Other faces' chats keep what is meant for them.
fn not_ours() -> SendError {
    SendError::Later("this chat is not on Telegram".to_owned())
}

#[async_trait]
impl Chat for TelegramChat {
    async fn typing(&self, chat: &ChatId) {
        let Some(place) = Place::parse(chat) else { return };
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
        let wire = Arc::clone(&self.wire);
        tokio::spawn(async move {
            let mut action = SendChatAction::new(types::ChatId(place.chat), ChatAction::Typing);
            if let Some(topic) = place.topic {
                action = action.message_thread_id(thread(topic));
            }
            let _ = wire.api.call::<_, IgnoredAny>(&action).await;
        });
        // It starts before the turn does: a turn may compute for a while, and this worker runs one at a time.
        tokio::task::yield_now().await;
    }

    async fn status(&self, chat: &ChatId, text: &str) {
        if let Some(place) = Place::parse(chat) {
            self.statuses.show(&self.wire, place, chat, text);
        }
    }

    async fn send(&self, chat: &ChatId, reply: &Reply) -> Result<MessageId, SendError> {
        let place = Place::parse(chat).ok_or_else(not_ours)?;
        let sent = self.deliver(place, chat, reply).await;
        self.late_if(chat, sent)
    }

    async fn edit(&self, chat: &ChatId, edit: &Edit) -> Result<(), SendError> {
        let place = Place::parse(chat).ok_or_else(not_ours)?;
        let edited = self.wire.change(place, edit).await;
        self.late_if(chat, edited)
    }
}

impl Wire {
    /// Sends a new message.
    pub(super) async fn post(&self, place: Place, reply: &Reply) -> Result<MessageId, SendError> {
        let mut message =
            SendMessage::new(types::ChatId(place.chat), reply.text.clone()).link_preview_options(no_preview());
        if let Some(topic) = place.topic {
            message = message.message_thread_id(thread(topic));
        }
        if !reply.buttons.is_empty() {
            message = message.reply_markup(keyboard(&reply.buttons));
        }
        let sent: Sent = self.paced(place, &message).await?;
        Ok(MessageId(sent.message_id))
    }

    /// Changes a message. One that already reads like that is fine.
    pub(super) async fn change(&self, place: Place, edit: &Edit) -> Result<(), SendError> {
        let chat = types::ChatId(place.chat);
        let Ok(number) = i32::try_from(edit.message.0) else {
            return Err(SendError::Never("there is no such message".to_owned()));
        };
        let message = types::MessageId(number);
        let changed: Result<IgnoredAny, SendError> = match &edit.text {
            Some(text) => {
                let mut call = EditMessageText::new(chat, message, text.clone()).link_preview_options(no_preview());
                if !edit.buttons.is_empty() {
                    call = call.reply_markup(keyboard(&edit.buttons));
                }
                self.paced(place, &call).await
            }
            None => {
                let mut call = EditMessageReplyMarkup::new(chat, message);
                if !edit.buttons.is_empty() {
                    call = call.reply_markup(keyboard(&edit.buttons));
                }
                self.paced(place, &call).await
            }
        };
        match changed {
            Err(SendError::Never(why)) if why.contains("message is not modified") => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Deletes a message of ours. Best effort.
    pub(super) async fn delete(&self, place: Place, message: MessageId) {
        let Ok(number) = i32::try_from(message.0) else { return };
        let call = teloxide_core::payloads::DeleteMessage::new(types::ChatId(place.chat), types::MessageId(number));
        if let Err(error) = self.api.call::<_, IgnoredAny>(&call).await {
            tracing::debug!(%error, "a status line could not be deleted");
        }
    }

    pub(super) fn held(&self, place: Place) -> Duration {
        self.pace().wait_of(place.chat, Instant::now())
    }

    fn pace(&self) -> std::sync::MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call when its time has come; a short flood wait is waited for, once.
    async fn paced<P, T>(&self, place: Place, payload: &P) -> Result<T, SendError>
    where
        P: Payload + serde::Serialize + Sync,
        T: serde::de::DeserializeOwned,
    {
        const TRIES: u32 = 3;
        let mut tries = 0;
        loop {
            tries += 1;
            let patience = Duration::from_millis(limits::FLOOD_WAIT_MS_MAX);
            if self.held(place) > patience || tries > TRIES {
                return Err(SendError::Later("Telegram asked to wait".to_owned()));
            }
            let at = self.pace().reserve_in_chat(place.chat, Instant::now());
            tokio::time::sleep_until(at).await;
            let at = self.pace().reserve_overall(place.chat, Instant::now());
            tokio::time::sleep_until(at).await;
            match self.api.call(payload).await {
                Err(ApiError::Flood(wait)) => self.pace().hold(place.chat, wait, Instant::now()),
                other => return other.map_err(judge),
            }
        }
    }
}

/// Whether trying again makes sense. What is malformed for Telegram today is malformed tomorrow.
fn judge(error: ApiError) -> SendError {
    match &error {
        // "bot was blocked by the user", "user is deactivated", "bot was kicked from the group chat".
        ApiError::Refused { code: 403, .. } => SendError::Blocked(error.to_string()),
        ApiError::Refused { code: 400, .. } if error.to_string().contains("chat not found") => {
            SendError::Blocked(error.to_string())
        }
        ApiError::Refused { code: 400, .. } => SendError::Never(error.to_string()),
        ApiError::Refused { .. } | ApiError::Flood(_) | ApiError::Unreachable(_) => SendError::Later(error.to_string()),
    }
}

fn thread(topic: i32) -> ThreadId {
    ThreadId(types::MessageId(topic))
}

/// Links in mails and notes are nobody's business: Telegram's servers would open them.
fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

fn keyboard(rows: &[Vec<Button>]) -> InlineKeyboardMarkup {
    let button = |button: &Button| InlineKeyboardButton::callback(button.text.clone(), button.data.clone());
    InlineKeyboardMarkup::new(rows.iter().map(|row| row.iter().map(button).collect::<Vec<_>>()))
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
