//! What a turn reads as it begins: who writes, what is going on in the chat, the conversation, what its message replies
//! to, and what is open. All of it is of one moment, and the snapshot is gone when this is done: nothing of the store
//! is held while a turn waits for anybody.

use crate::pipeline::brain::Brain;
use crate::queries::pending;
use crate::queries::pending::OpenCards;
use brain_core::core::ids::ChatId;
use brain_core::core::pending::Pending;
use brain_core::core::turn::{Incoming, Input};
use brain_core::limits;
use brain_core::ports::records::{CardMessage, ChatState, ConversationSummary, Message, Shown, User};
use brain_core::ports::{RecordExt, Scan, Snapshot, StoreError};

/// What a turn begins with.
pub(super) struct Beginning {
    pub user: User,
    pub state: ChatState,
    pub history: Vec<Message>,
    pub summary: Option<ConversationSummary>,
    pub replied: Option<Shown>,
    pub replied_message: Option<Message>,
    pub replied_card: Option<Pending>,
    /// Whether it replies to a card that cannot be read.
    pub replied_to_unreadable: bool,
    /// The chat's open cards, whoever they belong to.
    pub open: OpenCards,
}

pub(super) async fn beginning(brain: &Brain, incoming: &Incoming) -> Result<Beginning, StoreError> {
    let moment = brain.store.snapshot().await?;
    let (replied_card, replied_to_unreadable) = match replied_card(&moment, incoming).await {
        Err(error) if error.is_of_one_record() => (None, true),
        card => (card?, false),
    };
    let replied = replied(&moment, incoming).await?;
    let said = replied.as_ref().and_then(|shown| shown.said);
    let replied_message = match said.map(|number| Message::key_of(&incoming.chat, number)) {
        Some(key) => moment.load::<Message>(&key).await?.map(|(message, _)| message),
        None => None,
    };
    let (state, summary) =
        (brain.chat_state_in(&moment, &incoming.chat).await?.0, summary(brain, &moment, incoming).await?);
    // A summary that is behind: what it does not cover is there as it was said.
    let behind = summary.as_ref().map_or(0, |summary| state.next_message.saturating_sub(summary.until + 1));
    Ok(Beginning {
        user: brain.user_in(&moment, &incoming.user, &incoming.chat).await?.0,
        state,
        history: history(brain, &moment, &incoming.chat, behind).await?,
        summary,
        replied,
        replied_message,
        replied_card,
        replied_to_unreadable,
        open: pending::open_cards(&moment, &incoming.chat).await?,
    })
}

async fn replied(moment: &Snapshot<'_>, incoming: &Incoming) -> Result<Option<Shown>, StoreError> {
    let Input::Message { reply_to: Some(message), .. } = &incoming.input else { return Ok(None) };
    let key = Shown::key_of(&incoming.chat, *message);
    Ok(moment.load::<Shown>(&key).await?.map(|(shown, _)| shown))
}

async fn replied_card(moment: &Snapshot<'_>, incoming: &Incoming) -> Result<Option<Pending>, StoreError> {
    let Input::Message { reply_to: Some(message), .. } = &incoming.input else { return Ok(None) };
    let entry = moment.load::<CardMessage>(&CardMessage::key_of(&incoming.chat, *message)).await?;
    match entry {
        Some((entry, _)) => Ok(pending::pending(moment, &entry.pending).await?.map(|(pending, _)| pending)),
        None => Ok(None),
    }
}

async fn history(brain: &Brain, moment: &Snapshot<'_>, chat: &ChatId, behind: u64) -> Result<Vec<Message>, StoreError> {
    let usual = limits::PLAN_HISTORY_MESSAGES;
    let usual = if brain.policy.compresses { usual.max(brain.policy.compression.from) } else { usual };
    let last = usual.max(usize::try_from(behind).unwrap_or(usize::MAX).min(limits::HISTORY_BEHIND_MAX));
    let scan = Scan::of::<Message>(&[chat.as_str()], last).newest_first();
    let mut messages: Vec<Message> = moment.list::<Message>(scan).await?.into_iter().map(|(m, _)| m).collect();
    messages.reverse();
    Ok(messages)
}

/// A summary that cannot be read costs nothing but itself: it is made again.
async fn summary(
    brain: &Brain,
    moment: &Snapshot<'_>,
    incoming: &Incoming,
) -> Result<Option<ConversationSummary>, StoreError> {
    if !brain.policy.compresses {
        return Ok(None);
    }
    let key = ConversationSummary::key_of(&incoming.chat, &incoming.user);
    match moment.load::<ConversationSummary>(&key).await {
        Err(error) if error.is_of_one_record() => Ok(None),
        found => Ok(found?.map(|(summary, _)| summary)),
    }
}
