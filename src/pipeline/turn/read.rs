//! What a turn reads as it begins: the conversation, and what its message replies to.

use crate::core::ids::ChatId;
use crate::core::pending::Pending;
use crate::core::turn::{Incoming, Input};
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::records::{CardMessage, Message, Shown};
use crate::ports::{RecordExt, Scan, StoreError};

pub(super) async fn replied(brain: &Brain, incoming: &Incoming) -> Result<Option<Shown>, StoreError> {
    let Input::Message { reply_to: Some(message), .. } = &incoming.input else { return Ok(None) };
    let key = Shown::key_of(&incoming.chat, *message);
    Ok(brain.store.load::<Shown>(&key).await?.map(|(shown, _)| shown))
}

pub(super) async fn replied_card(brain: &Brain, incoming: &Incoming) -> Result<Option<Pending>, StoreError> {
    let Input::Message { reply_to: Some(message), .. } = &incoming.input else { return Ok(None) };
    let entry = brain.store.load::<CardMessage>(&CardMessage::key_of(&incoming.chat, *message)).await?;
    match entry {
        Some((entry, _)) => Ok(brain.pending(&entry.pending).await?.map(|(pending, _)| pending)),
        None => Ok(None),
    }
}

pub(super) async fn history(brain: &Brain, chat: &ChatId) -> Result<Vec<Message>, StoreError> {
    let scan = Scan::of::<Message>(&[chat.as_str()], limits::PLAN_HISTORY_MESSAGES).newest_first();
    let mut messages: Vec<Message> = brain.store.list::<Message>(scan).await?.into_iter().map(|(m, _)| m).collect();
    messages.reverse();
    Ok(messages)
}
