//! Pressed buttons: answered within a second, and decided beside the messages of their chat.

use std::sync::Arc;

use serde_json::Value;

use super::super::context::{TelegramContext, UpdateJob};
use super::super::dispatch::Handled;
use super::super::place::ChatPlace;
use super::super::queue::{ChatLane, WaitingRest};
use super::super::turns;
use super::{IncomingEvent, IncomingUpdate, edited_message, text};
use crate::core::button::Press;
use crate::core::ids::MessageId;
use crate::core::turn::Input;
use crate::pipeline::intake::commands;
use crate::pipeline::turn::debounce::Debounce;
use crate::ports::StoreError;

/// Buttons of messages that are sent through other chats' inline mode have no message; we never make them.
pub(super) fn read(query: &Value) -> Option<IncomingUpdate> {
    let message = &query["message"];
    let event = IncomingEvent::Press {
        query: text(&query["id"])?,
        message: MessageId(message["message_id"].as_i64()?),
        data: text(&query["data"]).unwrap_or_default(),
    };
    let private = message["chat"]["type"] == "private";
    Some(IncomingUpdate { who: query["from"]["id"].as_i64()?, place: ChatPlace::of(message)?, private, event })
}

/// The dispatcher's endpoint.
pub async fn handle(job: UpdateJob, context: Arc<TelegramContext>) -> Handled {
    context.tapped(&job);
    let lane = match &job.update.event {
        IncomingEvent::Press { data, .. } => lane(data),
        IncomingEvent::Message(_) | IncomingEvent::Edited(_) | IncomingEvent::Joined => ChatLane::Messages,
    };
    context.enqueue(lane, job);
    Ok(())
}

/// What does a message again is a message, and keeps its place among them.
pub fn lane(data: &str) -> ChatLane {
    let press = Input::Press { data: data.to_owned(), message: None };
    if commands::overtakes(&press) { ChatLane::Presses } else { ChatLane::Messages }
}

/// Does what the button says. Cards are never shown in a group, so a press there is nothing.
pub async fn press(
    context: &TelegramContext,
    job: &UpdateJob,
    button: MessageId,
    data: &str,
    rest: &WaitingRest<UpdateJob>,
) -> Result<(), StoreError> {
    if !job.update.private {
        return context.inbox.close(&job.entry).await;
    }
    if let Some(Press::Redo(id)) = Press::decode(data) {
        return edited_message::redo(context, job, button, &id).await;
    }
    let input = Input::Press { data: data.to_owned(), message: Some(button) };
    let incoming = turns::incoming(job, button, input);
    let ended = turns::run(context, &[&job.entry], &incoming, Debounce::over().in_line(rest.lets_pass())).await;
    context.channel.taps.settle(&context.channel.sender.api, &incoming.turn).await;
    ended
}
