//! Telegram. (Written on a branch of its own; this is its interface.)
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use crate::config::{Config, TelegramConfig};
use crate::pipeline::Brain;
use crate::ports::Chat;
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TelegramError(pub String);
#[derive(Debug)]
pub struct Telegram;
impl Telegram {
    pub fn new(_telegram: &TelegramConfig, _config: &Config) -> Result<Self, TelegramError> { Err(TelegramError("not here yet".into())) }
    pub fn chat(&self) -> Arc<dyn Chat> { Arc::new(crate::console::ConsoleChat::default()) }
    pub async fn run(self, _brain: Arc<Brain>, _stop: CancellationToken) -> Result<(), TelegramError> { Ok(()) }
}
