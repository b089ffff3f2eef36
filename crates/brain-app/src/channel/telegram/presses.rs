//! Pressed buttons: answered within a second, and decided beside the messages of their chat.

use super::context::{TelegramContext, UpdateJob};
use super::queue::WaitingRest;
use super::{edits, turns};
use brain_core::core::button::Press;
use brain_core::core::ids::MessageId;
use brain_core::core::turn::Input;
use brain_core::ports::StoreError;
use brain_engine::pipeline::turn::debounce::Debounce;

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
        return edits::redo(context, job, button, &id).await;
    }
    let input = Input::Press { data: data.to_owned(), message: Some(button) };
    let incoming = turns::incoming(job, button, input);
    let ended = turns::run(context, &[&job.entry], &incoming, Debounce::over().in_line(rest.lets_pass())).await;
    context.channel.taps.settle(&context.channel.sender.api, &incoming.turn).await;
    ended
}
