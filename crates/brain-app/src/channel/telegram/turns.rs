//! Turns begun by updates, what is said in place of one, and what is done when one breaks.
//!
//! Invariants: a panic ends one turn, is told, and what it left undone stays undone; what is answered is closed in the
//! same commit.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tracing::Instrument as _;

use super::context::{TelegramContext, UpdateJob};
use super::inbox::{Inbox, turn_of};
use super::updates::incoming::IncomingEvent;
use crate::config::telegram_user;
use brain_core::core::ids::{ChatId, MessageId};
use brain_core::core::turn::{Incoming, Input, Reply};
use brain_core::ports::records::{InboxEntry, Show};
use brain_core::ports::{Batch, Expect, StoreError};
use brain_engine::pipeline::handle_turn_in;
use brain_engine::pipeline::turn::debounce::Debounce;
use brain_engine::pipeline::turn::log_span;

/// A single update as a turn.
pub(super) fn incoming(job: &UpdateJob, message_id: MessageId, input: Input) -> Incoming {
    let received = job.entry.received_at;
    let at = match &job.update.event {
        IncomingEvent::Message(message) | IncomingEvent::Edited(message) => message.written(received),
        IncomingEvent::Press { .. } | IncomingEvent::Joined => received,
    };
    Incoming {
        turn: turn_of(&job.entry),
        user: telegram_user(job.update.who),
        chat: job.update.place.id(),
        message_id,
        at,
        input,
        inbox: Some(job.entry.name()),
        parts: Vec::new(),
        quote: None,
    }
}

/// One turn, made of these updates.
pub(super) async fn run(
    context: &TelegramContext,
    updates: &[&InboxEntry],
    incoming: &Incoming,
    debounce: Debounce,
) -> Result<(), StoreError> {
    answered(context, updates, incoming, debounce).instrument(log_span(incoming)).await
}

async fn answered(
    context: &TelegramContext,
    updates: &[&InboxEntry],
    incoming: &Incoming,
    debounce: Debounce,
) -> Result<(), StoreError> {
    let ended = AssertUnwindSafe(handle_turn_in(&context.brain, incoming, debounce)).catch_unwind().await;
    context.brain.end(incoming);
    // A line that the answer did not replace; the line of what else runs in the chat is left alone.
    if context.running(&incoming.chat).is_none() {
        context.channel.settle(&incoming.chat).await;
    }
    match ended {
        Ok(_done) => Ok(()),
        Err(_panic) => {
            tracing::error!("a turn broke");
            broken(context, updates, incoming).await
        }
    }
}

/// Tells that a turn broke. What it had begun is settled at the next start; what it had not begun is given up.
pub(super) async fn broken(
    context: &TelegramContext,
    updates: &[&InboxEntry],
    incoming: &Incoming,
) -> Result<(), StoreError> {
    context.brain.end(incoming);
    if context.inbox.is_done(incoming).await? {
        // It broke after its commit: the answer is in the outbox.
        context.channel.late.add(incoming.chat.clone());
        return Ok(());
    }
    context.brain.tell_broken(incoming, closed(updates)?).await
}

/// One sentence in reply; the updates are closed with it.
pub(super) async fn say(
    context: &TelegramContext,
    updates: &[&InboxEntry],
    chat: &ChatId,
    sentence: &str,
) -> Result<(), StoreError> {
    context.brain.tell(chat, vec![Show::Send(Reply::text(sentence))], closed(updates)?).await
}

/// The same as the answer to what was being read: its status line is gone afterwards.
pub(super) async fn answer(
    context: &TelegramContext,
    updates: &[&InboxEntry],
    chat: &ChatId,
    sentence: &str,
) -> Result<(), StoreError> {
    let said = say(context, updates, chat, sentence).await;
    context.channel.settle(chat).await;
    said
}

fn closed(updates: &[&InboxEntry]) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for entry in updates {
        batch.put(&Inbox::closed(entry), Expect::Any)?;
    }
    Ok(batch)
}
