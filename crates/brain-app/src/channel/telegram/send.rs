//! Sending: messages go to Telegram at the right pace and in a form it takes.
//!
//! Invariants: a message goes out at the pace of [`Pace`]; what Telegram asks us to wait is waited, once; words
//! whose entities are refused go out without them; words that are refused altogether are replaced by a sentence
//! that says so, so that nothing gets lost in silence. A card is never shown in part or in other words. What
//! only decorates (a growing draft) takes no room that the answer needs. Nothing in words, buttons and names can hide:
//! whoever wrote them, they become visible where the call is made.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use teloxide::payloads::{
    DeleteMessage, EditMessageReplyMarkup, EditMessageReplyMarkupSetters, EditMessageText, EditMessageTextSetters,
    SendChatAction, SendChatActionSetters, SendMessage, SendMessageSetters,
};
use teloxide::requests::Payload;
use teloxide::types::{self, ChatAction, LinkPreviewOptions, MessageEntity, ReplyMarkup, ThreadId};
use tokio::time::Instant;

use super::api::{Api, ApiError, RefusalKind};
use super::entities::entities;
use super::keyboard::{below, keyboard};
use super::moves::Moves;
use super::pace::Pace;
use super::place::ChatPlace;
use brain_core::core::button::Button;
use brain_core::core::ids::MessageId;
use brain_core::core::markup::{Formatted, Span};
use brain_core::core::text::{split_utf16, visible};
use brain_core::core::turn::{Edit, Reply};
use brain_core::limits;
use brain_core::ports::SendError;

/// Said in place of an answer that Telegram takes in no form.
const NOT_TAKEN: &str = "I had an answer for you, but Telegram would not take it as it was. Please ask me once more, perhaps in other words.";
/// Said in place of a card.
const CARD_NOT_TAKEN: &str =
    "I had a question for you before going on, but Telegram would not show it. Nothing was done; please ask me again.";

/// Calls at the right pace.
#[derive(Debug)]
pub(super) struct PacedSender {
    pub(super) api: Api,
    pub(super) moves: Moves,
    pace: Mutex<Pace>,
    /// Whether this server takes drafts; taken for granted until it refuses one.
    takes_drafts: AtomicBool,
}

/// What Telegram says of a message that was sent; its number is all we need.
#[derive(Debug, Deserialize)]
struct SentMessage {
    message_id: i64,
}

/// A growing answer in a private chat, as the Bot API has it; teloxide does not know it yet.
#[derive(Debug, Serialize)]
struct SendMessageDraft<'a> {
    chat_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_thread_id: Option<i32>,
    draft_id: i64,
    text: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    entities: &'a [MessageEntity],
}

impl Payload for SendMessageDraft<'_> {
    type Output = bool;
    const NAME: &'static str = "sendMessageDraft";
}

/// Whether a call waits for its turn or is left out when the answer could need its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallTurn {
    Waits,
    OnlyIfSpare,
    /// For somebody who is not served: out of a small budget of their own.
    Stranger,
}

/// Whether a new message makes itself heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sound {
    Notifies,
    Silent,
}

impl PacedSender {
    pub(super) fn new(api: Api) -> Self {
        Self { api, moves: Moves::default(), pace: Mutex::default(), takes_drafts: AtomicBool::new(true) }
    }

    /// Sends a new message.
    pub(super) async fn post(&self, place: ChatPlace, reply: &Reply) -> Result<MessageId, SendError> {
        if let Some(file) = &reply.attachment {
            return self.post_file(place, reply, file).await;
        }
        let mut sent = self.say(place, &reply.text, &reply.spans, below(reply)).await;
        if let Err(error) = &sent
            && is_about_form(error)
            && !reply.spans.is_empty()
        {
            tracing::warn!(%error, "a message goes out without its formatting");
            sent = self.say(place, &gutters(&reply.text, &reply.spans), &[], below(reply)).await;
        }
        match sent {
            Err(error) if is_about_form(&error) => self.post_anyhow(place, reply, error).await,
            other => other.map_err(judge),
        }
    }

    /// One sentence to somebody who is not served.
    pub(super) async fn to_stranger(&self, place: ChatPlace, sentence: &str) -> Result<(), ApiError> {
        let message = SendMessage::new(types::ChatId(place.chat), visible(sentence));
        self.paced::<_, IgnoredAny>(place, &message, CallTurn::Stranger).await.map(|_| ())
    }

    /// Shows what is being done. It is worth no second form: what is refused is left out.
    pub(super) async fn post_line(&self, place: ChatPlace, words: &str, sound: Sound) -> Result<MessageId, ApiError> {
        self.say_with(place, words, &[], None, sound).await
    }

    /// Telegram does not take these words. In pieces, when there are too many; else the person is told.
    async fn post_anyhow(&self, place: ChatPlace, reply: &Reply, error: ApiError) -> Result<MessageId, SendError> {
        tracing::error!(%error, "a message is refused");
        if reply.card.is_some() {
            // Best effort: the card stays undelivered, and so nobody can approve it.
            let _ = self.say(place, CARD_NOT_TAKEN, &[], None).await;
            return Err(judge(error));
        }
        if matches!(error, ApiError::Refused { about: RefusalKind::TooLong, .. })
            && let Ok(last) = self.in_pieces(place, reply).await
        {
            return Ok(last);
        }
        self.say(place, NOT_TAKEN, &[], below(reply)).await.map_err(judge)
    }

    async fn in_pieces(&self, place: ChatPlace, reply: &Reply) -> Result<MessageId, ApiError> {
        let pieces = split_utf16(&reply.text, limits::MESSAGE_UTF16_MAX / 4);
        let mut last = MessageId(0);
        for (index, piece) in pieces.iter().enumerate() {
            let below = if index + 1 == pieces.len() { below(reply) } else { None };
            last = self.say(place, piece, &[], below).await?;
        }
        Ok(last)
    }

    async fn say(
        &self,
        place: ChatPlace,
        text: &str,
        spans: &[Span],
        below: Option<ReplyMarkup>,
    ) -> Result<MessageId, ApiError> {
        self.say_with(place, text, spans, below, Sound::Notifies).await
    }

    async fn say_with(
        &self,
        place: ChatPlace,
        text: &str,
        spans: &[Span],
        below: Option<ReplyMarkup>,
        sound: Sound,
    ) -> Result<MessageId, ApiError> {
        let Formatted { text, spans } = Formatted { text: text.to_owned(), spans: spans.to_vec() }.visible();
        let mut message = SendMessage::new(types::ChatId(place.chat), text).link_preview_options(no_preview());
        if let Some(topic) = place.thread() {
            message = message.message_thread_id(thread(topic));
        }
        if !spans.is_empty() {
            message = message.entities(entities(&spans));
        }
        if let Some(below) = below {
            message = message.reply_markup(below);
        }
        if sound == Sound::Silent {
            message = message.disable_notification(true);
        }
        let sent: SentMessage = self.paced(place, &message, CallTurn::Waits).await?;
        Ok(MessageId(sent.message_id))
    }

    /// Gives a message other words. One that already reads like that is fine.
    pub(super) async fn rewrite(
        &self,
        place: ChatPlace,
        message: MessageId,
        words: &Formatted,
        buttons: &[Vec<Button>],
        turn: CallTurn,
    ) -> Result<(), ApiError> {
        let spans = words.spans.as_slice();
        match self.rewrite_as(place, message, &words.text, spans, buttons, turn).await {
            Err(error) if is_about_form(&error) && !spans.is_empty() => {
                tracing::warn!(%error, "a message goes out without its formatting");
                self.rewrite_as(place, message, &words.with_gutters(), &[], buttons, turn).await
            }
            other => other,
        }
    }

    async fn rewrite_as(
        &self,
        place: ChatPlace,
        message: MessageId,
        text: &str,
        spans: &[Span],
        buttons: &[Vec<Button>],
        turn: CallTurn,
    ) -> Result<(), ApiError> {
        let Formatted { text, spans } = Formatted { text: text.to_owned(), spans: spans.to_vec() }.visible();
        let mut call =
            EditMessageText::new(types::ChatId(place.chat), number(message)?, text).link_preview_options(no_preview());
        if !spans.is_empty() {
            call = call.entities(entities(&spans));
        }
        if !buttons.is_empty() {
            call = call.reply_markup(keyboard(buttons));
        }
        unchanged_is_fine(self.paced::<_, IgnoredAny>(place, &call, turn).await)
    }

    /// Changes a message as the outbox wants it.
    pub(super) async fn change(&self, place: ChatPlace, edit: &Edit) -> Result<(), SendError> {
        if let Some(text) = &edit.text {
            let words = Formatted { text: text.clone(), spans: edit.spans.clone() };
            return self.rewrite(place, edit.message, &words, &edit.buttons, CallTurn::Waits).await.map_err(judge);
        }
        let mut call = EditMessageReplyMarkup::new(types::ChatId(place.chat), number(edit.message).map_err(judge)?);
        if !edit.buttons.is_empty() {
            call = call.reply_markup(keyboard(&edit.buttons));
        }
        unchanged_is_fine(self.paced::<_, IgnoredAny>(place, &call, CallTurn::Waits).await).map_err(judge)
    }

    /// Deletes a message of ours; where that is refused, it shrinks to a dot. Best effort.
    pub(super) async fn delete(&self, place: ChatPlace, message: MessageId) {
        let Ok(number) = number(message) else { return };
        let call = DeleteMessage::new(types::ChatId(place.chat), number);
        let Err(error) = self.call::<_, IgnoredAny>(place, &call).await else { return };
        tracing::debug!(%error, "a status line could not be deleted");
        let is_gone = |about: RefusalKind| matches!(about, RefusalKind::NotFound | RefusalKind::ChatGone);
        if matches!(error, ApiError::Refused { about, .. } if !is_gone(about)) {
            let _ = self.rewrite(place, message, &Formatted::plain("·"), &[], CallTurn::OnlyIfSpare).await;
        }
    }

    /// Shows that something is being worked on, for five seconds. Best effort.
    pub(super) async fn typing(&self, place: ChatPlace) {
        let mut action = SendChatAction::new(types::ChatId(place.chat), ChatAction::Typing);
        if let Some(topic) = place.thread() {
            action = action.message_thread_id(thread(topic));
        }
        let _ = self.call::<_, IgnoredAny>(place, &action).await;
    }

    /// Whether drafts can be tried in this place.
    pub(super) fn takes_drafts(&self, place: ChatPlace) -> bool {
        place.chat > 0 && self.takes_drafts.load(Ordering::Relaxed)
    }

    /// Shows a growing answer. A refusal means that this server never takes one.
    pub(super) async fn draft(&self, place: ChatPlace, draft: i64, words: &Formatted) -> Result<(), ApiError> {
        let words = words.clone().visible();
        let styled = entities(&words.spans);
        let mut call = SendMessageDraft {
            chat_id: place.chat,
            message_thread_id: place.thread(),
            draft_id: draft,
            text: &words.text,
            entities: &styled,
        };
        let mut shown = self.paced::<_, IgnoredAny>(place, &call, CallTurn::OnlyIfSpare).await;
        if let Err(ApiError::Refused { code: 400, about: RefusalKind::Entities, .. }) = &shown
            && !styled.is_empty()
        {
            call.entities = &[];
            shown = self.paced::<_, IgnoredAny>(place, &call, CallTurn::OnlyIfSpare).await;
        }
        if let Err(ApiError::Refused { code: 400 | 404, why, .. }) = &shown {
            tracing::info!(why, "this Bot API server takes no drafts; long answers grow by edits");
            self.takes_drafts.store(false, Ordering::Relaxed);
        }
        shown.map(|_| ())
    }

    pub(super) fn held(&self, place: ChatPlace) -> Duration {
        self.pace().wait_of(place.chat, Instant::now())
    }

    fn pace(&self) -> std::sync::MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call when its time has come; a short flood wait is waited for, once.
    async fn paced<P, T>(&self, place: ChatPlace, payload: &P, turn: CallTurn) -> Result<T, ApiError>
    where
        P: Payload + Serialize + Sync,
        T: DeserializeOwned,
    {
        let taken = match turn {
            CallTurn::Waits => None,
            CallTurn::OnlyIfSpare => Some(self.pace().take_spare(place.chat, Instant::now())),
            CallTurn::Stranger => Some(self.pace().take_for_stranger(place.chat, Instant::now())),
        };
        if let Some(taken) = taken {
            if !taken {
                return Err(ApiError::Flood(Duration::ZERO));
            }
            let result = self.call(place, payload).await;
            if let Err(ApiError::Flood(wait)) = &result {
                self.pace().hold(place.chat, *wait, Instant::now());
            }
            return result;
        }
        self.at_pace(place, || self.call(place, payload)).await
    }

    /// Whatever `call` does, when its time has come.
    pub(super) async fn at_pace<T, F>(&self, place: ChatPlace, call: impl Fn() -> F) -> Result<T, ApiError>
    where
        F: Future<Output = Result<T, ApiError>>,
    {
        const TRIES: u32 = 3;
        let mut tries = 0;
        loop {
            tries += 1;
            let held = self.held(place);
            if held > Duration::from_millis(limits::FLOOD_WAIT_MS_MAX) || tries > TRIES {
                return Err(ApiError::Flood(held));
            }
            let at = self.pace().reserve_in_chat(place.chat, Instant::now());
            tokio::time::sleep_until(at).await;
            let at = self.pace().reserve_overall(place.chat, Instant::now());
            tokio::time::sleep_until(at).await;
            match call().await {
                Err(ApiError::Flood(wait)) => self.pace().hold(place.chat, wait, Instant::now()),
                other => return other,
            }
        }
    }
}

/// Words without their spans: what stood in a quote still stands apart.
fn gutters(text: &str, spans: &[Span]) -> String {
    Formatted { text: text.to_owned(), spans: spans.to_vec() }.with_gutters()
}

/// Telegram understood the call and does not take what is in it.
fn is_about_form(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused { code: 400, .. }) && !is_chat_gone(error)
}

fn is_chat_gone(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused { code: 400, about: RefusalKind::ChatGone, .. })
}

/// Whether trying again makes sense. What is malformed for Telegram today is malformed tomorrow.
pub(super) fn judge(error: ApiError) -> SendError {
    match &error {
        // The bot was blocked or kicked, or the account is gone.
        ApiError::Refused { code: 403, .. } => SendError::Blocked(error.to_string()),
        gone if is_chat_gone(gone) => SendError::Blocked(error.to_string()),
        ApiError::Refused { code: 400, .. } => SendError::Never(error.to_string()),
        ApiError::Refused { .. } | ApiError::Flood(_) | ApiError::Unreachable(_) => SendError::Later(error.to_string()),
    }
}

fn unchanged_is_fine(changed: Result<IgnoredAny, ApiError>) -> Result<(), ApiError> {
    match changed {
        Err(ApiError::Refused { about: RefusalKind::NotModified, .. }) => Ok(()),
        other => other.map(|_| ()),
    }
}

fn number(message: MessageId) -> Result<types::MessageId, ApiError> {
    let refused = |_| ApiError::refused(400, "there is no such message");
    i32::try_from(message.0).map(types::MessageId).map_err(refused)
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
