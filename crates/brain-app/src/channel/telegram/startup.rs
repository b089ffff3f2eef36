//! Startup, before updates come in: who the bot is, what the operator is told, the menus of commands.

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use teloxide::payloads::{DeleteWebhook, GetMe, GetWebhookInfo, SetMyCommands, SetMyCommandsSetters};
use teloxide::types::{BotCommand, BotCommandScope};

use super::api::{Api, ApiError};
use super::backoff::Backoff;
use super::context::TelegramContext;
use super::error::TelegramError;
use super::updates::incoming::BotIdentity;
use crate::config::tell;
use brain_core::limits;
use brain_core::ports::records::InboxEntry;
use brain_engine::pipeline::intake::commands::{COMMANDS, SlashCommand, Where};
use brain_engine::pipeline::recover;

/// The status lines of turns that an earlier life did not end become those of the same turns, done again, or of
/// the answers that it did not get to show. All of them before the first begins: its answer must not be taken
/// for a line.
pub(super) async fn take_up_lines(context: &TelegramContext, open: &[InboxEntry]) {
    let updates = open.iter().filter_map(|entry| context.read(entry));
    let mut chats: HashSet<_> = updates.map(|update| update.place.id()).collect();
    match recover::undelivered(&context.brain).await {
        Ok(waiting) => chats.extend(waiting),
        Err(error) => tracing::warn!(%error, "a status line may be left behind"),
    }
    for chat in chats {
        context.channel.take_up(&context.brain, &chat).await;
    }
}

/// Who the bot is; waits for a Telegram that cannot be reached. A webhook of an earlier life is taken off, unless
/// a new one takes its place.
pub(super) async fn meet(api: &Api, by_webhook: bool) -> Result<BotIdentity, TelegramError> {
    #[derive(Deserialize)]
    struct BotName {
        #[serde(default)]
        username: String,
    }
    let mut backoff = Backoff::default();
    let named: BotName = loop {
        match api.call(&GetMe::new()).await {
            Ok(named) => break named,
            Err(ApiError::Refused { code: 401, .. }) => return Err(TelegramError::TokenRefused(String::new())),
            Err(ApiError::Refused { code: 404, .. }) => {
                return Err(TelegramError::TokenRefused(format!(
                    ", and check that {} is a Bot API server",
                    api.base()
                )));
            }
            Err(error) => tokio::time::sleep(backoff.met(&error)).await,
        }
    };
    backoff.over();
    if !by_webhook {
        take_off_webhook(api).await;
    }
    Ok(BotIdentity { id: api.bot_id(), username: named.username })
}

/// While a webhook is set, nothing can be polled. Best effort: polling says so if it is still there.
async fn take_off_webhook(api: &Api) {
    #[derive(Deserialize)]
    struct Hook {
        #[serde(default)]
        url: String,
    }
    match api.call::<_, Hook>(&GetWebhookInfo::new()).await {
        Ok(hook) if hook.url.is_empty() => return,
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, "the webhook could not be looked up");
            return;
        }
    }
    tell("This bot had a webhook; it is taken off, because I fetch messages myself.");
    if let Err(error) = api.call::<_, IgnoredAny>(&DeleteWebhook::new()).await {
        tracing::warn!(%error, "the webhook could not be taken off");
    }
}

pub(super) fn greet_operator(me: &BotIdentity, code: Option<&str>) {
    tell(&format!("Serving Telegram as @{}.", me.username));
    if let Some(code) = code {
        let minutes = limits::PAIRING_SECS / 60;
        tell(&format!(
            "Nobody may talk to me yet. To become my admin, send @{} this pairing code within {minutes} minutes:\n\n    {code}\n\n\
             (Or list numeric ids in BRAIN_ALLOWED_USERS or BRAIN_ADMINS. A restart gives a new code.)",
            me.username
        ));
    }
}

/// The menus beside the input field: everything in private, what works there in groups. Best effort.
pub(super) async fn announce_commands(api: &Api) {
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
