//! Calls to a chat that is not where it was: a group that has another number now, a topic that is gone.
//!
//! Invariant: what Telegram refuses for its address alone is sent again, to the chat as it is now; it is refused for
//! good only when the chat itself takes it nowhere.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use teloxide::requests::Payload;

use super::api::{ApiError, RefusalKind};
use super::place::ChatPlace;
use super::send::PacedSender;
use brain_core::limits;

/// Times that a call is sent on: to where the chat is now, out of a topic that is gone, and once more.
pub(super) const READDRESSED_MAX: usize = 3;

impl PacedSender {
    /// One call about a chat, where that chat is now.
    pub(super) async fn call<P, T>(&self, place: ChatPlace, payload: &P) -> Result<T, ApiError>
    where
        P: Payload + Serialize + Sync,
        T: DeserializeOwned,
    {
        let mut to = self.moves.place(place);
        let mut answer = if to == place { self.api.call(payload).await } else { self.to(to, payload).await };
        for _ in 0..READDRESSED_MAX {
            let Some(next) = answer.as_ref().err().and_then(|error| self.elsewhere(place, to, error)) else { break };
            to = next;
            answer = self.to(to, payload).await;
        }
        answer
    }

    /// Where a message goes that is refused at `tried`; `None` where its address is not the reason, or nowhere is left.
    pub(super) fn elsewhere(&self, place: ChatPlace, tried: ChatPlace, error: &ApiError) -> Option<ChatPlace> {
        match error {
            ApiError::Refused { about: RefusalKind::MovedTo(chat), .. } if *chat != tried.chat => {
                self.moves.note(place.chat, *chat);
                Some(ChatPlace { chat: *chat, ..tried })
            }
            ApiError::Refused { code: 400, about: RefusalKind::TopicGone, .. } => {
                tried.thread().map(|_| ChatPlace { topic: None, ..tried })
            }
            ApiError::Refused { .. } | ApiError::Flood(_) | ApiError::Unreachable(_) => None,
        }
    }

    /// The same call to another address.
    async fn to<P, T>(&self, to: ChatPlace, payload: &P) -> Result<T, ApiError>
    where
        P: Payload + Serialize + Sync,
        T: DeserializeOwned,
    {
        let mut params = serde_json::to_value(payload).map_err(|error| ApiError::refused(400, error.to_string()))?;
        if let Value::Object(params) = &mut params {
            params.insert("chat_id".to_owned(), json!(to.chat));
            if to.thread().is_none() {
                params.remove("message_thread_id");
            }
        }
        self.api.method(P::NAME, &params, Duration::from_millis(limits::TELEGRAM_CALL_MS)).await
    }
}
