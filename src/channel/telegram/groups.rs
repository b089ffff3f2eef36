//! Groups: the bot answers who mentions it or replies to it, and keeps a conversation for each topic.
//!
//! Invariants: nobody is answered who is not served; nothing private is said in a group, and nothing is decided
//! there: what needs somebody's data goes to their private chat, and the group is only told where. Words from a
//! group never approve (`Origin::InGroup`). Edits and presses in groups are nothing.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use teloxide_core::payloads::SendChatAction;
use teloxide_core::types::{self, ChatAction};

use super::api::ApiError;
use super::convert::{ChatUpdate, Said, UpdateKind, With};
use super::place::ChatPlace;
use super::queue::Rest;
use super::turns::{self, Desk, Job};
use crate::core::ids::MessageId;
use crate::core::turn::{Input, Origin, Reply};
use crate::pipeline::public::{Public, handle_public_turn};
use crate::ports::records::Show;
use crate::ports::{Batch, StoreError};

const PRIVATELY: &str = "I'm answering that in our private chat.";
const STOPPING: &str = "Okay, stopping.";
const NOTHING_RUNS: &str = "Nothing is running here.";

/// The bot was let into a group by somebody it serves: how to talk to it.
pub(super) async fn added(desk: &Desk, job: &Job) -> Result<(), StoreError> {
    let hello = format!(
        "Hi! Mention me (@{}) or reply to one of my messages, and I answer the people I work for. What is private, and whatever needs a yes, I handle in their private chat with me. With privacy mode on, which is usual, I see no other messages here.",
        desk.me.username
    );
    turns::say(desk, &[&job.entry], &job.heard.place.id(), &hello).await
}

/// Something was said to the bot.
pub(super) async fn said(desk: &Desk, job: Job, said: Said, rest: &Rest<Job>) -> Result<(), StoreError> {
    let words = said.with == With::Nothing && said.origin.is_own_words() && !said.text.trim().is_empty();
    if words && turns::is_cancel(&said) {
        return cancel(desk, &job).await;
    }
    if words {
        // Nobody approves anything here, so it does not matter how the words came about.
        let input = Input::Message { text: said.text.clone(), origin: Origin::InGroup, reply_to: None };
        let incoming = turns::incoming(&job, said.number, input);
        match AssertUnwindSafe(handle_public_turn(&desk.brain, &incoming)).catch_unwind().await {
            Ok(Public::Answered(_done)) => return Ok(()),
            Ok(Public::Private) => {}
            Err(_panic) => {
                tracing::error!(turn = %incoming.turn, "a turn broke");
                return turns::broken(desk, &[&job.entry], &incoming).await;
            }
        }
    }
    let (group, home) = (job.heard.place.id(), ChatPlace { chat: job.heard.who, topic: None });
    if !is_open(desk, home).await {
        let how = format!(
            "I can only answer that privately, and we have no private chat yet. Open it here, press Start, and ask me again: https://t.me/{}",
            desk.me.username
        );
        return turns::say(desk, &[&job.entry], &group, &how).await;
    }
    desk.brain.tell(&group, vec![Show::Send(Reply::text(PRIVATELY))], Batch::default()).await?;
    let origin = if said.origin.is_own_words() { Origin::InGroup } else { said.origin };
    // It has no number in the private chat, and replies to nothing there.
    let said = Said { number: MessageId(0), origin, reply_to: None, ..said };
    let heard = ChatUpdate { place: home, private: true, what: UpdateKind::Said(said), ..job.heard };
    rest.hand_over(&home.id(), Job { heard, resumed: true, ..job });
    Ok(())
}

/// Stops what runs in the group. What waits for a yes waits in a private chat, and is cancelled there.
async fn cancel(desk: &Desk, job: &Job) -> Result<(), StoreError> {
    let group = job.heard.place.id();
    let running = desk.under_way(&group);
    let told = if running.is_some() { STOPPING } else { NOTHING_RUNS };
    if let Some(running) = running {
        running.cancel();
    }
    turns::say(desk, &[&job.entry], &group, told).await
}

/// Whether the bot may write there: only people open private chats.
async fn is_open(desk: &Desk, home: ChatPlace) -> bool {
    let typing = SendChatAction::new(types::ChatId(home.chat), ChatAction::Typing);
    let tried = desk.chat.wire.api.call::<_, serde::de::IgnoredAny>(&typing).await;
    !matches!(tried, Err(ApiError::Refused { .. }))
}
