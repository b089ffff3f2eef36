//! Fatal errors of the bot. What ends one call is an [`ApiError`], what ends one turn is told to its person.

use super::api::ApiError;
use brain_core::ports::StoreError;

/// Why Telegram cannot be served. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TelegramError {
    /// At start; a token that is revoked later is waited out.
    #[error("the token was refused (TELEGRAM_BOT_TOKEN): get a valid one from @BotFather{0}")]
    TokenRefused(String),
    /// The client could not be set up.
    #[error("Telegram cannot be used: {0}")]
    Setup(#[from] ApiError),
    /// The webhook's address cannot be listened on.
    #[error("{addr} cannot be listened on for the webhook (BRAIN_WEBHOOK_ADDR): {why}")]
    Listen {
        /// The address it should listen on, as configured.
        addr: std::net::SocketAddr,
        /// What the system said.
        why: String,
    },
    /// teloxide's dispatcher; see [`super::dispatch::introduced`].
    #[error("the dispatcher could not be set up, which needs a connection of this machine to itself: {0}")]
    Dispatcher(String),
    /// Reading or writing the durable inbox failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
