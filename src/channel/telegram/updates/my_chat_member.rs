//! The bot was let into a chat, or back into it.

use std::sync::Arc;

use serde_json::Value;

use super::super::context::{TelegramContext, UpdateJob};
use super::super::dispatch::Handled;
use super::super::place::ChatPlace;
use super::super::queue::ChatLane;
use super::super::turns;
use super::{IncomingEvent, IncomingUpdate};
use crate::ports::StoreError;

/// `None` for everything but being let in by a person.
pub(super) fn read(membership: &Value) -> Option<IncomingUpdate> {
    let inside = |when: &str| matches!(membership[when]["status"].as_str(), Some("member" | "administrator"));
    let kind = membership["chat"]["type"].as_str()?;
    let from = &membership["from"];
    let is_ours = matches!(kind, "private" | "group" | "supergroup") && from["is_bot"] != true;
    if !is_ours || inside("old_chat_member") || !inside("new_chat_member") {
        return None;
    }
    let place = ChatPlace::of(membership)?;
    Some(IncomingUpdate { who: from["id"].as_i64()?, place, private: kind == "private", event: IncomingEvent::Joined })
}

/// The dispatcher's endpoint.
pub async fn handle(job: UpdateJob, context: Arc<TelegramContext>) -> Handled {
    context.enqueue(ChatLane::Messages, job);
    Ok(())
}

/// In a group the bot says how to talk to it. In a private chat nothing has to be said: what waited there is
/// delivered when any update comes.
pub async fn joined(context: &TelegramContext, job: &UpdateJob) -> Result<(), StoreError> {
    if job.update.private {
        return context.inbox.close(&job.entry).await;
    }
    let hello = format!(
        "Hi! Mention me (@{}) or reply to one of my messages, and I answer the people I work for. What is private, and whatever needs a yes, I handle in their private chat with me. With privacy mode on, which is usual, I see no other messages here.",
        context.me.username
    );
    turns::say(context, &[&job.entry], &job.update.place.id(), &hello).await
}
