//! Membership: the bot was let into a chat, or back into it.

use super::context::{TelegramContext, UpdateJob};
use super::turns;
use brain_core::ports::StoreError;

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
