//! Telegram: from an update to a turn, and from a reply to a message.
//!
//! ```text
//! getUpdates or webhook ─► read, served?, stored ─► teloxide's dispatcher ─► the chat's queue ─► turn ─► outbox ─► Telegram
//!   listener,               intake, updates,          dispatch                 queue, jobs, turns,        channel, send,
//!   polling, webhook        access, inbox                                      debounce                   pace, status
//! ```
//!
//! Each kind of update is read by a module in `updates`, and `jobs` says what handles it: `debounce`, `groups`,
//! `edits`, `presses`, `joined`.
//!
//! Invariants: an update is in the durable inbox before Telegram may forget it, and is handled once; a chat's
//! messages are handled in order and no chat delays another; presses have a queue of their own, and `/cancel`
//! none; nobody is served who was not let in; the token appears in no error and no log.
//!
//! Not here: understanding pictures.

mod access;
mod api;
mod attachments;
mod backoff;
mod callback_acks;
mod channel;
mod context;
mod debounce;
mod dispatch;
mod edits;
mod entities;
mod error;
mod files;
mod groups;
mod inbox;
mod intake;
mod jobs;
mod joined;
mod keyboard;
mod last_edits;
mod listener;
mod moves;
mod one_text;
mod pace;
mod pairing;
mod place;
mod polling;
mod presses;
pub mod probe;
mod queue;
mod readdressed;
mod redeliver;
mod send;
#[cfg(test)]
mod send_tests;
mod startup;
mod status;
mod turns;
mod updates;
mod webhook;

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use teloxide::error_handlers::IgnoringErrorHandlerSafe;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::{Config, TelegramConfig, WebhookConfig};
use access::{Access, Door};
use brain_core::kept_files::KeptFiles;
use brain_core::limits;
use brain_core::ports::{Channel, Transcriber};
use brain_engine::pipeline::brain::Brain;
use channel::TelegramChannel;
use context::TelegramContext;
pub use error::TelegramError;
use inbox::Inbox;
use queue::ChatQueues;
use webhook::Webhook;

/// Time that is left of a clean shutdown for what comes after the turns: closing the store.
const CLOSING: Duration = Duration::from_millis(1_000);

/// The bot, before and while it serves.
#[derive(Debug)]
pub struct Telegram {
    channel: Arc<TelegramChannel>,
    door: Door,
    webhook: Option<WebhookConfig>,
    debounce: Duration,
    transcriber: Option<Arc<dyn Transcriber>>,
    files: KeptFiles,
}

impl Telegram {
    /// A bot for this configuration; nothing is sent yet.
    pub fn new(telegram: &TelegramConfig, config: &Config) -> Result<Self, TelegramError> {
        let door = Door { allowed: config.allowed_users.clone(), admins: config.admins.iter().copied().collect() };
        Ok(Self {
            channel: Arc::new(TelegramChannel::new(telegram)?),
            door,
            webhook: telegram.webhook.clone(),
            debounce: config.debounce,
            transcriber: None,
            files: KeptFiles::of(&config.data_dir),
        })
    }

    /// The same, with a transcriber of recordings.
    #[must_use]
    pub fn listening_with(self, transcriber: Option<Arc<dyn Transcriber>>) -> Self {
        Self { transcriber, ..self }
    }

    /// Where its people read.
    pub fn channel(&self) -> Arc<dyn Channel> {
        self.channel.clone()
    }

    /// Serves until `stop`. What runs then may finish; what does not is handled again after the next start.
    pub async fn run(self, brain: Arc<Brain>, stop: CancellationToken) -> Result<(), TelegramError> {
        let (access, code) = Access::open(&brain, &self.door).await?;
        let met = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            met = startup::meet(&self.channel.sender.api, self.webhook.is_some()) => met,
        };
        let me = met?;
        let bot = dispatch::introduced(&me).await?;
        startup::greet_operator(&me, code.as_deref());
        self.channel.remember_in(&brain);
        self.channel.sender.moves.open(&brain).await?;
        let (inbox, open) = Inbox::open(brain.store.clone()).await?;
        let Self { channel, webhook, debounce, transcriber, files, .. } = self;
        let webhook = match webhook {
            Some(webhook) => Some(Webhook::bind(webhook).await?),
            None => None,
        };
        let context = Arc::new_cyclic(|context: &Weak<TelegramContext>| {
            let context = context.clone();
            let work = move |job, rest| jobs::work(context.upgrade(), job, rest);
            let (queues, dispatched) = (Arc::new(ChatQueues::new(work)), Mutex::default());
            let suspects = tokio::sync::Mutex::default();
            TelegramContext {
                brain,
                channel,
                access,
                inbox,
                me,
                debounce,
                transcriber,
                files,
                queues,
                dispatched,
                suspects,
            }
        });
        context.aside(|context| async move { startup::announce_commands(&context.channel.sender.api).await });
        startup::take_up_lines(&context, &open).await;
        let redelivery = redeliver::run(context.brain.clone(), context.channel.clone());
        let _redelivery = AbortOnDropHandle::new(tokio::spawn(redelivery));
        let open = context.resume(open).await;
        let listener = listener::listener(context.clone(), open, webhook, stop);
        let mut dispatcher = dispatch::dispatcher(bot, context.clone());
        let dispatched = dispatcher.try_dispatch_with_listener(listener, IgnoringErrorHandlerSafe::new()).await;
        let limit = Duration::from_millis(limits::SHUTDOWN_MS).saturating_sub(CLOSING);
        if !context.queues.stop(limit).await {
            tracing::warn!("some turns were dropped; they are handled again after the next start");
            context.inbox.absolve().await?;
        }
        let _ = tokio::time::timeout(CLOSING / 2, context.channel.settle_all()).await;
        dispatched.map_err(dispatch::cannot)
    }
}
