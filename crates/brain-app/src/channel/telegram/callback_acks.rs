//! Taps: pressed buttons, until Telegram was told that they were seen.
//!
//! Until then the button shows a little clock. A tap is answered once: with the words of its turn, when they come in
//! time, else with nothing. Invariant: it waits for no line and for no other call, so that it is answered within a
//! second whatever hangs; whoever takes a tap out answers it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;
use teloxide::payloads::{AnswerCallbackQuery, AnswerCallbackQuerySetters};
use teloxide::requests::Payload;
use teloxide::types::CallbackQueryId;

use super::api::Api;
use brain_core::core::ids::RunId;
use brain_core::core::text::visible;
use brain_core::core::turn::NoticeKind;
use brain_core::limits;

/// Those that wait, by the turn that they have begun.
#[derive(Debug, Default)]
pub(super) struct CallbackAcks(Mutex<HashMap<RunId, String>>);

impl CallbackAcks {
    pub(super) fn add(&self, turn: RunId, query: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(turn, query);
    }

    fn take(&self, turn: &RunId) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(turn)
    }

    /// Answers with words. False when it was answered before, or Telegram does not show them.
    pub(super) async fn notice(&self, api: &Api, turn: &RunId, kind: NoticeKind, words: &str) -> bool {
        let Some(query) = self.take(turn) else { return false };
        let call = AnswerCallbackQuery::new(CallbackQueryId(query)).text(visible(words));
        answered(api, &call.show_alert(kind == NoticeKind::Alert)).await
    }

    /// Answers without words, unless it was answered. Best effort.
    pub(super) async fn settle(&self, api: &Api, turn: &RunId) {
        if let Some(query) = self.take(turn) {
            acknowledge(api, query).await;
        }
    }
}

/// Takes the little clock off a pressed button. Best effort.
pub(super) async fn acknowledge(api: &Api, query: String) {
    answered(api, &AnswerCallbackQuery::new(CallbackQueryId(query))).await;
}

async fn answered(api: &Api, call: &AnswerCallbackQuery) -> bool {
    let limit = Duration::from_millis(limits::NOTICE_CALL_MS);
    match api.method::<_, IgnoredAny>(AnswerCallbackQuery::NAME, call, limit).await {
        Ok(_) => true,
        Err(error) => {
            tracing::debug!(%error, "a press could not be answered");
            false
        }
    }
}
