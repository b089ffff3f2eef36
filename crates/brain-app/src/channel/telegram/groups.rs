//! Groups: the bot answers who mentions it or replies to it, and keeps a conversation for each topic.
//!
//! Invariants: nobody is answered who is not served; nothing private is said in a group, and nothing is decided
//! there: what needs somebody's data goes to their private chat, and the group is only told where. Words from a
//! group never approve (`Origin::InGroup`). Edits and presses in groups are nothing.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use teloxide::payloads::SendChatAction;
use teloxide::types::{self, ChatAction};

use super::api::ApiError;
use super::context::{TelegramContext, UpdateJob};
use super::place::ChatPlace;
use super::queue::WaitingRest;
use super::turns;
use super::updates::incoming::{IncomingEvent, IncomingMessage, IncomingUpdate, MessageContent};
use brain_core::core::ids::MessageId;
use brain_core::core::turn::{Input, Origin, Reply};
use brain_core::ports::records::Show;
use brain_core::ports::{Batch, StoreError};
use brain_engine::pipeline::public::{Public, handle_public_turn};

const PRIVATELY: &str = "I'm answering that in our private chat.";
const STOPPING: &str = "Okay, stopping.";
const NOTHING_RUNS: &str = "Nothing is running here.";

/// Something was said to the bot.
pub(super) async fn handle(
    context: &TelegramContext,
    job: UpdateJob,
    message: IncomingMessage,
    rest: &WaitingRest<UpdateJob>,
) -> Result<(), StoreError> {
    let words =
        message.content == MessageContent::TextOnly && message.origin.is_own_words() && !message.text.trim().is_empty();
    if words && message.is_cancel() {
        return cancel(context, &job).await;
    }
    if words {
        // Nobody approves anything here, so it does not matter how the words came about.
        let input = Input::Message { text: message.text.clone(), origin: Origin::InGroup, reply_to: None };
        let incoming = turns::incoming(&job, message.number, input);
        match AssertUnwindSafe(handle_public_turn(&context.brain, &incoming)).catch_unwind().await {
            Ok(Public::Answered(_done)) => return Ok(()),
            Ok(Public::Private) => {}
            Err(_panic) => {
                tracing::error!(turn = %incoming.turn, "a turn broke");
                return turns::broken(context, &[&job.entry], &incoming).await;
            }
        }
    }
    let (group, private) = (job.update.place.id(), ChatPlace { chat: job.update.who, topic: None });
    if !is_open(context, private).await {
        let how = format!(
            "I can only answer that privately, and we have no private chat yet. Open it here, press Start, and ask me again: https://t.me/{}",
            context.me.username
        );
        return turns::say(context, &[&job.entry], &group, &how).await;
    }
    context.brain.tell(&group, vec![Show::Send(Reply::text(PRIVATELY))], Batch::default()).await?;
    let origin = if message.origin.is_own_words() { Origin::InGroup } else { message.origin };
    // It has no number in the private chat, and replies to nothing there.
    let message = IncomingMessage { number: MessageId(0), origin, reply_to: None, ..message };
    let event = IncomingEvent::Message(message);
    let update = IncomingUpdate { place: private, private: true, event, ..job.update };
    rest.hand_over(&private.id(), UpdateJob { update, resumed: true, ..job });
    Ok(())
}

/// Stops what runs in the group. What waits for a yes waits in a private chat, and is cancelled there.
async fn cancel(context: &TelegramContext, job: &UpdateJob) -> Result<(), StoreError> {
    let group = job.update.place.id();
    let running = context.running(&group);
    let told = if running.is_some() { STOPPING } else { NOTHING_RUNS };
    if let Some(running) = running {
        running.cancel();
    }
    turns::say(context, &[&job.entry], &group, told).await
}

/// Whether the bot may write there: only people open private chats.
async fn is_open(context: &TelegramContext, private: ChatPlace) -> bool {
    let typing = SendChatAction::new(types::ChatId(private.chat), ChatAction::Typing);
    let tried = context.channel.sender.api.call::<_, serde::de::IgnoredAny>(&typing).await;
    !matches!(tried, Err(ApiError::Refused { .. }))
}
