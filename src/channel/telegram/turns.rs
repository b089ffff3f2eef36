//! From a job to its turn, and what is done when a turn breaks.
//!
//! Invariants: a panic ends one turn, is told, and what it left undone stays undone; an update that was under way at
//! every death of the process is set aside and told, and one that was under way at some of them is under way alone, so
//! that no other is blamed for it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::context::{TelegramContext, UpdateJob};
use super::inbox::{Inbox, turn_of};
use super::queue::WaitingRest;
use super::updates::{IncomingEvent, callback_query, edited_message, my_chat_member};
use super::{debounce, groups};
use crate::config::telegram_user;
use crate::core::ids::{ChatId, MessageId};
use crate::core::text::{shorten, visible};
use crate::core::turn::{Incoming, Input, Reply};
use crate::failpoint::fail_point;
use crate::limits;
use crate::pipeline::handle_turn_in;
use crate::pipeline::turn::debounce::Debounce;
use crate::ports::records::{InboxEntry, Show};
use crate::ports::{Batch, Expect, StoreError};

/// Said of a message that is set aside.
const SET_ASIDE: &str = "I don't try it again. Please check /today or /tasks for what it may have done, and tell whoever runs me before you send it once more.";

/// Does a job, whatever comes of it.
pub(super) async fn work(context: Option<Arc<TelegramContext>>, job: UpdateJob, rest: WaitingRest<UpdateJob>) {
    // Gone only when the program ends.
    let Some(context) = context else { return };
    let ended = AssertUnwindSafe(work_on(&context, job, &rest)).catch_unwind().await;
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "an update stays open; it is handled again after the next start"),
        // A turn that breaks is caught and told where it runs; this is the last net under its line.
        Err(_panic) => tracing::error!("an update broke before its turn; it is handled again after the next start"),
    }
}

async fn work_on(
    context: &TelegramContext,
    mut job: UpdateJob,
    rest: &WaitingRest<UpdateJob>,
) -> Result<(), StoreError> {
    let _alone = match job.entry.resumptions {
        0 => None,
        1..limits::DEATHS_MAX => Some(context.suspects.lock().await),
        limits::DEATHS_MAX.. => return set_aside(context, &job).await,
    };
    if job.resumed {
        job.entry = context.inbox.resume(&job.entry).await?;
        fail_point("resumed");
    }
    if let IncomingEvent::Message(_) | IncomingEvent::Joined = job.update.event {
        // Who writes to us, or lets us in, lets us answer.
        context.brain.unblocked(&job.update.place.id()).await?;
    }
    match job.update.event.clone() {
        IncomingEvent::Message(_) if job.update.private => debounce::handle(context, job, rest).await,
        IncomingEvent::Message(message) => groups::handle(context, job, message, rest).await,
        IncomingEvent::Edited(message) => edited_message::offer(context, &job, &message).await,
        IncomingEvent::Press { message, data, .. } => callback_query::press(context, &job, message, &data, rest).await,
        IncomingEvent::Joined => my_chat_member::joined(context, &job).await,
    }
}

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
    let ended = AssertUnwindSafe(handle_turn_in(&context.brain, incoming, debounce)).catch_unwind().await;
    context.brain.end(incoming);
    // A line that the answer did not replace; the line of what else runs in the chat is left alone.
    if context.running(&incoming.chat).is_none() {
        context.channel.settle(&incoming.chat).await;
    }
    match ended {
        Ok(_done) => Ok(()),
        Err(_panic) => {
            tracing::error!(turn = %incoming.turn, "a turn broke");
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

/// Tells that an update is not tried any more. What it had begun is settled at the next start, as when a turn breaks.
async fn set_aside(context: &TelegramContext, job: &UpdateJob) -> Result<(), StoreError> {
    tracing::error!(
        update = job.entry.update,
        resumptions = job.entry.resumptions,
        "an update is set aside: the process ended each time it was handled"
    );
    let what = match &job.update.event {
        IncomingEvent::Message(message) | IncomingEvent::Edited(message) if !message.text.trim().is_empty() => {
            format!("your message “{}”", shorten(&visible(&message.text), limits::ACTION_NAMED_CHARS))
        }
        IncomingEvent::Message(_) | IncomingEvent::Edited(_) => "the message you sent without words".to_owned(),
        IncomingEvent::Press { .. } => "the button you pressed".to_owned(),
        IncomingEvent::Joined => "your invitation".to_owned(),
    };
    let mut batch = Batch::default();
    for (entry, _) in &job.joined {
        batch.put(&Inbox::closed(entry), Expect::Any)?;
    }
    batch.put(&Inbox::set_aside(&job.entry), Expect::Any)?;
    let said = format!("I stopped each time I worked on {what}, so I have set it aside. {SET_ASIDE}");
    context.brain.tell_given_up(&turn_of(&job.entry), &job.update.place.id(), said, batch).await
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
