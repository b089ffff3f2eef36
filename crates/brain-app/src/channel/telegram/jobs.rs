//! From a job to what handles it.
//!
//! Invariants: nothing that breaks here ends its line; an update that was under way at every death of the process is
//! set aside and told, and one that was so at some of them runs alone, so that no other is blamed for it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::context::{TelegramContext, UpdateJob};
use super::inbox::{Inbox, turn_of};
use super::queue::WaitingRest;
use super::updates::incoming::IncomingEvent;
use super::{debounce, edits, groups, joined, presses};
use brain_core::core::text::{shorten, visible};
use brain_core::failpoint::fail_point;
use brain_core::limits;
use brain_core::ports::{Batch, Expect, StoreError};

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
        IncomingEvent::Edited(message) => edits::offer(context, &job, &message).await,
        IncomingEvent::Press { message, data, .. } => presses::press(context, &job, message, &data, rest).await,
        IncomingEvent::Joined => joined::joined(context, &job).await,
    }
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
