//! The durable outbox of a chat: what is to be shown there, numbered, until the channel has shown it.
//!
//! Invariants: numbers are taken from the chat's state in the commit that uses them, so none is given twice; every
//! message fits. Not here: showing it (see [`super::delivery`]).

use chrono::{DateTime, Utc};

use crate::core::ids::ChatId;
use crate::core::markup::Formatted;
use crate::core::turn::Reply;
use crate::failpoint::fail_point;
use crate::limits;
use crate::pipeline::brain::Brain;
use crate::ports::records::{ChatState, OutboxEntry, Show};
use crate::ports::{Batch, Change, Expect, StoreError, Table, optimistic};

/// Commits `batch` together with what `change` makes of the chat's state, as that is at this very moment; `change`
/// adds what its numbers are used for. Where it says false nothing is written. Returns what it said.
pub(super) async fn update_chat(
    brain: &Brain,
    chat: &ChatId,
    batch: &Batch,
    change: impl Fn(&mut ChatState, &mut Batch) -> Result<bool, StoreError> + Send + Sync,
) -> Result<bool, StoreError> {
    let _order = brain.locks.writing(chat).await;
    let change = &change;
    optimistic(&[Table::Chats], || async move {
        let (mut state, expect) = brain.chat_state_at(chat).await?;
        let mut batch = batch.clone();
        if !change(&mut state, &mut batch)? {
            return Ok(false);
        }
        put_first(&state, expect, &mut batch)?;
        brain.commit(batch).await.map(|_| true)
    })
    .await
}

/// Puts the chat's state before everything that follows from it: when another writer was faster, the state is what
/// has changed, not a number that was taken from it.
pub(super) fn put_first(state: &ChatState, expect: Expect, batch: &mut Batch) -> Result<(), StoreError> {
    batch.changes.insert(0, Change::put(state, expect)?);
    Ok(())
}

/// Commits what a chat is told outside a turn.
pub(super) async fn tell(brain: &Brain, chat: &ChatId, shows: &[Show], batch: &Batch) -> Result<(), StoreError> {
    let now = brain.clock.now();
    let told = |state: &mut ChatState, batch: &mut Batch| {
        for show in shows {
            enqueue(state, show.clone(), now, batch)?;
        }
        fail_point("tell-before");
        Ok(true)
    };
    update_chat(brain, chat, batch, told).await?;
    fail_point("tell-durable");
    Ok(())
}

/// Puts something to show into the outbox, in as many messages as it takes.
pub(super) fn enqueue(
    state: &mut ChatState,
    show: Show,
    at: DateTime<Utc>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let shows = match show {
        Show::Edit(edit) => vec![Show::Edit(edit)],
        Show::Send(reply) => split(reply).into_iter().map(Show::Send).collect(),
    };
    for show in shows {
        let entry = OutboxEntry { chat: state.chat.clone(), number: state.next_outbox, show, at };
        state.next_outbox += 1;
        batch.put(&entry, Expect::Absent)?;
    }
    Ok(())
}

/// A reply in messages that fit; the buttons go with the last one. Cards are split already.
fn split(reply: Reply) -> Vec<Reply> {
    // What a card shows is not touched again, white space included; a reminder gets its words at delivery.
    if !reply.notifications.is_empty() || (reply.card.is_some() && !reply.text.trim().is_empty()) {
        return vec![reply];
    }
    let words = Formatted { text: reply.text, spans: reply.spans };
    let words = words.split(limits::MESSAGE_UTF16_MAX, limits::MESSAGE_SPANS_MAX);
    let mut parts: Vec<Reply> = words.into_iter().map(Reply::from).collect();
    match parts.last_mut() {
        Some(last) => {
            last.buttons = reply.buttons;
            last.card = reply.card;
            last.reminder = reply.reminder;
            last.attachment = reply.attachment;
            last.notice = reply.notice;
            last.placeholder = reply.placeholder;
        }
        None => parts.push(Reply { text: "…".to_owned(), spans: Vec::new(), ..reply }),
    }
    parts
}
