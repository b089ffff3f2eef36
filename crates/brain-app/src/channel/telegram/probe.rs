//! Probe of a bot, for `doctor`: who it is, and what Telegram says of its updates. Nothing is fetched or changed, so that
//! a bot that is being served goes on undisturbed.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use teloxide::payloads::{GetMe, GetWebhookInfo};

use super::api::{Api, ApiError};
use crate::config::TelegramConfig;
use brain_core::core::text::{one_line, shorten};
use brain_core::limits::ACCOUNT_TROUBLE_CHARS;

/// What is known of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotProbe {
    /// Where the Bot API is: host and port.
    pub place: String,
    /// Its name, without the @.
    pub username: String,
    /// Whether updates are delivered to an address of ours.
    pub has_webhook: bool,
    /// Updates that nobody has fetched yet.
    pub waiting: u64,
    /// What went wrong when Telegram last tried to deliver one.
    pub delivery_error: Option<String>,
    /// How far Telegram's clock is ahead of ours.
    pub clock_ahead: Option<TimeDelta>,
}

/// Why nothing is known of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BotFault {
    /// The token is none of this server's.
    #[error("{0} refuses the token")]
    TokenRefused(String),
    /// No Bot API, or too busy, or not there.
    #[error("{place}: {error}")]
    NoAnswer {
        /// Host and port.
        place: String,
        /// What happened.
        error: String,
    },
}

#[derive(Deserialize)]
struct BotUser {
    #[serde(default)]
    username: String,
}

#[derive(Deserialize, Default)]
struct Delivery {
    #[serde(default)]
    url: String,
    #[serde(default)]
    pending_update_count: u64,
    #[serde(default)]
    last_error_message: Option<String>,
}

/// Asks Telegram who the bot is.
pub async fn probe(config: &TelegramConfig) -> Result<BotProbe, BotFault> {
    let no_answer = |place: String, error: ApiError| BotFault::NoAnswer { place, error: error.to_string() };
    let api = Api::new(config).map_err(|error| no_answer("the Bot API".to_owned(), error))?;
    let place = api.base();
    let named: BotUser = api.call(&GetMe::new()).await.map_err(|error| match error {
        ApiError::Refused { code: 401 | 404, .. } => BotFault::TokenRefused(place.clone()),
        error => no_answer(place.clone(), error),
    })?;
    let delivery: Delivery = api.call(&GetWebhookInfo::new()).await.map_err(|error| no_answer(place.clone(), error))?;
    let asked = Utc::now();
    let clock_ahead = api.date().await.map(|there: DateTime<Utc>| there - asked);
    let said = |words: String| one_line(&shorten(&words, ACCOUNT_TROUBLE_CHARS));
    Ok(BotProbe {
        place,
        username: named.username,
        has_webhook: !delivery.url.is_empty(),
        waiting: delivery.pending_update_count,
        delivery_error: delivery.last_error_message.map(said),
        clock_ahead,
    })
}
