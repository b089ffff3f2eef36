//! Telegram: from an update to a turn, and from a reply to a message.
//!
//! ```text
//! getUpdates or webhook ─► heard? served? ─► inbox (durable) ─► the chat's line ─► turn ─► outbox ─► channel ─► Telegram
//!   polling,   webhook    convert, access     inbox             queue         turns, gather         channel, pace
//! ```
//!
//! What is no plain message has a file of its own: `things` (recordings, files, contacts, places), `edits`,
//! `groups`.
//!
//! Invariants: an update is in the durable inbox before Telegram may forget it, and is handled once; a chat's
//! messages are handled in order and no chat delays another; presses have a line of their own, and `/cancel`
//! none; nobody is served who was not let in; the token appears in no error and no log. Of teloxide only payloads
//! are used; its dispatcher acknowledges updates before they are handled and does not survive a panic.
//!
//! Not here: understanding pictures.

mod access;
mod api;
mod channel;
mod convert;
mod edits;
mod entities;
mod files;
mod gather;
mod groups;
mod inbox;
mod pace;
mod pairing;
mod place;
mod polling;
mod queue;
mod redeliver;
mod send;
mod status;
mod things;
mod trouble;
mod turns;
mod webhook;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use teloxide_core::payloads::{DeleteWebhook, GetMe, GetWebhookInfo, SetMyCommands, SetMyCommandsSetters};
use teloxide_core::types::{BotCommand, BotCommandScope};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::{Config, TelegramConfig, WebhookConfig};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::pipeline::commit;
use crate::pipeline::intake::commands::{COMMANDS, SlashCommand, Where};
use crate::ports::{Channel, StoreError, Transcriber};
use access::{Access, Door};
use api::{Api, ApiError};
use channel::TelegramChannel;
use convert::Me;
use inbox::Inbox;
use queue::Queues;
use trouble::Trouble;
use turns::Desk;

/// Why Telegram cannot be served. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TelegramError {
    /// At start; a token that is revoked later is waited out.
    #[error("the token was refused (TELEGRAM_BOT_TOKEN): get a valid one from @BotFather{0}")]
    TokenRefused(String),
    /// The client could not be set up.
    #[error("Telegram cannot be used: {0}")]
    Setup(#[from] ApiError),
    /// The webhook's door.
    #[error("{addr} cannot be listened on for the webhook (BRAIN_WEBHOOK_ADDR): {why}")]
    Listen {
        /// Where.
        addr: std::net::SocketAddr,
        /// What the system said.
        why: String,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Time that is left of a clean shutdown for what comes after the turns: closing the store.
const CLOSING: Duration = Duration::from_millis(1_000);

/// The bot, before and while it serves.
#[derive(Debug)]
pub struct Telegram {
    chat: Arc<TelegramChannel>,
    door: Door,
    webhook: Option<WebhookConfig>,
    pause: Duration,
    transcriber: Option<Arc<dyn Transcriber>>,
}

impl Telegram {
    /// A bot for this configuration; nothing is sent yet.
    pub fn new(telegram: &TelegramConfig, config: &Config) -> Result<Self, TelegramError> {
        let door = Door { allowed: config.allowed_users.clone(), admins: config.admins.clone() };
        Ok(Self {
            chat: Arc::new(TelegramChannel::new(telegram)?),
            door,
            webhook: telegram.webhook.clone(),
            pause: config.breath,
            transcriber: None,
        })
    }

    /// The same, with somebody who listens to recordings.
    #[must_use]
    pub fn listening_with(self, transcriber: Option<Arc<dyn Transcriber>>) -> Self {
        Self { transcriber, ..self }
    }

    /// Where its people read.
    pub fn channel(&self) -> Arc<dyn Channel> {
        self.chat.clone()
    }

    /// Serves until `stop`. What runs then may finish; what does not is handled again after the next start.
    pub async fn run(self, brain: Arc<Brain>, stop: CancellationToken) -> Result<(), TelegramError> {
        let (access, code) = Access::open(&brain, &self.door).await?;
        let hello = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            hello = hello(&self.chat.wire.api, self.webhook.is_some()) => hello,
        };
        let me = hello?;
        greet_operator(&me, code.as_deref());
        self.chat.remember_in(&brain);
        let (inbox, open) = Inbox::open(brain.store.clone()).await?;
        let Self { chat, webhook, pause, transcriber, .. } = self;
        let desk = Arc::new(Desk { brain, chat, access, inbox, me, pause, transcriber });
        let at_work = desk.clone();
        let queues = Arc::new(Queues::new(move |job, rest| turns::handle(at_work.clone(), job, rest)));
        let commands = desk.clone();
        queues.aside(async move { announce_commands(&commands.chat.wire.api).await });
        take_up_lines(&desk, &open).await;
        let redelivery = redeliver::run(desk.brain.clone(), desk.chat.clone());
        let _redelivery = AbortOnDropHandle::new(tokio::spawn(redelivery));
        turns::resume(&desk, &queues, open).await;
        let received = match &webhook {
            Some(webhook) => webhook::receive(&desk, &queues, webhook, &stop).await,
            None => {
                polling::poll(&desk, &queues, &stop).await;
                Ok(())
            }
        };
        let limit = Duration::from_millis(limits::SHUTDOWN_MS).saturating_sub(CLOSING);
        if !queues.stop(limit).await {
            tracing::warn!("some turns were dropped; they are handled again after the next start");
        }
        let _ = tokio::time::timeout(CLOSING / 2, desk.chat.settle_all()).await;
        received
    }
}

/// The status lines of turns that an earlier life did not end become those of the same turns, done again, or of
/// the answers that it did not get to show. All of them before the first begins: its answer must not be taken
/// for a line.
async fn take_up_lines(desk: &Desk, open: &[inbox::WaitingUpdate]) {
    let heard = open.iter().filter_map(|entry| convert::hear(&entry.raw, &desk.me));
    let mut chats: std::collections::HashSet<_> = heard.map(|heard| heard.place.id()).collect();
    match commit::undelivered(&desk.brain).await {
        Ok(waiting) => chats.extend(waiting),
        Err(error) => tracing::warn!(%error, "a status line may be left behind"),
    }
    for chat in chats {
        desk.chat.take_up(&desk.brain, &chat).await;
    }
}

/// Who the bot is; waits for a Telegram that cannot be reached. A webhook of an earlier life is taken off, unless
/// a new one takes its place.
async fn hello(api: &Api, by_webhook: bool) -> Result<Me, TelegramError> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        username: String,
    }
    #[derive(Deserialize)]
    struct Hook {
        #[serde(default)]
        url: String,
    }
    let mut trouble = Trouble::default();
    let named: Named = loop {
        match api.call(&GetMe::new()).await {
            Ok(named) => break named,
            Err(ApiError::Refused { code: 401, .. }) => return Err(TelegramError::TokenRefused(String::new())),
            Err(ApiError::Refused { code: 404, .. }) => {
                return Err(TelegramError::TokenRefused(format!(
                    ", and check that {} is a Bot API server",
                    api.base()
                )));
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    };
    trouble.over();
    let me = Me { id: api.bot_id(), username: named.username };
    if by_webhook {
        return Ok(me);
    }
    match api.call::<_, Hook>(&GetWebhookInfo::new()).await {
        Ok(hook) if !hook.url.is_empty() => take_off_webhook(api).await,
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the webhook could not be looked up"),
    }
    Ok(me)
}

/// While a webhook is set, nothing can be polled. Best effort: polling says so if it is still there.
async fn take_off_webhook(api: &Api) {
    eprintln!("This bot had a webhook; it is taken off, because I fetch messages myself.");
    if let Err(error) = api.call::<_, IgnoredAny>(&DeleteWebhook::new()).await {
        tracing::warn!(%error, "the webhook could not be taken off");
    }
}

fn greet_operator(me: &Me, code: Option<&str>) {
    eprintln!("Serving Telegram as @{}.", me.username);
    if let Some(code) = code {
        let minutes = limits::PAIRING_SECS / 60;
        eprintln!(
            "Nobody may talk to me yet. To become my admin, send @{} this pairing code within {minutes} minutes:\n\n    {code}\n\n\
             (Or list numeric ids in BRAIN_ALLOWED_USERS or BRAIN_ADMINS. A restart gives a new code.)",
            me.username
        );
    }
}

/// The menus beside the input field: everything in private, what works there in groups. Best effort.
async fn announce_commands(api: &Api) {
    let menu = |works: fn(&SlashCommand) -> bool| {
        let commands = COMMANDS.iter().filter(|command| works(command));
        SetMyCommands::new(commands.map(|command| BotCommand::new(command.name, command.words)))
    };
    let menus = [
        menu(|_| true).scope(BotCommandScope::AllPrivateChats),
        menu(|command| command.place == Where::Anywhere).scope(BotCommandScope::AllGroupChats),
    ];
    for menu in menus {
        if let Err(error) = api.call::<_, IgnoredAny>(&menu).await {
            tracing::debug!(%error, "the menu of commands could not be set");
        }
    }
}
